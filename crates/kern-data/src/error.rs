//! The error of this crate: where it is, what was given, and what is allowed.

use crate::{Part, Span};
use std::fmt;
use std::path::Path;

/// An error in a file or a table.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A file cannot be opened or read.
    #[error("{file}: {source}")]
    Io {
        /// The file, or that it is a stream.
        file: File,
        /// The reason.
        source: std::io::Error,
    },
    /// A file does not follow its format.
    #[error("{place}: {reason}")]
    Format {
        /// The place.
        place: Place,
        /// The reason.
        reason: String,
    },
    /// A value is not of its column's kind.
    #[error("{place}: `{given}` in column `{column}`, which has {expected}")]
    Value {
        /// The place.
        place: Place,
        /// The column.
        column: String,
        /// The value.
        given: String,
        /// The kind of the column.
        expected: &'static str,
    },
    /// The name of a file does not tell its format.
    #[error("the name of {file} ends with none of {known}, so its format has to be said")]
    UnknownFormat {
        /// The file.
        file: File,
        /// The ends of names that are known.
        known: &'static str,
    },
    /// A file takes more memory than it may.
    #[error(
        "{file}: more than the {limit} bytes that it may take; read it in batches, or set another limit"
    )]
    TooLarge {
        /// The file.
        file: File,
        /// The limit.
        limit: u64,
    },
    /// A table without rows or columns, or a directory without files.
    #[error("{file}: there is no {what}")]
    Empty {
        /// The file.
        file: File,
        /// The thing that is missing: a row, a column, or, in a directory, a file of a known format.
        what: &'static str,
    },
    /// A column that does not exist.
    #[error("unknown column `{given}`; the table has {}", listed(known))]
    UnknownColumn {
        /// The name that was given.
        given: String,
        /// The columns that exist.
        known: Vec<String>,
    },
    /// A column that a model needs, and a table does not have.
    #[error("missing column `{needed}`; the table has {}", listed(known))]
    MissingColumn {
        /// The name of the column.
        needed: String,
        /// The columns that exist.
        known: Vec<String>,
    },
    /// A column to read that a file does not have.
    #[error("{file}: missing column `{given}`; it has {}", listed(known))]
    NoColumn {
        /// The file, or the part of it.
        file: File,
        /// The name that was given.
        given: String,
        /// The columns that the file has.
        known: Vec<String>,
    },
    /// Two columns of one name.
    #[error("the table has two columns `{name}`")]
    TwoColumns {
        /// The name.
        name: String,
    },
    /// Columns of different lengths.
    #[error("column `{name}` has {given} values, the ones before have {expected}")]
    Length {
        /// The column.
        name: String,
        /// Its number of values.
        given: usize,
        /// The number of values of the columns before.
        expected: usize,
    },
    /// A column of another kind.
    #[error("column `{column}` has {given}, {expected} are needed")]
    Kind {
        /// The column.
        column: String,
        /// The kind that it has.
        given: &'static str,
        /// The kind that is needed.
        expected: &'static str,
    },
    /// More categories than there are letters.
    #[error("column `{column}` has {given} different categories, at most 1000000 are allowed")]
    Levels {
        /// The column.
        column: String,
        /// The number of categories.
        given: usize,
    },
    /// A missing value where none may be.
    #[error("row {row} has no value in column `{column}`")]
    Missing {
        /// The column.
        column: String,
        /// The row, counted from 1.
        row: usize,
    },
    /// A row that does not exist, or points that cannot be made of the values.
    #[error(transparent)]
    Core(#[from] kern_core::Error),
}

fn listed(names: &[String]) -> String {
    match names {
        [] => "no columns".to_string(),
        names => names.join(", "),
    }
}

/// A file, or a part of one, in messages.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct File(Option<Box<Part>>);

impl File {
    /// The part, which may be the whole; none of a stream.
    #[must_use]
    pub fn part(&self) -> Option<&Part> {
        self.0.as_deref()
    }

    /// The whole file at a path.
    pub(crate) fn of(path: &Path) -> Self {
        Self::from(&Part::all(path))
    }

    pub(crate) fn path(&self) -> Option<&Path> {
        self.part().map(Part::path)
    }

    pub(crate) fn span(&self) -> &Span {
        self.part().map_or(&Span::All, Part::span)
    }
}

impl From<&Part> for File {
    fn from(part: &Part) -> Self {
        Self(Some(Box::new(part.clone())))
    }
}

impl fmt::Display for File {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Some(part) => part.fmt(f),
            None => f.write_str("the input"),
        }
    }
}

/// A place in a file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Place {
    /// The file, or the part of it.
    pub file: File,
    /// The line, or the row of a file that has no lines, counted from 1 and from the start of the file, where it is known.
    pub line: Option<u64>,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.file.fmt(f)?;
        self.line.map_or(Ok(()), |line| write!(f, ", line {line}"))
    }
}
