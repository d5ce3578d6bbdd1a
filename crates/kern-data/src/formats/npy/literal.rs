//! The text of an NPY header: a dictionary with three entries, as written by Python.

use std::io;

/// The header of an array.
#[derive(Debug, PartialEq)]
pub(super) struct Header {
    /// The name of the data type; `None` for structured arrays.
    pub(super) descr: Option<String>,
    /// Set if the array is stored in column-major order.
    pub(super) by_columns: bool,
    /// The sizes of its dimensions.
    pub(super) shape: Vec<u64>,
}

/// The entries of a header found so far.
#[derive(Default)]
struct Found {
    descr: Option<Option<String>>,
    by_columns: Option<bool>,
    shape: Option<Vec<u64>>,
}

impl Header {
    /// Parses a header.
    pub(super) fn parse(text: &str) -> io::Result<Self> {
        let mut found = Found::default();
        let mut rest = Text(text);
        rest.entries(&mut found).map_err(|problem| {
            let at = text.len() - rest.0.len();
            io::Error::other(format!("{problem} at byte {at} of the header's text"))
        })?;
        let missing = |key| io::Error::other(format!("the header has no `{key}`"));
        Ok(Self {
            descr: found.descr.ok_or_else(|| missing("descr"))?,
            by_columns: found.by_columns.ok_or_else(|| missing("fortran_order"))?,
            shape: found.shape.ok_or_else(|| missing("shape"))?,
        })
    }
}

/// The unparsed rest of the text.
struct Text<'a>(&'a str);

impl<'a> Text<'a> {
    /// Reads all entries and checks that nothing follows. Parsing stops at a structured data type,
    /// which is rejected anyway and may be nested.
    fn entries(&mut self, found: &mut Found) -> Result<(), String> {
        self.require("{")?;
        while !self.skip("}") {
            let key = self.string()?;
            self.require(":")?;
            match key {
                "descr" if self.begins_with(['[', '(']) => {
                    let (by_columns, shape) = (Some(false), Some(Vec::new()));
                    *found = Found { descr: Some(None), by_columns, shape };
                    return Ok(());
                }
                "descr" => found.descr = Some(Some(self.string()?.to_owned())),
                "fortran_order" => found.by_columns = Some(self.boolean()?),
                "shape" => found.shape = Some(self.sizes()?),
                _ => return Err(format!("an unknown key `{key}`")),
            }
            if !self.skip(",") && !self.begins_with(['}']) {
                return Err("no `,` or `}`".to_owned());
            }
        }
        if self.trimmed().is_empty() { Ok(()) } else { Err("more than a dictionary".to_owned()) }
    }

