//! Files of Apache Arrow and Parquet.

use arrow_array::types::Int8Type;
use arrow_array::{
    ArrayRef, BooleanArray, Date32Array, Decimal128Array, DictionaryArray, Int64Array, ListArray,
    RecordBatch, StringArray, StringViewArray,
};
use arrow_ipc::writer::{FileWriter, StreamWriter};
use kern_data::{Column, Error, Format, Kind, Note, Source, Table, Values};
use parquet::arrow::ArrowWriter;
use std::sync::Arc;

pub(crate) fn table() -> Table {
    let csv =
        "size,colour,note,target\n1.5,red,a first note,3\n,blue,,4\n-2e3,,\"yet, another\",5\n";
    let source = Source::new(Format::Csv, csv.as_bytes());
    let colours = Kind::Category { levels: Vec::new() };
    source.kind("colour", colours).kind("note", Kind::Text).read().unwrap()
}

pub(crate) fn parquet(batch: &RecordBatch) -> Vec<u8> {
    let mut writer = ArrowWriter::try_new(Vec::new(), batch.schema(), None).unwrap();
    writer.write(batch).unwrap();
    writer.into_inner().unwrap()
}

pub(crate) fn feather(batch: &RecordBatch) -> Vec<u8> {
    let mut writer = FileWriter::try_new(Vec::new(), &batch.schema()).unwrap();
    writer.write(batch).unwrap();
    writer.into_inner().unwrap()
}

pub(crate) fn stream(batch: &RecordBatch) -> Vec<u8> {
    let mut writer = StreamWriter::try_new(Vec::new(), &batch.schema()).unwrap();
    writer.write(batch).unwrap();
    writer.into_inner().unwrap()
}

/// Equal, missing numbers included.
fn same(found: &Table, expected: &Table) {
    assert_eq!(format!("{found:?}"), format!("{expected:?}"));
}

#[test]
fn a_table_comes_back_from_each_format() {
    let table = table();
    let batch = RecordBatch::try_from(&table).unwrap();
    let schema = table.schema();
    let read = |format, bytes: &[u8]| Source::new(format, bytes).schema(&schema).read().unwrap();
    same(&read(Format::Parquet, &parquet(&batch)), &table);
    same(&read(Format::Arrow, &feather(&batch)), &table);
    same(&read(Format::Arrow, &stream(&batch)), &table);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("table.parquet");
    std::fs::write(&path, parquet(&batch)).unwrap();
    same(&Source::open(&path).unwrap().schema(&schema).read().unwrap(), &table);
    let batches = Source::open(&path).unwrap().schema(&schema).batches(2).unwrap();
    let lengths: Vec<usize> = batches.map(|batch| batch.unwrap().len()).collect();
    assert_eq!(lengths, [2, 1]);
}

/// As polars writes them: a dictionary behind the batch that needs it.
#[test]
fn a_dictionary_of_a_file_may_come_late() {
    let table = table();
    let bytes = feather(&RecordBatch::try_from(&table).unwrap());
    let marks: Vec<usize> =
        (0..bytes.len() - 4).filter(|&at| at % 8 == 0 && bytes[at..at + 4] == [0xff; 4]).collect();
    // Schema, dictionary, batch, end.
    let [_, dictionary, batch, end] = marks[..] else { panic!("{marks:?}") };
    let parts =
        [&bytes[..dictionary], &bytes[batch..end], &bytes[dictionary..batch], &bytes[end..]];
    let turned = parts.concat();
    same(&Source::new(Format::Arrow, &turned[..]).schema(&table.schema()).read().unwrap(), &table);
}

/// As polars writes them.
#[test]
fn the_schema_of_a_file_may_have_no_length() {
    let table = table();
    let batch = RecordBatch::try_from(&table).unwrap();
    let mut bytes = feather(&batch);
    let mark = bytes.windows(4).position(|window| window == [0xff; 4]).unwrap();
    bytes.drain(mark..mark + 8);
    same(&Source::new(Format::Arrow, &bytes[..]).schema(&table.schema()).read().unwrap(), &table);
    for end in [mark, mark + 8, mark + 200, bytes.len() / 2] {
        Source::new(Format::Arrow, &bytes[..end]).read().unwrap_err();
    }
}

