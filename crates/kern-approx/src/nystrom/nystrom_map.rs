//! The fitted Nyström feature map, and its certificate: reports on the residual of the approximated
//! Gram matrix.
//!
//! Notation: m landmarks 𝓘 with Gram matrix G̃, D features.

use super::inverse_root::{Form, Root};
use crate::Error;
use crate::panels::squared_norm;
use crate::transform::CHUNK;
use faer::{MatMut, MatRef};
use kern_core::feature_map::{Fold, Folded};
use kern_core::{FeatureMap, Kernel, Mercer, Named, Points, Samples, Scalar, Scratch, Tile};
use kern_gram::{parallel, tile_ranges};
use serde::ser::SerializeStruct;
use serde::{Deserialize, Serialize, Serializer};
use std::ops::Range;

/// Points whose kernel values with the landmarks are in memory at a time.
const BLOCK: usize = 256;

/// A Nyström feature map; see [`Nystrom`](crate::Nystrom) for the definition.
///
/// If the Gram matrix G̃ of the landmarks is well conditioned, its root is a Cholesky factor;
/// nearly dependent landmarks, and duplicates, are handled by the eigenvalues of G̃.
///
/// # Complexity
/// m kernel evaluations per point, and m² flops for a Cholesky factor (a triangular solve, in
/// place) or 2·m·D for eigenvalues (a product, with a tile of at most 256 × m values of temporary
/// memory).
///
/// # Numerics
/// With all points as landmarks the kernel is reproduced to the accuracy tabulated at
/// [`tolerance::eigenvalue_cut`](crate::tolerance::eigenvalue_cut). The features of a point do not
/// depend on the collection that contains it, beyond the rounding of the matrix products.
///
/// # Examples
/// ```
/// use kern_approx::Nystrom;
/// use kern_core::{Samples, kernels::Linear};
/// use kern_gram::MemoryBudget;
/// // Points of a plane: two landmarks span all of it, and the map is exact.
/// let x = Samples::from_rows(&[[1.0, 0.0], [0.0, 1.0], [1.0, 1.0], [2.0, -1.0]])?;
/// let map = Nystrom::new(Linear).landmarks(2).fit(&x, &MemoryBudget::mebibytes(1))?;
/// assert_eq!(map.rank(), 2);
/// assert!(map.trace_error(&x)?.abs() < 1e-14);
/// # Ok::<(), kern_approx::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(
    try_from = "Packed<P, K>",
    bound(deserialize = "P: Deserialize<'de>, K: Deserialize<'de> + Mercer<P> + Named")
)]
pub struct NystromMap<P: Points, K> {
    landmarks: P,
    kernel: K,
    root: Root<P::Scalar>,
}

impl<P: Points + Serialize, K: Named + Serialize> Serialize for NystromMap<P, K> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut fields = serializer.serialize_struct("NystromMap", 4)?;
        fields.serialize_field("landmarks", &self.landmarks)?;
        fields.serialize_field("kernel", &(K::name(), &self.kernel))?;
        fields.serialize_field("eigenvalues", self.root.eigenvalues())?;
        fields.serialize_field("root", self.root.form())?;
        fields.end()
    }
}

/// The serialised form, before validation.
#[derive(Deserialize)]
#[serde(bound = "P: Deserialize<'de>, K: Named + Deserialize<'de>")]
struct Packed<P: Points, K> {
    landmarks: P,
    #[serde(with = "kern_core::named")]
    kernel: K,
    eigenvalues: Vec<f64>,
    root: Form<P::Scalar>,
}

impl<P: Points, K: Mercer<P>> TryFrom<Packed<P, K>> for NystromMap<P, K> {
    type Error = Error;
    fn try_from(packed: Packed<P, K>) -> Result<Self, Error> {
        let Packed { landmarks, kernel, eigenvalues, root } = packed;
        let root = Root::of_parts(root, eigenvalues, landmarks.len())?;
        kernel.check(&landmarks)?;
        Ok(Self { landmarks, kernel, root })
    }
}

