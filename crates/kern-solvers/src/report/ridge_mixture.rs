//! Details of mixtures of ridge regressors.

use serde::{Deserialize, Serialize};

/// The course of the best run of a mixture.
///
/// # Examples
/// ```
/// use kern_core::{Samples, kernels::Linear};
/// use kern_solvers::{Status, ridge_mixture::RidgeMixture};
/// let x = Samples::from_row_major(1, (1..=12).map(f64::from).collect())?;
/// let y: Vec<f64> = (1..=12).map(|i| f64::from(i) * if i % 2 == 0 { 1.0 } else { -1.0 }).collect();
/// let model = RidgeMixture::on_kernel(Linear, 2).lambda(0.1).fit(&x, &y)?;
/// let report = model.report();
/// assert_eq!(report.status, Status::Converged);
/// let details = report.details.ridge_mixture().ok_or(kern_solvers::Error::Empty)?;
/// assert!(details.objectives.is_sorted_by(|a, b| a >= b) && details.empty == 0);
/// # Ok::<(), kern_solvers::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct RidgeMixtureDetails {
    /// The objective after each round, the penalised likelihood with the opposite sign. It never rises.
    pub objectives: Vec<f64>,
    /// The number of the restart that it was, from 0.
    pub run: usize,
    /// Components whose variance is the least that is allowed.
    pub floored: usize,
    /// Components that no point is responsible for.
    pub empty: usize,
}
