//! A ∘ B, entry by entry.

use super::check_sizes;
use crate::{Error, GramOperator, Rows, blocks, check, zeros};
use faer::{MatMut, MatRef};
use kern_core::Scalar;

/// The entrywise (Schur, Hadamard) product of two operators, made by
/// [`GramExt::schur_product`](crate::GramExt::schur_product): the Gram matrix of the product of their
/// kernels.
#[derive(Clone, Copy, Debug)]
pub struct SchurProduct<A, B> {
    left: A,
    right: B,
}

impl<A, B> SchurProduct<A, B> {
    pub(crate) fn new<T: Scalar>(left: A, right: B) -> Result<Self, Error>
    where
        A: GramOperator<T>,
        B: GramOperator<T>,
    {
        check_sizes(&left, &right)?;
        Ok(Self { left, right })
    }
}

impl<T: Scalar, A: GramOperator<T>, B: GramOperator<T>> GramOperator<T> for SchurProduct<A, B> {
    fn size(&self) -> usize {
        self.left.size()
    }

    fn diag(&self) -> Vec<T> {
        self.left.diag().into_iter().zip(self.right.diag()).map(|(a, b)| a * b).collect()
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
        for (out, right) in out.as_mut().col_iter_mut().zip(right.col_iter()) {
            out.iter_mut().zip(right.iter()).for_each(|(a, &b)| *a *= b);
        }
        check::finite_entries(out.as_ref(), rows, cols)
    }

    /// There is no shorter way than through all entries, some columns at a time.
    fn apply_into(&self, v: MatRef<'_, T>, mut out: MatMut<'_, T>) -> Result<(), Error> {
        check::product((self.size(), self.size()), v, out.as_ref())?;
        blocks::apply(v, out.as_mut(), |cols, block| {
            self.columns_into(&Vec::from_iter(cols), block)
        })?;
        check::finite_product(out.as_ref())
    }
}
