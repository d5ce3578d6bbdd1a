//! The parts of files.

use crate::error::File;
use crate::formats::{GZIP, KNOWN, Layout};
use crate::{Error, Format, Part, Span};
use std::fs;
use std::io::{self, Read, Seek};
use std::ops::Range;
use std::path::{Path, PathBuf};

impl Part {
    /// Lists parts of files in order, each of about `rows` rows. Consecutive row groups of a
    /// Parquet file are combined up to that number, with at least one group per part; NumPy arrays
    /// are divided into ranges of rows. A file of another format or compressed by gzip is one part.
    /// A file that has no rows according to its header has no part.
    ///
    /// A directory stands for its files with a known extension, sorted by name, except names that
    /// begin with `_` or `.`, as in folders written by Spark and Dask.
    ///
    /// Only the header of every file is read: time and memory grow with the number of files and row
    /// groups, not with the number of rows.
    ///
    /// [`Error::Io`], [`Error::UnknownFormat`] for a file with an unknown extension,
    /// [`Error::Format`] for a damaged header, [`Error::Empty`] for a directory without files of a
    /// known format.
    pub fn list(paths: &[impl AsRef<Path>], rows: u64) -> Result<Vec<Self>, Error> {
        let mut parts = Vec::new();
        for path in paths {
            for path in files(path.as_ref())? {
                match layout(&Self::all(&path))? {
                    Layout::Whole => parts.push(Self::all(path)),
                    Layout::Rows(all) => {
                        parts.extend(slices(all, rows).map(|rows| Self::rows(&path, rows)));
                    }
                    Layout::RowGroups(sizes) => {
                        let groups = groups(&sizes, rows).into_iter();
                        parts.extend(groups.map(|groups| Self::row_groups(&path, groups)));
                    }
                }
            }
        }
        Ok(parts)
    }

    /// The number of rows if the header declares it: for uncompressed Parquet files and NumPy
    /// arrays.
    ///
    /// # Errors
    /// [`Error::Io`], [`Error::UnknownFormat`], and [`Error::Format`] for a damaged header or for
    /// row groups or rows beyond the file.
    pub fn count(&self) -> Result<Option<u64>, Error> {
        let file = File::from(self);
        match (layout(self)?, self.span()) {
            (Layout::Whole, Span::All) => Ok(None),
            (layout, _) => layout.rows(&file).map(|rows| Some(rows.end - rows.start)),
        }
    }
}

/// The files that a path stands for.
fn files(path: &Path) -> Result<Vec<PathBuf>, Error> {
    if !path.is_dir() {
        return Ok(vec![path.to_path_buf()]);
    }
    let io = |source| Error::Io { file: File::of(path), source };
    let entries = fs::read_dir(path).map_err(io)?.map(|entry| Ok(entry?.path()));
    let mut files: Vec<PathBuf> = entries.collect::<io::Result<_>>().map_err(io)?;
    files.retain(|file| {
        let name = file.file_name().unwrap_or_default().to_string_lossy();
        !name.starts_with(['_', '.']) && Format::of(file).is_some() && file.is_file()
    });
    files.sort_unstable();
    match files.is_empty() {
        true => Err(Error::Empty { file: File::of(path), what: "file of a known format" }),
        false => Ok(files),
    }
}

/// The layout of the file of a part.
fn layout(part: &Part) -> Result<Layout, Error> {
    let file = File::from(part);
    let Some(format) = Format::of(part.path()) else {
        return Err(Error::UnknownFormat { file, known: KNOWN });
    };
    let io = |source| Error::Io { file: file.clone(), source };
    let mut input = fs::File::open(part.path()).map_err(io)?;
    let mut start = Vec::new();
    (&mut input).take(GZIP.len() as u64).read_to_end(&mut start).map_err(io)?;
    input.rewind().map_err(io)?;
    match start == GZIP {
        true => Ok(Layout::Whole),
        false => format.layout(input, &file),
    }
}

/// Splits all rows into ranges of this many.
fn slices(all: u64, rows: u64) -> impl Iterator<Item = Range<u64>> {
    let rows = rows.max(1);
    (0..all.div_ceil(rows)).map(move |k| k * rows..(k * rows).saturating_add(rows).min(all))
}

/// Splits row groups of these sizes into ranges of at most `rows` rows, or of one group.
fn groups(sizes: &[u64], rows: u64) -> Vec<Range<usize>> {
    let mut found: Vec<Range<usize>> = Vec::new();
    let mut taken = 0_u64;
    for (k, &size) in sizes.iter().enumerate() {
        match found.last_mut() {
            Some(last) if taken.saturating_add(size) <= rows => {
                last.end = k + 1;
                taken += size;
            }
            _ => {
                found.push(k..k + 1);
                taken = size;
            }
        }
    }
    found
}
