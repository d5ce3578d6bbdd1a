//! Parts of Parquet files.

use crate::parts::{refused, rows, rows_of};
use arrow_array::types::Int8Type;
use arrow_array::{ArrayRef, Float64Array, Int64Array, ListArray, RecordBatch, StringArray};
use kern_data::{Error, Format, Kind, Part, Schema, Source, Table};
use parquet::arrow::ArrowWriter;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Rows of each row group.
const SIZES: [usize; 5] = [4, 1, 6, 2, 3];

/// Rows from a number on: doubles, some of them missing; integers; words.
fn batch(start: usize, rows: usize) -> RecordBatch {
    let all = start..start + rows;
    let x = all.clone().map(|i| Some(i as f64 / 2.0).filter(|_| i % 5 != 3));
    let n = all.clone().map(|i| -(i as i64));
    let columns: [(&str, ArrayRef); 3] = [
        ("x", Arc::new(x.collect::<Float64Array>())),
        ("n", Arc::new(n.collect::<Int64Array>())),
        ("word", Arc::new(all.map(|i| Some(["a", "b", "c"][i % 3])).collect::<StringArray>())),
    ];
    RecordBatch::try_from_iter(columns).unwrap()
}

/// A file of row groups of these batches.
fn write(path: &Path, batches: &[RecordBatch]) {
    let mut writer =
        ArrowWriter::try_new(File::create(path).unwrap(), batches[0].schema(), None).unwrap();
    for batch in batches {
        writer.write(batch).unwrap();
        writer.flush().unwrap();
    }
    writer.close().unwrap();
}

fn file(folder: &Path) -> PathBuf {
    let path = folder.join("data.parquet");
    let mut start = 0;
    let batches = SIZES.map(|rows| {
        start += rows;
        batch(start - rows, rows)
    });
    write(&path, &batches);
    path
}

fn whole(path: &Path) -> (Table, Schema) {
    let source = Source::open(path).unwrap().kind("word", Kind::Text);
    let table = source.read().unwrap();
    let schema = table.schema();
    (table, schema)
}

#[test]
fn row_groups_have_the_rows_of_the_whole() {
    let folder = tempfile::tempdir().unwrap();
    let path = file(folder.path());
    let (table, schema) = whole(&path);
    let expected = rows(&[table], &schema);
    assert_eq!(expected.len(), SIZES.iter().sum::<usize>());
    for size in [0, 1, 4, 5, 7, 100] {
        let parts = Part::list(&[&path], size).unwrap();
        for batch in [1, 2, 100] {
            assert_eq!(rows_of(&parts, &schema, batch), expected, "{size}, {batch}");
        }
        for part in &parts {
            let count = part.count().unwrap().unwrap();
            assert!(count <= size || part.to_string().contains("row group "), "{part}");
        }
    }
    let parts = Part::list(&[&path], 7).unwrap();
    let expected = [0..2, 2..3, 3..5].map(|groups| Part::row_groups(&path, groups));
    assert_eq!(parts, expected);
    assert_eq!(Part::all(&path).count().unwrap(), Some(16));
    let none = Source::of_part(&Part::row_groups(&path, 9..9)).unwrap().read();
    assert!(matches!(none, Err(Error::Empty { what: "row", .. })));
}

/// All bytes of columns that are not read are destroyed, and so are those of other row groups.
#[test]
fn only_the_columns_of_the_row_groups_are_read() {
    let folder = tempfile::tempdir().unwrap();
    let path = file(folder.path());
    let mut bytes = std::fs::read(&path).unwrap();
    let builder = ParquetRecordBatchReaderBuilder::try_new(File::open(&path).unwrap()).unwrap();
    for (g, group) in builder.metadata().row_groups().iter().enumerate() {
        for (k, column) in group.columns().iter().enumerate() {
            if g != 2 || k != 1 {
                let (start, length) = column.byte_range();
                bytes[start as usize..(start + length) as usize].fill(0xff);
            }
        }
    }
    std::fs::write(&path, bytes).unwrap();
    let part = Part::row_groups(&path, 2..3);
    let table = Source::of_part(&part).unwrap().columns(["n"]).read().unwrap();
    let expected = [-5.0, -6.0, -7.0, -8.0, -9.0, -10.0];
    assert_eq!(table.column("n").unwrap().numbers().unwrap(), expected);
    assert!(Source::of_part(&part).unwrap().read().is_err());
    assert!(Source::open(&path).unwrap().columns(["n"]).read().is_err());
}

