//! Falkon-type preconditioner from sampled points: S = (n/s) Z_sB_sZ_sᵀ + nλI, centred if there is
//! an intercept.

use crate::statistics::{Error, Fingerprint, NormalEquations, Observed, fill, panel_bytes};
use kern_core::{FeatureMap, Points, Scalar};
use kern_gram::numerics::arithmetic::centre;
use kern_gram::numerics::cholesky::{Cholesky, squared_norm};
use kern_gram::{MemoryBudget, zeros};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// Draws `size` of `n` indices in ascending order by stratified sampling: one uniformly from each
/// of `size` intervals.
#[must_use]
pub fn sample(n: usize, size: usize, seed: u64) -> Vec<usize> {
    if size >= n {
        return (0..n).collect();
    }
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let edge = |i: usize| (i as u128 * n as u128 / size as u128) as usize;
    (0..size).map(|i| rng.random_range(edge(i)..edge(i + 1))).collect()
}

/// The regularisation added to ZBZᵀ, and whether the mean is subtracted.
#[derive(Clone, Copy, Debug)]
pub struct Shape {
    /// The multiple of the identity that is added.
    pub lambda: f64,
    /// True if the mean of the features is subtracted.
    pub intercept: bool,
}

/// Points whose features are inspected to estimate the effect of rounding.
const LOOKED_AT: usize = 64;

/// The largest ratio of single-precision round-off times the mean of β‖z‖² to λ for which features
/// are multiplied in single precision. Errors of the sums are mostly independent, and a few
/// hundredths of that.
const ROUNDED: f64 = 0.25;

/// The memory of a preconditioner from this many points, with the smallest panel.
#[must_use]
pub fn bytes<T: Scalar>(dim: usize, points: usize) -> u64 {
    let rounded = panel_bytes::<f32>(dim, points);
    NormalEquations::streaming_bytes::<T>(dim, 1, points).saturating_add(rounded)
}

/// The Cholesky factor of S for the points with these indices. Products of features are in single
/// precision if that is as good.
pub fn factor<P: Points, M: FeatureMap<P>>(
    map: &M,
    points: &P,
    observed: &Observed<'_, P::Scalar>,
    indices: &[usize],
    shape: Shape,
    budget: &MemoryBudget,
) -> Result<Cholesky<f64>, Error> {
    let weights: Vec<f64> = indices.iter().map(|&i| observed.weight(i)).collect();
    // S does not depend on targets.
    let targets = zeros(indices.len(), 1)?;
    let mut seen = Observed::new(targets.as_ref());
    if observed.is_weighted() {
        seen = seen.weights(&weights);
    }
    if indices.len() == points.len() {
        return Sampled { map, points, observed: seen, scale: 1.0 }.factor(shape, budget, false);
    }
    let scale = points.len() as f64 / indices.len() as f64;
    let sampled = Sampled { map, points: &points.select(indices)?, observed: seen, scale };
    if sampled.is_rounded(shape.lambda)? {
        match sampled.factor(shape, budget, true) {
            Err(Error::Gram(kern_gram::Error::NotPositiveDefinite { .. })) => {}
            other => return other,
        }
    }
    sampled.factor(shape, budget, false)
}

/// The sampled points of a preconditioner, and the ratio of all points to sampled ones.
struct Sampled<'a, P: Points, M> {
    map: &'a M,
    points: &'a P,
    observed: Observed<'a, P::Scalar>,
    scale: f64,
}

