//! Fitting: draw a batch, give it to the centres, move them.

use super::centre::{Centre, Window, diagonal, nearest};
use super::model::{MiniBatchKMeansModel, MiniBatchReport};
use super::params::{MiniBatchKernelKMeans, Rules};
use crate::kmeans::columns::Columns;
use crate::kmeans::fit::width;
use crate::kmeans::params::{Seeding, Settings};
use crate::kmeans::problem::Problem;
use crate::kmeans::seeding::{self, Start, draw};
use crate::{Error, Status};
use kern_core::{Mercer, Points};
use kern_gram::{LazyGram, MemoryBudget, matrix_bytes, parallel};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

/// Streams of random numbers for batches begin here; those below are for seeds.
const BATCHES: u64 = 1 << 63;

/// What all runs have in common.
struct Task<'a, P, K> {
    kernel: &'a K,
    points: &'a P,
    weights: &'a [f64],
    settings: &'a Settings,
    rules: Rules,
}

/// Where a run has come to.
struct Run<P: Points> {
    centres: Vec<Option<Centre<P>>>,
    windows: Vec<Option<Window>>,
    report: MiniBatchReport,
}

impl<K> MiniBatchKernelKMeans<K> {
    /// Finds the clusters of the points. Of several runs, the one with the least objective of the last batches is kept.
    ///
    /// # Errors
    /// As [`KernelKMeans::fit`](crate::kmeans::KernelKMeans::fit), but for the budget: it must leave room for four times k·τ
    /// and n numbers; [`Error::Count`] for b, τ or the patience 0; [`Error::Core`] for a tolerance below 0.
    pub fn fit<P: Points>(self, points: &P) -> Result<MiniBatchKMeansModel<P, K>, Error>
    where
        K: Mercer<P>,
    {
        let (n, k) = (points.len(), self.settings.k);
        self.settings.check(n)?;
        self.rules.check()?;
        let budget = self.settings.budget.unwrap_or_default();
        let needed = matrix_bytes::<f64>(k.saturating_mul(self.rules.truncation), 4);
        let needed = needed.saturating_add(matrix_bytes::<P::Scalar>(n, 4));
        let instead = "shorter centres (truncation) take less";
        budget.require("centres and columns", needed, instead)?;
        let weights = self.settings.weights(n);
        let (centres, labels, report) = parallel::in_pool(|| {
            let (kernel, settings) = (&self.kernel, &self.settings);
            let task = Task { kernel, points, weights: &weights, settings, rules: self.rules };
            let mut best: Option<Run<P>> = None;
            let left = MemoryBudget::bytes(budget.as_bytes() - needed);
            let mut values = 0;
            for number in 0..settings.runs() {
                let run = task.run(number, &left)?;
                values += run.report.kernel_values;
                let last = |run: &Run<P>| run.report.last(task.rules.patience);
                if best.as_ref().is_none_or(|best| last(&run) < last(best)) {
                    best = Some(run);
                }
            }
            let mut run = best.ok_or(Error::Empty)?;
            run.report.kernel_values = values;
            task.finish(run)
        })?;
        Ok(MiniBatchKMeansModel::new(self.kernel, centres, labels, report))
    }
}