#[test]
fn errors_name_the_row_groups() {
    let folder = tempfile::tempdir().unwrap();
    let path = file(folder.path());
    let name = |message: &str| format!("{}, {message}", path.display());
    let part = Part::row_groups(&path, 4..7);
    assert_eq!(refused(&part), name("row groups 4 to 6: the file has 5 row groups"));
    assert_eq!(part.count().unwrap_err().to_string(), refused(&part));
    assert!(refused(&Part::row_groups(&path, 7..usize::MAX)).contains("has 5 row groups"));
    let part = Part::row_groups(&path, 2..4);
    let source = || Source::of_part(&part).unwrap();
    let other = source().columns(["n", "y"]).read().unwrap_err().to_string();
    assert_eq!(other, name("row groups 2 to 3: missing column `y`; it has x, n, word"));
    // The first row of the file's third row group is its sixth one.
    let kind = source().kind("word", Kind::Number).read().unwrap_err().to_string();
    let expected = "row groups 2 to 3, line 6: `c` in column `word`, which has numbers";
    assert_eq!(kind, name(expected));
    let large = source().columns(["x", "n"]).limit(127).read();
    assert!(matches!(&large, Err(Error::TooLarge { limit: 127, .. })));
    let large = large.unwrap_err().to_string();
    assert!(large.starts_with(&name("row groups 2 to 3: more than the 127 bytes")), "{large}");
    assert_eq!(source().columns(["x", "n"]).limit(128).read().unwrap().len(), 8);

    let bytes = std::fs::read(&path).unwrap();
    for length in [0, 3, bytes.len() / 2, bytes.len() - 1] {
        std::fs::write(&path, &bytes[..length]).unwrap();
        let message = refused(&part);
        assert!(message.starts_with(&name("row groups 2 to 3: ")), "{message}");
        assert!(matches!(Part::list(&[&path], 10), Err(Error::Format { .. })));
    }
}

#[test]
fn a_column_of_another_kind_of_values_may_be_left_out() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("data.parquet");
    let lists = ListArray::from_iter_primitive::<Int8Type, _, _>([Some(vec![Some(1)])]);
    let columns: [(&str, ArrayRef); 2] =
        [("lists", Arc::new(lists)), ("x", Arc::new(Float64Array::from(vec![5.0])))];
    let batch = RecordBatch::try_from_iter(columns).unwrap();
    write(&path, std::slice::from_ref(&batch));
    let part = Part::row_groups(&path, 0..1);
    assert!(refused(&part).contains("row group 0: column `lists` has values of type"));
    let stream = crate::arrow::stream(&batch);
    for source in [Source::of_part(&part).unwrap(), Source::new(Format::Arrow, &stream[..])] {
        let table = source.columns(["x"]).read().unwrap();
        assert_eq!(table.samples().unwrap().as_slice(), [5.0]);
    }
}

/// Columns are read one after the other; the error is that of the first row all the same.
#[test]
fn the_first_wrong_row_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("data.parquet");
    let infinite = |row: usize| {
        let values = (0..3000).map(|i| if i == row { f64::INFINITY } else { 1.0 });
        Arc::new(values.collect::<Float64Array>()) as ArrayRef
    };
    let columns = [("a", infinite(2100)), ("b", infinite(2050)), ("c", infinite(2050))];
    let batch = RecordBatch::try_from_iter(columns).unwrap();
    write(&path, std::slice::from_ref(&batch));
    for rows in [1, 7, 1024, usize::MAX] {
        let found = Source::open(&path).unwrap().batches(rows).unwrap();
        let found: Vec<_> = found.collect();
        let Some(Err(Error::Value { place, column, given, .. })) = found.last() else { panic!() };
        assert_eq!((place.line, column.as_str(), given.as_str()), (Some(2051), "b", "inf"));
        assert_eq!(found.len(), 2050 / rows + 1);
    }
    // A column of numbers may be read as words.
    let source = Source::open(&path).unwrap().columns(["a"]).kind("a", Kind::Text);
    let labels = source.read().unwrap().column("a").unwrap().labels().unwrap();
    assert_eq!((labels[0].as_str(), labels[2100].as_str()), ("1", "inf"));
}

#[test]
fn a_packed_file_is_read_as_a_whole() {
    use std::io::Write;
    let folder = tempfile::tempdir().unwrap();
    let path = file(folder.path());
    let (table, _) = whole(&path);
    let packed = folder.path().join("data.parquet.gz");
    let output = File::create(&packed).unwrap();
    let mut gzip = flate2::write::GzEncoder::new(output, flate2::Compression::fast());
    gzip.write_all(&std::fs::read(&path).unwrap()).unwrap();
    gzip.finish().unwrap();
    assert_eq!(Part::list(&[&packed], 1).unwrap(), [Part::all(&packed)]);
    let (found, _) = whole(&packed);
    assert_eq!(format!("{found:?}"), format!("{table:?}"));
}
