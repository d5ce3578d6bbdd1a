//! The Gram matrix of which nothing is stored.

use crate::evaluator::Evaluator;
use crate::{Error, GramOperator, Rows, check};
use faer::{MatMut, MatRef};
use kern_core::{Kernel, Points, Scalar};

/// A Gram matrix whose entries are computed whenever they are needed.
///
/// What the kernel computes per point, such as the features of a string, is computed once, by
/// [`LazyGram::new`], and kept: O(n) numbers or features.
///
/// # Complexity
/// A product takes n²/2 kernel evaluations, 2·n²·r flops, and O(n·r) memory plus one tile per thread.
///
/// # Examples
/// ```
/// use kern_core::{Samples, kernels::Linear};
/// use kern_gram::{GramOperator, LazyGram};
/// let x = Samples::from_rows(&[[1.0], [2.0]])?;
/// let v = kern_core::faer::mat![[3.0], [4.0]];
/// assert_eq!(LazyGram::new(&Linear, &x)?.apply(v.as_ref())?[(1, 0)], 22.0);
/// # Ok::<(), kern_gram::Error>(())
/// ```
#[doc(alias = "matrix-free")]
#[doc(alias = "KeOps")]
#[derive(Debug)]
pub struct LazyGram<'a, K: ?Sized, P: Points + ?Sized> {
    values: Evaluator<'a, K, P>,
}

impl<'a, P: Points + ?Sized, K: Kernel<P> + ?Sized> LazyGram<'a, K, P> {
    /// The Gram matrix of `points`.
    ///
    /// # Errors
    /// [`Error::Core`] if the kernel refuses the points.
    pub fn new(kernel: &'a K, points: &'a P) -> Result<Self, Error> {
        Ok(Self { values: Evaluator::new(kernel, points)? })
    }
}

impl<T, P, K> GramOperator<T> for LazyGram<'_, K, P>
where
    T: Scalar,
    P: Points<Scalar = T>,
    K: Kernel<P> + ?Sized,
{
    fn size(&self) -> usize {
        self.values.size()
    }

    fn diag(&self) -> Vec<T> {
        self.values.diag().to_vec()
    }

    fn submatrix_into(
        &self,
        rows: Rows<'_>,
        cols: &[usize],
        out: MatMut<'_, T>,
    ) -> Result<(), Error> {
        self.values.submatrix_into(rows, cols, out)
    }

    fn apply_into(&self, v: MatRef<'_, T>, out: MatMut<'_, T>) -> Result<(), Error> {
        self.values.apply_into(v, out)
    }

    fn apply_columns_into(
        &self,
        cols: &[usize],
        v: MatRef<'_, T>,
        out: MatMut<'_, T>,
    ) -> Result<(), Error> {
        self.values.apply_columns_into(cols, v, out)
    }

    /// Half of n², since each tile serves its mirror image.
    fn product_cost(&self) -> f64 {
        check::area(self.size(), self.size()) / 2.0
    }
}
