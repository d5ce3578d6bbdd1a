//! Parts of files: their rows are those of the whole, and errors name them.

use crate::reading::npy;
use flate2::Compression;
use flate2::write::GzEncoder;
use kern_data::{Error, Format, Kind, Part, Schema, Source, Span, Table};
use std::io::{Seek, SeekFrom, Write};
use std::path::Path;

/// The rows of tables, as they are printed: a missing number is like another one.
pub(crate) fn rows(tables: &[Table], schema: &Schema) -> Vec<String> {
    let rows = tables.iter().flat_map(|table| table.rows(schema).unwrap());
    rows.map(|row| format!("{row:?}")).collect()
}

/// The rows of parts, read in batches.
pub(crate) fn rows_of(parts: &[Part], schema: &Schema, size: usize) -> Vec<String> {
    let batches = |part: &Part| {
        let source = Source::of_part(part).unwrap().schema(schema);
        source.batches(size).unwrap().map(Result::unwrap).collect::<Vec<_>>()
    };
    rows(&parts.iter().flat_map(batches).collect::<Vec<_>>(), schema)
}

/// The reason for which a part is refused.
pub(crate) fn refused(part: &Part) -> String {
    Source::of_part(part).and_then(Source::read).unwrap_err().to_string()
}

/// An array of so many rows and columns, of 0, 1, 2, … by rows.
fn array(order: &str, rows: usize, width: usize) -> Vec<u8> {
    let header =
        format!("{{'descr': '<f8', 'fortran_order': {order}, 'shape': ({rows}, {width}), }}");
    let value = |i: usize, k: usize| (i * width + k) as f64;
    let values: Vec<f64> = match order {
        "True" => (0..width).flat_map(|k| (0..rows).map(move |i| value(i, k))).collect(),
        _ => (0..rows).flat_map(|i| (0..width).map(move |k| value(i, k))).collect(),
    };
    npy(&header, &values)
}

#[test]
fn rows_of_an_array_are_those_of_the_whole() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("data.npy");
    for order in ["False", "True"] {
        std::fs::write(&path, array(order, 23, 3)).unwrap();
        let whole = Source::open(&path).unwrap().read().unwrap();
        let schema = whole.schema();
        let expected = rows(&[whole], &schema);
        for size in [1, 5, 23, 100] {
            let parts = Part::list(&[&path], size).unwrap();
            assert_eq!(parts.len() as u64, 23_u64.div_ceil(size));
            let counts = parts.iter().map(|part| part.count().unwrap().unwrap());
            assert_eq!(counts.sum::<u64>(), 23);
            assert_eq!(rows_of(&parts, &schema, 2), expected, "{order}, {size}");
        }
        let some = Source::of_part(&Part::rows(&path, 20..22)).unwrap().columns(["x3", "x1"]);
        assert_eq!(some.read().unwrap().samples().unwrap().as_slice(), [60.0, 62.0, 63.0, 65.0]);
    }
    // An array of one dimension is a column, in either order.
    for order in ["False", "True"] {
        let header = format!("{{'descr': '<f8', 'fortran_order': {order}, 'shape': (4,), }}");
        std::fs::write(&path, npy(&header, &[1.0, 2.0, 3.0, 4.0])).unwrap();
        let table = Source::of_part(&Part::rows(&path, 1..3)).unwrap().read().unwrap();
        assert_eq!(table.column("x1").unwrap().numbers().unwrap(), [2.0, 3.0]);
    }
}

/// An array of 64 GiB, nearly all of it a hole in the file: whoever reads it from the start does not come to an end.
#[test]
#[cfg(target_os = "linux")]
fn rows_of_a_huge_array_are_found_by_seeking() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("huge.npy");
    for order in ["False", "True"] {
        let shape = format!(
            "{{'descr': '<f8', 'fortran_order': {order}, 'shape': ({}, 8), }}",
            1_u64 << 30
        );
        let header = npy(&shape, &[]);
        let mut file = std::fs::File::create(&path).unwrap();
        file.write_all(&header).unwrap();
        file.set_len(header.len() as u64 + (1 << 36)).unwrap();
        file.seek(SeekFrom::End(-8)).unwrap();
        file.write_all(&7.0_f64.to_le_bytes()).unwrap();
        let last = (1 << 30) - 1;
        let part = Part::rows(&path, last..last + 1);
        let table = Source::of_part(&part).unwrap().read().unwrap();
        let expected = [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 7.0];
        assert_eq!(table.samples().unwrap().as_slice(), expected, "{order}");
        assert_eq!(Part::all(&path).count().unwrap(), Some(1 << 30));
        // Whole files are read in batches, too.
        let first = Source::open(&path).unwrap().limit(1 << 16).batches(100).unwrap().next();
        assert_eq!(first.unwrap().unwrap().len(), 100);
    }
}

