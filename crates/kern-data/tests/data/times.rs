//! An instant is an instant in every unit, library and format, and so is a duration; what is another thing is refused.

use crate::arrow::{feather, parquet, stream};
use crate::reading::npy;
use arrow_array::types::Int32Type;
use arrow_array::{
    ArrayRef, BooleanArray, Date32Array, Date64Array, Decimal128Array, DictionaryArray,
    DurationMillisecondArray, DurationSecondArray, Int32Array, Int64Array, RecordBatch,
    StringArray, TimestampMicrosecondArray, TimestampMillisecondArray, TimestampNanosecondArray,
    TimestampSecondArray,
};
use kern_data::{Error, Format, Kind, Schema, Source, Table, Values};
use proptest::prelude::*;
use std::sync::Arc;

fn table(column: ArrayRef) -> Vec<Table> {
    let batch = RecordBatch::try_from_iter([("t", column)]).unwrap();
    let read = |format, bytes: Vec<u8>| Source::new(format, &bytes[..]).read().unwrap();
    vec![
        Table::try_from(&batch).unwrap(),
        read(Format::Parquet, parquet(&batch)),
        read(Format::Arrow, feather(&batch)),
        read(Format::Arrow, stream(&batch)),
    ]
}

fn seconds(table: &Table, kind: &Kind) -> Vec<f64> {
    let values = &table.columns()[0].values;
    assert_eq!(values.kind(), *kind, "{table:?}");
    values.reals().unwrap().to_vec()
}

fn days(schema: Kind, format: Format, text: &str) -> Result<Table, Error> {
    let field = kern_data::Field { name: "t".into(), kind: schema };
    Source::new(format, text.as_bytes()).schema(&Schema { fields: vec![field] }).read()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn an_instant_is_one_in_every_unit(milliseconds in -9_000_000_000_000..9_000_000_000_000_i64) {
        let (ms, expected) = (milliseconds, [milliseconds.div_euclid(1000) as f64
            + milliseconds.rem_euclid(1000) as f64 / 1000.0]);
        let zone = TimestampNanosecondArray::from(vec![ms * 1_000_000]).with_timezone("+02:00");
        let columns: [ArrayRef; 5] = [
            Arc::new(TimestampNanosecondArray::from(vec![ms * 1_000_000])),
            Arc::new(TimestampMicrosecondArray::from(vec![ms * 1000])),
            Arc::new(TimestampMillisecondArray::from(vec![ms])),
            Arc::new(Date64Array::from(vec![ms])),
            Arc::new(zone),
        ];
        for column in columns {
            for table in table(column) {
                prop_assert_eq!(&seconds(&table, &Kind::Instant)[..], &expected[..]);
                // And as a batch again.
                let batch = RecordBatch::try_from(&table).unwrap();
                let again = Table::try_from(&batch).unwrap();
                prop_assert_eq!(&seconds(&again, &Kind::Instant)[..], &expected[..]);
                // And as text.
                let text = table.columns()[0].values.text(0).unwrap();
                for (format, text) in [
                    (Format::Csv, format!("t\n{text}\n")),
                    (Format::JsonLines, format!("{{\"t\":\"{text}\"}}\n")),
                ] {
                    let table = Source::new(format, text.as_bytes()).read().unwrap();
                    prop_assert_eq!(&seconds(&table, &Kind::Instant)[..], &expected[..]);
                }
            }
        }
        let array = |descr: &str, value: i64| {
            let header = format!("{{'descr': '{descr}', 'fortran_order': False, 'shape': (1,), }}");
            let bytes = npy(&header, &[f64::from_bits(value as u64)]);
            seconds(&Source::new(Format::Npy, &bytes[..]).read().unwrap(), &Kind::Instant)
        };
        prop_assert_eq!(&array("<M8[ms]", ms)[..], &expected[..]);
        prop_assert_eq!(&array("<M8[ns]", ms * 1_000_000)[..], &expected[..]);
    }

    #[test]
    fn a_day_is_its_midnight(day in -100_000..100_000_i32) {
        let expected = [f64::from(day) * 86_400.0];
        let columns: [ArrayRef; 2] = [
            Arc::new(Date32Array::from(vec![day])),
            Arc::new(TimestampSecondArray::from(vec![i64::from(day) * 86_400])),
        ];
        for table in columns.into_iter().flat_map(table) {
            prop_assert_eq!(&seconds(&table, &Kind::Instant)[..], &expected[..]);
        }
    }
}

