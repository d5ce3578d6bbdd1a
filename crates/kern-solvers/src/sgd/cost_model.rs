//! The cost model of SGD: the work of each algorithm, measured overheads, and the limits of a run.
//!
//! Predicts the seconds and bytes of each algorithm. The storage is chosen by them, and a fit
//! predicted to exceed its time limit fails immediately.

use super::gradient_step::block_size;
use super::regularised_risk::Descent;
use super::stochastic_gradient_descent::Storage;
use super::u_space::{STORED_BLOCK, computed_block};
use super::{Sgd, SgdTask};
use crate::plan::{
    Algorithm, Limits, Machine, Machines, Precision, Prediction, Rates, SLOWEST, Term, Work,
    measured, refuse_beyond, remembered,
};
use crate::{Data, Error, Learner, Run};
use kern_approx::machine::{KernelSeconds, REPEATS, samples};
use kern_core::kernels::Rbf;
use kern_core::{FeatureMap, Identity, Points, Scalar};
use kern_gram::numerics::stopwatch::fastest;
use kern_gram::{MemoryBudget, matrix_bytes};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// Number of steps of the fits whose overhead is measured.
const STEPS: usize = 1 << 13;

/// Machines that were measured, with the overheads of SGD.
static MACHINES: Machines = Mutex::new(BTreeMap::new());

/// Vectors with an entry per point and output that SGD keeps: coefficients and their average,
/// margins, saved copies, and sums of changes.
const VECTORS: usize = 6;

/// The prediction for an algorithm, before the memory budget is considered; `None` if the task
/// lacks the features for it.
pub(super) fn predict(
    algorithm: Algorithm,
    task: &SgdTask,
    machine: &Machine,
) -> Option<Prediction> {
    let cost = Cost { task, machine, rates: machine.rates(task.precision) };
    let exact = task.exact.map(|count| Features { count, seconds: task.exact_seconds });
    let approximate =
        task.approximate.map(|count| Features { count, seconds: task.approximate_seconds });
    let (mut terms, bytes) = match algorithm {
        Algorithm::FeaturesOnTheFly => cost.features_on_the_fly(exact?),
        Algorithm::FeaturesCached => cost.features_cached(exact?),
        Algorithm::KernelOnTheFly => cost.kernel_on_the_fly(),
        Algorithm::GramCached => cost.gram_cached(),
        Algorithm::ApproximateOnTheFly => cost.features_on_the_fly(approximate?),
        Algorithm::ApproximateCached => cost.features_cached(approximate?),
        Algorithm::Landmarks => cost.landmarks(task.landmarks?),
        _ => return None,
    };
    terms.push(term(Work::Start, machine.fit));
    Some(Prediction { algorithm, terms, bytes, fits: true })
}

fn term(work: Work, seconds: f64) -> Term {
    Term { work, seconds }
}

/// The number of features, and the seconds for the features of one point if they were measured.
#[derive(Clone, Copy)]
struct Features {
    count: usize,
    seconds: Option<f64>,
}

struct Cost<'a> {
    task: &'a SgdTask,
    machine: &'a Machine,
    rates: &'a Rates,
}