    fn trimmed(&mut self) -> &'a str {
        self.0 = self.0.trim_ascii_start();
        self.0
    }

    fn begins_with<const N: usize>(&mut self, characters: [char; N]) -> bool {
        self.trimmed().starts_with(characters)
    }

    /// Skips a word if it comes next.
    fn skip(&mut self, word: &str) -> bool {
        let rest = self.trimmed().strip_prefix(word);
        self.0 = rest.unwrap_or(self.0);
        rest.is_some()
    }

    fn require(&mut self, word: &str) -> Result<(), String> {
        if self.skip(word) { Ok(()) } else { Err(format!("no `{word}`")) }
    }

    /// Reads a string without escapes, which neither keys nor type names have.
    fn string(&mut self) -> Result<&'a str, String> {
        let quote = ["'", "\""].into_iter().find(|quote| self.skip(quote)).ok_or("no string")?;
        let (string, rest) = self.0.split_once(quote).ok_or("a string without an end")?;
        self.0 = rest;
        Ok(string)
    }

    fn boolean(&mut self) -> Result<bool, String> {
        match (self.skip("True"), self.skip("False")) {
            (true, false) => Ok(true),
            (false, true) => Ok(false),
            _ => Err("neither `True` nor `False`".to_owned()),
        }
    }

    /// Reads a tuple or a list of sizes. A one-element tuple has a trailing comma.
    fn sizes(&mut self) -> Result<Vec<u64>, String> {
        let is_list = self.skip("[");
        if !is_list {
            self.require("(")?;
        }
        let end = if is_list { "]" } else { ")" };
        let mut sizes = Vec::new();
        while !self.skip(end) {
            sizes.push(self.size()?);
            let is_single = sizes.len() == 1 && !is_list;
            if !self.skip(",") && (is_single || !self.begins_with([']', ')'])) {
                return Err("no `,`".to_owned());
            }
        }
        Ok(sizes)
    }

    fn size(&mut self) -> Result<u64, String> {
        let text = self.trimmed();
        let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
        let (digits, rest) = text.split_at(end);
        if digits.is_empty() {
            return Err("no size".to_owned());
        }
        let size = digits.parse().map_err(|_| "a size beyond all memory")?;
        self.0 = rest;
        Ok(size)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(text: &str) -> String {
        Header::parse(text).unwrap_err().to_string()
    }

    #[test]
    fn headers_are_as_numpy_writes_them() {
        let header = |descr: &str, by_columns, shape: &[u64]| Header {
            descr: Some(descr.to_owned()),
            by_columns,
            shape: shape.to_vec(),
        };
        for (text, expected) in [
            (
                "{'descr': '<f8', 'fortran_order': False, 'shape': (2, 3), }   \n",
                header("<f8", false, &[2, 3]),
            ),
            (
                "{'descr': '|u1', 'fortran_order': True, 'shape': (3,), }\n",
                header("|u1", true, &[3]),
            ),
            ("{'descr': '>i4', 'fortran_order': False, 'shape': (), }", header(">i4", false, &[])),
            (
                "{\"shape\":[4,5],\"fortran_order\":True,\"descr\":\"<f4\"}",
                header("<f4", true, &[4, 5]),
            ),
            (
                " { 'fortran_order' : False , 'shape' : ( 1 , 2 , 0 , ) ,\t'descr' : '<M8[ns]' } ",
                header("<M8[ns]", false, &[1, 2, 0]),
            ),
        ] {
            assert_eq!(Header::parse(text).unwrap(), expected, "{text}");
        }
    }

    #[test]
    fn types_of_records_are_none() {
        for descr in ["[('a', '<f8'), ('b', '<i4', (2,))]", "('<f8', (2,))"] {
            let text = format!("{{'descr': {descr}, 'fortran_order': False, 'shape': (2,), }}");
            assert_eq!(Header::parse(&text).unwrap().descr, None);
        }
        let nested = format!("{{'descr': {}", "[(".repeat(1_000_000));
        assert_eq!(Header::parse(&nested).unwrap().descr, None);
    }

    #[test]
    fn other_texts_are_refused() {
        let with =
            |shape: &str| format!("{{'descr': '<f8', 'fortran_order': False, 'shape': {shape}}}");
        for shape in [
            "(5)", "(5", "(-1,)", "(1 2)", "(,)", "(1,,2)", "(1.5,)", "[1)", "5", "'5'", "(٣,)", "",
        ] {
            assert!(Header::parse(&with(shape)).is_err(), "{shape}");
        }
        assert_eq!(refused(&with("(5)")), "no `,` at byte 52 of the header's text");
        assert!(
            refused(&with("(99999999999999999999,)")).starts_with("a size beyond all memory at")
        );
        assert_eq!(refused("{'descr': '<f8', 'shape': (1,)}"), "the header has no `fortran_order`");
        assert_eq!(refused("{}"), "the header has no `descr`");
        for text in [
            "",
            "{",
            "None",
            "{'descr'}",
            "{'descr': <f8}",
            "{'descr': '<f8}",
            "{'fortran_order': 0}",
            "{} {}",
            "{,}",
        ] {
            assert!(Header::parse(text).is_err(), "{text}");
        }
        assert!(refused("{'order': 'C'}").starts_with("an unknown key `order` at byte"));
    }
}
