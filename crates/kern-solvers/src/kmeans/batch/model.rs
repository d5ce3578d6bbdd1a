//! The model of k-means by batches: centres of some points.

use super::centre::{Centre, diagonal, nearest};
use crate::model::Format;
use crate::{Error, Status};
use faer::Mat;
use kern_core::{Kernel, Points, Scalar};
use kern_gram::zeros;
use serde::{Deserialize, Serialize};

/// The evidence of a fit: of the best run, but for the kernel values.
///
/// # Examples
/// ```
/// use kern_core::{Samples, kernels::Linear};
/// use kern_solvers::{Status, kmeans::MiniBatchKernelKMeans};
/// let x = Samples::from_rows(&[[0.0], [1.0], [5.0], [6.0]])?;
/// let model = MiniBatchKernelKMeans::new(Linear, 2).fit(&x)?;
/// let report = model.report();
/// assert_eq!(report.status, Status::Converged);
/// assert_eq!(report.batch_objectives.len(), report.iterations);
/// assert!((report.objective - 1.0).abs() < 0.1); // 4 · 0.5², with centres by batches
/// # Ok::<(), kern_solvers::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct MiniBatchReport {
    /// How the run ended: [`Status::Converged`] if the last batches cost no less than those before them.
    pub status: Status,
    /// Batches.
    pub iterations: usize,
    /// The objective J = Σᵢ wᵢ‖φ(xᵢ) − μ_{z(i)}‖² of all points with the centres of the model.
    pub objective: f64,
    /// The mean of ‖φ(x) − μ‖² over each batch, before it moves the centres. It rises and falls with the batches.
    pub batch_objectives: Vec<f64>,
    /// Clusters without a point of positive weight.
    pub empty: usize,
    /// The indices of the points that the run started from; none if labels were given.
    pub seeds: Vec<usize>,
    /// Which of the restarts it was, from 0.
    pub run: usize,
    /// Kernel values that were computed, by all runs.
    pub kernel_values: u64,
}

impl MiniBatchReport {
    /// Of a run that has not begun.
    pub(super) fn new(run: usize, seeds: Vec<usize>) -> Self {
        let (status, batch_objectives) = (Status::IterationsDone, Vec::new());
        Self {
            status,
            iterations: 0,
            objective: 0.0,
            batch_objectives,
            empty: 0,
            seeds,
            run,
            kernel_values: 0,
        }
    }

    /// The mean objective of the last batches, at most so many; infinite if there is none.
    pub(super) fn last(&self, count: usize) -> f64 {
        let first = self.batch_objectives.len().saturating_sub(count);
        let last = &self.batch_objectives[first..];
        if last.is_empty() { f64::INFINITY } else { last.iter().sum::<f64>() / last.len() as f64 }
    }
}

/// Clusters in the feature space of a kernel, by centres of at most τ points each.
///
/// # Examples
/// ```
/// use kern_core::{Samples, kernels::Rbf};
/// use kern_solvers::kmeans::MiniBatchKernelKMeans;
/// let x = Samples::from_rows(&[[0.0], [0.1], [5.0], [5.1]])?;
/// let model = MiniBatchKernelKMeans::new(Rbf::new(0.5)?, 2).truncation(50).fit(&x)?;
/// let queries = Samples::from_rows(&[[0.5], [4.0]])?;
/// assert_eq!(model.assign(&queries)?, [model.labels()[0], model.labels()[2]]);
/// assert!(model.distances(&queries)?[(0, model.labels()[0])] < 0.8);
/// assert!(model.support() <= 2 * 50);
/// # Ok::<(), kern_solvers::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(
    try_from = "Stored<P, K>",
    bound(
        serialize = "P: Serialize, K: Serialize",
        deserialize = "P: Points + Deserialize<'de>, K: Kernel<P> + Deserialize<'de>"
    )
)]
pub struct MiniBatchKMeansModel<P: Points, K> {
    format: Format,
    kernel: K,
    centres: Vec<Option<Centre<P>>>,
    labels: Vec<usize>,
    report: MiniBatchReport,
}

