//! Automatic choice of features and their number: for a target error, a number of features, or a
//! memory budget.
//!
//! `choice` holds targets, results and costs; `guarantee` finds features with a guaranteed error;
//! `comparison` compares kinds of features on some of the data. With the feature `sketch`,
//! `polynomial` makes the choice for polynomial kernels, most of which are sketched.
//!
//! # Examples
//! ```
//! use kern_approx::choose::{Evidence, Kind, Target, choose};
//! use kern_core::{Samples, kernels::Rbf};
//! use kern_gram::MemoryBudget;
//! // Points on a line: few landmarks span them, and the largest error is certified.
//! let rows: Vec<[f64; 1]> = (0..500).map(|i| [f64::from(i) / 100.0]).collect();
//! let (x, budget) = (Samples::from_rows(&rows)?, MemoryBudget::mebibytes(64));
//! let target = Target::Error { error: 0.05, failure: 0.01 };
//! let choice = choose(&Rbf::new(0.5)?, &x, target, &budget)?;
//! assert_eq!((choice.kind, choice.dim), (Kind::Nystrom, 64));
//! assert!(matches!(choice.evidence, Evidence::Certificate) && choice.error < 0.05);
//! println!("{choice}");
//! # Ok::<(), kern_approx::Error>(())
//! ```

mod choice;
mod comparison;
mod guarantee;
#[cfg(feature = "sketch")]
mod polynomial;

pub use choice::{Choice, Evidence, Kind, Target};
#[cfg(feature = "sketch")]
pub use polynomial::choose_polynomial;

use crate::Error;
use kern_core::{Mercer, Points, Samples, Scalar, Spectral};
use kern_gram::MemoryBudget;

/// Chooses features for a kernel with a spectral sampler, and their number.
///
/// # Definition
/// For a [`Target::Error`] it is the cheaper of two kinds that guarantee the error for all pairs of
/// the given points: independent paired Fourier features, as many as Hoeffding's inequality
/// requires ([`Pointwise`](crate::bounds::Pointwise)); and Nyström features, whose largest error is
/// known after the fit: with r(x) = K(x, x) − ‖ψ(x)‖², |K(x, y) − ψ(x)ᵀψ(y)| ≤ √(r(x)·r(y)),
/// because the residual of a Gram matrix is positive semi-definite. The number of landmarks is
/// doubled, from 64 on, while that is cheaper than the Fourier features. Orthogonal, quasi-random
/// and structured features usually have smaller errors, but no inequality as sharp, and are not
/// considered here.
///
/// For [`Target::Features`] and [`Target::Memory`] all kinds that the kernel allows are drawn with
/// that number of features, three times each, and the root mean square error over all pairs of up
/// to 256 random points is measured. The choice is the cheapest of those within a tenth of the
/// smallest error.
///
/// To create the maps, use [`RandomFourier`](crate::RandomFourier) and [`Nystrom`](crate::Nystrom);
/// the certificate holds for the seed 0, which is their default.
///
/// # Errors
/// [`Error::Core`] if the kernel or the points are invalid or ε or δ not positive,
/// [`Error::EmptyPoints`] without points, [`Error::Unattainable`] if no number of features reaches
/// the target, [`Error::Zero`] if not even one feature is allowed, [`Error::Gram`] if the work does
/// not fit in the budget.
///
/// # Complexity
/// For a target error: m³ for landmarks and a pass over the data, for m up to that of the choice;
/// an m that fails stops at the first chunk of points that shows it. Otherwise the features of
/// 3·256 points of each kind.
///
/// # Examples
/// ```
/// use kern_approx::choose::{Evidence, Target, choose};
/// use kern_core::{Samples, kernels::Laplacian};
/// use kern_gram::MemoryBudget;
/// let x = Samples::from_rows(&[[0.0, 0.3], [1.0, 0.2], [0.1, 0.9]])?;
/// let budget = MemoryBudget::mebibytes(1);
/// let choice = choose(&Laplacian::new(1.0)?, &x, Target::Features(2), &budget)?;
/// assert!(choice.dim <= 2 && matches!(choice.evidence, Evidence::Measured { .. }));
/// # Ok::<(), kern_approx::Error>(())
/// ```
pub fn choose<T, K>(
    kernel: &K,
    points: &Samples<T>,
    target: Target,
    budget: &MemoryBudget,
) -> Result<Choice, Error>
where
    T: Scalar,
    K: Spectral + Mercer<Samples<T>>,
{
    check(points)?;
    kernel.check(points)?;
    kernel.check_spectrum(points.dim())?;
    match target.resolve::<T>(points.len()) {
        Target::Features(dim) => comparison::spectral(kernel, points, dim, budget),
        Target::Error { error, failure } => {
            guarantee::spectral(kernel, points, error, failure, budget)
        }
        Target::Memory(_) => Err(Error::Zero { what: "the number of features" }),
    }
}

fn check<T: Scalar>(points: &Samples<T>) -> Result<(), Error> {
    if points.is_empty() {
        return Err(Error::EmptyPoints { what: "the choice of features" });
    }
    Ok(())
}
