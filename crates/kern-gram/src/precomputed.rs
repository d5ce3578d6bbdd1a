//! A precomputed Gram matrix, given by the user.

use crate::stored::stored_operator;
use crate::{Error, GramOperator, stored, tiling, tolerance, zeros};
use faer::mat::AsMatRef;
use faer::{Mat, MatMut, MatRef};
use kern_core::Scalar;

/// A precomputed Gram matrix. `M` is an owned [`Mat`] or a borrowed [`MatRef`].
///
/// # Numerics
/// Mirrored entries may differ by the rounding of their computation. Differences up to
/// [`tolerance::asymmetry`](crate::tolerance::asymmetry) are ignored. Up to
/// [`tolerance::single_precision_asymmetry`](crate::tolerance::single_precision_asymmetry), the
/// rounding of single precision, mirrored entries are averaged, in a copy of n² values;
/// [`PrecomputedGram::symmetrized`] needs no copy. A matrix with larger differences is not
/// symmetric.
///
/// # Examples
/// ```
/// use kern_core::faer::mat;
/// use kern_gram::{Error, GramOperator, PrecomputedGram};
/// let values = mat![[2.0, 1.0], [1.0, 2.0]];
/// let gram = PrecomputedGram::new(values.as_ref())?;
/// assert_eq!(gram.apply(mat![[1.0], [0.0]].as_ref())?, mat![[2.0], [1.0]]);
///
/// let error = PrecomputedGram::new(mat![[2.0, 1.0], [0.0, 2.0]]).unwrap_err();
/// assert_eq!(error.to_string(), "not symmetric: entry (1, 0) is 0, entry (0, 1) is 1");
/// # Ok::<(), kern_gram::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct PrecomputedGram<M: AsMatRef<T: Sized, Rows = usize, Cols = usize>> {
    values: M,
    /// The symmetrised copy, if mirrored entries differ by more than rounding.
    symmetric: Option<Mat<M::T>>,
}

impl<T, M> PrecomputedGram<M>
where
    T: Scalar,
    M: AsMatRef<T = T, Rows = usize, Cols = usize>,
{
    /// Wraps a matrix. Positive semi-definiteness is not checked, since that takes O(n³); use
    /// [`GramExt::check_psd`](crate::GramExt::check_psd). But a matrix of distances is refused,
    /// which is recognised by its zero diagonal.
    ///
    /// # Errors
    /// [`Error::Shape`] unless it is square, [`Error::NotFinite`], and
    /// [`kern_core::Error::Asymmetric`] with the first pair of entries, row by row, that differ by
    /// more than the rounding of single precision; [`Error::Distances`] for distances.
    pub fn new(values: M) -> Result<Self, Error> {
        let matrix = values.as_mat_ref();
        check_square(matrix)?;
        let largest = matrix.norm_max().to_f64();
        let (rounding, allowed) =
            (tolerance::asymmetry::<T>(largest), tolerance::single_precision_asymmetry(largest));
        let mut is_single_precision = false;
        for row in 0..matrix.nrows() {
            for col in 0..row {
                let (given, mirrored) = (matrix[(row, col)].to_f64(), matrix[(col, row)].to_f64());
                let apart = (given - mirrored).abs();
                if apart > allowed {
                    return Err(kern_core::Error::Asymmetric { row, col, given, mirrored }.into());
                }
                is_single_precision |= apart > rounding;
            }
        }
        check_diagonal(matrix, largest)?;
        let symmetric = is_single_precision.then(|| with_means(matrix)).transpose()?;
        Ok(Self { values, symmetric })
    }

    /// The matrix in use.
    pub fn as_mat(&self) -> MatRef<'_, T> {
        match &self.symmetric {
            Some(symmetric) => symmetric.as_ref(),
            None => self.values.as_mat_ref(),
        }
    }

    /// Returns the matrix that was passed in.
    pub fn into_inner(self) -> M {
        self.values
    }
}

impl<T: Scalar> PrecomputedGram<Mat<T>> {
    /// The operator of (A + Aᵀ)/2, which overwrites A: for matrices that are symmetric in theory
    /// but were computed in a lower precision, for example.
    ///
    /// # Errors
    /// [`Error::Shape`] unless A is square, [`Error::NotFinite`], [`Error::Distances`].
    ///
    /// # Examples
    /// ```
    /// use kern_core::faer::mat;
    /// use kern_gram::PrecomputedGram;
    /// let gram = PrecomputedGram::symmetrized(mat![[2.0, 1.0], [0.5, 2.0]])?;
    /// assert_eq!(gram.as_mat(), mat![[2.0, 0.75], [0.75, 2.0]]);
    /// # Ok::<(), kern_gram::Error>(())
    /// ```
    pub fn symmetrized(mut values: Mat<T>) -> Result<Self, Error> {
        check_square(values.as_ref())?;
        symmetrize(values.as_mut());
        let largest = values.norm_max().to_f64();
        check_diagonal(values.as_ref(), largest)?;
        Ok(Self { values, symmetric: None })
    }
}

/// A ← (A + Aᵀ)/2.
fn symmetrize<T: Scalar>(mut values: MatMut<'_, T>) {
    for j in 0..values.ncols() {
        for i in 0..j {
            let mean = 0.5 * values[(i, j)].to_f64() + 0.5 * values[(j, i)].to_f64();
            values[(i, j)] = T::from_f64(mean);
            values[(j, i)] = T::from_f64(mean);
        }
    }
}

/// (A + Aᵀ)/2.
fn with_means<T: Scalar>(matrix: MatRef<'_, T>) -> Result<Mat<T>, Error> {
    let mut out = zeros(matrix.nrows(), matrix.ncols())?;
    out.copy_from(matrix);
    symmetrize(out.as_mut());
    Ok(out)
}

/// Checks that the matrix is square and finite.
fn check_square<T: Scalar>(matrix: MatRef<'_, T>) -> Result<(), Error> {
    let n = matrix.nrows();
    Error::check_shape("a precomputed Gram matrix", (n, n), matrix.shape())?;
    tiling::first_non_finite(matrix, 0, 0).map_or(Ok(()), Err)
}

/// A zero diagonal with other entries non-zero means distances: if all K(x, x) are 0, the kernel is
/// 0.
fn check_diagonal<T: Scalar>(matrix: MatRef<'_, T>, largest: f64) -> Result<(), Error> {
    let rounding = tolerance::single_precision_asymmetry(largest);
    let is_zero = |value: &T| value.to_f64().abs() <= rounding;
    if largest > 0.0 && stored::diag(matrix).iter().all(is_zero) {
        return Err(Error::Distances { largest });
    }
    Ok(())
}

impl<T, M> GramOperator<T> for PrecomputedGram<M>
where
    T: Scalar,
    M: AsMatRef<T = T, Rows = usize, Cols = usize> + Send + Sync,
{
    stored_operator!(apply_into);
}
