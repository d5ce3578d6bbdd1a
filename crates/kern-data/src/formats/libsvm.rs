//! LIBSVM files, by kern-core.

use super::Options;
use super::records::{Records, Widths, line, refused};
use crate::Error;
use crate::error::{File, Place};
use crate::schema::Hint;
use kern_core::{Points, libsvm};
use std::io::BufRead;

/// Columns beyond so many are refused: a table has a number for each of them in every row.
const WIDEST: usize = 100_000;

pub(super) struct Lines<'r> {
    input: Box<dyn BufRead + 'r>,
    buffer: Vec<u8>,
    number: u64,
    /// The bytes that were read.
    bytes: u64,
    width: Option<usize>,
    file: File,
}

impl<'r> Lines<'r> {
    pub(super) fn new(input: Box<dyn BufRead + 'r>, options: &Options, file: File) -> Self {
        let known =
            options.kinds.iter().filter_map(|(name, _)| name.strip_prefix('x')?.parse().ok());
        let width = options.width.or(known.max());
        Self { input, buffer: Vec::new(), number: 0, bytes: 0, width, file }
    }
}

impl Records for Lines<'_> {
    fn names(&self) -> Vec<String> {
        let coordinates = (1..=self.width.unwrap_or(0)).map(|k| format!("x{k}"));
        std::iter::once("target".to_string()).chain(coordinates).collect()
    }

    fn finds_columns(&self) -> bool {
        self.width.is_none()
    }

    fn next(&mut self, columns: &mut Widths) -> Result<bool, Error> {
        loop {
            if !line(&mut self.input, &mut self.buffer, &self.file)? {
                return Ok(false);
            }
            self.number += 1;
            self.bytes += self.buffer.len() as u64;
            let read = libsvm::read::<f64, f64>(&self.buffer[..], self.width);
            let (x, y) = read.map_err(|error| match error {
                libsvm::FileError::Line { fault, .. } => {
                    refused(&self.file, Some(self.number), fault.to_string())
                }
                other => refused(&self.file, Some(self.number), other.to_string()),
            })?;
            let Some(target) = y.first() else { continue };
            self.add(x.item(0), *target, columns)?;
            return Ok(true);
        }
    }

    fn file(&self) -> &File {
        &self.file
    }
}

impl Lines<'_> {
    fn add(
        &self,
        entries: &[kern_core::Entry<f64>],
        target: f64,
        columns: &mut Widths,
    ) -> Result<(), Error> {
        let (line, before) = (Some(self.number), columns.len());
        let place = || Place { file: self.file.clone(), line };
        columns.push(0, &target.to_string(), place)?;
        let last = entries.last().map_or(0, |entry| entry.feature as usize + 1);
        if last > WIDEST {
            let reason = format!("index {last}; a table has at most {WIDEST} columns");
            return Err(refused(&self.file, line, reason));
        }
        while columns.open && columns.columns.len() <= last {
            let name = format!("x{}", columns.columns.len());
            columns.add(name, Hint::Numbers);
        }
        columns.fill(before, "0")?;
        for entry in entries {
            columns.push_number(entry.feature as usize + 1, entry.value, place)?;
        }
        columns.fill(before + 1, "0")?;
        columns.check_density(self.bytes, &self.file)
    }
}
