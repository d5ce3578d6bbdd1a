//! Real files of LIBSVM's format; what they hold was counted by awk.
#![allow(clippy::float_cmp, reason = "labels and numbers that are not touched are exact")]
#![allow(clippy::unwrap_used, reason = "a test may panic, in its helper functions, too")]

use crate::{real, support};
use kern::libsvm;
use kern::prelude::*;

/// (file, samples, dimension, stored entries, samples of the label +1).
const FILES: [(&str, usize, usize, usize, usize); 5] = [
    ("heart_scale", 270, 13, 3378, 120),
    ("svmguide1_train", 3089, 4, 12_319, 2000),
    ("svmguide1_test", 4000, 4, 15_985, 2000),
    ("a9a_train", 32_561, 123, 451_592, 7841),
    ("a9a_test", 16_281, 123, 225_731, 3846),
];

#[test]
fn real_files_are_read_as_they_are_described_and_come_back() {
    for (name, n, dim, stored, positive) in FILES {
        let Some(bytes) = real::bytes(name) else { continue };
        let (x, y) = libsvm::read::<f64, i8>(&bytes[..], None).unwrap();
        assert_eq!((x.len(), x.dim(), x.stored()), (n, dim, stored), "{name}");
        assert_eq!(y.iter().filter(|&&label| label == 1).count(), positive, "{name}");
        let mut text = Vec::new();
        libsvm::write(&mut text, &x, &y).unwrap();
        // One of the files has an index that only ever comes with a zero.
        assert!(libsvm::read::<f64, i8>(&text[..], Some(dim)).unwrap() == (x, y), "{name}");
    }
}

#[test]
fn a_file_holds_the_numbers_that_another_reader_finds() {
    let Some((expected, labels)) = support::svm_file("heart_scale", 13) else { return };
    let bytes = real::bytes("heart_scale").unwrap();
    let (x, y) = libsvm::read::<f64, f64>(&bytes[..], Some(13)).unwrap();
    assert!(x.to_dense().unwrap() == expected);
    assert!(y.iter().zip(labels).all(|(y, label)| *y == label.parse::<f64>().unwrap()));
}
