//! A JSON object or string in every line, by serde_json.

use super::records::{Records, Widths, line, refused};
use crate::Error;
use crate::cells::Dress;
use crate::error::{File, Place};
use crate::schema::Hint;
use serde_json::Value;
use std::io::BufRead;

pub(super) struct Lines<'r> {
    input: Box<dyn BufRead + 'r>,
    buffer: Vec<u8>,
    number: u64,
    /// The number of bytes read so far.
    bytes: u64,
    /// The first object, which defines the first names.
    first: Option<Value>,
    file: File,
}

impl<'r> Lines<'r> {
    pub(super) fn new(input: Box<dyn BufRead + 'r>, file: File) -> Result<Self, Error> {
        let mut lines = Self { input, buffer: Vec::new(), number: 0, bytes: 0, first: None, file };
        lines.first = lines.value()?;
        Ok(lines)
    }

    /// The value of the next non-empty line.
    fn value(&mut self) -> Result<Option<Value>, Error> {
        loop {
            if !line(&mut self.input, &mut self.buffer, &self.file)? {
                return Ok(None);
            }
            self.number += 1;
            self.bytes += self.buffer.len() as u64;
            if !self.buffer.iter().all(u8::is_ascii_whitespace) {
                let value = serde_json::from_slice(&self.buffer);
                return value
                    .map(Some)
                    .map_err(|error| refused(&self.file, Some(self.number), error.to_string()));
            }
        }
    }
}

impl Records for Lines<'_> {
    fn names(&self) -> Vec<String> {
        match &self.first {
            Some(Value::Object(object)) => object.keys().cloned().collect(),
            Some(_) => vec!["text".to_string()],
            None => Vec::new(),
        }
    }

    fn finds_columns(&self) -> bool {
        true
    }

    fn next(&mut self, columns: &mut Widths) -> Result<bool, Error> {
        let value = match self.first.take() {
            Some(first) => Some(first),
            None => self.value()?,
        };
        let (file, line) = (&self.file, Some(self.number));
        let place = || Place { file: file.clone(), line };
        let before = columns.len();
        match value {
            None => return Ok(false),
            Some(Value::String(text)) => columns.push(0, &text, Dress::Word, place)?,
            Some(Value::Object(object)) => {
                for (name, value) in &object {
                    let known = columns.columns.iter().position(|cells| cells.name() == name);
                    let column = match known {
                        Some(column) => column,
                        // A new name: its values in earlier rows are missing.
                        None if columns.open => {
                            columns.add(name.clone(), Hint::Unknown);
                            columns.fill(before, "")?;
                            columns.columns.len() - 1
                        }
                        None => continue,
                    };
                    let is_word = value.is_string();
                    let text = match value {
                        _ if !columns.keeps(column) => String::new(),
                        Value::Null => String::new(),
                        Value::String(text) => text.clone(),
                        Value::Bool(_) | Value::Number(_) => value.to_string(),
                        Value::Array(_) | Value::Object(_) => {
                            let reason =
                                format!("the value of `{name}` is neither text nor number");
                            return Err(refused(file, line, reason));
                        }
                    };
                    let dress = if is_word { Dress::Word } else { Dress::Quoted };
                    columns.push(column, &text, dress, place)?;
                }
            }
            Some(_) => return Err(refused(file, line, "neither an object nor a string")),
        }
        columns.fill(before + 1, "")?;
        columns.check_density(self.bytes, &self.file)?;
        Ok(true)
    }

    fn file(&self) -> &File {
        &self.file
    }
}
