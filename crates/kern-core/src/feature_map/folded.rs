//! Features that are a linear map of cheaper features.

use super::FeatureMap;
use crate::memory::{converted, zeros};
use crate::products::{inner_products, matmul, solve_lower, solve_upper};
use crate::{Error, Points, Scalar};
use faer::{Accum, Mat, MatRef};

/// Features ψ = Rᵀχ given by cheaper features χ: linear functions of ψ are evaluated as linear
/// functions of χ, ⟨w, ψ(x)⟩ = ⟨Rw, χ(x)⟩.
#[allow(missing_debug_implementations, reason = "a boxed map has none")]
pub struct Folded<'m, P: Points + ?Sized> {
    /// χ.
    pub inner: Box<dyn FeatureMap<P> + 'm>,
    /// R.
    pub fold: Fold<MatRef<'m, P::Scalar>>,
}

/// The matrix R, dim χ × D, which converts between weights of χ and weights of ψ; `A` holds a
/// matrix.
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
pub enum Fold<A> {
    /// R = 1.
    Identity,
    /// R itself.
    Matrix(A),
    /// R = L⁻ᵀ for this lower triangular L.
    InverseTransposed(A),
}

/// The number of columns of R or L converted to double precision at a time.
const WIDTH: usize = 256;

impl<'m, P: Points + ?Sized> Folded<'m, P> {
    /// The features with which linear functions of a map are evaluated: its cheaper features if it
    /// has any, otherwise its own.
    pub fn of<M: FeatureMap<P>>(map: &'m M) -> Self
    where
        P: 'm,
    {
        map.folded().unwrap_or_else(|| Self { inner: Box::new(map), fold: Fold::Identity })
    }
}

impl<T: Scalar> Fold<MatRef<'_, T>> {
    /// Rw: weights of χ from weights of ψ.
    ///
    /// # Errors
    /// [`Error::Allocation`] if the memory cannot be allocated.
    ///
    /// # Numerics
    /// Computed in double precision and rounded at the end: the weights of χ are large where ψ is
    /// an ill-conditioned map of χ, and rounding errors of single precision would affect every
    /// value.
    pub fn unfold(self, weights: MatRef<'_, T>) -> Result<Mat<T>, Error> {
        if size_of::<T>() == size_of::<f64>() {
            return self.unfold_as_it_is(weights);
        }
        let mut wide: Mat<f64>;
        match self {
            Self::Identity => return converted(weights),
            Self::Matrix(root) => {
                wide = zeros(root.nrows(), weights.ncols())?;
                for start in (0..root.ncols()).step_by(WIDTH) {
                    let width = WIDTH.min(root.ncols() - start);
                    let some = converted(root.subcols(start, width))?;
                    let part = converted(weights.subrows(start, width))?;
                    matmul(wide.as_mut(), Accum::Add, some.as_ref(), part.as_ref(), 1.0);
                }
            }
            Self::InverseTransposed(lower) => {
                wide = converted(weights)?;
                for start in (0..lower.ncols()).step_by(WIDTH).rev() {
                    let rows = lower.nrows() - start;
                    let some = lower.submatrix(start, start, rows, WIDTH.min(rows));
                    let some = converted(some)?;
                    let (corner, below) = some.as_ref().split_at_row(some.ncols());
                    let (mut unknown, known) =
                        wide.as_mut().subrows_mut(start, rows).split_at_row_mut(some.ncols());
                    let (out, known) = (unknown.as_mut(), known.as_ref());
                    inner_products(out, Accum::Add, below, known, -1.0);
                    solve_upper(corner, unknown);
                }
            }
        }
        converted(wide.as_ref())
    }

    fn unfold_as_it_is(self, weights: MatRef<'_, T>) -> Result<Mat<T>, Error> {
        match self {
            Self::Identity => converted(weights),
            Self::Matrix(root) => {
                let mut out = zeros(root.nrows(), weights.ncols())?;
                matmul(out.as_mut(), Accum::Replace, root, weights, T::ONE);
                Ok(out)
            }
            Self::InverseTransposed(lower) => {
                let mut out = converted(weights)?;
                solve_upper(lower, out.as_mut());
                Ok(out)
            }
        }
    }

