//! Squared Euclidean distances of a tile of dense samples, by one matrix product with guarded
//! rounding.
//!
//! ‖x−y‖² = ‖x−c‖² + ‖y−c‖² − 2⟨x−c, y−c⟩ for every origin c. The product runs at full speed but
//! its rounding is proportional to (‖x−c‖ + ‖y−c‖)², not to ‖x−y‖². Two guards: c is the mean of
//! the data, and entries whose distance is so small that the rounding would show are recomputed
//! from differences.

use super::{Scratch, Tile, for_each_column};
use crate::simd::dispatched;
use crate::{Points, Samples, Scalar, tolerance};
use faer::linalg::matmul::matmul;
use faer::{Accum, MatMut, MatRef, Par};
use std::ops::Range;

/// `out[(i, j)] = ‖a_i − b_j‖²`, every entry ≥ 0.
///
/// `recompute_below` receives a bound δ on the absolute rounding error of the tile's entries, and
/// answers below which distance² an entry has to be computed anew from differences; 0 for never.
/// So the kernel decides what matters: for exp(−γd²) a far pair may err by much.
///
/// # Panics
/// If `out` does not have the tile's shape.
///
/// # Complexity
/// 2·m·n·d flops, and 3·d for each entry that is recomputed; (m + n)·(d + 1) numbers of scratch.
///
/// # Numerics
/// Recomputed entries: relative error ≤ (d + 2)u. The others: absolute error ≤ δ.
///
/// # References
/// Surveyed in scikit-learn issue 9354 (catastrophic cancellation of the expanded form in f32).
///
/// # Examples
/// ```
/// use kern_core::{Samples, Scratch, Tile, faer::Mat, tile};
/// // Far from the origin and close together: the expanded form alone would return noise.
/// let x = Samples::from_rows(&[[1e8, 1.0], [1e8, 1.5]])?;
/// let mut out = Mat::zeros(2, 2);
/// let tile = Tile::new(&x, 0..2, &x, 0..2);
/// tile::squared_distance(&tile, out.as_mut(), &mut Scratch::new(), |_error| 0.0);
/// assert_eq!(out[(0, 1)], 0.25);
/// # Ok::<(), kern_core::Error>(())
/// ```
pub fn squared_distance<T: Scalar>(
    tile: &Tile<'_, Samples<T>>,
    out: MatMut<'_, T>,
    scratch: &mut Scratch<T>,
    recompute_below: impl FnOnce(f64) -> f64,
) {
    weighted_squared_distance(tile, &[], out, scratch, recompute_below);
}

/// `out[(i, j)] = Σₖ w_k(a_ik − b_jk)²` for non-negative weights, of which none means all 1. All
/// else is as for [`squared_distance`].
pub(crate) fn weighted_squared_distance<T: Scalar>(
    tile: &Tile<'_, Samples<T>>,
    weights: &[f64],
    mut out: MatMut<'_, T>,
    scratch: &mut Scratch<T>,
    recompute_below: impl FnOnce(f64) -> f64,
) {
    tile.assert_shape(&out);
    if tile.nrows() == 0 || tile.ncols() == 0 {
        return;
    }
    let dim = tile.b().dim();
    // One common origin for both sides. The mean of b serves every tile of a Gram matrix, and
    // the training points in prediction.
    let origin = tile.b().center();
    let mut roots = scratch.take(weights.len());
    for (root, w) in roots.iter_mut().zip(weights) {
        *root = T::from_f64(w.sqrt());
    }
    let a = Centered::new(tile.a(), tile.rows(), (origin, &roots), scratch);
    let b = Centered::new(tile.b(), tile.cols(), (origin, &roots), scratch);

    matmul(
        out.as_mut(),
        Accum::Replace,
        MatRef::from_column_major_slice(&a.values, dim, tile.nrows()).transpose(),
        MatRef::from_column_major_slice(&b.values, dim, tile.ncols()),
        T::from_f64(-2.0),
        Par::Seq,
    );
    let reach = a.max_norm() + b.max_norm();
    let error = tolerance::squared_distance_error(dim, T::UNIT_ROUNDOFF) * reach * reach;
    let below = T::from_f64(recompute_below(error));

    for_each_column(out, scratch, |j, column| {
        add_norms(column, &a.squared_norms, b.squared_norms[j]);
        if below > T::ZERO {
            let y = tile.b().item(tile.cols().start + j);
            recompute(column, below, (tile.a(), tile.rows().start), y, weights);
        }
    });
    scratch.give(a.values);
    scratch.give(a.squared_norms);
    scratch.give(b.values);
    scratch.give(b.squared_norms);
    scratch.give(roots);
}

