//! Record batches from Apache Arrow files and streams.

use super::Options;
use super::ipc::Messages;
use super::records::{Records, Widths, refused};
use crate::arrow::{append, hint, is_index};
use crate::error::{File, Place};
use crate::schema::Hint;
use crate::{Error, Note};
use arrow_array::RecordBatch;
use arrow_schema::{ArrowError, Schema, SchemaRef};
use std::cell::Cell;
use std::io::BufRead;
use std::panic::{AssertUnwindSafe, catch_unwind, set_hook, take_hook};
use std::sync::Once;

/// The remaining batches, or the error that ended them.
type Batches<'r> = Box<dyn Iterator<Item = Result<RecordBatch, ArrowError>> + 'r>;

/// Batches that are read a number of rows at a time.
pub(super) struct Rows<'r> {
    schema: SchemaRef,
    batches: Batches<'r>,
    batch: RecordBatch,
    /// The next row of the batch.
    row: usize,
    /// The rows of the file before the batch.
    before: u64,
    notes: Vec<Note>,
    file: File,
}

impl<'r> Rows<'r> {
    pub(super) fn arrow(
        input: Box<dyn BufRead + 'r>,
        options: &Options,
        file: File,
    ) -> Result<Self, Error> {
        let messages = Messages::new(input, &file)?;
        let index = index_of(&messages.schema);
        let (places, notes) = wanted(&names(&messages.schema), &index, options, &file)?;
        let read = guarded(&file, || Ok(messages.schema.project(&places)?.into()))?;
        let rows = Self::new(read, Box::new(messages.project(places)), 0, file)?;
        Ok(rows.noted(notes))
    }

    /// Starts after this many rows of the file.
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
        Ok(Self { schema, batches, batch, row: 0, before, notes: Vec::new(), file })
    }

    pub(super) fn noted(self, notes: Vec<Note>) -> Self {
        Self { notes, ..self }
    }
}

/// The indices of the columns to read: all requested ones except a pandas index.
pub(super) fn wanted(
    names: &[String],
    index: &[String],
    options: &Options,
    file: &File,
) -> Result<(Vec<usize>, Vec<Note>), Error> {
    let places = options.places(names, file)?.into_iter();
    let is_of_index = |name: &String| is_index(name) || index.contains(name);
    let is_left_out = |k: &usize| is_of_index(&names[*k]) && options.leaves_out(&names[*k]);
    let (index, places): (Vec<usize>, Vec<usize>) = places.partition(is_left_out);
    let note = |k: usize| Note::RowNumbers { column: names[k].clone() };
    Ok((places, index.into_iter().map(note).collect()))
}

/// The columns that formed the index of the data frame, from the pandas metadata of the schema.
pub(super) fn index_of(schema: &Schema) -> Vec<String> {
    let pandas = schema.metadata().get("pandas").and_then(|text| serde_json::from_str(text).ok());
    let Some(pandas) = pandas else { return Vec::new() };
    let pandas: serde_json::Value = pandas;
    // A range index is described by a JSON object and has no column.
    let names = pandas.get("index_columns").and_then(serde_json::Value::as_array);
    names.into_iter().flatten().filter_map(|name| name.as_str().map(Into::into)).collect()
}

fn names(schema: &SchemaRef) -> Vec<String> {
    schema.fields().iter().map(|field| field.name().clone()).collect()
}

/// Runs a reader and turns a panic on a damaged file into an error, without a panic message.
pub(super) fn guarded<R>(
    file: &File,
    read: impl FnOnce() -> Result<R, ArrowError>,
) -> Result<R, Error> {
    silence();
    let before = IS_GUARDED.replace(true);
    let answer = catch_unwind(AssertUnwindSafe(read));
    IS_GUARDED.set(before);
    match answer {
        Ok(found) => found.map_err(|error| refused(file, None, error.to_string())),
        Err(_) => Err(refused(file, None, "the file is damaged")),
    }
}

thread_local! {
    /// Set while this thread reads a file that may be damaged: a panic becomes an error without a
    /// message.
    static IS_GUARDED: Cell<bool> = const { Cell::new(false) };
}

/// Suppresses panic messages while files are read; other panics are reported as before.
fn silence() {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let others = take_hook();
        set_hook(Box::new(move |panic| {
            if !IS_GUARDED.get() {
                others(panic);
            }
        }));
    });
}

impl Records for Rows<'_> {
    fn names(&self) -> Vec<String> {
        names(&self.schema)
    }

    fn hint(&self, column: usize) -> Hint {
        hint(self.schema.field(column).data_type()).unwrap_or(Hint::Unknown)
    }

    fn notes(&self) -> Vec<Note> {
        self.notes.clone()
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
        // Rows take the place of line numbers in such a file.
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
