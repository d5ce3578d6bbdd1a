//! Records: what all formats are made of.

use crate::Error;
use crate::cells::Cells;
use crate::error::{File, Place};
use crate::schema::Hint;

/// Cells for each byte of a file, and cells that are always allowed.
const DENSITY: u64 = 32;
const FREE: u64 = 1 << 22;

/// A file that is read record by record.
pub(crate) trait Records {
    /// The names of the columns.
    fn names(&self) -> Vec<String>;

    /// The kind of values that a column of the file says that it has.
    fn hint(&self, _column: usize) -> Hint {
        Hint::Unknown
    }

    /// Adds the values of the next record to the columns; false if there is none.
    fn next(&mut self, columns: &mut Widths) -> Result<bool, Error>;

    /// The file.
    fn file(&self) -> &File;
}

/// The columns of a part of a file, some of which may be found late.
#[derive(Debug)]
pub(crate) struct Widths {
    pub(crate) columns: Vec<Cells>,
    /// Tells whether columns may still be found.
    pub(crate) open: bool,
}

impl Widths {
    /// Adds a value, in the column of this number.
    pub(crate) fn push(
        &mut self,
        column: usize,
        text: &str,
        place: impl Fn() -> Place,
    ) -> Result<(), Error> {
        match self.columns.get_mut(column) {
            Some(cells) => cells.push(text, place),
            None => Ok(()),
        }
    }

    /// Adds a number, in the column of this number; NaN is missing.
    pub(crate) fn push_number(
        &mut self,
        column: usize,
        number: f64,
        place: impl Fn() -> Place,
    ) -> Result<(), Error> {
        match self.columns.get_mut(column) {
            Some(cells) => cells.push_number(number, place),
            None => Ok(()),
        }
    }

    /// The number of records.
    pub(crate) fn len(&self) -> usize {
        self.columns.iter().map(Cells::len).max().unwrap_or(0)
    }

    /// Refuses a table that is far larger than the file that it comes from, of which so many bytes were read: rows that have
    /// few of the values, each in a column of its own.
    pub(crate) fn check_density(&self, bytes: u64, file: &File) -> Result<(), Error> {
        let cells = (self.len() as u64).saturating_mul(self.columns.len() as u64);
        if cells <= FREE.max(bytes.saturating_mul(DENSITY)) {
            return Ok(());
        }
        let (rows, columns) = (self.len(), self.columns.len());
        let reason =
            format!("{rows} rows with {columns} columns, nearly all of them empty, are no table");
        Err(refused(file, None, reason))
    }

    /// The bytes of all cells.
    pub(crate) fn bytes(&self) -> u64 {
        self.columns.iter().map(Cells::bytes).sum()
    }

    /// Gives every column as many values as this: those that a record does not have are missing, or of this text.
    pub(crate) fn fill(&mut self, len: usize, text: &str) -> Result<(), Error> {
        for cells in &mut self.columns {
            while cells.len() < len {
                cells.push(text, Place::default)?;
            }
        }
        Ok(())
    }
}

/// An error of a format at a line.
pub(crate) fn refused(file: &File, line: Option<u64>, reason: impl Into<String>) -> Error {
    let place = Place { file: file.clone(), line };
    Error::Format { place, reason: reason.into() }
}

/// Reads a line without its end, of at most so many bytes; false at the end of the file.
pub(crate) fn line(
    input: &mut dyn std::io::BufRead,
    buffer: &mut Vec<u8>,
    file: &File,
) -> Result<bool, Error> {
    buffer.clear();
    let io = |source| Error::Io { file: file.clone(), source };
    let read = input.read_until(b'\n', buffer).map_err(io)?;
    while buffer.last().is_some_and(|byte| matches!(byte, b'\n' | b'\r')) {
        buffer.pop();
    }
    Ok(read > 0)
}
