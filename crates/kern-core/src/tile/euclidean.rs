//! Squared Euclidean distances of a tile of dense samples, by differences or by ‖x‖² + ‖y‖² − 2⟨x,
//! y⟩.
//!
//! In few dimensions, or with weights, they are sums of squared differences; in many, they are
//! computed from inner products where that is as accurate. The expanded form is a matrix product,
//! which takes two thirds of the time of squared differences, or one half where processors add and
//! multiply on the same ports. Its rounding error is proportional to ‖x‖² + ‖y‖², so pairs whose
//! squared distance is small compared with that are computed from differences. The rule depends on
//! nothing but the pair, so that an entry has the same value in every tile.

use super::coordinates::fold_columns;
use super::order::{ByDistance, Distance, Order};
use super::{Buffer, Product, Scratch, Term, Tile};
use crate::simd::dispatched;
use crate::simd::lanes::Number;
use crate::{Points, Samples, Scalar};
use faer::{MatMut, MatRef};
use kern_macros::compiled_once;

/// `out[(i, j)] = ‖a_i − b_j‖²`.
///
/// # Panics
/// If `out` does not have the tile's shape.
///
/// # Complexity
/// 3·m·n·d flops, or 2·m·n·d in many dimensions; m·d values of scratch memory.
///
/// # Numerics
/// Relative error ≤ (d + 2)u by differences, wherever the data lies. From 128 dimensions on, a pair
/// whose squared distance is at least (‖a_i‖² + ‖b_j‖²)/8 is computed from its inner product, with
/// a relative error of at most 16(d + 8)u (measured: less than (d + 2)u). An entry has the same
/// bits in every tile, and if the samples are exchanged; it is 0 for equal samples, and ∞ if it
/// overflows.
///
/// # References
/// The errors of the expanded form: scikit-learn issue 9354.
///
/// # Examples
/// ```
/// use kern_core::{Samples, Scratch, Tile, faer::Mat, tile};
/// // Far from the origin and close together: the expanded form would return noise.
/// let x = Samples::from_rows(&[[1e8, 1.0], [1e8, 1.5]])?;
/// let mut out = Mat::zeros(2, 2);
/// tile::squared_distance(&Tile::new(&x, 0..2, &x, 0..2), out.as_mut(), &mut Scratch::new());
/// assert_eq!(out[(0, 1)], 0.25);
/// # Ok::<(), kern_core::Error>(())
/// ```
pub fn squared_distance<T: Scalar>(
    tile: &Tile<'_, Samples<T>>,
    out: MatMut<'_, T>,
    scratch: &mut Scratch<T>,
) {
    Euclidean.fill(tile, out, scratch, &mut |_| {});
}

/// `out[(i, j)] = Σₖ w_k(a_ik − b_jk)²` for non-negative weights; an empty list means that all are
/// 1. Each column passes through `finish(j, column)` while it is in cache.
pub(crate) fn weighted_squared_distance<T: Scalar>(
    tile: &Tile<'_, Samples<T>>,
    weights: &[f64],
    out: MatMut<'_, T>,
    scratch: &mut Scratch<T>,
    finish: &mut dyn FnMut(usize, &mut [T]),
) {
    match weights {
        [] => squared_distances(tile, out, scratch, finish),
        _ => fold_columns(tile, out, scratch, Weighted { weights }, finish),
    }
}

/// The order of dense samples by Σₖ w_k(a_ik − b_jk)², with weights as above.
pub(crate) fn order_by_squared_distance<'a, T: Scalar>(
    a: &'a Samples<T>,
    b: &'a Samples<T>,
    weights: &'a [f64],
    profile: impl Fn(&mut [T], &mut [T]) + Send + Sync + 'a,
) -> Box<dyn Order<T> + 'a> {
    match weights {
        [] => Box::new(ByDistance { a, b, distance: Euclidean, profile }),
        _ => Box::new(ByDistance { a, b, distance: Weighted { weights }, profile }),
    }
}

/// ‖x − y‖², by the faster of both forms.
struct Euclidean;

