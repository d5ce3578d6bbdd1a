//! Canonical correlations that are known.

use crate::model::{Arity, Decision, Format};
use crate::{Error, Model, Report};
use faer::Mat;
use kern_core::Points;
use serde::{Deserialize, Serialize};

/// Canonical correlations of two views, and their functions. As a model it answers with the functions of the first view.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(
    try_from = "Unchecked<D, E>",
    bound(deserialize = "D: Arity + Deserialize<'de>, E: Arity + Deserialize<'de>")
)]
pub struct CanonicalCorrelations<D, E> {
    format: Format<Self>,
    correlations: Vec<f64>,
    functions: (D, E),
    report: Report,
}

kern_core::named! { [D, E] CanonicalCorrelations<D, E> = "canonical_correlations"; }

/// Correlations as they are read.
#[derive(Deserialize)]
struct Unchecked<D, E> {
    #[serde(rename = "format")]
    _format: Format<CanonicalCorrelations<D, E>>,
    correlations: Vec<f64>,
    functions: (D, E),
    report: Report,
}

impl<D: Arity, E: Arity> TryFrom<Unchecked<D, E>> for CanonicalCorrelations<D, E> {
    type Error = Error;

    fn try_from(read: Unchecked<D, E>) -> Result<Self, Error> {
        let Unchecked { correlations, functions, report, .. } = read;
        let expected = correlations.len();
        for given in [functions.0.arity(), functions.1.arity()] {
            if given != expected {
                return Err(Error::Length { what: "canonical functions", expected, given });
            }
        }
        match correlations.iter().find(|rho| !(0.0..=1.0).contains(*rho)) {
            Some(&given) => Err(Error::Range { what: "a canonical correlation", given }),
            None => Ok(Self::new(correlations, functions, report)),
        }
    }
}

impl<D, E> CanonicalCorrelations<D, E> {
    pub(super) fn new(correlations: Vec<f64>, functions: (D, E), report: Report) -> Self {
        Self { format: Format::default(), correlations, functions, report }
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

impl<P: Points, D: Decision<P>, E: Send + Sync> Model<P> for CanonicalCorrelations<D, E> {
    type Answer = Mat<P::Scalar>;

    fn predict(&self, points: &P) -> Result<Mat<P::Scalar>, Error> {
        self.first(points)
    }

    fn report(&self) -> &Report {
        &self.report
    }
}
