//! Reports on the remainder that an approximation leaves of a Gram matrix.

use super::NystromMap;
use crate::Error;
use crate::columns::squared_norm;
use crate::transform::CHUNK;
use kern_core::{Points, Samples, Scalar};
use kern_gram::{parallel, tile_ranges};

/// The result of [`Nystrom::fit_transform`](crate::Nystrom::fit_transform).
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct NystromFit<P: Points, K> {
    /// The map, for points that come later.
    pub map: NystromMap<P, K>,
    /// The features of the points that the map was fitted to.
    pub features: Samples<P::Scalar>,
    /// The report on what the approximation leaves of their Gram matrix.
    pub report: NystromReport,
}

/// The certificate of a Nyström approximation on some points: how much of the trace is left.
///
/// # Definition
/// G_nys ⪯ G, so ‖G − G_nys‖_tr = tr(G − G_nys) = Σᵢ (K(xᵢ, xᵢ) − ‖ψ(xᵢ)‖²): the error in the trace
/// norm is a sum of n numbers, and bounds that in the Frobenius and the spectral norm. It is the error
/// itself but for rounding, not an estimate.
///
/// # Examples
/// ```
/// use kern_approx::Nystrom;
/// use kern_core::{Samples, kernels::Linear};
/// use kern_gram::MemoryBudget;
/// let x = Samples::from_rows(&[[3.0, 0.0], [0.0, 1.0]])?;
/// let map = Nystrom::new(Linear).fit_landmarks(x.clone(), &MemoryBudget::mebibytes(1))?;
/// let report = map.report(&x)?;
/// assert_eq!((report.trace, report.rank, report.landmarks), (10.0, 2, 2));
/// assert!(report.trace_error.abs() < 1e-14);
/// # Ok::<(), kern_approx::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct NystromReport {
    /// tr G = Σᵢ K(xᵢ, xᵢ).
    pub trace: f64,
    /// tr(G − G_nys).
    pub trace_error: f64,
    /// The number of features, D: the effective rank of the landmarks' Gram matrix, or the rank that
    /// was asked for.
    pub rank: usize,
    /// The number of landmarks that the features are computed from.
    pub landmarks: usize,
}

impl NystromReport {
    /// The report on what features leave of the diagonal of a Gram matrix.
    pub(super) fn of<T: Scalar>(diagonal: &[f64], features: &Samples<T>, landmarks: usize) -> Self {
        let left = |i: usize| diagonal[i] - squared_norm(features.item(i));
        let sums = parallel::map_init(
            tile_ranges(diagonal.len(), CHUNK),
            || (),
            |(), points| points.map(left).sum::<f64>(),
        );
        let (trace, trace_error) = (diagonal.iter().sum(), sums.into_iter().sum());
        Self { trace, trace_error, rank: features.dim(), landmarks }
    }

    /// tr(G − G_nys)/tr(G): 0 is perfect, 1 is no better than nothing.
    ///
    /// # Errors
    /// [`Error::ZeroTrace`] unless tr(G) is positive and finite.
    pub fn relative_trace_error(&self) -> Result<f64, Error> {
        if self.trace > 0.0 && self.trace.is_finite() {
            Ok(self.trace_error / self.trace)
        } else {
            Err(Error::ZeroTrace { trace: self.trace })
        }
    }
}
