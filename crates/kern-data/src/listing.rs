//! The parts of files.

use crate::error::File;
use crate::formats::{GZIP, KNOWN, Layout};
use crate::{Error, Format, Part, Span};
use std::fs;
use std::io::{self, Read, Seek};
use std::ops::Range;
use std::path::{Path, PathBuf};

impl Part {
    /// The parts of files, in their order, each of about so many rows: the row groups of Parquet files, as many at a time as
    /// have not more rows, but at least one, and as many rows of arrays of NumPy. Files of other formats, and all that gzip has
    /// packed, are a part each. A file without rows has no part where its header says so.
    ///
    /// A directory stands for the files in it whose names tell a format, in the order of their names, without those that
    /// begin with `_` or `.`, as the folders that Spark and Dask write have them.
    ///
    /// Of every file the header is read, and nothing else: the time and the memory that this takes grow with the number of
    /// files and of row groups, not of rows.
    ///
    /// # Errors
    /// [`Error::Io`], [`Error::UnknownFormat`] for a file whose name tells no format, [`Error::Format`] for a header that is
    /// damaged, [`Error::Empty`] for a directory without files of a known format.
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

    /// The number of rows, where the header of the file tells it: of Parquet files and arrays of NumPy that are not packed.
    ///
    /// # Errors
    /// [`Error::Io`], [`Error::UnknownFormat`], and [`Error::Format`] for a header that is damaged, or row groups or rows that
    /// the file does not have.
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

/// All rows, so many at a time.
fn slices(all: u64, rows: u64) -> impl Iterator<Item = Range<u64>> {
    let rows = rows.max(1);
    (0..all.div_ceil(rows)).map(move |k| k * rows..(k * rows).saturating_add(rows).min(all))
}

/// All row groups of these sizes, so many at a time that they have at most so many rows, or one.
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
