//! Distances in the feature space computed from differences of points: −½‖φ(x) − φ(y)‖² as a
//! kernel.
//!
//! Computed from kernel values, ‖φ(x) − φ(y)‖² = K(x, x) − 2K(x, y) + K(y, y) has the rounding
//! error of K(x, x), which may be many times the distance if the points are far from the origin.
//! Where the form of the kernel allows it, the distance is computed from x − y instead and has the
//! relative accuracy of that difference. A sum Σᵢⱼ cᵢcⱼK(xᵢ, xⱼ) with Σᵢ cᵢ = 0 is the same for K
//! and for −½‖φ(x) − φ(y)‖², which is conditionally positive definite (Schölkopf 2001, *The Kernel
//! Trick for Distances*).
//!
//! # Polynomial kernel
//! With a = γ‖x‖² + r, b = γ‖y‖² + r and m = γ⟨x, y⟩ + r the squared distance is aᵖ + bᵖ − 2mᵖ. Let
//! h = (a + b)/2, e = (a − b)/2 and s = γ‖x − y‖²/2, so that a = h + e, b = h − e and m = h − s,
//! where e and s are computed from differences. Then
//!
//! (aᵖ + bᵖ)/2 − hᵖ = Σ C(p, k)hᵖ⁻ᵏeᵏ over even k ≥ 2, and hᵖ − mᵖ = s·Σₖ hᵖ⁻¹⁻ᵏmᵏ over k < p.

use crate::order::{Order, reach};
use crate::simd::lanes::Number;
use crate::tile::directions::direction;
use crate::tile::{self, Scratch, Term, Tile};
use crate::{
    Entry, Geometry, Kernel, Points, Samples, Scalar, SearchOrder, SinglePrecision, SparseSamples,
    tolerance,
};
use faer::MatMut;

/// The largest degree for which distances come from differences: with more terms, these have the
/// rounding error of distances from kernel values.
pub(crate) const LARGEST_DEGREE: u32 = 32;

/// The largest ‖x − y‖², relative to ‖x‖‖y‖, at which it is more accurate than the directions.
const NEAR: f64 = 0.25;

/// −½‖x − y‖².
#[derive(Clone, Copy, Debug)]
pub(crate) struct LinearDistance;

/// v ← −½v.
fn halved<T: Scalar>(v: &mut [T]) {
    let half = T::from_f64(-0.5);
    v.iter_mut().for_each(|v| *v *= half);
}

impl<T: Scalar> Kernel<Samples<T>> for LinearDistance {
    fn eval(&self, x: &[T], y: &[T]) -> T {
        T::from_f64(-0.5 * tile::weighted(x, y, &[]))
    }

    fn is_pointwise(&self) -> bool {
        false
    }

    fn block(&self, tile: &Tile<'_, Samples<T>>, out: MatMut<'_, T>, scratch: &mut Scratch<T>) {
        tile.turned_if_faster(out, |tile, out| {
            let finish = &mut |_, column: &mut [T]| halved(column);
            tile::weighted_squared_distance(tile, &[], out, scratch, finish);
        });
    }

    fn diag(&self, _: &Samples<T>, _: usize) -> T {
        T::ZERO
    }

    fn search_order(&self) -> Option<&dyn SearchOrder<Samples<T>>> {
        Some(self)
    }
}

impl<T: Scalar> SearchOrder<Samples<T>> for LinearDistance {
    /// None if a distance might overflow.
    fn order<'a>(&'a self, a: &'a Samples<T>, b: &'a Samples<T>) -> Option<Box<dyn Order<T> + 'a>> {
        let reach = reach(a, b);
        let largest = T::from_f64(8.0 * a.dim() as f64 * reach * reach);
        let profile = |distances: &mut [T], _: &mut [T]| halved(distances);
        largest.is_finite_number().then(|| tile::order_by_squared_distance(a, b, &[], profile))
    }

    fn single_precision<'a>(&self, points: &'a Samples<T>) -> Option<SinglePrecision<'a>> {
        SinglePrecision::new(points, Geometry::Distance)
    }
}