impl<P: Points, K: Mercer<P>> Task<'_, P, K> {
    /// Run number `number`.
    fn run(&self, number: usize, left: &MemoryBudget) -> Result<Run<P>, Error> {
        let mut rng = ChaCha8Rng::seed_from_u64(self.settings.seed);
        rng.set_stream(BATCHES + number as u64);
        let mut run = self.start(number, left, &mut rng)?;
        let mut own = Vec::new();
        run.report.status = loop {
            if self.settled(&run.report.batch_objectives, &own) {
                break Status::Converged;
            }
            if run.report.iterations >= self.settings.max_iterations {
                break Status::IterationsDone;
            }
            own.push(self.iterate(&mut run, &mut rng)?);
        };
        Ok(run)
    }

    /// The centres that a run starts from: a seed each, or some points of each label.
    fn start(
        &self,
        number: usize,
        left: &MemoryBudget,
        rng: &mut ChaCha8Rng,
    ) -> Result<Run<P>, Error> {
        let gram = LazyGram::new(self.kernel, self.points)?;
        let columns = Columns::new(&gram, width::<P::Scalar>(self.points.len(), left));
        let problem = Problem::new(&columns, self.weights, self.settings.k)?;
        let Start { seeds, labels } = seeding::start(&problem, self.settings, number)?;
        let window = |c: usize| -> Option<Window> {
            if !matches!(self.settings.seeding, Seeding::Labels(_)) {
                return seeds.get(c).map(|&seed| Window::mean(vec![seed]));
            }
            let pairs = labels.iter().zip(self.weights);
            let mass =
                pairs.map(|(&label, weight)| if label as usize == c { *weight } else { 0.0 });
            let points = draw(&mass.collect::<Vec<f64>>(), self.rules.truncation, rng);
            (!points.is_empty()).then(|| Window::mean(points))
        };
        let windows: Vec<_> = (0..self.settings.k).map(window).collect();
        let centre = |window: &Option<Window>| window.as_ref().map(|w| self.centre(w)).transpose();
        let centres = windows.iter().map(centre).collect::<Result<_, _>>()?;
        let mut report = MiniBatchReport::new(number, seeds);
        report.kernel_values = columns.copied();
        Ok(Run { centres, windows, report })
    }

    fn centre(&self, window: &Window) -> Result<Centre<P>, Error> {
        Centre::new(self.kernel, self.points, window)
    }

    /// One batch. The mean of its K(x, x).
    fn iterate(&self, run: &mut Run<P>, rng: &mut ChaCha8Rng) -> Result<f64, Error> {
        let batch = draw(self.weights, self.rules.batch_size, rng);
        let (count, points) = (batch.len() as f64, self.points.select(&batch)?);
        let own = diagonal(self.kernel, &points)?;
        let (labels, near) = nearest(self.kernel, &run.centres, &points)?;
        let squared = own.iter().zip(&near).map(|(own, near)| (own + near).max(0.0));
        run.report.batch_objectives.push(squared.sum::<f64>() / count);
        run.report.iterations += 1;
        run.report.kernel_values += evaluations(&run.windows, batch.len());
        let pairs = run.windows.iter_mut().zip(&mut run.centres);
        for (c, (window, centre)) in pairs.enumerate() {
            let pairs = batch.iter().zip(&labels).filter(|&(_, &label)| label == c);
            let members: Vec<usize> = pairs.map(|(&i, _)| i).collect();
            let Some(window) = window.as_mut().filter(|_| !members.is_empty()) else { continue };
            let rate = (members.len() as f64 / count).sqrt();
            window.step(&members, rate, self.rules.truncation);
            *centre = Some(self.centre(window)?);
            run.report.kernel_values += (window.len() as u64).saturating_pow(2);
        }
        Ok(own.iter().sum::<f64>() / count)
    }

    /// Whether the last batches cost no less than those before, up to the tolerance relative to these means of K(x, x).
    fn settled(&self, objectives: &[f64], own: &[f64]) -> bool {
        let patience = self.rules.patience;
        let Some(first) = objectives.len().checked_sub(patience.saturating_mul(2)) else {
            return false;
        };
        let (before, last) = objectives[first..].split_at(patience);
        let scale: f64 = own[first..].iter().sum::<f64>() / 2.0;
        let decrease = before.iter().sum::<f64>() - last.iter().sum::<f64>();
        decrease <= self.rules.tolerance * scale
    }

    /// Gives every point to its centre.
    #[expect(clippy::type_complexity, reason = "the parts of a model")]
    fn finish(
        &self,
        run: Run<P>,
    ) -> Result<(Vec<Option<Centre<P>>>, Vec<usize>, MiniBatchReport), Error> {
        let Run { centres, windows, mut report } = run;
        let (labels, near) = nearest(self.kernel, &centres, self.points)?;
        let own = diagonal(self.kernel, self.points)?;
        let squared = own.iter().zip(&near).map(|(own, near)| (own + near).max(0.0));
        let weighted = squared.zip(self.weights).filter(|&(_, &weight)| weight > 0.0);
        report.objective = weighted.map(|(squared, weight)| weight * squared).sum();
        report.kernel_values += evaluations(&windows, self.points.len());
        let mut filled = vec![false; centres.len()];
        let pairs = labels.iter().zip(self.weights).filter(|&(_, &weight)| weight > 0.0);
        pairs.for_each(|(&label, _)| filled[label] = true);
        report.empty = filled.iter().filter(|&&filled| !filled).count();
        Ok((centres, labels, report))
    }
}

/// Kernel values between so many points and those of all centres.
fn evaluations(windows: &[Option<Window>], points: usize) -> u64 {
    let sizes = windows.iter().flatten().map(|window| window.len() as u64);
    sizes.sum::<u64>().saturating_mul(points as u64)
}
