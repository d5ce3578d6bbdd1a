//! Low-precision copies of points, for searches that evaluate only few candidates in full
//! precision.

mod centring;
mod quantised;

pub use crate::products::integer_products::Hits;
pub use quantised::Quantised;

use crate::memory::{Pages, convert_into, zero_vec};
use crate::{Points, Samples, Scalar};
use faer::{MatMut, MatRef};
use std::any::Any;
use std::borrow::Cow;

/// The largest ‖x‖² of points: products and norms up to it are finite in single precision.
const LARGEST: f64 = 1e36;
/// The largest dimension, for which d·u is still small.
const WIDEST: usize = 1 << 18;

/// The geometry that a kernel's values depend on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Geometry {
    /// K(x, y) = ⟨x, y⟩.
    InnerProduct,
    /// K(x, y) = f(‖x − y‖) with a non-increasing f.
    Distance,
}

/// Points in single precision, with the geometry that a kernel's values depend on.
///
/// Their inner products take half the time and half the memory of those in double precision, and
/// [`errors`](SinglePrecision::errors) bounds the difference; products of 16-bit integers
/// ([`Quantised`]) take half of that again. A search for the nearest points of x computes these
/// first, by [`Geometry::Distance`], too, since ‖x − y‖² = ‖x‖² − 2(⟨x, y⟩ − ‖y‖²/2). All but a few
/// points are then too far away by more than the error. Created by
/// [`SearchOrder::single_precision`](crate::SearchOrder::single_precision).
///
/// # Examples
/// ```
/// use kern_core::{Geometry, Points, Samples, SearchOrder, kernels::{Linear, Rbf}};
/// let x = Samples::from_rows(&[[0.1, 0.2], [0.3, -0.4]])?;
/// let single_precision = Linear.single_precision(&x).ok_or("it has one")?;
/// assert_eq!(single_precision.samples().item(1), [0.3_f32, -0.4]);
/// assert_eq!(single_precision.geometry(), Geometry::InnerProduct);
/// let (a, b) = (single_precision.samples().item(0), single_precision.samples().item(1));
/// let product = a[0] * b[0] + a[1] * b[1];
/// let error = (f64::from(product) - (0.1 * 0.3 - 0.2 * 0.4)).abs();
/// assert!(error > 0.0 && error <= single_precision.errors(&single_precision, 0.0)[0]);
/// let of_rbf = Rbf::new(0.5)?.single_precision(&x).ok_or("it has one")?;
/// assert_eq!(of_rbf.geometry(), Geometry::Distance);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct SinglePrecision<'a> {
    samples: Cow<'a, Samples<f32>>,
    squared_norms: Vec<f64>,
    geometry: Geometry,
    /// The unit round-off of tiles of the original points.
    roundoff: f64,
}

impl<'a> SinglePrecision<'a> {
    /// Rounds the points to single precision; points that already are in single precision are
    /// borrowed. Returns `None` if their inner products might overflow, or if the allocation fails.
    ///
    /// # Examples
    /// ```
    /// use kern_core::{Geometry, SinglePrecision, Samples};
    /// let x = Samples::from_rows(&[[0.1, 0.2]])?;
    /// assert!(SinglePrecision::new(&x, Geometry::Distance).is_some());
    /// let far = Samples::from_rows(&[[1e20, 0.2]])?;
    /// assert!(SinglePrecision::new(&far, Geometry::Distance).is_none());
    /// # Ok::<(), kern_core::Error>(())
    /// ```
    #[must_use]
    pub fn new<T: Scalar>(samples: &'a Samples<T>, geometry: Geometry) -> Option<Self> {
        if samples.dim() > WIDEST {
            return None;
        }
        let mut squared_norms: Vec<T> = zero_vec(samples.len()).ok()?;
        samples.squared_norms_into(0..samples.len(), &mut squared_norms);
        let squared_norms: Vec<f64> = squared_norms.into_iter().map(T::to_f64).collect();
        if !squared_norms.iter().all(|&squared| squared <= LARGEST) {
            return None;
        }
        let samples = match (samples as &dyn Any).downcast_ref() {
            Some(single) => Cow::Borrowed(single),
            None => Cow::Owned(rounded(samples)?),
        };
        Some(Self { samples, squared_norms, geometry, roundoff: T::UNIT_ROUNDOFF })
    }

    /// The points, rounded.
    #[must_use]
    pub fn samples(&self) -> &Samples<f32> {
        &self.samples
    }

    /// ‖x_i‖², before rounding.
    #[must_use]
    pub fn squared_norms(&self) -> &[f64] {
        &self.squared_norms
    }

    /// The geometry that the kernel's values follow.
    #[must_use]
    pub fn geometry(&self) -> Geometry {
        self.geometry
    }