impl<T: Scalar> Kernel<SparseSamples<T>> for LinearDistance {
    fn eval(&self, x: &[Entry<T>], y: &[Entry<T>]) -> T {
        T::from_f64(-0.5 * tile::united(x, y, |_, x, y| (x - y) * (x - y)))
    }

    fn is_pointwise(&self) -> bool {
        false
    }

    fn block(
        &self,
        tile: &Tile<'_, SparseSamples<T>>,
        mut out: MatMut<'_, T>,
        scratch: &mut Scratch<T>,
    ) {
        // Entries with a larger relative error are recomputed.
        let below = |error| error / (tolerance::TILE_ERROR * T::UNIT_ROUNDOFF);
        tile::sparse_squared_distance(tile, &[], out.as_mut(), scratch, below);
        tile::for_each_column(out, scratch, |_, column| halved(column));
    }

    fn diag(&self, _: &SparseSamples<T>, _: usize) -> T {
        T::ZERO
    }
}

/// −½‖φ(x) − φ(y)‖² of the features of (γ⟨x, y⟩ + r)ᵖ.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PolynomialDistance {
    pub(crate) gamma: f64,
    pub(crate) coef0: f64,
    pub(crate) degree: u32,
}

impl PolynomialDistance {
    fn of(&self, parts: Parts) -> f64 {
        let Self { gamma, coef0, degree } = *self;
        let h = gamma * parts.own.iter().sum::<f64>() / 2.0 + coef0;
        let (s, e) = (gamma * parts.apart / 2.0, gamma * parts.longer / 2.0);
        let m = h - s;
        // Horner's rule: C(p, k) from C(p, k − 2), with the powers of h and e in parallel.
        let (mut spread, mut factor) = (0.0, 1.0);
        for k in (2..=degree).step_by(2) {
            let [p, k] = [degree, k].map(f64::from);
            factor *= (p - k + 2.0) * (p - k + 1.0) / ((k - 1.0) * k) * e * e;
            spread += factor * h.powi(degree as i32 - k as i32);
        }
        let chain = (0..degree).fold(0.0, |sum, k| sum * m + h.powi(k as i32));
        -(spread + s * chain)
    }
}

impl<T: Scalar> Kernel<Samples<T>> for PolynomialDistance {
    fn eval(&self, x: &[T], y: &[T]) -> T {
        T::from_f64(self.of(Parts::of(x, y)))
    }

    fn is_pointwise(&self) -> bool {
        false
    }

    fn block(&self, tile: &Tile<'_, Samples<T>>, out: MatMut<'_, T>, scratch: &mut Scratch<T>) {
        fill(tile, out, scratch, |parts| self.of(parts));
    }

    fn diag(&self, _: &Samples<T>, _: usize) -> T {
        T::ZERO
    }
}

/// −½‖x/‖x‖ − y/‖y‖‖², with 0/‖0‖ = 0.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CosineDistance;

/// −½(‖x − y‖² − (‖x‖ − ‖y‖)²)/(‖x‖‖y‖) for vectors that are close to each other; otherwise NaN,
/// since the lengths may differ so much that this is rounding error.
fn of_near(Parts { apart, longer, own }: Parts) -> f64 {
    let [x, y] = own.map(f64::sqrt);
    let (longer, lengths) = (longer / (x + y), x * y);
    match lengths.is_normal() && apart <= NEAR * lengths {
        true => -0.5 * (apart - longer * longer).max(0.0) / lengths,
        false => f64::NAN,
    }
}

