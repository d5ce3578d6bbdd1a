//! G + diag(δ).

use crate::{Error, GramOperator, Rows, check};
use faer::{MatMut, MatRef};
use kern_core::Scalar;

/// An operator plus a diagonal matrix with entries ≥ 0, made by
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
