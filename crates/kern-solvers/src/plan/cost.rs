//! What each way costs, as the engine of SGD runs it.

use super::{Machine, Prediction, Rates, Task, Term, Way, Work};

/// The prediction for a way, before the memory budget is looked at; none if the task lacks its features.
pub(super) fn predict(way: Way, task: &Task, machine: &Machine) -> Option<Prediction> {
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
    task: &'a Task,
    machine: &'a Machine,
    rates: &'a Rates,
}

impl Cost<'_> {
    fn features_on_the_fly(&self, features: Features) -> (Vec<Term>, u64) {
        let (dim, block) = (features.0, self.block(features.0));
        let per_point = self.per_point(features);
        let threads = self.machine.threads as f64;
        let terms = vec![
            // On one thread, the one that makes the steps.
            term(Work::Features, self.steps() * per_point * threads),
            term(Work::Blocks, (self.steps() / block as f64).ceil() * self.machine.block),
            term(Work::Steps, self.updates(self.bytes(dim, block), dim)),
            term(Work::Objective, self.points() * per_point),
        ];
        (terms, self.bytes(dim, block.saturating_add(self.task.outputs)))
    }

    fn features_cached(&self, features: Features) -> (Vec<Term>, u64) {
        let (n, dim) = (self.task.points, features.0);
        let per_point = self.per_point(features);
        let terms = vec![
            term(Work::Features, self.points() * per_point),
            term(Work::Memory, self.points() * dim as f64 * self.rates.fresh),
            term(Work::Steps, self.updates(self.bytes(dim, n), dim)),
            term(Work::Objective, self.points() * per_point),
        ];
        (terms, self.bytes(dim, n.saturating_add(self.task.outputs)))
    }

    fn kernel_on_the_fly(&self) -> (Vec<Term>, u64) {
        let (n, block) = (self.task.points, self.block(self.task.points));
        let value = self.kernel_value();
        let objective = self.points() * self.points() / 2.0 * value;
        let terms = vec![
            term(Work::KernelValues, self.binding() + self.steps() * self.points() * value),
            term(Work::Blocks, (self.steps() / block as f64).ceil() * self.machine.block),
            term(Work::Products, self.dots(self.bytes(n, block))),
            term(Work::Steps, self.steps() * self.machine.step),
            term(Work::Objective, objective),
        ];
        (terms, self.bytes(n, block.saturating_add(self.task.outputs)))
    }

    fn gram_cached(&self) -> (Vec<Term>, u64) {
        let n = self.task.points;
        let entries = self.points() * self.points();
        let values = self.binding() + entries / 2.0 * self.kernel_value();
        let terms = vec![
            term(Work::KernelValues, values),
            term(Work::Memory, entries * self.rates.entry),
            term(Work::Products, self.dots(self.bytes(n, n))),
            term(Work::Steps, self.steps() * self.machine.step),
        ];
        (terms, self.bytes(n, n.saturating_add(self.task.outputs)))
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

    /// Samples that the engine looks ahead at.
    fn block(&self, column: usize) -> usize {
        crate::sgd::block_size(column, self.task.precision.bytes() as usize)
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
        let (update, dot) =
            (self.rates.update.seconds(bytes, dim), self.rates.dot.seconds(bytes, dim));
        // A step of zero is a dot product only.
        let share = self.task.active_share;
        let seconds = share * update + (1.0 - share) * dot;
        self.steps() * (self.machine.step + self.outputs() * seconds)
    }

    /// All dot products in u-space, with columns of a matrix of so many bytes.
    fn dots(&self, bytes: u64) -> f64 {
        self.steps() * self.outputs() * self.rates.dot.seconds(bytes, self.task.points)
    }
}
