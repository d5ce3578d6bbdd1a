//! Errors of kern as exceptions of Python.

use pyo3::PyErr;
use pyo3::exceptions::{PyOSError, PyValueError};
use std::fmt::Display;

/// A ValueError with the message of kern.
pub(crate) fn value(error: impl Display) -> PyErr {
    PyValueError::new_err(error.to_string())
}

/// A file that cannot be read or written, or does not contain a model.
pub(crate) fn file(error: &kern_solvers::file::Error) -> PyErr {
    match error {
        kern_solvers::file::Error::Io { .. } => PyOSError::new_err(error.to_string()),
        _ => value(error),
    }
}

/// The message of an error, where errors of several crates meet.
pub(crate) fn text(error: impl Display) -> String {
    error.to_string()
}
