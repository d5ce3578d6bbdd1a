//! What a support vector machine says about its fit.

use super::solver::Solution;
use crate::Status;
use serde::{Deserialize, Serialize};
use std::fmt;

/// The evidence of a fit. Of several binary problems: sums, the greatest violation, and the status of the first
/// that did not converge.
///
/// # Examples
/// ```
/// use kern_core::{Samples, kernels::Rbf};
/// use kern_solvers::{Status, svm::Svc};
/// let x = Samples::from_rows(&[[0.0], [1.0], [2.0], [3.0]])?;
/// let model = Svc::new(Rbf::new(0.5)?).fit(&x, &[false, false, true, true])?;
/// let report = model.report();
/// assert_eq!(report.status, Status::Converged);
/// assert!(report.violation <= 1e-3 && report.gap >= 0.0);
/// assert!((report.primal - report.dual - report.gap).abs() < 1e-12);
/// assert_eq!(report.support_vectors, model.support().len());
/// # Ok::<(), kern_solvers::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct SvmReport {
    /// How the fit ended.
    pub status: Status,
    /// Steps, each of two coefficients (of one without a bias).
    pub iterations: usize,
    /// Blocks of points that were worked on.
    pub rounds: usize,
    /// The primal objective, ½‖f‖² + Σ Cᵢξᵢ, where the multiplier of the sum of coefficients is the midpoint of
    /// what the optimality conditions leave.
    pub primal: f64,
    /// The dual objective: LIBSVM's `obj` with the opposite sign.
    pub dual: f64,
    /// primal − dual ≥ 0, a bound on how far either is from the optimum.
    pub gap: f64,
    /// How far the optimality conditions are violated, in units of the margin: m − M of Keerthi et al.
    pub violation: f64,
    /// Points with a coefficient other than zero.
    pub support_vectors: usize,
    /// Coefficients at the bound ±Cᵢ.
    pub bounded: usize,
    /// Kernel values that were computed, of those that are kept or copied in columns.
    pub kernel_values: u64,
    /// Columns of the kernel matrix that were asked for and stored.
    pub cache_hits: u64,
}

impl SvmReport {
    /// The report on these solutions, with columns of such a cost.
    pub(super) fn new(solutions: &[Solution], bounded: usize, cost: (u64, u64)) -> Self {
        let open = solutions.iter().map(|s| s.status).find(|&s| s != Status::Converged);
        let sum = |of: fn(&Solution) -> f64| solutions.iter().map(of).sum::<f64>();
        Self {
            status: open.unwrap_or(Status::Converged),
            iterations: solutions.iter().map(|s| s.steps).sum(),
            rounds: solutions.iter().map(|s| s.rounds).sum(),
            primal: sum(|s| s.certificate.primal),
            dual: sum(|s| s.certificate.dual),
            gap: sum(|s| s.certificate.gap),
            violation: solutions.iter().map(|s| s.certificate.violation).fold(0.0, f64::max),
            support_vectors: 0,
            bounded,
            kernel_values: cost.0,
            cache_hits: cost.1,
        }
    }
}

impl fmt::Display for SvmReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { status, iterations, rounds, dual, gap, violation, .. } = self;
        write!(f, "{status:?} after {iterations} steps in {rounds} rounds, ")?;
        write!(f, "dual objective {dual:.6e}, duality gap {gap:.1e}, violation {violation:.1e}, ")?;
        write!(f, "{} support vectors, {} at the bound", self.support_vectors, self.bounded)
    }
}
