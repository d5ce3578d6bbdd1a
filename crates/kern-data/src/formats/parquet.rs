//! Apache Parquet files, read by the crate parquet.

use super::arrow_rows::{Rows, guarded, index_of, wanted};
use super::records::all;
use super::{Layout, Options};
use crate::error::File;
use crate::{Error, Span};
use arrow_array::RecordBatchReader;
use arrow_schema::{DataType, FieldRef, Fields, Schema};
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::{
    ArrowReaderMetadata, ArrowReaderOptions, ParquetRecordBatchReaderBuilder,
};
use parquet::file::reader::ChunkReader;
use std::io::BufRead;
use std::sync::Arc;

/// The number of rows decoded at a time.
const BATCH: usize = 1024;

/// The rows of a file or of some of its row groups. From a file on disk only the footer and the
/// requested columns are read; other inputs are held in memory.
pub(super) fn rows(
    mut input: Box<dyn BufRead + '_>,
    options: &Options,
    file: File,
) -> Result<Rows<'static>, Error> {
    match file.path().filter(|_| !options.packed) {
        Some(path) => match std::fs::File::open(path) {
            Ok(opened) => groups(opened, options, file),
            Err(source) => Err(Error::Io { file, source }),
        },
        None => groups(bytes::Bytes::from(all(&mut input, options, &file)?), options, file),
    }
}

fn groups<R: ChunkReader + 'static>(
    input: R,
    options: &Options,
    file: File,
) -> Result<Rows<'static>, Error> {
    let builder = opened(input, &file)?;
    let rows = sizes(&builder).rows(&file)?;
    let schema = builder.parquet_schema();
    let fields = schema.root_schema().get_fields().iter();
    let names: Vec<String> = fields.map(|field| field.name().to_string()).collect();
    let index = index_of(builder.schema());
    let (places, notes) = wanted(&names, &index, options, &file)?;
    let mask = ProjectionMask::roots(schema, places);
    let builder = match file.span() {
        Span::RowGroups(groups) => builder.with_row_groups(groups.clone().collect()),
        _ => builder,
    };
    let builder = builder.with_projection(mask).with_batch_size(BATCH);
    let reader = guarded(&file, || Ok(builder.build()?))?;
    let read = Rows::new(reader.schema(), Box::new(reader), rows.start, file)?;
    Ok(read.noted(notes))
}

/// The layout of a file.
pub(super) fn layout(input: std::fs::File, file: &File) -> Result<Layout, Error> {
    Ok(sizes(&opened(input, file)?))
}

fn opened<R: ChunkReader + 'static>(
    input: R,
    file: &File,
) -> Result<ParquetRecordBatchReaderBuilder<R>, Error> {
    guarded(file, || {
        let found = ArrowReaderMetadata::load(&input, ArrowReaderOptions::new())?;
        let schema = found.schema();
        let fields = schema.fields().iter().map(without_dictionary).collect::<Fields>();
        let found = match &fields == schema.fields() {
            true => found,
            false => {
                let schema = Schema::new_with_metadata(fields, schema.metadata().clone());
                let options = ArrowReaderOptions::new().with_schema(schema.into());
                ArrowReaderMetadata::try_new(found.metadata().clone(), options)?
            }
        };
        Ok(ParquetRecordBatchReaderBuilder::new_with_metadata(input, found))
    })
}

/// The type in which a column is read: only strings keep a dictionary.
fn without_dictionary(field: &FieldRef) -> FieldRef {
    match field.data_type() {
        DataType::Dictionary(_, values) if !values.is_string() => {
            Arc::new(field.as_ref().clone().with_data_type(values.as_ref().clone()))
        }
        _ => field.clone(),
    }
}

fn sizes<R: ChunkReader>(builder: &ParquetRecordBatchReaderBuilder<R>) -> Layout {
    let groups = builder.metadata().row_groups().iter();
    Layout::RowGroups(groups.map(|group| u64::try_from(group.num_rows()).unwrap_or(0)).collect())
}
