//! CSV and TSV, by csv.

use super::Options;
use super::records::{Records, Widths, refused};
use crate::Error;
use crate::error::{File, Place};
use csv::{ErrorKind, Reader, ReaderBuilder, StringRecord};
use std::io::BufRead;

pub(super) struct Delimited<'r> {
    reader: Reader<Box<dyn BufRead + 'r>>,
    names: Vec<String>,
    record: StringRecord,
    file: File,
}

impl<'r> Delimited<'r> {
    pub(super) fn new(
        input: Box<dyn BufRead + 'r>,
        delimiter: u8,
        options: &Options,
        file: File,
    ) -> Result<Self, Error> {
        let mut builder = ReaderBuilder::new();
        // Between tabulators a quotation mark is a letter.
        builder.quoting(delimiter != b'\t');
        builder.delimiter(options.delimiter.unwrap_or(delimiter)).has_headers(options.header);
        let mut reader = builder.from_reader(input);
        let header = reader.headers().map_err(|error| wrong(error, &file))?;
        let name = |(k, name): (usize, &str)| match name.trim().trim_start_matches('\u{feff}') {
            name if options.header && !name.is_empty() => name.to_string(),
            _ => format!("x{}", k + 1),
        };
        let names: Vec<String> = header.iter().enumerate().map(name).collect();
        Ok(Self { reader, names, record: StringRecord::new(), file })
    }
}

impl Records for Delimited<'_> {
    fn names(&self) -> Vec<String> {
        self.names.clone()
    }

    fn next(&mut self, columns: &mut Widths) -> Result<bool, Error> {
        let more = self.reader.read_record(&mut self.record);
        if !more.map_err(|error| wrong(error, &self.file))? {
            return Ok(false);
        }
        let line = self.record.position().map(csv::Position::line);
        let place = || Place { file: self.file.clone(), line };
        for (k, cell) in self.record.iter().enumerate() {
            columns.push(k, cell, place)?;
        }
        Ok(true)
    }

    fn file(&self) -> &File {
        &self.file
    }
}

fn wrong(error: csv::Error, file: &File) -> Error {
    let line = error.position().map(csv::Position::line);
    match error.into_kind() {
        ErrorKind::Io(source) => Error::Io { file: file.clone(), source },
        ErrorKind::UnequalLengths { expected_len, len, .. } => {
            let reason = format!("{len} values where the lines before have {expected_len}");
            refused(file, line, reason)
        }
        ErrorKind::Utf8 { err, .. } => {
            refused(file, line, format!("value {} is not UTF-8", err.field() + 1))
        }
        _ => refused(file, line, "no record"),
    }
}
