//! The error of model files.

use crate::Error;
use kern_core::libsvm::FileError;
use std::io;

/// The reasons for which a model cannot be read or written.
///
/// # Examples
/// ```
/// use kern_core::{Samples, kernels::Rbf};
/// use kern_solvers::svm::libsvm::LibsvmModel;
/// let file = "svm_type c_svc\nkernel_type linear\n";
/// let error = LibsvmModel::<Samples<f64>, Rbf>::read(file.as_bytes(), None).unwrap_err();
/// assert_eq!(error.to_string(), "the kernel must be rbf, the file has `linear`");
/// ```
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ModelFileError {
    /// Reading or writing failed.
    #[error("reading or writing failed: {0}")]
    Io(#[from] io::Error),
    /// A line is not what the format says.
    #[error("line {line}: expected {expected}")]
    Line {
        /// Its number, from 1.
        line: usize,
        /// The text that should stand there.
        expected: &'static str,
    },
    /// A line of the header is missing, or its numbers are not as many as they have to be.
    #[error("`{name}` must have {expected}")]
    Header {
        /// The name at the beginning of the line.
        name: &'static str,
        /// The values that it has to have.
        expected: &'static str,
    },
    /// The model is of another kernel.
    #[error("the kernel must be {expected}, the file has `{given}`")]
    Kernel {
        /// The kernel that was asked for.
        expected: &'static str,
        /// The kernel of the file.
        given: String,
    },
    /// The format has no place for classes that are learned one against the rest.
    #[error("the format has one function per pair of classes, not one per class against the rest")]
    OneVsRest,
    /// A support vector is wrong.
    #[error(transparent)]
    Vector(#[from] FileError),
    /// The file is no model.
    #[error(transparent)]
    Model(#[from] Error),
    /// A parameter of the kernel or the support vectors are wrong.
    #[error(transparent)]
    Core(#[from] kern_core::Error),
}
