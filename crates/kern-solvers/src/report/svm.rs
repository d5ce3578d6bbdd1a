//! Details of support vector machines.

use super::{Details, Report};
use serde::{Deserialize, Serialize};

/// The details of a fit by support vectors. Of several problems: sums, and the greatest violation and blur.
///
/// # Examples
/// ```
/// use kern_core::{Samples, kernels::Rbf};
/// use kern_solvers::{Status, svm::Svc};
/// let x = Samples::from_rows(&[[0.0], [1.0], [2.0], [3.0]])?;
/// let model = Svc::on_kernel(Rbf::new(0.5)?).fit(&x, &[false, false, true, true])?;
/// let (report, details) = (model.report(), model.report().svm().unwrap());
/// assert_eq!(report.status, Status::Converged);
/// assert!(details.violation <= 1e-3 && report.gap.is_some_and(|gap| gap >= 0.0));
/// assert!((report.objective - details.dual - report.gap.unwrap()).abs() < 1e-12);
/// assert_eq!(details.support.len(), 4);
/// # Ok::<(), kern_solvers::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct SvmDetails {
    /// The dual objective: LIBSVM's `obj` with the opposite sign.
    pub dual: f64,
    /// The violation of the optimality conditions by the function of the model, in units of the margin: m − M of Keerthi et
    /// al.
    pub violation: f64,
    /// The error that rounding of kernel values, or of features, may leave in a value of the function: violation, gap and
    /// dual objective are those of the values as they were computed. A fit whose violation could hide behind it has stalled.
    pub blur: f64,
    /// Blocks of points that were worked on; on features passes over those coefficients that are still visited.
    pub rounds: usize,
    /// The points of the fit with a coefficient other than zero: of classes by class, in each in their order.
    pub support: Vec<usize>,
    /// Coefficients at a bound ±Cᵢ.
    pub bounded: usize,
    /// The half-width of each function's tube, margin or ball: ε of regression, ρ of ν-classification before scaling, the radius R.
    pub widths: Vec<f64>,
}

impl Report {
    /// The details of a support vector machine, if it was one.
    #[must_use]
    pub const fn svm(&self) -> Option<&SvmDetails> {
        match &self.details {
            Details::Svm(details) => Some(details),
            _ => None,
        }
    }
}
