//! Common code of kernels exp(−γD) whose distance D is a sum over coordinates that is not a matrix
//! product.

use super::radial::{beyond_error, gaussian_sensitive_below};
use crate::order::{self, ByDistance, Order};
use crate::simd::exp;
use crate::tile::{self, Scratch, Term, Tile};
use crate::{Kernel, Samples, Scalar, SparseSamples, tolerance};
use faer::MatMut;

/// A kernel exp(−rate·D), D = Σⱼ term(x_j, y_j).
pub(super) trait Decay: Send + Sync {
    /// γ.
    fn rate(&self) -> f64;

    /// The value at a distance.
    fn at<T: Scalar>(&self, distance: f64) -> T {
        T::from_f64(exp::single(-self.rate() * distance))
    }

    /// The block of dense samples.
    fn dense_block<T: Scalar>(
        &self,
        tile: &Tile<'_, Samples<T>>,
        out: MatMut<'_, T>,
        scratch: &mut Scratch<T>,
        term: impl Term,
    ) where
        Self: Kernel<Samples<T>>,
    {
        if !decays_within::<T>(self.rate()) {
            return tile.fill_pointwise(out, |x, y| self.eval(x, y));
        }
        let c = T::from_f64(-self.rate());
        tile::fold_coordinates(tile, out, scratch, term, &mut |column| T::exp_scaled(column, c));
    }

    /// The ordering of dense samples by their distance, with terms of at most |x| + |y|. None if a
    /// distance might overflow: then only the definition determines the ordering.
    fn dense_order<'a, T: Scalar>(
        &'a self,
        a: &'a Samples<T>,
        b: &'a Samples<T>,
        term: impl Term + Send + Sync + 'a,
    ) -> Option<Box<dyn Order<T> + 'a>> {
        // Twice the bound, to allow for rounding.
        let largest = T::from_f64(4.0 * a.dim() as f64 * order::reach(a, b));
        if !largest.is_finite_number() || !decays_within::<T>(self.rate()) {
            return None;
        }
        let c = T::from_f64(-self.rate());
        let profile = move |distances: &mut [T], _: &mut [T]| T::exp_scaled(distances, c);
        Some(Box::new(ByDistance { a, b, distance: term, profile }))
    }

    /// The block of sparse samples.
    fn sparse_block<T: Scalar>(
        &self,
        tile: &Tile<'_, SparseSamples<T>>,
        out: MatMut<'_, T>,
        scratch: &mut Scratch<T>,
        term: impl Term,
    ) where
        Self: Kernel<SparseSamples<T>>,
    {
        self.sparse_block_of(tile, out, scratch, |_, x, y| term.of(x, y));
    }

    /// The block of sparse samples, for a term that is not a [`Term`].
    fn sparse_block_of<T: Scalar>(
        &self,
        tile: &Tile<'_, SparseSamples<T>>,
        mut out: MatMut<'_, T>,
        scratch: &mut Scratch<T>,
        term: impl Fn(u32, f64, f64) -> f64,
    ) where
        Self: Kernel<SparseSamples<T>>,
    {
        if !decays_within::<T>(self.rate()) {
            return tile.fill_pointwise(out, |x, y| self.eval(x, y));
        }
        let below = |error| recompute_below::<T>(self.rate(), error);
        tile::sparse_distance(tile, out.as_mut(), scratch, term, below);
        let c = T::from_f64(-self.rate());
        tile::for_each_column(out, scratch, |_, column| T::exp_scaled(column, c));
    }
}

/// The distance below which an error of `error` in it is significant in exp(−γD).
pub(super) fn recompute_below<T: Scalar>(gamma: f64, error: f64) -> f64 {
    let allowed = tolerance::TILE_ERROR * T::UNIT_ROUNDOFF;
    beyond_error(gaussian_sensitive_below(gamma, error, allowed), error)
}

/// Whether exp(−γd) may be computed with γ and d rounded to `T`: γ and 1000/γ are finite in `T`.
/// Then a distance d that overflows has the correct value exp(−γ·∞) = 0.
fn decays_within<T: Scalar>(gamma: f64) -> bool {
    T::from_f64(gamma).is_finite_number() && T::from_f64(1e3 / gamma).is_finite_number()
}
