//! Sparse tiles: sums over the features that two sparse samples share, such as inner products or
//! minima.

use super::{Buffer, Scratch, Tile, for_each_column};
use crate::points::{Column, Entry, STRIPE, stripes, united};
use crate::simd::{arch, dispatched};
use crate::{Points, Scalar, SparseSamples, tolerance};
use faer::MatMut;
use pulp::{Simd, WithSimd};
use std::ops::Range;

/// `out[(i, j)] = Σₖ pair(a_ik, b_jk)` over the features k that both samples store. With
/// `pair = |x, y| x * y` these are inner products.
///
/// # Panics
/// If `out` does not have the tile's shape.
///
/// # Complexity
/// One call of `pair` for each shared feature: the samples of b are looked up in the columns of a
/// (Gustavson 1978), so pairs without shared features cost nothing. Columns of a with few zeros are
/// processed in vector registers, zeros included; so `pair` is also called with x = 0, and the
/// result is then discarded. The columns of a are kept with it once they are computed; they take
/// the memory of at most eight values per entry.
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
    shared_terms(tile, out, scratch, |_, x, y| pair(x, y), |_, _| {});
}

/// [`shared_features`] with a pair function that receives the feature, too. `finish(j, column)` is
/// applied to every column of sums.
fn shared_terms<T: Scalar>(
    tile: &Tile<'_, SparseSamples<T>>,
    out: MatMut<'_, T>,
    scratch: &mut Scratch<T>,
    pair: impl Fn(u32, T, T) -> T,
    mut finish: impl FnMut(usize, &mut [T]),
) {
    tile.assert_shape(&out);
    // All columns of a stripe are looked up before their terms are added, so that the look-ups,
    // which miss the cache, overlap (measured: a fifth less time for random 3-mers).
    let (mut dense, mut sparse) = (Vec::new(), Vec::new());
    for_each_column(out, scratch, |j, column| {
        let y = tile.b().item(tile.cols().start + j);
        let mut rest = &mut *column;
        for (s, rows) in stripes(tile.rows()) {
            let stripe = tile.a().stripe(s);
            let mut sums = [T::ZERO; STRIPE];
            dense.clear();
            sparse.clear();
            for entry in y {
                match stripe.column(entry.feature) {
                    Some(Column::Dense(values)) => dense.push((values, entry)),
                    Some(Column::Sparse(postings)) => sparse.push((postings, entry)),
                    None => {}
                }
            }
            for (postings, entry) in &sparse {
                for (sample, x) in postings.within(&rows).iter() {
                    sums[sample] += pair(entry.feature, x, entry.value);
                }
            }
            arch().dispatch(AddDense { sums: &mut sums, columns: &dense, pair: &pair });
            let part = rest.split_off_mut(..rows.len()).unwrap_or_default();
            part.copy_from_slice(&sums[rows]);
        }
        finish(j, column);
    });
}

/// Sums that stay in registers while the terms of dense columns are added.
const LANES: usize = 32;

/// Adds the terms of some entries to the sums of all samples of a stripe; each entry comes with its
/// column.
struct AddDense<'a, T, F> {
    sums: &'a mut [T; STRIPE],
    columns: &'a [(&'a [T; STRIPE], &'a Entry<T>)],
    pair: &'a F,
}

impl<T: Scalar, F: Fn(u32, T, T) -> T> WithSimd for AddDense<'_, T, F> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        for (k, part) in self.sums.as_chunks_mut::<LANES>().0.iter_mut().enumerate() {
            let mut sums = *part;
            for (column, entry) in self.columns {
                let x = &column.as_chunks::<LANES>().0[k];
                for lane in 0..LANES {
                    // Computed in any case: a branch would prevent vectorisation.
                    let term = (self.pair)(entry.feature, x[lane], entry.value);
                    sums[lane] += if x[lane] == T::ZERO { T::ZERO } else { term };
                }
            }
            *part = sums;
        }
    }
}

/// Σₖ pair(x_k, y_k) over the shared features, in double precision.
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

/// `out[(i, j)] = Σₖ term(k, a_ik, b_jk)` over the features k that either sample stores, for terms
/// that are symmetric, non-negative, 0 at (0, 0) and at most 2·(term(k, x, 0) + term(k, 0, y)), as
/// those of distances are.
///
/// Features that only one of the samples stores are accounted for by sums per sample, so that only
/// shared features cost time: Σ term(a, b) = Σ term(a, 0) + Σ term(0, b) + Σ' (term(a, b) − term(a,
/// 0) − term(0, b)), where Σ' is over shared features. This cancels for nearby samples.
/// `recompute_below` receives a bound δ on the absolute rounding error of the tile's entries, and
/// returns the distance below which an entry must be recomputed from differences, or 0 for never.
/// So the kernel decides which errors matter: for exp(−γD), a large distance may have a large
/// error.
///
/// # Numerics
/// Recomputed entries: one rounding of a sum in double precision. All others: absolute error ≤ δ.
/// The magnitudes of the summands add up to at most 2·(Σ term(a, 0) + Σ term(0, b)), and one
/// summand is rounded per shared feature: half of what the bound for ‖x‖² + ‖y‖² − 2⟨x, y⟩ with
/// that many coordinates allows.
pub(crate) fn sparse_distance<T: Scalar>(
    tile: &Tile<'_, SparseSamples<T>>,
    out: MatMut<'_, T>,
    scratch: &mut Scratch<T>,
    term: impl Fn(u32, f64, f64) -> f64,
    recompute_below: impl FnOnce(f64) -> f64,
) {
    let alone = Alone::new(tile, scratch, &term);
    let below = recompute_below(alone.error(tile));
    let pair = |k, x: T, y: T| {
        let (x, y) = (x.to_f64(), y.to_f64());
        T::from_f64(term(k, x, y) - term(k, x, 0.0) - term(k, 0.0, y))
    };
    shared_terms(tile, out, scratch, pair, |j, column| alone.add(tile, j, column, below, &term));
    alone.give(scratch);
}

