//! Kinds, missing values, names, batches, and errors with their place.

use flate2::Compression;
use flate2::write::GzEncoder;
use kern_data::{Error, Format, Kind, Source, Table, Values};
use std::io::Write;

const FLOWERS: &str =
    "petal,colour,note,n\n1.4,white,a b,1\n,blue,c d,2\n4.7,blue,e,NA\n5,white,f,4\n";

fn read(format: Format, text: &str) -> Result<Table, Error> {
    Source::new(format, text.as_bytes()).read()
}

fn message(format: Format, text: &str) -> String {
    read(format, text).unwrap_err().to_string()
}

fn check_flowers(table: &Table) {
    assert_eq!(table.len(), 4);
    let Values::Numbers(petal) = &table.column("petal").unwrap().values else { panic!() };
    assert!(petal[1].is_nan() && petal[0] == 1.4 && petal[3] == 5.0);
    let Values::Categories(colour) = &table.column("colour").unwrap().values else { panic!() };
    assert_eq!(
        (&colour.levels[..], colour.value(1)),
        (&["blue".into(), "white".into()][..], Some("blue"))
    );
    let Values::Texts(note) = &table.column("note").unwrap().values else { panic!() };
    assert_eq!(note[2].as_deref(), Some("e"));
    assert_eq!(table.column("n").unwrap().values.missing(), 1);
}

#[test]
fn a_table_is_the_same_from_every_format() {
    check_flowers(&read(Format::Csv, FLOWERS).unwrap());
    check_flowers(&read(Format::Tsv, &FLOWERS.replace(',', "\t")).unwrap());
    let lines = concat!(
        "{\"petal\":1.4,\"colour\":\"white\",\"note\":\"a b\"}\n\n",
        "{\"petal\":null,\"colour\":\"blue\",\"note\":\"c d\",\"n\":2}\n",
        "{\"petal\":4.7,\"colour\":\"blue\",\"note\":\"e\",\"n\":3}\n",
        "{\"petal\":5,\"colour\":\"white\",\"note\":\"f\",\"n\":4}\n"
    );
    check_flowers(&read(Format::JsonLines, lines).unwrap());
    let mut packed = GzEncoder::new(Vec::new(), Compression::fast());
    packed.write_all(FLOWERS.as_bytes()).unwrap();
    let packed = packed.finish().unwrap();
    check_flowers(&Source::new(Format::Csv, &packed[..]).read().unwrap());
}

#[test]
fn files_are_known_by_their_names() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("flowers.CSV");
    std::fs::write(&path, FLOWERS).unwrap();
    check_flowers(&Source::open(&path).unwrap().read().unwrap());
    let other = folder.path().join("flowers.xls");
    let unknown = Source::open(&other).unwrap_err();
    assert!(matches!(unknown, Error::UnknownFormat { .. }) && unknown.to_string().contains(".csv"));
    let missing = Source::open(folder.path().join("none.csv")).unwrap_err();
    assert!(matches!(&missing, Error::Io { .. }) && missing.to_string().contains("none.csv"));
    assert_eq!(Format::of("a/b.tsv.gz".as_ref()), Some(Format::Tsv));
}

