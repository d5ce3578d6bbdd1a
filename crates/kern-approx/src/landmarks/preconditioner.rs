//! S = (n/s) Z_sB_sZ_sᵀ + nλI of sampled points, centred if there is an intercept.

use crate::statistics::{Error, Fingerprint, NormalEquations, Observed, fill, panel_bytes};
use kern_core::{FeatureMap, Points, Scalar};
use kern_gram::numerics::arithmetic::centre;
use kern_gram::numerics::cholesky::{Cholesky, squared_norm};
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

/// Points whose features say how much rounding takes.
const LOOKED_AT: usize = 64;

/// The greatest unit roundoff of single precision times the mean of β‖z‖² over λ, with which features are multiplied in single
/// precision. Errors of the sums are independent for the most part, and a few hundredths of that.
const ROUNDED: f64 = 0.25;

/// The memory of a preconditioner of so many points, with its smallest panel.
#[must_use]
pub fn bytes<T: Scalar>(dim: usize, points: usize) -> u64 {
    let rounded = panel_bytes::<f32>(dim, points);
    NormalEquations::streaming_bytes::<T>(dim, 1, points).saturating_add(rounded)
}

/// The factor of S for the points of these indices. Products of features are in single precision where that is as good.
pub fn factor<P: Points, M: FeatureMap<P>>(
    map: &M,
    (points, observed): (&P, &Observed<'_, P::Scalar>),
    indices: &[usize],
    (shape, budget): (Shape, &MemoryBudget),
) -> Result<Cholesky<f64>, Error> {
    let weights: Vec<f64> = indices.iter().map(|&i| observed.weight(i)).collect();
    // S does not depend on targets.
    let targets = zeros(indices.len(), 1)?;
    let mut seen = Observed::new(targets.as_ref());
    if observed.is_weighted() {
        seen = seen.weights(&weights);
    }
    if indices.len() == points.len() {
        return Sampled { map, points, observed: seen, scale: 1.0 }.factor((shape, budget), false);
    }
    let scale = points.len() as f64 / indices.len() as f64;
    let sampled = Sampled { map, points: &points.select(indices)?, observed: seen, scale };
    if sampled.is_rounded(shape.lambda)? {
        match sampled.factor((shape, budget), true) {
            Err(Error::Gram(kern_gram::Error::NotPositiveDefinite { .. })) => {}
            other => return other,
        }
    }
    sampled.factor((shape, budget), false)
}

/// The points of a preconditioner, and the number of all points for each of them.
struct Sampled<'a, P: Points, M> {
    map: &'a M,
    points: &'a P,
    observed: Observed<'a, P::Scalar>,
    scale: f64,
}

impl<P: Points, M: FeatureMap<P>> Sampled<'_, P, M> {
    /// Tells whether rounding to single precision takes little of λ.
    fn is_rounded(&self, lambda: f64) -> Result<bool, Error> {
        if P::Scalar::UNIT_ROUNDOFF >= f32::UNIT_ROUNDOFF {
            return Ok(false);
        }
        let n = self.points.len();
        let some: Vec<usize> = (0..n).step_by(n.div_ceil(LOOKED_AT).max(1)).collect();
        let mut features = zeros(self.map.dim(), some.len())?;
        fill(self.map, &self.points.select(&some)?, 0..some.len(), features.as_mut())?;
        let norms = some.iter().zip(features.col_iter());
        let total: f64 = norms.map(|(&i, z)| self.observed.weight(i) * squared_norm(z)).sum();
        Ok(f32::UNIT_ROUNDOFF * total <= ROUNDED * lambda * some.len() as f64)
    }

    /// The factor of S, of products in single precision or not.
    fn factor(
        &self,
        (shape, budget): (Shape, &MemoryBudget),
        rounded: bool,
    ) -> Result<Cholesky<f64>, Error> {
        let Self { map, points, observed, scale } = self;
        let mut sums = NormalEquations::new(map.dim(), 1, Fingerprint::new(0), budget)?;
        match rounded {
            true => sums.absorb_rounded(*map, *points, observed, budget)?,
            false => sums.absorb(*map, *points, observed, budget)?,
        }
        let mut gram = sums.take_gram()?;
        let weight = sums.weight();
        if shape.intercept && weight > 0.0 {
            let mean: Vec<f64> = sums.moments().col(0).iter().map(|s| s / weight).collect();
            centre(gram.as_mut(), sums.moments(), &mean);
        }
        if *scale > 1.0 {
            for column in gram.as_mut().col_iter_mut() {
                column.iter_mut().for_each(|v| *v *= *scale);
            }
        }
        let count = points.len() as f64 * scale;
        Ok(Cholesky::new(gram, count * shape.lambda)?)
    }
}
