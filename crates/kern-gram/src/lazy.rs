//! The Gram matrix of which nothing is stored.

use crate::{Error, GramOperator, product, tiling};
use faer::{MatMut, MatRef};
use kern_core::{Kernel, Points, Scalar};

/// A Gram matrix whose entries are computed whenever they are needed.
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
#[derive(Debug)]
pub struct LazyGram<'a, K: ?Sized, P: ?Sized> {
    kernel: &'a K,
    points: &'a P,
}

impl<'a, P: Points + ?Sized, K: Kernel<P> + ?Sized> LazyGram<'a, K, P> {
    /// The Gram matrix of `points`.
    ///
    /// # Errors
    /// [`Error::Core`] if the kernel refuses the points.
    pub fn new(kernel: &'a K, points: &'a P) -> Result<Self, Error> {
        kernel.check(points)?;
        Ok(Self { kernel, points })
    }
}

impl<T, P, K> GramOperator<T> for LazyGram<'_, K, P>
where
    T: Scalar,
    P: Points<Scalar = T>,
    K: Kernel<P> + ?Sized,
{
    fn size(&self) -> usize {
        self.points.len()
    }

    fn diag(&self) -> Vec<T> {
        (0..self.size()).map(|i| self.kernel.diag(self.points, i)).collect()
    }

    fn columns_into(&self, indices: &[usize], out: MatMut<'_, T>) -> Result<(), Error> {
        Error::check_shape("the columns", (self.size(), indices.len()), out.shape())?;
        let selected = self.points.select(indices)?;
        tiling::fill_cross(self.kernel, self.points, &selected, out)
    }

    fn apply_into(&self, v: MatRef<'_, T>, out: MatMut<'_, T>) -> Result<(), Error> {
        let shape = (self.size(), v.ncols());
        Error::check_shape("the right-hand side", shape, v.shape())?;
        Error::check_shape("the product", shape, out.shape())?;
        product::apply_symmetric(self.kernel, self.points, v, out)
    }
}