#[test]
fn durations_are_seconds() {
    let columns: [ArrayRef; 2] = [
        Arc::new(DurationMillisecondArray::from(vec![Some(90_000), None])),
        Arc::new(DurationSecondArray::from(vec![Some(90), None])),
    ];
    for table in columns.into_iter().flat_map(table) {
        let found = seconds(&table, &Kind::Duration);
        assert!(found[0] == 90.0 && found[1].is_nan());
    }
    for text in ["t\n0 days 00:01:30\n", "t\nPT1M30S\n", "t\n00:01:30\n"] {
        let table = days(Kind::Duration, Format::Csv, text).unwrap();
        assert_eq!(seconds(&table, &Kind::Duration), [90.0]);
    }
}

#[test]
fn what_is_no_time_is_refused_by_name() {
    let text = days(Kind::Instant, Format::Csv, "t\n2024-01-05\nsoon\n").unwrap_err().to_string();
    assert_eq!(text, "the input, line 3: `soon` in column `t`, which has dates or times");
    let number = days(Kind::Instant, Format::JsonLines, "{\"t\":1700000000000}\n");
    assert!(matches!(number, Err(Error::Value { .. })), "{number:?}");
    let schema = |kind| Schema { fields: vec![kern_data::Field { name: "t".into(), kind }] };
    let read = |column: ArrayRef, kind: Kind| {
        let batch = RecordBatch::try_from_iter([("t", column)]).unwrap();
        let in_memory = Table::try_from(&batch).unwrap().rows(&schema(kind.clone()));
        let bytes = parquet(&batch);
        let source = Source::new(Format::Parquet, &bytes[..]).schema(&schema(kind));
        (in_memory.map(drop), source.read().map(drop))
    };
    let time = || -> ArrayRef { Arc::new(TimestampSecondArray::from(vec![5])) };
    let duration = || -> ArrayRef { Arc::new(DurationSecondArray::from(vec![5])) };
    let number = || -> ArrayRef { Arc::new(Int64Array::from(vec![5])) };
    let levels = || Kind::Category { levels: vec!["a".into()] };
    // A model of an earlier version has a number for a time, of a unit that is not known.
    for (column, kind) in [
        (time(), Kind::Number),
        (time(), Kind::Duration),
        (time(), levels()),
        (time(), Kind::Text),
        (duration(), Kind::Instant),
        (duration(), Kind::Number),
        (number(), Kind::Instant),
        (number(), Kind::Duration),
    ] {
        let (in_memory, read) = read(column, kind);
        for refused in [in_memory.unwrap_err(), read.unwrap_err()] {
            let is_named = matches!(&refused, Error::Kind { column, .. } | Error::Value { column, .. } if column == "t");
            assert!(is_named, "{refused}");
        }
    }
}

#[test]
fn truth_values_are_one_in_every_format() {
    let batch: ArrayRef = Arc::new(BooleanArray::from(vec![true, false, true]));
    let batch = RecordBatch::try_from_iter([("b", batch)]).unwrap();
    let bytes = parquet(&batch);
    let text = |word: fn(&str) -> String| {
        let (t, f) = (word("true"), word("false"));
        format!("b\n{t}\n{f}\n{t}\n")
    };
    let csv = |text: String| Source::new(Format::Csv, text.as_bytes()).read().unwrap();
    let capital = |word: &str| word[..1].to_uppercase() + &word[1..];
    let json = "{\"b\":true}\n{\"b\":false}\n{\"b\":true}\n";
    let tables = [
        Table::try_from(&batch).unwrap(),
        Source::new(Format::Parquet, &bytes[..]).read().unwrap(),
        Source::new(Format::JsonLines, json.as_bytes()).read().unwrap(),
        csv(text(str::to_owned)),
        csv(text(str::to_uppercase)),
        csv(text(capital)),
        csv("b\nTrue\nFALSE\ntrue\n".to_string()),
    ];
    for learned in &tables {
        let schema = learned.schema();
        let rows = learned.rows(&schema).unwrap();
        assert_ne!(rows[0], rows[1]);
        for asked in &tables {
            assert_eq!(asked.rows(&schema).unwrap(), rows, "{schema:?} {asked:?}");
        }
        // Numbers, as arrays have them.
        assert_eq!(csv("b\n1\n0\n1\n".to_string()).rows(&schema).unwrap(), rows);
    }
    // Labels keep their spelling.
    assert_eq!(tables[5].column("b").unwrap().labels().unwrap(), ["True", "False", "True"]);
    let labels = tables[0].column("b").unwrap().labels_as(&["False".into(), "True".into()]);
    assert_eq!(labels.unwrap(), ["True", "False", "True"]);
}

