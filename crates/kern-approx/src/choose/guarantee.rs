//! Features with a guaranteed error for all pairs of points, from bounds and certificates.

use super::choice::cost;
use super::{Choice, Evidence, Kind};
use crate::bounds::{ErrorBound, Pointwise};
use crate::transform::CHUNK;
use crate::{Error, FourierForm, Nystrom, NystromMap, Sampling};
use kern_core::{FeatureMap, Mercer, Points, Samples, Scalar, Scratch, Spectral};
use kern_gram::{MemoryBudget, matrix_bytes, tile_ranges};

/// The number of landmarks tried first.
const LANDMARKS: usize = 64;

const PAIRED: Kind = Kind::Fourier { form: FourierForm::Paired, sampling: Sampling::Independent };

/// The number of pairs of different points. (Paired features are exact for equal ones.)
pub(super) fn pairs(n: usize) -> usize {
    n.saturating_mul(n.saturating_sub(1)) / 2
}

pub(super) fn spectral<T, K>(
    kernel: &K,
    points: &Samples<T>,
    error: f64,
    failure: f64,
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
        // A budget without room for m landmarks is not an error.
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
