//! Formats.

#[cfg(feature = "arrow")]
mod arrow_rows;
mod delimited;
mod fields;
mod folder;
#[cfg(feature = "arrow")]
mod ipc;
mod json;
mod libsvm;
mod npy;
#[cfg(feature = "parquet")]
mod parquet;
mod text;

use crate::Error;
use crate::error::File;
use std::io::BufRead;
use std::path::Path;

pub(crate) use layout::Layout;
pub(crate) use options::Options;
pub(crate) use records::{Records, WIDEST, Widths, refused};

mod layout;
mod options;
mod records;

/// The first bytes of what gzip has packed.
pub(crate) const GZIP: [u8; 2] = [0x1f, 0x8b];

/// A format of files.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Format {
    /// Values between commas, with names in the first line.
    Csv,
    /// Values between tabulators, with names in the first line.
    Tsv,
    /// A JSON object in every line, or a string.
    JsonLines,
    /// A target and `index:value` pairs in every line. The columns are `target`, and `x1` to the greatest index.
    Libsvm,
    /// An array of numbers of one or two dimensions, in columns `x1`, `x2`, …
    Npy,
    /// Batches of Apache Arrow, in a file (Feather) or a stream. Feature `arrow`.
    #[cfg(feature = "arrow")]
    Arrow,
    /// Apache Parquet. Feature `parquet`.
    #[cfg(feature = "parquet")]
    Parquet,
    /// A text in every line, in a column `text`.
    Text,
    /// A folder with a text in every file: the columns are `class`, the name of the folder in it that the file is in, `file`,
    /// and `text`. Of FASTA files (`.fa`, `.fasta`, `.fna`, `.faa`) it is the sequence.
    Folder,
}

/// The ends of file names.
const ENDS: &[(&str, Format)] = &[
    ("csv", Format::Csv),
    ("data", Format::Csv),
    ("tsv", Format::Tsv),
    ("tab", Format::Tsv),
    ("jsonl", Format::JsonLines),
    ("ndjson", Format::JsonLines),
    ("svm", Format::Libsvm),
    ("libsvm", Format::Libsvm),
    ("svmlight", Format::Libsvm),
    ("npy", Format::Npy),
    ("txt", Format::Text),
    #[cfg(feature = "arrow")]
    ("arrow", Format::Arrow),
    #[cfg(feature = "arrow")]
    ("feather", Format::Arrow),
    #[cfg(feature = "arrow")]
    ("ipc", Format::Arrow),
    #[cfg(feature = "parquet")]
    ("parquet", Format::Parquet),
];

/// The same, in messages.
pub(crate) const KNOWN: &str = if cfg!(feature = "parquet") {
    ".csv, .tsv, .jsonl, .ndjson, .svm, .libsvm, .svmlight, .npy, .txt, .arrow, .feather, .parquet"
} else {
    ".csv, .tsv, .jsonl, .ndjson, .svm, .libsvm, .svmlight, .npy, .txt"
};

impl Format {
    /// The format that the name of a file tells, `.gz` left out.
    #[must_use]
    pub fn of(path: &Path) -> Option<Self> {
        let name = path.file_name()?.to_str()?.to_lowercase();
        let name = name.strip_suffix(".gz").unwrap_or(&name);
        let end = name.rsplit_once('.')?.1;
        ENDS.iter().find(|(known, _)| *known == end).map(|(_, format)| *format)
    }

    /// The format of this name: `csv`, `tsv`, `jsonl`, `libsvm`, `npy`, `txt`, with their features `arrow` and `parquet`.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        let name = name.to_lowercase();
        ENDS.iter().find(|(known, _)| *known == name).map(|(_, format)| *format)
    }

    /// The records of an input.
    pub(crate) fn records<'r>(
        self,
        input: Box<dyn BufRead + 'r>,
        options: &Options,
        file: File,
    ) -> Result<Box<dyn Records + 'r>, Error> {
        Ok(match self {
            Self::Csv => Box::new(delimited::Delimited::new(input, b',', options, file)?),
            Self::Tsv => Box::new(delimited::Delimited::new(input, b'\t', options, file)?),
            Self::JsonLines => Box::new(json::Lines::new(input, file)?),
            Self::Libsvm => Box::new(libsvm::Lines::new(input, options, file)),
            Self::Npy => Box::new(npy::Array::new(input, options, file)?),
            #[cfg(feature = "arrow")]
            Self::Arrow => Box::new(arrow_rows::Rows::arrow(input, options, file)?),
            #[cfg(feature = "parquet")]
            Self::Parquet => Box::new(parquet::rows(input, options, file)?),
            Self::Text => Box::new(text::Lines::new(input, file)),
            Self::Folder => {
                let folder = file.path().unwrap_or(Path::new("")).to_path_buf();
                Box::new(folder::Files::new(&folder, file)?)
            }
        })
    }

    /// Tells whether a file is text, which may begin with a byte order mark.
    pub(crate) fn is_text(self) -> bool {
        matches!(self, Self::Csv | Self::Tsv | Self::JsonLines | Self::Libsvm | Self::Text)
    }

    /// Tells whether files have row groups.
    pub(crate) fn has_row_groups(self) -> bool {
        #[cfg(feature = "parquet")]
        if self == Self::Parquet {
            return true;
        }
        false
    }

    /// The layout of a file, as its header tells.
    pub(crate) fn layout(self, input: std::fs::File, file: &File) -> Result<Layout, Error> {
        match self {
            Self::Npy => npy::layout(input, file),
            #[cfg(feature = "parquet")]
            Self::Parquet => parquet::layout(input, file),
            _ => Ok(Layout::Whole),
        }
    }
}