impl<P: Points, M: FeatureMap<P>> Sampled<'_, P, M> {
    /// Returns true if rounding to single precision is small compared with λ, which must be far
    /// from the ends of its range.
    fn is_rounded(&self, lambda: f64) -> Result<bool, Error> {
        let range = f64::from(f32::MIN_POSITIVE).sqrt()..f64::from(f32::MAX).sqrt();
        if P::Scalar::UNIT_ROUNDOFF >= f32::UNIT_ROUNDOFF || !range.contains(&lambda) {
            return Ok(false);
        }
        let n = self.points.len();
        let some: Vec<usize> = (0..n).step_by(n.div_ceil(LOOKED_AT).max(1)).collect();
        let mut features = zeros(self.map.dim(), some.len())?;
        let filled = fill(self.map, &self.points.select(&some)?, 0..some.len(), features.as_mut());
        // An error of a feature is reported by the sums.
        if filled.is_err() {
            return Ok(false);
        }
        let norms = some.iter().zip(features.col_iter());
        let total: f64 = norms.map(|(&i, z)| self.observed.weight(i) * squared_norm(z)).sum();
        Ok(f32::UNIT_ROUNDOFF * total <= ROUNDED * lambda * some.len() as f64)
    }

    /// The factor of S, with products in single precision if `rounded`.
    fn factor(
        &self,
        shape: Shape,
        budget: &MemoryBudget,
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

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use super::*;
    use crate::Nystrom;
    use faer::Mat;
    use kern_core::Samples;
    use kern_core::kernels::Rbf;

    const SHAPE: Shape = Shape { lambda: 1e-4, intercept: true };

    /// Points on a spiral, with weights.
    fn spiral(n: u32) -> (Samples<f64>, Vec<f64>) {
        let point = |i: u32| [f64::from(i).sin(), (0.37 * f64::from(i)).cos(), f64::from(i) / 1e3];
        let weights = (0..n).map(|i| f64::from(i % 5) / 2.0).collect();
        (Samples::from_rows(&(0..n).map(point).collect::<Vec<_>>()).unwrap(), weights)
    }

    /// S⁻¹v for some v, with the factor that is chosen, and with products in double precision.
    fn solutions(x: &Samples<f64>, weights: &[f64], shape: Shape) -> [Mat<f64>; 2] {
        let budget = MemoryBudget::mebibytes(64);
        let map = Nystrom::new(Rbf::new(0.5).unwrap()).landmarks(40).fit(x, &budget).unwrap();
        let targets = zeros(x.len(), 1).unwrap();
        let observed = Observed::new(targets.as_ref()).weights(weights);
        let indices = sample(x.len(), 8 * map.dim(), 3);
        let chosen = factor(&map, x, &observed, &indices, shape, &budget).unwrap();
        let of_some: Vec<f64> = indices.iter().map(|&i| weights[i]).collect();
        let sampled = Sampled {
            map: &map,
            points: &x.select(&indices).unwrap(),
            observed: Observed::new(targets.as_ref().subrows(0, indices.len())).weights(&of_some),
            scale: x.len() as f64 / indices.len() as f64,
        };
        let exact = sampled.factor(shape, &budget, false).unwrap();
        [chosen, exact].map(|factor| {
            let mut v = Mat::from_fn(map.dim(), 1, |i, _| 1.0 + i as f64);
            factor.solve_in_place(v.as_mut());
            v
        })
    }

    #[test]
    fn products_in_single_precision_precondition_as_well() {
        let (x, weights) = spiral(2000);
        let [rounded, exact] = solutions(&x, &weights, SHAPE);
        let error = (&rounded - &exact).norm_l2() / exact.norm_l2();
        assert!(0.0 < error && error < 1e-3, "{error}");
    }

    #[test]
    fn a_lambda_below_rounding_or_out_of_range_asks_for_double_precision() {
        let (x, weights) = spiral(2000);
        let [chosen, exact] = solutions(&x, &weights, Shape { lambda: 1e-8, ..SHAPE });
        assert_eq!(chosen, exact);
        let [chosen, exact] = solutions(&x, &weights, Shape { lambda: 1e20, ..SHAPE });
        assert_eq!(chosen, exact);
        // β‖z‖² is what counts.
        let large: Vec<f64> = weights.iter().map(|weight| 1e4 * weight).collect();
        let [chosen, exact] = solutions(&x, &large, SHAPE);
        assert_eq!(chosen, exact);
    }

    #[test]
    fn sums_do_not_depend_on_the_memory_for_panels() {
        let (x, weights) = spiral(1500);
        let ample = MemoryBudget::mebibytes(64);
        let map = Nystrom::new(Rbf::new(0.5).unwrap()).landmarks(20).fit(&x, &ample).unwrap();
        let targets = zeros(x.len(), 1).unwrap();
        let observed = Observed::new(targets.as_ref()).weights(&weights);
        let small = MemoryBudget::bytes(bytes::<f64>(map.dim(), x.len()));
        let [ample, small] = [ample, small].map(|budget| {
            let none = Fingerprint::new(0);
            let mut sums = NormalEquations::new(map.dim(), 1, none, &budget).unwrap();
            sums.absorb_rounded(&map, &x, &observed, &budget).unwrap();
            let lower = |i, j| if i < j { 0.0 } else { sums.gram()[(i, j)] };
            (Mat::from_fn(map.dim(), map.dim(), lower), sums.moments().to_owned())
        });
        assert_eq!(ample, small);
    }
}
