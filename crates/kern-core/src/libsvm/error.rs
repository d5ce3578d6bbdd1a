//! Errors of files, with the line.

use crate::Error;
use std::io;

/// The reason why a file cannot be read or written.
///
/// # Examples
/// ```
/// use kern_core::libsvm::{self, Fault, FileError};
/// let error = libsvm::read::<f64, i8>("1 1:2\n1 3:1 2:1\n".as_bytes(), None).unwrap_err();
/// assert_eq!(error.to_string(), "line 2: indices must ascend, got 2 after 3");
/// assert!(matches!(error, FileError::Line { line: 2, fault: Fault::Order { .. } }));
/// ```
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FileError {
    /// Reading or writing failed.
    #[error("reading or writing failed: {0}")]
    Io(#[from] io::Error),
    /// A line is not what the format says.
    #[error("line {line}: {fault}")]
    Line {
        /// Its number, from 1.
        line: usize,
        /// Its fault.
        fault: Fault,
    },
    /// The parts to be written do not fit together, or those that were read are no collection.
    #[error(transparent)]
    Core(#[from] Error),
}

/// A fault of a line.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Fault {
    /// It is not text.
    #[error("it must be UTF-8 text")]
    Encoding,
    /// The label is no number, or none of the type that was asked for.
    #[error("the label must be a finite number of type {wanted}, got `{given}`")]
    Label {
        /// The text that stands there.
        given: String,
        /// The type.
        wanted: &'static str,
    },
    /// A word after the label has no colon.
    #[error("expected index:value, got `{given}`")]
    NoColon {
        /// The word.
        given: String,
    },
    /// An index is not an integer from 1 to 2³².
    #[error("an index must be an integer from 1 to 4294967296, got `{given}`")]
    Index {
        /// The text before the colon.
        given: String,
    },
    /// An index is not greater than the one before it.
    #[error("indices must ascend, got {given} after {before}")]
    Order {
        /// The index before.
        before: u64,
        /// The index.
        given: u64,
    },
    /// An index exceeds the dimension that was given.
    #[error("an index must be at most the dimension {dim}, got {given}")]
    Width {
        /// The dimension.
        dim: usize,
        /// The index.
        given: u64,
    },
    /// A value is not a finite number.
    #[error("the value of index {index} must be a finite number, got `{given}`")]
    Value {
        /// Its index.
        index: u64,
        /// The text that stands there.
        given: String,
    },
}
