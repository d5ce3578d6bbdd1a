//! Sources.

use crate::error::File;
use crate::formats::{KNOWN, Options};
use crate::{Batches, Error, Format, Kind, Schema, Table};
use flate2::bufread::MultiGzDecoder;
use std::fmt;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;

/// The first bytes of what gzip has packed.
const GZIP: [u8; 2] = [0x1f, 0x8b];

/// A file, or another input, with a format.
///
/// # Examples
/// ```
/// use kern_data::{Format, Source};
/// let table = Source::new(Format::Csv, "a;b\n1;2\n".as_bytes()).delimiter(b';').read()?;
/// assert_eq!(table.column("b")?.numbers()?, [2.0]);
/// let wrong = Source::new(Format::Csv, "a,b\n1,2\n3\n".as_bytes()).read().unwrap_err();
/// assert_eq!(wrong.to_string(), "the input, line 3: 1 values where the lines before have 2");
/// # Ok::<(), kern_data::Error>(())
/// ```
pub struct Source<'r> {
    format: Format,
    input: Box<dyn Read + 'r>,
    file: File,
    options: Options,
}

impl fmt::Debug for Source<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { format, file, options, .. } = self;
        let mut shown = f.debug_struct("Source");
        shown
            .field("format", format)
            .field("file", file)
            .field("options", options)
            .finish_non_exhaustive()
    }
}

impl Source<'static> {
    /// Opens a file, whose name tells the format, or a folder.
    ///
    /// # Errors
    /// [`Error::UnknownFormat`], [`Error::Io`].
    pub fn open(path: impl AsRef<Path>) -> Result<Self, Error> {
        let path = path.as_ref();
        let file = File(Some(path.to_path_buf()));
        let folder = path.is_dir().then_some(Format::Folder);
        match folder.or_else(|| Format::of(path)) {
            Some(format) => Self::open_as(format, path),
            None => Err(Error::UnknownFormat { file, known: KNOWN }),
        }
    }

    /// Opens a file of this format.
    ///
    /// # Errors
    /// [`Error::Io`].
    pub fn open_as(format: Format, path: impl AsRef<Path>) -> Result<Self, Error> {
        let path = path.as_ref();
        let file = File(Some(path.to_path_buf()));
        if format == Format::Folder {
            return Ok(Self { file, ..Self::new(format, std::io::empty()) });
        }
        match std::fs::File::open(path) {
            Ok(input) => Ok(Self { file, ..Self::new(format, input) }),
            Err(source) => Err(Error::Io { file, source }),
        }
    }
}

impl<'r> Source<'r> {
    /// Anything that can be read.
    pub fn new(format: Format, input: impl Read + 'r) -> Self {
        let options =
            Options { header: true, delimiter: None, width: None, kinds: Vec::new(), limit: None };
        Self { format, input: Box::new(input), file: File::default(), options }
    }

    /// Tells whether the first line of a CSV or TSV file has names; columns are `x1`, `x2`, … if not. Default: true.
    #[must_use]
    pub fn header(mut self, header: bool) -> Self {
        self.options.header = header;
        self
    }

    /// The byte between values of a CSV or TSV file.
    #[must_use]
    pub fn delimiter(mut self, delimiter: u8) -> Self {
        self.options.delimiter = Some(delimiter);
        self
    }

    /// The number of coordinates of a LIBSVM file; by default the greatest index that occurs.
    #[must_use]
    pub fn width(mut self, width: usize) -> Self {
        self.options.width = Some(width);
        self
    }

    /// Reads a column as this kind.
    #[must_use]
    pub fn kind(mut self, column: impl Into<String>, kind: Kind) -> Self {
        self.options.kinds.push((column.into(), kind));
        self
    }

    /// Reads the columns of a schema as its kinds: those of the table that a model has learned from. Other columns are read,
    /// too.
    #[must_use]
    pub fn schema(mut self, schema: &Schema) -> Self {
        let fields = schema.fields.iter().map(|field| (field.name.clone(), field.kind.clone()));
        self.options.kinds.extend(fields);
        self
    }

    /// Refuses more than so many bytes of values in memory. By default there is no limit.
    #[must_use]
    pub fn limit(mut self, bytes: u64) -> Self {
        self.options.limit = Some(bytes);
        self
    }

    /// All rows.
    ///
    /// # Errors
    /// [`Error::Io`], [`Error::Format`], [`Error::Value`] for a value that is not of its column's kind, [`Error::TooLarge`],
    /// [`Error::Empty`] if there is no row or no column.
    pub fn read(self) -> Result<Table, Error> {
        let file = self.file.clone();
        let table = self.batches(usize::MAX)?.next().transpose()?;
        table.ok_or(Error::Empty { file, what: "row" })
    }

    /// The rows, so many at a time. The kinds of columns are those of the first batch, as far as they are not given.
    ///
    /// # Errors
    /// [`Error::Io`], [`Error::Format`], [`Error::TwoColumns`]. The batches have those of [`read`](Source::read).
    pub fn batches(self, rows: usize) -> Result<Batches<'r>, Error> {
        let Self { format, input, file, options } = self;
        let mut input = BufReader::new(input);
        let io = |source| Error::Io { file: file.clone(), source };
        let packed = input.fill_buf().map_err(io)?.starts_with(&GZIP);
        let unpacked: Box<dyn BufRead + 'r> = match packed {
            true => Box::new(BufReader::new(MultiGzDecoder::new(input))),
            false => Box::new(input),
        };
        let records = format.records(unpacked, &options, file)?;
        Batches::new(records, options, rows)
    }
}
