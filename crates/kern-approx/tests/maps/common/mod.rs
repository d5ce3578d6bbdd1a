//! Common parts of the tests: seeded points, matrices of features, and exact tail probabilities.
#![allow(clippy::unwrap_used, reason = "in a test, to unwrap is to assert")]

use kern_approx::{FeatureMap, transform};
use kern_core::faer::{Mat, Side};
use kern_core::rand::RngExt;
use kern_core::{Kernel, Points, Samples, Scalar};
use kern_gram::MemoryBudget;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

/// The chance that a correct library fails one statistical assertion, for any seed.
pub(crate) const FAILURE: f64 = 1e-9;

pub(crate) fn budget() -> MemoryBudget {
    MemoryBudget::mebibytes(4096)
}

/// n points, uniform in [0, side]^d.
pub(crate) fn uniform<T: Scalar>(n: usize, d: usize, side: f64, seed: u64) -> Samples<T> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let values = (0..n * d).map(|_| T::from_f64(side * rng.random::<f64>())).collect();
    Samples::from_row_major(d, values).unwrap()
}

/// D × n features in double precision.
pub(crate) fn features<P: Points, M: FeatureMap<P> + ?Sized>(map: &M, points: &P) -> Mat<f64> {
    let z = transform(map, points, &budget()).unwrap();
    Mat::from_fn(map.dim(), points.len(), |i, j| z.item(j)[i].to_f64())
}

/// K(a_i, b_j), by the definition.
pub(crate) fn gram<P: Points, K: Kernel<P>>(kernel: &K, a: &P, b: &P) -> Mat<f64> {
    Mat::from_fn(a.len(), b.len(), |i, j| kernel.eval(a.item(i), b.item(j)).to_f64())
}

/// In ascending order.
pub(crate) fn eigenvalues(a: &Mat<f64>) -> Vec<f64> {
    a.self_adjoint_eigenvalues(Side::Lower).unwrap()
}

/// With probability 1 − failure or more, the mean of `count` independent variables of this
/// variance, which differ from their expectation by at most `range`, is nearer to it than the
/// result (Bernstein).
pub(crate) fn bernstein(variance: f64, range: f64, count: usize, failure: f64) -> f64 {
    let l = (2.0 / failure).ln() / count as f64;
    (2.0 * variance * l).sqrt() + 2.0 * range * l / 3.0
}

/// The smallest k with P(Binomial(count, p) > k) ≤ failure.
pub(crate) fn binomial_limit(count: usize, p: f64, failure: f64) -> usize {
    // Summed from the upper end, term by term in logarithms.
    let (n, mut tail, mut log_choose) = (count as f64, 0.0, 0.0);
    for k in (0..=count).rev() {
        let (hits, misses) = (k as f64, n - k as f64);
        tail += (log_choose + hits * p.ln() + misses * (-p).ln_1p()).exp();
        if tail > failure {
            return k;
        }
        log_choose += (hits / (misses + 1.0)).ln();
    }
    0
}

/// Runs `f` on rayon pools of 1, 2 and 8 threads.
pub(crate) fn for_threads<R: Send>(f: impl Fn() -> R + Sync) -> Vec<R> {
    let pool = |n| rayon::ThreadPoolBuilder::new().num_threads(n).build().unwrap();
    [1, 2, 8].into_iter().map(|n| pool(n).install(&f)).collect()
}

/// The mean of independent values that lie in an interval of length `range`, and a distance from
/// which their expectation is farther only with probability `failure` (Audibert, Munos &
/// Szepesvári 2009, theorem 1: the empirical Bernstein inequality).
pub(crate) fn empirical_bernstein(values: &[f64], range: f64, failure: f64) -> (f64, f64) {
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    let variance = values.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / n;
    let l = (3.0 / failure).ln() / n;
    (mean, (2.0 * variance * l).sqrt() + 3.0 * range * l)
}

/// The logarithm of P(|1 − 2j/m| ≥ ε) for j of the binomial distribution of m fair coins.
pub(crate) fn log_tail(m: usize, epsilon: f64) -> f64 {
    let mut log_choose = 0.0;
    let mut terms = Vec::new();
    for j in 0..=m {
        if (1.0 - 2.0 * j as f64 / m as f64).abs() >= epsilon {
            terms.push(log_choose - m as f64 * std::f64::consts::LN_2);
        }
        log_choose += ((m - j) as f64 / (j + 1) as f64).ln();
    }
    let largest = terms.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    largest + terms.iter().map(|term| (term - largest).exp()).sum::<f64>().ln()
}

/// The slope of a line through points, by least squares.
pub(crate) fn slope(points: &[(f64, f64)]) -> f64 {
    let n = points.len() as f64;
    let (mx, my) = points.iter().fold((0.0, 0.0), |s, p| (s.0 + p.0 / n, s.1 + p.1 / n));
    let covariance: f64 = points.iter().map(|p| (p.0 - mx) * (p.1 - my)).sum();
    covariance / points.iter().map(|p| (p.0 - mx).powi(2)).sum::<f64>()
}
