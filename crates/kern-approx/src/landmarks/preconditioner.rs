//! S = (n/s) Z_sB_sZ_sᵀ + nλI of sampled points, centred if there is an intercept.

use crate::statistics::{Error, Fingerprint, NormalEquations, Observed};
use kern_core::{FeatureMap, Points};
use kern_gram::numerics::arithmetic::centre;
use kern_gram::numerics::cholesky::Cholesky;
use kern_gram::{MemoryBudget, zeros};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// `size` of `n` indices in ascending order: one drawn uniformly from each of as many stretches.
#[must_use]
pub fn sample(n: usize, size: usize, seed: u64) -> Vec<usize> {
    if size >= n {
        return (0..n).collect();
    }
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let edge = |i: usize| (i as u128 * n as u128 / size as u128) as usize;
    (0..size).map(|i| rng.random_range(edge(i)..edge(i + 1))).collect()
}

/// The terms that are added to ZBZᵀ and taken from it.
#[derive(Clone, Copy, Debug)]
pub struct Shape {
    pub lambda: f64,
    pub intercept: bool,
}

/// The factor of S for the points of these indices.
pub fn factor<P: Points, M: FeatureMap<P>>(
    map: &M,
    (points, observed): (&P, &Observed<'_, P::Scalar>),
    indices: &[usize],
    (shape, budget): (Shape, &MemoryBudget),
) -> Result<Cholesky<f64>, Error> {
    let weights: Vec<f64> = indices.iter().map(|&i| observed.weight(i)).collect();
    // S does not depend on targets.
    let targets = zeros(indices.len(), 1)?;
    let mut sums = NormalEquations::new(map.dim(), 1, Fingerprint::new(0), budget)?;
    let mut sampled = Observed::new(targets.as_ref());
    if observed.is_weighted() {
        sampled = sampled.weights(&weights);
    }
    let all = indices.len() == points.len();
    if all {
        sums.absorb(map, points, &sampled, budget)?;
    } else {
        sums.absorb(map, &points.select(indices)?, &sampled, budget)?;
    }
    let mut gram = sums.take_gram()?;
    let weight = sums.weight();
    if shape.intercept && weight > 0.0 {
        let mean: Vec<f64> = sums.moments().col(0).iter().map(|s| s / weight).collect();
        centre(gram.as_mut(), sums.moments(), &mean);
    }
    let scale = points.len() as f64 / indices.len() as f64;
    if !all {
        for column in gram.as_mut().col_iter_mut() {
            column.iter_mut().for_each(|v| *v *= scale);
        }
    }
    Ok(Cholesky::new(gram, points.len() as f64 * shape.lambda)?)
}
