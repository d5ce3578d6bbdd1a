//! NumPy arrays.

mod header;
mod literal;
mod numbers;

use super::records::{Records, Widths, all, refused};
use super::{Layout, Options};
use crate::error::{File, Place};
use crate::schema::Hint;
use crate::{Error, Span};
use header::{Opened, Seekable};
use std::io::{self, BufRead, Cursor};

/// The number of values read at a time. In column-major order each block of a column needs a seek,
/// which pays off only for thousands of values.
const BLOCK: u64 = 1 << 20;

/// An array whose rows are read from a file in blocks; an array from a stream is held in memory.
pub(super) struct Array {
    array: Opened,
    /// The columns to read, and their values in the current block of rows.
    columns: Vec<(usize, Vec<f64>)>,
    /// The next row, and the end.
    row: u64,
    end: u64,
    /// The largest number of rows of a block.
    most: u64,
    file: File,
}

impl Array {
    pub(super) fn new(
        mut input: Box<dyn BufRead + '_>,
        options: &Options,
        file: File,
    ) -> Result<Self, Error> {
        let seekable: Box<dyn Seekable> = match file.path().filter(|_| !options.packed) {
            Some(path) => Box::new(std::fs::File::open(path).map_err(|e| wrong(&e, &file))?),
            None => Box::new(Cursor::new(all(&mut input, options, &file)?)),
        };
        let array = Opened::new(seekable).map_err(|error| wrong(&error, &file))?;
        let rows = array.layout().rows(&file)?;
        // At most as many names as values, whatever the header declares.
        let names: Vec<String> = match array.rows {
            0 => Vec::new(),
            _ => (1..=array.width).map(name).collect(),
        };
        let places = options.places(&names, &file)?;
        let most = BLOCK.min(options.limit.unwrap_or(u64::MAX) / 8) / (array.width as u64).max(1);
        let columns = places.into_iter().map(|k| (k, Vec::new())).collect();
        Ok(Self { array, columns, row: rows.start, end: rows.end, most: most.max(1), file })
    }

    /// Reads a block of rows.
    fn read(&mut self, rows: u64) -> io::Result<()> {
        let length = usize::try_from(rows).map_err(io::Error::other)?;
        if self.array.by_columns {
            for (k, values) in &mut self.columns {
                values.resize(length, 0.0);
                self.array.read(*k as u64 * self.array.rows + self.row, values)?;
            }
            return Ok(());
        }
        self.columns.iter_mut().for_each(|(_, values)| values.clear());
        let mut row = vec![0.0; self.array.width];
        for i in self.row..self.row + rows {
            self.array.read(i * row.len() as u64, &mut row)?;
            self.columns.iter_mut().for_each(|(k, values)| values.push(row[*k]));
        }
        Ok(())
    }

    /// Rejects a block with an infinite value and reports the first one in row order.
    fn check(&self) -> Result<(), Error> {
        let infinite = self.columns.iter().filter_map(|(k, values)| {
            let row = values.iter().position(|value| value.is_infinite())?;
            Some((row, *k, values[row]))
        });
        let Some((row, k, value)) = infinite.min_by_key(|&(row, k, _)| (row, k)) else {
            return Ok(());
        };
        let row = self.row + row as u64;
        let reason = match self.file.span() {
            Span::All => format!("row {}, column {}: {value}", row + 1, k + 1),
            // Rows of a part are counted from 0, as in its name.
            _ => format!("row {row} has {value} in column `{}`", name(k + 1)),
        };
        Err(refused(&self.file, None, reason))
    }
}

/// The layout of a file.
pub(super) fn layout(input: std::fs::File, file: &File) -> Result<Layout, Error> {
    let opened = Opened::new(Box::new(input));
    opened.map(|array| array.layout()).map_err(|error| wrong(&error, file))
}

fn wrong(error: &io::Error, file: &File) -> Error {
    refused(file, None, error.to_string())
}

/// The name of a column, counted from 1.
fn name(column: usize) -> String {
    format!("x{column}")
}

impl Records for Array {
    fn names(&self) -> Vec<String> {
        self.columns.iter().map(|(k, _)| name(k + 1)).collect()
    }

    fn hint(&self, _column: usize) -> Hint {
        Hint::Reals(self.array.measure())
    }

    fn next(&mut self, columns: &mut Widths) -> Result<bool, Error> {
        self.append(columns, 1)
    }

    fn append(&mut self, columns: &mut Widths, rows: usize) -> Result<bool, Error> {
        let rows = (self.end - self.row).min(self.most).min(rows as u64);
        if rows == 0 {
            return Ok(false);
        }
        self.read(rows).map_err(|error| wrong(&error, &self.file))?;
        self.check()?;
        let measure = self.array.measure();
        let place = |_| Place { file: self.file.clone(), line: None };
        for ((_, values), cells) in self.columns.iter().zip(&mut columns.columns) {
            let pushed = cells.push_reals(measure, values.iter().copied(), place);
            pushed.map_err(|(_, error)| error)?;
        }
        self.row += rows;
        Ok(true)
    }

    fn file(&self) -> &File {
        &self.file
    }
}
