//! Splitting of delimited records into values.

use crate::cells::Dress;

const QUOTE: u8 = b'"';

/// The values of a record, line by line, following RFC 4180: a quoted value may contain delimiters,
/// line breaks and doubled quotation marks.
pub(super) struct Fields {
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
    pub(super) fn new(delimiter: u8, is_strict: bool) -> Self {
        Self { delimiter, is_strict, bytes: Vec::new(), ends: Vec::new(), is_open: false }
    }

    pub(super) fn clear(&mut self) {
        self.bytes.clear();
        self.ends.clear();
        self.is_open = false;
    }

    pub(super) fn is_open(&self) -> bool {
        self.is_open
    }

    /// The number of values.
    pub(super) fn len(&self) -> usize {
        self.ends.len()
    }

    pub(super) fn bytes(&self, field: usize) -> &[u8] {
        let end = |field: usize| self.ends.get(field).map_or(0, |end| end.0);
        let start = field.checked_sub(1).map_or(0, end);
        self.bytes.get(start..end(field)).unwrap_or_default()
    }

    /// The total number of bytes of all values.
    pub(super) fn size(&self) -> usize {
        self.bytes.len()
    }

    pub(super) fn dress(&self, field: usize) -> Dress {
        self.ends.get(field).map_or(Dress::Bare, |end| end.1)
    }

    /// Adds the values of a line with its end; false if the record goes on in the next line.
    pub(super) fn add(&mut self, line: &[u8]) -> bool {
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