impl<P: Points, K: Kernel<P>> NystromMap<P, K> {
    pub(super) fn new(landmarks: P, kernel: K, root: Root<P::Scalar>) -> Self {
        Self { landmarks, kernel, root }
    }

    /// The number of features, D, which is the rank of the approximation.
    #[must_use]
    pub fn rank(&self) -> usize {
        self.root.dim()
    }

    /// The landmarks.
    #[must_use]
    pub fn landmarks(&self) -> &P {
        &self.landmarks
    }

    /// The kernel.
    #[must_use]
    pub fn kernel(&self) -> &K {
        &self.kernel
    }

    /// The kept eigenvalues of the landmarks' Gram matrix, in descending order.
    ///
    /// If the root is a Cholesky factor, they are computed on first use: O(m³), and a few m × m
    /// matrices of doubles. Empty if that does not converge.
    #[must_use]
    pub fn eigenvalues(&self) -> &[f64] {
        self.root.eigenvalues()
    }

    /// λ₁/λ_D, the condition number of the inverted matrix. NaN without
    /// [`eigenvalues`](NystromMap::eigenvalues).
    #[must_use]
    pub fn condition(&self) -> f64 {
        match self.eigenvalues() {
            [] => f64::NAN,
            [first, .., last] => first / last,
            [_] => 1.0,
        }
    }

    /// The lower triangular L of G̃ = LLᵀ, if that is the root: features are L⁻¹k.
    #[must_use]
    pub fn lower(&self) -> Option<MatRef<'_, P::Scalar>> {
        match self.root.form() {
            Form::Triangular { lower } => Some(lower.as_ref()),
            Form::Spectral { .. } => None,
        }
    }

    /// U·Λ^{−1/2}, m × D, if that is the root: features are its transpose times k.
    #[must_use]
    pub fn projection(&self) -> Option<MatRef<'_, P::Scalar>> {
        match self.root.form() {
            Form::Triangular { .. } => None,
            Form::Spectral { projection } => Some(projection.as_ref()),
        }
    }

    /// The report on the residual that the approximation leaves of the Gram matrix of `points`.
    ///
    /// # Errors
    /// [`Error::EmptyPoints`]; [`Error::Core`] if the map refuses the points.
    ///
    /// # Complexity
    /// As a transform of all points, but with features in memory for a chunk of points only.
    ///
    /// # Numerics
    /// Summed in double precision in a fixed order. For an exact map the result is rounding error,
    /// and may be tiny of either sign.
    pub fn report(&self, points: &P) -> Result<NystromReport, Error> {
        if points.is_empty() {
            return Err(Error::EmptyPoints { what: "a trace error" });
        }
        self.check(points)?;
        let chunks = tile_ranges(points.len(), CHUNK);
        let sums = parallel::map_init(chunks, Scratch::new, |scratch, range| {
            self.traces(points, range, scratch)
        });
        let add = |a: (f64, f64), b: (f64, f64)| (a.0 + b.0, a.1 + b.1);
        let (trace, trace_error) = sums.into_iter().fold((0.0, 0.0), add);
        let (rank, landmarks) = (self.rank(), self.landmarks.len());
        Ok(NystromReport { trace, trace_error, rank, landmarks })
    }

    /// The relative trace error on `points`: tr(G − G_nys)/tr(G), see
    /// [`report`](NystromMap::report).
    ///
    /// # Errors
    /// As [`report`](NystromMap::report); [`Error::ZeroTrace`] unless tr(G) is positive and finite.
    pub fn trace_error(&self, points: &P) -> Result<f64, Error> {
        self.report(points)?.relative_trace_error()
    }

    /// Σ K(x, x) and Σ (K(x, x) − ‖ψ(x)‖²) over a range of points.
    fn traces(
        &self,
        points: &P,
        range: Range<usize>,
        scratch: &mut Scratch<P::Scalar>,
    ) -> (f64, f64) {
        let (dim, len) = (self.rank(), range.len());
        let mut z = scratch.take(dim * len);
        let out = MatMut::from_column_major_slice_mut(&mut z, dim, len);
        self.transform_into(points, range.clone(), out, scratch);
        let mut sums = (0.0, 0.0);
        for (i, psi) in range.zip(z.chunks_exact(dim)) {
            let exact = self.kernel.diag(points, i).to_f64();
            sums = (sums.0 + exact, sums.1 + (exact - squared_norm(psi)));
        }
        scratch.give(z);
        sums
    }
}

