//! The feature map of fitted landmarks, and its certificate.
//!
//! Notation: m landmarks 𝓘, D kept eigenvalues Λ of their Gram matrix with vectors U.

use super::factor::InverseRoot;
use crate::Error;
use crate::transform::CHUNK;
use faer::linalg::matmul::matmul;
use faer::{Accum, Mat, MatMut, MatRef, Par};
use kern_core::{FeatureMap, Kernel, Mercer, Points, Scalar, Scratch, Tile};
use kern_gram::{parallel, tile_ranges};
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// Points whose kernel values with the landmarks are held at a time.
const BLOCK: usize = 128;

/// A Nyström feature map; see [`Nystrom`](crate::Nystrom) for the definition.
///
/// # Complexity
/// m kernel evaluations and m·D multiplications per point; a tile of at most 128 × m values of
/// temporary memory.
///
/// # Numerics
/// With all points as landmarks the kernel is reproduced to the accuracy that is tabulated at
/// [`tolerance::eigenvalue_cut`](crate::tolerance::eigenvalue_cut). The features of a point do not
/// depend on the collection that it stands in, beyond the rounding of the matrix products.
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
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(
    try_from = "Packed<P, K>",
    bound(
        serialize = "P: Serialize, K: Serialize",
        deserialize = "P: Deserialize<'de>, K: Deserialize<'de> + Mercer<P>"
    )
)]
pub struct NystromMap<P: Points, K> {
    landmarks: P,
    kernel: K,
    /// The kept eigenvalues, the greatest first.
    eigenvalues: Vec<f64>,
    /// U·Λ^{−1/2}, m × D.
    #[serde(with = "kern_core::serde_mat")]
    projection: Mat<P::Scalar>,
}

/// What is read from a file, before it is checked.
#[derive(Deserialize)]
#[serde(bound = "P: Deserialize<'de>, K: Deserialize<'de>")]
struct Packed<P: Points, K> {
    landmarks: P,
    kernel: K,
    eigenvalues: Vec<f64>,
    #[serde(with = "kern_core::serde_mat")]
    projection: Mat<P::Scalar>,
}

impl<P: Points, K: Mercer<P>> TryFrom<Packed<P, K>> for NystromMap<P, K> {
    type Error = Error;
    fn try_from(packed: Packed<P, K>) -> Result<Self, Error> {
        let Packed { landmarks, kernel, eigenvalues, projection } = packed;
        let dim = eigenvalues.len();
        if dim == 0 || projection.shape() != (landmarks.len(), dim) {
            return Err(Error::Invalid { what: "the projection is not landmarks x eigenvalues" });
        }
        let descending = eigenvalues.is_sorted_by(|a, b| a >= b);
        if !descending || eigenvalues.iter().any(|&v| !(v > 0.0 && v.is_finite())) {
            return Err(Error::Invalid {
                what: "eigenvalues must be positive, finite, descending",
            });
        }
        if projection.col_iter().any(|u| u.iter().any(|v| !v.is_finite_number())) {
            return Err(Error::Invalid { what: "the projection is not finite" });
        }
        kernel.check(&landmarks)?;
        Ok(Self { landmarks, kernel, eigenvalues, projection })
    }
}

impl<P: Points, K: Kernel<P>> NystromMap<P, K> {
    pub(super) fn new(landmarks: P, kernel: K, root: InverseRoot<P::Scalar>) -> Self {
        let InverseRoot { eigenvalues, projection } = root;
        Self { landmarks, kernel, eigenvalues, projection }
    }

    /// The number of features, D, which is the rank of the approximation.
    #[must_use]
    pub fn rank(&self) -> usize {
        self.eigenvalues.len()
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

    /// The kept eigenvalues of the landmarks' Gram matrix, the greatest first.
    #[must_use]
    pub fn eigenvalues(&self) -> &[f64] {
        &self.eigenvalues
    }

    /// λ₁/λ_D, the condition number of what was inverted; below 1/(2√m·u).
    #[must_use]
    pub fn condition(&self) -> f64 {
        self.eigenvalues[0] / self.eigenvalues[self.rank() - 1]
    }

    /// The matrix that is applied to kernel values: U·Λ^{−1/2}, m × D.
    #[must_use]
    pub fn projection(&self) -> MatRef<'_, P::Scalar> {
        self.projection.as_ref()
    }

    /// The relative trace error on `points`: tr(G − G_nys)/tr(G).
    ///
    /// It is the trace norm of the error, since G_nys ⪯ G, relative to that of G; exact and not an
    /// estimate. 0 is perfect, 1 is no better than nothing.
    ///
    /// # Errors
    /// [`Error::EmptyPoints`]; [`Error::Core`] if the map refuses the points; [`Error::ZeroTrace`]
    /// unless tr(G) is positive and finite.
    ///
    /// # Complexity
    /// That of a transform of all points, but features are held for a chunk of points only.
    ///
    /// # Numerics
    /// Summed in double precision in a fixed order. Absolute error O(√m·u·λ₁/tr G̃), u that of the
    /// points' type; so for an exact map the result may be a tiny number of either sign.
    pub fn trace_error(&self, points: &P) -> Result<f64, Error> {
        if points.is_empty() {
            return Err(Error::EmptyPoints { what: "a trace error" });
        }
        self.check(points)?;
        let chunks = tile_ranges(points.len(), CHUNK);
        let sums = parallel::map_init(chunks, Scratch::new, |scratch, range| {
            self.traces(points, range, scratch)
        });
        let add = |a: (f64, f64), b: (f64, f64)| (a.0 + b.0, a.1 + b.1);
        let (trace, residual) = sums.into_iter().fold((0.0, 0.0), add);
        if trace > 0.0 && trace.is_finite() {
            Ok(residual / trace)
        } else {
            Err(Error::ZeroTrace { trace })
        }
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
            let approximate: f64 = psi.iter().map(|v| v.to_f64() * v.to_f64()).sum();
            sums = (sums.0 + exact, sums.1 + (exact - approximate));
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
        let (m, one) = (self.landmarks.len(), P::Scalar::ONE);
        for start in range.clone().step_by(BLOCK) {
            let rows = start..range.end.min(start + BLOCK);
            let mut out = out.as_mut().subcols_mut(start - range.start, rows.len());
            let tile = Tile::new(points, rows, &self.landmarks, 0..m);
            tile.with_block(&self.kernel, scratch, |block| {
                let (u, k) = (self.projection.transpose(), block.transpose());
                matmul(out.as_mut(), Accum::Replace, u, k, one, Par::Seq);
            });
        }
    }

    fn check(&self, points: &P) -> Result<(), kern_core::Error> {
        self.landmarks.check_compatible(points)?;
        self.kernel.check(points)
    }
}
