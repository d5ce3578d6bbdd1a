//! Cutting samples and features into panels that fit into the cache.

use kern_core::{Samples, Scalar, Vectors};
use std::ops::Range;

/// Features × samples of a panel: 256 × 128 doubles are 256 KiB, which stay in the second-level cache
/// between the matrix product and what is done to its result.
pub(crate) const PANEL: (usize, usize) = (256, 128);

/// The coordinates of a range of samples in double precision, sample after sample.
pub(crate) fn widened<T: Scalar>(points: &Samples<T>, range: Range<usize>) -> Vec<f64> {
    let dim = points.dim();
    let values = &points.as_slice()[range.start * dim..range.end * dim];
    values.iter().map(|v| v.to_f64()).collect()
}

/// The greatest magnitude of a coordinate.
pub(crate) fn greatest<P: Vectors>(points: &P) -> f64 {
    let coordinates = (0..points.len()).flat_map(|i| points.coordinates(i));
    coordinates.map(|(_, v)| v.abs()).fold(0.0, f64::max)
}

/// The dimension of samples is that of a map.
pub(crate) fn check_dim(expected: usize, given: usize) -> Result<(), kern_core::Error> {
    if expected == given {
        Ok(())
    } else {
        Err(kern_core::Error::Dimension { what: "features per sample", expected, given })
    }
}
