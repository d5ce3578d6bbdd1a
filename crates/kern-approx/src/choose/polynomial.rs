//! The choice of features for polynomial kernels.

use super::comparison::{Candidate, best, nystrom};
use super::guarantee::pairs;
use super::{Choice, Evidence, Kind, Target, check};
use crate::{Error, RandomMaclaurin, TensorSketch};
use kern_core::kernels::Polynomial;
use kern_core::{Points, Samples, Scalar};
use kern_gram::{MemoryBudget, matrix_bytes};

/// Chooses features for a polynomial kernel, and their number.
///
/// # Definition
/// The exact monomials if there are no more of them than the target allows, or than a
/// [`TensorSketch`](crate::TensorSketch) needs for a target error; its variance is at most (3^p −
/// 1)·K(x, x)·K(y, y)/D, from which Chebyshev's inequality gives a bound for all pairs. Otherwise
/// the best of [`TensorSketch`](crate::TensorSketch), [`RandomMaclaurin`](crate::RandomMaclaurin)
/// and [`Nystrom`](crate::Nystrom) on a sample of the points, as in [`choose`](super::choose).
///
/// # Errors
/// As [`choose`](super::choose).
///
/// # Examples
/// ```
/// use kern_approx::choose::{Kind, Target, choose_polynomial};
/// use kern_core::{Samples, kernels::Polynomial};
/// use kern_gram::MemoryBudget;
/// let x = Samples::from_rows(&[[0.0, 0.3], [1.0, 0.2], [0.1, 0.9]])?;
/// let (kernel, budget) = (Polynomial::new(1.0, 1.0, 3)?, MemoryBudget::mebibytes(1));
/// let choice = choose_polynomial(&kernel, &x, Target::Features(50), &budget)?;
/// assert_eq!((choice.kind, choice.dim, choice.error), (Kind::Monomials, 10, 0.0));
/// # Ok::<(), kern_approx::Error>(())
/// ```
pub fn choose_polynomial<T: Scalar>(
    kernel: &Polynomial,
    points: &Samples<T>,
    target: Target,
    budget: &MemoryBudget,
) -> Result<Choice, Error> {
    check(points)?;
    let monomials = monomials(kernel, points.dim());
    match target.resolve::<T>(points.len()) {
        Target::Features(0) | Target::Memory(_) => {
            Err(Error::Zero { what: "the number of features" })
        }
        Target::Features(dim) => match monomials.filter(|&monomials| monomials <= dim) {
            Some(monomials) => Ok(exact::<T>(monomials, points.len())),
            None => measured(kernel, points, dim, budget),
        },
        Target::Error { error, failure } => guaranteed(kernel, points, error, failure, monomials),
    }
}

/// The best features of a given number, measured on a sample of the points.
fn measured<T: Scalar>(
    kernel: &Polynomial,
    points: &Samples<T>,
    dim: usize,
    budget: &MemoryBudget,
) -> Result<Choice, Error> {
    let d = points.dim();
    let sketch = TensorSketch::new(*kernel).dim(dim);
    let maclaurin = RandomMaclaurin::new(*kernel).dim(dim);
    let candidates: Vec<Candidate<'_, T>> = vec![
        Candidate {
            kind: Kind::TensorSketch,
            dim,
            draw: Box::new(move |seed| Ok(Box::new(sketch.clone().seed(seed).sample(d)?))),
        },
        Candidate {
            kind: Kind::Maclaurin,
            dim,
            draw: Box::new(move |seed| Ok(Box::new(maclaurin.clone().seed(seed).sample(d)?))),
        },
        nystrom(kernel, points, dim, budget),
    ];
    best(kernel, points, candidates, kernel.degree(), budget)
}

/// The number of monomials; `None` if it overflows.
fn monomials(kernel: &Polynomial, input_dim: usize) -> Option<usize> {
    let p = kernel.degree() as usize;
    // Without a constant term only monomials of degree p remain.
    let n = if kernel.coef0() > 0.0 { input_dim.checked_add(p)? } else { input_dim + p - 1 };
    (0..p.min(n - p.min(n))).try_fold(1_usize, |c, i| Some(c.checked_mul(n - i)? / (i + 1)))
}

/// Features with a guaranteed error.
fn guaranteed<T: Scalar>(
    kernel: &Polynomial,
    points: &Samples<T>,
    error: f64,
    failure: f64,
    monomials: Option<usize>,
) -> Result<Choice, Error> {
    let n = points.len();
    let sketch = sketch_dim(kernel, pairs(n).saturating_add(n), error, failure)?;
    if let Some(dim) = monomials.filter(|&dim| dim as f64 <= sketch) {
        return Ok(exact::<T>(dim, n));
    }
    // Integers of this size are exact in double precision.
    if sketch > f64::from(u32::MAX) {
        return Err(Error::Unattainable { failure });
    }
    let dim = sketch as usize;
    let reason = format!(
        "Chebyshev's inequality for all pairs of {n} points; there are {} monomials",
        monomials.map_or_else(|| "too many".to_string(), |dim| dim.to_string())
    );
    Ok(Choice {
        kind: Kind::TensorSketch,
        dim,
        error,
        evidence: Evidence::Bound { failure },
        bytes: matrix_bytes::<T>(dim, n),
        reason,
    })
}

/// The D with N·(3^p − 1)/(D·ε²) ≤ δ.
fn sketch_dim(kernel: &Polynomial, pairs: usize, error: f64, failure: f64) -> Result<f64, Error> {
    let error = kern_core::Positive::new("the error", error)?.get();
    let failure = kern_core::Positive::new("the failure probability", failure)?.get();
    let variance = 3.0_f64.powf(f64::from(kernel.degree())) - 1.0;
    Ok((pairs as f64 * variance / (error * error * failure)).ceil().max(1.0))
}

/// The exact map.
fn exact<T: Scalar>(dim: usize, n: usize) -> Choice {
    Choice {
        kind: Kind::Monomials,
        dim,
        error: 0.0,
        evidence: Evidence::Exact,
        bytes: matrix_bytes::<T>(dim, n),
        reason: "no approximation of this size or error is cheaper".to_string(),
    }
}
