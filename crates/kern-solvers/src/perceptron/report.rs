//! What a perceptron says about its work.

use crate::Status;
use serde::{Deserialize, Serialize};
use std::fmt;

/// The evidence of a fit, or of all updates so far.
///
/// # Examples
/// The bound R²‖f*‖² on mistakes, for the f* of a support vector machine:
/// ```
/// use kern_core::{Samples, kernels::Rbf};
/// use kern_solvers::{Status, perceptron::Perceptron, svm::Svc};
/// let x = Samples::from_rows(&[[0.0], [1.0], [2.0], [3.0]])?;
/// let y = [false, true, false, true];
/// let report = Perceptron::new(Rbf::new(1.0)?).fit(&x, &y)?.report().clone();
/// assert_eq!(report.status, Status::Converged);
/// assert_eq!(report.mistakes_per_pass.last(), Some(&0));
/// let svm = Svc::new(Rbf::new(1.0)?).c(f64::INFINITY).bias(false).fit(&x, &y)?;
/// let squared_norm: f64 = (0..4).map(|i| svm.decision().coefficients()[(i, 0)]).map(f64::abs).sum();
/// assert!(report.mistakes as f64 <= report.squared_radius * squared_norm);
/// # Ok::<(), kern_solvers::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct PerceptronReport {
    /// Converged after a pass without mistakes; iterations done if the last pass that was allowed had some.
    pub status: Status,
    /// Mistakes in each pass of the last fit or update.
    pub mistakes_per_pass: Vec<usize>,
    /// Points that were visited, in all passes and updates.
    pub steps: usize,
    /// Mistakes in all passes and updates.
    pub mistakes: usize,
    /// Steps whose point was projected.
    pub projected: usize,
    /// Support vectors that made room for others.
    pub removed: usize,
    /// Points in the expansion.
    pub support_vectors: usize,
    /// ‖f‖² of the last function, carried along by the steps; of several functions the sum. With a bias in the feature
    /// space of K + 1.
    pub squared_norm: f64,
    /// R², the greatest K(x, x) of the points; with a bias K(x, x) + 1.
    pub squared_radius: f64,
}

impl PerceptronReport {
    /// Passes of the last fit or update.
    #[must_use]
    pub fn passes(&self) -> usize {
        self.mistakes_per_pass.len()
    }
}

impl fmt::Display for PerceptronReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { status, mistakes, support_vectors, .. } = self;
        let passes = self.passes();
        write!(
            f,
            "{status:?} after {passes} passes, {mistakes} mistakes, {support_vectors} support vectors"
        )
    }
}
