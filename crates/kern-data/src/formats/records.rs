//! Records, the common interface of all formats, with the options of their readers and the layout
//! of files.

use crate::cells::{Cells, Dress, Wish};
use crate::error::{File, Place};
use crate::schema::Hint;
use crate::{Column, Error, Kind, Note, Span, Values};
use std::io::{BufRead, Read};
use std::ops::Range;

/// The largest number of cells per byte of a file, and a number of cells that is always allowed.
const DENSITY: u64 = 32;
const FREE: u64 = 1 << 22;

/// Reader options.
#[derive(Clone, Debug)]
pub(crate) struct Options {
    /// The first line of a delimited file has names.
    pub(crate) header: bool,
    /// The delimiter, if it differs from that of the format.
    pub(crate) delimiter: Option<u8>,
    /// The largest index of a LIBSVM file, if known.
    pub(crate) width: Option<usize>,
    /// Columns with kinds from a schema.
    pub(crate) fields: Vec<(String, Kind)>,
    /// Columns with kinds from the user.
    pub(crate) kinds: Vec<(String, Kind)>,
    /// Numeric columns in which non-numeric values are missing.
    pub(crate) lenient: Vec<String>,
    /// Numeric columns that keep their spelling.
    pub(crate) spelled: Vec<String>,
    /// Set to keep columns that number the rows.
    pub(crate) row_numbers: bool,
    /// Set to end a batch when no more input is available yet.
    pub(crate) eager: bool,
    /// The columns to read; all by default.
    pub(crate) columns: Option<Vec<String>>,
    /// The columns to ignore.
    pub(crate) ignored: Vec<String>,
    /// The largest number of bytes in memory at a time.
    pub(crate) limit: Option<u64>,
    /// Set if the file is compressed by gzip and so does not support seeking.
    pub(crate) packed: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            header: true,
            delimiter: None,
            width: None,
            fields: Vec::new(),
            kinds: Vec::new(),
            lenient: Vec::new(),
            spelled: Vec::new(),
            row_numbers: false,
            eager: false,
            columns: None,
            ignored: Vec::new(),
            limit: None,
            packed: false,
        }
    }
}

impl Options {
    /// The known facts about a column. The last given kind counts; that of the user takes
    /// precedence.
    pub(crate) fn wish(&self, name: &str) -> Wish {
        let find = |kinds: &[(String, Kind)]| {
            kinds.iter().rev().find(|known| known.0 == name).map(|known| known.1.clone())
        };
        let given = find(&self.kinds);
        let is_among = |names: &[String]| names.iter().any(|known| known == name);
        let is_lenient = is_among(&self.lenient);
        let number = is_lenient.then_some(Kind::Number);
        Wish {
            is_explicit: given.is_some(),
            kind: given.or(number).or_else(|| find(&self.fields)),
            is_lenient,
            is_spelled: is_among(&self.spelled),
        }
    }

    /// Returns true if a column is requested by name or has a known kind.
    pub(crate) fn names(&self, name: &str) -> bool {
        let is_read =
            self.columns.as_ref().is_some_and(|columns| columns.iter().any(|c| c == name));
        is_read || self.wish(name).kind.is_some()
    }

    /// Returns true if a row-number column of this name is dropped.
    pub(crate) fn leaves_out(&self, name: &str) -> bool {
        !self.row_numbers && !self.names(name)
    }

    /// Returns true if a column is to be read.
    pub(crate) fn reads(&self, name: &str) -> bool {
        let is_among = |names: &[String]| names.iter().any(|column| column == name);
        self.columns.as_deref().is_none_or(is_among) && !is_among(&self.ignored)
    }

    /// The indices of the requested columns in a file, which must have all of them.
    pub(crate) fn places(&self, names: &[String], file: &File) -> Result<Vec<usize>, Error> {
        let mut needed = self.columns.iter().flatten().chain(&self.ignored);
        let unknown = needed.find(|column| !names.contains(column));
        if let Some(given) = unknown {
            let (given, known) = (given.clone(), names.to_vec());
            return Err(Error::NoColumn { file: file.clone(), given, known });
        }
        Ok((0..names.len()).filter(|&k| self.reads(&names[k])).collect())
    }
}

