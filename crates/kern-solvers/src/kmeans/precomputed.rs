//! k-means on a Gram matrix that is given.

use super::KMeansReport;
use super::fit::{solve, width, without_sums};
use super::params::KernelKMeans;
use super::partition::Partition;
use super::restarts::side_by_side;
use crate::Error;
use faer::Mat;
use kern_approx::Precomputed;
use kern_core::Scalar;
use kern_gram::{CrossOperator, GramOperator, zeros};

impl KernelKMeans<Precomputed> {
    /// k clusters by a Gram matrix that is given.
    ///
    /// # Examples
    /// ```
    /// use kern_core::faer::mat;
    /// use kern_gram::{PrecomputedCross, PrecomputedGram};
    /// use kern_solvers::kmeans::KernelKMeans;
    /// let gram = PrecomputedGram::new(mat![[1.0, 0.9, 0.1], [0.9, 1.0, 0.2], [0.1, 0.2, 1.0]])?;
    /// let model = KernelKMeans::precomputed(2).fit_gram(&gram)?;
    /// assert_eq!(model.labels()[0], model.labels()[1]);
    /// assert_ne!(model.labels()[0], model.labels()[2]);
    /// let cross = PrecomputedCross::new(mat![[0.1, 0.1, 0.8]])?;
    /// assert_eq!(model.assign(&cross)?, [model.labels()[2]]);
    /// # Ok::<(), kern_solvers::Error>(())
    /// ```
    #[must_use]
    pub fn precomputed(k: usize) -> Self {
        Self::new(Precomputed, k)
    }

    /// Finds the clusters. Columns of the matrix that are not stored contiguously are copied, some at a time.
    /// Whether it is positive semi-definite is not looked at; the objective does not rise even if it is not.
    ///
    /// # Errors
    /// As [`KernelKMeans::fit`].
    pub fn fit_gram<T: Scalar>(self, gram: &dyn GramOperator<T>) -> Result<GramKMeans<T>, Error> {
        let n = gram.size();
        self.settings.check(n)?;
        let budget = self.settings.budget.unwrap_or_default();
        let left = without_sums::<T>(n, self.settings.k, &budget)?;
        let bound = self.lower_bound.then_some(&left);
        // Columns that are computed take the memory, and keep all threads busy.
        let at_once = match gram.stored_column(0) {
            Some(_) => side_by_side(n, self.settings.k, left.as_bytes()),
            None => 1,
        };
        let room = (width::<T>(n, &left), at_once);
        let (partition, report) = solve(gram, room, &self.settings, bound)?;
        let averages = partition.averages(&self.settings.weights(n))?;
        let labels = partition.labels();
        Ok(GramKMeans { partition, labels, averages, report })
    }
}

/// Clusters that were found from a Gram matrix; others are assigned by kernel values with all points of the fit.
#[derive(Clone, Debug, PartialEq)]
pub struct GramKMeans<T: Scalar> {
    partition: Partition,
    labels: Vec<usize>,
    averages: Mat<T>,
    report: KMeansReport,
}

impl<T: Scalar> GramKMeans<T> {
    /// The cluster of each point of the fit.
    #[must_use]
    pub fn labels(&self) -> &[usize] {
        &self.labels
    }

    /// The number of points in each cluster.
    #[must_use]
    pub fn sizes(&self) -> Vec<usize> {
        self.partition.sizes()
    }

    /// The evidence of the fit.
    #[must_use]
    pub fn report(&self) -> &KMeansReport {
        &self.report
    }

    /// The cluster of the nearest centre to each query, the first of equals.
    ///
    /// # Errors
    /// [`Error::Gram`] unless `cross` has a column for each point of the fit, and finite values.
    pub fn assign(&self, cross: &dyn CrossOperator<T>) -> Result<Vec<usize>, Error> {
        let mut values = zeros(cross.shape().0, self.averages.ncols())?;
        cross.apply_into(self.averages.as_ref(), values.as_mut())?;
        Ok(self.partition.nearest_to(values.as_ref()))
    }
}
