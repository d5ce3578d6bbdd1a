//! Feature maps 𝒳 → R^D as streaming transformers, and the exact feature maps of kernels and
//! closure rules.
//!
//! | kernel | exact map | dimension |
//! |---|---|---|
//! | [`Linear`](crate::kernels::Linear) | [`Identity`] | d |
//! | [`Polynomial`](crate::kernels::Polynomial) | [`Monomials`] | (d + p choose p) |
//! | [`Mahalanobis`](crate::kernels::Mahalanobis) | [`MahalanobisMap`]: √A·x | rank of A |
//! | [`Hellinger`](crate::kernels::Hellinger) | [`RootMap`]: √x | d |
//! | [`Cosine`](crate::kernels::Cosine) | [`NormalizedMap`]: x/‖x‖ | d |
//! | `c * k` | [`ScaledMap`]: √c·φ | D |
//! | `j + k` | [`StackedMap`]: \[φ₁; φ₂\] | D₁ + D₂ |
//! | `j * k` | [`TensorMap`]: φ₁ ⊗ φ₂ | D₁·D₂ |
//! | `Power::new(k, p)` | [`PowerMap`]: φ ⊗ … ⊗ φ | D^p |
//! | `Normalized::new(k)` | [`NormalizedMap`]: φ/‖φ‖ | D |
//! | `Conjugated::new(f, k)` | [`ConjugatedMap`]: f·φ | D |
//! | `PullBack::new(f, k)` | [`PulledMap`]: φ ∘ f | D |

mod closure_maps;
mod folded;
mod monomials;
mod vector_maps;

pub use closure_maps::{
    ConjugatedMap, NormalizedMap, PowerMap, PulledMap, ScaledMap, StackedMap, TensorMap,
};
pub use folded::{Fold, Folded};
pub use monomials::Monomials;
pub use vector_maps::{Identity, MahalanobisMap, RootMap};

use crate::{Error, Kernel, Named, Points, Scratch};
use faer::MatMut;
use std::ops::Range;

/// A map ψ: 𝒳 → R^D whose inner products are, or approximate, the values of a kernel.
///
/// Features are computed for a few points at a time, so that the n × D matrix of features need not
/// be held in memory.
///
/// # Examples
/// ```
/// use kern_core::{FeatureMap, Identity, Samples, Scratch, faer::Mat};
/// let x = Samples::from_rows(&[[1.0, 2.0], [3.0, 4.0]])?;
/// let map: &dyn FeatureMap<Samples<f64>> = &Identity::new(2);
/// let mut z = Mat::zeros(map.dim(), 1);
/// map.transform_into(&x, 1..2, z.as_mut(), &mut Scratch::new());
/// assert_eq!(z[(0, 0)], 3.0);
/// # Ok::<(), kern_core::Error>(())
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a feature map on the points `{P}`",
    note = "learners take a kernel with `on_kernel`; features of it come from `RandomFourier`, `Nystrom`, or, if they are \
            exact and finite, from `Explicit::feature_map`"
)]
pub trait FeatureMap<P: Points + ?Sized>: Send + Sync {
    /// The dimension D of the features.
    fn dim(&self) -> usize;

    /// Column j of `out` becomes ψ(x_{range.start + j}).
    ///
    /// # Shapes and units
    /// `out` is D × `range.len()`: the features of one point are one column.
    ///
    /// # Panics
    /// If `out` has another shape, or the range is out of bounds.
    fn transform_into(
        &self,
        points: &P,
        range: Range<usize>,
        out: MatMut<'_, P::Scalar>,
        scratch: &mut Scratch<P::Scalar>,
    );

    /// Checks that the map is defined on all of `points`. Called once per collection before work
    /// starts; the default accepts everything.
    ///
    /// # Errors
    /// What is wrong, with the value found and the allowed values.
    fn check(&self, points: &P) -> Result<(), Error> {
        let _ = points;
        Ok(())
    }

