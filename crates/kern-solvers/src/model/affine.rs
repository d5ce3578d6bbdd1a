//! Maps with weights and intercepts, and how they are read: the parts of affine functions of dense and of sparse features.

use super::Arity;
use super::decision::check_numbers;
use crate::Error;
use faer::Mat;
use kern_core::{Named, Scalar, serde_mat};
use serde::{Deserialize, Serialize};

/// A feature map, one intercept and one column of weights per output.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(
    try_from = "Unchecked<M, T>",
    bound(serialize = "M: Named + Serialize", deserialize = "M: Named + Deserialize<'de>")
)]
pub(super) struct Affine<M, T: Scalar> {
    #[serde(with = "kern_core::named")]
    pub(super) map: M,
    #[serde(with = "serde_mat")]
    pub(super) weights: Mat<T>,
    pub(super) intercepts: Vec<T>,
}

/// The same as it is read.
#[derive(Deserialize)]
#[serde(bound(deserialize = "M: Named + Deserialize<'de>"))]
struct Unchecked<M, T: Scalar> {
    #[serde(with = "kern_core::named")]
    map: M,
    #[serde(with = "serde_mat")]
    weights: Mat<T>,
    intercepts: Vec<T>,
}

impl<M, T: Scalar> TryFrom<Unchecked<M, T>> for Affine<M, T> {
    type Error = Error;

    fn try_from(read: Unchecked<M, T>) -> Result<Self, Error> {
        let Unchecked { map, weights, intercepts } = read;
        let read = Self { map, weights, intercepts };
        read.check_numbers()?;
        Ok(read)
    }
}

impl<M, T: Scalar> Arity for Affine<M, T> {
    fn arity(&self) -> usize {
        self.weights.ncols()
    }
}

impl<M, T: Scalar> Affine<M, T> {
    /// Refuses numbers that are none, and intercepts that are not one per output.
    pub(super) fn check_numbers(&self) -> Result<(), Error> {
        check_numbers(self.weights.as_ref(), &self.intercepts)
    }

    /// Checks that the weights are for so many features: a file may hold another map than that of the fit.
    pub(super) fn check_features(&self, dim: usize) -> Result<(), Error> {
        let shape = (dim, self.weights.ncols());
        Ok(kern_gram::Error::check_shape("the weights", shape, self.weights.shape())?)
    }
}
