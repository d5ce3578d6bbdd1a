//! Reader options.

use crate::cells::Wish;
use crate::error::File;
use crate::{Error, Kind};

/// Reader options.
#[derive(Clone, Debug)]
pub(crate) struct Options {
    /// The first line of a delimited file has names.
    pub(crate) header: bool,
    /// The delimiter, if it differs from that of the format.
    pub(crate) delimiter: Option<u8>,
    /// The largest index of a LIBSVM file, if known.
    pub(crate) width: Option<usize>,
    /// Columns with kinds from a schema.
    pub(crate) fields: Vec<(String, Kind)>,
    /// Columns with kinds from the user.
    pub(crate) kinds: Vec<(String, Kind)>,
    /// Numeric columns in which non-numeric values are missing.
    pub(crate) lenient: Vec<String>,
    /// Numeric columns that keep their spelling.
    pub(crate) spelled: Vec<String>,
    /// Set to keep columns that number the rows.
    pub(crate) row_numbers: bool,
    /// Set to end a batch when no more input is available yet.
    pub(crate) eager: bool,
    /// The columns to read; all by default.
    pub(crate) columns: Option<Vec<String>>,
    /// The columns to ignore.
    pub(crate) ignored: Vec<String>,
    /// The largest number of bytes in memory at a time.
    pub(crate) limit: Option<u64>,
    /// Set if the file is compressed by gzip and so does not support seeking.
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
    /// The known facts about a column. The last given kind counts; that of the user takes
    /// precedence.
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

    /// Returns true if a column is requested by name or has a known kind.
    pub(crate) fn names(&self, name: &str) -> bool {
        let is_read =
            self.columns.as_ref().is_some_and(|columns| columns.iter().any(|c| c == name));
        is_read || self.wish(name).kind.is_some()
    }

    /// Returns true if a row-number column of this name is dropped.
    pub(crate) fn leaves_out(&self, name: &str) -> bool {
        !self.row_numbers && !self.names(name)
    }

    /// Returns true if a column is to be read.
    pub(crate) fn reads(&self, name: &str) -> bool {
        let is_among = |names: &[String]| names.iter().any(|column| column == name);
        self.columns.as_deref().is_none_or(is_among) && !is_among(&self.ignored)
    }

    /// The indices of the requested columns in a file, which must have all of them.
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