    /// Whether features are expensive, so that they are kept in memory where possible instead of
    /// being recomputed. Default: true; a map that takes less time than a few passes over memory
    /// returns false.
    fn is_expensive(&self) -> bool {
        true
    }

    /// The map as a linear map of cheaper features, Rᵀχ, with which linear functions of the
    /// features are evaluated and sums of features accumulated. Default: none.
    fn folded<'s>(&'s self) -> Option<Folded<'s, P>>
    where
        P: 's,
    {
        None
    }
}

macro_rules! delegate {
    ($($pointer:ty),*) => {$(
        impl<P: Points + ?Sized, M: FeatureMap<P> + ?Sized> FeatureMap<P> for $pointer {
            fn dim(&self) -> usize {
                (**self).dim()
            }
            fn transform_into(
                &self,
                points: &P,
                range: Range<usize>,
                out: MatMut<'_, P::Scalar>,
                scratch: &mut Scratch<P::Scalar>,
            ) {
                (**self).transform_into(points, range, out, scratch);
            }
            fn check(&self, points: &P) -> Result<(), Error> {
                (**self).check(points)
            }
            fn is_expensive(&self) -> bool {
                (**self).is_expensive()
            }
            fn folded<'s>(&'s self) -> Option<Folded<'s, P>>
            where
                P: 's,
            {
                (**self).folded()
            }
        }
    )*};
}

delegate!(&M, Box<M>);

/// A kernel with a known feature map of finite dimension: K(x, y) = ⟨φ(x), φ(y)⟩ up to rounding.
///
/// Closure rules propagate it: if the parts are explicit, so is the composite kernel.
///
/// # Examples
/// ```
/// use kern_core::{FeatureMap, Explicit, Kernel, Samples, Scratch, faer::Mat};
/// use kern_core::kernels::{Linear, Polynomial};
/// let x = Samples::from_rows(&[[1.0, 2.0], [3.0, -1.0]])?;
/// let k = 0.5 * Linear * Polynomial::new(1.0, 1.0, 2)?;
/// let map = k.feature_map(&x)?;
/// let dim = FeatureMap::<Samples<f64>>::dim(&map);
/// assert_eq!(dim, 2 * 6);
/// let mut z = Mat::zeros(dim, 2);
/// map.transform_into(&x, 0..2, z.as_mut(), &mut Scratch::new());
/// let expected = Kernel::<Samples<f64>>::eval(&k, &[1.0, 2.0], &[3.0, -1.0]);
/// assert!((z.col(0).transpose() * z.col(1) - expected).abs() < 1e-14);
/// # Ok::<(), kern_core::Error>(())
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no finite exact feature map on `{P}`",
    note = "random Fourier features or Nystrom features approximate it"
)]
pub trait Explicit<P: Points + ?Sized>: Kernel<P> {
    /// The feature map φ.
    type Map: FeatureMap<P>;

    /// The feature map for points such as these, which determine the dimension of the inputs.
    ///
    /// # Errors
    /// [`Error::TooManyFeatures`] if D exceeds 2³¹, or an error for an invalid parameter.
    fn feature_map(&self, points: &P) -> Result<Self::Map, Error>;
}

/// Rejects dimensions too large for memory.
fn check_features(dim: Option<usize>) -> Result<usize, Error> {
    const LIMIT: usize = 1 << 31;
    match dim {
        Some(dim) if dim <= LIMIT => Ok(dim),
        _ => Err(Error::TooManyFeatures { limit: LIMIT }),
    }
}

crate::named! {
    [] Identity = "identity";
    [] MahalanobisMap = "mahalanobis";
    [] RootMap = "roots";
    [M: Named] NormalizedMap<M> = "normalized", of M;
    [M: Named] PowerMap<M> = "power", of M;
    [M: Named] ScaledMap<M> = "scaled", of M;
    [A: Named, B: Named] StackedMap<A, B> = "stacked", of A, B;
    [A: Named, B: Named] TensorMap<A, B> = "tensor", of A, B;
}
