//! The clusters that a run starts from.

use super::params::{Seeding, Settings};
use super::problem::Problem;
use crate::Error;
use kern_core::Scalar;
use kern_gram::parallel;
use rand::seq::SliceRandom;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// Seeds, and the nearest of them to each point.
pub(super) struct Start {
    pub(super) seeds: Vec<usize>,
    pub(super) labels: Vec<u32>,
}

/// The start of run number `run`.
pub(super) fn start<T: Scalar>(
    problem: &Problem<'_, T>,
    settings: &Settings,
    run: usize,
) -> Result<Start, Error> {
    let mut rng = ChaCha8Rng::seed_from_u64(settings.seed);
    rng.set_stream(run as u64);
    match &settings.seeding {
        Seeding::PlusPlus => plus_plus(problem, settings.draws(), &mut rng),
        Seeding::Random => {
            let positive = |&i: &usize| problem.weights[i] > 0.0;
            let mut points: Vec<usize> = (0..problem.size()).filter(positive).collect();
            let (seeds, _) = points.partial_shuffle(&mut rng, problem.k);
            nearest_to(problem, seeds.to_vec())
        }
        Seeding::Given(seeds) => nearest_to(problem, seeds.clone()),
        Seeding::Labels(labels) => {
            let labels = labels.iter().map(|&label| label as u32).collect();
            Ok(Start { seeds: Vec::new(), labels })
        }
    }
}

/// The squared distance of each point from the nearest seed so far, and which one it is.
struct Nearest {
    distances: Vec<f64>,
    labels: Vec<u32>,
}

impl Nearest {
    fn new(n: usize) -> Self {
        Self { distances: vec![f64::INFINITY; n], labels: vec![0; n] }
    }

    /// Of equally near seeds the first one stays.
    fn lower(&mut self, label: u32, distances: &[f64]) {
        let places = self.distances.iter_mut().zip(&mut self.labels);
        for ((least, nearest), &distance) in places.zip(distances) {
            if distance < *least {
                (*least, *nearest) = (distance, label);
            }
        }
    }
}

/// The squared distances of all points from one, of which the column is given.
fn distances<T: Scalar>(problem: &Problem<'_, T>, seed: usize, column: &[T]) -> Vec<f64> {
    let own = problem.diagonal[seed];
    let pairs = column.iter().zip(&problem.diagonal).enumerate();
    pairs.map(|(i, (value, norm))| problem.distance(i, norm + own - 2.0 * value.to_f64())).collect()
}

fn nearest_to<T: Scalar>(problem: &Problem<'_, T>, seeds: Vec<usize>) -> Result<Start, Error> {
    let mut nearest = Nearest::new(problem.size());
    problem.columns.for_each_piece(&seeds, |piece, columns| {
        for (b, column) in piece.zip(columns) {
            nearest.lower(b as u32, &distances(problem, seeds[b], column));
        }
    })?;
    Ok(Start { seeds, labels: nearest.labels })
}

/// k-means++ with some draws for each seed. There are fewer seeds if all points are at distance 0 from one.
fn plus_plus<T: Scalar>(
    problem: &Problem<'_, T>,
    draws: usize,
    rng: &mut ChaCha8Rng,
) -> Result<Start, Error> {
    let mut nearest = Nearest::new(problem.size());
    let mut seeds = Vec::with_capacity(problem.k);
    let mut mass = problem.weights.to_vec();
    while seeds.len() < problem.k {
        // The first seed is drawn by weight, once: whatever it is, the others make up for it.
        let draws = if seeds.is_empty() { 1 } else { draws };
        let candidates = draw(&mass, draws, rng);
        if candidates.is_empty() {
            break;
        }
        let (seed, distances) = best(problem, &candidates, &nearest)?;
        nearest.lower(seeds.len() as u32, &distances);
        seeds.push(seed);
        let shares = nearest.distances.iter().zip(problem.weights);
        mass = shares.map(|(distance, weight)| weight * distance).collect();
    }
    Ok(Start { seeds, labels: nearest.labels })
}

/// The candidate that leaves the least Σ wᵢ·min d², the first of equals, and the distances from it.
fn best<T: Scalar>(
    problem: &Problem<'_, T>,
    candidates: &[usize],
    nearest: &Nearest,
) -> Result<(usize, Vec<f64>), Error> {
    let mut best = (f64::INFINITY, candidates[0], Vec::new());
    problem.columns.for_each_piece(candidates, |piece, columns| {
        let tasks: Vec<_> = piece.map(|b| candidates[b]).zip(columns).collect();
        let judged = parallel::map_init(
            tasks,
            || (),
            |(), (candidate, column)| {
                let distances = distances(problem, candidate, column);
                let least =
                    distances.iter().zip(&nearest.distances).map(|(new, old)| new.min(*old));
                let cost: f64 =
                    least.zip(problem.weights).map(|(least, weight)| weight * least).sum();
                (cost, candidate, distances)
            },
        );
        for candidate in judged {
            if candidate.0 < best.0 || best.2.is_empty() {
                best = candidate;
            }
        }
    })?;
    Ok((best.1, best.2))
}

/// So many indices, drawn with probability proportional to their mass; none if all masses are 0.
fn draw(mass: &[f64], count: usize, rng: &mut ChaCha8Rng) -> Vec<usize> {
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
