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
    /// A thing that this way of training does not do.
    #[error("{0}")]
    NotHere(&'static str),
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