#[test]
fn a_directory_stands_for_its_files() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, bytes: &[u8]| {
        let path = folder.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, bytes).unwrap();
        path
    };
    let second = write("out/part-2.csv", b"x\n3\n");
    let first = write("out/part-1.csv", b"x\n1\n2\n");
    let array = write("out/rest.npy", &array("False", 5, 1));
    for skipped in ["_SUCCESS", "_old.csv", ".part-1.csv", "notes.md", "deeper/part-0.csv"] {
        write(&format!("out/{skipped}"), b"x\n9\n");
    }
    let single = write("single.tsv", b"x\n4\n");
    let parts = Part::list(&[&folder.path().join("out"), &single], 3).unwrap();
    let expected = [
        Part::all(&first),
        Part::all(&second),
        Part::rows(&array, 0..3),
        Part::rows(&array, 3..5),
        Part::all(&single),
    ];
    assert_eq!(parts, expected);
    let counts: Vec<_> = parts.iter().map(|part| part.count().unwrap()).collect();
    assert_eq!(counts, [None, None, Some(3), Some(2), None]);

    std::fs::create_dir(folder.path().join("none")).unwrap();
    let none = Part::list(&[folder.path().join("none")], 3).unwrap_err().to_string();
    assert!(none.ends_with("none: there is no file of a known format"), "{none}");
    let unknown = Part::list(&[folder.path().join("out/notes.md")], 3);
    assert!(matches!(unknown, Err(Error::UnknownFormat { .. })), "{unknown:?}");
    let missing = Part::list(&[folder.path().join("out/none.csv")], 3);
    assert!(matches!(missing, Err(Error::Io { .. })), "{missing:?}");
}

#[test]
fn errors_name_the_rows() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("data.npy");
    let bytes = array("True", 10, 2);
    std::fs::write(&path, &bytes).unwrap();
    let name = |message: &str| format!("{}, {message}", path.display());
    let part = Part::rows(&path, 8..11);
    assert_eq!(refused(&part), name("rows 8 to 10: the array has 10 rows"));
    assert_eq!(part.count().unwrap_err().to_string(), refused(&part));
    let part = Part::rows(&path, 4..6);
    let source = || Source::of_part(&part).unwrap();
    let wrong = source().columns(["x1", "y"]).read().unwrap_err().to_string();
    assert_eq!(wrong, name("rows 4 to 5: missing column `y`; it has x1, x2"));
    let large = source().limit(31).read();
    assert!(matches!(&large, Err(Error::TooLarge { limit: 31, .. })));
    assert!(large.unwrap_err().to_string().starts_with(&name("rows 4 to 5: more than the 31")));
    assert_eq!(source().limit(32).read().unwrap().len(), 2);

    let mut infinite = bytes.clone();
    let at = infinite.len() - 8 * 5;
    infinite[at..at + 8].copy_from_slice(&f64::INFINITY.to_le_bytes());
    std::fs::write(&path, infinite).unwrap();
    assert_eq!(refused(&part), name("rows 4 to 5: row 5 has inf in column `x2`"));
    assert_eq!(source().columns(["x1"]).read().unwrap().len(), 2);

    std::fs::write(&path, &bytes[..bytes.len() - 9]).unwrap();
    assert_eq!(refused(&part), name("rows 4 to 5: 18 numbers of 20 are there"));
    std::fs::write(&path, &bytes[..20]).unwrap();
    assert!(refused(&part).starts_with(&name("rows 4 to 5: ")), "{}", refused(&part));
}

