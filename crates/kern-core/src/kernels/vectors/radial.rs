//! Common code of kernels of the Euclidean distance: blocks of squared distances, to which each
//! kernel applies its profile.

use crate::order::{self, Order};
use crate::{
    Error, Kernel, Points, Samples, Scalar, Scratch, SparseSamples, Tile, tile, tolerance,
};
use faer::MatMut;
use std::ops::Range;

/// A kernel that is a function of d² = Σⱼ w_j(x_j − y_j)².
pub(super) trait Radial: Send + Sync {
    /// The definition.
    fn at(&self, squared_distance: f64) -> f64;

    /// Whether [`map`](Radial::map) can work with the parameters rounded to `T`.
    fn is_representable<T: Scalar>(&self) -> bool;

    /// The d² above which an error of `error` in it changes the kernel value by less than
    /// `allowed`.
    fn sensitive_below(&self, error: f64, allowed: f64) -> f64;

    /// Turns finite squared distances into kernel values. The buffer has the same length and
    /// arbitrary contents.
    fn map<T: Scalar>(&self, distances: &mut [T], buffer: &mut [T]);

    /// The weights w_j; if empty, all weights are 1.
    fn weights(&self) -> &[f64] {
        &[]
    }

    /// Checks the dimension of the points; only weighted kernels prescribe one.
    fn check_dim(&self, given: usize) -> Result<(), Error> {
        match self.weights().len() {
            0 => Ok(()),
            expected => crate::points::check_dim(expected, given),
        }
    }

    /// Entries of sparse samples below this d² are recomputed if every entry may have an error of
    /// `error`.
    fn recompute_below<T: Scalar>(&self, error: f64) -> f64 {
        let below = self.sensitive_below(error, tolerance::TILE_ERROR * T::UNIT_ROUNDOFF);
        beyond_error(below, error)
    }

    /// The block of dense samples.
    fn dense_block<T: Scalar>(
        &self,
        tile: &Tile<'_, Samples<T>>,
        out: MatMut<'_, T>,
        scratch: &mut Scratch<T>,
    ) where
        Self: Kernel<Samples<T>>,
    {
        if !self.is_representable::<T>() {
            return tile.fill_pointwise(out, |x, y| self.eval(x, y));
        }
        tile.turned_if_faster(out, |tile, out| {
            let mut buffer = scratch.take(tile.nrows());
            tile::weighted_squared_distance(
                tile,
                self.weights(),
                out,
                scratch,
                &mut |j, column| {
                    map_column(self, tile, j, column, &mut buffer);
                },
            );
            scratch.give(buffer);
        });
    }

    /// The ordering of dense samples by their distance. None if a distance might overflow: then
    /// only the definition determines the ordering.
    fn dense_order<'a, T: Scalar>(
        &'a self,
        a: &'a Samples<T>,
        b: &'a Samples<T>,
    ) -> Option<Box<dyn Order<T> + 'a>> {
        let weight = match self.weights() {
            [] => a.dim() as f64,
            weights => weights.iter().sum(),
        };
        let reach = order::reach(a, b);
        // (x − y)² ≤ 4·reach², with a further factor of 2 for rounding.
        let largest = T::from_f64(8.0 * weight * reach * reach);
        if !largest.is_finite_number() || !self.is_representable::<T>() {
            return None;
        }
        let profile = |distances: &mut [T], buffer: &mut [T]| self.map(distances, buffer);
        Some(tile::order_by_squared_distance(a, b, self.weights(), profile))
    }

    /// The block of sparse samples.
    fn sparse_block<T: Scalar>(
        &self,
        tile: &Tile<'_, SparseSamples<T>>,
        mut out: MatMut<'_, T>,
        scratch: &mut Scratch<T>,
    ) where
        Self: Kernel<SparseSamples<T>>,
    {
        if !self.is_representable::<T>() {
            return tile.fill_pointwise(out, |x, y| self.eval(x, y));
        }
        let below = |error| self.recompute_below::<T>(error);
        tile::sparse_squared_distance(tile, self.weights(), out.as_mut(), scratch, below);
        let mut buffer = scratch.take(tile.nrows());
        tile::for_each_column(out, scratch, |j, column| {
            map_column(self, tile, j, column, &mut buffer);
        });
        scratch.give(buffer);
    }
}

/// The contribution of one feature to the squared distance.
pub(super) fn term(weights: &[f64]) -> impl Fn(u32, f64, f64) -> f64 {
    move |k, x, y| weights.get(k as usize).unwrap_or(&1.0) * (x - y) * (x - y)
}

