//! Damaged files are read or refused, never more.

use crate::reading::npy;
use flate2::Compression;
use flate2::write::GzEncoder;
use kern_data::{Error, Format, Source};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::io::Write;

/// Damaged copies of each file.
const COPIES: usize = 4000;

fn files() -> Vec<(Format, Vec<u8>)> {
    let csv = "a,b,c\n1,x,\"quoted, text\"\n2,,z\n3.5e-3,y,\"two\nlines\"\n".as_bytes();
    let mut packed = GzEncoder::new(Vec::new(), Compression::default());
    packed.write_all(csv).unwrap();
    let array =
        npy("{'descr': '<f8', 'fortran_order': False, 'shape': (2, 2), }", &[1.0, 2.0, 3.0, 4.0]);
    let json = "{\"a\": 1, \"b\": \"x\"}\n{\"a\": null, \"c\": true}\n\"text\"\n";
    let files = vec![
        (Format::Csv, csv.to_vec()),
        (Format::Csv, packed.finish().unwrap()),
        (Format::Tsv, "a\tb\n1\t2\n".into()),
        (Format::JsonLines, json.into()),
        (Format::Libsvm, "+1 1:0.5 3:2\n-1 2:1e3 # note\n0 1:1\n".into()),
        (Format::Npy, array),
        (Format::Text, "one\ntwo\n".into()),
    ];
    #[cfg(feature = "parquet")]
    let files = {
        use crate::arrow::{feather, parquet, stream, table};
        let batch = (&table()).try_into().unwrap();
        let arrow = [(Format::Arrow, feather(&batch)), (Format::Arrow, stream(&batch))];
        [files, vec![(Format::Parquet, parquet(&batch))], arrow.to_vec()].concat()
    };
    files
}

fn damaged(file: &[u8], rng: &mut ChaCha8Rng) -> Vec<u8> {
    let mut bytes = file.to_vec();
    for _ in 0..rng.random_range(1..4) {
        let at = rng.random_range(0..bytes.len());
        match rng.random_range(0..4) {
            0 => bytes.truncate(at.max(1)),
            1 => bytes[at] = rng.random(),
            2 => bytes.insert(at, rng.random()),
            _ => bytes[at] = b"0123456789-+.eE,:{}[]()'\"\n"[rng.random_range(0..26)],
        }
    }
    bytes
}

#[test]
fn damaged_files_are_read_or_refused() {
    let mut rng = ChaCha8Rng::seed_from_u64(7);
    for (format, file) in files() {
        let whole = Source::new(format, &file[..]).read();
        assert!(whole.is_ok(), "{format:?}: {whole:?}");
        for _ in 0..COPIES {
            let bytes = damaged(&file, &mut rng);
            let read = Source::new(format, &bytes[..]).limit(1 << 24).read();
            let Ok(table) = read else { continue };
            assert!(table.rows(&table.schema()).is_ok());
        }
    }
}

#[test]
fn sizes_that_a_file_claims_take_no_memory() {
    for shape in ["(4000000000000,)", "(1, 9000000000000000000)", "(18446744073709551615, 4)"] {
        let array =
            npy(&format!("{{'descr': '<f8', 'fortran_order': False, 'shape': {shape}, }}"), &[1.0]);
        assert!(Source::new(Format::Npy, &array[..]).read().is_err(), "{shape}");
    }
}

#[test]
fn headers_that_a_file_claims_take_no_memory() {
    // Of version 2 the length has four bytes.
    for (length, message) in
        [(100, "the header is cut off"), (u32::MAX, "a header of 4294967295 bytes is too long")]
    {
        let mut array = b"\x93NUMPY\x02\x00".to_vec();
        array.extend(length.to_le_bytes());
        array.extend(b"{'descr': '<f8', ");
        let error = Source::new(Format::Npy, &array[..]).read().unwrap_err().to_string();
        assert_eq!(error, format!("the input: {message}"));
    }
}

#[test]
fn rows_of_new_columns_are_no_table() {
    let lines: String = (0..20_000).map(|i| format!("{{\"name{i}\":{i}}}\n")).collect();
    let read = Source::new(Format::JsonLines, lines.as_bytes()).read();
    assert!(matches!(read, Err(Error::Format { .. })), "{:?}", read.map(|table| table.len()));
    let lines: String = (1..=20_000).map(|i| format!("1 {i}:1\n")).collect();
    let read = Source::new(Format::Libsvm, lines.as_bytes()).read();
    assert!(matches!(read, Err(Error::Format { .. })), "{:?}", read.map(|table| table.len()));
}

#[test]
fn what_gzip_unpacks_is_limited() {
    let mut packed = GzEncoder::new(Vec::new(), Compression::best());
    packed.write_all(b"x\n").unwrap();
    (0..200).for_each(|_| packed.write_all(&b"123456789\n".repeat(10_000)).unwrap());
    let packed = packed.finish().unwrap();
    assert!(packed.len() < 100_000);
    let read = Source::new(Format::Csv, &packed[..]).limit(1 << 20).read();
    assert!(matches!(read, Err(Error::TooLarge { .. })));
}

/// Each byte of each file becomes each of some others: what is read then is a table or an error, soon.
#[test]
fn changed_bytes_are_read_or_refused_soon() {
    for (format, file) in files() {
        for at in 0..file.len() {
            let start = std::time::Instant::now();
            for byte in [0, 0x7f, 0xff, file[at] ^ 1, file[at] ^ 0x10, b'['] {
                let mut bytes = file.clone();
                bytes[at] = byte;
                let _read = Source::new(format, &bytes[..]).read().is_ok();
            }
            assert!(start.elapsed().as_secs_f64() < 1.0, "{format:?}, byte {at}");
        }
    }
}

#[test]
fn brackets_in_a_header_take_no_time() {
    let start = std::time::Instant::now();
    for brackets in ["[".repeat(60), "(".repeat(60), "[".repeat(50_000)] {
        let header = "{'descr': '<f8', 'fortran_order': False, 'shape': (3, 2), ";
        let array = npy(&format!("{header}{brackets} }}"), &[]);
        assert!(Source::new(Format::Npy, &array[..]).read().is_err());
    }
    assert!(start.elapsed().as_secs_f64() < 1.0);
}
