//! The cost of each way, as the engine of SGD runs it.

use super::SgdTask;
use crate::plan::{Machine, Precision, Prediction, Rates, Term, Way, Work};
use crate::sgd::iterate::block_size;
use crate::sgd::u_space::{STORED_BLOCK, computed_block};
use kern_approx::machine::KernelSeconds;

/// The prediction for a way, before the memory budget is looked at; none if the task lacks its features.
pub(in crate::sgd) fn predict(way: Way, task: &SgdTask, machine: &Machine) -> Option<Prediction> {
    let cost = Cost { task, machine, rates: machine.rates(task.precision) };
    let exact = task.exact.map(|count| (count, task.exact_seconds));
    let approximate = task.approximate.map(|count| (count, task.approximate_seconds));
    let (mut terms, bytes) = match way {
        Way::FeaturesOnTheFly => cost.features_on_the_fly(exact?),
        Way::FeaturesCached => cost.features_cached(exact?),
        Way::KernelOnTheFly => cost.kernel_on_the_fly(),
        Way::GramCached => cost.gram_cached(),
        Way::ApproximateOnTheFly => cost.features_on_the_fly(approximate?),
        Way::ApproximateCached => cost.features_cached(approximate?),
        Way::Landmarks => cost.landmarks(task.landmarks?),
        _ => return None,
    };
    terms.push(term(Work::Start, machine.fit));
    Some(Prediction { way, terms, bytes, fits: true })
}

fn term(work: Work, seconds: f64) -> Term {
    Term { work, seconds }
}

/// The number of features, and what a point's take if that was measured.
type Features = (usize, Option<f64>);

struct Cost<'a> {
    task: &'a SgdTask,
    machine: &'a Machine,
    rates: &'a Rates,
}

impl Cost<'_> {
    /// Features of a block of samples in parallel, then the steps on them, on one thread.
    fn features_on_the_fly(&self, features: Features) -> (Vec<Term>, u64) {
        let (dim, block) = (features.0, self.feature_block(features.0));
        let per_point = self.per_point(features);
        let terms = vec![
            term(Work::Features, self.steps() * per_point),
            term(Work::Blocks, self.blocks(block) * self.machine.feature_block),
            term(Work::Steps, self.updates(self.bytes(dim, block), dim)),
            term(Work::Objective, self.points() * (per_point + self.machine.step)),
        ];
        (terms, self.bytes(dim, block.saturating_add(self.task.outputs)))
    }

    /// Features of all points in parallel, then the steps on them, on one thread.
    fn features_cached(&self, features: Features) -> (Vec<Term>, u64) {
        let (n, dim) = (self.task.points, features.0);
        let per_point = self.per_point(features);
        let terms = vec![
            term(Work::Features, self.points() * per_point),
            term(Work::Memory, self.points() * dim as f64 * self.rates.fresh),
            term(Work::Steps, self.updates(self.bytes(dim, n), dim)),
            term(Work::Objective, self.points() * (per_point + self.machine.step)),
        ];
        (terms, self.bytes(dim, n.saturating_add(self.task.outputs)))
    }

    /// Landmarks by random pivots, and the features of all points: kernel values with the landmarks and the product with
    /// their root.
    fn landmarks(&self, count: usize) -> (Vec<Term>, u64) {
        let m = count as f64;
        let per_point = m * self.kernel_value() + m * m * self.rates.flop;
        let (mut terms, bytes) = self.features_cached((count, Some(per_point)));
        terms.insert(0, term(Work::Factors, self.points() * per_point));
        // The factor of the choice is as large as the features.
        (terms, bytes.saturating_mul(2))
    }

    /// For each block of samples the kernel values between them, on one thread if they are a tile, and
    /// those of the active ones with all points, in parallel.
    fn kernel_on_the_fly(&self) -> (Vec<Term>, u64) {
        let block = computed_block(self.task.points);
        let among = match self.task.kernel {
            // Of kernels that are bound to the points whole columns are computed.
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

    /// The Gram matrix in parallel; then for each block of samples the columns of the active ones.
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

    /// Bytes of `columns` columns of `rows` numbers.
    fn bytes(&self, rows: usize, columns: usize) -> u64 {
        let numbers = (rows as u64).saturating_mul(columns as u64);
        numbers.saturating_mul(self.task.precision.bytes())
    }

    /// Coefficients and margins in double precision, and their change.
    fn vectors(&self) -> u64 {
        let numbers = (self.task.points as u64).saturating_mul(self.task.outputs as u64);
        numbers.saturating_mul(16 + self.task.precision.bytes())
    }

    /// Samples whose features are computed together.
    fn feature_block(&self, dim: usize) -> usize {
        match self.task.precision {
            Precision::Single => block_size::<f32>(dim),
            Precision::Double => block_size::<f64>(dim),
        }
    }

    /// The number of blocks of so many samples.
    fn blocks(&self, samples: usize) -> f64 {
        (self.steps() / samples as f64).ceil()
    }

    /// The share of steps that change something.
    fn active(&self) -> f64 {
        self.task.active_share
    }

    /// Seconds for the features of one point, on all threads.
    fn per_point(&self, (count, measured): Features) -> f64 {
        measured.unwrap_or_else(|| count as f64 * self.rates.feature.at(self.task.dim as f64))
    }

    fn kernel_value(&self) -> f64 {
        let constants = || self.rates.kernel_value.at(self.task.dim as f64);
        self.task.kernel.map_or_else(constants, |kernel| kernel.per_value)
    }

    fn binding(&self) -> f64 {
        self.task.kernel.map_or(0.0, |kernel| self.points() * kernel.per_point)
    }

    /// All steps in w-space, with columns of a matrix of so many bytes.
    fn updates(&self, bytes: u64, dim: usize) -> f64 {
        let (update, dot) = (
            self.rates.update.seconds(bytes, dim as f64),
            self.rates.dot.seconds(bytes, dim as f64),
        );
        // A step of zero is a dot product only.
        let share = self.active();
        let seconds = share * update + (1.0 - share) * dot;
        self.steps() * (self.machine.step + self.outputs() * seconds)
    }

    /// All steps in u-space: half a block of later samples, on average, get to know of an active one.
    fn corrections(&self, bytes: u64, block: usize) -> f64 {
        let pairs = self.active() * (block as f64 - 1.0) / 2.0 * self.outputs();
        self.steps() * (self.machine.step + self.rates.pair.seconds(bytes, pairs))
    }
}