dispatched! {
    /// d²_i = max(0, −2⟨x_i, y⟩ + ‖x_i‖² + ‖y‖²), where the first term is there already.
    fn add_norms<'a, T>(column: &'a mut [T], rows: &'a [T], col: T) -> () {
        for (d2, &norm) in column.iter_mut().zip(rows) {
            *d2 = (*d2 + (norm + col)).at_least(T::ZERO);
        }
    }
}

dispatched! {
    /// Entries that are too small to be trusted, from differences of the original samples: entry i
    /// belongs to sample `start + i` of `x`.
    fn recompute<'a, T>(
        column: &'a mut [T],
        below: T,
        rows: (&'a Samples<T>, usize),
        y: &'a [T],
        weights: &'a [f64],
    ) -> () {
        let (x, start) = rows;
        // Most chunks are trusted as a whole, which takes a few vector operations to see (measured:
        // 0.6 ns less per entry than a branch for each).
        for (c, chunk) in column.chunks_mut(32).enumerate() {
            if chunk.iter().fold(true, |all, &d2| all & is_trusted(d2, below)) {
                continue;
            }
            for (i, d2) in chunk.iter_mut().enumerate() {
                if !is_trusted(*d2, below) {
                    *d2 = T::from_f64(weighted(x.item(start + 32 * c + i), y, weights));
                }
            }
        }
    }
}

/// NaN and ∞ are overflows of the expanded form, perhaps not of the distance.
#[inline(always)]
fn is_trusted<T: Scalar>(d2: T, below: T) -> bool {
    (d2 >= below) & d2.is_finite_number()
}

/// Σₖ (x_k − y_k)², accumulated in double precision.
#[inline(always)]
pub(crate) fn direct<T: Scalar>(x: &[T], y: &[T]) -> f64 {
    x.iter().zip(y).map(|(x, y)| x.to_f64() - y.to_f64()).map(|d| d * d).sum()
}

/// Σₖ w_k(x_k − y_k)², accumulated in double precision; without weights, all are 1.
#[inline(always)]
pub(crate) fn weighted<T: Scalar>(x: &[T], y: &[T], weights: &[f64]) -> f64 {
    if weights.is_empty() {
        return direct(x, y);
    }
    let differences = x.iter().zip(y).map(|(x, y)| x.to_f64() - y.to_f64());
    differences.zip(weights).map(|(d, w)| w * d * d).sum()
}

/// Samples of one side of a tile, moved to the common origin, with their squared norms.
struct Centered<T> {
    values: Vec<T>,
    squared_norms: Vec<T>,
}

impl<T: Scalar> Centered<T> {
    /// Each sample minus the origin, times the roots of the weights if there are any.
    fn new(
        x: &Samples<T>,
        range: Range<usize>,
        (origin, roots): (&[T], &[T]),
        scratch: &mut Scratch<T>,
    ) -> Self {
        let dim = x.dim();
        let mut values = scratch.take(range.len() * dim);
        let mut squared_norms = scratch.take(range.len());
        let source = &x.as_slice()[range.start * dim..range.end * dim];
        move_to_origin(source, origin, roots, &mut values, &mut squared_norms);
        Self { values, squared_norms }
    }

    fn max_norm(&self) -> f64 {
        self.squared_norms.iter().map(|s| s.to_f64()).fold(0.0, f64::max).sqrt()
    }
}

dispatched! {
    /// Each sample of `from` minus the origin, scaled, and its squared norm. Scaling comes after
    /// the subtraction, whose result has few digits to lose.
    fn move_to_origin<'a, T>(
        from: &'a [T],
        origin: &'a [T],
        roots: &'a [T],
        to: &'a mut [T],
        squared_norms: &'a mut [T],
    ) -> () {
        let dim = origin.len();
        let rows = to.chunks_exact_mut(dim).zip(from.chunks_exact(dim));
        for ((to, from), norm) in rows.zip(squared_norms) {
            for ((to, &from), &c) in to.iter_mut().zip(from).zip(origin) {
                *to = from - c;
            }
            for (to, &root) in to.iter_mut().zip(roots) {
                *to *= root;
            }
            *norm = T::dot(to, to);
        }
    }
}
