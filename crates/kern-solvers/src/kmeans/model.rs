//! The model of kernel k-means: the clusters of the points, which say where those of others are.

use super::KMeansReport;
use super::partition::Partition;
use crate::Error;
use crate::model::Format;
use crate::weights::check_weights;
use faer::Mat;
use kern_core::{Kernel, Points, Scalar};
use kern_gram::CrossGram;
use serde::{Deserialize, Serialize};

/// Clusters in the feature space of a kernel.
///
/// # Examples
/// ```
/// use kern_core::{Samples, kernels::Linear};
/// use kern_solvers::kmeans::{KernelKMeans, Seeding};
/// let x = Samples::from_rows(&[[0.0], [2.0], [9.0]])?;
/// let model = KernelKMeans::new(Linear, 2).seeding(Seeding::Given(vec![0, 2])).fit(&x)?;
/// assert_eq!((model.labels(), model.sizes()), (&[0, 0, 1][..], vec![2, 1]));
/// let queries = Samples::from_rows(&[[4.0], [6.0]])?;
/// assert_eq!(model.assign(&queries)?, [0, 1]);
/// assert_eq!(model.distances(&queries)?[(0, 0)], 3.0); // |4 − (0 + 2)/2|
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
pub struct KMeansModel<P: Points, K> {
    format: Format,
    kernel: K,
    points: P,
    weights: Vec<f64>,
    partition: Partition,
    report: KMeansReport,
    /// Derived from the above.
    #[serde(skip)]
    labels: Vec<usize>,
    #[serde(skip)]
    averages: Mat<P::Scalar>,
}

/// A model as it is read from a file, before it is checked.
#[derive(Deserialize)]
struct Stored<P, K> {
    #[serde(rename = "format")]
    _format: Format,
    kernel: K,
    points: P,
    weights: Vec<f64>,
    partition: Partition,
    report: KMeansReport,
}

impl<P: Points, K: Kernel<P>> TryFrom<Stored<P, K>> for KMeansModel<P, K> {
    type Error = Error;
    fn try_from(stored: Stored<P, K>) -> Result<Self, Error> {
        let Stored { kernel, points, weights, partition, report, .. } = stored;
        check_weights(points.len(), &weights)?;
        partition.check(&weights)?;
        Self::new(kernel, points, weights, partition, report)
    }
}

impl<P: Points, K> KMeansModel<P, K> {
    pub(super) fn new(
        kernel: K,
        points: P,
        weights: Vec<f64>,
        partition: Partition,
        report: KMeansReport,
    ) -> Result<Self, Error> {
        let averages = partition.averages(&weights)?;
        let labels = partition.labels();
        Ok(Self { format: Format, kernel, points, weights, partition, report, labels, averages })
    }

    /// The kernel.
    pub fn kernel(&self) -> &K {
        &self.kernel
    }

    /// The points of the fit.
    pub fn points(&self) -> &P {
        &self.points
    }

    /// The cluster of each point of the fit.
    pub fn labels(&self) -> &[usize] {
        &self.labels
    }

    /// The number of points in each cluster.
    pub fn sizes(&self) -> Vec<usize> {
        self.partition.sizes()
    }

    /// The evidence of the fit.
    pub fn report(&self) -> &KMeansReport {
        &self.report
    }
}

impl<P: Points, K: Kernel<P>> KMeansModel<P, K> {
    /// The cluster of the nearest centre to each query, the first of equals.
    ///
    /// # Errors
    /// [`Error::Gram`] if the queries do not fit the points of the fit, or a kernel value is not finite.
    ///
    /// # Complexity
    /// q·n kernel evaluations and 2q·n·k flops for q queries; q·k numbers.
    pub fn assign(&self, queries: &P) -> Result<Vec<usize>, Error> {
        Ok(self.partition.nearest_to(self.means(queries)?.as_ref()))
    }

    /// ‖φ(x) − μ_c‖ for each query x and centre μ_c, queries × clusters; infinite for an empty cluster. What others
    /// call `transform`.
    ///
    /// # Errors
    /// As [`assign`](Self::assign).
    pub fn distances(&self, queries: &P) -> Result<Mat<P::Scalar>, Error> {
        let mut values = self.means(queries)?;
        let own: Vec<f64> =
            (0..queries.len()).map(|i| self.kernel.diag(queries, i).to_f64()).collect();
        if let Some(i) = own.iter().position(|own| !own.is_finite()) {
            return Err(kern_gram::Error::NotFinite { row: i, col: i, given: own[i] }.into());
        }
        for (c, column) in values.col_iter_mut().enumerate() {
            let (mass, norm) = (self.partition.masses[c], self.partition.norms[c]);
            for (value, own) in column.iter_mut().zip(&own) {
                let squared =
                    if mass > 0.0 { own - 2.0 * value.to_f64() + norm } else { f64::INFINITY };
                *value = P::Scalar::from_f64(squared.max(0.0).sqrt());
            }
        }
        Ok(values)
    }

    /// ⟨φ(x), μ_c⟩.
    fn means(&self, queries: &P) -> Result<Mat<P::Scalar>, Error> {
        Ok(CrossGram::new(&self.kernel, queries, &self.points)?.apply(self.averages.as_ref())?)
    }
}