impl<T: Scalar> Distance<T> for Euclidean {
    fn fill(
        &self,
        tile: &Tile<'_, Samples<T>>,
        out: MatMut<'_, T>,
        scratch: &mut Scratch<T>,
        finish: &mut dyn FnMut(&mut [T]),
    ) {
        tile.turned_if_faster(out, |tile, out| {
            squared_distances(tile, out, scratch, &mut |_, column| finish(column));
        });
    }

    fn relative_error(&self, dim: usize) -> f64 {
        relative_error(dim)
    }
}

fn squared_distances<T: Scalar>(
    tile: &Tile<'_, Samples<T>>,
    out: MatMut<'_, T>,
    scratch: &mut Scratch<T>,
    finish: &mut dyn FnMut(usize, &mut [T]),
) {
    if by_products(tile.b().dim()) {
        tile.assert_shape(&out);
        fill(tile, out, scratch, finish);
    } else {
        fold_columns(tile, out, scratch, SquaredDifference, finish);
    }
}

/// (x − y)².
#[derive(Clone, Copy)]
pub(super) struct SquaredDifference;

impl Term for SquaredDifference {
    crate::products::compiled_loops!(SquaredDifference);

    const LIGHT: bool = true;

    #[inline(always)]
    fn of<N: Number>(self, x: N, y: N) -> N {
        (x - y) * (x - y)
    }

    #[inline(always)]
    fn join<N: Number>(self, sum: N, x: N, y: N, _: usize) -> N {
        (x - y).fma(x - y, sum)
    }
}

/// w_k(x − y)².
#[derive(Clone, Copy)]
struct Weighted<'a> {
    weights: &'a [f64],
}

impl Term for Weighted<'_> {
    crate::products::compiled_loops!(Weighted<'_>);

    #[inline(always)]
    fn of<N: Number>(self, x: N, y: N) -> N {
        SquaredDifference.of(x, y)
    }

    #[inline(always)]
    fn join<N: Number>(self, sum: N, x: N, y: N, k: usize) -> N {
        let difference = x - y;
        (difference.constant(self.weights[k]) * difference).fma(difference, sum)
    }
}

/// Σₖ w_k(x_k − y_k)², accumulated in double precision; an empty list means that all weights are 1.
/// For samples in double precision it equals the entry of a tile bit for bit.
pub(crate) fn weighted<T: Scalar>(x: &[T], y: &[T], weights: &[f64]) -> f64 {
    match weights.len() {
        0 if size_of::<T>() == size_of::<f64>() => entry(x, y).to_f64(),
        0 => SquaredDifference.pair(x, y),
        // Coordinates without a weight, which `check` refuses, are ignored.
        dim => Weighted { weights }.pair(&x[..dim.min(x.len())], y),
    }
}

/// The smallest dimension in which the expanded form pays.
const SMALLEST: usize = 128;
/// The smallest ratio of a squared distance to ‖x‖² + ‖y‖² for which the expanded form is used.
const SHARE: f64 = 0.125;
/// Pairs of a tile, by rows and by columns, that are probed to choose the faster form.
const PROBES: usize = 8;
/// The largest number of probed pairs of the rarer kind for which such pairs are still recomputed
/// one by one.
const RARE: usize = 1;

/// Returns true if squared distances in this dimension may be computed from inner products.
fn by_products(dim: usize) -> bool {
    dim >= SMALLEST
}

/// A bound on the relative error of a squared distance, in units of u: the errors of the inner
/// product and of the two norms are d·u times (‖x‖² + ‖y‖²)/2 and times the norms, and the distance
/// is at least an eighth of their sum.
fn relative_error(dim: usize) -> f64 {
    let exact = dim as f64 + 8.0;
    if by_products(dim) { 2.0 / SHARE * exact } else { exact }
}

/// The entry of a tile for one pair, bit for bit.
#[compiled_once]
fn entry<T: Scalar>(x: &[T], y: &[T]) -> T {
    if by_products(x.len()) {
        let sum = T::dot(x, x) + T::dot(y, y);
        let distance = expanded(sum, Product.entry(x, y));
        if is_trusted(distance, sum) {
            return distance;
        }
    }
    SquaredDifference.entry(x, y)
}

