//! Settings of reading.

use crate::error::File;
use crate::{Error, Kind};

/// Settings of reading.
#[derive(Clone, Debug)]
pub(crate) struct Options {
    /// The first line of a delimited file has names.
    pub(crate) header: bool,
    /// The delimiter, unless it is that of the format.
    pub(crate) delimiter: Option<u8>,
    /// The greatest index of a LIBSVM file, if it is known.
    pub(crate) width: Option<usize>,
    /// Columns whose kinds are known.
    pub(crate) kinds: Vec<(String, Kind)>,
    /// The columns to read, unless all are.
    pub(crate) columns: Option<Vec<String>>,
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
            kinds: Vec::new(),
            columns: None,
            limit: None,
            packed: false,
        }
    }
}

impl Options {
    /// The kind of a column, if it is known. The last word counts.
    pub(crate) fn kind(&self, name: &str) -> Option<Kind> {
        let known = self.kinds.iter().rev().find(|known| known.0 == name);
        known.map(|known| known.1.clone())
    }

    /// Tells whether a column is to be read.
    pub(crate) fn reads(&self, name: &str) -> bool {
        self.columns.as_ref().is_none_or(|columns| columns.iter().any(|column| column == name))
    }

    /// The places of the columns to read among those of a file, which has to have all of them.
    pub(crate) fn places(&self, names: &[String], file: &File) -> Result<Vec<usize>, Error> {
        let unknown = self.columns.iter().flatten().find(|column| !names.contains(column));
        if let Some(given) = unknown {
            let (given, known) = (given.clone(), names.to_vec());
            return Err(Error::NoColumn { file: file.clone(), given, known });
        }
        Ok((0..names.len()).filter(|&k| self.reads(&names[k])).collect())
    }
}
