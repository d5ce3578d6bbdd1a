//! Sources, and their rows in batches.

use crate::error::File;
use crate::formats::{GZIP, KNOWN, Options, Records, WIDEST, Widths, refused};
use crate::{Error, Format, Kind, Part, Schema, Span, Table};
use flate2::bufread::MultiGzDecoder;
use std::cell::Cell;
use std::collections::HashSet;
use std::fmt;
use std::io::{self, BufRead, BufReader, Cursor, Read};
use std::path::Path;
use std::rc::Rc;

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
    /// Opens a file, with the format by its extension, or a folder.
    ///
    /// # Errors
    /// [`Error::UnknownFormat`], [`Error::Io`].
    pub fn open(path: impl AsRef<Path>) -> Result<Self, Error> {
        Self::of_part(&Part::all(path.as_ref()))
    }

    /// Opens a part of a file, with the format by its extension.
    ///
    /// Row groups and rows are found by seeking: from a Parquet file only the footer and the
    /// requested [`columns`](Source::columns) of the row groups are read, from a NumPy array only
    /// the header and the rows.
    ///
    /// Kinds that are not given are inferred from the first batch of each part, so that they may
    /// differ between parts: set the [`schema`](Source::schema) of the whole.
    ///
    /// # Errors
    /// [`Error::UnknownFormat`], [`Error::Io`], [`Error::Format`] if the format does not have row
    /// groups or rows. Those beyond the file are rejected by [`batches`](Source::batches) and
    /// [`read`](Source::read).
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
    /// Reads from any input.
    pub fn new(format: Format, input: impl Read + 'r) -> Self {
        let (file, options) = (File::default(), Options::default());
        Self { format, input: Box::new(input), file, options }
    }

    /// Sets whether the first line of a CSV or TSV file has names; if not, the columns are `x1`,
    /// `x2`, …. Default: true.
    #[must_use]
    pub fn header(mut self, header: bool) -> Self {
        self.options.header = header;
        self
    }

    /// Sets the delimiter of a CSV or TSV file.
    #[must_use]
    pub fn delimiter(mut self, delimiter: u8) -> Self {
        self.options.delimiter = Some(delimiter);
        self
    }

    /// The number of features of a LIBSVM file; by default the largest index that occurs. Larger
    /// indices are rejected; those beyond the columns of a [`schema`](Source::schema) are ignored,
    /// like all columns unknown to it.
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

    /// Reads a column as numbers; non-numeric values are missing and [noted](crate::Table::notes).
    #[must_use]
    pub fn number(mut self, column: impl Into<String>) -> Self {
        self.options.lenient.push(column.into());
        self
    }

    /// Keeps the spelling of a numeric column: as classes its values are called `007` or `1e5`, as
    /// in the file. Equal numbers are one class.
    ///
    /// # Examples
    /// ```
    /// use kern_data::{Format, Source};
    /// let file = || Source::new(Format::Csv, "x,code\n1,007\n2,010\n".as_bytes());
    /// assert_eq!(file().keep_spelling("code").read()?.column("code")?.labels()?, ["007", "010"]);
    /// assert_eq!(file().read()?.column("code")?.labels()?, ["7", "10"]);
    /// # Ok::<(), kern_data::Error>(())
    /// ```
    #[must_use]
    pub fn keep_spelling(mut self, column: impl Into<String>) -> Self {
        self.options.spelled.push(column.into());
        self
    }

    /// Keeps an unnamed first column of row numbers and a pandas index. By default they are dropped
    /// and [noted](crate::Table::notes).
    ///
    /// # Examples
    /// ```
    /// use kern_data::{Format, Source};
    /// let file = || Source::new(Format::Csv, ",x\n0,1.5\n1,2.5\n".as_bytes());
    /// assert_eq!(file().read()?.columns().len(), 1);
    /// let table = file().row_numbers(true).read()?;
    /// assert_eq!(table.column("Unnamed: 0")?.numbers()?, [0.0, 1.0]);
    /// # Ok::<(), kern_data::Error>(())
    /// ```
    #[must_use]
    pub fn row_numbers(mut self, row_numbers: bool) -> Self {
        self.options.row_numbers = row_numbers;
        self
    }

    /// Ends a batch when no complete row is available yet, as with a pipe or a terminal, so that
    /// predictions need not wait for the end of the input. Default: false.
    #[must_use]
    pub fn eager(mut self, eager: bool) -> Self {
        self.options.eager = eager;
        self
    }

    /// Reads the columns of a schema as its kinds, usually those of the training table. Other
    /// columns are read, too.
    #[must_use]
    pub fn schema(mut self, schema: &Schema) -> Self {
        let fields = schema.fields.iter().map(|field| (field.name.clone(), field.kind.clone()));
        self.options.fields.extend(fields);
        self
    }

    /// Reads only these columns, in the order of the file. From a Parquet file nothing else is read
    /// from disk; other formats are read completely and the other columns dropped. By default all
    /// are read.
    ///
    /// # Examples
    /// ```
    /// use kern_data::{Format, Source};
    /// let file = "id,x,y\n7,1,2\n8,3,4\n";
    /// let table = Source::new(Format::Csv, file.as_bytes()).columns(["y", "x"]).read()?;
    /// assert_eq!(table.samples()?.as_slice(), [1.0, 2.0, 3.0, 4.0]);
    /// let wrong = Source::new(Format::Csv, file.as_bytes()).columns(["z"]).read().unwrap_err();
    /// assert_eq!(wrong.to_string(), "the input: missing column `z`; it has id, x, y");
    /// # Ok::<(), kern_data::Error>(())
    /// ```
    #[must_use]
    pub fn columns<N: Into<String>>(mut self, names: impl IntoIterator<Item = N>) -> Self {
        self.options.columns = Some(names.into_iter().map(Into::into).collect());
        self
    }

    /// Ignores these columns, whatever their values.
    #[must_use]
    pub fn without<N: Into<String>>(mut self, names: impl IntoIterator<Item = N>) -> Self {
        self.options.ignored.extend(names.into_iter().map(Into::into));
        self
    }

    /// Limits the bytes of values in memory. By default there is no limit.
    #[must_use]
    pub fn limit(mut self, bytes: u64) -> Self {
        self.options.limit = Some(bytes);
        self
    }

    /// All rows.
    ///
    /// # Errors
    /// [`Error::Io`], [`Error::Format`], [`Error::Value`] for a value that does not match its
    /// column's kind, [`Error::TooLarge`], [`Error::NoColumn`], [`Error::Empty`] if there is no row
    /// or no column.
    pub fn read(self) -> Result<Table, Error> {
        let file = self.file.clone();
        let table = self.batches(usize::MAX)?.next().transpose()?;
        table.ok_or(Error::Empty { file, what: "row" })
    }

    /// The rows in batches of this many. Kinds that are not given are inferred from the first
    /// batch.
    ///
    /// # Errors
    /// [`Error::Io`], [`Error::Format`], [`Error::TwoColumns`], [`Error::NoColumn`],
    /// [`Error::Empty`] if no column is to be read. The batches return the errors of
    /// [`read`](Source::read). In formats where later lines may add columns, such as JSON lines,
    /// the requested ones are looked up in the first batch.
    pub fn batches(self, rows: usize) -> Result<Batches<'r>, Error> {
        let Self { format, input, file, mut options } = self;
        if options.columns.as_ref().is_some_and(Vec::is_empty) {
            return Err(Error::Empty { file, what: "column" });
        }
        let mut input = BufReader::with_capacity(BUFFER, input);
        let io = |source| Error::Io { file: file.clone(), source };
        options.packed = input.fill_buf().map_err(io)?.starts_with(&GZIP);
        if options.packed && *file.span() != Span::All {
            return Err(refused(&file, None, "packed by gzip, can only be read as a whole"));
        }
        let idle = Rc::new(Cell::new(false));
        let mut unpacked: Box<dyn BufRead + 'r> = match (options.packed, options.eager) {
            (true, _) => Box::new(BufReader::new(MultiGzDecoder::new(input))),
            (false, true) => Box::new(Watched { input, idle: Rc::clone(&idle) }),
            (false, false) => Box::new(input),
        };
        if format.is_text() {
            unpacked = without_mark(unpacked, &file)?;
        }
        let idle = options.eager.then_some(idle);
        let records = format.records(unpacked, &options, file)?;
        Batches::new(records, options, rows, idle)
    }
}

