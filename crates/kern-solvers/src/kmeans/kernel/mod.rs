//! k-means on a Gram matrix, as the memory allows, and the best of the runs.

mod bound;
mod columns;
mod gram;
mod partition;
mod state;
mod sums;

pub(super) use columns::{BLOCK, Columns};
pub(super) use gram::WeightedGram;

use super::fit::{Gathered, KMeansSpace};
use super::limit::check_time;
use super::origin::centres;
use super::params::{Rules, Runs};
use super::restarts::{Ended, best_run, side_by_side};
use super::soft_k_means::{self, Softness};
use super::watch::Watch;
use super::{lloyd, mini_batch, seeding};
use crate::differences::FromOrigin;
use crate::model::{Clusters, KernelExpansion, SoftClusters};
use crate::space::OnKernel;
use crate::{Error, Report, Run};
use bound::lower_bound;
use kern_core::{Mercer, Points, Scalar, compiled_once};
use kern_gram::{DenseGram, GramOperator, LazyGram, MemoryBudget, matrix_bytes};
use partition::Partition;
use state::BySums;

impl<P: Points, K: Mercer<P> + Clone> KMeansSpace<P> for OnKernel<K> {
    type Function = KernelExpansion<P, K>;

    fn divide(
        &self,
        given: &Gathered<'_, P>,
        rules: &Rules,
        run: &mut Run<'_>,
    ) -> Result<Clusters<Self::Function>, Error> {
        match FromOrigin::new(&self.kernel, given.points)? {
            Some(moved) => {
                let clusters = divide(&&moved, given, rules, run)?;
                clusters.map(|found| centres((&moved, given.points), self.kernel.clone(), found))
            }
            None => divide(&self.kernel, given, rules, run),
        }
    }

    fn share(
        &self,
        given: &Gathered<'_, P>,
        softness: Softness,
        run: &mut Run<'_>,
    ) -> Result<SoftClusters<Self::Function>, Error> {
        match FromOrigin::new(&self.kernel, given.points)? {
            Some(moved) => {
                let clusters = soft_k_means::on_kernel(&&moved, given, softness, run)?;
                clusters.map(|found| centres((&moved, given.points), self.kernel.clone(), found))
            }
            None => soft_k_means::on_kernel(&self.kernel, given, softness, run),
        }
    }
}

/// The clusters by this kernel.
fn divide<P: Points, K: Mercer<P> + Clone>(
    kernel: &K,
    given: &Gathered<'_, P>,
    rules: &Rules,
    run: &mut Run<'_>,
) -> Result<Clusters<KernelExpansion<P, K>>, Error> {
    if let Some(size) = rules.batch {
        return mini_batch::divide(kernel, given, (size, rules), run);
    }
    let (partition, report) = on_kernel(kernel, given, rules, run)?;
    let Gathered { points, weights, .. } = given;
    let (centres, labels) = partition.centres((kernel.clone(), points), weights)?;
    Ok(Clusters::new(centres, labels, report))
}

/// The partition by Lloyd's algorithm on the kernel matrix.
#[compiled_once]
fn on_kernel<P: Points>(
    kernel: &dyn Mercer<P>,
    given: &Gathered<'_, P>,
    rules: &Rules,
    run: &mut Run<'_>,
) -> Result<(Partition, Report), Error> {
    let Gathered { points, weights, runs } = given;
    let n = points.len();
    let budget = run.budget();
    let left = without_sums::<P::Scalar>(n, runs.clusters, &budget)?;
    let matrix = matrix_bytes::<P::Scalar>(n, n);
    let stored = left.fits(matrix);
    check_time((run.predicted_limit(), &budget), (&kernel, *points), (runs, stored))?;
    let watch = Watch::new(run, runs.most());
    let with = (*runs, &watch, rules.lower_bound.then_some(&left));
    let ended = if stored {
        let gram = DenseGram::new(kernel, points, &left)?;
        let at_once = side_by_side(n, runs.clusters, left.as_bytes() - matrix);
        let mut ended = solve((&gram, weights), (BLOCK, at_once), with)?;
        ended.details.kernel_values = (n as u64).saturating_mul(n as u64 + 1) / 2;
        ended
    } else {
        let gram = LazyGram::new(kernel, points)?;
        solve((&gram, weights), (width::<P::Scalar>(n, &left), 1), with)?
    };
    Ok(ended.reported())
}

/// The budget without the sums of a run, which must leave a column of the matrix.
fn without_sums<T>(n: usize, k: usize, budget: &MemoryBudget) -> Result<MemoryBudget, Error> {
    let sums = matrix_bytes::<f64>(n, k);
    let needed = sums.saturating_add(matrix_bytes::<T>(n, 1));
    let instead = "k-means on features keeps no sums";
    budget.require("the sums over the clusters, and a column", needed, instead)?;
    Ok(MemoryBudget::bytes(budget.as_bytes() - sums))
}

/// Numbers of a point beside its sums and its columns: its weight, mass, norm, and distances from seeds.
const NUMBERS: usize = 8;

/// Columns to be copied at once, each with the distances that seeding makes of it.
pub(super) fn width<T>(n: usize, budget: &MemoryBudget) -> usize {
    let left = budget.as_bytes().saturating_sub(matrix_bytes::<f64>(n, NUMBERS));
    let column = matrix_bytes::<T>(n, 1).saturating_add(matrix_bytes::<f64>(n, 1));
    let columns = left / column.max(1);
    usize::try_from(columns).unwrap_or(BLOCK).clamp(1, BLOCK)
}

/// The best run, on a Gram matrix, of which so many columns are copied and so many runs are made at once; with a lower
/// bound, if there is a budget for it.
fn solve<T: Scalar>(
    (gram, weights): (&dyn GramOperator<T>, &[f64]),
    (width, at_once): (usize, usize),
    (runs, watch, bound): (&Runs, &Watch<'_>, Option<&MemoryBudget>),
) -> Result<Ended<Partition>, Error> {
    let columns = Columns::new(gram, width);
    let gram = WeightedGram::new(&columns, weights, runs.clusters)?;
    let run = |number| {
        let start = seeding::start(&gram, runs, number)?;
        let clusters = BySums::new(&gram, start.labels)?;
        let ended = lloyd::run(clusters, (number, start.seeds), runs.max_iterations, watch)?;
        Ok(ended.map(|clusters| clusters.partition))
    };
    let mut ended = best_run((runs.count(), at_once), watch, run)?;
    // Rounding may lift the bound of an optimum that is reached above it.
    let least = bound.map(|budget| lower_bound(&gram, budget)).transpose()?;
    ended.details.lower_bound = least.map(|bound| bound.min(ended.objective));
    ended.details.kernel_values = columns.copied();
    Ok(ended)
}
