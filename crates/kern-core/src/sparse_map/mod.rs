//! Exact sparse feature maps: points as sparse rows whose inner products are the values of a kernel.
//!
//! | kernel | its features |
//! |---|---|
//! | [`WordCount`](crate::kernels::WordCount), [`Spectrum`](crate::kernels::Spectrum), [`Mismatch`](crate::kernels::Mismatch), [`WeisfeilerLehman`](crate::kernels::WeisfeilerLehman), [`ShortestPath`](crate::kernels::ShortestPath) | counts |
//! | [`SetIntersection`](crate::kernels::SetIntersection) | indicators of elements |
//! | [`NormalizedSetIntersection`](crate::kernels::NormalizedSetIntersection) | the same over √\|X\| |
//! | [`BagOfWords`](crate::kernels::BagOfWords) | indicators of "the word occurs at least n times" |
//! | [`NormalizedBagOfWords`](crate::kernels::NormalizedBagOfWords) | the same, over the root of the word's count |
//! | [`Delta`](crate::kernels::Delta) on strings | the indicator of the point |
//! | [`Linear`](crate::kernels::Linear), [`Cosine`](crate::kernels::Cosine) on sparse vectors | the coordinates, over the norm |
//! | `c * k`, `Normalized::new(k)` | those of k times √c, over their norm |

mod families;
mod learned;

pub use learned::SparseMap;

use crate::{Error, Identity, Kernel, Points, Scalar, SparseSamples};
use std::borrow::Cow;

/// A kernel that is an inner product of features of which a point has few: K(x, y) = Σ_w φ_w(x)·φ_w(y).
///
/// # Examples
/// A kernel of your own on pairs of numbers, whose features are named:
/// ```
/// use kern_core::{Kernel, SparseExplicit, SparseMap, SparseTransform};
/// struct SameParts;
/// impl Kernel<Vec<[u8; 2]>> for SameParts {
///     fn eval(&self, x: &[u8; 2], y: &[u8; 2]) -> f64 {
///         f64::from(u8::from(x[0] == y[0]) + u8::from(x[1] == y[1]))
///     }
/// }
/// impl SparseExplicit<Vec<[u8; 2]>> for SameParts {
///     type Name = (usize, u8);
///     fn features(&self, x: &[u8; 2]) -> Vec<((usize, u8), f64)> {
///         x.iter().enumerate().map(|(place, &part)| ((place, part), 1.0)).collect()
///     }
/// }
/// let points = vec![[1, 2], [1, 3]];
/// let map = SparseMap::learn(SameParts, &points)?;
/// assert_eq!(map.rows(&points)?.dim(), 3);
/// # Ok::<(), kern_core::Error>(())
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no exact sparse feature map on `{P}`",
    note = "counts of words, pieces of strings, elements of sets and labels of graphs have one, and so have their multiples and \
            `Normalized` ones"
)]
pub trait SparseExplicit<P: Points + ?Sized>: Kernel<P> {
    /// The name of a feature. Two features have the same name only if they are the same.
    type Name: Ord + Clone + Send + Sync;

    /// The features of a point that are not zero, in the order of their names, each once.
    fn features(&self, x: &P::Item) -> Vec<(Self::Name, f64)>;
}

/// A map from points to sparse vectors of a fixed dimension.
pub trait SparseTransform<P: Points>: Send + Sync {
    /// The sparse vectors of the points.
    ///
    /// # Errors
    /// If the map is not defined on a point, or there is no memory.
    fn rows<'p>(&self, points: &'p P) -> Result<Cow<'p, SparseSamples<P::Scalar>>, Error>;
}

impl<P: Points, M: SparseTransform<P> + ?Sized> SparseTransform<P> for &M {
    fn rows<'p>(&self, points: &'p P) -> Result<Cow<'p, SparseSamples<P::Scalar>>, Error> {
        (**self).rows(points)
    }
}

/// Sparse vectors are what they are.
impl<T: Scalar> SparseTransform<SparseSamples<T>> for Identity {
    fn rows<'p>(&self, points: &'p SparseSamples<T>) -> Result<Cow<'p, SparseSamples<T>>, Error> {
        crate::points::check_dim(self.size(), points.dim())?;
        Ok(Cow::Borrowed(points))
    }
}
