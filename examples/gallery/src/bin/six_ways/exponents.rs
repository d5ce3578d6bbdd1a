//! Exponents of the growth of the time of each way with each size.

use crate::grid::Sizes;
use crate::problem::{Family, Problem};
use anyhow::Result;
use kern::gram::MemoryBudget;
use kern::solvers::plan::Algorithm;

/// One size of a problem is varied where the term of the table that it is in dominates.
#[derive(Clone, Debug)]
pub(crate) struct Scan {
    /// The way.
    pub(crate) algorithm: Algorithm,
    /// The name of the size.
    pub(crate) size: &'static str,
    /// The exponent by the table of costs.
    pub(crate) expected: f64,
    /// The values of the size, and the problem for each: n, d, kernel and features, T.
    pub(crate) cases: Vec<(usize, Sizes)>,
}

impl Scan {
    /// The values of the size, and the measured seconds.
    ///
    /// # Errors
    /// If a fit fails.
    pub(crate) fn measure(&self, budget: MemoryBudget) -> Result<Vec<(f64, f64)>> {
        let mut points = Vec::with_capacity(self.cases.len());
        for &(size, (n, dim, family, steps)) in &self.cases {
            let problem = Problem::new(n, dim, family)?;
            points.push((size as f64, problem.measure(self.algorithm, steps, budget, 4)?));
        }
        Ok(points)
    }
}

/// The slope of the least-squares line through (ln x, ln y).
#[must_use]
pub(crate) fn slope(points: &[(f64, f64)]) -> f64 {
    let count = points.len() as f64;
    let logs = || points.iter().map(|(x, y)| (x.ln(), y.ln()));
    let (x_mean, y_mean) =
        (logs().map(|p| p.0).sum::<f64>() / count, logs().map(|p| p.1).sum::<f64>() / count);
    let products: f64 = logs().map(|(x, y)| (x - x_mean) * (y - y_mean)).sum();
    products / logs().map(|(x, _)| (x - x_mean).powi(2)).sum::<f64>()
}

/// All scans, of four values each, where the term that the size is in dominates.
#[must_use]
pub(crate) fn scans() -> Vec<Scan> {
    use Algorithm::*;
    use Family::{FourierAsExact, Polynomial, Rbf};
    let scan = |algorithm, size, expected, sizes: [usize; 4], case: &dyn Fn(usize) -> _| Scan {
        algorithm,
        size,
        expected,
        cases: sizes.map(|size| (size, case(size))).to_vec(),
    };
    // (8 + p choose p): 1287, 3003, 6435 and 12 870 for p = 5 to 8.
    let features = |p: usize| (1..=p).fold(1, |product, k| product * (8 + k) / k);
    let by_features = |algorithm, n: usize, steps: usize| {
        let cases = [5, 6, 7, 8].map(|p| (features(p), (n, 8, Polynomial(p as u32, 8), steps)));
        Scan { algorithm, size: "D", expected: 1.0, cases: cases.to_vec() }
    };
    let (dims, steps) = ([256, 512, 1024, 2048], [20_000, 40_000, 80_000, 160_000]);
    vec![
        scan(FeaturesOnTheFly, "d", 1.0, dims, &|d| (1000, d, FourierAsExact(512), 4000)),
        by_features(FeaturesOnTheFly, 500, 5000),
        scan(FeaturesOnTheFly, "T", 1.0, steps, &|t| (1000, 8, Polynomial(4, 8), t)),
        scan(FeaturesCached, "n", 1.0, [10_000, 20_000, 40_000, 80_000], &|n| {
            (n, 8, Polynomial(4, 8), 1000)
        }),
        scan(FeaturesCached, "d", 1.0, dims, &|d| (4000, d, FourierAsExact(512), 100)),
        by_features(FeaturesCached, 4000, 20_000),
        scan(FeaturesCached, "T", 1.0, steps.map(|t| 4 * t), &|t| (4000, 8, Polynomial(4, 8), t)),
        scan(KernelOnTheFly, "n", 1.0, [4000, 8000, 16_000, 32_000], &|n| {
            (n, 8, Rbf(8), n.min(4000))
        }),
        scan(KernelOnTheFly, "d", 1.0, dims, &|d| (2000, d, Rbf(8), 4000)),
        scan(KernelOnTheFly, "T", 1.0, steps, &|t| (2000, 8, Rbf(8), t)),
        scan(GramCached, "n, fill", 2.0, [1500, 3000, 6000, 11_000], &|n| (n, 64, Rbf(8), 100)),
        scan(GramCached, "d", 1.0, dims, &|d| (3000, d, Rbf(8), 100)),
        // Below 1: threads are woken for every block of steps, and few columns are little work.
        scan(GramCached, "n, steps", 1.0, [4000, 4096, 8000, 11_500], &|n| (n, 2, Rbf(8), 200_000)),
        scan(GramCached, "T", 1.0, steps.map(|t| 4 * t), &|t| (2000, 2, Rbf(8), t)),
        scan(ApproximateOnTheFly, "d", 1.0, dims, &|d| (1000, d, Rbf(512), 4000)),
        scan(ApproximateOnTheFly, "D", 1.0, [1000, 2000, 4000, 8000], &|k| (500, 64, Rbf(k), 5000)),
        scan(ApproximateOnTheFly, "T", 1.0, steps, &|t| (1000, 16, Rbf(512), t)),
        scan(ApproximateCached, "n", 1.0, [5000, 10_000, 20_000, 40_000], &|n| {
            (n, 16, Rbf(512), 1000)
        }),
        scan(ApproximateCached, "d", 1.0, dims, &|d| (4000, d, Rbf(512), 100)),
        scan(ApproximateCached, "D", 1.0, [1000, 2000, 4000, 8000], &|k| {
            (5000, 16, Rbf(k), 20_000)
        }),
        scan(ApproximateCached, "T", 1.0, steps.map(|t| 4 * t), &|t| (4000, 16, Rbf(512), t)),
    ]
}
