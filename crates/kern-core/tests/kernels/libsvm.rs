//! Files of labelled samples: round trips, and lines that are wrong.
#![allow(clippy::unwrap_used, reason = "a test may panic, in its helper functions, too")]

use kern_core::libsvm::{self, Fault, FileError, Number};
use kern_core::{Error, Points, Samples, SparseSamples};
use proptest::prelude::*;
use std::io::{self, BufReader, Read, Write};

fn read(text: &str) -> Result<(SparseSamples<f64>, Vec<f64>), FileError> {
    libsvm::read(text.as_bytes(), None)
}

fn written<Y: Number>(x: &impl kern_core::Vectors, y: &[Y]) -> String {
    let mut text = Vec::new();
    libsvm::write(&mut text, x, y).unwrap();
    String::from_utf8(text).unwrap()
}

/// The line and the fault of a file that is wrong.
fn fault<Y: Number>(bytes: &[u8], dim: Option<usize>) -> (usize, Fault) {
    match libsvm::read::<f64, Y>(bytes, dim) {
        Err(FileError::Line { line, fault }) => (line, fault),
        other => panic!("{other:?}"),
    }
}

#[test]
fn what_is_no_sample_is_skipped_and_lines_still_count() {
    let text = "# made by hand\n\n  \t\n1\t2:0.5   # a:b\r\n\n-1.5 1:-2e-1 4:+3\n#";
    let (x, y) = read(text).unwrap();
    let expected = [vec![(1, 0.5)], vec![(0, -0.2), (3, 3.0)]];
    assert_eq!(x, SparseSamples::from_rows(4, &expected).unwrap());
    assert_eq!(y, [1.0, -1.5]);
    assert_eq!(fault::<f64>(b"#\n\n1 1:1\n\n1 1\n", None).0, 5);
}

#[test]
fn the_dimension_is_given_or_the_greatest_index() {
    let (x, _) = libsvm::read::<f32, u8>("1 2:1\n2 5:0\n".as_bytes(), None).unwrap();
    // An index counts even if its value is not stored.
    assert_eq!((x.dim(), x.stored()), (5, 1));
    let (x, _) = libsvm::read::<f32, u8>("1 2:1\n".as_bytes(), Some(7)).unwrap();
    assert_eq!(x.dim(), 7);
    assert_eq!(fault::<u8>(b"1 8:1\n", Some(7)), (1, Fault::Width { dim: 7, given: 8 }));
    let zero = libsvm::read::<f32, u8>("".as_bytes(), Some(0)).unwrap_err();
    assert!(matches!(zero, FileError::Core(Error::Dimension { given: 0, .. })), "{zero}");
    assert!(libsvm::read::<f32, u8>("".as_bytes(), Some(usize::MAX)).is_err());
}

#[test]
fn there_may_be_nothing_at_all() {
    for (text, n) in [("", 0), ("\n#\n", 0), ("1\n-1", 2)] {
        let (x, y) = read(text).unwrap();
        assert_eq!((x.len(), x.dim(), x.stored(), y.len()), (n, 1, 0, n), "{text:?}");
    }
}

#[test]
fn a_wrong_line_is_named_with_what_is_wrong() {
    let text = |text: &str| text.to_owned();
    let cases: [(&[u8], Fault); 15] = [
        (b"1 2", Fault::NoColon { given: text("2") }),
        (b"1 qid:3 1:1", Fault::Index { given: text("qid") }),
        (b"1 0:1", Fault::Index { given: text("0") }),
        (b"1 -1:1", Fault::Index { given: text("-1") }),
        (b"1 4294967297:1", Fault::Index { given: text("4294967297") }),
        (b"1 99999999999999999999:1", Fault::Index { given: text("99999999999999999999") }),
        (b"1 1.0:1", Fault::Index { given: text("1.0") }),
        (b"1 :1", Fault::Index { given: text("") }),
        (b"1 2:1 2:1", Fault::Order { before: 2, given: 2 }),
        (b"1 2:1 1:1", Fault::Order { before: 2, given: 1 }),
        (b"1 3:", Fault::Value { index: 3, given: text("") }),
        (b"1 3:1:2", Fault::Value { index: 3, given: text("1:2") }),
        (b"1 3:nan", Fault::Value { index: 3, given: text("nan") }),
        (b"1 3:-inf", Fault::Value { index: 3, given: text("-inf") }),
        (b"1 3:1e999", Fault::Value { index: 3, given: text("1e999") }),
    ];
    for (bytes, expected) in cases {
        assert_eq!(fault::<f64>(&[b"1 1:1\n", bytes, b"\n"].concat(), None), (2, expected));
    }
    assert_eq!(fault::<f64>(b"1 1:\xff\n", None), (1, Fault::Encoding));
    // Comments may hold anything.
    assert_eq!(libsvm::read::<f64, f64>(&b"1 1:2 # \xff\n"[..], None).unwrap().1, [1.0]);
    let overflow = libsvm::read::<f32, f64>("1 1:1e39".as_bytes(), None).unwrap_err();
    assert_eq!(
        overflow.to_string(),
        "line 1: the value of index 1 must be a finite number, got `1e39`"
    );
}

