//! Tables, splits, draws and units.

use super::*;
use flate2::Compression;
use flate2::write::GzEncoder;
use std::io::Write;

#[test]
fn tables_that_do_not_parse_are_errors() {
    assert!(read("a,b\n1,x\n2".as_bytes(), 1.0).is_err(), "ragged");
    assert!(read("a,b\none,x".as_bytes(), 1.0).is_err(), "not a number");
    assert!(read("a,b".as_bytes(), 1.0).is_err(), "no rows");
    let two = read("a,b\n1,x\n2,y".as_bytes(), 0.5).unwrap();
    assert_eq!(two.points.as_slice(), [0.5, 1.0]);
    assert!(two.split(1.0, 0).is_err());
}

#[test]
fn split_is_a_partition_that_depends_on_the_seed() {
    let digits = digits().unwrap();
    let (train, test) = digits.split(0.7, 1).unwrap();
    assert_eq!((train.labels.len(), test.labels.len()), (1258, 539));
    let mut all: Vec<&[f64]> = train.points.as_slice().chunks(64).collect();
    all.extend(test.points.as_slice().chunks(64));
    let mut expected: Vec<&[f64]> = digits.points.as_slice().chunks(64).collect();
    let order = |a: &&[f64], b: &&[f64]| a.partial_cmp(b).unwrap();
    all.sort_by(order);
    expected.sort_by(order);
    assert!(all == expected);
    assert_eq!(digits.split(0.7, 1).unwrap().0, train);
    assert_ne!(digits.split(0.7, 2).unwrap().0, train);
}

#[test]
fn draw_takes_distinct_points_with_their_labels() {
    let digits = digits().unwrap();
    let all = digits.draw(1797, 1).unwrap();
    let sorted = |labels: &[String]| {
        let mut labels = labels.to_vec();
        labels.sort();
        labels
    };
    assert_eq!(sorted(&all.labels), sorted(&digits.labels));
    let some = digits.draw(100, 1).unwrap();
    assert_eq!(some, digits.draw(100, 1).unwrap());
    assert_ne!(some, digits.draw(100, 2).unwrap());
    let rows: Vec<_> = digits.points.as_slice().chunks(64).zip(&digits.labels).collect();
    assert!(some.points.as_slice().chunks(64).zip(&some.labels).all(|row| rows.contains(&row)));
}

#[test]
fn standardized_columns_have_mean_zero_and_variance_one() {
    let points = Samples::from_rows(&[[1.0, 7.3, 2.0], [3.0, 7.3, 2.0], [5.0, 7.3, 5.0]]).unwrap();
    let standard = standardize(&points).unwrap();
    let (a, b) = (1.5_f64.sqrt(), 0.5_f64.sqrt());
    let expected = [-a, 0.0, -b, 0.0, 0.0, -b, a, 0.0, 2.0 * b];
    for (given, expected) in standard.as_slice().iter().zip(expected) {
        assert!((given - expected).abs() < 1e-14, "{standard:?}");
    }
}

#[test]
fn compressed_tables_are_opened() {
    let name = format!("kern-gallery-tables-{}.csv.gz", std::process::id());
    let path = std::env::temp_dir().join(name);
    let mut packed = GzEncoder::new(File::create(&path).unwrap(), Compression::fast());
    packed.write_all(include_bytes!("../../../data/digits.csv")).unwrap();
    packed.finish().unwrap();
    let raw = open(&path).unwrap();
    std::fs::remove_file(path).unwrap();
    let digits = digits().unwrap();
    assert_eq!(raw.labels, digits.labels);
    let scaled: Vec<f64> = raw.points.as_slice().iter().map(|v| v / 16.0).collect();
    assert!(scaled == digits.points.as_slice());
}
