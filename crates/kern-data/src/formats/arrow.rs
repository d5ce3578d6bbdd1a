//! Batches of Apache Arrow, from its own files and streams and from Parquet, by arrow and parquet.

use super::Options;
use super::records::{Records, Widths, refused};
use crate::Error;
use crate::arrow::{Cell, hint, reader};
use crate::error::{File, Place};
use crate::schema::Hint;
use arrow_array::{Array, ArrayRef, RecordBatch, RecordBatchReader};
use arrow_ipc::reader::{FileReader, StreamReader};
use arrow_schema::{ArrowError, SchemaRef};
use std::io::{BufRead, Cursor, Read};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// The first bytes of a file of batches; a stream has others.
const MAGIC: &[u8] = b"ARROW1";

/// Rows of a batch.
#[cfg(feature = "parquet")]
const BATCH: usize = 1024;

/// Batches whose rows are read one after the other.
pub(super) struct Rows<'r> {
    schema: SchemaRef,
    batches: Box<dyn Iterator<Item = Result<RecordBatch, ArrowError>> + 'r>,
    /// The cells of a batch, column by column, and how many rows it has.
    cells: Vec<Vec<Cell<'static>>>,
    rows: usize,
    row: usize,
    /// The rows of the batches before.
    before: u64,
    file: File,
}

impl<'r> Rows<'r> {
    pub(super) fn arrow(
        mut input: Box<dyn BufRead + 'r>,
        options: &Options,
        file: File,
    ) -> Result<Self, Error> {
        let io = |source| Error::Io { file: file.clone(), source };
        let is_file = input.fill_buf().map_err(io)?.starts_with(MAGIC);
        let reader = || -> Result<Box<dyn RecordBatchReader + 'r>, ArrowError> {
            Ok(match is_file {
                true => Box::new(FileReader::try_new(Cursor::new(all(input, options)?), None)?),
                false => Box::new(StreamReader::try_new(input, None)?),
            })
        };
        Self::new(guarded(&file, reader)?, file)
    }

    #[cfg(feature = "parquet")]
    pub(super) fn parquet(
        input: Box<dyn BufRead + 'r>,
        options: &Options,
        file: File,
    ) -> Result<Self, Error> {
        use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder as Builder;
        let opened = file.0.as_ref().and_then(|path| std::fs::File::open(path).ok());
        let reader = || -> Result<Box<dyn RecordBatchReader>, ArrowError> {
            Ok(match opened {
                Some(opened) => Box::new(Builder::try_new(opened)?.with_batch_size(BATCH).build()?),
                None => {
                    let bytes = bytes::Bytes::from(all(input, options)?);
                    Box::new(Builder::try_new(bytes)?.with_batch_size(BATCH).build()?)
                }
            })
        };
        Self::new(guarded(&file, reader)?, file)
    }

    fn new(batches: Box<dyn RecordBatchReader + 'r>, file: File) -> Result<Self, Error> {
        let schema = batches.schema();
        if let Some(field) = schema.fields().iter().find(|field| hint(field.data_type()).is_none())
        {
            let reason =
                format!("column `{}` has values of type {}", field.name(), field.data_type());
            return Err(refused(&file, None, reason));
        }
        let (cells, batches) = (Vec::new(), Box::new(batches));
        Ok(Self { schema, batches, cells, rows: 0, row: 0, before: 0, file })
    }
}

/// All bytes, for formats that are read from their ends.
fn all(mut input: Box<dyn BufRead + '_>, options: &Options) -> Result<Vec<u8>, ArrowError> {
    let most = options.limit.unwrap_or(u64::MAX);
    let mut bytes = Vec::new();
    (&mut input).take(most.saturating_add(1)).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > most {
        let reason = format!("more than the {most} bytes that it may take, and no file");
        return Err(ArrowError::MemoryError(reason));
    }
    Ok(bytes)
}

/// The values of an array, each of its own.
fn cells(array: &ArrayRef) -> Vec<Cell<'static>> {
    let Some(read) = reader(array) else { return vec![Cell::Missing; array.len()] };
    (0..array.len()).map(|row| read(row).into_owned()).collect()
}

/// The answer of a reader: an error where it fails or, of a damaged file, panics.
fn guarded<R>(file: &File, read: impl FnOnce() -> Result<R, ArrowError>) -> Result<R, Error> {
    match catch_unwind(AssertUnwindSafe(read)) {
        Ok(found) => found.map_err(|error| refused(file, None, error.to_string())),
        Err(_) => Err(refused(file, None, "the file is damaged")),
    }
}

impl Records for Rows<'_> {
    fn names(&self) -> Vec<String> {
        self.schema.fields().iter().map(|field| field.name().clone()).collect()
    }

    fn hint(&self, column: usize) -> Hint {
        hint(self.schema.field(column).data_type()).unwrap_or(Hint::Unknown)
    }

    fn next(&mut self, columns: &mut Widths) -> Result<bool, Error> {
        while self.row == self.rows {
            let batches = &mut self.batches;
            let Some(batch) = guarded(&self.file, || batches.next().transpose())? else {
                return Ok(false);
            };
            self.before += self.rows as u64;
            (self.rows, self.row) = (batch.num_rows(), 0);
            self.cells = guarded(&self.file, || Ok(batch.columns().iter().map(cells).collect()))?;
        }
        // Rows are the lines of such a file.
        let line = Some(self.before + self.row as u64 + 1);
        let place = || Place { file: self.file.clone(), line };
        for (k, cells) in self.cells.iter().enumerate() {
            match &cells[self.row] {
                Cell::Number(number) => columns.push_number(k, *number, place)?,
                Cell::Word(word) => columns.push(k, word, place)?,
                Cell::Missing => columns.push(k, "", place)?,
            }
        }
        self.row += 1;
        Ok(true)
    }

    fn file(&self) -> &File {
        &self.file
    }
}