#[test]
fn parts_that_a_format_does_not_have_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("data.csv");
    std::fs::write(&path, "x\n1\n").unwrap();
    let name = path.display().to_string();
    for (part, message) in [
        (Part::row_groups(&path, 0..1), "row group 0: no Parquet file, has no row groups"),
        (Part::rows(&path, 3..5), "rows 3 to 4: no array, cannot be read by rows"),
    ] {
        assert_eq!(refused(&part), format!("{name}, {message}"));
        assert!(matches!(part.count(), Err(Error::Format { .. })));
    }
    let packed = folder.path().join("data.npy.gz");
    let mut gzip = GzEncoder::new(std::fs::File::create(&packed).unwrap(), Compression::fast());
    gzip.write_all(&array("True", 4, 2)).unwrap();
    gzip.finish().unwrap();
    assert_eq!(Part::list(&[&packed], 1).unwrap(), [Part::all(&packed)]);
    let whole = Source::of_part(&Part::all(&packed)).unwrap().read().unwrap();
    assert_eq!(whole.samples().unwrap().as_slice(), [0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0]);
    let message = refused(&Part::rows(&packed, 0..1));
    assert!(message.ends_with("row 0: packed by gzip, can only be read as a whole"), "{message}");
    let limited = Source::open(&packed).unwrap().limit(100).read();
    assert!(limited.unwrap_err().to_string().contains("100 bytes"));
}

#[test]
fn parts_are_sent_and_named() {
    for (part, name) in [
        (Part::all("a.csv"), "a.csv"),
        (Part::row_groups("a.parquet", 3..6), "a.parquet, row groups 3 to 5"),
        (Part::row_groups("a.parquet", 0..1), "a.parquet, row group 0"),
        (Part::rows("a.npy", 100..200), "a.npy, rows 100 to 199"),
        (Part::rows("a.npy", 7..7), "a.npy, no rows"),
    ] {
        assert_eq!(part.to_string(), name);
        let sent = serde_json::to_string(&part).unwrap();
        assert_eq!(serde_json::from_str::<Part>(&sent).unwrap(), part, "{sent}");
    }
    let part = Part::rows("a.npy", 2..3);
    assert_eq!((part.path(), part.span()), (Path::new("a.npy"), &Span::Rows(2..3)));
}

#[test]
fn columns_are_left_out_in_every_format() {
    let check = |format, text: &str, columns: &[&str], expected: &[f64]| {
        let source = Source::new(format, text.as_bytes()).columns(columns.to_vec());
        let table = source.read().unwrap();
        assert_eq!(table.samples().unwrap().as_slice(), expected, "{format:?}");
        assert_eq!(table.columns().len(), columns.len());
        let none = Source::new(format, text.as_bytes()).columns(["none"]).read();
        assert!(matches!(&none, Err(Error::NoColumn { given, .. }) if given == "none"));
        let none = Source::new(format, text.as_bytes()).columns([""; 0]).read();
        assert!(matches!(none, Err(Error::Empty { what: "column", .. })));
    };
    check(Format::Csv, "a,b,c\n1,x,2\n3,,4\n", &["c", "a"], &[1.0, 2.0, 3.0, 4.0]);
    check(Format::Tsv, "a\tb\n1\t2\n", &["b"], &[2.0]);
    // A column that is found late, and one that only another row has.
    let lines = "{\"a\":1,\"c\":5}\n{\"b\":\"word\",\"d\":6}\n{\"c\":7}\n";
    let table = Source::new(Format::JsonLines, lines.as_bytes()).columns(["d", "c"]);
    let table = table.read().unwrap();
    assert_eq!(table.columns().len(), 2);
    assert_eq!(table.column("d").unwrap().values.missing(), 2);
    check(Format::Libsvm, "1 1:2 3:4\n-1 5:6\n", &["target", "x5"], &[1.0, 0.0, -1.0, 6.0]);
    // What is left out takes no memory, and need not be of its kind.
    let wide = "a,b\n1,a long text\n2,another long text\n3,\n";
    let source = || Source::new(Format::Csv, wide.as_bytes()).kind("b", Kind::Number);
    assert!(source().read().is_err());
    assert_eq!(source().columns(["a"]).kind("a", Kind::Number).limit(24).read().unwrap().len(), 3);
}

#[test]
fn the_kind_of_a_column_that_is_found_late_is_the_one_that_was_given() {
    let lines = "{\"a\":1}\n{\"a\":2,\"b\":3}\n";
    let table = Source::new(Format::JsonLines, lines.as_bytes()).kind("b", Kind::Text);
    assert_eq!(table.read().unwrap().column("b").unwrap().values.kind(), Kind::Text);
}
