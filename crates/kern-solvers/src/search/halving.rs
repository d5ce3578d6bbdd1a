//! Successive halving: the training points of each rung, and the surviving candidates.

use super::Trial;
use crate::validation::Fold;
use crate::{Data, Targets};
use kern_core::Points;
use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;

/// The inverse of the fraction of candidates that survive, and the growth factor of the points.
const FACTOR: usize = 3;

/// The smallest number of points of a fold that gives a meaningful score.
const FEWEST: usize = 100;

/// The fractions of a fold's points used by the rungs, ending with 1, for this many candidates.
pub(super) fn shares(points: usize, candidates: usize) -> Vec<f64> {
    let mut shares = vec![1.0];
    let (mut size, mut left) = (points, candidates);
    while size / FACTOR >= FEWEST && left > FACTOR {
        (size, left) = (size / FACTOR, left.div_ceil(FACTOR));
        shares.push(size as f64 / points as f64);
    }
    shares.reverse();
    shares
}

/// The number of candidates in each of this many rungs.
pub(super) fn counts(candidates: usize, rungs: usize) -> Vec<usize> {
    std::iter::successors(Some(candidates), |left| Some(left.div_ceil(FACTOR)))
        .take(rungs)
        .collect()
}

/// Folds reduced to a fraction of their training points, stratified if there are classes.
pub(super) fn thinned<P: Points, Y: Targets>(
    folds: &[Fold],
    data: &Data<'_, P, Y>,
    share: f64,
) -> Vec<Fold> {
    let strata = data.targets().strata();
    let thin = |fold: &Fold| {
        let mut order = fold.train.clone();
        order.shuffle(&mut ChaCha8Rng::seed_from_u64(0));
        let mut sizes: Vec<usize> = Vec::new();
        let class = |i: usize| strata.as_ref().map_or(0, |strata| strata[i]);
        for &i in &order {
            let class = class(i);
            let needed = sizes.len().max(class + 1);
            sizes.resize(needed, 0);
            sizes[class] += 1;
        }
        let mut seen = vec![0; sizes.len()];
        let keep = |&i: &usize| {
            let class = class(i);
            seen[class] += 1;
            (seen[class] as f64) <= (share * sizes[class] as f64).ceil()
        };
        let mut train: Vec<usize> = order.into_iter().filter(keep).collect();
        train.sort_unstable();
        Fold { train, test: fold.test.clone() }
    };
    if share < 1.0 { folds.iter().map(thin).collect() } else { folds.to_vec() }
}

/// The indices of at most this many best candidates, in their original order.
pub(super) fn best(
    alive: &[usize],
    trials: &[Option<Trial>],
    count: usize,
    greater: bool,
) -> Vec<usize> {
    let mean = |place: usize| {
        let mean = trials[place].as_ref().and_then(Trial::mean)?;
        Some(if greater { mean } else { -mean })
    };
    let mut ranked: Vec<(f64, usize)> =
        alive.iter().filter_map(|&place| Some((mean(place)?, place))).collect();
    ranked.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    let mut kept: Vec<usize> = ranked.into_iter().take(count).map(|(_, place)| place).collect();
    kept.sort_unstable();
    kept
}
