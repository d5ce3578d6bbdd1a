//! A neighbour, and how near it is.

use super::pairs::AnyKernel;
use crate::differences::ByDifferences;
use kern_core::Points;
use serde::{Deserialize, Serialize};

/// The meaning of near, and so of the score of a neighbour.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Nearness {
    /// A large K(x, xᵢ), which is the score.
    Similarity,
    /// A small RKHS distance d(x, xᵢ), which is the score.
    Distance,
}

impl Nearness {
    /// The kernel whose values are compared: distances are the same from differences, and finer.
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
/// quadratic, Laplacian, exponential χ²; also times a weight) rank by that distance, unless it might
/// overflow; points are equally near only where it is equal to the last bit. Linear, polynomial and cosine
/// kernels, and sums with them, have distances from the differences of points. With others they are where the computed K(x, xᵢ) − K(xᵢ, xᵢ)/2, by similarity K(x, xᵢ), are equal. A distance² that is
/// not above 512 round-offs of K(x, x), which is its own rounding error, is 0.
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
    /// Its similarity K(x, xᵢ) or distance d(x, xᵢ), as [`Nearness`] says. Distances never fall in the order of the
    /// neighbours.
    pub score: T,
}
