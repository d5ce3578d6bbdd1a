//! Sums over the features that two sparse samples share: inner products, minima, and the like.

use super::{Scratch, Tile, for_each_column};
use crate::points::Entry;
use crate::{Points, Scalar, SparseSamples, tolerance};
use faer::MatMut;
use std::ops::Range;

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
    shared_terms(tile, out, scratch, |_, x, y| pair(x, y));
}

/// [`shared_features`] with a pair function that is told the feature.
fn shared_terms<T: Scalar>(
    tile: &Tile<'_, SparseSamples<T>>,
    out: MatMut<'_, T>,
    scratch: &mut Scratch<T>,
    pair: impl Fn(u32, T, T) -> T,
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
                    Some(sum) => *sum += pair(entry.feature, value, entry.value),
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

/// Σₖ term(k, x_k, y_k) over the features that either has, in double precision.
pub(crate) fn united<T: Scalar>(
    x: &[Entry<T>],
    y: &[Entry<T>],
    term: impl Fn(u32, f64, f64) -> f64,
) -> f64 {
    let (mut x, mut y) = (x, y);
    let mut sum = 0.0;
    loop {
        let next = [x, y].into_iter().filter_map(|side| side.first().map(|e| e.feature)).min();
        let Some(feature) = next else { return sum };
        let take = |side: &mut &[Entry<T>]| match side.split_first() {
            Some((entry, rest)) if entry.feature == feature => {
                *side = rest;
                entry.value.to_f64()
            }
            _ => 0.0,
        };
        sum += term(feature, take(&mut x), take(&mut y));
    }
}

/// `out[(i, j)] = Σₖ term(k, a_ik, b_jk)` over the features k that either sample stores, for terms
/// that are symmetric, non-negative, 0 at (0, 0) and at most 2·(term(k, x, 0) + term(k, 0, y)), as
/// those of distances are.
///
/// Features that only one of the samples stores are accounted for by sums per sample, so that work
/// is done for coincidences alone: Σ term(a, b) = Σ term(a, 0) + Σ term(0, b) + Σ' (term(a, b) −
/// term(a, 0) − term(0, b)), where Σ' is over shared features. Like the expanded form of
/// distances of dense samples this cancels between near samples, so `recompute_below` has the same
/// meaning as in [`squared_distance`](super::squared_distance).
///
/// # Numerics
/// Recomputed entries: one rounding of a sum in double precision. The others: absolute error ≤ δ.
/// The magnitudes of the summands add up to 2·(Σ term(a, 0) + Σ term(0, b)) at most, and as many
/// of them as the samples share are rounded: half of what the bound for ‖x‖² + ‖y‖² − 2⟨x, y⟩
/// with that many coordinates allows for.
pub(crate) fn sparse_distance<T: Scalar>(
    tile: &Tile<'_, SparseSamples<T>>,
    mut out: MatMut<'_, T>,
    scratch: &mut Scratch<T>,
    term: impl Fn(u32, f64, f64) -> f64,
    recompute_below: impl FnOnce(f64) -> f64,
) {
    shared_terms(tile, out.as_mut(), scratch, |k, x, y| {
        let (x, y) = (x.to_f64(), y.to_f64());
        T::from_f64(term(k, x, y) - term(k, x, 0.0) - term(k, 0.0, y))
    });
    let a = alone(tile.a(), tile.rows(), scratch, &term);
    let b = alone(tile.b(), tile.cols(), scratch, &term);
    let greatest = |sums: &[T]| sums.iter().map(|s| s.to_f64()).fold(0.0, f64::max);
    let stored = tile.cols().map(|q| tile.b().item(q).len()).max().unwrap_or(0);
    let reach = T::from_f64(2.0 * (greatest(&a) + greatest(&b)));
    // A bound that overflows stays infinite, and all is recomputed.
    let error = tolerance::squared_distance_error(stored, T::UNIT_ROUNDOFF) * reach.to_f64();
    let below = T::from_f64(recompute_below(error));
    for_each_column(out, scratch, |j, column| {
        let y = tile.b().item(tile.cols().start + j);
        for ((p, d), &alone) in tile.rows().zip(column).zip(&a) {
            *d = (*d + (alone + b[j])).at_least(T::ZERO);
            let trusted = *d >= below && d.is_finite_number();
            if !trusted {
                *d = T::from_f64(united(tile.a().item(p), y, &term));
            }
        }
    });
    scratch.give(a);
    scratch.give(b);
}

/// Σₖ term(k, x_k, 0) of each sample of the range.
fn alone<T: Scalar>(
    x: &SparseSamples<T>,
    range: Range<usize>,
    scratch: &mut Scratch<T>,
    term: impl Fn(u32, f64, f64) -> f64,
) -> Vec<T> {
    let mut sums = scratch.take(range.len());
    for (sum, i) in sums.iter_mut().zip(range) {
        let parts = x.item(i).iter().map(|e| term(e.feature, e.value.to_f64(), 0.0));
        *sum = T::from_f64(parts.sum());
    }
    sums
}
