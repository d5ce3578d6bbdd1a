//! The maximum mean discrepancy of two samples.

use super::pooled::{Pooled, Sums, gcd};
use super::splits::Splits;
use crate::differences::ByDifferences;
use crate::{Error, Run};
use kern_core::{Mercer, Points};

/// The squared maximum mean discrepancy, by two estimates.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Discrepancy {
    biased: f64,
    unbiased: Option<f64>,
}

impl Discrepancy {
    /// The squared distance of the means of the samples in feature space, the V-statistic: never negative, and 0 for equal samples.
    #[must_use]
    pub const fn biased(&self) -> f64 {
        self.biased
    }

    /// The U-statistic, whose mean over samples is the squared distance of the means of the distributions: it may be negative. None for
    /// a sample of one point.
    #[must_use]
    pub const fn unbiased(&self) -> Option<f64> {
        self.unbiased
    }
}

/// The squared maximum mean discrepancy of two samples.
///
/// # Definition
/// For m points x and n points y the biased estimate is
/// ΣᵢⱼK(xᵢ, xⱼ)/m² + ΣᵢⱼK(yᵢ, yⱼ)/n² − 2ΣᵢⱼK(xᵢ, yⱼ)/(mn); the unbiased one leaves out i = j, and has m(m − 1) and n(n − 1) for m² and
/// n².
///
/// # Complexity
/// (m + n)²/2 kernel values, of which none is kept.
///
/// # Errors
/// [`Error::Empty`] for a sample without points; [`Error::Core`] if the kernel refuses the points; [`Error::Gram`] for values that are not
/// finite.
///
/// # References
/// Gretton, Borgwardt, Rasch, Schölkopf & Smola (2012), *A Kernel Two-Sample Test*, (3) and (5).
///
/// # Examples
/// ```
/// use kern_core::{Samples, kernels::Linear};
/// use kern_solvers::dependence::mmd;
/// let x = Samples::from_rows(&[[1.0], [3.0]])?;
/// let y = Samples::from_rows(&[[0.0], [1.0], [2.0]])?;
/// let found = mmd(&Linear, &x, &y)?;
/// // (2 − 1)², and 1·3 + (0·1 + 0·2 + 1·2)/3 − 2·2·1 without the points' own products.
/// assert!((found.biased() - 1.0_f64).abs() < 1e-15);
/// assert!((found.unbiased().unwrap() + 1.0 / 3.0).abs() < 1e-14);
/// # Ok::<(), kern_solvers::Error>(())
/// ```
#[doc(alias = "maximum mean discrepancy")]
pub fn mmd<P: Points, K: Mercer<P>>(kernel: &K, x: &P, y: &P) -> Result<Discrepancy, Error> {
    let compared = ByDifferences::of(kernel);
    let pooled = Pooled::new(kernel, &compared, x, y)?;
    let splits = Splits::draw(pooled.sizes(), 0, 0);
    let sums = pooled.sums(&splits, &mut Run::new())?;
    Ok(of_split(&sums, &splits, 0))
}

/// The discrepancy of a split.
pub(super) fn of_split(sums: &Sums, splits: &Splits, split: usize) -> Discrepancy {
    let [m, n] = splits.sizes();
    let scale = (gcd(m, n) as f64 / (m as f64 * n as f64)).powi(2);
    let biased = scale * sums.quadratic[split];
    let (m, n) = (m as f64, n as f64);
    let (all, own) = (sums.rows.iter().sum::<f64>(), sums.diagonal.iter().sum::<f64>());
    let first = splits.sum(split, &sums.rows);
    let rest = all - 2.0 * first;
    let within = (biased - rest / (n * n) + 2.0 * first / (m * n)) / (1.0 / m + 1.0 / n).powi(2);
    let own_first = splits.sum(split, &sums.diagonal);
    let traces = [own_first, own - own_first];
    estimates(biased, splits.sizes(), [within, rest + within], traces)
}

/// Both estimates, from the biased one, the sums of the kernel values within the samples, and those of i = j among them.
pub(super) fn estimates(
    biased: f64,
    sizes: [usize; 2],
    within: [f64; 2],
    own: [f64; 2],
) -> Discrepancy {
    let correction = |sample: usize| {
        let n = sizes[sample] as f64;
        (within[sample] / n - own[sample]) / (n * (n - 1.0))
    };
    let enough = sizes.iter().all(|&size| size > 1);
    let unbiased = enough.then(|| biased + correction(0) + correction(1));
    // Rounding may leave less than nothing.
    Discrepancy { biased: biased.max(0.0), unbiased }
}
