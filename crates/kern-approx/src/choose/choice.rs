//! Targets of the choice, its result, and the cost of features per point, in multiplications of a
//! matrix product.
//!
//! Only ratios of costs matter. They were measured on one thread of a Zen 5 processor
//! (`cargo bench -p kern-benches --bench features`): a multiplication of the dense product takes
//! 0.02 ns, a cosine 0.2 ns, a step of the structured transform 0.1 ns per value.

use crate::{FourierForm, Sampling, Structure};
use kern_gram::{MemoryBudget, matrix_bytes};
use std::fmt;

/// The target of the features: an error, a number, or a memory size.
///
/// # Examples
/// ```
/// use kern_approx::choose::Target;
/// let target = Target::Error { error: 0.1, failure: 0.01 };
/// assert_ne!(target, Target::Features(1000));
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Target {
    /// |ψ(x)ᵀψ(y) − K(x, y)| < ε·√(K(x, x)·K(y, y)) for all pairs of the given points at once,
    /// except with probability at most δ over the randomness of the map.
    Error {
        /// ε > 0.
        error: f64,
        /// δ > 0.
        failure: f64,
    },
    /// The smallest error with at most this many features.
    Features(usize),
    /// The smallest error with as many features as fit into the budget for all points.
    Memory(MemoryBudget),
}

impl Target {
    /// Converts a memory budget to a number of features of n points.
    pub(super) fn resolve<T>(self, points: usize) -> Self {
        match self {
            Self::Memory(budget) => {
                let one = matrix_bytes::<T>(1, points).max(1);
                Self::Features(usize::try_from(budget.as_bytes() / one).unwrap_or(usize::MAX))
            }
            other => other,
        }
    }
}

/// A kind of features.
///
/// # Examples
/// ```
/// use kern_approx::choose::Kind;
/// assert_eq!(Kind::Monomials.to_string(), "exact monomials");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Kind {
    /// [`RandomFourier::sample`](crate::RandomFourier::sample).
    Fourier {
        /// Paired or with random phases.
        form: FourierForm,
        /// The dependence between frequencies.
        sampling: Sampling,
    },
    /// [`RandomFourier::sample_structured`](crate::RandomFourier::sample_structured), paired.
    Structured(Structure),
    /// [`Nystrom`](crate::Nystrom) with as many landmarks as features.
    Nystrom,
    /// The exact map of [`Polynomial`](kern_core::kernels::Polynomial),
    /// [`Explicit::feature_map`](kern_core::Explicit::feature_map).
    Monomials,
    /// `TensorSketch`, with the feature `sketch`.
    TensorSketch,
    /// [`RandomMaclaurin`](crate::RandomMaclaurin).
    Maclaurin,
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Fourier { form, sampling } => {
                let sampling = match sampling {
                    Sampling::Independent => "independent",
                    Sampling::Orthogonal => "orthogonal",
                    Sampling::Quasi => "quasi-random",
                };
                let form = match form {
                    FourierForm::Paired => "paired",
                    FourierForm::Phase => "phase",
                };
                write!(f, "{sampling} {form} Fourier features")
            }
            Self::Structured(Structure::Orthogonal) => {
                f.write_str("structured orthogonal Fourier features")
            }
            Self::Structured(Structure::Fastfood) => f.write_str("Fastfood Fourier features"),
            Self::Nystrom => f.write_str("Nystrom features"),
            Self::Monomials => f.write_str("exact monomials"),
            Self::TensorSketch => f.write_str("a tensor sketch"),
            Self::Maclaurin => f.write_str("random Maclaurin features"),
        }
    }
}

/// The kind of evidence for the error of a [`Choice`].
///
/// # Examples
/// ```
/// use kern_approx::choose::Evidence;
/// assert_ne!(Evidence::Exact, Evidence::Certificate);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Evidence {
    /// The features reproduce the kernel exactly.
    Exact,
    /// A bound on the largest error over all pairs of the points, for a random seed.
    Bound {
        /// The probability with which it may fail.
        failure: f64,
    },
    /// A bound on the largest error over all pairs of the points, computed for this particular map.
    Certificate,
    /// The measured root mean square error over pairs of some of the points, without a guarantee.
    Measured {
        /// The number of points in the measurement.
        points: usize,
    },
}

