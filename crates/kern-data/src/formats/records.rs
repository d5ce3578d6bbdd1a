//! Records: what all formats are made of.

use super::Options;
use crate::cells::Cells;
use crate::error::{File, Place};
use crate::schema::Hint;
use crate::{Column, Error};
use std::io::Read;

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

    /// Tells whether records may have columns that are not among the names.
    fn finds_columns(&self) -> bool {
        false
    }

    /// Adds the values of the next record to the columns; false if there is none.
    fn next(&mut self, columns: &mut Widths) -> Result<bool, Error>;

    /// Adds the values of the next records to the columns, of at least one and at most so many; false if there is none.
    fn append(&mut self, columns: &mut Widths, _rows: usize) -> Result<bool, Error> {
        self.next(columns)
    }

    /// The file.
    fn file(&self) -> &File;
}

/// The columns of a part of a file, some of which may be found late.
#[derive(Debug)]
pub(crate) struct Widths {
    pub(crate) columns: Vec<Cells>,
    /// Tells whether columns may still be found.
    pub(crate) open: bool,
    options: Options,
}

impl Widths {
    pub(crate) fn new(options: Options) -> Self {
        Self { columns: Vec::new(), open: true, options }
    }

    /// Adds a column.
    pub(crate) fn add(&mut self, name: String, hint: Hint) {
        let (kind, is_kept) = (self.options.kind(&name), self.options.reads(&name));
        self.columns.push(Cells::hinted(name, kind, hint).kept(is_kept));
    }

    /// The columns that are not left out; they are empty then. After the first time there are no others, and their kinds are
    /// fixed.
    pub(crate) fn take(&mut self, file: &File) -> Result<Vec<Column>, Error> {
        if self.open {
            let names: Vec<String> = self.columns.iter().map(|cells| cells.name().into()).collect();
            self.options.places(&names, file)?;
        }
        let open = std::mem::replace(&mut self.open, false);
        let mut columns = Vec::new();
        for cells in &mut self.columns {
            let column = cells.take();
            if cells.is_kept() {
                if open {
                    cells.fix(column.values.kind());
                }
                columns.push(column);
            }
        }
        Ok(columns)
    }

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

/// All bytes of a stream, for formats that are not read from the start to the end; not more than there may be.
pub(crate) fn all(
    input: &mut dyn std::io::BufRead,
    options: &Options,
    file: &File,
) -> Result<Vec<u8>, Error> {
    let most = options.limit.unwrap_or(u64::MAX);
    let mut bytes = Vec::new();
    let read = input.take(most.saturating_add(1)).read_to_end(&mut bytes);
    read.map_err(|source| Error::Io { file: file.clone(), source })?;
    if bytes.len() as u64 > most {
        let reason = format!("more than the {most} bytes that it may take, and no file");
        return Err(refused(file, None, reason));
    }
    Ok(bytes)
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
