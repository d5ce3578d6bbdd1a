//! Details of k-means, beyond status, iterations and objective.

use serde::{Deserialize, Serialize};

/// The course of k-means: of the best run, but for what is counted for all of them.
///
/// # Examples
/// ```
/// use kern_core::{Samples, kernels::Linear};
/// use kern_solvers::{Status, kmeans::KMeans};
/// let x = Samples::from_rows(&[[0.0], [1.0], [5.0], [6.0]])?;
/// let model = KMeans::on_kernel(Linear, 2).lower_bound(true).fit(&x)?;
/// let report = model.report();
/// assert_eq!(report.status, Status::Converged);
/// assert!((report.objective - 1.0).abs() < 1e-12); // 4 · 0.5²
/// let details = report.details.k_means().ok_or(kern_solvers::Error::Empty)?;
/// assert!(details.lower_bound.is_some_and(|bound| bound <= report.objective));
/// assert!(details.objectives.is_sorted_by(|a, b| a >= b));
/// # Ok::<(), kern_solvers::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct KMeansDetails {
    /// The objective of the first clusters, and after each iteration; of soft clusters the free energy. It never rises.
    /// None with batches.
    pub objectives: Vec<f64>,
    /// The mean of ‖φ(x) − μ‖² over each batch, before it moves the centres. It rises and falls with the batches.
    pub batch_objectives: Vec<f64>,
    /// The points of positive weight that each iteration moved.
    pub moved: Vec<usize>,
    /// The number of times that a cluster without points was given the farthest one.
    pub reseeded: usize,
    /// Clusters without a point of positive weight, left where there are fewer different points than clusters, or none
    /// that is near.
    pub empty: usize,
    /// The indices of the points that the run started from; none if labels were given.
    pub seeds: Vec<usize>,
    /// The number of the restart that it was, from 0.
    pub run: usize,
    /// Kernel values that were computed, by all runs; 0 on features.
    pub kernel_values: u64,
    /// Distances between points and centres that were computed, by all runs.
    pub distances: u64,
    /// No clusters have a smaller objective, if that was asked for.
    pub lower_bound: Option<f64>,
}
