//! Batches of Apache Arrow, from its own files and streams.

use super::Options;
use super::records::{Records, Widths, all, refused};
use crate::Error;
use crate::arrow::{append, hint};
use crate::error::{File, Place};
use crate::schema::Hint;
use arrow_array::{RecordBatch, RecordBatchReader};
use arrow_ipc::reader::{FileReader, StreamReader};
use arrow_schema::{ArrowError, SchemaRef};
use std::io::{BufRead, Cursor};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// The first bytes of a file of batches; a stream has others.
const MAGIC: &[u8] = b"ARROW1";

/// Batches, or why there are no more.
type Batches<'r> = Box<dyn Iterator<Item = Result<RecordBatch, ArrowError>> + 'r>;

/// Batches whose rows are read some at a time.
pub(super) struct Rows<'r> {
    schema: SchemaRef,
    batches: Batches<'r>,
    batch: RecordBatch,
    /// The next row of the batch.
    row: usize,
    /// The rows of the file before the batch.
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
        let reader: Box<dyn RecordBatchReader + 'r> = match is_file {
            true => {
                let bytes = Cursor::new(all(&mut input, options, &file)?);
                guarded(&file, || Ok(Box::new(FileReader::try_new(bytes, None)?)))?
            }
            false => guarded(&file, || Ok(Box::new(StreamReader::try_new(input, None)?)))?,
        };
        let schema = reader.schema();
        let places = options.places(&names(&schema), &file)?;
        let read = guarded(&file, || Ok(schema.project(&places)?.into()))?;
        let batches = reader.map(move |batch| batch?.project(&places));
        Self::new(read, Box::new(batches), 0, file)
    }

    /// Rows behind so many others of the file.
    pub(super) fn new(
        schema: SchemaRef,
        batches: Batches<'r>,
        before: u64,
        file: File,
    ) -> Result<Self, Error> {
        if let Some(field) = schema.fields().iter().find(|field| hint(field.data_type()).is_none())
        {
            let reason =
                format!("column `{}` has values of type {}", field.name(), field.data_type());
            return Err(refused(&file, None, reason));
        }
        let batch = RecordBatch::new_empty(schema.clone());
        Ok(Self { schema, batches, batch, row: 0, before, file })
    }
}

fn names(schema: &SchemaRef) -> Vec<String> {
    schema.fields().iter().map(|field| field.name().clone()).collect()
}

/// The answer of a reader: an error where it fails or, of a damaged file, panics.
pub(super) fn guarded<R>(
    file: &File,
    read: impl FnOnce() -> Result<R, ArrowError>,
) -> Result<R, Error> {
    match catch_unwind(AssertUnwindSafe(read)) {
        Ok(found) => found.map_err(|error| refused(file, None, error.to_string())),
        Err(_) => Err(refused(file, None, "the file is damaged")),
    }
}

impl Records for Rows<'_> {
    fn names(&self) -> Vec<String> {
        names(&self.schema)
    }

    fn hint(&self, column: usize) -> Hint {
        hint(self.schema.field(column).data_type()).unwrap_or(Hint::Unknown)
    }

    fn next(&mut self, columns: &mut Widths) -> Result<bool, Error> {
        self.append(columns, 1)
    }

    fn append(&mut self, columns: &mut Widths, rows: usize) -> Result<bool, Error> {
        while self.row == self.batch.num_rows() {
            let batches = &mut self.batches;
            let Some(batch) = guarded(&self.file, || batches.next().transpose())? else {
                return Ok(false);
            };
            self.before += self.batch.num_rows() as u64;
            (self.batch, self.row) = (batch, 0);
        }
        let end = self.row.saturating_add(rows).min(self.batch.num_rows());
        // Rows are the lines of such a file.
        let line = |row: usize| Some(self.before + row as u64 + 1);
        let place = |row| Place { file: self.file.clone(), line: line(row) };
        let mut first: Option<(usize, Error)> = None;
        for (array, cells) in self.batch.columns().iter().zip(&mut columns.columns) {
            let append = || Ok(append(array, self.row..end, cells, place));
            if let Err((row, error)) = guarded(&self.file, append)?
                && first.as_ref().is_none_or(|first| row < first.0)
            {
                first = Some((row, error));
            }
        }
        self.row = end;
        first.map_or(Ok(true), |(_, error)| Err(error))
    }

    fn file(&self) -> &File {
        &self.file
    }
}
