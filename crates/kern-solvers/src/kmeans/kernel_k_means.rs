//! Kernel k-means: Lloyd's algorithm on sums of kernel values. The Gram matrix is stored if the
//! memory allows, and the best of the runs is kept.

use super::k_means::{Gathered, KMeansSpace, Rules};
use super::kernel_sums::{Partition, Sums};
use super::lloyd::{self, Division, ITERATIONS, Move, fill_empty, finite};
use super::mini_batch;
use super::plus_plus;
use super::restarts::{Ended, Runs, Watch, best_run, side_by_side};
use super::soft_k_means::{self, Softness};
use super::spectral_bound::lower_bound;
use super::weighted_gram::{BLOCK, Columns, WeightedGram};
use crate::differences::FromOrigin;
use crate::model::{Centres, Clusters, KernelExpansion, SoftClusters};
use crate::plan::{Algorithm, Count, Effort, Limits, Work, within};
use crate::space::OnKernel;
use crate::tolerance::KMEANS_RENEWAL;
use crate::{Error, Report, Run};
use kern_core::{Kernel, Mercer, Points, Scalar, compiled_once};
use kern_gram::{DenseGram, GramOperator, LazyGram, MemoryBudget, matrix_bytes};

/// Values stored per point besides its sums and columns: weight, mass, norm, and distances from
/// seeds.
const NUMBERS: usize = 8;

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
                clusters.map(|found| centres(&moved, given.points, self.kernel.clone(), found))
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
                clusters.map(|found| centres(&moved, given.points, self.kernel.clone(), found))
            }
            None => soft_k_means::on_kernel(&self.kernel, given, softness, run),
        }
    }
}

/// Converts centres found with the origin at φ(z) to distances from differences: for μ = Σᵢ uᵢφ(xᵢ)
/// with Σᵢ uᵢ = 1, ‖μ − φ(z)‖² becomes Σᵢⱼ uᵢuⱼD(xᵢ, xⱼ).
fn centres<P: Points, K: Kernel<P>>(
    origin: &FromOrigin<'_, P>,
    points: &P,
    kernel: K,
    centres: Centres<KernelExpansion<P, &FromOrigin<'_, P>>>,
) -> Result<Centres<KernelExpansion<P, K>>, Error> {
    let Centres { decision, masses, mut norms } = centres;
    let from = origin.distances(decision.points());
    for ((column, norm), &mass) in decision.coefficients().col_iter().zip(&mut norms).zip(&masses) {
        if mass > 0.0 {
            let terms = column.iter().zip(&from).map(|(u, from)| u.to_f64() * from);
            *norm += 2.0 * terms.sum::<f64>();
        }
    }
    let decision = decision.with_kernel(kernel).by_differences().answering(points)?;
    Ok(Centres { decision, masses, norms })
}

/// Clusters the points with this kernel.
fn divide<P: Points, K: Mercer<P> + Clone>(
    kernel: &K,
    given: &Gathered<'_, P>,
    rules: &Rules,
    run: &mut Run<'_>,
) -> Result<Clusters<KernelExpansion<P, K>>, Error> {
    if let Some(size) = rules.batch {
        return mini_batch::divide(kernel, given, size, rules, run);
    }
    let (partition, report) = on_kernel(kernel, given, rules, run)?;
    let Gathered { points, weights, .. } = given;
    let (centres, labels) = partition.centres(kernel.clone(), *points, weights)?;
    Ok(Clusters::new(centres, labels, report))
}

/// The partition found by Lloyd's algorithm on the kernel matrix.
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
    check_time((run.predicted_limit(), &budget), &kernel, *points, runs, stored)?;
    let watch = Watch::new(run, runs.most());
    let bound = rules.lower_bound.then_some(&left);
    let ended = if stored {
        let gram = DenseGram::new(kernel, points, &left)?;
        let at_once = side_by_side(n, runs.clusters, left.as_bytes() - matrix);
        let mut ended = solve(&gram, weights, BLOCK, at_once, runs, &watch, bound)?;
        ended.details.kernel_values = (n as u64).saturating_mul(n as u64 + 1) / 2;
        ended
    } else {
        let gram = LazyGram::new(kernel, points)?;
        solve(&gram, weights, width::<P::Scalar>(n, &left), 1, runs, &watch, bound)?
    };
    Ok(ended.reported())
}

/// The budget less the sums of a run; an error unless a column of the matrix fits, too.
fn without_sums<T>(n: usize, k: usize, budget: &MemoryBudget) -> Result<MemoryBudget, Error> {
    let sums = matrix_bytes::<f64>(n, k);
    let needed = sums.saturating_add(matrix_bytes::<T>(n, 1));
    let instead = "k-means on features keeps no sums";
    budget.require("the sums over the clusters, and a column", needed, instead)?;
    Ok(MemoryBudget::bytes(budget.as_bytes() - sums))
}

/// The number of columns that fit the budget at once, each with the distances that seeding computes
/// from it.
pub(super) fn width<T>(n: usize, budget: &MemoryBudget) -> usize {
    let left = budget.as_bytes().saturating_sub(matrix_bytes::<f64>(n, NUMBERS));
    let column = matrix_bytes::<T>(n, 1).saturating_add(matrix_bytes::<f64>(n, 1));
    let columns = left / column.max(1);
    usize::try_from(columns).unwrap_or(BLOCK).clamp(1, BLOCK)
}

