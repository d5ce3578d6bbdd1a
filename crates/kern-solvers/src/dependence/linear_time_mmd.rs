//! Linear-time MMD: a two-sample test from pairs of adjacent points.

use super::permutation_test::check_size;
use crate::Error;
use crate::differences::ByDifferences;
use kern_core::{Mercer, Points, Scalar};
use kern_gram::{parallel, tile_ranges};
use libm::erfc;
use std::f64::consts::FRAC_1_SQRT_2;

/// Number of pairs per task.
const PAIRS: usize = 1024;

/// The linear-time MMD two-sample test: a mean of independent terms, which is asymptotically
/// normal.
///
/// # Definition
/// Each pair of adjacent points (x, x′) and (y, y′) gives h = K(x, x′) + K(y, y′) − K(x, y′) −
/// K(x′, y). The statistic is the mean of h, an unbiased estimate of the squared maximum mean
/// discrepancy. Its variance is the sample variance of h divided by the number of pairs, and p = 1
/// − Φ(statistic/√variance). Points after the last pair of the shorter sample are ignored. The
/// p-value is asymptotic, and the test needs far more points than [`MmdTest`](super::MmdTest) for
/// the same power.
///
/// # Complexity
/// 2n kernel values.
///
/// # References
/// Gretton, Borgwardt, Rasch, Schölkopf & Smola (2012), *A Kernel Two-Sample Test*, lemma 14 and
/// corollary 16.
///
/// # Examples
/// ```
/// use kern_core::{Samples, kernels::Linear};
/// use kern_solvers::dependence::LinearMmd;
/// let x = Samples::from_rows(&[[1.0], [2.0], [3.0], [4.0]])?;
/// let y = Samples::from_rows(&[[0.0], [1.0], [0.0], [2.0]])?;
/// let found = LinearMmd::new(&Linear, &x, &y)?;
/// // (1 − 0)(2 − 1) and (3 − 0)(4 − 2).
/// assert_eq!((found.statistic(), found.variance()), (3.5, 6.25));
/// assert!((found.p_value() - 0.0808).abs() < 1e-4);
/// # Ok::<(), kern_solvers::Error>(())
/// ```
#[doc(alias = "MMD")]
#[doc(alias = "two-sample test")]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LinearMmd {
    statistic: f64,
    variance: f64,
}

impl LinearMmd {
    /// Tests two samples; points are paired in the given order.
    ///
    /// # Errors
    /// [`Error::Count`] for a sample of fewer than four points; [`Error::Core`] if the kernel
    /// refuses the points; [`Error::Gram`] for non-finite values.
    pub fn new<P: Points, K: Mercer<P>>(kernel: &K, x: &P, y: &P) -> Result<Self, Error> {
        let size = x.len().min(y.len());
        check_size(size, 4, "at least 4")?;
        x.check_compatible(y)?;
        kernel.check(x)?;
        kernel.check(y)?;
        let compared = ByDifferences::of(kernel);
        let kernel = compared.kernel();
        let pairs = size / 2;
        let term = |pair: usize| -> Result<f64, Error> {
            let (i, j) = (2 * pair, 2 * pair + 1);
            let (xs, ys) = ((x.item(i), x.item(j)), (y.item(i), y.item(j)));
            let value = |a, b| kernel.eval(a, b).to_f64();
            let within = value(xs.0, xs.1) + value(ys.0, ys.1);
            let term = within - value(xs.0, ys.1) - value(xs.1, ys.0);
            match term.is_finite() {
                true => Ok(term),
                false => Err(kern_gram::Error::NotFinite { row: i, col: j, given: term }.into()),
            }
        };
        let of_range =
            |range: std::ops::Range<usize>| range.map(term).collect::<Result<Vec<_>, _>>();
        let parts =
            parallel::map_init(tile_ranges(pairs, PAIRS), || (), |(), range| of_range(range));
        let mut terms = Vec::with_capacity(pairs);
        for part in parts {
            terms.extend(part?);
        }
        let count = pairs as f64;
        let statistic = terms.iter().sum::<f64>() / count;
        let squares: f64 = terms.iter().map(|term| (term - statistic).powi(2)).sum();
        Ok(Self { statistic, variance: squares / (count - 1.0) / count })
    }

    /// The statistic, an unbiased estimate of the squared MMD.
    #[must_use]
    pub const fn statistic(&self) -> f64 {
        self.statistic
    }

    /// The estimated variance of the statistic.
    #[must_use]
    pub const fn variance(&self) -> f64 {
        self.variance
    }

    /// The p-value: the probability of a statistic at least as large if the distributions are
    /// equal, by the normal approximation.
    #[must_use]
    pub fn p_value(&self) -> f64 {
        if self.statistic == 0.0 {
            return 0.5;
        }
        // With zero variance the quotient is ±∞.
        0.5 * erfc(FRAC_1_SQRT_2 * self.statistic / self.variance.sqrt())
    }
}
