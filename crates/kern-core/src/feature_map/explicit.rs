//! Kernels with a finite exact feature map.

use super::FeatureMap;
use crate::{Error, Kernel, Points};

/// A kernel of which a feature map of finite dimension is known: K(x, y) = ⟨φ(x), φ(y)⟩ to rounding.
///
/// Closure rules carry it: if the parts are explicit, so is the whole.
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

    /// The feature map for points like these: they tell the dimension of the inputs.
    ///
    /// # Errors
    /// [`Error::TooManyFeatures`] if D exceeds 2³¹, or what is wrong with a parameter.
    fn feature_map(&self, points: &P) -> Result<Self::Map, Error>;
}

/// Refuses dimensions that nobody could hold.
pub(super) fn check_features(dim: Option<usize>) -> Result<usize, Error> {
    const LIMIT: usize = 1 << 31;
    match dim {
        Some(dim) if dim <= LIMIT => Ok(dim),
        _ => Err(Error::TooManyFeatures { limit: LIMIT }),
    }
}
