//! Dense Gram matrix: all entries are stored.

use crate::stored::stored_operator;
use crate::{Error, GramOperator, MemoryBudget, Representation, tiling};
use faer::{MatMut, MatRef};
use kern_core::memory::LargeMat;
use kern_core::{Binding, Kernel, Points, Scalar};

/// A Gram matrix with all entries stored.
///
/// # Complexity
/// n² values; n²/2 kernel evaluations, since each pair of tiles is computed once.
/// [`PackedGram`](crate::PackedGram) stores the same entries in half the memory.
///
/// # Examples
/// ```
/// use kern_core::{Samples, kernels::Rbf};
/// use kern_gram::{DenseGram, MemoryBudget};
/// let x = Samples::from_rows(&[[0.0], [1.0]])?;
/// let gram = DenseGram::new(&Rbf::new(1.0)?, &x, &MemoryBudget::mebibytes(1))?;
/// assert_eq!(gram.as_mat()[(0, 0)], 1.0);
/// assert!((gram.as_mat()[(0, 1)] - (-1.0_f64).exp()).abs() < 1e-15);
/// # Ok::<(), kern_gram::Error>(())
/// ```
#[doc(alias = "Gram matrix")]
#[doc(alias = "kernel matrix")]
#[derive(Clone, Debug)]
pub struct DenseGram<T: Scalar> {
    values: LargeMat<T>,
}

impl<T: Scalar> DenseGram<T> {
    /// Computes all K(x_i, x_j).
    ///
    /// # Errors
    /// [`Error::Budget`] if n² values exceed the budget, [`Error::Core`] if the kernel refuses the
    /// points, [`Error::NotFinite`] if a value is not finite.
    pub fn new<P, K>(kernel: &K, points: &P, budget: &MemoryBudget) -> Result<Self, Error>
    where
        P: Points<Scalar = T> + ?Sized,
        K: Kernel<P> + ?Sized,
    {
        let n = points.len();
        let instead = Representation::fitting::<T>(n, budget).advice();
        budget.check::<T>("a dense Gram matrix", n, n, instead)?;
        let mut values = LargeMat::zeros(n, n)?;
        Self::fill(kernel, points, values.as_mut())?;
        Ok(Self { values })
    }

    /// Writes all K(x_i, x_j) to memory of the caller. Prefer it in loops, since fresh memory costs
    /// time: half as much again at d = 8.
    ///
    /// # Errors
    /// [`Error::Shape`] unless `out` is n × n; else as [`DenseGram::new`].
    pub fn fill<P, K>(kernel: &K, points: &P, out: MatMut<'_, T>) -> Result<(), Error>
    where
        P: Points<Scalar = T> + ?Sized,
        K: Kernel<P> + ?Sized,
    {
        Self::fill_by(&kernel, points, out)
    }

    /// [`DenseGram::fill`], compiled once for each kind of points.
    fn fill_by<P>(kernel: &dyn Kernel<P>, points: &P, out: MatMut<'_, T>) -> Result<(), Error>
    where
        P: Points<Scalar = T> + ?Sized,
    {
        let n = points.len();
        Error::check_shape("the Gram matrix", (n, n), out.shape())?;
        kernel.check(points)?;
        tiling::fill_symmetric(&Binding::new(kernel, points, points), out)
    }

    /// The matrix.
    #[must_use]
    pub fn as_mat(&self) -> MatRef<'_, T> {
        self.values.as_ref()
    }

    /// Returns the matrix, to be overwritten, for example by its Cholesky factor.
    #[must_use]
    pub fn into_matrix(self) -> LargeMat<T> {
        self.values
    }
}

impl<T: Scalar> GramOperator<T> for DenseGram<T> {
    stored_operator!(apply_symmetric_into);
}
