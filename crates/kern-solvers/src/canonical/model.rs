//! Canonical correlations that are known.

use crate::Error;
use crate::model::Decision;
use faer::Mat;
use kern_core::Points;
use serde::{Deserialize, Serialize};

/// Canonical correlations of two views, and their functions.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CanonicalCorrelations<D, E> {
    correlations: Vec<f64>,
    functions: (D, E),
}

impl<D, E> CanonicalCorrelations<D, E> {
    pub(super) fn new(correlations: Vec<f64>, functions: (D, E)) -> Self {
        Self { correlations, functions }
    }

    /// ρ_p, the greatest first: the covariances of the functions of the pairs of the fit.
    #[must_use]
    pub fn correlations(&self) -> &[f64] {
        &self.correlations
    }

    /// The functions of the first view and those of the second.
    #[must_use]
    pub const fn functions(&self) -> &(D, E) {
        &self.functions
    }

    /// f_p(x) of points of the first view, points × functions; their mean over the fit is 0.
    ///
    /// # Errors
    /// As [`Decision::decide`].
    pub fn first<P: Points>(&self, points: &P) -> Result<Mat<P::Scalar>, Error>
    where
        D: Decision<P>,
    {
        self.functions.0.decide(points)
    }

    /// g_p(y) of points of the second view, points × functions; their mean over the fit is 0.
    ///
    /// # Errors
    /// As [`Decision::decide`].
    pub fn second<Q: Points>(&self, points: &Q) -> Result<Mat<Q::Scalar>, Error>
    where
        E: Decision<Q>,
    {
        self.functions.1.decide(points)
    }
}
