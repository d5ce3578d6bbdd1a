//! The details of a perceptron's report.

use serde::{Deserialize, Serialize};

/// Details of a perceptron, of a fit or of all updates so far.
///
/// # Examples
/// The bound R²‖f*‖² on mistakes, for the f* of a support vector machine:
/// ```
/// use kern_core::{Samples, kernels::Rbf};
/// use kern_solvers::{Details, Status, perceptron::Perceptron, svm::Svc};
/// let x = Samples::from_rows(&[[0.0], [1.0], [2.0], [3.0]])?;
/// let y = [false, true, false, true];
/// let model = Perceptron::on_kernel(Rbf::new(1.0)?).fit(&x, &y)?;
/// assert_eq!(model.report().status, Status::Converged);
/// let Details::Perceptron(details) = &model.report().details else { unreachable!() };
/// assert_eq!(details.mistakes_per_pass.last(), Some(&0));
/// let svm = Svc::on_kernel(Rbf::new(1.0)?).c(f64::INFINITY).intercept(false).fit(&x, &y)?;
/// let squared_norm: f64 = (0..4).map(|i| svm.decision().coefficients()[(i, 0)]).map(f64::abs).sum();
/// assert!(details.mistakes as f64 <= details.squared_radius * squared_norm);
/// # Ok::<(), kern_solvers::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct PerceptronDetails {
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
    /// The times when the support vectors were seen: their indices among the points of the fit, followed by those of
    /// updates. Under a budget that removes, a point may be there more than once. Empty on features.
    pub support: Vec<usize>,
    /// ‖f‖² of the last function; of several functions the sum. With an intercept in the feature space of K + 1.
    pub squared_norm: f64,
    /// R², the greatest β²K(x, x) of the points, whose weights are β; with an intercept β²(K(x, x) + 1).
    pub squared_radius: f64,
}
