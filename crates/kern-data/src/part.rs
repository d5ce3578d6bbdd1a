//! Parts of files.

use serde::{Deserialize, Serialize};
use std::fmt;
use std::ops::Range;
use std::path::{Path, PathBuf};

/// A part of a file: the whole file, or some of its row groups or rows. It describes the input of
/// one task of a distributed fit and is small enough to be sent to a worker.
///
/// Row groups and rows are counted from 0, in ranges and in messages alike.
///
/// # Examples
/// The parts of an array together give the rows of the whole.
/// ```
/// use kern_data::{Part, Source};
/// let folder = tempfile::tempdir()?;
/// let path = folder.path().join("data.npy");
/// let header = "{'descr': '<f8', 'fortran_order': False, 'shape': (5, 1), }";
/// let mut array = format!("NUMPY\x01\0\x76\0{header:<117}\n").into_bytes();
/// array.insert(0, 0x93);
/// array.extend([1.0_f64, 2.0, 3.0, 4.0, 5.0].iter().flat_map(|value| value.to_le_bytes()));
/// std::fs::write(&path, array)?;
///
/// let parts = Part::list(&[&path], 2)?;
/// assert_eq!(parts, [Part::rows(&path, 0..2), Part::rows(&path, 2..4), Part::rows(&path, 4..5)]);
/// assert!(parts[1].to_string().ends_with("data.npy, rows 2 to 3"));
/// assert_eq!(parts[2].count()?, Some(1));
/// let table = Source::of_part(&parts[1])?.columns(["x1"]).read()?;
/// assert_eq!(table.column("x1")?.numbers()?, [3.0, 4.0]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Part {
    path: PathBuf,
    span: Span,
}

/// The extent of a part within its file.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Span {
    /// The whole file.
    #[default]
    All,
    /// Row groups of a Parquet file.
    RowGroups(Range<usize>),
    /// Rows of an array of NumPy.
    Rows(Range<u64>),
}

impl Part {
    /// A whole file.
    pub fn all(path: impl Into<PathBuf>) -> Self {
        Self { path: path.into(), span: Span::All }
    }

    /// Row groups of a Parquet file. Their existence is checked on reading.
    pub fn row_groups(path: impl Into<PathBuf>, groups: Range<usize>) -> Self {
        Self { path: path.into(), span: Span::RowGroups(groups) }
    }

    /// Rows of a NumPy array. Their existence is checked on reading.
    pub fn rows(path: impl Into<PathBuf>, rows: Range<u64>) -> Self {
        Self { path: path.into(), span: Span::Rows(rows) }
    }

    /// The file.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The extent within the file.
    #[must_use]
    pub fn span(&self) -> &Span {
        &self.span
    }
}

impl fmt::Display for Part {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.path.display().fmt(f)?;
        match &self.span {
            Span::All => Ok(()),
            Span::RowGroups(groups) => {
                let bounds = (groups.start as u64, groups.end as u64);
                range(f, "row group", bounds)
            }
            Span::Rows(rows) => range(f, "row", (rows.start, rows.end)),
        }
    }
}

/// Formats a half-open range of items.
fn range(f: &mut fmt::Formatter<'_>, thing: &str, (start, end): (u64, u64)) -> fmt::Result {
    match end.checked_sub(start) {
        None | Some(0) => write!(f, ", no {thing}s"),
        Some(1) => write!(f, ", {thing} {start}"),
        Some(_) => write!(f, ", {thing}s {start} to {}", end - 1),
    }
}
