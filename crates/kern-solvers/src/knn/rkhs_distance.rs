//! The RKHS distance and the similarity, which are the scores of neighbours: the conversion of keys
//! to distances, and its rounding errors.
//!
//! Notation: own = K(x, x) of a query; hᵢ = (K(xᵢ, xᵢ) − c)/2, c = minⱼ K(xⱼ, xⱼ);
//! key = K(x, xᵢ) − hᵢ, so that d² = own + c − 2·key.

use crate::Error;
use crate::differences::ByDifferences;
use kern_core::{Kernel, Points, Scalar, tolerance};
use kern_gram::numerics::arithmetic::{finite_diagonal, largest};
use serde::{Deserialize, Serialize};

/// The ranking of neighbours, and so the meaning of their score.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Nearness {
    /// By similarity: the score is K(x, xᵢ), and the nearest have the largest.
    Similarity,
    /// By distance: the score is the RKHS distance d(x, xᵢ), and the nearest have the smallest.
    Distance,
}

impl Nearness {
    /// The kernel whose values are compared. Distances are computed from differences of points
    /// where possible: the same distances, with smaller rounding errors.
    pub(super) fn compared<'a, P: Points>(
        self,
        kernel: &'a AnyKernel<'a, P>,
    ) -> ByDifferences<'a, P> {
        match self {
            Self::Similarity => ByDifferences::Itself(kernel),
            Self::Distance => ByDifferences::of(kernel),
        }
    }
}

/// A neighbour of a query.
///
/// # Numerics
/// Neighbours are ranked before the score is rounded: two far points may both have distance √2 to
/// the last bit, or a similarity that underflows to 0, and still be in the right order. On dense
/// samples, kernels that decrease with a distance (RBF, ARD RBF, exponential, Matérn, rational
/// quadratic, Laplacian, exponential χ²; also times a weight) rank by that distance, unless it
/// might overflow; points are equally near only if it is equal to the last bit. Linear, polynomial
/// and cosine kernels, and sums with them, compute distances from the differences of points. With
/// other kernels, points are equally near if the computed K(x, xᵢ) − K(xᵢ, xᵢ)/2 (by similarity,
/// K(x, xᵢ)) are equal. A squared distance of at most 512 round-offs of K(x, x), which is its
/// rounding error, is set to 0.
///
/// # Examples
/// ```
/// use kern_core::{Samples, kernels::Linear};
/// use kern_solvers::knn::{KNearest, Neighbor};
/// let x = Samples::from_rows(&[[0.0], [3.0], [4.0]])?;
/// let model = KNearest::by_distance(Linear).neighbors(2).fit(&x, &[0.0, 1.0, 2.0])?;
/// let rows = model.neighbors(&Samples::from_rows(&[[2.5]])?)?;
/// assert_eq!(rows[0], [Neighbor { index: 1, score: 0.5 }, Neighbor { index: 2, score: 1.5 }]);
/// # Ok::<(), kern_solvers::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Neighbor<T> {
    /// The index of the fitted point.
    pub index: usize,
    /// Its similarity K(x, xᵢ) or distance d(x, xᵢ), depending on [`Nearness`]. Distances never
    /// decrease in the order of the neighbours.
    pub score: T,
}

/// A type-erased kernel on the points `P`.
pub(super) type AnyKernel<'a, P> = dyn Kernel<P> + 'a;

/// The contribution of the norms of the fitted points to keys and distances; 0 by similarity.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Norms<T> {
    /// hᵢ.
    penalties: Vec<T>,
    /// c.
    base: f64,
    /// maxⱼ K(xⱼ, xⱼ).
    largest: f64,
    /// True if h = 0.
    are_equal: bool,
}

impl<T: Scalar> Norms<T> {
    /// No contribution, for n points.
    pub(super) fn none(n: usize) -> Self {
        Self { penalties: vec![T::ZERO; n], base: 0.0, largest: 0.0, are_equal: true }
    }

