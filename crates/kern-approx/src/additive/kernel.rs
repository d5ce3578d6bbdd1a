//! Additive homogeneous kernels, and their spectra.

use kern_core::kernels::{ChiSquared, Intersection};
use serde::{Deserialize, Serialize};
use std::f64::consts::{LN_2, PI};

/// An additive homogeneous kernel Σⱼ k(x_j, y_j) on vectors of non-negative numbers, whose terms are
/// k(x, y) = √(xy)·∫ cos(ω·ln(y/x))·s(ω) dω with a spectrum s of mass 1.
///
/// # References
/// Vedaldi & Zisserman (2012), *Efficient Additive Kernels via Explicit Feature Maps*, table 1.
///
/// # Examples
/// ```
/// use kern_approx::AdditiveKernel;
/// use kern_core::kernels::ChiSquared;
/// assert_eq!(AdditiveKernel::from(ChiSquared), AdditiveKernel::ChiSquared);
/// assert_eq!(AdditiveKernel::ChiSquared.term(1.0, 3.0), 1.5);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum AdditiveKernel {
    /// 2xy/(x + y); s(ω) = 1/cosh(πω).
    ChiSquared,
    /// min(x, y); s(ω) = (2/π)/(1 + 4ω²).
    Intersection,
    /// (x/2)·log₂((x + y)/x) + (y/2)·log₂((x + y)/y); s(ω) = (1/ln 2)/(cosh(πω)·(1 + 4ω²)).
    JensenShannon,
}

impl From<ChiSquared> for AdditiveKernel {
    fn from(_: ChiSquared) -> Self {
        Self::ChiSquared
    }
}

impl From<Intersection> for AdditiveKernel {
    fn from(_: Intersection) -> Self {
        Self::Intersection
    }
}

impl AdditiveKernel {
    /// k(x, y) for non-negative x and y: the part of one coordinate.
    #[must_use]
    pub fn term(self, x: f64, y: f64) -> f64 {
        if x <= 0.0 || y <= 0.0 {
            return 0.0;
        }
        match self {
            Self::ChiSquared => 2.0 * x * (y / (x + y)),
            Self::Intersection => x.min(y),
            Self::JensenShannon => 0.5 * (x * (y / x).ln_1p() + y * (x / y).ln_1p()) / LN_2,
        }
    }

    /// s(ω).
    pub(super) fn spectrum(self, omega: f64) -> f64 {
        let lorentz = 1.0 / (1.0 + 4.0 * omega * omega);
        match self {
            Self::ChiSquared => (PI * omega).cosh().recip(),
            Self::Intersection => 2.0 / PI * lorentz,
            Self::JensenShannon => lorentz / (LN_2 * (PI * omega).cosh()),
        }
    }

    /// The interval L at which the two errors of n samples, at 0, L, …, nL, are about equal: what lies
    /// beyond nL is lost, and as a function of ln(y/x) the sum has the period 2π/L, so that it is
    /// wrong by the kernel's value at half a period.
    ///
    /// With L the first error shrinks and the second grows, so bisection finds it.
    pub(super) fn interval(self, steps: usize) -> f64 {
        let (mut low, mut high) = (0.0, 2.0);
        for _ in 0..f64::MANTISSA_DIGITS {
            let middle = 0.5 * (low + high);
            let balanced = self.aliased(PI / middle) >= self.lost(steps as f64 * middle);
            if balanced { high = middle } else { low = middle }
        }
        high
    }

    /// k(x, y) for √(xy) = 1 and a great difference of logarithms, |ln(y/x)| = `logarithm`.
    fn aliased(self, logarithm: f64) -> f64 {
        let decay = (-0.5 * logarithm).exp();
        match self {
            Self::ChiSquared => 2.0 * decay,
            Self::Intersection => decay,
            Self::JensenShannon => 0.5 * (1.0 + logarithm) * decay / LN_2,
        }
    }

    /// 2∫s(ω) dω from a great `omega` to infinity, or a little more.
    fn lost(self, omega: f64) -> f64 {
        let decay = 4.0 / PI * (-PI * omega).exp();
        match self {
            Self::ChiSquared => decay,
            Self::Intersection => (PI * omega).recip(),
            Self::JensenShannon => decay / (LN_2 * (1.0 + 4.0 * omega * omega)),
        }
    }
}