/// `out[(i, j)] = ‖a_i − b_j‖²` in many dimensions. Each column passes through `finish(j, column)`.
///
/// Pairs that must be computed from differences are recomputed one by one if there are few, and as
/// a tile of their own if there are many; if almost all are of this kind, the other pairs are
/// recomputed instead.
#[compiled_once]
fn fill<T: Scalar>(
    tile: &Tile<'_, Samples<T>>,
    out: MatMut<'_, T>,
    scratch: &mut Scratch<T>,
    finish: &mut dyn FnMut(usize, &mut [T]),
) {
    let norms = Norms::new(tile, scratch);
    let (trusted, probes) = norms.probe(tile);
    if trusted <= RARE && probes > RARE {
        fold_columns(tile, out, scratch, SquaredDifference, &mut |j, column| {
            norms.recompute_trusted(tile, j, column);
            finish(j, column);
        });
    } else if trusted + RARE >= probes {
        fold_columns(tile, out, scratch, Product, &mut |j, column| {
            norms.expand(tile, j, column, None);
            finish(j, column);
        });
    } else {
        scratch.with_matrix(tile.nrows(), tile.ncols(), |mut known, scratch| {
            fold_columns(tile, known.as_mut(), scratch, SquaredDifference, &mut |_, _| {});
            fold_columns(tile, out, scratch, Product, &mut |j, column| {
                norms.expand(tile, j, column, Some(known.as_ref()));
                finish(j, column);
            });
        });
    }
    norms.give(scratch);
}

/// ‖x‖² + ‖y‖² − 2⟨x, y⟩.
#[inline(always)]
fn expanded<T: Scalar>(sum: T, product: T) -> T {
    product.fma(T::from_f64(-2.0), sum)
}

/// Returns true if a squared distance from the expanded form is as accurate as one from
/// differences: it is not small compared with the norms, and these have neither overflowed nor lost
/// digits to underflow.
#[inline(always)]
fn is_trusted<T: Scalar>(distance: T, sum: T) -> bool {
    let smallest = T::from_f64(T::MIN_POSITIVE.to_f64() / T::UNIT_ROUNDOFF);
    (distance >= T::from_f64(SHARE) * sum) & (sum >= smallest) & sum.is_finite_number()
}

/// The squared norms of the samples of a tile.
struct Norms<T> {
    rows: Buffer<T>,
    cols: Buffer<T>,
}

impl<T: Scalar> Norms<T> {
    fn new(tile: &Tile<'_, Samples<T>>, scratch: &mut Scratch<T>) -> Self {
        let mut norms = |x: &Samples<T>, range: std::ops::Range<usize>| {
            let mut norms = scratch.take(range.len());
            x.squared_norms_into(range, &mut norms);
            norms
        };
        Self { rows: norms(tile.a(), tile.rows()), cols: norms(tile.b(), tile.cols()) }
    }

    fn give(self, scratch: &mut Scratch<T>) {
        scratch.give(self.cols);
        scratch.give(self.rows);
    }

    /// The number of trusted pairs among the probed ones, and the number of probed pairs.
    fn probe(&self, tile: &Tile<'_, Samples<T>>) -> (usize, usize) {
        let (m, n) = (self.rows.len(), self.cols.len());
        let (rows, cols) = (m.min(PROBES), n.min(PROBES));
        let some = |k: usize, of: usize, among: usize| (2 * k + 1) * among / (2 * of);
        let is_good = |&(r, c): &(usize, usize)| {
            let (i, j) = (some(r, rows, m), some(c, cols, n));
            let (x, y) = (pair(tile, i, j), self.rows[i] + self.cols[j]);
            is_trusted(expanded(y, T::dot(x.0, x.1)), y)
        };
        // Pairs of a sample with itself say nothing about others.
        let is_pair = |&(r, c): &(usize, usize)| {
            let (x, y) = pair(tile, some(r, rows, m), some(c, cols, n));
            !std::ptr::eq(x, y)
        };
        let pairs = || (0..rows).flat_map(|r| (0..cols).map(move |c| (r, c))).filter(is_pair);
        (pairs().filter(is_good).count(), pairs().count())
    }

