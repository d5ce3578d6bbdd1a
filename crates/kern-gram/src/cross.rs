//! Rectangular matrices of kernel values between two collections, for prediction.

use crate::{Error, MemoryBudget, product, stored, tiling, zeros};
use faer::mat::AsMatRef;
use faer::{Mat, MatMut, MatRef};
use kern_core::{Binding, Kernel, Points, Prepared, Scalar};

/// A matrix of kernel values K(a_i, b_j) between queries a and training points b, stored or not:
/// the common interface of [`CrossGram`], [`PrecomputedCross`] and
/// [`Submatrix`](crate::views::Submatrix).
///
/// # Examples
/// ```
/// use kern_core::{Samples, faer::mat, kernels::Linear};
/// use kern_gram::{CrossGram, CrossOperator, PrecomputedCross};
/// let (queries, train) = (Samples::from_rows(&[[1.0], [2.0]])?, Samples::from_rows(&[[3.0]])?);
/// let operators: [&dyn CrossOperator<f64>; 2] = [
///     &CrossGram::new(&Linear, &queries, &train)?,
///     &PrecomputedCross::new(mat![[3.0], [6.0]])?,
/// ];
/// for operator in operators {
///     assert_eq!(operator.apply(mat![[10.0]].as_ref())?, mat![[30.0], [60.0]]);
/// }
/// # Ok::<(), kern_gram::Error>(())
/// ```
pub trait CrossOperator<T: Scalar>: Send + Sync {
    /// The number of queries and of training points.
    fn shape(&self) -> (usize, usize);

    /// Writes all values to memory of the caller.
    ///
    /// # Errors
    /// [`Error::Shape`] or [`Error::NotFinite`].
    fn to_dense_into(&self, out: MatMut<'_, T>) -> Result<(), Error>;

    /// out = K(a, b)·v.
    ///
    /// # Errors
    /// [`Error::Shape`], [`Error::NotFinite`] or [`Error::ProductNotFinite`].
    fn apply_into(&self, v: MatRef<'_, T>, out: MatMut<'_, T>) -> Result<(), Error>;

    /// All values as a new matrix.
    ///
    /// # Errors
    /// [`Error::Budget`] or [`Error::NotFinite`].
    fn to_dense(&self, budget: &MemoryBudget) -> Result<Mat<T>, Error> {
        let (m, n) = self.shape();
        let instead = "products with a cross-Gram matrix need no such memory";
        budget.check::<T>("a dense cross-Gram matrix", m, n, instead)?;
        let mut out = zeros(m, n)?;
        self.to_dense_into(out.as_mut())?;
        Ok(out)
    }

    /// K(a, b)·v in a new matrix.
    ///
    /// # Errors
    /// As [`apply_into`](CrossOperator::apply_into).
    fn apply(&self, v: MatRef<'_, T>) -> Result<Mat<T>, Error> {
        let mut out = zeros(self.shape().0, v.ncols())?;
        self.apply_into(v, out.as_mut())?;
        Ok(out)
    }
}

impl<T, P, K> CrossOperator<T> for CrossGram<'_, K, P>
where
    T: Scalar,
    P: Points<Scalar = T> + ?Sized,
    K: Kernel<P> + ?Sized,
{
    fn shape(&self) -> (usize, usize) {
        CrossGram::shape(self)
    }

    fn to_dense_into(&self, out: MatMut<'_, T>) -> Result<(), Error> {
        CrossGram::to_dense_into(self, out)
    }

    fn apply_into(&self, v: MatRef<'_, T>, out: MatMut<'_, T>) -> Result<(), Error> {
        CrossGram::apply_into(self, v, out)
    }
}

/// Precomputed kernel values between queries and training points. `M` is an owned [`Mat`] or a
/// borrowed [`MatRef`].
#[derive(Clone, Debug)]
pub struct PrecomputedCross<M> {
    values: M,
}

impl<T, M> PrecomputedCross<M>
where
    T: Scalar,
    M: AsMatRef<T = T, Rows = usize, Cols = usize>,
{
    /// Wraps a matrix of values, one query per row.
    ///
    /// # Errors
    /// [`Error::NotFinite`].
    pub fn new(values: M) -> Result<Self, Error> {
        match tiling::first_non_finite(values.as_mat_ref(), 0, 0) {
            Some(error) => Err(error),
            None => Ok(Self { values }),
        }
    }
}

impl<T, M> CrossOperator<T> for PrecomputedCross<M>
where
    T: Scalar,
    M: AsMatRef<T = T, Rows = usize, Cols = usize> + Send + Sync,
{
    fn shape(&self) -> (usize, usize) {
        self.values.as_mat_ref().shape()
    }

    fn to_dense_into(&self, mut out: MatMut<'_, T>) -> Result<(), Error> {
        Error::check_shape("the cross-Gram matrix", self.shape(), out.shape())?;
        out.copy_from(self.values.as_mat_ref());
        Ok(())
    }

    fn apply_into(&self, v: MatRef<'_, T>, out: MatMut<'_, T>) -> Result<(), Error> {
        stored::apply_into(self.values.as_mat_ref(), v, out)
    }
}

/// The matrix K(a_i, b_j) for prediction, with queries a and training points b.
///
/// # Examples
/// ```
/// use kern_core::{Samples, kernels::Linear};
/// use kern_gram::{CrossGram, MemoryBudget};
/// let queries = Samples::from_rows(&[[1.0], [2.0]])?;
/// let train = Samples::from_rows(&[[3.0]])?;
/// let cross = CrossGram::new(&Linear, &queries, &train)?;
/// assert_eq!(cross.to_dense(&MemoryBudget::mebibytes(1))?[(1, 0)], 6.0);
/// let v = kern_core::faer::mat![[10.0]];
/// assert_eq!(cross.apply(v.as_ref())?[(1, 0)], 60.0);
/// # Ok::<(), kern_gram::Error>(())
/// ```
#[doc(alias = "cross kernel matrix")]
#[derive(Debug)]
pub struct CrossGram<'a, K: ?Sized, P: ?Sized> {
    kernel: &'a K,
    a: &'a P,
    b: &'a P,
    prepared: Option<&'a Prepared>,
}