#[test]
fn types_become_numbers_categories_or_text() {
    let columns: [(&str, ArrayRef); 6] = [
        ("count", Arc::new(Int64Array::from(vec![Some(7), None, Some(-1)]))),
        ("seen", Arc::new(BooleanArray::from(vec![Some(true), Some(false), None]))),
        ("day", Arc::new(Date32Array::from(vec![1, 2, 20_000]))),
        (
            "price",
            Arc::new(
                Decimal128Array::from(vec![1234, -5, 0]).with_precision_and_scale(9, 2).unwrap(),
            ),
        ),
        ("code", Arc::new(StringViewArray::from(vec!["1", "2", "1"]))),
        (
            "kind",
            Arc::new(
                [Some("b"), None, Some("a")].into_iter().collect::<DictionaryArray<Int8Type>>(),
            ),
        ),
    ];
    let batch = RecordBatch::try_from_iter(columns).unwrap();
    let from_batch = Table::try_from(&batch).unwrap();
    same(&Source::new(Format::Parquet, &parquet(&batch)[..]).read().unwrap(), &from_batch);
    let numbers = |name: &str| from_batch.column(name).unwrap().values.reals().unwrap().to_vec();
    assert_eq!(from_batch.column("day").unwrap().values.kind(), Kind::Instant);
    assert_eq!((numbers("count")[0], numbers("count")[1].is_nan()), (7.0, true));
    assert_eq!(
        (numbers("day"), numbers("price")),
        ([1.0, 2.0, 20_000.0].map(|day| 86_400.0 * day).to_vec(), vec![12.34, -0.05, 0.0])
    );
    let categories = |name: &str| match &from_batch.column(name).unwrap().values {
        Values::Categories(categories) => categories.clone(),
        other => panic!("{name}: {other:?}"),
    };
    assert_eq!(categories("seen").levels, ["false", "true"]);
    assert_eq!(categories("kind").codes, [Some(1), None, Some(0)]);
    // What is a string stays one.
    assert_eq!(categories("code").levels, ["1", "2"]);
}

#[test]
fn what_is_no_column_is_refused_by_name() {
    let lists = ListArray::from_iter_primitive::<Int8Type, _, _>([Some(vec![Some(1)])]);
    let columns: [(&str, ArrayRef); 2] =
        [("name", Arc::new(StringArray::from(vec!["x"]))), ("lists", Arc::new(lists))];
    let batch = RecordBatch::try_from_iter(columns).unwrap();
    let message =
        Source::new(Format::Parquet, &parquet(&batch)[..]).read().unwrap_err().to_string();
    assert!(message.contains("`lists`") && message.contains("List"), "{message}");
    assert!(matches!(Table::try_from(&batch), Err(Error::Kind { .. })));
    let infinite = Column { name: "x".into(), values: Values::Numbers(vec![0.0, f64::INFINITY]) };
    let batch = RecordBatch::try_from(&Table::new(vec![infinite]).unwrap()).unwrap();
    let message = Source::new(Format::Arrow, &stream(&batch)[..]).read().unwrap_err().to_string();
    assert_eq!(message, "the input, line 2: `inf` in column `x`, which has numbers");
}

