//! Regressors: a learned function whose values are the answer.

use super::{Decision, Format};
use crate::{Error, Report};
use faer::Mat;
use kern_core::Points;
use serde::{Deserialize, Serialize};

/// A regressor with one output.
///
/// # Examples
/// ```
/// use kern_core::{Samples, kernels::Rbf};
/// use kern_solvers::ridge::KernelRidge;
/// let x = Samples::from_rows(&[[0.0], [1.0], [2.0]])?;
/// let model = KernelRidge::new(Rbf::new(1.0)?).lambda(1e-9).fit(&x, &[0.0, 1.0, 4.0])?;
/// assert!((model.predict(&x)?[2] - 4.0_f64).abs() < 1e-6);
/// # Ok::<(), kern_solvers::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Regressor<D> {
    model: MultiRegressor<D>,
}

impl<D> Regressor<D> {
    pub(crate) fn new(decision: D, report: Report) -> Self {
        Self { model: MultiRegressor::new(decision, report) }
    }

    /// The learned function.
    pub fn decision(&self) -> &D {
        self.model.decision()
    }

    /// The evidence of the fit.
    pub fn report(&self) -> &Report {
        self.model.report()
    }

    /// The value at each point.
    ///
    /// # Errors
    /// As [`Decision::decide`].
    pub fn predict<P: Points>(&self, points: &P) -> Result<Vec<P::Scalar>, Error>
    where
        D: Decision<P>,
    {
        Ok(self.model.predict(points)?.col_as_slice(0).to_vec())
    }
}

/// A regressor with several outputs.
///
/// # Examples
/// ```
/// use kern_core::{Samples, faer::mat, kernels::Linear};
/// use kern_solvers::ridge::KernelRidge;
/// let x = Samples::from_rows(&[[1.0], [2.0]])?;
/// let y = mat![[1.0, -1.0], [2.0, -2.0]];
/// let model = KernelRidge::new(Linear).lambda(1e-9).fit_outputs(&x, y.as_ref())?;
/// assert!((model.predict(&x)? - y).norm_max() < 1e-6);
/// # Ok::<(), kern_solvers::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MultiRegressor<D> {
    format: Format,
    decision: D,
    report: Report,
}

impl<D> MultiRegressor<D> {
    pub(crate) fn new(decision: D, report: Report) -> Self {
        Self { format: Format, decision, report }
    }

    /// The learned function.
    pub fn decision(&self) -> &D {
        &self.decision
    }

    /// The evidence of the fit.
    pub fn report(&self) -> &Report {
        &self.report
    }

    /// The values at each point: points × outputs.
    ///
    /// # Errors
    /// As [`Decision::decide`].
    pub fn predict<P: Points>(&self, points: &P) -> Result<Mat<P::Scalar>, Error>
    where
        D: Decision<P>,
    {
        self.decision.decide(points)
    }
}
