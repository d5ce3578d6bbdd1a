//! Cache-sized panels of samples and features, and finiteness checks of blocks while they are in
//! cache.

use faer::MatRef;
use kern_core::{Samples, Scalar, Vectors};
use std::ops::Range;

/// Features × samples of a panel: 256 × 128 doubles are 256 KiB, which stay in the second-level
/// cache between the matrix product and the processing of its result.
pub(crate) const PANEL: (usize, usize) = (256, 128);

/// The coordinates of a range of samples in double precision, sample after sample.
pub(crate) fn widened<T: Scalar>(points: &Samples<T>, range: Range<usize>) -> Vec<f64> {
    let dim = points.dim();
    let values = &points.as_slice()[range.start * dim..range.end * dim];
    values.iter().map(|v| v.to_f64()).collect()
}

/// The largest magnitude of a coordinate.
pub(crate) fn largest<P: Vectors>(points: &P) -> f64 {
    let coordinates = (0..points.len()).flat_map(|i| points.coordinates(i));
    coordinates.map(|(_, v)| v.abs()).fold(0.0, f64::max)
}

/// Checks that the dimension of samples matches that of a map.
pub(crate) fn check_dim(expected: usize, given: usize) -> Result<(), kern_core::Error> {
    kern_core::Error::check_dimension("features per sample", expected, given)
}

/// Independent partial sums, so that an addition need not wait for the one before.
const LANES: usize = 16;

/// The row, column and value of the first non-finite value, column by column. All values of a
/// column are tested together, without a branch for each; only if one is non-finite does the search
/// begin.
pub(crate) fn non_finite<T: Scalar>(block: MatRef<'_, T>) -> Option<(usize, usize, f64)> {
    block.col_iter().enumerate().find_map(|(j, column)| {
        if column.try_as_col_major().is_some_and(|c| T::all_finite(c.as_slice())) {
            return None;
        }
        let i = column.iter().position(|v| !v.is_finite_number())?;
        Some((i, j, column[i].to_f64()))
    })
}

/// Σ aᵢ² in double precision, in a fixed order.
pub(crate) fn squared_norm<T: Scalar>(a: &[T]) -> f64 {
    let (chunks, rest) = a.as_chunks::<LANES>();
    let mut sums = [0.0; LANES];
    for chunk in chunks {
        for (sum, v) in sums.iter_mut().zip(chunk) {
            *sum += v.to_f64() * v.to_f64();
        }
    }
    let rest: f64 = rest.iter().map(|v| v.to_f64() * v.to_f64()).sum();
    sums.iter().sum::<f64>() + rest
}