impl<P: Points, K: Kernel<P>> FeatureMap<P> for NystromMap<P, K> {
    fn dim(&self) -> usize {
        self.rank()
    }

    fn transform_into(
        &self,
        points: &P,
        range: Range<usize>,
        mut out: MatMut<'_, P::Scalar>,
        scratch: &mut Scratch<P::Scalar>,
    ) {
        // tidy: allow(panic) because the trait's method carries the `# Panics` section.
        assert_eq!(out.shape(), (self.rank(), range.len()), "the output must be D x points");
        let m = self.landmarks.len();
        for start in range.clone().step_by(BLOCK) {
            let points_here = start..range.end.min(start + BLOCK);
            let out = out.as_mut().subcols_mut(start - range.start, points_here.len());
            self.root.apply(out, scratch, |values, scratch| {
                let tile = Tile::new(&self.landmarks, 0..m, points, points_here);
                self.kernel.block(&tile, values, scratch);
            });
        }
    }

    fn check(&self, points: &P) -> Result<(), kern_core::Error> {
        self.landmarks.check_compatible(points)?;
        self.kernel.check(points)
    }

    /// Kernel values with the landmarks, and the root R of the features Rᵀk: a linear function of a
    /// point then costs m products instead of m².
    fn folded<'s>(&'s self) -> Option<Folded<'s, P>>
    where
        P: 's,
    {
        let fold = match self.root.form() {
            Form::Triangular { lower } => Fold::InverseTransposed(lower.as_ref()),
            Form::Spectral { projection } => Fold::Matrix(projection.as_ref()),
        };
        Some(Folded { inner: Box::new(Values { map: self }), fold })
    }
}

/// The map to the kernel values of a point with the landmarks.
struct Values<'m, P: Points, K> {
    map: &'m NystromMap<P, K>,
}

impl<P: Points, K: Kernel<P>> FeatureMap<P> for Values<'_, P, K> {
    fn dim(&self) -> usize {
        self.map.landmarks.len()
    }

    fn transform_into(
        &self,
        points: &P,
        range: Range<usize>,
        out: MatMut<'_, P::Scalar>,
        scratch: &mut Scratch<P::Scalar>,
    ) {
        let (landmarks, m) = (&self.map.landmarks, self.dim());
        self.map.kernel.block(&Tile::new(landmarks, 0..m, points, range), out, scratch);
    }

    fn check(&self, points: &P) -> Result<(), kern_core::Error> {
        self.map.check(points)
    }

    fn is_expensive(&self) -> bool {
        self.map.kernel.is_pointwise()
    }
}

/// The result of [`Nystrom::fit_transform`](crate::Nystrom::fit_transform).
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct NystromFit<P: Points, K> {
    /// The map, for new points.
    pub map: NystromMap<P, K>,
    /// The features of the points that the map is fitted to.
    pub features: Samples<P::Scalar>,
    /// The report on the residual of their Gram matrix.
    pub report: NystromReport,
}

/// The certificate of a Nyström approximation on some points: the residual trace.
///
/// # Definition
/// G_nys ⪯ G, so ‖G − G_nys‖_tr = tr(G − G_nys) = Σᵢ (K(xᵢ, xᵢ) − ‖ψ(xᵢ)‖²): the error in the trace
/// norm is a sum of n values, and bounds that in the Frobenius and the spectral norm. It is the
/// error itself up to rounding, not an estimate.
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
    /// The number of features, D: the effective rank of the landmarks' Gram matrix, or the
    /// requested rank.
    pub rank: usize,
    /// The number of landmarks that the features are computed from.
    pub landmarks: usize,
}

impl NystromReport {
    /// The report on the residual diagonal of a Gram matrix.
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

    /// tr(G − G_nys)/tr(G): 0 is exact, 1 explains nothing.
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
