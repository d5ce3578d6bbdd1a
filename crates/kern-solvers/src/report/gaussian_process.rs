//! Details of Gaussian processes, beyond status, iterations and objective.

use serde::{Deserialize, Serialize};

/// The searches for the parameters of a Gaussian process.
///
/// # Examples
/// ```
/// use kern_core::{Samples, kernels::Rbf};
/// use kern_solvers::{Details, gaussian_process::GaussianProcess};
/// let x = Samples::from_rows(&[[0.0], [1.0], [2.0], [3.0]])?;
/// let process = GaussianProcess::on_kernel(Rbf::new(1.0)?).restarts(2);
/// let model = process.fit(&x, &[0.0_f64, 1.0, 0.5, -0.5])?;
/// let Details::GaussianProcess(details) = &model.report().details else { panic!() };
/// assert_eq!(details.objectives.len(), 3);
/// assert!(details.objectives.iter().all(|&objective| objective >= model.report().objective - 1e-9));
/// # Ok::<(), kern_solvers::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct GaussianProcessDetails {
    /// The objective that each search ended with: the greatest number where its start had none.
    pub objectives: Vec<f64>,
    /// The search whose parameters were taken.
    pub search: usize,
    /// Evaluations of the objective and its gradient, of all searches.
    pub evaluations: usize,
}
