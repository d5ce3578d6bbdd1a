//! One text per line.

use super::records::{Records, Widths, line, refused};
use crate::Error;
use crate::cells::Dress;
use crate::error::{File, Place};
use std::io::BufRead;

pub(super) struct Lines<'r> {
    input: Box<dyn BufRead + 'r>,
    buffer: Vec<u8>,
    number: u64,
    file: File,
}

impl<'r> Lines<'r> {
    pub(super) fn new(input: Box<dyn BufRead + 'r>, file: File) -> Self {
        Self { input, buffer: Vec::new(), number: 0, file }
    }
}

impl Records for Lines<'_> {
    fn names(&self) -> Vec<String> {
        vec!["text".to_string()]
    }

    fn next(&mut self, columns: &mut Widths) -> Result<bool, Error> {
        if !line(&mut self.input, &mut self.buffer, &self.file)? {
            return Ok(false);
        }
        self.number += 1;
        let number = Some(self.number);
        let text = std::str::from_utf8(&self.buffer);
        let text = text.map_err(|_| refused(&self.file, number, "the line is not UTF-8"))?;
        columns.push(0, text, Dress::Quoted, || Place { file: self.file.clone(), line: number })?;
        Ok(true)
    }

    fn file(&self) -> &File {
        &self.file
    }
}
