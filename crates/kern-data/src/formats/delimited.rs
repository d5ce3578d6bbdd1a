//! CSV and TSV: records of delimited values, following RFC 4180.

use super::Options;
use super::records::{Records, Widths, add_line, check_length, refused};
use crate::Error;
use crate::cells::Dress;
use crate::error::{File, Place};
use std::io::BufRead;

/// The character around values that contain delimiters.
const QUOTE: u8 = b'"';

/// The records of a delimited file.
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

/// The values of a record, line by line: a quoted value may contain delimiters, line breaks and
/// doubled quotation marks.
struct Fields {
    delimiter: u8,
    /// If set, a quotation mark opens a value that lasts until the closing one; otherwise only if
    /// the closing one ends a value in the same line.
    is_strict: bool,
    /// All values, concatenated, with their end offsets.
    bytes: Vec<u8>,
    ends: Vec<(usize, Dress)>,
    /// The last line ended within quotation marks.
    is_open: bool,
}

impl Fields {
    fn new(delimiter: u8, is_strict: bool) -> Self {
        Self { delimiter, is_strict, bytes: Vec::new(), ends: Vec::new(), is_open: false }
    }

    fn clear(&mut self) {
        self.bytes.clear();
        self.ends.clear();
        self.is_open = false;
    }

    fn is_open(&self) -> bool {
        self.is_open
    }

    /// The number of values.
    fn len(&self) -> usize {
        self.ends.len()
    }

    fn bytes(&self, field: usize) -> &[u8] {
        let end = |field: usize| self.ends.get(field).map_or(0, |end| end.0);
        let start = field.checked_sub(1).map_or(0, end);
        self.bytes.get(start..end(field)).unwrap_or_default()
    }

    /// The total number of bytes of all values.
    fn size(&self) -> usize {
        self.bytes.len()
    }

    fn dress(&self, field: usize) -> Dress {
        self.ends.get(field).map_or(Dress::Bare, |end| end.1)
    }

    /// Adds the values of a line with its end; false if the record goes on in the next line.
    fn add(&mut self, line: &[u8]) -> bool {
        let mut rest = line;
        if self.is_open && !self.quoted(&mut rest) {
            return false;
        }
        let mut is_inside = std::mem::replace(&mut self.is_open, false);
        loop {
            let mut dress = if is_inside { Dress::Quoted } else { Dress::Bare };
            if !is_inside && rest.first() == Some(&QUOTE) && self.begins_quoted(rest) {
                dress = Dress::Quoted;
                rest = &rest[1..];
                if !self.quoted(&mut rest) {
                    self.is_open = true;
                    return false;
                }
            }
            is_inside = false;
            // Characters after a closing quotation mark belong to the value.
            match rest.iter().position(|&byte| byte == self.delimiter || byte == b'\n') {
                Some(end) if rest[end] == self.delimiter => {
                    self.bytes.extend(&rest[..end]);
                    self.ends.push((self.bytes.len(), dress));
                    rest = &rest[end + 1..];
                }
                end => {
                    let last = &rest[..end.unwrap_or(rest.len())];
                    self.bytes.extend(last.strip_suffix(b"\r").unwrap_or(last));
                    self.ends.push((self.bytes.len(), dress));
                    return true;
                }
            }
        }
    }

    /// Adds bytes up to the closing quotation mark; false if there is none.
    fn quoted(&mut self, rest: &mut &[u8]) -> bool {
        loop {
            let Some(end) = rest.iter().position(|&byte| byte == QUOTE) else {
                self.bytes.extend(*rest);
                *rest = &[];
                return false;
            };
            self.bytes.extend(&rest[..end]);
            *rest = &rest[end + 1..];
            if rest.first() != Some(&QUOTE) {
                return true;
            }
            self.bytes.push(QUOTE);
            *rest = &rest[1..];
        }
    }

    /// Returns true if the quotation mark at the start opens a quoted value.
    fn begins_quoted(&self, rest: &[u8]) -> bool {
        if self.is_strict {
            return true;
        }
        let mut k = 1;
        while k < rest.len() {
            match (rest[k], rest.get(k + 1)) {
                (QUOTE, Some(&QUOTE)) => k += 1,
                (QUOTE, None | Some(b'\r' | b'\n')) => return true,
                (QUOTE, Some(next)) => return *next == self.delimiter,
                _ => {}
            }
            k += 1;
        }
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fields(lines: &str, delimiter: u8) -> Vec<String> {
        let mut record = Fields::new(delimiter, delimiter != b'\t');
        for line in lines.split_inclusive('\n') {
            record.add(line.as_bytes());
        }
        assert!(!record.is_open());
        (0..record.len()).map(|k| String::from_utf8_lossy(record.bytes(k)).into_owned()).collect()
    }

    #[test]
    fn records_are_those_of_the_standard() {
        for (line, expected) in [
            ("a,b,c\n", &["a", "b", "c"][..]),
            ("a,,\r\n", &["a", "", ""]),
            ("\"a,b\",\"c\"\"d\"", &["a,b", "c\"d"]),
            ("\"a\nb\",c\n", &["a\nb", "c"]),
            ("\"a\n\n\"\"\",c\n", &["a\n\n\"", "c"]),
            ("\"a\"b,c\"d\n", &["ab", "c\"d"]),
            ("\"\"\n", &[""]),
        ] {
            assert_eq!(fields(line, b','), expected, "{line}");
        }
        for (line, expected) in [
            ("\"so\t1\n", &["\"so", "1"][..]),
            ("\"a\tb\"\t2\n", &["a\tb", "2"]),
            ("\"a\"\"b\"\tc\n", &["a\"b", "c"]),
            ("\"a\"b\tc\n", &["\"a\"b", "c"]),
            ("5\"\t\"6\"\r\n", &["5\"", "6"]),
        ] {
            assert_eq!(fields(line, b'\t'), expected, "{line}");
        }
    }

    #[test]
    fn values_in_quotation_marks_are_marked() {
        let mut record = Fields::new(b',', true);
        record.add(b"NA,\"NA\",\"N\n");
        record.add(b"A\",NA\n");
        let dresses: Vec<Dress> = (0..4).map(|k| record.dress(k)).collect();
        assert_eq!(dresses, [Dress::Bare, Dress::Quoted, Dress::Quoted, Dress::Bare]);
    }
}