    /// For each point x of this collection, an error bound on ⟨x, y⟩ − h for all y of the other
    /// collection and all |h| ≤ `offset`. It bounds the difference between a [tile](crate::tile) in
    /// single precision and a tile of the original points, from which ⟨x, y⟩ − h is computed either
    /// directly or by a squared distance.
    ///
    /// # Numerics
    /// With u the unit round-off of single precision, the sum of d products of rounded factors has
    /// an error of (d + 2)u‖x‖‖y‖ (Higham 2002, §3.1), the rounded h and the difference 2u(‖x‖‖y‖ +
    /// h). The same products of the original points have the same error with their own unit
    /// round-off v instead of u, and ½‖x − y‖² of a tile has 8(d + 8)v(‖x‖ + ‖y‖)².
    #[must_use]
    pub fn errors(&self, other: &SinglePrecision<'_>, offset: f64) -> Vec<f64> {
        let largest = other.largest();
        let error = |&squared: &f64| {
            let norm = squared.sqrt();
            let rounded = self.roundings(f32::UNIT_ROUNDOFF, norm * largest + offset);
            1.05 * (rounded + self.own_error(norm, largest, offset))
        };
        self.squared_norms.iter().map(error).collect()
    }

    /// The largest ‖x‖.
    fn largest(&self) -> f64 {
        self.squared_norms.iter().copied().fold(0.0, f64::max).sqrt()
    }

    /// The error of ⟨x, y⟩ − h with ‖x‖‖y‖ + h ≤ `magnitude`, in arithmetic with this unit
    /// round-off.
    fn roundings(&self, roundoff: f64, magnitude: f64) -> f64 {
        (self.samples.dim() as f64 + 16.0) * roundoff * magnitude
    }

    /// The error of ⟨x, y⟩ − h by tiles of the original points, given ‖x‖ and the largest ‖y‖, plus
    /// the loss by underflow.
    fn own_error(&self, norm: f64, largest: f64, offset: f64) -> f64 {
        let dim = self.samples.dim() as f64;
        let products = self.roundings(self.roundoff, norm * largest + offset);
        let distances = match self.geometry {
            Geometry::InnerProduct => 0.0,
            Geometry::Distance => 8.0 * (dim + 8.0) * self.roundoff * (norm + largest).powi(2),
        };
        products + distances + dim * f64::from(f32::MIN_POSITIVE) * (1.0 + norm + largest)
    }
}

/// The points in single precision; `None` if the allocation fails.
fn rounded<T: Scalar>(samples: &Samples<T>) -> Option<Samples<f32>> {
    let numbers = samples.as_slice();
    let mut single = Pages::zeroed(numbers.len()).ok()?;
    let from = MatRef::from_column_major_slice(numbers, numbers.len(), 1);
    convert_into(from, MatMut::from_column_major_slice_mut(&mut single, numbers.len(), 1));
    Samples::from_pages(samples.dim(), single).ok()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test may panic")]

    use super::*;
    use crate::contract::sample_sets;
    use crate::kernels::Linear;
    use crate::{Kernel, Scratch, SearchOrder, Tile, tile};
    use faer::Mat;

    /// All entries of a tile of two collections.
    fn block<T: Scalar>(
        fill: impl Fn(&Tile<'_, Samples<T>>, MatMut<'_, T>, &mut Scratch<T>),
        x: &Samples<T>,
    ) -> Mat<T> {
        let mut out = Mat::zeros(x.len(), x.len());
        fill(&Tile::new(x, 0..x.len(), x, 0..x.len()), out.as_mut(), &mut Scratch::new());
        out
    }

    #[test]
    fn errors_bound_both_geometries() {
        let mut most = 0.0_f64;
        for dim in [1, 3, 64, 300] {
            for (name, x) in sample_sets::<f64>(dim).unwrap() {
                let single_precision = SinglePrecision::new(&x, Geometry::Distance).unwrap();
                let half: Vec<f64> =
                    single_precision.squared_norms().iter().map(|n| n / 2.0).collect();
                let offset = half.iter().copied().fold(0.0, f64::max);
                let errors = single_precision.errors(&single_precision, offset);
                let products = block(|tile, out, s| Linear.block(tile, out, s), &x);
                let distances = block(tile::squared_distance, &x);
                let single =
                    block(|tile, out, s| Linear.block(tile, out, s), single_precision.samples());
                for (j, i) in (0..x.len()).flat_map(|j| (0..x.len()).map(move |i| (j, i))) {
                    let key = f64::from(single[(i, j)] - half[j] as f32);
                    for exact in [products[(i, j)] - half[j], half[i] - distances[(i, j)] / 2.0] {
                        let error = (key - exact).abs();
                        assert!(error <= errors[i], "{name}, {dim}: {error:e}, {:e}", errors[i]);
                        most = most.max(error / errors[i]);
                    }
                }
            }
        }
        assert!(most > 0.05, "a bound that is never met excludes nothing: {most}");
    }

    #[test]
    fn points_that_cannot_be_rounded_have_none() {
        for (x, is_some) in [(1e17, true), (1e19, false), (1e300, false)] {
            let x = Samples::from_rows(&[[x, 0.0]]).unwrap();
            assert_eq!(SinglePrecision::new(&x, Geometry::Distance).is_some(), is_some);
        }
    }

    #[test]
    fn points_in_single_precision_are_borrowed() {
        let x = Samples::from_rows(&[[1.0_f32, 0.3]]).unwrap();
        let single_precision = Linear.single_precision(&x).unwrap();
        assert_eq!(single_precision.samples().as_slice().as_ptr(), x.as_slice().as_ptr());
    }
}
