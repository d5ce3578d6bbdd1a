//! What k-means says about its fit.

use super::lloyd::{Clusters, Run};
use crate::Status;
use serde::{Deserialize, Serialize};
use std::fmt;

/// The evidence of a fit: of the best run, but for what is counted for all of them.
///
/// # Examples
/// ```
/// use kern_core::{Samples, kernels::Linear};
/// use kern_solvers::{Status, kmeans::KernelKMeans};
/// let x = Samples::from_rows(&[[0.0], [1.0], [5.0], [6.0]])?;
/// let model = KernelKMeans::new(Linear, 2).lower_bound(true).fit(&x)?;
/// let report = model.report();
/// assert_eq!(report.status, Status::Converged);
/// assert!((report.objective - 1.0).abs() < 1e-12); // 4 · 0.5²
/// assert!(report.lower_bound.is_some_and(|bound| bound <= report.objective));
/// assert!(report.objectives.is_sorted_by(|a, b| a >= b));
/// # Ok::<(), kern_solvers::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct KMeansReport {
    /// How the run ended: [`Status::Converged`] if no point is nearer to the centre of another cluster, by sums that
    /// were computed afresh; [`Status::Stalled`] if rounding, or a kernel that is not Mercer, would let the
    /// objective rise.
    pub status: Status,
    /// Iterations that moved a point.
    pub iterations: usize,
    /// The objective J = Σᵢ wᵢ‖φ(xᵢ) − μ_{z(i)}‖², from sums that were computed afresh.
    pub objective: f64,
    /// The objective of the first clusters, and after each iteration. It never rises.
    pub objectives: Vec<f64>,
    /// The points of positive weight that each iteration moved.
    pub moved: Vec<usize>,
    /// How often a cluster without points was given the farthest one.
    pub reseeded: usize,
    /// Clusters without a point of positive weight, left where there are fewer different points than clusters.
    pub empty: usize,
    /// The indices of the points that the run started from; none if labels were given.
    pub seeds: Vec<usize>,
    /// Which of the restarts it was, from 0.
    pub run: usize,
    /// Kernel values that were computed, by all runs; 0 on features.
    pub kernel_values: u64,
    /// Distances between points and centres that were computed, by all runs.
    pub distances: u64,
    /// No clusters have a smaller objective, if that was asked for.
    pub lower_bound: Option<f64>,
}

impl KMeansReport {
    /// The report on run `number` from these seeds.
    pub(super) fn new(
        run: Run,
        clusters: &impl Clusters,
        (number, seeds): (usize, Vec<usize>),
        k: usize,
    ) -> Self {
        let mut filled = vec![false; k];
        let pairs = clusters.labels().iter().zip(clusters.weights());
        let weighted = pairs.filter(|&(_, &weight)| weight > 0.0);
        weighted.for_each(|(&label, _)| filled[label as usize] = true);
        Self {
            status: run.status,
            iterations: run.moved.len(),
            objective: clusters.objective(),
            objectives: run.objectives,
            moved: run.moved,
            reseeded: run.reseeded,
            empty: filled.iter().filter(|&&filled| !filled).count(),
            seeds,
            run: number,
            kernel_values: 0,
            distances: 0,
            lower_bound: None,
        }
    }
}

impl fmt::Display for KMeansReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { status, iterations, objective, reseeded, empty, .. } = self;
        write!(f, "{status:?} after {iterations} iterations, objective {objective:.6e}")?;
        if let Some(bound) = self.lower_bound {
            write!(f, " (at least {bound:.6e})")?;
        }
        write!(f, ", {reseeded} clusters re-seeded, {empty} empty")
    }
}
