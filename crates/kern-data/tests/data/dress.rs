//! Names, marks, quotation marks and spellings that other programs write around values.

use crate::reading::npy;
use kern_data::{Error, Format, Kind, Note, Source, Table, Values};
use proptest::prelude::*;
use std::io::{self, Read};

fn read(format: Format, text: &str) -> Table {
    Source::new(format, text.as_bytes()).read().unwrap()
}

fn names(table: &Table) -> Vec<&str> {
    table.columns().iter().map(|column| column.name.as_str()).collect()
}

proptest! {
    #[test]
    fn a_nameless_column_of_distinct_whole_numbers_is_left_out(
        numbers in prop::collection::hash_set(-1000_i64..1_000_000, 1..40),
        real: bool,
    ) {
        let other = if real { "x1" } else { "Unnamed: 0" };
        let mut text = format!(",{other}\n");
        numbers.iter().for_each(|number| text += &format!("{number},1.5\n"));
        let table = read(Format::Csv, &text);
        prop_assert_eq!(names(&table), [other]);
        let is_noted = matches!(table.notes(), [Note::RowNumbers { .. }]);
        prop_assert!(is_noted);
        let kept = Source::new(Format::Csv, text.as_bytes()).row_numbers(true).read().unwrap();
        prop_assert_eq!(kept.columns().len(), 2);
        prop_assert!(kept.notes().is_empty());
        // In batches the first one decides.
        let batches = Source::new(Format::Csv, text.as_bytes()).batches(3).unwrap();
        for batch in batches {
            let batch = batch.unwrap();
            prop_assert_eq!(names(&batch), [other]);
        }
    }
}

#[test]
fn other_nameless_columns_are_kept() {
    for column in ["1\n1", "0.5\n1.5", "a\nb", "1\n"] {
        let mut lines = column.split('\n');
        let text = format!(",a\n{},1\n{},2\n", lines.next().unwrap(), lines.next().unwrap());
        assert_eq!(names(&read(Format::Csv, &text)), ["Unnamed: 0", "a"], "{column}");
    }
    assert_eq!(names(&read(Format::Csv, "a,,\n1,2,3\n")), ["a", "Unnamed: 1", "Unnamed: 2"]);
    let asked = Source::new(Format::Csv, ",x\n0,1\n".as_bytes()).columns(["Unnamed: 0"]);
    assert_eq!(names(&asked.read().unwrap()), ["Unnamed: 0"]);
    // R puts names in quotation marks.
    assert_eq!(names(&read(Format::Csv, "\"\",\"x\"\n\"1\",5\n\"2\",6\n")), ["x"]);
}

#[test]
fn byte_order_marks_are_no_letters() {
    for (format, text) in [
        (Format::Csv, "x,y\n1,2\n"),
        (Format::Tsv, "x\ty\n1\t2\n"),
        (Format::JsonLines, "{\"x\":1,\"y\":2}\n"),
        (Format::Libsvm, "1 1:2\n"),
        (Format::Text, "a\n"),
        (Format::Csv, "x"),
    ] {
        let plain = Source::new(format, text.as_bytes()).read();
        let marked = format!("\u{feff}{text}");
        let marked = Source::new(format, marked.as_bytes()).read();
        assert_eq!(format!("{marked:?}"), format!("{plain:?}"));
    }
    let wide: Vec<u8> = "\u{feff}x\n1\n".encode_utf16().flat_map(u16::to_le_bytes).collect();
    let refused = Source::new(Format::Csv, &wide[..]).read().unwrap_err().to_string();
    assert!(refused.contains("UTF-16"), "{refused}");
}

#[test]
fn words_for_missing_values_are_words_in_quotation_marks() {
    let levels = |table: &Table| match &table.columns()[0].values {
        Values::Categories(categories) => categories.levels.clone(),
        other => panic!("{other:?}"),
    };
    let bare = "c\nNA\nnone\nx\nx\ny\nx\ny\nx\n";
    let quoted = "c\n\"NA\"\n\"none\"\nx\nx\ny\nx\ny\nx\nx\nx\nx\nx\nx\nx\ny\ny\n";
    assert_eq!(levels(&read(Format::Csv, bare)), ["x", "y"]);
    assert_eq!(levels(&read(Format::Csv, quoted)), ["NA", "none", "x", "y"]);
    let json: String =
        ["none", "a", "a", "none"].iter().map(|c| format!("{{\"c\":\"{c}\"}}\n")).collect();
    assert_eq!(levels(&read(Format::JsonLines, &json)), ["a", "none"]);
    // A category that the user asks for may be any word.
    let source = || Source::new(Format::Csv, bare.as_bytes());
    let asked = source().kind("c", Kind::Category { levels: Vec::new() }).read().unwrap();
    assert_eq!(levels(&asked), ["NA", "none", "x", "y"]);
    // A model that has learned it knows it.
    assert_eq!(levels(&source().schema(&asked.schema()).read().unwrap()), ["NA", "none", "x", "y"]);
    let plain = read(Format::Csv, bare).schema();
    assert_eq!(source().schema(&plain).read().unwrap().columns()[0].values.missing(), 2);
    // Among numbers they are missing in every dress.
    let numbers = read(Format::Csv, "n\n1\n\"NA\"\nnan\n");
    assert_eq!(numbers.column("n").unwrap().values.missing(), 2);
}

