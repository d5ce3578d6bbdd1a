//! Mini-batch kernel k-means: draw a batch, assign it to the nearest centres, move these. A centre
//! is a weighted mean of a bounded number of points, the last ones assigned to it.

use super::k_means::{Gathered, Rules};
use super::kernel_k_means::width;
use super::lloyd::{empty, finite};
use super::plus_plus::{self, Nearest, Seeding, Start, draw};
use super::restarts::{Ended, Runs, Watch, best_run};
use super::weighted_gram::{Columns, WeightedGram};
use crate::model::{Centres, Clusters, KernelExpansion};
use crate::plan::{Algorithm, Count, Effort, Limits, Work, within};
use crate::{Error, KMeansDetails, Run, Status};
use faer::Mat;
use kern_core::{Kernel, Mercer, Points, Scalar};
use kern_gram::numerics::arithmetic::finite_diagonal;
use kern_gram::{CrossGram, GramOperator, LazyGram, MemoryBudget, matrix_bytes, zeros};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

/// The first random stream for batches; lower ones are for seeds.
const BATCHES: u64 = 1 << 63;

/// Clusters the points with mini-batches of this size. Of several runs, the one with the smallest
/// objective of the last batches is kept.
pub(super) fn divide<P: Points, K: Mercer<P> + Clone>(
    kernel: &K,
    given: &Gathered<'_, P>,
    size: usize,
    rules: &Rules,
    run: &mut Run<'_>,
) -> Result<Clusters<KernelExpansion<P, K>>, Error> {
    let Gathered { points, weights, runs } = given;
    let needed = bytes(*points, runs.clusters, size, rules.truncation);
    let instead = "smaller batches and shorter centres (truncation) take less";
    run.budget().require("batches, centres and columns", needed, instead)?;
    let left = MemoryBudget::bytes(run.budget().as_bytes() - needed);
    check_time_by_batches((run.predicted_limit(), &left), kernel, *points, runs, rules, size)?;
    let watch = &Watch::new(run, runs.most());
    let batches = Batches { kernel, points: *points, weights, runs, size, rules, watch, left };
    let best = best_run(runs.count(), 1, watch, |number| batches.run(number))?;
    batches.finish(best)
}

/// An error if runs with mini-batches are predicted to exceed the time limit: seeds, the fewest
/// iterations after which a run may converge, and labels.
fn check_time_by_batches<P, K>(
    limits: Limits<'_>,
    kernel: &K,
    points: &P,
    runs: &Runs,
    rules: &Rules,
    size: usize,
) -> Result<(), Error>
where
    P: Points,
    K: Kernel<P> + ?Sized,
{
    let (n, k, size) = (points.len() as f64, runs.clusters as f64, size as f64);
    let iterations = rules.patience.saturating_mul(2).min(runs.max_iterations) as f64;
    let seeds = n * k * runs.draws() as f64;
    // Centres grow by the points that they are given.
    let centre = (rules.truncation as f64).min(1.0 + iterations * size / k);
    let batches = iterations * size * k;
    let values = runs.count() as f64 * (seeds + batches) + n * k * centre;
    let parts = vec![(Work::KernelValues, Count::values(values))];
    within(limits, kernel, points, &[Effort::counted(Algorithm::KernelOnTheFly, parts)], &[])
}

/// Memory in bytes: four times k·τ and n values, a copy and four values for each point of a batch,
/// and the coefficients of the model.
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

/// The data and the settings common to all runs.
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

/// The current centres of a run.
struct Moving<P: Points> {
    centres: Vec<Option<Centre<P>>>,
    windows: Vec<Option<Window>>,
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

    /// The initial centres of a run: a seed each, or some points of each label.
    fn start(
        &self,
        number: usize,
        rng: &mut ChaCha8Rng,
    ) -> Result<(Moving<P>, KMeansDetails), Error> {
        let gram = LazyGram::new(self.kernel, self.points)?;
        let columns = Columns::new(&gram, width::<P::Scalar>(self.points.len(), &self.left));
        let gram = WeightedGram::new(&columns, self.weights, self.runs.clusters)?;
        let Start { seeds, labels } = plus_plus::start(&gram, self.runs, number)?;
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

    /// One iteration. Returns the mean of K(x, x) over its batch.
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

    /// True if the last batches cost no less than those before, up to the tolerance relative to
    /// `own`, the mean of K(x, x) over each batch.
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

    /// Assigns every point to the nearest centre, and builds the model.
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
        let kernel = self.kernel.clone();
        let centres = joined(kernel, self.points, windows, norms.collect())?;
        Ok(Clusters::new(centres, labels, best.reported().1))
    }
}

/// The mean objective of the last `count` batches, or of all if there are fewer; infinite without
/// any.
fn last(objectives: &[f64], count: usize) -> f64 {
    let last = &objectives[objectives.len().saturating_sub(count)..];
    if last.is_empty() { f64::INFINITY } else { last.iter().sum::<f64>() / last.len() as f64 }
}

