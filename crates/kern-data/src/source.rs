//! Sources.

use crate::error::File;
use crate::formats::{GZIP, KNOWN, Options, refused};
use crate::{Batches, Error, Format, Kind, Part, Schema, Span, Table};
use flate2::bufread::MultiGzDecoder;
use std::fmt;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;

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
        Self::of_part(&Part::all(path.as_ref()))
    }

    /// Opens a part of a file, whose name tells the format.
    ///
    /// Row groups and rows are found by seeking: of a Parquet file only the footer and the [`columns`](Source::columns) of the
    /// row groups are read, of an array of NumPy only its header and the rows.
    ///
    /// Kinds that are not given are found out in the first batch of each part, so that two parts may come to different ones:
    /// give the [`schema`](Source::schema) of the whole.
    ///
    /// # Errors
    /// [`Error::UnknownFormat`], [`Error::Io`], [`Error::Format`] for row groups or rows of a file that is made of others.
    /// Those that the file does not have are refused by [`batches`](Source::batches) and [`read`](Source::read).
    pub fn of_part(part: &Part) -> Result<Self, Error> {
        let folder = part.path().is_dir().then_some(Format::Folder);
        let Some(format) = folder.or_else(|| Format::of(part.path())) else {
            return Err(Error::UnknownFormat { file: File::from(part), known: KNOWN });
        };
        let reason = match part.span() {
            Span::RowGroups(_) if !format.has_row_groups() => "no Parquet file, has no row groups",
            Span::Rows(_) if format != Format::Npy => "no array, cannot be read by rows",
            _ => return Self::opened(format, part),
        };
        Err(refused(&File::from(part), None, reason))
    }

    /// Opens a file of this format.
    ///
    /// # Errors
    /// [`Error::Io`].
    pub fn open_as(format: Format, path: impl AsRef<Path>) -> Result<Self, Error> {
        Self::opened(format, &Part::all(path.as_ref()))
    }

    fn opened(format: Format, part: &Part) -> Result<Self, Error> {
        let file = File::from(part);
        if format == Format::Folder {
            return Ok(Self { file, ..Self::new(format, std::io::empty()) });
        }
        match std::fs::File::open(part.path()) {
            Ok(input) => Ok(Self { file, ..Self::new(format, input) }),
            Err(source) => Err(Error::Io { file, source }),
        }
    }
}

impl<'r> Source<'r> {
    /// Anything that can be read.
    pub fn new(format: Format, input: impl Read + 'r) -> Self {
        let (file, options) = (File::default(), Options::default());
        Self { format, input: Box::new(input), file, options }
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

    /// Reads these columns only, in the order of the file. Of a Parquet file nothing else is read from the disk; files of other
    /// formats are read, and the other columns left out. By default all are read.
    ///
    /// # Examples
    /// ```
    /// use kern_data::{Format, Source};
    /// let file = "id,x,y\n7,1,2\n8,3,4\n";
    /// let table = Source::new(Format::Csv, file.as_bytes()).columns(["y", "x"]).read()?;
    /// assert_eq!(table.samples()?.as_slice(), [1.0, 2.0, 3.0, 4.0]);
    /// let wrong = Source::new(Format::Csv, file.as_bytes()).columns(["z"]).read().unwrap_err();
    /// assert_eq!(wrong.to_string(), "the input: unknown column `z`; it has id, x, y");
    /// # Ok::<(), kern_data::Error>(())
    /// ```
    #[must_use]
    pub fn columns<N: Into<String>>(mut self, names: impl IntoIterator<Item = N>) -> Self {
        self.options.columns = Some(names.into_iter().map(Into::into).collect());
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
    /// [`Error::NoColumn`], [`Error::Empty`] if there is no row or no column.
    pub fn read(self) -> Result<Table, Error> {
        let file = self.file.clone();
        let table = self.batches(usize::MAX)?.next().transpose()?;
        table.ok_or(Error::Empty { file, what: "row" })
    }

    /// The rows, so many at a time. The kinds of columns are those of the first batch, as far as they are not given.
    ///
    /// # Errors
    /// [`Error::Io`], [`Error::Format`], [`Error::TwoColumns`], [`Error::NoColumn`], [`Error::Empty`] if no column is to be
    /// read. The batches have those of [`read`](Source::read). Where a line may have columns that the first one does not, as
    /// in JSON lines, those to read are looked for in the first batch.
    pub fn batches(self, rows: usize) -> Result<Batches<'r>, Error> {
        let Self { format, input, file, mut options } = self;
        if options.columns.as_ref().is_some_and(Vec::is_empty) {
            return Err(Error::Empty { file, what: "column" });
        }
        let mut input = BufReader::new(input);
        let io = |source| Error::Io { file: file.clone(), source };
        options.packed = input.fill_buf().map_err(io)?.starts_with(&GZIP);
        if options.packed && *file.span() != Span::All {
            return Err(refused(&file, None, "packed by gzip, can only be read as a whole"));
        }
        let unpacked: Box<dyn BufRead + 'r> = match options.packed {
            true => Box::new(BufReader::new(MultiGzDecoder::new(input))),
            false => Box::new(input),
        };
        let records = format.records(unpacked, &options, file)?;
        Batches::new(records, options, rows)
    }
}