#[test]
fn a_column_of_numbers_with_a_few_others_is_noted() {
    let mut text = "price\n".to_string();
    (0..100).for_each(|i| text += &if i == 16 { "$3\n".to_string() } else { format!("{i}\n") });
    let table = read(Format::Csv, &text);
    let expected = "column price: 1 of 100 values is not a number (row 17: `$3`): read as text";
    assert_eq!(table.notes()[0].to_string(), expected);
    let table = Source::new(Format::Csv, text.as_bytes()).number("price").read().unwrap();
    assert_eq!(table.column("price").unwrap().values.missing(), 1);
    assert!(table.notes()[0].to_string().ends_with("treated as missing"));
    for word in ["inf", "-", "#N/A", "\"1,5\"", "12%"] {
        let table = read(Format::Csv, &text.replace("$3", word));
        assert_eq!(table.notes().len(), 1, "{word}");
    }
    assert!(read(Format::Csv, "word\na\nb\n1\nc\n").notes().is_empty());
}

#[test]
fn wider_files_and_absent_keys_are_read_by_a_schema() {
    let schema = read(Format::Libsvm, "1 1:1 2:1\n").schema();
    let wide = Source::new(Format::Libsvm, "1 1:1 5:7\n0 9:1\n".as_bytes()).schema(&schema);
    let wide = wide.read().unwrap();
    assert_eq!(names(&wide), ["target", "x1", "x2"]);
    assert_eq!(wide.column("x1").unwrap().numbers().unwrap(), [1.0, 0.0]);
    let limited = Source::new(Format::Libsvm, "1 5:7\n".as_bytes()).width(2).read();
    assert!(matches!(limited, Err(Error::Format { .. })));
    let schema = read(Format::JsonLines, "{\"a\":1,\"b\":2}\n").schema();
    let json = |text: &'static str| {
        Source::new(Format::JsonLines, text.as_bytes()).schema(&schema).columns(["a", "b"]).read()
    };
    let table = json("{\"a\":1,\"z\":[1]}\n{\"a\":2}\n").unwrap();
    assert_eq!(table.column("b").unwrap().values.missing(), 2);
    assert!(matches!(json("{\"z\":1}\n"), Err(Error::NoColumn { given, .. }) if given == "a"));
}

#[test]
fn columns_that_are_not_read_do_not_matter() {
    let file = b"a,b,b\n1,x,\xff\n2,3,4\n";
    let table = Source::new(Format::Csv, &file[..]).columns(["a"]).batches(1).unwrap();
    assert_eq!(table.map(Result::unwrap).map(|table| table.len()).sum::<usize>(), 2);
}

#[test]
fn arrays_of_booleans_and_halves_are_read() {
    let array = |descr: &str, bytes: &[u8]| {
        let header = format!("{{'descr': '{descr}', 'fortran_order': False, 'shape': (2,), }}");
        let mut array = npy(&header, &[]);
        array.extend(bytes);
        let table = Source::new(Format::Npy, &array[..]).read().unwrap();
        table.column("x1").unwrap().numbers().unwrap().to_vec()
    };
    assert_eq!(array("|b1", &[1, 0]), [1.0, 0.0]);
    assert_eq!(array("<f2", &[0, 0x3e, 0, 0xbc]), [1.5, -1.0]);
}

/// Lines that come one by one.
struct Slow(Vec<&'static str>);

impl Read for Slow {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let Some(line) = self.0.pop() else { return Ok(0) };
        buffer[..line.len()].copy_from_slice(line.as_bytes());
        Ok(line.len())
    }
}

#[test]
fn eager_batches_end_with_what_is_there() {
    let lines = || Slow(vec!["7,8\n", "3,4\n5,6\n", "1,2\n", "a,b\n"]);
    let lengths = |source: Source<'_>| {
        source.batches(10).unwrap().map(|batch| batch.unwrap().len()).collect::<Vec<_>>()
    };
    assert_eq!(lengths(Source::new(Format::Csv, lines()).eager(true)), [1, 2, 1]);
    assert_eq!(lengths(Source::new(Format::Csv, lines())), [4]);
}

#[test]
fn a_quotation_mark_that_is_not_closed_is_refused() {
    let refused = Source::new(Format::Csv, "a,b\n1,2\n3,\"4\n5,6\n".as_bytes()).read();
    let text = refused.unwrap_err().to_string();
    assert!(text.starts_with("the input, line 3: a quotation mark"), "{text}");
}

/// A few packed bytes may be a line without an end.
#[test]
fn lines_and_records_have_an_end() {
    let endless = || io::repeat(b'x').take(1 << 27);
    for format in [Format::Csv, Format::JsonLines, Format::Libsvm, Format::Text] {
        let error = Source::new(format, endless()).read().unwrap_err().to_string();
        assert!(error.contains("a line of more than"), "{format:?}: {error}");
    }
    let quoted = format!("a\n\"{}", format!("{}\n", "x".repeat(1 << 20)).repeat(70));
    let error = Source::new(Format::Csv, quoted.as_bytes()).read().unwrap_err().to_string();
    assert!(error.contains("a line of more than"), "{error}");
    let wide = format!("{}\n1\n", "x,".repeat(200_000));
    let error = Source::new(Format::Csv, wide.as_bytes()).read().unwrap_err().to_string();
    assert!(error.contains("a table has at most 100000"), "{error}");
}
