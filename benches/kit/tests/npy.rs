//! Files of arrays: they come back bit by bit, and have the layout that others expect.
#![allow(clippy::unwrap_used, reason = "a test may panic, in its helper functions, too")]

use kern_bench_kit::npy;
use kern_core::Points;
use std::fs;
use std::path::{Path, PathBuf};

fn path(name: &str) -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join(name)
}

#[test]
fn numbers_come_back() {
    let path = path("numbers.npy");
    let wide = [0.1, -0.0, f64::MIN_POSITIVE, f64::INFINITY, 1e300, 3.0];
    npy::write(&path, &[2, 3], wide).unwrap();
    let read: Vec<f64> = npy::read(&path).unwrap();
    assert!(read.iter().zip(&wide).all(|(a, b)| a.to_bits() == b.to_bits()));
    assert_eq!(read.len(), wide.len());

    npy::write(&path, &[2], [0.1_f32, 2.5]).unwrap();
    assert_eq!(npy::read::<f32>(&path).unwrap().map_bits(), [0.1_f32, 2.5].map(f32::to_bits));
    assert!(npy::read::<f64>(&path).is_err());
    npy::write(&path, &[2], [-1_i8, 1]).unwrap();
    assert_eq!(npy::read::<i8>(&path).unwrap(), [-1, 1]);
}

/// The format: a magic string, then a header that is a Python literal, then the numbers, with the
/// last index running fastest.
#[test]
fn the_layout_is_that_of_the_format() {
    let path = path("layout.npy");
    npy::write(&path, &[2, 3], [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]).unwrap();
    let bytes = fs::read(&path).unwrap();
    assert!(bytes.starts_with(b"\x93NUMPY"));
    let (header, numbers) = bytes.split_at(bytes.len() - 6 * 8);
    let header = String::from_utf8_lossy(header);
    assert!(header.contains("'descr': '<f8'"), "{header}");
    assert!(header.contains("'fortran_order': False") && header.contains("'shape': (2, 3"));
    let numbers: Vec<f64> =
        numbers.as_chunks::<8>().0.iter().map(|bytes| f64::from_le_bytes(*bytes)).collect();
    assert!(numbers.iter().zip(1..).all(|(a, b)| a.to_bits() == f64::from(b).to_bits()));
}

#[test]
fn a_wrong_shape_or_a_missing_file_is_an_error() {
    assert!(npy::write(&path("shape.npy"), &[2, 2], [1.0, 2.0, 3.0]).is_err());
    assert!(npy::read::<f64>(&path("there-is-no-such.npy")).is_err());
}

/// Bits of all numbers.
trait Bits {
    fn map_bits(&self) -> Vec<u32>;
}

impl Bits for Vec<f32> {
    fn map_bits(&self) -> Vec<u32> {
        self.iter().map(|v| v.to_bits()).collect()
    }
}

#[test]
fn points_come_back_with_their_shape() {
    let file = path("points.npy");
    npy::write(&file, &[3, 2], [1.0, 2.0, 3.0, 4.0, 5.0, 6.0_f32]).unwrap();
    assert_eq!(npy::shape(&file).unwrap(), [3, 2]);
    let points = npy::read_samples::<f32>(&file).unwrap();
    assert_eq!((points.len(), points.item(1)), (3, &[3.0, 4.0][..]));
    npy::write(&file, &[2], [1.0, 2.0]).unwrap();
    let error = npy::read_samples::<f64>(&file).unwrap_err();
    assert!(format!("{error:#}").contains("rows and columns expected, got [2]"), "{error:#}");
}