    pub(super) fn new<P: Points<Scalar = T>>(
        kernel: &AnyKernel<'_, P>,
        points: &P,
    ) -> Result<Self, Error> {
        // Checked before the minimum is taken: one bad value would spoil all the others.
        let diagonal = finite_diagonal((0..points.len()).map(|i| kernel.diag(points, i).to_f64()))?;
        let base = diagonal.iter().copied().fold(f64::INFINITY, f64::min);
        let largest = diagonal.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        // Halved before the difference, which then cannot overflow.
        let penalty = |own: &f64| T::from_f64(own / 2.0 - base / 2.0);
        let penalties: Vec<T> = diagonal.iter().map(penalty).collect();
        let are_equal = penalties.iter().all(|&penalty| penalty == T::ZERO);
        Ok(Self { penalties, base, largest, are_equal })
    }

    /// The first point with the largest hᵢ.
    pub(super) fn index_of_largest(&self) -> Option<usize> {
        largest(self.penalties.iter().map(|penalty| penalty.to_f64())).map(|(i, _)| i)
    }

    /// hᵢ.
    pub(super) fn penalty(&self, i: usize) -> T {
        self.penalties[i]
    }

    /// True if h = 0, so that the order is that of the kernel's values.
    pub(super) fn are_equal(&self) -> bool {
        self.are_equal
    }

    /// The distance that belongs to a key.
    pub(super) fn distance(&self, own: f64, key: T) -> T {
        let squared = own + self.base - 2.0 * key.to_f64();
        // The bound is the same for all points, so distances stay in the order of the keys. The
        // caller detects non-finite values.
        let is_rounding = squared.is_finite() && squared <= Self::rounding(own);
        let squared = if is_rounding { 0.0 } else { squared };
        T::from_f64(squared.sqrt())
    }

    /// The rounding error of d² near distance 0: K(x, x), K(xᵢ, xᵢ) and K(x, xᵢ) are equal, and a
    /// tile's values may err by `TILE_ERROR` round-offs, which is twice that in d².
    fn rounding(own: f64) -> f64 {
        2.0 * tolerance::TILE_ERROR * T::UNIT_ROUNDOFF * own.abs()
    }

    /// A lower bound of the keys of all points within the radius; points above it must still be
    /// checked.
    pub(super) fn smallest_key(&self, own: f64, radius: f64) -> f64 {
        // Distances² below `rounding` are 0; and all are rounded to `T` once more.
        let squared = (radius * radius).max(Self::rounding(own));
        let scale = own.abs() + self.base.abs() + squared;
        (own + self.base - squared) / 2.0 - 8.0 * T::UNIT_ROUNDOFF * scale
    }

    /// Bounds of the exact distance of every point with this key; both decrease as the key
    /// increases.
    ///
    /// Let S be the largest K of a point with itself, the query included. Then |K| ≤ S, and
    /// computed values err by at most e = `TILE_ERROR`·u·S. In d² = own + K(xᵢ, xᵢ) − 2K(x, xᵢ)
    /// that is 4e; rounding hᵢ ≤ S/2 and the key, of at most 3S/2, to `T` adds 4uS, and the sums in
    /// double precision a few round-offs of 4S.
    pub(super) fn bounds(&self, own: f64, key: T) -> [f64; 2] {
        // Where K(x, x) = 0 for all x, keys are distances, with an error relative to these.
        let scale = own.abs().max(self.largest.abs());
        let scale = if scale > 0.0 { scale } else { 2.0 * key.to_f64().abs() };
        let error = 4.0 * (tolerance::TILE_ERROR + 8.0) * T::UNIT_ROUNDOFF * scale;
        let squared = own + self.base - 2.0 * key.to_f64();
        let root = |squared: f64| squared.max(0.0).sqrt();
        let rounded = 2.0 * f64::UNIT_ROUNDOFF;
        [root(squared - error) * (1.0 - rounded), root(squared + error) * (1.0 + rounded)]
    }
}