impl Cost<'_> {
    /// The features of each block of samples in parallel, then the steps on them on one thread.
    fn features_on_the_fly(&self, features: Features) -> (Vec<Term>, u64) {
        let (dim, block) = (features.count, self.feature_block(features.count));
        let per_point = self.per_point(features);
        let terms = vec![
            term(Work::Features, self.steps() * per_point),
            term(Work::Blocks, self.blocks(block) * self.machine.feature_block),
            term(Work::Steps, self.updates(self.bytes(dim, block), dim)),
            term(Work::Objective, self.points() * (per_point + self.machine.step)),
        ];
        (terms, self.bytes(dim, block.saturating_add(self.task.outputs)))
    }

    /// The features of all points in parallel, then the steps on them on one thread.
    fn features_cached(&self, features: Features) -> (Vec<Term>, u64) {
        let (n, dim) = (self.task.points, features.count);
        let per_point = self.per_point(features);
        let terms = vec![
            term(Work::Features, self.points() * per_point),
            term(Work::Memory, self.points() * dim as f64 * self.rates.fresh),
            term(Work::Steps, self.updates(self.bytes(dim, n), dim)),
            term(Work::Objective, self.points() * (per_point + self.machine.step)),
        ];
        (terms, self.bytes(dim, n.saturating_add(self.task.outputs)))
    }

    /// Landmarks by random pivots, and the features of all points: kernel values with the
    /// landmarks, times the root of the landmarks' Gram matrix.
    fn landmarks(&self, count: usize) -> (Vec<Term>, u64) {
        let m = count as f64;
        let per_point = m * self.kernel_value() + m * m * self.rates.flop;
        let (mut terms, bytes) = self.features_cached(Features { count, seconds: Some(per_point) });
        terms.insert(0, term(Work::Factors, self.points() * per_point));
        // The factor that chooses the landmarks is as large as the features.
        (terms, bytes.saturating_mul(2))
    }

    /// For each block of samples the kernel values among them, on one thread if they form one tile,
    /// and those of the active samples with all points, in parallel.
    fn kernel_on_the_fly(&self) -> (Vec<Term>, u64) {
        let block = computed_block(self.task.points);
        let among = match self.task.kernel {
            // Kernels that are bound to the points compute whole columns.
            Some(KernelSeconds { bound: true, .. }) => self.points(),
            _ => block as f64 * self.machine.threads as f64,
        };
        let values = self.steps() * (self.active() * self.points() + among);
        let pairs = self.bytes(block, block);
        let terms = vec![
            term(Work::KernelValues, self.binding() + values * self.kernel_value()),
            term(Work::Blocks, self.blocks(block) * self.machine.kernel_block),
            term(Work::Steps, self.corrections(pairs, block)),
            term(Work::Objective, self.points() * self.machine.step),
        ];
        (terms, pairs.saturating_add(self.vectors()))
    }

    /// The Gram matrix in parallel; then for each block of samples the columns of the active
    /// samples.
    fn gram_cached(&self) -> (Vec<Term>, u64) {
        let n = self.task.points;
        let (entries, gram) = (self.points() * self.points(), self.bytes(n, n));
        let values = self.binding() + entries / 2.0 * self.kernel_value();
        let numbers = self.active() * STORED_BLOCK as f64 * self.points();
        let product = self.rates.columns.seconds(gram, numbers);
        let terms = vec![
            term(Work::KernelValues, values),
            term(Work::Memory, entries * self.rates.entry),
            term(Work::Products, self.blocks(STORED_BLOCK) * self.outputs() * product),
            term(Work::Steps, self.corrections(gram, STORED_BLOCK)),
            term(Work::Objective, self.points() * self.machine.step),
        ];
        (terms, gram.saturating_add(self.vectors()))
    }

    fn points(&self) -> f64 {
        self.task.points as f64
    }

    fn steps(&self) -> f64 {
        self.task.steps as f64
    }

    fn outputs(&self) -> f64 {
        self.task.outputs as f64
    }

    /// Bytes of a matrix of this shape.
    fn bytes(&self, rows: usize, columns: usize) -> u64 {
        let numbers = (rows as u64).saturating_mul(columns as u64);
        numbers.saturating_mul(self.task.precision.bytes())
    }

    /// Bytes of coefficients and margins in double precision, and of their change.
    fn vectors(&self) -> u64 {
        let numbers = (self.task.points as u64).saturating_mul(self.task.outputs as u64);
        numbers.saturating_mul(16 + self.task.precision.bytes())
    }

    /// Number of samples whose features are computed together.
    fn feature_block(&self, dim: usize) -> usize {
        match self.task.precision {
            Precision::Single => block_size::<f32>(dim),
            Precision::Double => block_size::<f64>(dim),
        }
    }

    /// The number of blocks of `samples` samples.
    fn blocks(&self, samples: usize) -> f64 {
        (self.steps() / samples as f64).ceil()
    }

    /// The fraction of steps that change the iterate.
    fn active(&self) -> f64 {
        self.task.active_fraction
    }

    /// Seconds for the features of one point, on all threads.
    fn per_point(&self, Features { count, seconds }: Features) -> f64 {
        seconds.unwrap_or_else(|| count as f64 * self.rates.feature.at(self.task.dim as f64))
    }

    fn kernel_value(&self) -> f64 {
        let constants = || self.rates.kernel_value.at(self.task.dim as f64);
        self.task.kernel.map_or_else(constants, |kernel| kernel.per_value)
    }

    fn binding(&self) -> f64 {
        self.task.kernel.map_or(0.0, |kernel| self.points() * kernel.per_point)
    }

    /// Seconds for all steps in w-space, on columns of a matrix of `bytes` bytes.
    fn updates(&self, bytes: u64, dim: usize) -> f64 {
        let (update, dot) = (
            self.rates.update.seconds(bytes, dim as f64),
            self.rates.dot.seconds(bytes, dim as f64),
        );
        // A step of length zero costs only the dot product.
        let share = self.active();
        let seconds = share * update + (1.0 - share) * dot;
        self.steps() * (self.machine.step + self.outputs() * seconds)
    }

    /// Seconds for all steps in u-space: an active sample corrects the margins of half a block of
    /// later samples, on average.
    fn corrections(&self, bytes: u64, block: usize) -> f64 {
        let pairs = self.active() * (block as f64 - 1.0) / 2.0 * self.outputs();
        self.steps() * (self.machine.step + self.rates.pair.seconds(bytes, pairs))
    }
}

