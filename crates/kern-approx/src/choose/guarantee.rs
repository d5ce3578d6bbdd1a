//! Features that keep a promise: for all pairs of points, from bounds and certificates.

use super::cost::cost;
use super::{Choice, Evidence, Kind};
use crate::bounds::{ErrorBound, Pointwise};
use crate::transform::CHUNK;
use crate::{Error, FourierForm, Nystrom, NystromMap, Sampling};
use kern_core::kernels::Polynomial;
use kern_core::{FeatureMap, Mercer, Points, Samples, Scalar, Scratch, Spectral};
use kern_gram::{MemoryBudget, matrix_bytes, tile_ranges};

/// The number of landmarks that is tried first.
const LANDMARKS: usize = 64;

const PAIRED: Kind = Kind::Fourier { form: FourierForm::Paired, sampling: Sampling::Independent };

/// All pairs of different points, and at least one. (Paired features are exact for equal ones.)
fn pairs(n: usize) -> usize {
    n.saturating_mul(n.saturating_sub(1)) / 2
}

pub(super) fn spectral<T, K>(
    kernel: &K,
    points: &Samples<T>,
    (error, failure): (f64, f64),
    budget: &MemoryBudget,
) -> Result<Choice, Error>
where
    T: Scalar,
    K: Spectral + Mercer<Samples<T>>,
{
    let (n, d) = (points.len(), points.dim());
    let bound = Pointwise::new(FourierForm::Paired).pairs(pairs(n).max(1));
    let fourier = bound.dim(error, failure)?;
    let most = cost(PAIRED, d, fourier, 0);
    let mut landmarks = LANDMARKS.min(n);
    while cost(Kind::Nystrom, d, landmarks, 0) < most {
        // A budget that has no room for m landmarks is no reason to give up.
        let map = match Nystrom::new(kernel).landmarks(landmarks).fit(points, budget) {
            Err(Error::Gram(_)) => break,
            map => map?,
        };
        if let Some(found) = certificate(&map, kernel, points, error) {
            let reason = format!(
                "the error of {landmarks} landmarks is known, and they cost less than the {fourier} \
                 independent Fourier features that a bound asks for"
            );
            return Ok(Choice {
                kind: Kind::Nystrom,
                dim: landmarks,
                error: found,
                evidence: Evidence::Certificate,
                bytes: matrix_bytes::<T>(landmarks, n),
                reason,
            });
        }
        if landmarks == n {
            break;
        }
        landmarks = n.min(2 * landmarks);
    }
    Ok(Choice {
        kind: PAIRED,
        dim: fourier,
        error,
        evidence: Evidence::Bound { failure },
        bytes: matrix_bytes::<T>(fourier, n),
        reason: format!(
            "Hoeffding's inequality for all pairs of {n} points; no fewer than {landmarks} landmarks \
             would do, and they cost more or have no room"
        ),
    })
}

/// The largest r(x)/K(x, x) = 1 − ‖ψ(x)‖²/K(x, x) over all points, if it is below `error`.
fn certificate<T, K>(
    map: &NystromMap<Samples<T>, &K>,
    kernel: &K,
    points: &Samples<T>,
    error: f64,
) -> Option<f64>
where
    T: Scalar,
    K: Mercer<Samples<T>>,
{
    let (dim, mut scratch, mut largest) = (map.dim(), Scratch::new(), 0.0);
    for range in tile_ranges(points.len(), CHUNK) {
        let start = range.start;
        let chunk = scratch.with_matrix(dim, range.len(), |mut z, scratch| {
            map.transform_into(points, range, z.as_mut(), scratch);
            let rest = |(j, z): (usize, kern_core::faer::ColRef<'_, T>)| {
                let norm: f64 = z.iter().map(|v| v.to_f64().powi(2)).sum();
                let diagonal = kernel.diag(points, start + j).to_f64();
                if diagonal > 0.0 { 1.0 - norm / diagonal } else { 0.0 }
            };
            let rests = z.as_ref().col_iter().enumerate().map(rest);
            // NaN is no certificate.
            rests.map(|r| if r < error { r } else { f64::INFINITY }).fold(0.0, f64::max)
        });
        largest = f64::max(largest, chunk);
        if largest >= error {
            return None;
        }
    }
    Some(largest)
}

/// The number of monomials, or None beyond what can be counted.
pub(super) fn monomials(kernel: &Polynomial, input_dim: usize) -> Option<usize> {
    let p = kernel.degree() as usize;
    // Without a constant term only those of degree p are left.
    let n = if kernel.coef0() > 0.0 { input_dim.checked_add(p)? } else { input_dim + p - 1 };
    (0..p.min(n - p.min(n))).try_fold(1_usize, |c, i| Some(c.checked_mul(n - i)? / (i + 1)))
}

pub(super) fn polynomial<T: Scalar>(
    kernel: &Polynomial,
    points: &Samples<T>,
    (error, failure): (f64, f64),
    monomials: Option<usize>,
) -> Result<Choice, Error> {
    let n = points.len();
    let sketch = sketch_dim(kernel, pairs(n).saturating_add(n), (error, failure))?;
    if let Some(dim) = monomials.filter(|&dim| dim as f64 <= sketch) {
        return Ok(exact::<T>(dim, n));
    }
    // Integers of this size are exact.
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
fn sketch_dim(
    kernel: &Polynomial,
    pairs: usize,
    (error, failure): (f64, f64),
) -> Result<f64, Error> {
    let error = kern_core::Positive::new("the error", error)?.get();
    let failure = kern_core::Positive::new("the failure probability", failure)?.get();
    let variance = 3.0_f64.powf(f64::from(kernel.degree())) - 1.0;
    Ok((pairs as f64 * variance / (error * error * failure)).ceil().max(1.0))
}

pub(super) fn exact<T: Scalar>(dim: usize, n: usize) -> Choice {
    Choice {
        kind: Kind::Monomials,
        dim,
        error: 0.0,
        evidence: Evidence::Exact,
        bytes: matrix_bytes::<T>(dim, n),
        reason: "no approximation of this size or error is cheaper".to_string(),
    }
}