#[test]
fn a_dictionary_is_a_matter_of_storage() {
    let decimals = Decimal128Array::from(vec![150, -25]).with_precision_and_scale(9, 2).unwrap();
    let values: [ArrayRef; 7] = [
        Arc::new(Int64Array::from(vec![3, 4])),
        Arc::new(decimals),
        Arc::new(Date32Array::from(vec![19_000, 1])),
        Arc::new(TimestampNanosecondArray::from(vec![1_500_000_000, 0]).with_timezone("UTC")),
        Arc::new(DurationMillisecondArray::from(vec![1500, 0])),
        Arc::new(BooleanArray::from(vec![true, false])),
        Arc::new(StringArray::from(vec!["b", "a"])),
    ];
    for values in values {
        let keys = Int32Array::from(vec![Some(0), Some(1), None, Some(0)]);
        let dictionary = DictionaryArray::<Int32Type>::try_new(keys, values.clone()).unwrap();
        // Parquet has no dictionaries of some types, and writers are given the values then.
        let kind = values.data_type();
        let (expected, found) = (table(values.clone()), table(Arc::new(dictionary)));
        for (found, expected) in found.iter().zip(&expected) {
            let (found, expected) = (&found.columns()[0].values, &expected.columns()[0].values);
            let texts = |values: &Values, rows: &[usize]| {
                rows.iter().map(|&row| values.text(row)).collect::<Vec<_>>()
            };
            assert_eq!(found.kind(), expected.kind(), "{kind}");
            assert_eq!(texts(found, &[0, 1, 3]), texts(expected, &[0, 1, 0]), "{kind}");
            assert_eq!(found.text(2), None, "{kind}");
        }
    }
}

#[test]
fn labels_keep_their_digits() {
    let big = [9_007_199_254_740_992_i64, 9_007_199_254_740_993];
    let column: ArrayRef = Arc::new(Int64Array::from(big.to_vec()));
    let batch = RecordBatch::try_from_iter([("id", column)]).unwrap();
    let bytes = parquet(&batch);
    let table = Source::new(Format::Parquet, &bytes[..]).keep_spelling("id").read().unwrap();
    assert_eq!(table.column("id").unwrap().labels().unwrap(), big.map(|id| id.to_string()));
    let labels = |text: &str| {
        let text = format!("y\n{text}\n");
        let table = Source::new(Format::Csv, text.as_bytes()).keep_spelling("y").read().unwrap();
        table.column("y").unwrap().labels().unwrap()
    };
    assert_eq!(labels("007\n1e5\n010"), ["007", "1e5", "010"]);
    assert_eq!(labels("0\n-0\n0.0"), ["0", "0", "0"]);
    assert_eq!(labels("9007199254740992\n9007199254740993").len(), 2);
    assert_ne!(labels("9007199254740992\n9007199254740993")[0], "9007199254740993");
    assert_eq!(labels("7\n007\n7.0"), ["7", "7", "7"]);
    let names = StringArray::from(vec!["NA", "none"]);
    let batch = RecordBatch::try_from_iter([("n", Arc::new(names) as ArrayRef)]).unwrap();
    let words = Table::try_from(&batch).unwrap();
    assert_eq!(words.column("n").unwrap().labels().unwrap(), ["NA", "none"]);
}