/// −½‖x/‖x‖ − y/‖y‖‖² from the unit vectors.
fn of_directions<T: Scalar>(x: &[T], y: &[T]) -> f64 {
    let [x, y] = [x, y].map(|x| {
        let mut to = vec![T::ZERO; x.len()];
        direction(x, &mut to);
        to
    });
    -0.5 * tile::weighted(&x, &y, &[])
}

impl<T: Scalar> Kernel<Samples<T>> for CosineDistance {
    fn eval(&self, x: &[T], y: &[T]) -> T {
        let near = of_near(Parts::of(x, y));
        T::from_f64(if near.is_nan() { of_directions(x, y) } else { near })
    }

    fn is_pointwise(&self) -> bool {
        false
    }

    fn block(&self, tile: &Tile<'_, Samples<T>>, mut out: MatMut<'_, T>, scratch: &mut Scratch<T>) {
        fill(tile, out.as_mut(), scratch, of_near);
        // The unit vectors need a tile of their own, which is unused for points far from the
        // origin.
        if out.as_ref().is_all_finite() {
            return;
        }
        scratch.with_matrix(tile.nrows(), tile.ncols(), |mut far, scratch| {
            let dim = tile.a().dim();
            tile::distance_of_images(tile, dim, far.as_mut(), scratch, direction, &mut |_, _| {});
            for (out, far) in out.col_iter_mut().zip(far.col_iter()) {
                for (out, &far) in out.iter_mut().zip(far.iter()) {
                    if !out.is_finite_number() {
                        *out = T::from_f64(-0.5) * far;
                    }
                }
            }
        });
    }

    fn diag(&self, _: &Samples<T>, _: usize) -> T {
        T::ZERO
    }
}

/// The quantities of a pair.
#[derive(Clone, Copy, Debug)]
struct Parts {
    /// ‖x − y‖², from differences.
    apart: f64,
    /// ‖x‖² − ‖y‖² = ⟨x − y, x + y⟩, from differences.
    longer: f64,
    /// ‖x‖² and ‖y‖².
    own: [f64; 2],
}

impl Parts {
    fn of<T: Scalar>(x: &[T], y: &[T]) -> Self {
        Self {
            apart: tile::weighted(x, y, &[]),
            longer: SquaresApart.pair(x, y),
            own: [tile::Product.pair(x, x), tile::Product.pair(y, y)],
        }
    }
}

/// `out` = `value` of the quantities of each pair of a tile.
fn fill<T: Scalar>(
    tile: &Tile<'_, Samples<T>>,
    mut out: MatMut<'_, T>,
    scratch: &mut Scratch<T>,
    value: impl Fn(Parts) -> f64,
) {
    let norms = |x: &Samples<T>, range: std::ops::Range<usize>| -> Vec<f64> {
        range.map(|i| tile::Product.pair(x.item(i), x.item(i))).collect()
    };
    let (rows, cols) = (norms(tile.a(), tile.rows()), norms(tile.b(), tile.cols()));
    scratch.with_matrix(tile.nrows(), tile.ncols(), |mut apart, scratch| {
        tile::squared_distance(tile, apart.as_mut(), scratch);
        tile::fold_coordinates(tile, out.as_mut(), scratch, SquaresApart, &mut |_| {});
        for (j, &col) in cols.iter().enumerate() {
            for (i, &row) in rows.iter().enumerate() {
                let (apart, longer) = (apart[(i, j)].to_f64(), out[(i, j)].to_f64());
                out[(i, j)] = T::from_f64(value(Parts { apart, longer, own: [row, col] }));
            }
        }
    });
}

/// x² − y².
#[derive(Clone, Copy)]
struct SquaresApart;

impl Term for SquaresApart {
    crate::products::compiled_loops!(SquaresApart);

    #[inline(always)]
    fn of<N: Number>(self, x: N, y: N) -> N {
        (x - y) * (x + y)
    }

    #[inline(always)]
    fn join<N: Number>(self, sum: N, x: N, y: N, _: usize) -> N {
        (x - y).fma(x + y, sum)
    }
}
