//! Fitting: draw a batch, give it to the centres, move them.

use super::centre::{Centre, Window, diagonal, joined, nearest};
use crate::kmeans::fit::Gathered;
use crate::kmeans::kernel::{Columns, WeightedGram, width};
use crate::kmeans::limit::check_time_by_batches;
use crate::kmeans::params::{Rules, Runs, Seeding};
use crate::kmeans::restarts::{Ended, best_run, empty};
use crate::kmeans::seeding::{self, Start, draw};
use crate::kmeans::watch::Watch;
use crate::model::{Clusters, KernelExpansion};
use crate::{Error, KMeansDetails, Run, Status};
use kern_core::{Mercer, Points};
use kern_gram::{LazyGram, MemoryBudget, matrix_bytes};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

/// Streams of random numbers for batches begin here; those below are for seeds.
const BATCHES: u64 = 1 << 63;

/// The common part of all runs.
struct Batches<'a, P, K> {
    kernel: &'a K,
    points: &'a P,
    weights: &'a [f64],
    runs: &'a Runs,
    size: usize,
    rules: &'a Rules,
    watch: &'a Watch<'a>,
    left: MemoryBudget,
}

/// The centres of a run as they stand.
struct Moving<P: Points> {
    centres: Vec<Option<Centre<P>>>,
    windows: Vec<Option<Window>>,
}

/// The clusters by batches of this size. Of several runs, the one with the least objective of the last batches is kept.
pub(in crate::kmeans) fn divide<P: Points, K: Mercer<P> + Clone>(
    kernel: &K,
    given: &Gathered<'_, P>,
    (size, rules): (usize, &Rules),
    run: &mut Run<'_>,
) -> Result<Clusters<KernelExpansion<P, K>>, Error> {
    let Gathered { points, weights, runs } = given;
    let needed = bytes(*points, runs.clusters, size, rules.truncation);
    let instead = "smaller batches and shorter centres (truncation) take less";
    run.budget().require("batches, centres and columns", needed, instead)?;
    let left = MemoryBudget::bytes(run.budget().as_bytes() - needed);
    check_time_by_batches((run.predicted_limit(), &left), (kernel, *points), (runs, rules, size))?;
    let watch = &Watch::new(run, runs.most());
    let batches = Batches { kernel, points: *points, weights, runs, size, rules, watch, left };
    let best = best_run((runs.count(), 1), watch, |number| batches.run(number))?;
    batches.finish(best)
}

/// Four times k·τ and n numbers; of each point of a batch a copy and four numbers; the coefficients of the model.
fn bytes<P: Points>(points: &P, k: usize, batch: usize, truncation: usize) -> u64 {
    let (n, support) = (points.len(), k.saturating_mul(truncation));
    let copies = (points.bytes() / n.max(1) as u64).saturating_mul(batch as u64);
    [
        matrix_bytes::<f64>(support, 4),
        matrix_bytes::<P::Scalar>(n, 4),
        matrix_bytes::<f64>(batch, 4),
        copies,
        matrix_bytes::<P::Scalar>(support.min(n), k),
    ]
    .into_iter()
    .fold(0, u64::saturating_add)
}

