//! File formats.

#[cfg(feature = "arrow")]
mod arrow_rows;
mod delimited;
mod folder;
#[cfg(feature = "arrow")]
mod ipc;
mod json;
mod libsvm;
mod npy;
#[cfg(feature = "parquet")]
mod parquet;
mod records;
mod text;

use crate::Error;
use crate::error::File;
use std::io::BufRead;
use std::path::Path;

pub(crate) use records::{Layout, Options, Records, WIDEST, Widths, refused};

/// The magic bytes of gzip.
pub(crate) const GZIP: [u8; 2] = [0x1f, 0x8b];

/// A file format.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Format {
    /// Comma-separated values, with names in the first line.
    Csv,
    /// Tab-separated values, with names in the first line.
    Tsv,
    /// A JSON object or a string in every line.
    JsonLines,
    /// A target and `index:value` pairs in every line. The columns are `target`, and `x1` to the
    /// largest index.
    Libsvm,
    /// A numeric array of one or two dimensions, in columns `x1`, `x2`, …
    Npy,
    /// Apache Arrow record batches, in a file (Feather) or a stream. Feature `arrow`.
    #[cfg(feature = "arrow")]
    Arrow,
    /// Apache Parquet. Feature `parquet`.
    #[cfg(feature = "parquet")]
    Parquet,
    /// One text per line, in a column `text`.
    Text,
    /// A folder with one text per file. The columns are `class` (the name of the subfolder), `file`
    /// and `text`. For FASTA files (`.fa`, `.fasta`, `.fna`, `.faa`) the text is the sequence.
    Folder,
}

/// File extensions.
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

/// The supported extensions, in error messages.
pub(crate) const KNOWN: &str = if cfg!(feature = "parquet") {
    ".csv, .tsv, .jsonl, .ndjson, .svm, .libsvm, .svmlight, .npy, .txt, .arrow, .feather, .parquet"
} else {
    ".csv, .tsv, .jsonl, .ndjson, .svm, .libsvm, .svmlight, .npy, .txt"
};

impl Format {
    /// The format by the extension of a file name, ignoring `.gz`.
    #[must_use]
    pub fn of(path: &Path) -> Option<Self> {
        let name = path.file_name()?.to_str()?.to_lowercase();
        let name = name.strip_suffix(".gz").unwrap_or(&name);
        let end = name.rsplit_once('.')?.1;
        ENDS.iter().find(|(known, _)| *known == end).map(|(_, format)| *format)
    }

    /// The format with this name: `csv`, `tsv`, `jsonl`, `libsvm`, `npy`, `txt`, and `arrow` and
    /// `parquet` if their features are enabled.
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

    /// Returns true for text formats, which may begin with a byte order mark.
    pub(crate) fn is_text(self) -> bool {
        matches!(self, Self::Csv | Self::Tsv | Self::JsonLines | Self::Libsvm | Self::Text)
    }

    /// Returns true for formats with row groups.
    pub(crate) fn has_row_groups(self) -> bool {
        #[cfg(feature = "parquet")]
        if self == Self::Parquet {
            return true;
        }
        false
    }

    /// The layout of a file, from its header.
    pub(crate) fn layout(self, input: std::fs::File, file: &File) -> Result<Layout, Error> {
        match self {
            Self::Npy => npy::layout(input, file),
            #[cfg(feature = "parquet")]
            Self::Parquet => parquet::layout(input, file),
            _ => Ok(Layout::Whole),
        }
    }
}