/// The number of kernel values between `points` points and those of all centres.
fn evaluations(windows: &[Option<Window>], points: usize) -> u64 {
    let sizes = windows.iter().flatten().map(|window| window.len() as u64);
    sizes.sum::<u64>().saturating_mul(points as u64)
}

/// The points of a centre, the oldest first, and their weights, which sum to 1.
#[derive(Clone, Debug, PartialEq)]
struct Window {
    indices: Vec<usize>,
    weights: Vec<f64>,
}

impl Window {
    /// The mean of these points.
    fn mean(indices: Vec<usize>) -> Self {
        let weights = vec![1.0 / indices.len() as f64; indices.len()];
        Self { indices, weights }
    }

    fn len(&self) -> usize {
        self.indices.len()
    }

    /// Moves the centre to (1 − `rate`) times itself plus `rate` times the mean of the members, and
    /// keeps the last `truncation` points.
    fn step(&mut self, members: &[usize], rate: f64, truncation: usize) {
        self.weights.iter_mut().for_each(|weight| *weight *= 1.0 - rate);
        self.indices.extend_from_slice(members);
        self.weights.resize(self.indices.len(), rate / members.len() as f64);
        let oldest = self.indices.len().saturating_sub(truncation);
        self.indices.drain(..oldest);
        self.weights.drain(..oldest);
        let total: f64 = self.weights.iter().sum();
        self.weights.iter_mut().for_each(|weight| *weight /= total);
    }
}

/// A centre, with its norm, from which distances are computed.
struct Centre<P: Points> {
    points: P,
    /// A column.
    weights: Mat<P::Scalar>,
    /// ‖μ‖².
    norm: f64,
}

impl<P: Points> Centre<P> {
    fn new<K: Kernel<P>>(kernel: &K, points: &P, window: &Window) -> Result<Self, Error> {
        let points = points.select(&window.indices)?;
        let mut weights: Mat<P::Scalar> = zeros(window.len(), 1)?;
        let column = weights.col_as_slice_mut(0).iter_mut();
        column.zip(&window.weights).for_each(|(to, weight)| *to = P::Scalar::from_f64(*weight));
        let means = LazyGram::new(kernel, &points)?.apply(weights.as_ref())?;
        let pairs = weights.col_as_slice(0).iter().zip(means.col_as_slice(0));
        let norm = finite(pairs.map(|(weight, mean)| weight.to_f64() * mean.to_f64()).sum())?;
        Ok(Self { points, weights, norm })
    }

    /// ‖μ‖².
    const fn norm(&self) -> f64 {
        self.norm
    }

    /// ⟨φ(x), μ⟩.
    fn products<K: Kernel<P>>(&self, kernel: &K, queries: &P) -> Result<Mat<P::Scalar>, Error> {
        Ok(CrossGram::new(kernel, queries, &self.points)?.apply(self.weights.as_ref())?)
    }
}

/// The nearest centre of each query, the first in a tie, and d² − K(x, x) for it.
fn nearest<P: Points, K: Kernel<P>>(
    kernel: &K,
    centres: &[Option<Centre<P>>],
    queries: &P,
) -> Result<(Vec<usize>, Vec<f64>), Error> {
    let mut nearest = Nearest::new(queries.len());
    for (c, centre) in centres.iter().enumerate() {
        let Some(centre) = centre else { continue };
        let products = centre.products(kernel, queries)?;
        let products = products.col_as_slice(0).iter();
        nearest.lower(c, products.map(|product| centre.norm - 2.0 * product.to_f64()));
    }
    Ok((nearest.labels, nearest.distances))
}

/// All centres as combinations of the points of their windows, each of which is stored once. A
/// centre without a window has mass 0.
fn joined<P: Points, K: Kernel<P>>(
    kernel: K,
    points: &P,
    windows: &[Option<Window>],
    norms: Vec<f64>,
) -> Result<Centres<KernelExpansion<P, K>>, Error> {
    let all = windows.iter().flatten().flat_map(|window| &window.indices);
    let mut support: Vec<usize> = all.copied().collect();
    support.sort_unstable();
    support.dedup();
    let mut coefficients: Mat<P::Scalar> = zeros(support.len(), windows.len())?;
    for (c, window) in windows.iter().enumerate() {
        let Some(Window { indices, weights }) = window else { continue };
        for (index, &weight) in indices.iter().zip(weights) {
            let row = support.partition_point(|other| other < index);
            coefficients[(row, c)] += P::Scalar::from_f64(weight);
        }
    }
    let masses = windows.iter().map(|window| f64::from(u8::from(window.is_some()))).collect();
    let decision = KernelExpansion::of_support(kernel, points, &support, coefficients)?;
    Ok(Centres { decision, masses, norms })
}

/// K(x, x) of each point; an error unless it is finite.
fn diagonal<P: Points, K: Kernel<P>>(kernel: &K, points: &P) -> Result<Vec<f64>, Error> {
    Ok(finite_diagonal((0..points.len()).map(|i| kernel.diag(points, i).to_f64()))?)
}
