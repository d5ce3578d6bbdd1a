//! Restarts: the settings of runs, their observer, and the best run.

use super::k_means::KMeans;
use super::plus_plus::Seeding;
use super::soft_k_means::SoftKMeans;
use crate::estimator::check;
use crate::{Details, Error, KMeansDetails, Observer, Progress, Report, Run, Status};
use kern_core::parameters::Domain;
use kern_core::settings;
use kern_gram::{matrix_bytes, parallel};
use std::ops::ControlFlow;
use std::sync::{Mutex, PoisonError};

/// Default bound on the iterations of k-means: scikit-learn's.
const KMEANS_ITERATIONS: usize = 300;

/// The largest number of runs executed in parallel.
const MOST: u64 = 16;

settings! {
    /// The number of clusters, the initialisation and the stopping rule of runs: the same for all
    /// variants of k-means.
    pub(super) struct Runs in runs;

    KMeans, SoftKMeans {
        /// The number k of clusters, 1 ≤ k ≤ n.
        clusters: usize = 1, Domain::count(1);
        /// The initialisation. Default: [`Seeding::PlusPlus`](crate::kmeans::Seeding::PlusPlus).
        seeding: Seeding = Seeding::PlusPlus;
        /// The number of candidates for each seed of k-means++; the one that leaves the smallest
        /// cost is taken. With 1 the expected cost of the seeds is at most 8(ln k + 2) times the
        /// optimum (Arthur & Vassilvitskii, theorem 1.1); more are better in practice. At least 1
        /// and at most 1024. Default: 2 + ⌊ln k⌋.
        trials: usize, Domain::count_to(1, 1024);
        /// The number of runs with different seeds; the run with the smallest objective is kept,
        /// the first in a tie. Given seeds or labels are run once. Default: 1.
        restarts: usize = 1, Domain::count(1);
        /// The seed of all random choices. Default: 0.
        seed: u64 = 0;
        /// The largest number of iterations of a run. A run that needs more ends with
        /// [`Status::IterationsDone`](crate::Status::IterationsDone). Default: 300.
        max_iterations: usize = KMEANS_ITERATIONS;
    }
}

impl Runs {
    pub(super) fn new(clusters: usize) -> Self {
        Self { clusters, ..Self::default() }
    }

    /// Checks the settings for n points.
    pub(super) fn check(&self, n: usize) -> Result<(), Error> {
        if self.clusters == 0 || self.clusters > n {
            let allowed = "at least 1 and at most the number of points";
            return Err(Error::Count { name: "k", given: self.clusters, allowed });
        }
        check(self)?;
        match &self.seeding {
            Seeding::PlusPlus | Seeding::Random => Ok(()),
            Seeding::Given(seeds) if seeds.len() != self.clusters => {
                let allowed = "as many as there are clusters";
                Err(Error::Count { name: "the number of seeds", given: seeds.len(), allowed })
            }
            Seeding::Given(seeds) => Ok(kern_core::Error::check_indices(seeds, n)?),
            Seeding::Labels(labels) => {
                kern_approx::statistics::check_length("initial labels", n, labels.len())?;
                Ok(kern_core::Error::check_indices(labels, self.clusters)?)
            }
        }
    }

    /// The number of candidates for each seed of k-means++.
    pub(super) fn draws(&self) -> usize {
        // 2 + ⌊ln k⌋, as in scikit-learn.
        self.trials.unwrap_or_else(|| 2 + (self.clusters as f64).ln() as usize)
    }

    /// The largest number of iterations of all runs together.
    pub(super) const fn most(&self) -> usize {
        self.count().saturating_mul(self.max_iterations)
    }

    /// The number of runs: a given start is run once.
    pub(super) const fn count(&self) -> usize {
        match self.seeding {
            Seeding::PlusPlus | Seeding::Random => self.restarts,
            Seeding::Given(_) | Seeding::Labels(_) => 1,
        }
    }
}

/// The number of runs for k clusters of n points that may be executed in parallel, if `left` bytes
/// are free besides the sums of one run.
///
/// A run on few points does not keep many threads busy. Measured with ten runs for ten clusters of
/// points in R¹⁰ on two threads, in seconds for one run at a time / in parallel: n = 200
/// 0.0011/0.0008, 500 0.0035/0.0022, 1000 0.013/0.0064, 2000 0.061/0.036, 5000 0.41/0.37.
pub(super) fn side_by_side(n: usize, k: usize, left: u64) -> usize {
    let more = left / matrix_bytes::<f64>(n, k).max(1);
    1 + more.min(MOST - 1) as usize
}

