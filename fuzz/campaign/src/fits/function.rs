//! The functions inside of models.

use super::Formula;
use kern_core::{Kernel, Samples, Scalar};
use kern_solvers::model::{Decision, EitherFunction, FeatureExpansion, KernelExpansion};

/// A function whose numbers can be read.
pub(super) trait Function<T: Scalar>: Decision<Samples<T>> {
    /// Coefficients or weights, and intercepts.
    fn numbers(&self) -> Vec<f64>;
}

/// An expansion in values of a formula.
pub(super) type Expansion<T> = KernelExpansion<Samples<T>, Formula<T>>;

impl<T: Scalar, K: Kernel<Samples<T>>> Function<T> for KernelExpansion<Samples<T>, K> {
    fn numbers(&self) -> Vec<f64> {
        let coefficients = self.coefficients().col_iter().flat_map(kern_core::faer::ColRef::iter);
        coefficients.chain(self.intercepts()).map(|x| x.to_f64()).collect()
    }
}

impl<T: Scalar, M> Function<T> for FeatureExpansion<M, T>
where
    M: kern_core::FeatureMap<Samples<T>>,
{
    fn numbers(&self) -> Vec<f64> {
        let weights = self.weights().col_iter().flat_map(kern_core::faer::ColRef::iter);
        weights.chain(self.intercepts()).map(|x| x.to_f64()).collect()
    }
}

impl<T: Scalar, K: Kernel<Samples<T>>, M> Function<T> for EitherFunction<Samples<T>, K, M>
where
    M: kern_core::FeatureMap<Samples<T>>,
{
    fn numbers(&self) -> Vec<f64> {
        match self {
            Self::Kernel(function) => function.numbers(),
            Self::Features(function) => function.numbers(),
        }
    }
}
