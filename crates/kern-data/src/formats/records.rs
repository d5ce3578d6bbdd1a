//! Records: what all formats are made of.

use super::Options;
use crate::cells::{Cells, Dress};
use crate::error::{File, Place};
use crate::schema::Hint;
use crate::{Column, Error, Note, Values};
use std::io::{BufRead, Read};

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

    /// Tells whether the first column has no name, and may number the rows.
    fn begins_nameless(&self) -> bool {
        false
    }

    /// Notes on columns that were left out.
    fn notes(&self) -> Vec<Note> {
        Vec::new()
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
    /// The first column may number the rows.
    pub(crate) begins_nameless: bool,
    pub(crate) notes: Vec<Note>,
    options: Options,
}

impl Widths {
    pub(crate) fn new(options: Options) -> Self {
        let (columns, notes) = (Vec::new(), Vec::new());
        Self { columns, open: true, begins_nameless: false, notes, options }
    }

    /// Adds a column.
    pub(crate) fn add(&mut self, name: String, hint: Hint) {
        let (wish, is_kept) = (self.options.wish(&name), self.options.reads(&name));
        let mut cells = Cells::new(name, wish, hint);
        cells.keep(is_kept);
        self.columns.push(cells);
    }

    /// Tells whether a column is in the tables.
    pub(crate) fn keeps(&self, column: usize) -> bool {
        self.columns.get(column).is_some_and(Cells::is_kept)
    }

    /// The columns that are not left out; they are empty then. After the first time there are no others, and their kinds are
    /// fixed.
    pub(crate) fn take(&mut self, file: &File) -> Result<Vec<Column>, Error> {
        let open = std::mem::replace(&mut self.open, false);
        if open {
            self.add_absent()?;
            let names: Vec<String> = self.columns.iter().map(|cells| cells.name().into()).collect();
            self.options.places(&names, file)?;
        }
        let mut columns = Vec::new();
        for (k, cells) in self.columns.iter_mut().enumerate() {
            let (column, note) = cells.take();
            if !cells.is_kept() {
                continue;
            }
            if open && k == 0 && self.begins_nameless && numbers_rows(&column.values) {
                cells.keep(false);
                self.notes.push(Note::RowNumbers { column: column.name });
                continue;
            }
            if open {
                cells.fix(column.values.kind());
            }
            self.notes.extend(note);
            columns.push(column);
        }
        Ok(columns)
    }

    /// Adds columns of a schema that no record has, where there is one that some have: in formats whose records leave out
    /// missing values.
    fn add_absent(&mut self) -> Result<(), Error> {
        let names: Vec<String> = self.options.columns.clone().unwrap_or_default();
        let is_there = |name: &String| self.columns.iter().any(|cells| cells.name() == name);
        let (found, absent): (Vec<_>, Vec<_>) = names.into_iter().partition(is_there);
        let is_known = |name: &String| self.options.fields.iter().any(|field| field.0 == *name);
        if found.is_empty() {
            return Ok(());
        }
        let len = self.len();
        for name in absent.into_iter().filter(is_known).collect::<Vec<_>>() {
            self.add(name, Hint::Unknown);
        }
        self.fill(len, "")
    }

    /// Adds a value, in the column of this number.
    pub(crate) fn push(
        &mut self,
        column: usize,
        text: &str,
        dress: Dress,
        place: impl Fn() -> Place,
    ) -> Result<(), Error> {
        match self.columns.get_mut(column) {
            Some(cells) => cells.push(text, dress, place),
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
                cells.push(text, Dress::Bare, Place::default)?;
            }
        }
        Ok(())
    }
}

/// Tells whether values are distinct whole numbers, as those of rows.
fn numbers_rows(values: &Values) -> bool {
    let Some(numbers) = values.reals().filter(|_| values.are_numbers()) else { return false };
    let mut bits: Vec<u64> = numbers.iter().map(|number| (number + 0.0).to_bits()).collect();
    bits.sort_unstable();
    bits.dedup();
    bits.len() == numbers.len() && numbers.iter().all(|number| number.fract() == 0.0)
}

/// All bytes of a stream, for formats that are not read from the start to the end; not more than there may be.
pub(crate) fn all(
    input: &mut dyn BufRead,
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

/// Columns beyond so many are refused: a table has a value for each of them in every row.
pub(crate) const WIDEST: usize = 100_000;

/// The most bytes of a line, or of a record of several lines: what a few packed bytes may become.
const LONGEST: usize = 1 << 26;

/// Adds the bytes of a line with its end, and tells how many there are: none at the end of the file.
pub(super) fn add_line(
    input: &mut dyn BufRead,
    buffer: &mut Vec<u8>,
    file: &File,
) -> Result<usize, Error> {
    let mut line = input.take(LONGEST as u64 + 1);
    let read = line.read_until(b'\n', buffer);
    let read = read.map_err(|source| Error::Io { file: file.clone(), source })?;
    check_length(read, file)?;
    Ok(read)
}

/// Refuses records that are longer than any.
pub(super) fn check_length(bytes: usize, file: &File) -> Result<(), Error> {
    match bytes > LONGEST {
        true => Err(refused(file, None, format!("a line of more than {LONGEST} bytes is none"))),
        false => Ok(()),
    }
}

/// Reads a line without its end; false at the end of the file.
pub(crate) fn line(
    input: &mut dyn BufRead,
    buffer: &mut Vec<u8>,
    file: &File,
) -> Result<bool, Error> {
    buffer.clear();
    let read = add_line(input, buffer, file)?;
    while buffer.last().is_some_and(|byte| matches!(byte, b'\n' | b'\r')) {
        buffer.pop();
    }
    Ok(read > 0)
}