/// The outcome of a run.
pub(super) struct Ended<S> {
    pub(super) clusters: S,
    pub(super) status: Status,
    pub(super) iterations: usize,
    pub(super) objective: f64,
    pub(super) details: KMeansDetails,
}

impl<S> Ended<S> {
    /// Converts the clusters.
    pub(super) fn map<R>(self, f: impl FnOnce(S) -> R) -> Ended<R> {
        let Self { clusters, status, iterations, objective, details } = self;
        Ended { clusters: f(clusters), status, iterations, objective, details }
    }

    /// The clusters and their report.
    pub(super) fn reported(self) -> (S, Report) {
        let Self { clusters, status, iterations, objective, details } = self;
        let gap = details.lower_bound.map(|bound| objective - bound);
        let report = Report::new(status, iterations, objective, gap);
        (clusters, Report { details: Details::KMeans(details), ..report })
    }
}

/// The run with the smallest objective, the first in a tie; its counts of distances and kernel
/// values are those of all runs. At most `at_once` runs are executed in parallel, which has no
/// influence on their results.
pub(super) fn best_run<S: Send>(
    runs: usize,
    at_once: usize,
    watch: &Watch<'_>,
    run: impl Fn(usize) -> Result<Ended<S>, Error> + Send + Sync,
) -> Result<Ended<S>, Error> {
    let mut best: Option<Ended<S>> = None;
    let (mut distances, mut kernel_values) = (0, 0);
    let at_once = watch.at_once(at_once);
    // Runs go in groups: the results of all might not fit the memory if there are many.
    for first in (0..runs).step_by(at_once) {
        let numbers = first..runs.min(first.saturating_add(at_once));
        for ended in parallel::map_init(numbers.collect(), || (), |(), number| run(number)) {
            let ended = ended?;
            distances += ended.details.distances;
            kernel_values += ended.details.kernel_values;
            if best.as_ref().is_none_or(|best| ended.objective < best.objective) {
                best = Some(ended);
            }
        }
        if watch.is_stopped() {
            break;
        }
    }
    let mut best = best.ok_or(Error::Empty)?;
    (best.details.distances, best.details.kernel_values) = (distances, kernel_values);
    if watch.is_stopped() {
        best.status = Status::Stopped;
    }
    Ok(best)
}

/// The observer of all runs, which sees their iterations one run after the other, and may stop
/// them.
pub(super) struct Watch<'w> {
    seen: Mutex<Seen<'w>>,
    is_observed: bool,
}

struct Seen<'w> {
    observer: Option<&'w mut (dyn Observer + 'w)>,
    iterations: usize,
    total: usize,
    is_stopped: bool,
}

impl<'w> Watch<'w> {
    /// The observer of a fit with at most `total` iterations.
    pub(super) fn new(run: &'w mut Run<'_>, total: usize) -> Self {
        let observer = run.watcher();
        let is_observed = observer.is_some();
        let seen = Seen { observer, iterations: 0, total, is_stopped: false };
        Self { seen: Mutex::new(seen), is_observed }
    }

    /// The number of runs executed in parallel: one if they are observed.
    const fn at_once(&self, possible: usize) -> usize {
        if self.is_observed { 1 } else { possible }
    }

    /// True if the observer has stopped the runs.
    fn is_stopped(&self) -> bool {
        self.with(|seen| seen.is_stopped)
    }

    /// Reports the beginning of a run, with its first objective.
    pub(super) fn begin(&self, loss: f64) -> ControlFlow<()> {
        self.show(0, loss)
    }

    /// Reports an iteration.
    pub(super) fn step(&self, loss: f64) -> ControlFlow<()> {
        self.show(1, loss)
    }

    fn show(&self, iterations: usize, loss: f64) -> ControlFlow<()> {
        if !self.is_observed {
            return ControlFlow::Continue(());
        }
        self.with(|seen| {
            seen.iterations += iterations;
            let progress = Progress::new(seen.iterations, seen.total, loss);
            let flow = match &mut seen.observer {
                Some(observer) => observer.observe(&progress),
                None => ControlFlow::Continue(()),
            };
            seen.is_stopped |= flow.is_break();
            flow
        })
    }

    fn with<R>(&self, f: impl FnOnce(&mut Seen<'w>) -> R) -> R {
        // The state stays valid if the observer panics.
        f(&mut self.seen.lock().unwrap_or_else(PoisonError::into_inner))
    }
}