/// An iterator over the rows of a source in batches.
///
/// # Examples
/// ```
/// use kern_data::{Format, Source};
/// let mut sum = 0.0;
/// for batch in Source::new(Format::Csv, "x\n1\n2\n3\n".as_bytes()).batches(2)? {
///     sum += batch?.column("x")?.numbers()?.iter().sum::<f64>();
/// }
/// assert_eq!(sum, 6.0);
/// # Ok::<(), kern_data::Error>(())
/// ```
pub struct Batches<'r> {
    records: Box<dyn Records + 'r>,
    columns: Widths,
    limit: Option<u64>,
    rows: usize,
    /// Set when no more input is available yet: the batch ends early so that its reader need not
    /// wait.
    idle: Option<Rc<Cell<bool>>>,
    ended: bool,
}

impl fmt::Debug for Batches<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Batches").field("rows", &self.rows).finish_non_exhaustive()
    }
}

impl<'r> Batches<'r> {
    fn new(
        records: Box<dyn Records + 'r>,
        options: Options,
        rows: usize,
        idle: Option<Rc<Cell<bool>>>,
    ) -> Result<Self, Error> {
        let names = records.names();
        if names.len() > WIDEST {
            let reason = format!("{} columns; a table has at most {WIDEST}", names.len());
            return Err(refused(records.file(), None, reason));
        }
        let mut known = HashSet::new();
        for name in &names {
            if !known.insert(name) && options.reads(name) {
                return Err(Error::TwoColumns { name: name.clone() });
            }
        }
        if !records.finds_columns() {
            options.places(&names, records.file())?;
        }
        let limit = options.limit;
        let first = names.first().map_or("", String::as_str);
        let begins_nameless = records.begins_nameless() && options.leaves_out(first);
        let mut columns = Widths::new(options);
        columns.begins_nameless = begins_nameless;
        columns.notes = records.notes();
        for (k, name) in names.into_iter().enumerate() {
            columns.add(name, records.hint(k));
        }
        Ok(Self { records, columns, limit, rows: rows.max(1), idle, ended: false })
    }

