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
        /// The file or stream.
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
    /// The format cannot be derived from the file name.
    #[error("the name of {file} ends with none of {known}, so its format has to be said")]
    UnknownFormat {
        /// The file.
        file: File,
        /// The supported file extensions.
        known: &'static str,
    },
    /// A file exceeds the memory limit.
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
        /// The missing item: a row, a column, or, in a directory, a file of a known format.
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
    /// A column that a model needs is missing from a table.
    #[error("missing column `{needed}`; the table has {}", listed(known))]
    MissingColumn {
        /// The name of the column.
        needed: String,
        /// The columns that exist.
        known: Vec<String>,
    },
    /// A requested column is missing from a file.
    #[error("{file}: missing column `{given}`; it has {}", listed(known))]
    NoColumn {
        /// The file, or a part of it.
        file: File,
        /// The name that was given.
        given: String,
        /// The columns that the file has.
        known: Vec<String>,
    },
    /// Two columns have the same name.
    #[error("the table has two columns `{name}`")]
    TwoColumns {
        /// The name.
        name: String,
    },
    /// The columns have different lengths.
    #[error("column `{name}` has {given} values, the ones before have {expected}")]
    Length {
        /// The column.
        name: String,
        /// Its number of values.
        given: usize,
        /// The number of values of the columns before.
        expected: usize,
    },
    /// A column has the wrong kind.
    #[error("column `{column}` has {given}, {expected} are needed")]
    Kind {
        /// The column.
        column: String,
        /// The actual kind.
        given: &'static str,
        /// The required kind.
        expected: &'static str,
    },
    /// A column has more categories than can be encoded.
    #[error("column `{column}` has {given} different categories, at most 1000000 are allowed")]
    Levels {
        /// The column.
        column: String,
        /// The number of categories.
        given: usize,
    },
    /// A required value is missing.
    #[error("row {row} has no value in column `{column}`")]
    Missing {
        /// The column.
        column: String,
        /// The row, counted from 1.
        row: usize,
    },
    /// A row index is out of bounds, or the values do not form valid points.
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
    /// The part, which may be the whole file; `None` for a stream.
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
    /// The line, or the row of a file without lines, counted from 1 from the start of the file, if
    /// known.
    pub line: Option<u64>,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.file.fmt(f)?;
        self.line.map_or(Ok(()), |line| write!(f, ", line {line}"))
    }
}