#[test]
fn labels_are_numbers_of_the_type_asked_for() {
    for word in ["spam", "1,2", "nan", "inf", "1:1", "--1"] {
        let expected = Fault::Label { given: word.to_owned(), wanted: "f64" };
        assert_eq!(fault::<f64>(word.as_bytes(), None), (1, expected));
    }
    let read = |word: &str| libsvm::read::<f64, u8>(word.as_bytes(), None).map(|(_, y)| y[0]);
    assert_eq!([read("7").unwrap(), read("+7").unwrap(), read("7.000").unwrap()], [7, 7, 7]);
    assert_eq!(read("-0.0").unwrap(), 0);
    for word in ["-1", "0.5", "256", "1e3"] {
        let expected = Fault::Label { given: word.to_owned(), wanted: "u8" };
        assert_eq!(fault::<u8>(word.as_bytes(), None), (1, expected));
    }
    // 2⁵³ + 1 is exact as an integer, and no floating-point number.
    assert_eq!(i64::read("9007199254740993"), Some((1 << 53) + 1));
    assert_eq!(i64::read("9007199254740993.0"), None);
    assert_eq!(i64::read(&i64::MIN.print().to_string()), Some(i64::MIN));
    assert_eq!(u64::read(&u64::MAX.print().to_string()), Some(u64::MAX));
}

#[test]
fn nothing_is_written_if_the_labels_are_wrong() {
    let x = Samples::from_rows(&[[1.0], [2.0]]).unwrap();
    let mut text = Vec::new();
    assert!(matches!(libsvm::write(&mut text, &x, &[1]), Err(FileError::Core(_))));
    assert!(libsvm::write(&mut text, &x, &[1.0, f64::NAN]).is_err());
    assert!(text.is_empty());
}

/// A file or a disk that fails.
struct Broken;

impl Read for Broken {
    fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
        Err(io::Error::other("broken"))
    }
}

impl Write for Broken {
    fn write(&mut self, _: &[u8]) -> io::Result<usize> {
        Err(io::Error::other("broken"))
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn failures_of_the_system_are_reported() {
    let read = libsvm::read::<f64, f64>(BufReader::new(Broken), None);
    assert!(matches!(read, Err(FileError::Io(_))));
    let x = Samples::from_rows(&[[1.0]]).unwrap();
    assert!(matches!(libsvm::write(Broken, &x, &[1]), Err(FileError::Io(_))));
}

/// Any finite number, of any magnitude, zeros among them.
fn any_f64() -> impl Strategy<Value = f64> {
    let bits = any::<u64>().prop_map(f64::from_bits).prop_filter("finite", |v| v.is_finite());
    prop_oneof![2 => bits, 1 => Just(0.0), 1 => (-9_i8..9).prop_map(f64::from)]
}

fn any_f32() -> impl Strategy<Value = f32> {
    let bits = any::<u32>().prop_map(f32::from_bits).prop_filter("finite", |v| v.is_finite());
    prop_oneof![3 => bits, 1 => Just(0.0_f32)]
}

proptest! {
    #[test]
    fn dense_samples_come_back(
        (dim, values, labels) in (1_usize..6, 0_usize..8).prop_flat_map(|(dim, n)| {
            let numbers = |len| prop::collection::vec(any_f64(), len);
            (Just(dim), numbers(n * dim), numbers(n))
        })
    ) {
        let x = Samples::from_row_major(dim, values).unwrap();
        let text = written(&x, &labels);
        let (back, y) = libsvm::read::<f64, f64>(text.as_bytes(), Some(dim)).unwrap();
        prop_assert_eq!(back.to_dense().unwrap(), x);
        let bits = |y: &[f64]| y.iter().map(|y| y.to_bits()).collect::<Vec<_>>();
        prop_assert_eq!(bits(&y), bits(&labels));
    }

    #[test]
    fn sparse_samples_in_single_precision_come_back(
        rows in prop::collection::vec(prop::collection::btree_map(0_u32..50, any_f32(), 0..6), 0..8)
    ) {
        let rows: Vec<Vec<_>> = rows.into_iter().map(|row| row.into_iter().collect()).collect();
        let labels: Vec<i64> = (0..rows.len() as i64).map(|i| i.wrapping_mul(i64::MAX / 3)).collect();
        let x = SparseSamples::from_rows(50, &rows).unwrap();
        let text = written(&x, &labels);
        let (back, y) = libsvm::read::<f32, i64>(text.as_bytes(), Some(50)).unwrap();
        prop_assert_eq!(&back, &x);
        prop_assert_eq!(y, labels);
        // Single precision takes at most nine digits.
        let digits = |word: &str| {
            let value = word.split_once(':').unwrap().1;
            let mantissa = value.split('e').next().unwrap().trim_start_matches(['-', '0', '.']);
            mantissa.trim_end_matches('0').chars().filter(char::is_ascii_digit).count()
        };
        let words = || text.split_ascii_whitespace().filter(|word| word.contains(':'));
        prop_assert!(words().all(|word| digits(word) <= 9), "{}", text);
    }

    #[test]
    fn any_bytes_are_read_or_refused(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        let _ = libsvm::read::<f64, f64>(&bytes[..], None);
    }

    #[test]
    fn bytes_of_such_files_are_read_or_refused(text in "[-+0-9:. e#\n]{0,80}") {
        if let Ok((x, y)) = libsvm::read::<f64, f64>(text.as_bytes(), None) {
            prop_assert_eq!(x.len(), y.len());
            let (back, again) = libsvm::read(written(&x, &y).as_bytes(), Some(x.dim())).unwrap();
            prop_assert_eq!((back, again), (x, y));
        }
    }
}
