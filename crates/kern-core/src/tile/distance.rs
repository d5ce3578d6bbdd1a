//! Squared Euclidean distances of a tile of dense samples.
//!
//! In few dimensions, or with weights, they are sums of squared differences; in many, `euclidean` says where an inner
//! product gives as good a value.

use super::coordinates::fold_coordinates;
use super::order::{ByDistance, Distance, Order};
use super::{Scratch, Term, Tile, euclidean};
use crate::simd::lanes::Number;
use crate::{Samples, Scalar};
use faer::MatMut;

/// `out[(i, j)] = ‖a_i − b_j‖²`.
///
/// # Panics
/// If `out` does not have the tile's shape.
///
/// # Complexity
/// 3·m·n·d flops, or 2·m·n·d in many dimensions; m·d numbers of scratch.
///
/// # Numerics
/// Relative error ≤ (d + 2)u wherever the data lies, from differences. From 128 dimensions on a pair whose squared distance
/// is at least (‖a_i‖² + ‖b_j‖²)/8 has it from their inner product, with a relative error of at most 16(d + 8)u
/// (measured: less than (d + 2)u). An entry has the same bits in every tile, and
/// the same if the samples are exchanged; it is 0 for equal samples, and ∞ if it overflows.
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
    weighted_squared_distance(tile, &[], out, scratch, &mut |_, _| {});
}

/// `out[(i, j)] = Σₖ w_k(a_ik − b_jk)²` for non-negative weights, of which none means all 1. Each
/// column passes through `finish(j, column)` on its way.
pub(crate) fn weighted_squared_distance<T: Scalar>(
    tile: &Tile<'_, Samples<T>>,
    weights: &[f64],
    out: MatMut<'_, T>,
    scratch: &mut Scratch<T>,
    finish: &mut dyn FnMut(usize, &mut [T]),
) {
    match weights {
        [] => Euclidean.fill(tile, out, scratch, finish),
        _ => fold_coordinates(tile, out, scratch, Weighted { weights }, finish),
    }
}

/// The order of dense samples by Σₖ w_k(a_ik − b_jk)², weights as above.
pub(crate) fn order_by_squared_distance<'a, T: Scalar>(
    (a, b): (&'a Samples<T>, &'a Samples<T>),
    weights: &'a [f64],
    profile: impl Fn(&mut [T], &mut [T]) + Send + Sync + 'a,
) -> Box<dyn Order<T> + 'a> {
    match weights {
        [] => Box::new(ByDistance { a, b, distance: Euclidean, profile }),
        _ => Box::new(ByDistance { a, b, distance: Weighted { weights }, profile }),
    }
}

/// ‖x − y‖², in the cheapest way.
struct Euclidean;

impl<T: Scalar> Distance<T> for Euclidean {
    fn fill(
        &self,
        tile: &Tile<'_, Samples<T>>,
        out: MatMut<'_, T>,
        scratch: &mut Scratch<T>,
        finish: &mut dyn FnMut(usize, &mut [T]),
    ) {
        if euclidean::by_products(tile.b().dim()) {
            tile.assert_shape(&out);
            euclidean::fill(tile, out, scratch, finish);
        } else {
            fold_coordinates(tile, out, scratch, SquaredDifference, finish);
        }
    }

    fn relative_error(&self, dim: usize) -> f64 {
        euclidean::relative_error(dim)
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

/// Σₖ w_k(x_k − y_k)², accumulated in double precision; without weights, all are 1. For samples in double precision it is, to
/// the bit, the entry of a tile.
pub(crate) fn weighted<T: Scalar>(x: &[T], y: &[T], weights: &[f64]) -> f64 {
    match weights.len() {
        0 if size_of::<T>() == size_of::<f64>() => euclidean::entry(x, y).to_f64(),
        0 => SquaredDifference.pair(x, y),
        // Coordinates without a weight, which `check` refuses, do not count.
        dim => Weighted { weights }.pair(&x[..dim.min(x.len())], y),
    }
}
