//! k-means++ and the other initialisations of a run: the seeds, and the nearest seed of each point.
//!
//! k-means++ draws a seed with probability proportional to wᵢdᵢ², where dᵢ is the distance of xᵢ
//! from the nearest seed so far. Of several draws, the one that leaves the smallest Σᵢ wᵢdᵢ² is
//! kept.

use super::restarts::Runs;
use crate::{Error, tolerance};
use kern_core::parameters::Domain;
use kern_core::{fields, named_values};
use rand::seq::SliceRandom;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use serde::{Deserialize, Serialize};

/// The initialisation of k-means: seeds or clusters. Indices and labels are those of one data set,
/// and are not valid for a part of it.
///
/// # References
/// Arthur & Vassilvitskii (2007), *k-means++: The Advantages of Careful Seeding*, section 2, and
/// section 7 for several trials.
///
/// # Examples
/// ```
/// use kern_core::{Samples, kernels::Linear};
/// use kern_solvers::kmeans::{KMeans, Seeding};
/// let x = Samples::from_rows(&[[0.0], [1.0], [5.0], [6.0]])?;
/// let seeded = KMeans::on_kernel(Linear, 2).seeding(Seeding::Given(vec![3, 2])).fit(&x)?;
/// assert_eq!(seeded.labels(), [1, 1, 0, 0]);
/// let labelled = KMeans::on_kernel(Linear, 2).seeding(Seeding::Labels(vec![0, 1, 1, 1])).fit(&x)?;
/// assert_eq!(labelled.labels(), [0, 0, 1, 1]);
/// # Ok::<(), kern_solvers::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub enum Seeding {
    /// k-means++: each seed is drawn with probability proportional to wᵢ times the squared distance
    /// from the nearest seed so far, and the best of several draws is kept.
    #[default]
    PlusPlus,
    /// Distinct points, drawn uniformly among those of positive weight.
    Random,
    /// The points with these indices, one per cluster.
    Given(Vec<usize>),
    /// Initial clusters instead of seeds: a number below k for each point.
    Labels(Vec<usize>),
}

named_values!(@value Seeding {
    "plus_plus" => PlusPlus,
    "random" => Random,
    "given" => Given(Vec::new()),
    "labels" => Labels(Vec::new()),
});

// Given seeds have no names.
fields!(Seeding {
    Self::Given(_) | Self::Labels(_) => {}
    drawn => { "seeding": drawn in Domain::Choice(&["plus_plus", "random"]) }
});

/// Weighted points with squared distances.
pub(super) trait Distances {
    /// The weight of each point.
    fn weights(&self) -> &[f64];

    /// Calls `f` for each of these points, with its position among them and the squared distances
    /// of all points from it, which are exactly 0 where they are within rounding error of 0.
    fn for_each_distances(
        &self,
        points: &[usize],
        f: &mut dyn FnMut(usize, &[f64]),
    ) -> Result<(), Error>;
}

/// Seeds, and the nearest seed of each point.
pub(super) struct Start {
    pub(super) seeds: Vec<usize>,
    pub(super) labels: Vec<u32>,
}

/// The initialisation of run number `run`.
pub(super) fn start(space: &impl Distances, runs: &Runs, run: usize) -> Result<Start, Error> {
    let mut rng = ChaCha8Rng::seed_from_u64(runs.seed);
    rng.set_stream(run as u64);
    match &runs.seeding {
        Seeding::PlusPlus => plus_plus(space, runs.clusters, runs.draws(), &mut rng),
        Seeding::Random => {
            let positive = |&i: &usize| space.weights()[i] > 0.0;
            let mut points: Vec<usize> = (0..space.weights().len()).filter(positive).collect();
            let (seeds, _) = points.partial_shuffle(&mut rng, runs.clusters);
            nearest_to(space, seeds.to_vec())
        }
        Seeding::Given(seeds) => nearest_to(space, seeds.clone()),
        Seeding::Labels(labels) => {
            let labels = labels.iter().map(|&label| label as u32).collect();
            Ok(Start { seeds: Vec::new(), labels })
        }
    }
}

