//! CSV and TSV.

use super::Options;
use super::fields::Fields;
use super::records::{Records, Widths, add_line, check_length, refused};
use crate::Error;
use crate::error::{File, Place};
use std::io::BufRead;

pub(super) struct Delimited<'r> {
    input: Box<dyn BufRead + 'r>,
    names: Vec<String>,
    begins_nameless: bool,
    record: Fields,
    /// Set if the first line has been read and holds values.
    is_read: bool,
    /// The bytes of a line.
    line: Vec<u8>,
    /// The number of lines read so far, and the line in which the record begins.
    lines: u64,
    start: u64,
    file: File,
}

impl<'r> Delimited<'r> {
    pub(super) fn new(
        input: Box<dyn BufRead + 'r>,
        delimiter: u8,
        options: &Options,
        file: File,
    ) -> Result<Self, Error> {
        // In TSV a quotation mark is an ordinary character unless another one ends the value.
        let is_strict = delimiter != b'\t';
        let record = Fields::new(options.delimiter.unwrap_or(delimiter), is_strict);
        let mut found = Self {
            input,
            names: Vec::new(),
            begins_nameless: false,
            record,
            is_read: false,
            line: Vec::new(),
            lines: 0,
            start: 0,
            file,
        };
        if found.read()? {
            found.is_read = !options.header;
            found.names = found.header(options.header)?;
            found.begins_nameless = options.header && found.record.bytes(0).trim_ascii().is_empty();
        }
        Ok(found)
    }

    /// The names from the first line, or names by position; empty names get the names that pandas
    /// assigns.
    fn header(&self, is_header: bool) -> Result<Vec<String>, Error> {
        if !is_header {
            return Ok((1..=self.record.len()).map(|k| format!("x{k}")).collect());
        }
        let given = (0..self.record.len()).map(|k| Ok(self.text(k)?.trim().to_string()));
        let given: Vec<String> = given.collect::<Result<_, Error>>()?;
        let name = |(k, name): (usize, &String)| match name.is_empty() {
            false => name.clone(),
            true => unnamed(k, &given),
        };
        Ok(given.iter().enumerate().map(name).collect())
    }

    /// A value of the record as text.
    fn text(&self, column: usize) -> Result<&str, Error> {
        std::str::from_utf8(self.record.bytes(column)).map_err(|_| {
            let reason = format!("value {} is not UTF-8", column + 1);
            refused(&self.file, Some(self.start), reason)
        })
    }

    /// Reads the next non-empty record; false at the end.
    fn read(&mut self) -> Result<bool, Error> {
        self.record.clear();
        loop {
            self.line.clear();
            let read = add_line(&mut self.input, &mut self.line, &self.file)?;
            if read == 0 {
                return match self.record.is_open() {
                    true => {
                        let reason = "a quotation mark has no other one that ends the value";
                        Err(refused(&self.file, Some(self.start), reason))
                    }
                    false => Ok(false),
                };
            }
            self.lines += 1;
            if !self.record.is_open() {
                if matches!(self.line[..], [b'\n'] | [b'\r', b'\n'] | [b'\r']) {
                    continue;
                }
                self.start = self.lines;
            }
            if self.record.add(&self.line) {
                return Ok(true);
            }
            check_length(self.record.size(), &self.file)?;
        }
    }
}

/// A name for an unnamed column that no other column has.
fn unnamed(place: usize, others: &[String]) -> String {
    let mut name = format!("Unnamed: {place}");
    while others.contains(&name) {
        name.push_str(".1");
    }
    name
}

impl Records for Delimited<'_> {
    fn names(&self) -> Vec<String> {
        self.names.clone()
    }

    fn begins_nameless(&self) -> bool {
        self.begins_nameless
    }

    fn next(&mut self, columns: &mut Widths) -> Result<bool, Error> {
        if !std::mem::take(&mut self.is_read) && !self.read()? {
            return Ok(false);
        }
        let (given, expected) = (self.record.len(), self.names.len());
        if given != expected {
            let reason = format!("{given} values where the lines before have {expected}");
            return Err(refused(&self.file, Some(self.start), reason));
        }
        let place = || Place { file: self.file.clone(), line: Some(self.start) };
        for k in 0..given {
            let text = if columns.keeps(k) { self.text(k)? } else { "" };
            columns.push(k, text, self.record.dress(k), place)?;
        }
        Ok(true)
    }

    fn file(&self) -> &File {
        &self.file
    }
}