/// The best of the runs on a Gram matrix. At most `width` columns are copied and `at_once` runs
/// executed at a time; `bound`, if set, is the memory budget of the lower bound.
fn solve<T: Scalar>(
    gram: &dyn GramOperator<T>,
    weights: &[f64],
    width: usize,
    at_once: usize,
    runs: &Runs,
    watch: &Watch<'_>,
    bound: Option<&MemoryBudget>,
) -> Result<Ended<Partition>, Error> {
    let columns = Columns::new(gram, width);
    let gram = WeightedGram::new(&columns, weights, runs.clusters)?;
    let run = |number| {
        let start = plus_plus::start(&gram, runs, number)?;
        let clusters = BySums::new(&gram, start.labels)?;
        let ended = lloyd::run(clusters, number, start.seeds, runs.max_iterations, watch)?;
        Ok(ended.map(|clusters| clusters.partition))
    };
    let mut ended = best_run(runs.count(), at_once, watch, run)?;
    // Rounding may lift the bound above an optimum that attains it.
    let smallest = bound.map(|budget| lower_bound(&gram, budget)).transpose()?;
    ended.details.lower_bound = smallest.map(|bound| bound.min(ended.objective));
    ended.details.kernel_values = columns.copied();
    Ok(ended)
}

/// An error if the runs are predicted to exceed the time limit. With `stored` the matrix is in
/// memory, otherwise its columns are computed on demand.
pub(super) fn check_time<P, K>(
    limits: Limits<'_>,
    kernel: &K,
    points: &P,
    runs: &Runs,
    stored: bool,
) -> Result<(), Error>
where
    P: Points,
    K: Kernel<P> + ?Sized,
{
    let n = points.len();
    let pairs = (n as f64).powi(2);
    let passes = runs.count() as f64 * ITERATIONS.min(1.0 + runs.max_iterations as f64);
    let effort = if stored {
        let parts = vec![
            (Work::KernelValues, Count::values(pairs / 2.0)),
            (Work::Products, Count::numbers(passes * pairs)),
        ];
        Effort::counted(Algorithm::GramCached, parts)
    } else {
        let parts = vec![(Work::KernelValues, Count::values(passes * pairs))];
        Effort::counted(Algorithm::KernelOnTheFly, parts)
    };
    within(limits, kernel, points, &[effort], &[Effort::by_passes(n, passes)])
}

/// The state of a run: its clusters, with their sums of kernel values.
struct BySums<'a, T: Scalar> {
    gram: &'a WeightedGram<'a, T>,
    trace: f64,
    sums: Sums,
    partition: Partition,
    objective: f64,
    /// Iterations since the sums were recomputed.
    age: usize,
    distances: u64,
}

impl<'a, T: Scalar> BySums<'a, T> {
    fn new(gram: &'a WeightedGram<'a, T>, labels: Vec<u32>) -> Result<Self, Error> {
        let (n, k) = (gram.size(), gram.k);
        let partition = Partition { labels: Vec::new(), masses: Vec::new(), norms: Vec::new() };
        let (sums, trace) = (Sums::zeros(n, k)?, gram.trace());
        let objective = 0.0;
        let mut state = Self { gram, trace, sums, partition, objective, age: 0, distances: 0 };
        state.renew(labels)?;
        Ok(state)
    }

    fn settle(&mut self, labels: Vec<u32>) -> Result<(), Error> {
        let (partition, explained) = Partition::new(labels, self.gram.weights, &self.sums);
        self.partition = partition;
        self.objective = finite(self.trace - explained)?;
        Ok(())
    }
}

impl<T: Scalar> Division for BySums<'_, T> {
    fn weights(&self) -> &[f64] {
        self.gram.weights
    }

    fn labels(&self) -> &[u32] {
        &self.partition.labels
    }

    fn count(&self) -> usize {
        self.gram.k
    }

    fn distances(&self) -> u64 {
        self.distances
    }

    fn objective(&self) -> f64 {
        self.objective
    }

    fn is_fresh(&self) -> bool {
        self.age == 0
    }

    fn renew(&mut self, labels: Vec<u32>) -> Result<(), Error> {
        self.sums.renew(self.gram.columns, &labels, self.gram.weights)?;
        self.age = 0;
        self.settle(labels)
    }

    fn go_to(&mut self, labels: Vec<u32>, moves: &[Move]) -> Result<(), Error> {
        if 2 * moves.len() >= labels.len() || self.age + 1 >= KMEANS_RENEWAL {
            return self.renew(labels);
        }
        self.sums.update(self.gram.columns, moves, self.gram.weights)?;
        self.age += 1;
        self.settle(labels)
    }

    fn assign(&mut self) -> Result<(Vec<u32>, usize), Error> {
        let gram = self.gram;
        let (mut labels, near) = self.partition.nearest(&self.sums);
        self.distances += (labels.len() as u64).saturating_mul(gram.k as u64);
        let squared = |i: usize| gram.distance(i, gram.diagonal[i] + near[i]);
        let filled = fill_empty(&mut labels, gram.weights, gram.k, squared);
        Ok((labels, filled))
    }

    fn follow(&mut self, labels: Vec<u32>) {
        self.partition.labels = labels;
    }
}