    /// Completes inner products to distances; those that cannot be trusted are taken from `known`,
    /// or recomputed.
    fn expand(
        &self,
        tile: &Tile<'_, Samples<T>>,
        j: usize,
        column: &mut [T],
        known: Option<MatRef<'_, T>>,
    ) {
        let own = self.cols[j];
        if expand_column(column, &self.rows, own) {
            return;
        }
        for (start, (column, norms)) in chunks(column, &self.rows) {
            if all_trusted(column, norms, own) {
                continue;
            }
            for (i, (d, &norm)) in (start..).zip(column.iter_mut().zip(norms)) {
                if !is_trusted(*d, norm + own) {
                    let recomputed = || {
                        let (x, y) = pair(tile, i, j);
                        difference(x, y, norm)
                    };
                    *d = known.map_or_else(recomputed, |known| known[(i, j)]);
                }
            }
        }
    }

    /// Recomputes from inner products the distances for which the expanded form might be trusted.
    fn recompute_trusted(&self, tile: &Tile<'_, Samples<T>>, j: usize, column: &mut [T]) {
        let own = self.cols[j];
        // Both forms differ by less than this share of the norms.
        let error = 4.0 * (tile.b().dim() as f64 + 8.0) * T::UNIT_ROUNDOFF;
        let below = T::from_f64(SHARE - error);
        if all_below(column, &self.rows, own, below) {
            return;
        }
        for (i, (d, &norm)) in column.iter_mut().zip(&self.rows).enumerate() {
            if *d >= below * (norm + own) {
                let (x, y) = pair(tile, i, j);
                *d = entry(x, y);
            }
        }
    }
}

dispatched! {
    /// Completes a column of inner products to distances; returns true if all of them can be
    /// trusted.
    fn expand_column<'a, T>(column: &'a mut [T], rows: &'a [T], own: T) -> bool {
        let mut trusted = true;
        for (d, &row) in column.iter_mut().zip(rows) {
            *d = expanded(row + own, *d);
            trusted &= is_trusted(*d, row + own);
        }
        trusted
    }
}

dispatched! {
    /// Returns true if all distances can be trusted.
    fn all_trusted<'a, T>(column: &'a [T], rows: &'a [T], own: T) -> bool {
        let mut trusted = true;
        for (&d, &row) in column.iter().zip(rows) {
            trusted &= is_trusted(d, row + own);
        }
        trusted
    }
}

/// Pieces of a column with the norms of their rows, each with the index of its first row.
fn chunks<'a, T>(
    column: &'a mut [T],
    rows: &'a [T],
) -> impl Iterator<Item = (usize, (&'a mut [T], &'a [T]))> {
    const LEN: usize = 32;
    (0..).step_by(LEN).zip(column.chunks_mut(LEN).zip(rows.chunks(LEN)))
}

dispatched! {
    /// Returns true if all distances are less than this share of the norms.
    fn all_below<'a, T>(column: &'a [T], rows: &'a [T], own: T, part: T) -> bool {
        let mut below = true;
        for (&d, &row) in column.iter().zip(rows) {
            below &= d < part * (row + own);
        }
        below
    }
}

/// ‖x − y‖² from differences. A sample of finite norm has distance 0 from itself.
fn difference<T: Scalar>(x: &[T], y: &[T], norm: T) -> T {
    if std::ptr::eq(x, y) && norm.is_finite_number() {
        return T::ZERO;
    }
    SquaredDifference.entry(x, y)
}

/// The pair of samples of an entry.
fn pair<'a, T: Scalar>(tile: &Tile<'a, Samples<T>>, i: usize, j: usize) -> (&'a [T], &'a [T]) {
    (tile.a().item(tile.rows().start + i), tile.b().item(tile.cols().start + j))
}
