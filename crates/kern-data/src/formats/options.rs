//! Settings of reading.

use crate::cells::Wish;
use crate::error::File;
use crate::{Error, Kind};

/// Settings of reading.
#[derive(Clone, Debug)]
pub(crate) struct Options {
    /// The first line of a delimited file has names.
    pub(crate) header: bool,
    /// The delimiter, unless it is that of the format.
    pub(crate) delimiter: Option<u8>,
    /// The largest index of a LIBSVM file, if it is known.
    pub(crate) width: Option<usize>,
    /// Columns whose kinds a schema gives.
    pub(crate) fields: Vec<(String, Kind)>,
    /// Columns whose kinds the user gives.
    pub(crate) kinds: Vec<(String, Kind)>,
    /// Columns of numbers, in which other values are missing.
    pub(crate) lenient: Vec<String>,
    /// Columns of numbers that keep their spelling.
    pub(crate) spelled: Vec<String>,
    /// Columns that number the rows are kept.
    pub(crate) row_numbers: bool,
    /// A batch ends where nothing more is at hand.
    pub(crate) eager: bool,
    /// The columns to read, unless all are.
    pub(crate) columns: Option<Vec<String>>,
    /// Columns that are left out.
    pub(crate) ignored: Vec<String>,
    /// The greatest number of bytes of what is in memory at a time.
    pub(crate) limit: Option<u64>,
    /// Gzip has packed the file, so that it cannot be read by seeking.
    pub(crate) packed: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            header: true,
            delimiter: None,
            width: None,
            fields: Vec::new(),
            kinds: Vec::new(),
            lenient: Vec::new(),
            spelled: Vec::new(),
            row_numbers: false,
            eager: false,
            columns: None,
            ignored: Vec::new(),
            limit: None,
            packed: false,
        }
    }
}

impl Options {
    /// The facts about a column that are known. Of several kinds the last one counts, and that of the user.
    pub(crate) fn wish(&self, name: &str) -> Wish {
        let find = |kinds: &[(String, Kind)]| {
            kinds.iter().rev().find(|known| known.0 == name).map(|known| known.1.clone())
        };
        let given = find(&self.kinds);
        let is_among = |names: &[String]| names.iter().any(|known| known == name);
        let is_lenient = is_among(&self.lenient);
        let number = is_lenient.then_some(Kind::Number);
        Wish {
            is_explicit: given.is_some(),
            kind: given.or(number).or_else(|| find(&self.fields)),
            is_lenient,
            is_spelled: is_among(&self.spelled),
        }
    }

    /// Tells whether a column is wanted by its name: to be read, or of a known kind.
    pub(crate) fn names(&self, name: &str) -> bool {
        let is_read =
            self.columns.as_ref().is_some_and(|columns| columns.iter().any(|c| c == name));
        is_read || self.wish(name).kind.is_some()
    }

    /// Tells whether a column that numbers the rows, of this name, is left out.
    pub(crate) fn leaves_out(&self, name: &str) -> bool {
        !self.row_numbers && !self.names(name)
    }

    /// Tells whether a column is to be read.
    pub(crate) fn reads(&self, name: &str) -> bool {
        let is_among = |names: &[String]| names.iter().any(|column| column == name);
        self.columns.as_deref().is_none_or(is_among) && !is_among(&self.ignored)
    }

    /// The places of the columns to read among those of a file, which has to have all of them.
    pub(crate) fn places(&self, names: &[String], file: &File) -> Result<Vec<usize>, Error> {
        let mut needed = self.columns.iter().flatten().chain(&self.ignored);
        let unknown = needed.find(|column| !names.contains(column));
        if let Some(given) = unknown {
            let (given, known) = (given.clone(), names.to_vec());
            return Err(Error::NoColumn { file: file.clone(), given, known });
        }
        Ok((0..names.len()).filter(|&k| self.reads(&names[k])).collect())
    }
}
