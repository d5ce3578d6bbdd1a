//! c·G.

use crate::{Error, GramOperator, Rows, check};
use faer::{MatMut, MatRef, Scale};
use kern_core::Scalar;

/// An operator times a number c ≥ 0, made by [`GramExt::scaled`](crate::GramExt::scaled).
#[derive(Clone, Copy, Debug)]
pub struct Scaled<G, T> {
    gram: G,
    factor: T,
}

impl<T: Scalar, G: GramOperator<T>> Scaled<G, T> {
    pub(crate) fn new(gram: G, factor: T) -> Result<Self, Error> {
        Ok(Self { gram, factor: check::non_negative("factor", factor)? })
    }
}

impl<T: Scalar, G: GramOperator<T>> GramOperator<T> for Scaled<G, T> {
    fn size(&self) -> usize {
        self.gram.size()
    }

    fn diag(&self) -> Vec<T> {
        self.gram.diag().into_iter().map(|v| v * self.factor).collect()
    }

    fn submatrix_into(
        &self,
        rows: Rows<'_>,
        cols: &[usize],
        mut out: MatMut<'_, T>,
    ) -> Result<(), Error> {
        self.gram.submatrix_into(rows, cols, out.as_mut())?;
        out *= Scale(self.factor);
        check::finite_entries(out.as_ref(), rows, cols)
    }

    fn apply_into(&self, v: MatRef<'_, T>, mut out: MatMut<'_, T>) -> Result<(), Error> {
        self.gram.apply_into(v, out.as_mut())?;
        out *= Scale(self.factor);
        check::finite_product(out.as_ref())
    }

    fn product_cost(&self) -> f64 {
        self.gram.product_cost()
    }
}
