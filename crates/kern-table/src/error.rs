//! The error of this crate.

/// An error in training, in a file of a model, or in a table.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// Of a kernel or its parameters.
    #[error(transparent)]
    Core(#[from] kern_core::Error),
    /// Of a table or a file of data.
    #[error(transparent)]
    Data(#[from] kern_data::Error),
    /// Of a learner or a model.
    #[error(transparent)]
    Solvers(#[from] kern_solvers::Error),
    /// A task needs a column of targets.
    #[error("which column has the targets? the table has {}", known.join(", "))]
    NoTarget {
        /// The columns of the table.
        known: Vec<String>,
    },
    /// A method is for another task.
    #[error("{method} is no method to {task}: take one of {allowed}")]
    Method {
        /// The method.
        method: &'static str,
        /// The task.
        task: &'static str,
        /// The methods for the task.
        allowed: &'static str,
    },
    /// A table whose columns do not make points: there is none beside the target.
    #[error("the table has no column beside the target")]
    NoColumns,
    /// A kernel in a formula without a column that it acts on.
    #[error("the kernel `{family}` needs a column of {needed}, and the table has {columns}")]
    NoColumnFor {
        /// The kernel.
        family: &'static str,
        /// The kind of column that it acts on.
        needed: &'static str,
        /// The columns of the table by their kinds.
        columns: String,
    },
    /// A class that the first batch of a stream did not have.
    #[error(
        "the class `{given}` is not in the first batch, which has {known}: take larger batches"
    )]
    NewClass {
        /// The class.
        given: String,
        /// Some of those that are known.
        known: String,
    },
    /// A setting outside of its domain.
    #[error("{name} must be {allowed}, got {given}")]
    Setting {
        /// The name.
        name: String,
        /// The value that was given.
        given: String,
        /// The values that are allowed, in words.
        allowed: &'static str,
    },
    /// A fit was ended before it was better than a constant answer.
    #[error(
        "the fit was ended after {iterations} iterations, before it was better than a constant answer: allow more time"
    )]
    NothingReached {
        /// The number of finished iterations.
        iterations: usize,
    },
    /// A fit without parts.
    #[error("there is nothing to learn from: no parts of files, and no partitions")]
    NoParts,
    /// An error in a part of the data.
    #[error("{part}: {source}")]
    Part {
        /// The file with its row groups or rows, or the partition.
        part: String,
        /// The error.
        source: Box<Error>,
    },
    /// A group of parts that does not exist.
    #[error("there are {groups} groups of parts, and no group {given}")]
    Group {
        /// The number that was given.
        given: usize,
        /// The number of groups.
        groups: usize,
    },
    /// Another number of partitions than a group has.
    #[error("group {group} has {expected} partitions, got {given}")]
    Partitions {
        /// The group.
        group: usize,
        /// The number that it has.
        expected: usize,
        /// The number that was given.
        given: usize,
    },
    /// The sums of a group are merged with others of the same group.
    #[error("the sums of group {group} are given twice: merge those of each group once")]
    GroupTwice {
        /// The group.
        group: usize,
    },
    /// The sums are not of all groups.
    #[error(
        "the sums are of {given} of {groups} groups, and group {first} is missing: merge those of all groups"
    )]
    GroupsMissing {
        /// The number of groups that they are of.
        given: usize,
        /// The number of groups of the fit.
        groups: usize,
        /// The first group that is missing.
        first: usize,
    },
    /// Sums that answer another question.
    #[error("the sums are of another round, or of another fit")]
    OtherRound,
    /// A checkpoint of another fit.
    #[error("the checkpoint is of another {what}: give another file, or remove it to begin anew")]
    OtherFit {
        /// The part in which they differ.
        what: &'static str,
    },
    /// Bytes that another version of this library has written.
    #[error(
        "these bytes are of kern {given}, and here is kern {here}: all machines need the same version"
    )]
    Version {
        /// The version that has written them.
        given: String,
        /// The version that reads them.
        here: &'static str,
    },
    /// More categories or classes than a fit in rounds keeps.
    #[error("{given} different values in column `{column}`, at most {most} are allowed")]
    Levels {
        /// The column.
        column: String,
        /// The number found.
        given: usize,
        /// The greatest number.
        most: usize,
    },
    /// Of a file of a model, a job or sums.
    #[error(transparent)]
    File(#[from] crate::file::Error),
    /// A thing that this way of training does not do.
    #[error("{0}")]
    NotHere(&'static str),
}

impl Error {
    /// The error, of this part of the data. Errors of files say themselves where they are.
    pub(crate) fn of_part(self, part: &dyn std::fmt::Display) -> Self {
        use kern_data::Error as E;
        match self {
            Self::Data(
                E::Io { .. }
                | E::Format { .. }
                | E::Value { .. }
                | E::TooLarge { .. }
                | E::Empty { .. },
            )
            | Self::Part { .. } => self,
            source => Self::Part { part: part.to_string(), source: Box::new(source) },
        }
    }
}

impl From<kern_approx::Error> for Error {
    fn from(error: kern_approx::Error) -> Self {
        kern_solvers::Error::from(error).into()
    }
}

impl From<kern_gram::Error> for Error {
    fn from(error: kern_gram::Error) -> Self {
        kern_solvers::Error::from(error).into()
    }
}

impl From<kern_approx::statistics::Error> for Error {
    fn from(error: kern_approx::statistics::Error) -> Self {
        kern_solvers::Error::from(error).into()
    }
}
