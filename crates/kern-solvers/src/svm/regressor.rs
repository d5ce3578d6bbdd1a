//! What support vector regression returns.

use super::SvmReport;
use crate::Error;
use crate::model::{Decision, Format, KernelModel};
use kern_core::{Kernel, Points};
use serde::{Deserialize, Serialize};

/// A regressor by support vectors.
///
/// # Examples
/// ```
/// use kern_core::{Samples, kernels::Rbf};
/// use kern_solvers::svm::Svr;
/// let x = Samples::from_rows(&[[0.0], [1.0], [2.0], [3.0]])?;
/// let model = Svr::new(Rbf::new(1.0)?).c(100.0).epsilon(0.1).fit(&x, &[0.0, 0.05, 1.0, 4.0])?;
/// assert!((model.predict(&x)?[3] - 4.0_f64).abs() < 0.102);
/// assert_eq!(model.support().len(), model.report().support_vectors);
/// # Ok::<(), kern_solvers::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(bound(
    serialize = "P: Serialize, K: Serialize",
    deserialize = "P: Deserialize<'de>, K: Deserialize<'de>"
))]
pub struct SvmRegressor<P: Points, K> {
    format: Format,
    decision: KernelModel<P, K>,
    support: Vec<usize>,
    epsilon: f64,
    report: SvmReport,
}

impl<P: Points, K: Kernel<P>> SvmRegressor<P, K> {
    pub(crate) fn new(
        decision: KernelModel<P, K>,
        support: Vec<usize>,
        epsilon: f64,
        report: SvmReport,
    ) -> Self {
        let report = SvmReport { support_vectors: support.len(), ..report };
        Self { format: Format, decision, support, epsilon, report }
    }

    /// The learned function: support vectors, coefficients and bias.
    pub fn decision(&self) -> &KernelModel<P, K> {
        &self.decision
    }

    /// The indices of the support vectors among the points of the fit, in order.
    pub fn support(&self) -> &[usize] {
        &self.support
    }

    /// ε: residuals up to it cost nothing.
    pub fn epsilon(&self) -> f64 {
        self.epsilon
    }

    /// The evidence of the fit.
    pub fn report(&self) -> &SvmReport {
        &self.report
    }

    /// The value at each point.
    ///
    /// # Errors
    /// As [`Decision::decide`].
    pub fn predict(&self, points: &P) -> Result<Vec<P::Scalar>, Error> {
        Ok(self.decision.decide(points)?.col_as_slice(0).to_vec())
    }
}