#[test]
fn libsvm_files_and_arrays_are_tables_of_numbers() {
    let table = read(Format::Libsvm, "1 2:0.5\n-1 1:2 4:1 # end\n\n1\n").unwrap();
    let names: Vec<_> = table.columns().iter().map(|column| column.name.as_str()).collect();
    assert_eq!(names, ["target", "x1", "x2", "x3", "x4"]);
    assert_eq!(table.column("target").unwrap().numbers().unwrap(), [1.0, -1.0, 1.0]);
    assert_eq!(table.column("x2").unwrap().numbers().unwrap(), [0.5, 0.0, 0.0]);
    assert_eq!(table.column("x4").unwrap().numbers().unwrap(), [0.0, 1.0, 0.0]);
    for (order, values) in
        [("False", [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]), ("True", [1.0, 4.0, 2.0, 5.0, 3.0, 6.0])]
    {
        let array = npy(
            &format!("{{'descr': '<f8', 'fortran_order': {order}, 'shape': (2, 3), }}"),
            &values,
        );
        let table = Source::new(Format::Npy, &array[..]).read().unwrap();
        assert_eq!(table.samples().unwrap().as_slice(), [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
    }
}

#[test]
fn arrays_have_numbers_of_many_types() {
    let read = |descr: &str, version: u8, numbers: &[u8]| {
        let header = format!("{{'descr': {descr}, 'fortran_order': False, 'shape': (2, 1), }}\n");
        let mut array = b"\x93NUMPY".to_vec();
        array.extend([version, 0]);
        let length = u32::try_from(header.len()).unwrap().to_le_bytes();
        array.extend(if version == 1 { &length[..2] } else { &length });
        array.extend(header.bytes());
        array.extend(numbers);
        let table = Source::new(Format::Npy, &array[..]).read().map_err(|e| e.to_string())?;
        Ok::<_, String>(table.column("x1").unwrap().numbers().unwrap().to_vec())
    };
    for version in [1, 2, 3] {
        assert_eq!(read("'>i2'", version, &[0, 3, 255, 254]), Ok(vec![3.0, -2.0]));
        assert_eq!(read("'|u1'", version, &[7, 255]), Ok(vec![7.0, 255.0]));
        assert_eq!(read("'<f4'", version, &[0, 0, 128, 63, 0, 0, 0, 192]), Ok(vec![1.0, -2.0]));
    }
    let refused = |descr: &str| read(descr, 1, &[0; 64]).unwrap_err();
    for kind in ["<c16", "|S7", "|O"] {
        let reason = format!("the input: numbers are needed, the array has {kind}");
        assert_eq!(refused(&format!("'{kind}'")), reason);
    }
    let records = refused("[('a', '<f8'), ('b', '<i4')]");
    assert_eq!(records, "the input: numbers are needed, the array has records");
    let version = read("'<f8'", 4, &[0; 16]).unwrap_err();
    assert_eq!(version, "the input: version 4 of the format is unknown");
    assert_eq!(read("'<f8'", 1, &[0; 15]).unwrap_err(), "the input: 1 numbers of 2 are there");
    assert_eq!(message(Format::Npy, "no array at all"), "the input: no array of NumPy");
}

/// An array of NumPy, version 1.
pub(crate) fn npy(header: &str, values: &[f64]) -> Vec<u8> {
    let mut header = header.to_string();
    while !(header.len() + 11).is_multiple_of(64) {
        header.push(' ');
    }
    header.push('\n');
    let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
    bytes.extend(u16::try_from(header.len()).unwrap().to_le_bytes());
    bytes.extend(header.bytes());
    values.iter().for_each(|value| bytes.extend(value.to_le_bytes()));
    bytes
}

#[test]
fn quotation_marks_belong_to_csv() {
    let table = read(Format::Csv, "a,b\n\"1, 2\",x\n").unwrap();
    assert_eq!(table.column("a").unwrap().labels().unwrap(), ["1, 2"]);
    let table = read(Format::Tsv, "a\tb\n\"so\t1\nmany\t2\n").unwrap();
    assert_eq!(table.column("a").unwrap().labels().unwrap(), ["\"so", "many"]);
}

#[test]
fn kinds_can_be_said() {
    let table = Source::new(Format::Csv, FLOWERS.as_bytes())
        .kind("colour", Kind::Text)
        .kind("petal", Kind::Category { levels: vec!["5".into()] })
        .read()
        .unwrap();
    assert_eq!(table.column("colour").unwrap().values.kind(), Kind::Text);
    let levels = ["5", "1.4", "4.7"].map(String::from).to_vec();
    assert_eq!(table.column("petal").unwrap().values.kind(), Kind::Category { levels });
}

#[test]
fn batches_are_the_table() {
    for rows in 1..6 {
        let batches = Source::new(Format::Csv, FLOWERS.as_bytes()).kind("note", Kind::Text);
        let batches = batches.kind("colour", Kind::Text).batches(rows).unwrap();
        let tables: Vec<Table> = batches.map(Result::unwrap).collect();
        assert!(tables.iter().rev().skip(1).all(|table| table.len() == rows));
        let notes: Vec<_> =
            tables.iter().flat_map(|t| t.column("note").unwrap().labels().unwrap()).collect();
        assert_eq!(notes, ["a b", "c d", "e", "f"]);
    }
    // The kinds are those of the first batch.
    let late = Source::new(Format::Csv, "x\n1\n2\nthree\n".as_bytes()).batches(2).unwrap();
    let late: Vec<_> = late.collect();
    let Err(Error::Value { place, column, given, .. }) = &late[1] else { panic!("{late:?}") };
    assert_eq!((place.line, column.as_str(), given.as_str()), (Some(4), "x", "three"));
    assert_eq!(late.len(), 2);
}

#[test]
fn errors_name_the_place() {
    assert_eq!(
        message(Format::Csv, "a,b\n1,2\n3\n"),
        "the input, line 3: 1 values where the lines before have 2"
    );
    assert!(message(Format::JsonLines, "{\"a\":1}\n{\"a\":\n").starts_with("the input, line 2: "));
    assert!(message(Format::JsonLines, "{\"a\":[1]}\n").contains("neither text nor number"));
    assert!(message(Format::Libsvm, "1 1:1\n1 2:1 1:1\n").starts_with("the input, line 2: "));
    assert!(message(Format::Libsvm, "1 4000000000:1\n").contains("at most 100000 columns"));
    let latin = Source::new(Format::Csv, &b"a,b\n1,caf\xe9\n"[..]).read().unwrap_err();
    assert_eq!(latin.to_string(), "the input, line 2: value 2 is not UTF-8");
    assert!(
        matches!(read(Format::Csv, "a,a\n1,2\n"), Err(Error::TwoColumns { name }) if name == "a")
    );
    assert!(matches!(read(Format::Csv, "a,b\n"), Err(Error::Empty { what: "row", .. })));
    assert!(matches!(read(Format::Csv, ""), Err(Error::Empty { .. })));
    let limited = Source::new(Format::Csv, FLOWERS.as_bytes()).limit(10).read();
    assert!(matches!(limited, Err(Error::TooLarge { limit: 10, .. })));
}

#[test]
fn a_folder_is_a_table_of_texts() {
    let folder = tempfile::tempdir().unwrap();
    for (class, name, text) in [
        ("exon", "a.fasta", ">a\nGAT\nTACA\n"),
        ("exon", "b.txt", "GATT\n"),
        ("intron", "c.txt", "TTAC"),
    ] {
        std::fs::create_dir_all(folder.path().join(class)).unwrap();
        std::fs::write(folder.path().join(class).join(name), text).unwrap();
    }
    std::fs::write(folder.path().join(".hidden"), "x").unwrap();
    let table = Source::open(folder.path()).unwrap().read().unwrap();
    assert_eq!(table.column("text").unwrap().labels().unwrap(), ["GATTACA", "GATT", "TTAC"]);
    assert_eq!(table.column("class").unwrap().labels().unwrap(), ["exon", "exon", "intron"]);
    let empty = tempfile::tempdir().unwrap();
    let refused = Source::open(empty.path()).unwrap().read();
    assert!(matches!(refused, Err(Error::Empty { .. })));
}