/// The chosen features, their number, and the reason for the choice.
///
/// # Examples
/// ```
/// use kern_approx::choose::{Target, choose};
/// use kern_core::{Samples, kernels::Rbf};
/// use kern_gram::MemoryBudget;
/// let x = Samples::from_rows(&[[0.0, 1.0], [1.0, 0.0]])?;
/// let target = Target::Error { error: 0.1, failure: 0.01 };
/// let choice = choose(&Rbf::new(0.5)?, &x, target, &MemoryBudget::mebibytes(1))?;
/// assert!(choice.to_string().starts_with("Nystrom features, D = 2, 32 bytes for all points, error"));
/// # Ok::<(), kern_approx::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Choice {
    /// The kind of features.
    pub kind: Kind,
    /// The number of features, D. For Nyström features the number of landmarks, an upper bound.
    pub dim: usize,
    /// The error, in units of √(K(x, x)·K(y, y)) if it is bounded, and of the mean of K(x, x) if it
    /// is measured; see the evidence.
    pub error: f64,
    /// The evidence for the error.
    pub evidence: Evidence,
    /// The bytes that the features of all points take.
    pub bytes: u64,
    /// The reason for the choice.
    pub reason: String,
}

impl fmt::Display for Choice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { kind, dim, error, evidence, bytes, reason } = self;
        write!(f, "{kind}, D = {dim}, {bytes} bytes for all points, error {error:.2e} (")?;
        match evidence {
            Evidence::Exact => f.write_str("exact")?,
            Evidence::Bound { failure } => {
                write!(f, "bound for all pairs, failure probability {failure:.1e}")?;
            }
            Evidence::Certificate => f.write_str("certified for all pairs")?,
            Evidence::Measured { points } => write!(f, "root mean square, measured on {points}")?,
        }
        write!(f, "): {reason}")
    }
}

/// The cost of a cosine or an exponential.
const ELEMENTARY: f64 = 10.0;
/// The cost of a step of a fast transform.
const ADDITION: f64 = 5.0;

/// The cost of `dim` features of a point of dimension `input_dim`. `degree` is the degree of a
/// polynomial kernel.
pub(super) fn cost(kind: Kind, input_dim: usize, dim: usize, degree: u32) -> f64 {
    let (d, features, p) = (input_dim as f64, dim as f64, f64::from(degree));
    match kind {
        Kind::Fourier { form: FourierForm::Paired, .. } => features * (0.5 * d + ELEMENTARY),
        Kind::Fourier { form: FourierForm::Phase, .. } => features * (d + ELEMENTARY),
        Kind::Structured(structure) => {
            let transforms = if structure == Structure::Orthogonal { 3.0 } else { 2.0 };
            let steps = transforms * (d.max(64.0)).log2().ceil();
            features * (0.5 * ADDITION * steps + ELEMENTARY)
        }
        // Differences and their squares, a profile, and the projection.
        Kind::Nystrom => features * (2.0 * d + ELEMENTARY + features),
        Kind::Monomials => 2.0 * features,
        Kind::TensorSketch => p * d + (p + 1.0) * ADDITION * features * features.log2().max(1.0),
        Kind::Maclaurin => features * p * d,
    }
}

#[cfg(test)]
mod tests {
    use super::{Kind, cost};
    use crate::{FourierForm, Sampling, Structure};

    /// As in the measurements, the costs cross between d = 64 and 128.
    #[test]
    fn structured_frequencies_are_cheaper_from_128_dimensions_on() {
        let dense = Kind::Fourier { form: FourierForm::Paired, sampling: Sampling::Orthogonal };
        for structure in [Structure::Orthogonal, Structure::Fastfood] {
            let structured = |d| cost(Kind::Structured(structure), d, 1000, 0);
            assert!(structured(128) < cost(dense, 128, 1000, 0));
        }
        assert!(
            cost(Kind::Structured(Structure::Orthogonal), 64, 1000, 0) > cost(dense, 64, 1000, 0)
        );
    }
}