impl<P: Points, K: Mercer<P> + Clone> Batches<'_, P, K> {
    /// Run number `number`.
    fn run(&self, number: usize) -> Result<Ended<Moving<P>>, Error> {
        let mut rng = ChaCha8Rng::seed_from_u64(self.runs.seed);
        rng.set_stream(BATCHES + number as u64);
        let (mut clusters, mut details) = self.start(number, &mut rng)?;
        let mut own = Vec::new();
        let status = loop {
            if self.settled(&details.batch_objectives, &own) {
                break Status::Converged;
            }
            if own.len() >= self.runs.max_iterations {
                break Status::IterationsDone;
            }
            own.push(self.iterate(&mut clusters, &mut details, &mut rng)?);
            let loss = details.batch_objectives.last().copied().unwrap_or(f64::INFINITY);
            if self.watch.step(loss).is_break() {
                break Status::Stopped;
            }
        };
        let objective = last(&details.batch_objectives, self.rules.patience);
        Ok(Ended { clusters, status, iterations: own.len(), objective, details })
    }

    /// The centres that a run starts from: a seed each, or some points of each label.
    fn start(
        &self,
        number: usize,
        rng: &mut ChaCha8Rng,
    ) -> Result<(Moving<P>, KMeansDetails), Error> {
        let gram = LazyGram::new(self.kernel, self.points)?;
        let columns = Columns::new(&gram, width::<P::Scalar>(self.points.len(), &self.left));
        let gram = WeightedGram::new(&columns, self.weights, self.runs.clusters)?;
        let Start { seeds, labels } = seeding::start(&gram, self.runs, number)?;
        let window = |c: usize| -> Option<Window> {
            if !matches!(self.runs.seeding, Seeding::Labels(_)) {
                return seeds.get(c).map(|&seed| Window::mean(vec![seed]));
            }
            let pairs = labels.iter().zip(self.weights);
            let mass =
                pairs.map(|(&label, weight)| if label as usize == c { *weight } else { 0.0 });
            let points = draw(&mass.collect::<Vec<f64>>(), self.rules.truncation, rng);
            (!points.is_empty()).then(|| Window::mean(points))
        };
        let windows: Vec<_> = (0..self.runs.clusters).map(window).collect();
        let centre = |window: &Option<Window>| window.as_ref().map(|w| self.centre(w)).transpose();
        let centres = windows.iter().map(centre).collect::<Result<_, _>>()?;
        let kernel_values = columns.copied();
        let details =
            KMeansDetails { run: number, seeds, kernel_values, ..KMeansDetails::default() };
        Ok((Moving { centres, windows }, details))
    }

    fn centre(&self, window: &Window) -> Result<Centre<P>, Error> {
        Centre::new(self.kernel, self.points, window)
    }

    /// One batch. The mean of its K(x, x).
    fn iterate(
        &self,
        clusters: &mut Moving<P>,
        details: &mut KMeansDetails,
        rng: &mut ChaCha8Rng,
    ) -> Result<f64, Error> {
        let batch = draw(self.weights, self.size, rng);
        let (count, points) = (batch.len() as f64, self.points.select(&batch)?);
        let own = diagonal(self.kernel, &points)?;
        let (labels, near) = nearest(self.kernel, &clusters.centres, &points)?;
        let squared = own.iter().zip(&near).map(|(own, near)| (own + near).max(0.0));
        details.batch_objectives.push(squared.sum::<f64>() / count);
        details.kernel_values += evaluations(&clusters.windows, batch.len());
        let pairs = clusters.windows.iter_mut().zip(&mut clusters.centres);
        for (c, (window, centre)) in pairs.enumerate() {
            let pairs = batch.iter().zip(&labels).filter(|&(_, &label)| label == c);
            let members: Vec<usize> = pairs.map(|(&i, _)| i).collect();
            let Some(window) = window.as_mut().filter(|_| !members.is_empty()) else { continue };
            let rate = (members.len() as f64 / count).sqrt();
            window.step(&members, rate, self.rules.truncation);
            *centre = Some(self.centre(window)?);
            details.kernel_values += (window.len() as u64).saturating_pow(2);
        }
        Ok(own.iter().sum::<f64>() / count)
    }

    /// Tells whether the last batches cost no less than those before, up to the tolerance relative to these means of
    /// K(x, x).
    fn settled(&self, objectives: &[f64], own: &[f64]) -> bool {
        let patience = self.rules.patience;
        let Some(first) = objectives.len().checked_sub(patience.saturating_mul(2)) else {
            return false;
        };
        let (before, last) = objectives[first..].split_at(patience);
        let scale: f64 = own[first..].iter().sum::<f64>() / 2.0;
        let decrease = before.iter().sum::<f64>() - last.iter().sum::<f64>();
        decrease <= self.rules.progress * scale
    }

    /// Gives every point to its centre.
    fn finish(&self, mut best: Ended<Moving<P>>) -> Result<Clusters<KernelExpansion<P, K>>, Error> {
        let Moving { centres, windows } = &best.clusters;
        let (labels, near) = nearest(self.kernel, centres, self.points)?;
        let own = diagonal(self.kernel, self.points)?;
        let squared = own.iter().zip(&near).map(|(own, near)| (own + near).max(0.0));
        let weighted = squared.zip(self.weights).filter(|&(_, &weight)| weight > 0.0);
        best.objective = weighted.map(|(squared, weight)| weight * squared).sum();
        best.details.kernel_values += evaluations(windows, self.points.len());
        best.details.empty = empty(labels.iter().copied(), self.weights, centres.len());
        let norms = centres.iter().map(|centre| centre.as_ref().map_or(0.0, Centre::norm));
        let kernel = (self.kernel.clone(), self.points);
        let centres = joined(kernel, windows, norms.collect())?;
        Ok(Clusters::new(centres, labels, best.reported().1))
    }
}

/// The mean objective of the last batches, at most so many; infinite if there is none.
fn last(objectives: &[f64], count: usize) -> f64 {
    let last = &objectives[objectives.len().saturating_sub(count)..];
    if last.is_empty() { f64::INFINITY } else { last.iter().sum::<f64>() / last.len() as f64 }
}

/// Kernel values between so many points and those of all centres.
fn evaluations(windows: &[Option<Window>], points: usize) -> u64 {
    let sizes = windows.iter().flatten().map(|window| window.len() as u64);
    sizes.sum::<u64>().saturating_mul(points as u64)
}
