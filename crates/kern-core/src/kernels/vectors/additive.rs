//! Common code of additive kernels K(x, y) = Σⱼ term(x_j, y_j) on non-negative vectors, whose terms
//! vanish where one of the coordinates is 0.

use crate::{Error, Points, Samples, Scalar, SparseSamples};

/// Implements the traits of an additive kernel whose type is its own term.
macro_rules! additive_kernel {
    ($kernel:ident, $term:ident) => {
        impl<T: crate::Scalar> crate::Kernel<crate::Samples<T>> for $kernel {
            fn eval(&self, x: &[T], y: &[T]) -> T {
                T::from_f64($term.pair(x, y))
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
                crate::tile::fold_coordinates(tile, out, scratch, $term, &mut |_| {});
            }

            fn diag(&self, points: &crate::Samples<T>, i: usize) -> T {
                let x = crate::Points::item(points, i);
                $term.entry(x, x)
            }

            fn check(&self, points: &crate::Samples<T>) -> Result<(), crate::Error> {
                super::additive::check_non_negative(points)
            }
        }

        impl<T: crate::Scalar> crate::Mercer<crate::Samples<T>> for $kernel {}

        impl<T: crate::Scalar> crate::Kernel<crate::SparseSamples<T>> for $kernel {
            fn eval(&self, x: &[crate::Entry<T>], y: &[crate::Entry<T>]) -> T {
                T::from_f64(crate::tile::shared(x, y, |x, y| $term.of(x, y)))
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
                crate::tile::shared_features(tile, out, scratch, |x, y| {
                    T::from_f64($term.of(x.to_f64(), y.to_f64()))
                });
            }

            fn check(&self, points: &crate::SparseSamples<T>) -> Result<(), crate::Error> {
                super::additive::check_non_negative(points)
            }
        }

        impl<T: crate::Scalar> crate::Mercer<crate::SparseSamples<T>> for $kernel {}
    };
}
pub(super) use additive_kernel;

/// Checks the domain of kernels on histograms.
pub(super) fn check_non_negative(points: &impl Coordinates) -> Result<(), Error> {
    match points.first_negative() {
        Some((sample, feature, given)) => Err(Error::Negative { sample, feature, given }),
        None => Ok(()),
    }
}

/// Collections whose coordinates can be enumerated.
pub(super) trait Coordinates {
    /// The first negative coordinate: sample, feature, value.
    fn first_negative(&self) -> Option<(usize, usize, f64)>;
}

impl<T: Scalar> Coordinates for Samples<T> {
    fn first_negative(&self) -> Option<(usize, usize, f64)> {
        let at = self.as_slice().iter().position(|&v| v < T::ZERO)?;
        Some((at / self.dim(), at % self.dim(), self.as_slice()[at].to_f64()))
    }
}

impl<T: Scalar> Coordinates for SparseSamples<T> {
    fn first_negative(&self) -> Option<(usize, usize, f64)> {
        (0..self.len()).find_map(|i| {
            let entry = self.item(i).iter().find(|e| e.value < T::ZERO)?;
            Some((i, entry.feature as usize, entry.value.to_f64()))
        })
    }
}
