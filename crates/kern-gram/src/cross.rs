//! The rectangular matrix of kernel values between two collections.

use crate::{Error, MemoryBudget, product, tiling, zeros};
use faer::{Mat, MatMut, MatRef};
use kern_core::{Binding, Kernel, Points};

/// K(a_i, b_j): what prediction needs, with queries a and training points b.
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
}

impl<'a, P: Points + ?Sized, K: Kernel<P> + ?Sized> CrossGram<'a, K, P> {
    /// The values between `a` (rows) and `b` (columns).
    ///
    /// # Errors
    /// [`Error::Core`] if the kernel refuses the points or the collections do not fit together.
    pub fn new(kernel: &'a K, a: &'a P, b: &'a P) -> Result<Self, Error> {
        b.check_compatible(a)?;
        kernel.check(a)?;
        kernel.check(b)?;
        Ok(Self { kernel, a, b })
    }

    /// The number of rows and columns.
    #[must_use]
    pub fn shape(&self) -> (usize, usize) {
        (self.a.len(), self.b.len())
    }

    /// All values.
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

    /// All values, written to memory of the caller.
    ///
    /// # Errors
    /// [`Error::Shape`] or [`Error::NotFinite`].
    pub fn to_dense_into(&self, out: MatMut<'_, P::Scalar>) -> Result<(), Error> {
        Error::check_shape("the cross-Gram matrix", self.shape(), out.shape())?;
        tiling::fill_cross(&Binding::new(self.kernel, self.a, self.b), out)
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
        product::apply_cross(&Binding::new(self.kernel, self.a, self.b), v, out)
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
