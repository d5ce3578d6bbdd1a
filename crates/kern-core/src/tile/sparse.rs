//! Sums over the features that two sparse samples share: inner products, minima, and the like.

use super::{Scratch, Tile, for_each_column};
use crate::points::Entry;
use crate::{Points, Scalar, SparseSamples};
use faer::MatMut;

/// `out[(i, j)] = Σₖ pair(a_ik, b_jk)` over the features k that both samples store. With
/// `pair = |x, y| x * y` these are inner products.
///
/// # Panics
/// If `out` does not have the tile's shape.
///
/// # Complexity
/// One call of `pair` for each coincidence: the samples of b are looked up in the columns of a
/// (Gustavson 1978), so pairs that share nothing cost nothing.
///
/// # Examples
/// ```
/// use kern_core::{Scratch, SparseSamples, Tile, faer::Mat, tile};
/// let x = SparseSamples::from_rows(9, &[vec![(0, 1.0), (8, 2.0)], vec![(8, 3.0)]])?;
/// let mut out = Mat::zeros(2, 2);
/// let tile = Tile::new(&x, 0..2, &x, 0..2);
/// tile::shared_features(&tile, out.as_mut(), &mut Scratch::new(), f64::min);
/// assert_eq!(out[(0, 1)], 2.0);
/// # Ok::<(), kern_core::Error>(())
/// ```
pub fn shared_features<T: Scalar>(
    tile: &Tile<'_, SparseSamples<T>>,
    out: MatMut<'_, T>,
    scratch: &mut Scratch<T>,
    pair: impl Fn(T, T) -> T,
) {
    tile.assert_shape(&out);
    let columns = tile.a().by_feature();
    let rows = tile.rows();
    for_each_column(out, scratch, |j, column| {
        column.fill(T::ZERO);
        for entry in tile.b().item(tile.cols().start + j) {
            let postings = columns.postings(entry.feature);
            let first = postings.partition_point(|p| (p.0 as usize) < rows.start);
            for &(sample, value) in &postings[first..] {
                match column.get_mut(sample as usize - rows.start) {
                    Some(sum) => *sum += pair(value, entry.value),
                    None => break,
                }
            }
        }
    });
}

/// Σₖ pair(x_k, y_k) over the features that both have, in double precision.
pub fn shared<T: Scalar>(x: &[Entry<T>], y: &[Entry<T>], pair: impl Fn(f64, f64) -> f64) -> f64 {
    let (mut x, mut y) = (x, y);
    let mut sum = 0.0;
    while let ([a, x_rest @ ..], [b, y_rest @ ..]) = (x, y) {
        if a.feature == b.feature {
            sum += pair(a.value.to_f64(), b.value.to_f64());
        }
        if a.feature <= b.feature {
            x = x_rest;
        }
        if b.feature <= a.feature {
            y = y_rest;
        }
    }
    sum
}