/// A model as it is read from a file, before it is checked.
#[derive(Deserialize)]
#[serde(bound(deserialize = "P: Points + Deserialize<'de>, K: Deserialize<'de>"))]
struct Stored<P: Points, K> {
    format: Format,
    kernel: K,
    centres: Vec<Option<Centre<P>>>,
    labels: Vec<usize>,
    report: MiniBatchReport,
}

impl<P: Points, K: Kernel<P>> TryFrom<Stored<P, K>> for MiniBatchKMeansModel<P, K> {
    type Error = Error;
    fn try_from(stored: Stored<P, K>) -> Result<Self, Error> {
        let Stored { format, kernel, centres, labels, report } = stored;
        for (index, centre) in centres.iter().enumerate() {
            let Some(centre) = centre else { continue };
            let shape = (centre.points.len(), 1);
            kern_gram::Error::check_shape("the weights", shape, centre.weights.shape())?;
            if !centre.norm.is_finite() {
                return Err(Error::Coefficient { index, given: centre.norm });
            }
        }
        let missing = |&&label: &&usize| centres.get(label).is_none_or(Option::is_none);
        match labels.iter().find(missing) {
            Some(&given) => Err(kern_core::Error::Index { given, len: centres.len() }.into()),
            None => Ok(Self { format, kernel, centres, labels, report }),
        }
    }
}

impl<P: Points, K> MiniBatchKMeansModel<P, K> {
    pub(super) fn new(
        kernel: K,
        centres: Vec<Option<Centre<P>>>,
        labels: Vec<usize>,
        report: MiniBatchReport,
    ) -> Self {
        Self { format: Format, kernel, centres, labels, report }
    }

    /// The kernel.
    pub fn kernel(&self) -> &K {
        &self.kernel
    }

    /// The cluster of each point of the fit.
    pub fn labels(&self) -> &[usize] {
        &self.labels
    }

    /// The number of points in each cluster.
    pub fn sizes(&self) -> Vec<usize> {
        let mut sizes = vec![0; self.centres.len()];
        self.labels.iter().for_each(|&label| sizes[label] += 1);
        sizes
    }

    /// The number of points of all centres: at most k·τ.
    pub fn support(&self) -> usize {
        self.centres.iter().flatten().map(|centre| centre.points.len()).sum()
    }

    /// The evidence of the fit.
    pub fn report(&self) -> &MiniBatchReport {
        &self.report
    }
}

impl<P: Points, K: Kernel<P>> MiniBatchKMeansModel<P, K> {
    /// The cluster of the nearest centre to each query, the first of equals.
    ///
    /// # Errors
    /// [`Error::Gram`] if the queries do not fit the points of the fit, or a kernel value is not finite.
    ///
    /// # Complexity
    /// q·k·τ kernel evaluations for q queries; O(q) numbers.
    pub fn assign(&self, queries: &P) -> Result<Vec<usize>, Error> {
        Ok(nearest(&self.kernel, &self.centres, queries)?.0)
    }

    /// ‖φ(x) − μ_c‖ for each query x and centre μ_c, queries × clusters; infinite for a cluster without a centre.
    ///
    /// # Errors
    /// As [`assign`](Self::assign).
    pub fn distances(&self, queries: &P) -> Result<Mat<P::Scalar>, Error> {
        let own = diagonal(&self.kernel, queries)?;
        let mut values = zeros(queries.len(), self.centres.len())?;
        for (c, centre) in self.centres.iter().enumerate() {
            let column = values.col_as_slice_mut(c).iter_mut();
            let Some(centre) = centre else {
                column.for_each(|value| *value = P::Scalar::from_f64(f64::INFINITY));
                continue;
            };
            let products = centre.products(&self.kernel, queries)?;
            for ((value, own), product) in column.zip(&own).zip(products.col_as_slice(0)) {
                let squared = own - 2.0 * product.to_f64() + centre.norm;
                *value = P::Scalar::from_f64(squared.max(0.0).sqrt());
            }
        }
        Ok(values)
    }
}
