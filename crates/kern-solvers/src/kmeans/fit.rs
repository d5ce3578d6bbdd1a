//! Fitting: the Gram matrix by what the budget allows, and the best of the runs.

use super::bound::lower_bound;
use super::columns::{BLOCK, Columns};
use super::lloyd;
use super::params::{KernelKMeans, Settings};
use super::partition::Partition;
use super::problem::Problem;
use super::restarts::{best_run, side_by_side};
use super::state::State;
use super::{KMeansModel, KMeansReport, seeding};
use crate::Error;
use kern_core::{Mercer, Points, Scalar};
use kern_gram::{DenseGram, GramOperator, LazyGram, MemoryBudget, matrix_bytes, parallel};

impl<K> KernelKMeans<K> {
    /// Finds the clusters of the points.
    ///
    /// # Errors
    /// [`Error::Empty`]; [`Error::Count`] for k = 0 or k > n and for no restarts; [`Error::Weight`] and
    /// [`Error::NoWeight`] for the weights; [`Error::Core`] for a seed or a label out of bounds, or points that
    /// the kernel refuses; [`Error::Length`] for labels; [`Error::Gram`] if a kernel value is not finite, or the
    /// budget is less than n·k doubles and a column.
    pub fn fit<P: Points>(self, points: &P) -> Result<KMeansModel<P, K>, Error>
    where
        K: Mercer<P>,
    {
        let n = points.len();
        self.settings.check(n)?;
        let budget = self.settings.budget.unwrap_or_default();
        let left = without_sums::<P::Scalar>(n, self.settings.k, &budget)?;
        let (settings, bound) = (&self.settings, self.lower_bound.then_some(&left));
        let matrix = matrix_bytes::<P::Scalar>(n, n);
        let (partition, report) = if left.fits(matrix) {
            let gram = DenseGram::new(&self.kernel, points, &left)?;
            let at_once = side_by_side(n, settings.k, left.as_bytes() - matrix);
            let (partition, mut report) = solve(&gram, (BLOCK, at_once), settings, bound)?;
            report.kernel_values = (n as u64).saturating_mul(n as u64 + 1) / 2;
            (partition, report)
        } else {
            let gram = LazyGram::new(&self.kernel, points)?;
            solve(&gram, (width::<P::Scalar>(n, &left), 1), settings, bound)?
        };
        let weights = self.settings.weights(n);
        let points = points.select(&Vec::from_iter(0..n))?;
        KMeansModel::new(self.kernel, points, weights, partition, report)
    }
}

/// The budget without the sums of a run, which must leave a column of the matrix.
pub(super) fn without_sums<T>(
    n: usize,
    k: usize,
    budget: &MemoryBudget,
) -> Result<MemoryBudget, Error> {
    let sums = matrix_bytes::<f64>(n, k);
    let needed = sums.saturating_add(matrix_bytes::<T>(n, 1));
    let instead = "k-means on features (FeatureKMeans) keeps no sums";
    budget.require("the sums over the clusters, and a column", needed, instead)?;
    Ok(MemoryBudget::bytes(budget.as_bytes() - sums))
}

/// Columns to be copied at once.
pub(super) fn width<T>(n: usize, budget: &MemoryBudget) -> usize {
    let columns = budget.as_bytes() / matrix_bytes::<T>(n, 1).max(1);
    usize::try_from(columns).unwrap_or(BLOCK).clamp(1, BLOCK)
}

/// The best run, on a Gram matrix, of which so many columns are copied and so many runs are made at once; with a lower
/// bound, if there is a budget for it.
pub(super) fn solve<T: Scalar>(
    gram: &dyn GramOperator<T>,
    (width, at_once): (usize, usize),
    settings: &Settings,
    bound: Option<&MemoryBudget>,
) -> Result<(Partition, KMeansReport), Error> {
    parallel::in_pool(|| {
        let columns = Columns::new(gram, width);
        let weights = settings.weights(gram.size());
        let problem = Problem::new(&columns, &weights, settings.k)?;
        let run = |number| -> Result<_, Error> {
            let start = seeding::start(&problem, settings, number)?;
            let mut state = State::new(&problem, start.labels)?;
            let run = lloyd::run(&mut state, settings.max_iterations)?;
            let report = KMeansReport::new(run, &state, (number, start.seeds), settings.k);
            let report = KMeansReport { distances: state.distances, ..report };
            Ok((state.partition, report))
        };
        let (partition, mut report) = best_run(settings.runs(), at_once, run)?;
        report.lower_bound = bound.map(|budget| lower_bound(&problem, budget)).transpose()?;
        report.kernel_values = columns.copied();
        Ok((partition, report))
    })
}