    /// Rᵀv: sums of ψ from sums of χ.
    ///
    /// # Errors
    /// [`Error::Allocation`] if the memory cannot be allocated.
    pub fn apply(self, mut sums: Mat<T>) -> Result<Mat<T>, Error> {
        match self {
            Self::Identity => Ok(sums),
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

/// R in double precision: solvers keep it while they iterate on weights of ψ.
impl Fold<Mat<f64>> {
    /// The matrix R of a map; R = 1 if its features are not a linear map of others.
    ///
    /// # Errors
    /// [`Error::Allocation`] if the memory cannot be allocated.
    pub fn of<P: Points, M: FeatureMap<P>>(map: &M) -> Result<Self, Error> {
        Ok(match Folded::of(map).fold {
            Fold::Identity => Self::Identity,
            Fold::Matrix(root) => Self::Matrix(converted(root)?),
            Fold::InverseTransposed(lower) => Self::InverseTransposed(converted(lower)?),
        })
    }

    fn view(&self) -> Fold<MatRef<'_, f64>> {
        match self {
            Self::Identity => Fold::Identity,
            Self::Matrix(root) => Fold::Matrix(root.as_ref()),
            Self::InverseTransposed(lower) => Fold::InverseTransposed(lower.as_ref()),
        }
    }

    /// c = Rw, in the type of the points.
    ///
    /// # Errors
    /// [`Error::Allocation`] if the memory cannot be allocated.
    pub fn coefficients<T: Scalar>(&self, w: MatRef<'_, f64>) -> Result<Mat<T>, Error> {
        converted(self.view().unfold(w)?.as_ref())
    }

    /// Rᵀv.
    ///
    /// # Errors
    /// [`Error::Allocation`] if the memory cannot be allocated.
    pub fn features(&self, v: Mat<f64>) -> Result<Mat<f64>, Error> {
        self.view().apply(v)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test may panic")]

    use super::{Fold, WIDTH};
    use faer::{Mat, MatRef};

    /// Single precision, with more columns than are converted at a time, against double precision.
    #[test]
    fn weights_in_single_precision_lose_no_more_than_their_rounding() {
        let n = WIDTH + 100;
        let entry = |i: usize, j: usize| ((i * 7 + j * 13) % 17) as f64 / 17.0 - 0.4;
        let lower = Mat::from_fn(n, n, |i, j| match i.cmp(&j) {
            std::cmp::Ordering::Less => 0.0,
            std::cmp::Ordering::Equal => 3.0,
            std::cmp::Ordering::Greater => (entry(i, j) as f32).into(),
        });
        let w = Mat::from_fn(n, 2, |i, j| f64::from(entry(i, 5 * j + 1) as f32));
        let (narrow, single) = (single(lower.as_ref()), single(w.as_ref()));
        let folds = [
            (Fold::InverseTransposed(lower.as_ref()), Fold::InverseTransposed(narrow.as_ref())),
            (Fold::Matrix(lower.as_ref()), Fold::Matrix(narrow.as_ref())),
        ];
        for (double, fold) in folds {
            let (expected, found) =
                (double.unfold(w.as_ref()).unwrap(), fold.unfold(single.as_ref()).unwrap());
            let largest = expected.norm_max();
            for j in 0..2 {
                for i in 0..n {
                    let apart = (expected[(i, j)] - f64::from(found[(i, j)])).abs();
                    let rounding = f64::from(f32::EPSILON) * expected[(i, j)].abs();
                    assert!(apart <= rounding + 1e-14 * largest, "{i}, {j}: {apart:e}");
                }
            }
        }
    }

    fn single(wide: MatRef<'_, f64>) -> Mat<f32> {
        Mat::from_fn(wide.nrows(), wide.ncols(), |i, j| wide[(i, j)] as f32)
    }
}
