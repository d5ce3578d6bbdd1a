//! The additive χ² kernel.

use super::additive::additive_kernel;
use crate::kernels::declaration::declared;
use crate::simd::lanes::Number;
use crate::tile::Term;
use serde::{Deserialize, Serialize};

/// The additive χ² kernel, on vectors of non-negative numbers such as histograms.
///
/// # Definition
/// K(x, y) = Σⱼ 2·x_j·y_j/(x_j + y_j), 0/0 = 0. Mercer: 1/(a + b) = ∫₀^∞ exp(−ta)·exp(−tb) dt is
/// PSD for a, b > 0, and so are its product with a·b, and sums. (What scikit-learn calls
/// `additive_chi2_kernel` is another function, −Σⱼ (x_j − y_j)²/(x_j + y_j) = 2K(x, y) − ‖x‖₁ − ‖y‖₁.)
///
/// # Numerics
/// Each term as min(a, b)·(max(a, b)/((a + b)/2)), which neither overflows nor cancels.
///
/// # References
/// Vedaldi & Zisserman (2012), *Efficient Additive Kernels via Explicit Feature Maps*, table 1.
///
/// # Examples
/// ```
/// use kern_core::{Error, Kernel, Samples, kernels::ChiSquared};
/// let k = ChiSquared;
/// assert_eq!(Kernel::<Samples<f64>>::eval(&k, &[3.0, 0.0, 5.0], &[1.0, 0.0, 0.0]), 1.5);
/// let negative = Samples::from_rows(&[[1.0, -1.0]])?;
/// let error = Error::Negative { sample: 0, feature: 1, given: -1.0 };
/// assert_eq!(k.check(&negative), Err(error));
/// # Ok::<(), kern_core::Error>(())
/// ```
#[doc(alias = "chi2")]
#[doc(alias = "additive_chi2")]
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ChiSquared;

declared! {
    ChiSquared = "chi2", [];
    => Ok(Self)
}

/// 2xy/(x + y).
#[derive(Clone, Copy)]
struct HarmonicMean;

impl Term for HarmonicMean {
    crate::products::compiled_loops!(HarmonicMean);

    #[inline(always)]
    fn of<N: Number>(self, x: N, y: N) -> N {
        x.at_most(y) * (x.at_least(y) / halved_sum(x, y))
    }
}

/// (x + y)/2, but no less than the smallest normal number, so that it can be divided by.
#[inline(always)]
pub(super) fn halved_sum<N: Number>(x: N, y: N) -> N {
    let half = x.constant(0.5);
    (half * x + half * y).at_least(x.min_positive())
}

additive_kernel!(ChiSquared, HarmonicMean);
