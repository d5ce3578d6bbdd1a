//! The report of a rule: a place and a sentence.

use std::fmt;

/// A broken house rule.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Violation {
    /// Path from the root of the workspace, with `/`.
    pub(crate) path: String,
    /// Line, counted from 1.
    pub(crate) line: usize,
    /// The fault, and what is allowed.
    pub(crate) message: String,
}

impl Violation {
    pub(crate) fn new(path: &str, line: usize, message: impl Into<String>) -> Self {
        Self { path: path.to_owned(), line, message: message.into() }
    }
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.path, self.line, self.message)
    }
}
