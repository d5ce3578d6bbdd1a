//! The error of this crate.

/// An error in training, in a model file or in a table.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// An error in a kernel or its parameters.
    #[error(transparent)]
    Core(#[from] kern_core::Error),
    /// An error in a table or a data file.
    #[error(transparent)]
    Data(#[from] kern_data::Error),
    /// An error in a learner or a model.
    #[error(transparent)]
    Solvers(#[from] kern_solvers::Error),
    /// The task needs a target column.
    #[error("which column has the targets? the table has {}", known.join(", "))]
    NoTarget {
        /// The columns of the table.
        known: Vec<String>,
    },
    /// An operation that compares predictions with targets, on a model without targets.
    #[error("a model of the task `{task}` has no targets to compare predictions with")]
    WithoutTarget {
        /// The task of the model.
        task: String,
    },
    /// The method does not support the task.
    #[error("{method} is no method to {task}: take one of {allowed}")]
    Method {
        /// The method.
        method: &'static str,
        /// The task.
        task: &'static str,
        /// The methods that support the task.
        allowed: &'static str,
    },
    /// The table has no column besides the target, so its rows are not points.
    #[error("the table has no column beside the target")]
    NoColumns,
    /// A kernel in a formula has no column to act on.
    #[error("the kernel `{family}` needs a column of {needed}, and the table has {columns}")]
    NoColumnFor {
        /// The kernel.
        family: &'static str,
        /// The kind of column that the kernel acts on.
        needed: &'static str,
        /// The columns of the table, grouped by kind.
        columns: String,
    },
    /// A class that did not occur in the first batch of a stream.
    #[error(
        "the class `{given}` is not in the first batch, which has {known}: take larger batches"
    )]
    NewClass {
        /// The class.
        given: String,
        /// Some of the known classes.
        known: String,
    },
    /// A setting outside its domain.
    #[error("{name} must be {allowed}, got {given}")]
    Setting {
        /// The name.
        name: String,
        /// The given value.
        given: String,
        /// The allowed values, in words.
        allowed: &'static str,
    },
    /// The fit was stopped before it was better than a constant prediction.
    #[error(
        "the fit was ended after {iterations} iterations, before it was better than a constant answer: allow more time"
    )]
    NothingReached {
        /// The number of finished iterations.
        iterations: usize,
    },
    /// No candidate of a contest could be fitted.
    #[error("no candidate of the contest could be fitted: {reason}")]
    NoCandidate {
        /// The error of one of them.
        reason: String,
    },
    /// A fit without any parts.
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
    /// The wrong number of partitions for a group.
    #[error("group {group} has {expected} partitions, got {given}")]
    Partitions {
        /// The group.
        group: usize,
        /// The number of partitions of the group.
        expected: usize,
        /// The given number.
        given: usize,
    },
    /// The sums of one group were merged twice.
    #[error("the sums of group {group} are given twice: merge those of each group once")]
    GroupTwice {
        /// The group.
        group: usize,
    },
    /// The sums do not cover all groups.
    #[error(
        "the sums are of {given} of {groups} groups, and group {first} is missing: merge those of all groups"
    )]
    GroupsMissing {
        /// The number of groups covered.
        given: usize,
        /// The number of groups of the fit.
        groups: usize,
        /// The first group that is missing.
        first: usize,
    },
    /// Sums of another round or another fit.
    #[error("the sums are of another round, or of another fit")]
    OtherRound,
    /// A checkpoint of another fit.
    #[error("the checkpoint is of another {what}: give another file, or remove it to begin anew")]
    OtherFit {
        /// The part in which the fits differ.
        what: &'static str,
    },
    /// Bytes written by another version of this library.
    #[error(
        "these bytes are of kern {given}, and here is kern {here}: all machines need the same version"
    )]
    Version {
        /// The version that wrote the bytes.
        given: String,
        /// The version that reads the bytes.
        here: &'static str,
    },
    /// A column has more categories or classes than a fit in rounds can keep.
    #[error("{given} different values in column `{column}`, at most {most} are allowed")]
    Levels {
        /// The column.
        column: String,
        /// The number found.
        given: usize,
        /// The largest number allowed.
        most: usize,
    },
    /// An error in the file of a model, a job or sums.
    #[error(transparent)]
    File(#[from] kern_solvers::file::Error),
    /// An operation that this way of training does not support.
    #[error("{0}")]
    NotHere(&'static str),
}

impl Error {
    /// Adds the part of the data to the error. Errors of files already contain their location.
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
