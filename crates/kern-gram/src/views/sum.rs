//! A + B.

use super::check_sizes;
use crate::{Error, GramOperator, Rows, check, zeros};
use faer::{MatMut, MatRef};
use kern_core::Scalar;

/// The sum of two operators, made by [`GramExt::plus`](crate::GramExt::plus): the Gram matrix of the
/// sum of their kernels.
#[derive(Clone, Copy, Debug)]
pub struct Sum<A, B> {
    left: A,
    right: B,
}

impl<A, B> Sum<A, B> {
    pub(crate) fn new<T: Scalar>(left: A, right: B) -> Result<Self, Error>
    where
        A: GramOperator<T>,
        B: GramOperator<T>,
    {
        check_sizes(&left, &right)?;
        Ok(Self { left, right })
    }
}

impl<T: Scalar, A: GramOperator<T>, B: GramOperator<T>> GramOperator<T> for Sum<A, B> {
    fn size(&self) -> usize {
        self.left.size()
    }

    fn diag(&self) -> Vec<T> {
        self.left.diag().into_iter().zip(self.right.diag()).map(|(a, b)| a + b).collect()
    }

    fn submatrix_into(
        &self,
        rows: Rows<'_>,
        cols: &[usize],
        mut out: MatMut<'_, T>,
    ) -> Result<(), Error> {
        self.left.submatrix_into(rows, cols, out.as_mut())?;
        let mut right = zeros(out.nrows(), out.ncols())?;
        self.right.submatrix_into(rows, cols, right.as_mut())?;
        out += right;
        check::finite_entries(out.as_ref(), rows, cols)
    }

    fn apply_into(&self, v: MatRef<'_, T>, mut out: MatMut<'_, T>) -> Result<(), Error> {
        self.left.apply_into(v, out.as_mut())?;
        out += self.right.apply(v)?;
        check::finite_product(out.as_ref())
    }

    fn product_cost(&self) -> f64 {
        self.left.product_cost() + self.right.product_cost()
    }
}