/// A file that is read record by record.
pub(crate) trait Records {
    /// The names of the columns.
    fn names(&self) -> Vec<String>;

    /// The declared kind of the values in a column of the file.
    fn hint(&self, _column: usize) -> Hint {
        Hint::Unknown
    }

    /// Returns true if records may add columns.
    fn finds_columns(&self) -> bool {
        false
    }

    /// Returns true if the first column has no name and may number the rows.
    fn begins_nameless(&self) -> bool {
        false
    }

    /// Notes on columns that were dropped.
    fn notes(&self) -> Vec<Note> {
        Vec::new()
    }

    /// Adds the values of the next record to the columns; false if there is none.
    fn next(&mut self, columns: &mut Widths) -> Result<bool, Error>;

    /// Adds the values of at least one and at most this many records to the columns; false at the
    /// end.
    fn append(&mut self, columns: &mut Widths, _rows: usize) -> Result<bool, Error> {
        self.next(columns)
    }

    /// The file.
    fn file(&self) -> &File;
}

/// The columns of a part of a file, some of which may be discovered late.
#[derive(Debug)]
pub(crate) struct Widths {
    pub(crate) columns: Vec<Cells>,
    /// Set while new columns may still be discovered.
    pub(crate) open: bool,
    /// Set if the first column may number the rows.
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

    /// Returns true if a column is part of the tables.
    pub(crate) fn keeps(&self, column: usize) -> bool {
        self.columns.get(column).is_some_and(Cells::is_kept)
    }

    /// Takes the kept columns and leaves them empty. After the first call no columns are added and
    /// their kinds are fixed.
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

    /// Adds columns of a schema that no record has, if some of its columns are optional: for
    /// formats whose records omit missing values.
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

    /// Adds a value to the column with this index.
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

    /// Adds a number to the column with this index; NaN is missing.
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

    /// Rejects a table that is far larger than the bytes read from its file: rows that each have
    /// few values, in ever new columns.
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

    /// The memory of all cells in bytes.
    pub(crate) fn bytes(&self) -> u64 {
        self.columns.iter().map(Cells::bytes).sum()
    }

    /// Extends every column to this length: values absent from a record are missing, or have this
    /// text.
    pub(crate) fn fill(&mut self, len: usize, text: &str) -> Result<(), Error> {
        for cells in &mut self.columns {
            while cells.len() < len {
                cells.push(text, Dress::Bare, Place::default)?;
            }
        }
        Ok(())
    }
}

/// Returns true if the values are distinct integers, as row numbers are.
fn numbers_rows(values: &Values) -> bool {
    let Some(numbers) = values.reals().filter(|_| values.are_numbers()) else { return false };
    let mut bits: Vec<u64> = numbers.iter().map(|number| (number + 0.0).to_bits()).collect();
    bits.sort_unstable();
    bits.dedup();
    bits.len() == numbers.len() && numbers.iter().all(|number| number.fract() == 0.0)
}

/// Reads all bytes of a stream up to the limit, for formats that need random access.
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

/// A format error at a line.
pub(crate) fn refused(file: &File, line: Option<u64>, reason: impl Into<String>) -> Error {
    let place = Place { file: file.clone(), line };
    Error::Format { place, reason: reason.into() }
}

/// The largest number of columns: a table stores a value for each of them in every row.
pub(crate) const WIDEST: usize = 100_000;

/// The largest number of bytes of a line or multi-line record, which a few compressed bytes could
/// otherwise exceed.
const LONGEST: usize = 1 << 26;

/// Appends the bytes of a line with its line break and returns their number; 0 at the end of the
/// file.
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

/// Rejects records that are too long.
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

/// The layout of a file: the units into which it can be divided.
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
