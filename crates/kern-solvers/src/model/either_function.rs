//! Functions in either of two spaces.

use super::{Arity, Decision, FeatureExpansion, KernelExpansion};
use crate::Error;
use faer::Mat;
use kern_core::{FeatureMap, Kernel, Named, Points};
use serde::{Deserialize, Serialize};

/// A function learned in the space chosen by a plan.
///
/// # Examples
/// See [`Auto`](crate::space::Auto).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(bound(
    serialize = "P: Serialize, K: Named + Serialize, M: Named + Serialize",
    deserialize = "P: Deserialize<'de>, K: Kernel<P> + Named + Deserialize<'de>, \
                   M: Named + Deserialize<'de>"
))]
pub enum EitherFunction<P: Points, K, M> {
    /// A kernel expansion at training points or landmarks.
    Kernel(KernelExpansion<P, K>),
    /// A function of features.
    Features(FeatureExpansion<M, P::Scalar>),
}

impl<P: Points, K, M> Arity for EitherFunction<P, K, M> {
    fn arity(&self) -> usize {
        match self {
            Self::Kernel(function) => function.arity(),
            Self::Features(function) => function.arity(),
        }
    }
}

impl<P, K, M> Decision<P> for EitherFunction<P, K, M>
where
    P: Points,
    K: Kernel<P>,
    M: FeatureMap<P>,
{
    fn outputs(&self) -> usize {
        match self {
            Self::Kernel(function) => function.outputs(),
            Self::Features(function) => Decision::<P>::outputs(function),
        }
    }

    fn check_numbers(&self) -> Result<(), Error> {
        match self {
            Self::Kernel(function) => function.check_numbers(),
            Self::Features(function) => Decision::<P>::check_numbers(function),
        }
    }

    fn decide(&self, points: &P) -> Result<Mat<P::Scalar>, Error> {
        match self {
            Self::Kernel(function) => function.decide(points),
            Self::Features(function) => function.decide(points),
        }
    }
}