/// Calls `finite` with each run of finite values and its position, and `other` with each non-finite
/// value.
///
/// The bits of a value must not depend on whether a neighbour overflows.
pub(super) fn by_runs<T: Scalar>(
    values: &mut [T],
    mut finite: impl FnMut(Range<usize>, &mut [T]),
    mut other: impl FnMut(usize, &mut T),
) {
    let mut start = 0;
    while start < values.len() {
        let run = values[start..].iter().take_while(|value| value.is_finite_number()).count();
        finite(start..start + run, &mut values[start..start + run]);
        if let Some(value) = values.get_mut(start + run) {
            other(start + run, value);
        }
        start += run + 1;
    }
}

/// Applies the profile to column j. Columns with an overflowed squared distance use the definition
/// there.
fn map_column<P: Points, K: Radial + Kernel<P> + ?Sized>(
    kernel: &K,
    tile: &Tile<'_, P>,
    j: usize,
    column: &mut [P::Scalar],
    buffer: &mut [P::Scalar],
) {
    if P::Scalar::all_finite(column) {
        kernel.map(column, buffer);
    } else {
        let (x, y) = (tile.rows().start, tile.b().item(tile.cols().start + j));
        let map = |run, values: &mut [_]| kernel.map(values, &mut buffer[run]);
        by_runs(column, map, |i, value| *value = kernel.eval(tile.a().item(x + i), y));
    }
}

/// The value below which entries are recomputed, if errors are significant below `below`: the entry
/// itself may have an error of `error` in the comparison. Infinite if an intermediate result
/// overflowed.
pub(super) fn beyond_error(below: f64, error: f64) -> f64 {
    match below {
        _ if below.is_nan() => f64::INFINITY,
        _ if below > 0.0 => below + error,
        _ => 0.0,
    }
}

/// [`Radial::sensitive_below`] of exp(−γd²): an error δ changes it by γδ·exp(−γd²), which is
/// harmless beyond d² = ln(γδ/allowed)/γ.
pub(super) fn gaussian_sensitive_below(gamma: f64, error: f64, allowed: f64) -> f64 {
    (gamma * error / allowed).ln().max(0.0) / gamma
}

/// Implements the traits of radial kernels on dense and sparse samples.
macro_rules! radial_kernels {
    ($($kernel:ty),*) => {$(
        impl<T: crate::Scalar> crate::Kernel<crate::Samples<T>> for $kernel {
            fn eval(&self, x: &[T], y: &[T]) -> T {
                T::from_f64(self.at(crate::tile::weighted(x, y, self.weights())))
            }

            fn is_pointwise(&self) -> bool {
                false
            }

            fn block(
                &self,
                tile: &crate::Tile<'_, crate::Samples<T>>,
                out: faer::MatMut<'_, T>,
                scratch: &mut crate::Scratch<T>,
            ) {
                self.dense_block(tile, out, scratch);
            }

            fn search_order(&self) -> Option<&dyn crate::SearchOrder<crate::Samples<T>>> {
                Some(self)
            }

            fn diag(&self, _: &crate::Samples<T>, _: usize) -> T {
                T::ONE
            }

            fn check(&self, points: &crate::Samples<T>) -> Result<(), crate::Error> {
                self.check_dim(points.dim())
            }
        }

        impl<T: crate::Scalar> crate::Mercer<crate::Samples<T>> for $kernel {}

        impl<T: crate::Scalar> crate::SearchOrder<crate::Samples<T>> for $kernel {
            fn order<'a>(
                &'a self,
                a: &'a crate::Samples<T>,
                b: &'a crate::Samples<T>,
            ) -> Option<Box<dyn crate::Order<T> + 'a>> {
                self.dense_order(a, b)
            }

            fn single_precision<'a>(
                &self,
                points: &'a crate::Samples<T>,
            ) -> Option<crate::SinglePrecision<'a>> {
                let is_plain = self.weights().is_empty();
                is_plain
                    .then(|| crate::SinglePrecision::new(points, crate::Geometry::Distance))
                    .flatten()
            }
        }

        impl<T: crate::Scalar> crate::Kernel<crate::SparseSamples<T>> for $kernel {
            fn eval(&self, x: &[crate::Entry<T>], y: &[crate::Entry<T>]) -> T {
                T::from_f64(self.at(crate::tile::united(x, y, radial::term(self.weights()))))
            }

            fn is_pointwise(&self) -> bool {
                false
            }

            fn block(
                &self,
                tile: &crate::Tile<'_, crate::SparseSamples<T>>,
                out: faer::MatMut<'_, T>,
                scratch: &mut crate::Scratch<T>,
            ) {
                self.sparse_block(tile, out, scratch);
            }

            fn diag(&self, _: &crate::SparseSamples<T>, _: usize) -> T {
                T::ONE
            }

            fn check(&self, points: &crate::SparseSamples<T>) -> Result<(), crate::Error> {
                self.check_dim(points.dim())
            }
        }

        impl<T: crate::Scalar> crate::Mercer<crate::SparseSamples<T>> for $kernel {}
    )*};
}
pub(super) use radial_kernels;