#[test]
fn an_index_of_pandas_is_left_out() {
    let columns: [(&str, ArrayRef); 2] = [
        ("x", Arc::new(Int64Array::from(vec![5, 6]))),
        ("__index_level_0__", Arc::new(Int64Array::from(vec![17, 3]))),
    ];
    let batch = RecordBatch::try_from_iter(columns).unwrap();
    let bytes = [
        (Format::Parquet, parquet(&batch)),
        (Format::Arrow, feather(&batch)),
        (Format::Arrow, stream(&batch)),
    ];
    let in_memory = Table::try_from(&batch).unwrap();
    assert_eq!((in_memory.columns().len(), in_memory.notes().len()), (1, 1));
    for (format, bytes) in bytes {
        same(&Source::new(format, &bytes[..]).read().unwrap(), &in_memory);
        let kept = Source::new(format, &bytes[..]).row_numbers(true).read().unwrap();
        assert_eq!(kept.column("__index_level_0__").unwrap().numbers().unwrap(), [17.0, 3.0]);
        let asked = Source::new(format, &bytes[..]).columns(["__index_level_0__"]).read().unwrap();
        assert_eq!(asked.columns().len(), 1);
    }
}

/// The same table as JSON lines, Parquet and Arrow.
fn typed(json: &str, column: ArrayRef) -> Vec<Table> {
    let batch = RecordBatch::try_from_iter([("c", column)]).unwrap();
    let read = |format, bytes: Vec<u8>| Source::new(format, &bytes[..]).read().unwrap();
    vec![
        read(Format::JsonLines, json.as_bytes().to_vec()),
        read(Format::Parquet, parquet(&batch)),
        read(Format::Arrow, stream(&batch)),
        Table::try_from(&batch).unwrap(),
    ]
}

#[test]
fn strings_of_formats_with_types_are_words_as_they_are() {
    for words in [["7", "12"], ["NA", "null"], [" a", "a"], ["-", "a "]] {
        let rows = [0, 1, 0, 1, 1, 0].map(|k| words[k]);
        let json: String = rows.iter().map(|word| format!("{{\"c\": \"{word}\"}}\n")).collect();
        for table in typed(&json, Arc::new(StringArray::from(rows.to_vec()))) {
            let column = table.column("c").unwrap();
            assert!(matches!(column.values.kind(), Kind::Category { .. }), "{words:?}: {table:?}");
            assert_eq!(column.labels().unwrap(), rows, "{words:?}");
        }
    }
    // Those that look like numbers are told of where numbers may have been meant.
    let json = "{\"c\": \"7\"}\n{\"c\": \"8\"}\n";
    let read = || Source::new(Format::JsonLines, json.as_bytes());
    let expected =
        "column c: 2 of 2 values are strings that look like numbers: read as words".to_string();
    let notes: Vec<String> =
        read().read().unwrap().notes().iter().map(ToString::to_string).collect();
    assert_eq!(notes, [expected]);
    let asked = read().kind("c", Kind::Number).read().unwrap();
    assert_eq!(asked.column("c").unwrap().numbers().unwrap(), [7.0, 8.0]);
    // Among numbers a missing value may be a string.
    let mixed = "{\"c\": 7}\n{\"c\": \"NA\"}\n{\"c\": 1.5}\n";
    let mixed = Source::new(Format::JsonLines, mixed.as_bytes()).read().unwrap();
    assert_eq!(mixed.column("c").unwrap().values.missing(), 1);
    assert_eq!(mixed.column("c").unwrap().values.kind(), Kind::Number);
}

#[test]
fn whole_numbers_that_are_rounded_are_told_of() {
    let ids = [9_007_199_254_740_993_i64, 9_007_199_254_740_992, 5];
    let json: String = ids.iter().map(|id| format!("{{\"c\": {id}}}\n")).collect();
    let mut tables = typed(&json, Arc::new(Int64Array::from(ids.to_vec())));
    let csv = format!("c\n{}\n{}\n{}\n", ids[0], ids[1], ids[2]);
    tables.push(Source::new(Format::Csv, csv.as_bytes()).read().unwrap());
    for table in &tables[..3] {
        assert!(matches!(table.notes(), [Note::Rounded { count: 1, .. }]), "{:?}", table.notes());
    }
    assert!(matches!(tables[4].notes(), [Note::Rounded { count: 1, .. }]));
    let spelled = Source::new(Format::Csv, csv.as_bytes()).keep_spelling("c").read().unwrap();
    assert!(spelled.notes().is_empty());
}