impl<T: Scalar> Descent<'_, T> {
    /// The storage; for [`Storage::Auto`] that of the faster of two algorithms, by counted work.
    pub(super) fn storage(
        &self,
        task: &SgdTask,
        cached: Algorithm,
        on_the_fly: Algorithm,
        budget: &MemoryBudget,
    ) -> Result<Storage, Error> {
        if self.storage != Storage::Auto {
            return Ok(self.storage);
        }
        let plan = task.plan(budget, &Machine::NOMINAL)?;
        let faster = plan.is_faster(cached, on_the_fly);
        Ok(if faster { Storage::Cached } else { Storage::OnTheFly })
    }
}

/// A fit by one algorithm, to be compared with the time limit.
pub(super) struct Effort<'e> {
    pub(super) task: SgdTask,
    pub(super) algorithm: Algorithm,
    /// Algorithms that the error suggests if they fit the memory and are faster.
    pub(super) others: &'e [Algorithm],
    /// An upper bound on the seconds per kernel value, or 0.
    pub(super) upper: f64,
}

impl Effort<'_> {
    /// Returns an error if the algorithm is predicted to take longer than the limit. Kernel and
    /// features are measured only if a coarse prediction comes near the limit.
    pub(super) fn check(
        &self,
        limit: Option<Duration>,
        budget: &MemoryBudget,
        measure: impl FnOnce(SgdTask) -> Result<SgdTask, Error>,
    ) -> Result<(), Error> {
        let seconds = |prediction: Option<Prediction>| prediction.map_or(0.0, |p| p.seconds());
        let coarse = || {
            let nominal = Machine::NOMINAL.double.kernel_value.at(0.0);
            let task = self.task.kernel_seconds(nominal.max(self.upper / SLOWEST));
            SLOWEST * seconds(predict(self.algorithm, &task, &Machine::NOMINAL))
        };
        let careful = || {
            let (task, machine) = (measure(self.task)?, measured(budget, Machine::current)?);
            let others = self.others.iter().filter(|&&other| other != self.algorithm);
            let others = others.filter_map(|&other| predict(other, &task, &machine));
            let fitting = others.filter(|other| budget.fits(other.bytes()));
            let named = fitting.map(|other| (other.algorithm().to_string(), other)).collect();
            Ok((seconds(predict(self.algorithm, &task, &machine)), named))
        };
        refuse_beyond(limit, coarse, careful)
    }
}

/// Returns an error if the work of another learner on features is predicted to exceed the time
/// limit: `samples` visits, each of which evaluates `functions` functions.
pub(crate) fn check_features<P: Points, M: FeatureMap<P>>(
    map: &M,
    points: &P,
    samples: usize,
    functions: usize,
    algorithm: Algorithm,
    limits: Limits<'_>,
) -> Result<(), Error> {
    if points.is_empty() || map.dim() == 0 {
        return Ok(());
    }
    let task = SgdTask::new(points.len(), 1, samples.max(1)).outputs(functions.max(1));
    let task = task.precision(Precision::of::<P::Scalar>()).exact_features(map.dim());
    let (limit, budget) = limits;
    Effort { task, algorithm, others: &[], upper: 0.0 }
        .check(limit, budget, |task| task.measure_exact(map, points))
}

