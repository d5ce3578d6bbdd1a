//! Kernels on vectors: dense [`Samples`](crate::Samples) and
//! [`SparseSamples`](crate::SparseSamples).

mod additive;
mod arc_cosine;
mod ard_rbf;
mod bessel;
mod cauchy;
mod chi_squared;
mod cosine;
mod decay;
mod exp_chi_squared;
mod exponential;
mod general_matern;
mod hellinger;
mod intersection;
mod laplacian;
mod linear;
mod mahalanobis;
mod matern;
mod periodic;
mod phases;
mod polynomial;
mod radial;
mod rational_quadratic;
mod rbf;
mod sigmoid;
mod student;
mod wave;

pub use arc_cosine::ArcCosine;
pub use ard_rbf::ArdRbf;
pub use cauchy::Cauchy;
pub use chi_squared::ChiSquared;
pub use cosine::Cosine;
pub use exp_chi_squared::ExpChiSquared;
pub use exponential::Exponential;
pub use general_matern::Matern;
pub use hellinger::Hellinger;
pub use intersection::Intersection;
pub use laplacian::Laplacian;
pub use linear::Linear;
pub use mahalanobis::Mahalanobis;
pub use matern::{Matern32, Matern52};
pub use periodic::Periodic;
pub use polynomial::Polynomial;
pub use rational_quadratic::RationalQuadratic;
pub use rbf::Rbf;
pub use sigmoid::Sigmoid;
pub use wave::Wave;

use crate::tile::Term;
use crate::{Error, Points, Samples, Scalar, SparseSamples, tile};
use std::fmt;

crate::impl_kernel_ops!([] Mahalanobis;);

/// Σₖ x_k·y_k in double precision.
fn inner_product<T: Scalar>(x: &[T], y: &[T]) -> f64 {
    tile::Product.pair(x, y)
}

/// Points of which every coordinate can be looked at.
trait Coordinates {
    /// The first negative one: sample, feature, value.
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

/// The domain of kernels on histograms.
fn check_non_negative(points: &impl Coordinates) -> Result<(), Error> {
    match points.first_negative() {
        Some((sample, feature, given)) => Err(Error::Negative { sample, feature, given }),
        None => Ok(()),
    }
}

/// `[1, 0.5]`.
fn write_list<'a>(
    f: &mut fmt::Formatter<'_>,
    numbers: impl IntoIterator<Item = &'a f64>,
) -> fmt::Result {
    f.write_str("[")?;
    for (k, number) in numbers.into_iter().enumerate() {
        write!(f, "{}{number}", if k == 0 { "" } else { ", " })?;
    }
    f.write_str("]")
}
