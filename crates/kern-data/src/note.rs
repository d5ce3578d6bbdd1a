//! Notes on automatic decisions of the reader, which options can change.

use std::fmt;

/// A decision about a column that may not be intended.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Note {
    /// An unnamed first column with row numbers, or a pandas index, was dropped.
    RowNumbers {
        /// Its name if it is kept.
        column: String,
    },
    /// Integers beyond 2⁵³ were rounded to doubles, so that distinct ones may have become equal.
    Rounded {
        /// The column.
        column: String,
        /// The number of rounded values.
        count: usize,
    },
    /// Strings that look like numbers, in a format with native numbers.
    Digits {
        /// The column.
        column: String,
        /// The number of these strings.
        count: usize,
        /// The number of values.
        values: usize,
    },
    /// Most values of a column are numbers, but some are not.
    NotNumbers {
        /// The column.
        column: String,
        /// The number of non-numeric values.
        count: usize,
        /// The number of values.
        values: usize,
        /// The row of the first non-numeric value, counted from 1.
        row: usize,
        /// The first non-numeric value.
        given: String,
        /// Set if they are treated as missing; otherwise the column is read as text.
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