/// `out[(i, j)] = Σₖ w_k(a_ik − b_jk)²` for non-negative weights; an empty list means that all are
/// 1. It is the [`sparse_distance`] whose Σ' is −2·Σ w_k·a_ik·b_jk.
pub(crate) fn sparse_squared_distance<T: Scalar>(
    tile: &Tile<'_, SparseSamples<T>>,
    weights: &[f64],
    out: MatMut<'_, T>,
    scratch: &mut Scratch<T>,
    recompute_below: impl FnOnce(f64) -> f64,
) {
    let weight = |k: u32| weights.get(k as usize).copied().unwrap_or(1.0);
    let term = |k, x: f64, y: f64| weight(k) * (x - y) * (x - y);
    let alone = Alone::new(tile, scratch, &term);
    let below = recompute_below(alone.error(tile));
    let pair = |k, x: T, y: T| T::from_f64(-2.0 * weight(k)) * x * y;
    shared_terms(tile, out, scratch, pair, |j, column| alone.add(tile, j, column, below, &term));
    alone.give(scratch);
}

/// Σₖ term(k, x_k, 0) of each sample of a tile.
struct Alone<T> {
    rows: Buffer<T>,
    cols: Buffer<T>,
}

impl<T: Scalar> Alone<T> {
    fn new(
        tile: &Tile<'_, SparseSamples<T>>,
        scratch: &mut Scratch<T>,
        term: &impl Fn(u32, f64, f64) -> f64,
    ) -> Self {
        let mut sums = |x: &SparseSamples<T>, range: Range<usize>| {
            let mut sums = scratch.take(range.len());
            for (sum, i) in sums.iter_mut().zip(range) {
                let parts = x.item(i).iter().map(|e| term(e.feature, e.value.to_f64(), 0.0));
                *sum = T::from_f64(parts.sum());
            }
            sums
        };
        Self { rows: sums(tile.a(), tile.rows()), cols: sums(tile.b(), tile.cols()) }
    }

    fn give(self, scratch: &mut Scratch<T>) {
        scratch.give(self.rows);
        scratch.give(self.cols);
    }

    /// A bound on the rounding error of the tile's entries. If it overflows it is infinite, and all
    /// entries are recomputed.
    fn error(&self, tile: &Tile<'_, SparseSamples<T>>) -> f64 {
        let largest = |sums: &[T]| sums.iter().map(|s| s.to_f64()).fold(0.0, f64::max);
        let stored = tile.cols().map(|q| tile.b().item(q).len()).max().unwrap_or(0);
        let reach = T::from_f64(2.0 * (largest(&self.rows) + largest(&self.cols)));
        tolerance::squared_distance_error(stored, T::UNIT_ROUNDOFF) * reach.to_f64()
    }

    /// Completes the Σ' of column j to distances, and recomputes those that cannot be trusted.
    fn add(
        &self,
        tile: &Tile<'_, SparseSamples<T>>,
        j: usize,
        column: &mut [T],
        below: f64,
        term: &impl Fn(u32, f64, f64) -> f64,
    ) {
        let below = T::from_f64(below);
        if add_alone(column, &self.rows, self.cols[j], below) {
            return;
        }
        let y = tile.b().item(tile.cols().start + j);
        for (d, p) in column.iter_mut().zip(tile.rows()) {
            if !is_trusted(*d, below) {
                *d = T::from_f64(united(tile.a().item(p), y, term));
            }
        }
    }
}

dispatched! {
    /// Adds the sums of the rows and of the column to a column of Σ'; returns true if all of it can
    /// be trusted.
    fn add_alone<'a, T>(column: &'a mut [T], rows: &'a [T], own: T, below: T) -> bool {
        let mut trusted = true;
        for (d, &row) in column.iter_mut().zip(rows) {
            *d = (*d + (row + own)).at_least(T::ZERO);
            trusted &= is_trusted(*d, below);
        }
        trusted
    }
}

/// NaN and ∞ may come from an overflow in between, and not from the distance itself.
#[inline(always)]
fn is_trusted<T: Scalar>(d: T, below: T) -> bool {
    (d >= below) & d.is_finite_number()
}
