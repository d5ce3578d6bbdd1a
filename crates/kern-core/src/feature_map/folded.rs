//! Features that are a linear map of cheaper ones.

use super::FeatureMap;
use crate::memory::zeros;
use crate::products::{inner_products, matmul, solve_lower, solve_upper};
use crate::{Error, Points, Scalar};
use faer::{Accum, Mat, MatRef};

/// Features ψ = Rᵀχ by way of cheaper ones: a linear function of ψ is one of χ, ⟨w, ψ(x)⟩ = ⟨Rw, χ(x)⟩.
#[allow(missing_debug_implementations, reason = "a boxed map has none")]
pub struct Folded<'m, P: Points + ?Sized> {
    /// χ.
    pub inner: Box<dyn FeatureMap<P> + 'm>,
    /// R.
    pub fold: Fold<'m, P::Scalar>,
}

/// R, dim χ × D.
///
/// # Examples
/// ```
/// use kern_core::faer::mat;
/// use kern_core::feature_map::Fold;
/// let (lower, one) = (mat![[2.0, 0.0], [1.0, 1.0]], mat![[1.0], [1.0]]);
/// let fold = Fold::InverseTransposed(lower.as_ref());
/// assert_eq!(fold.unfold(one.as_ref())?, mat![[0.0], [1.0]]); // L⁻ᵀw
/// assert_eq!(fold.apply(one)?, mat![[0.5], [0.5]]); // L⁻¹v
/// # Ok::<(), kern_core::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub enum Fold<'m, T> {
    /// R itself.
    Matrix(MatRef<'m, T>),
    /// R = L⁻ᵀ for this lower triangular L.
    InverseTransposed(MatRef<'m, T>),
}

impl<T: Scalar> Fold<'_, T> {
    /// Rw: the weights of χ in the place of those of ψ.
    ///
    /// # Errors
    /// [`Error::Allocation`] if the system refuses the memory.
    pub fn unfold(self, weights: MatRef<'_, T>) -> Result<Mat<T>, Error> {
        match self {
            Self::Matrix(root) => {
                let mut out = zeros(root.nrows(), weights.ncols())?;
                matmul(out.as_mut(), Accum::Replace, root, weights, T::ONE);
                Ok(out)
            }
            Self::InverseTransposed(lower) => {
                let mut out = zeros(weights.nrows(), weights.ncols())?;
                out.copy_from(weights);
                solve_upper(lower, out.as_mut());
                Ok(out)
            }
        }
    }

    /// Rᵀv: sums of ψ from sums of χ.
    ///
    /// # Errors
    /// [`Error::Allocation`] if the system refuses the memory.
    pub fn apply(self, mut sums: Mat<T>) -> Result<Mat<T>, Error> {
        match self {
            Self::Matrix(root) => {
                let mut out = zeros(root.ncols(), sums.ncols())?;
                inner_products(out.as_mut(), Accum::Replace, root, sums.as_ref(), T::ONE);
                Ok(out)
            }
            Self::InverseTransposed(lower) => {
                solve_lower(lower, sums.as_mut());
                Ok(sums)
            }
        }
    }
}