    /// The next batch, if any row is left.
    fn batch(&mut self) -> Result<Option<Table>, Error> {
        while self.columns.len() < self.rows {
            let rows = self.rows - self.columns.len();
            if !self.records.append(&mut self.columns, rows)? {
                self.ended = true;
                break;
            }
            if let Some(limit) = self.limit.filter(|&limit| self.columns.bytes() > limit) {
                return Err(Error::TooLarge { file: self.records.file().clone(), limit });
            }
            if self.idle.as_ref().is_some_and(|idle| idle.get()) {
                break;
            }
        }
        match self.columns.len() {
            0 => Ok(None),
            _ => {
                let table = Table::new(self.columns.take(self.records.file())?)?;
                Ok(Some(table.noted(std::mem::take(&mut self.columns.notes))))
            }
        }
    }
}

impl Iterator for Batches<'_> {
    type Item = Result<Table, Error>;

    fn next(&mut self) -> Option<Result<Table, Error>> {
        if self.ended {
            return None;
        }
        let batch = self.batch().transpose();
        self.ended |= !matches!(batch, Some(Ok(_)));
        batch
    }
}

/// The number of bytes read at a time.
const BUFFER: usize = 1 << 16;

/// The byte order marks of UTF-8 and of UTF-16.
const MARK: &[u8] = b"\xef\xbb\xbf";
const WIDE_MARKS: [&[u8]; 2] = [b"\xff\xfe", b"\xfe\xff"];

/// Skips the byte order mark of UTF-8, and rejects UTF-16.
fn without_mark<'r>(
    mut input: Box<dyn BufRead + 'r>,
    file: &File,
) -> Result<Box<dyn BufRead + 'r>, Error> {
    let mut start = Vec::new();
    let read = (&mut input).take(MARK.len() as u64).read_to_end(&mut start);
    read.map_err(|source| Error::Io { file: file.clone(), source })?;
    if WIDE_MARKS.iter().any(|mark| start.starts_with(mark)) {
        return Err(refused(file, None, "the text is UTF-16: save it as UTF-8"));
    }
    match start == MARK {
        true => Ok(input),
        false => Ok(Box::new(Cursor::new(start).chain(input))),
    }
}

/// An input that signals when all available bytes were read.
struct Watched<R> {
    input: BufReader<R>,
    idle: Rc<Cell<bool>>,
}

impl<R: Read> Read for Watched<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.input.read(buffer);
        self.idle.set(self.input.buffer().is_empty());
        read
    }
}

impl<R: Read> BufRead for Watched<R> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        self.input.fill_buf()
    }

    fn consume(&mut self, amount: usize) {
        self.input.consume(amount);
        self.idle.set(self.input.buffer().is_empty());
    }
}
