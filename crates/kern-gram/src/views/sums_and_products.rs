//! Sums A + B and G + diag(δ), and the entrywise product A ∘ B.

use super::check_sizes;
use crate::{Error, GramOperator, Rows, blocks, check, zeros};
use faer::{MatMut, MatRef};
use kern_core::Scalar;

/// The sum of two operators, created by [`GramExt::plus`](crate::GramExt::plus): the Gram matrix of
/// the sum of their kernels.
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

/// An operator plus a diagonal matrix with entries ≥ 0, created by
/// [`GramExt::plus_ridge`](crate::GramExt::plus_ridge) or
/// [`GramExt::plus_diagonal`](crate::GramExt::plus_diagonal).
#[derive(Clone, Debug)]
pub struct PlusDiagonal<G, T> {
    gram: G,
    addend: Vec<T>,
}

impl<T: Scalar, G: GramOperator<T>> PlusDiagonal<G, T> {
    pub(crate) fn new(gram: G, addend: Vec<T>) -> Result<Self, Error> {
        Error::check_shape("the diagonal", (gram.size(), 1), (addend.len(), 1))?;
        for &addend in &addend {
            check::non_negative("addend to the diagonal", addend)?;
        }
        Ok(Self { gram, addend })
    }

    /// The operator without the diagonal matrix.
    pub fn inner(&self) -> &G {
        &self.gram
    }
}

impl<T: Scalar, G: GramOperator<T>> GramOperator<T> for PlusDiagonal<G, T> {
    fn size(&self) -> usize {
        self.gram.size()
    }

    fn diag(&self) -> Vec<T> {
        self.gram.diag().into_iter().zip(&self.addend).map(|(v, &d)| v + d).collect()
    }

    fn submatrix_into(
        &self,
        rows: Rows<'_>,
        cols: &[usize],
        mut out: MatMut<'_, T>,
    ) -> Result<(), Error> {
        self.gram.submatrix_into(rows, cols, out.as_mut())?;
        rows.for_each_diagonal(cols, 0..out.nrows(), |a, b| out[(a, b)] += self.addend[cols[b]]);
        check::finite_entries(out.as_ref(), rows, cols)
    }

    fn apply_into(&self, v: MatRef<'_, T>, mut out: MatMut<'_, T>) -> Result<(), Error> {
        self.gram.apply_into(v, out.as_mut())?;
        for (out, v) in out.as_mut().col_iter_mut().zip(v.col_iter()) {
            for ((out, &v), &d) in out.iter_mut().zip(v.iter()).zip(&self.addend) {
                *out = d.fma(v, *out);
            }
        }
        check::finite_product(out.as_ref())
    }

    fn product_cost(&self) -> f64 {
        self.gram.product_cost()
    }
}

/// The entrywise (Schur, Hadamard) product of two operators, created by
/// [`GramExt::schur_product`](crate::GramExt::schur_product): the Gram matrix of the product of
/// their kernels.
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

    /// Computes all entries, a block of columns at a time: no faster way is known.
    fn apply_into(&self, v: MatRef<'_, T>, mut out: MatMut<'_, T>) -> Result<(), Error> {
        check::product((self.size(), self.size()), v, out.as_ref())?;
        blocks::apply(v, out.as_mut(), |cols, block| {
            self.columns_into(&Vec::from_iter(cols), block)
        })?;
        check::finite_product(out.as_ref())
    }
}
