//! The layout of a file: the units into which it can be divided.

use super::records::refused;
use crate::error::File;
use crate::{Error, Span};
use std::ops::Range;

/// The layout of a file.
pub(crate) enum Layout {
    /// The file can only be read from start to end.
    Whole,
    /// This many rows, with random access.
    Rows(u64),
    /// Row groups with these numbers of rows.
    #[cfg_attr(not(feature = "parquet"), allow(dead_code, reason = "they are Parquet's"))]
    RowGroups(Vec<u64>),
}

impl Layout {
    /// The rows of a part of the file.
    ///
    /// # Errors
    /// [`Error::Format`] if the part lies outside of the file.
    pub(crate) fn rows(&self, file: &File) -> Result<Range<u64>, Error> {
        let refused = |reason: String| Err(refused(file, None, reason));
        match (self, file.span()) {
            (Self::Rows(all), Span::All) => Ok(0..*all),
            (Self::Rows(all), Span::Rows(rows)) => match rows.is_empty() {
                true => Ok(0..0),
                false if rows.end > *all => refused(format!("the array has {all} rows")),
                false => Ok(rows.clone()),
            },
            (Self::RowGroups(sizes), Span::All) => Ok(0..sizes.iter().sum()),
            (Self::RowGroups(sizes), Span::RowGroups(groups)) => match sizes.get(groups.clone()) {
                _ if groups.is_empty() => Ok(0..0),
                Some(taken) => {
                    let start = sizes[..groups.start].iter().sum();
                    Ok(start..start + taken.iter().sum::<u64>())
                }
                None => refused(format!("the file has {} row groups", sizes.len())),
            },
            _ => refused("the file is not made of such parts".into()),
        }
    }
}
