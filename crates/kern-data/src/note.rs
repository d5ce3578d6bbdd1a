//! Notes on what was read: decisions that a reader of a file has taken, and that may be changed.

use std::fmt;

/// A decision on a column that may not be what was meant.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Note {
    /// A first column without a name that numbers the rows, or an index of pandas, is left out.
    RowNumbers {
        /// The name that it has where it is kept.
        column: String,
    },
    /// Whole numbers beyond 2⁵³ are rounded to doubles, so that different ones may be equal.
    Rounded {
        /// The column.
        column: String,
        /// The number of values that are rounded.
        count: usize,
    },
    /// Strings of a format that has numbers of its own look like numbers.
    Digits {
        /// The column.
        column: String,
        /// The number of these strings.
        count: usize,
        /// The number of values.
        values: usize,
    },
    /// Most values of a column are numbers, and some are not.
    NotNumbers {
        /// The column.
        column: String,
        /// The number of values that are no numbers.
        count: usize,
        /// The number of values.
        values: usize,
        /// The row of the first one, counted from 1.
        row: usize,
        /// The first one.
        given: String,
        /// They are treated as missing; else the column is read as words.
        missing: bool,
    },
}

impl fmt::Display for Note {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::RowNumbers { column } => {
                write!(
                    f,
                    "column {column}: left out, it numbers the rows or was the index of a frame"
                )
            }
            Self::Rounded { column, count } => write!(
                f,
                "column {column}: {count} whole numbers beyond 2^53 are rounded: read identifiers as categories or leave them out"
            ),
            Self::Digits { column, count, values } => write!(
                f,
                "column {column}: {count} of {values} values are strings that look like numbers: read as words"
            ),
            Self::NotNumbers { column, count, values, row, given, missing } => {
                let are = if *count == 1 { "is not a number" } else { "are not numbers" };
                let so = if *missing { "treated as missing" } else { "read as text" };
                write!(
                    f,
                    "column {column}: {count} of {values} values {are} (row {row}: `{given}`): {so}"
                )
            }
        }
    }
}