impl<'a, P: Points + ?Sized, K: Kernel<P> + ?Sized> CrossGram<'a, K, P> {
    /// The values between `a` (rows) and `b` (columns).
    ///
    /// # Errors
    /// [`Error::Core`] if the kernel refuses the points or the collections are incompatible.
    pub fn new(kernel: &'a K, a: &'a P, b: &'a P) -> Result<Self, Error> {
        b.check_compatible(a)?;
        kernel.check(a)?;
        kernel.check(b)?;
        Ok(Self { kernel, a, b, prepared: None })
    }

    /// The values between new points `a` and the points `b` of a model, which are known to be in
    /// the domain of the kernel, with what [`Kernel::prepare`] returned for them.
    ///
    /// # Errors
    /// As [`new`](CrossGram::new), for `a`.
    pub fn of_model(
        kernel: &'a K,
        a: &'a P,
        b: &'a P,
        prepared: Option<&'a Prepared>,
    ) -> Result<Self, Error> {
        b.check_compatible(a)?;
        kernel.check(a)?;
        Ok(Self { kernel, a, b, prepared })
    }

    fn binding(&self) -> Binding<'a, K, P> {
        Binding::prepared(self.kernel, self.a, self.b, self.prepared)
    }

    /// The number of rows and columns.
    #[must_use]
    pub fn shape(&self) -> (usize, usize) {
        (self.a.len(), self.b.len())
    }

    /// All values as a new matrix.
    ///
    /// # Errors
    /// [`Error::Budget`] or [`Error::NotFinite`].
    pub fn to_dense(&self, budget: &MemoryBudget) -> Result<Mat<P::Scalar>, Error> {
        let (m, n) = self.shape();
        let instead = "products with a cross-Gram matrix need no such memory";
        budget.check::<P::Scalar>("a dense cross-Gram matrix", m, n, instead)?;
        let mut out = zeros(m, n)?;
        self.to_dense_into(out.as_mut())?;
        Ok(out)
    }

    /// Writes all values to memory of the caller.
    ///
    /// # Errors
    /// [`Error::Shape`] or [`Error::NotFinite`].
    pub fn to_dense_into(&self, out: MatMut<'_, P::Scalar>) -> Result<(), Error> {
        Error::check_shape("the cross-Gram matrix", self.shape(), out.shape())?;
        tiling::fill_cross(&self.binding(), out)
    }

    /// out = K(a, b)·v, tile by tile; the matrix is never stored.
    ///
    /// # Errors
    /// [`Error::Shape`] or [`Error::NotFinite`].
    pub fn apply_into(
        &self,
        v: MatRef<'_, P::Scalar>,
        out: MatMut<'_, P::Scalar>,
    ) -> Result<(), Error> {
        let (m, n) = self.shape();
        Error::check_shape("the right-hand side", (n, v.ncols()), v.shape())?;
        Error::check_shape("the product", (m, v.ncols()), out.shape())?;
        product::apply_cross(&self.binding(), v, out)
    }

    /// K(a, b)·v in a new matrix.
    ///
    /// # Errors
    /// As [`apply_into`](CrossGram::apply_into).
    pub fn apply(&self, v: MatRef<'_, P::Scalar>) -> Result<Mat<P::Scalar>, Error> {
        let mut out = zeros(self.a.len(), v.ncols())?;
        self.apply_into(v, out.as_mut())?;
        Ok(out)
    }
}