/// The part of a budget that remains for columns or features after the [`VECTORS`]; at least one
/// column.
pub(super) fn beside_vectors(budget: &MemoryBudget, n: usize, outputs: usize) -> MemoryBudget {
    let column = matrix_bytes::<f64>(n, 1).min(budget.as_bytes());
    let vectors = matrix_bytes::<f64>(n, outputs.saturating_mul(VECTORS));
    MemoryBudget::bytes(budget.as_bytes().saturating_sub(vectors).max(column))
}

impl Machine {
    /// Measures this machine with the current rayon pool, in less than a second, by the
    /// library's own loops and by SGD on tiny problems.
    ///
    /// Other processes disturb the measurement, so each value is the smallest of a few.
    ///
    /// # Errors
    /// [`Error::Core`] if 300 MiB of memory cannot be allocated.
    ///
    /// # Examples
    /// ```
    /// use kern_solvers::plan::Machine;
    /// assert!(Machine::calibrate()?.double.kernel_value.at(10.0) > 0.0);
    /// # Ok::<(), kern_solvers::Error>(())
    /// ```
    pub fn calibrate() -> Result<Self, Error> {
        let mut machine = Self::calibrate_bare()?;
        overheads(&mut machine)?;
        Ok(machine)
    }

    /// Runs [`calibrate`](Machine::calibrate) once per process and number of threads of the current
    /// rayon pool; later calls return the cached result.
    ///
    /// This is the only state that the library keeps between calls. No result depends on it:
    /// automatic choices of a fit use [`Machine::NOMINAL`].
    ///
    /// # Errors
    /// As [`calibrate`](Machine::calibrate).
    pub fn current() -> Result<Arc<Self>, Error> {
        remembered(&MACHINES, || {
            let mut machine = *Self::bare()?;
            overheads(&mut machine)?;
            Ok(machine)
        })
    }
}

/// Measures the fixed overheads of a fit, a step and a block, by SGD with one feature and with a
/// kernel.
fn overheads(machine: &mut Machine) -> Result<(), Error> {
    /// Number of points: several tiles, so that all threads take part.
    const POINTS: usize = 512;
    let x = samples::<f64>(POINTS, 1)?;
    let labels: Vec<bool> = (0..x.len()).map(|i| i % 2 == 0).collect();
    // Querying the free memory takes longer than a small fit.
    let run = || Run::new().memory(MemoryBudget::bytes(u64::MAX));
    let data = Data::new(&x, &labels)?;
    let w_space = |storage, steps| {
        let sgd = Sgd::on_features(Identity::new(1)).storage(storage).iterations(steps);
        fastest(REPEATS, || sgd.learn(&data, &mut run()))
    };
    let u_space = |steps| {
        let sgd = Sgd::on_kernel(Rbf::new(1.0)?).storage(Storage::OnTheFly).iterations(steps);
        fastest(REPEATS, || sgd.learn(&data, &mut run()))
    };
    let (all, update) = (STEPS as f64, machine.double.update.seconds(0, 1.0));
    let nothing = w_space(Storage::Cached, 1)?;
    let cached = w_space(Storage::Cached, STEPS)? - nothing;
    machine.step = (cached / all - update).max(0.0);
    machine.fit = (nothing - POINTS as f64 * machine.step).max(0.0);
    let fly = w_space(Storage::OnTheFly, STEPS)? - nothing;
    let blocks = all / block_size::<f64>(1) as f64;
    machine.feature_block = ((fly - cached) / blocks).max(0.0);
    let task = SgdTask::new(POINTS, 1, STEPS / 2);
    let predicted = predict(Algorithm::KernelOnTheFly, &task, machine);
    let rest = u_space(STEPS / 2)? - predicted.map_or(0.0, |prediction| prediction.seconds());
    let blocks = all / 2.0 / computed_block(POINTS) as f64;
    machine.kernel_block = (rest / blocks).max(0.0);
    Ok(())
}
