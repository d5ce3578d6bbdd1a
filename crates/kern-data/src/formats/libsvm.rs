//! LIBSVM files, parsed by kern-core.

use super::Options;
use super::records::{Records, WIDEST, Widths, line, refused};
use crate::Error;
use crate::cells::Dress;
use crate::error::{File, Place};
use crate::schema::{Hint, Measure};
use kern_core::{Points, libsvm};
use std::io::BufRead;

pub(super) struct Lines<'r> {
    input: Box<dyn BufRead + 'r>,
    buffer: Vec<u8>,
    number: u64,
    /// The number of bytes read so far.
    bytes: u64,
    /// The largest allowed index.
    width: Option<usize>,
    /// The largest index of the schema; larger ones are ignored.
    known: Option<usize>,
    file: File,
}

impl<'r> Lines<'r> {
    pub(super) fn new(input: Box<dyn BufRead + 'r>, options: &Options, file: File) -> Self {
        let known =
            options.fields.iter().filter_map(|(name, _)| name.strip_prefix('x')?.parse().ok());
        let (width, known) = (options.width, known.max());
        Self { input, buffer: Vec::new(), number: 0, bytes: 0, width, known, file }
    }
}

impl Records for Lines<'_> {
    fn names(&self) -> Vec<String> {
        let coordinates = (1..=self.width.or(self.known).unwrap_or(0)).map(|k| format!("x{k}"));
        std::iter::once("target".to_string()).chain(coordinates).collect()
    }

    fn finds_columns(&self) -> bool {
        self.width.or(self.known).is_none()
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
            if y.is_empty() {
                continue;
            }
            let label = self.buffer.split(u8::is_ascii_whitespace).find(|word| !word.is_empty());
            let label = String::from_utf8_lossy(label.unwrap_or_default()).into_owned();
            // `+1` is the label 1.
            self.add(x.item(0), label.trim_start_matches('+'), columns)?;
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
        target: &str,
        columns: &mut Widths,
    ) -> Result<(), Error> {
        let (line, before) = (Some(self.number), columns.len());
        let place = || Place { file: self.file.clone(), line };
        columns.push(0, target, Dress::Bare, place)?;
        let end = self.known.map_or(entries.len(), |known| {
            entries.partition_point(|entry| (entry.feature as usize) < known)
        });
        let entries = &entries[..end];
        let last = entries.last().map_or(0, |entry| entry.feature as usize + 1);
        if last > WIDEST {
            let reason = format!("index {last}; a table has at most {WIDEST} columns");
            return Err(refused(&self.file, line, reason));
        }
        while columns.open && columns.columns.len() <= last {
            let name = format!("x{}", columns.columns.len());
            columns.add(name, Hint::Reals(Measure::Number));
        }
        columns.fill(before, "0")?;
        for entry in entries {
            columns.push_number(entry.feature as usize + 1, entry.value, place)?;
        }
        columns.fill(before + 1, "0")?;
        columns.check_density(self.bytes, &self.file)
    }
}