/// The squared distance of each point from the nearest centre so far, and that centre.
pub(super) struct Nearest<L> {
    pub(super) distances: Vec<f64>,
    pub(super) labels: Vec<L>,
}

impl<L: Copy + Default> Nearest<L> {
    pub(super) fn new(n: usize) -> Self {
        Self { distances: vec![f64::INFINITY; n], labels: vec![L::default(); n] }
    }

    /// Adds a centre; in a tie the earlier centre stays the nearest.
    pub(super) fn lower(&mut self, label: L, distances: impl Iterator<Item = f64>) {
        let places = self.distances.iter_mut().zip(&mut self.labels);
        for ((smallest, nearest), distance) in places.zip(distances) {
            if distance < *smallest {
                (*smallest, *nearest) = (distance, label);
            }
        }
    }
}

fn nearest_to(space: &impl Distances, seeds: Vec<usize>) -> Result<Start, Error> {
    let mut nearest = Nearest::new(space.weights().len());
    space.for_each_distances(&seeds, &mut |b, distances| {
        nearest.lower(b as u32, distances.iter().copied());
    })?;
    Ok(Start { seeds, labels: nearest.labels })
}

/// k-means++ with `draws` candidates for each seed. There are fewer than k seeds if every point is
/// at distance 0 from one.
fn plus_plus(
    space: &impl Distances,
    k: usize,
    draws: usize,
    rng: &mut ChaCha8Rng,
) -> Result<Start, Error> {
    let mut nearest = Nearest::new(space.weights().len());
    let mut seeds = Vec::with_capacity(k);
    let mut mass = space.weights().to_vec();
    while seeds.len() < k {
        // The first seed is drawn by weight, and once: the later seeds make up for any choice.
        let draws = if seeds.is_empty() { 1 } else { draws };
        let candidates = draw(&mass, draws, rng);
        if candidates.is_empty() {
            break;
        }
        let (place, distances) = best(space, &candidates, &nearest)?;
        nearest.lower(seeds.len() as u32, distances.into_iter());
        seeds.push(candidates[place]);
        let shares = nearest.distances.iter().zip(space.weights());
        mass = shares.map(|(distance, weight)| weight * distance).collect();
    }
    Ok(Start { seeds, labels: nearest.labels })
}

/// The position of the candidate that leaves the smallest Σ wᵢ·min d², and the distances from it.
/// Of candidates that are equal up to rounding, such as two points that are close together and far
/// from all others, the first is taken.
fn best(
    space: &impl Distances,
    candidates: &[usize],
    nearest: &Nearest<u32>,
) -> Result<(usize, Vec<f64>), Error> {
    let mut best = (f64::INFINITY, 0, Vec::new());
    space.for_each_distances(candidates, &mut |b, distances| {
        let smallest = distances.iter().zip(&nearest.distances).map(|(new, old)| new.min(*old));
        let cost: f64 =
            smallest.zip(space.weights()).map(|(smallest, weight)| weight * smallest).sum();
        if cost < best.0 * (1.0 - tolerance::EQUAL) || best.2.is_empty() {
            best = (cost, b, distances.to_vec());
        }
    })?;
    Ok((best.1, best.2))
}

/// Draws `count` indices with probability proportional to their mass; none if all masses are 0.
pub(super) fn draw(mass: &[f64], count: usize, rng: &mut ChaCha8Rng) -> Vec<usize> {
    let mut total = 0.0;
    let sums: Vec<f64> = mass
        .iter()
        .map(|mass| {
            total += mass;
            total
        })
        .collect();
    let Some(last) = mass.iter().rposition(|&mass| mass > 0.0) else { return Vec::new() };
    let at = |coin: f64| sums.partition_point(|&sum| sum <= coin * total).min(last);
    (0..count).map(|_| at(rng.random::<f64>())).collect()
}
