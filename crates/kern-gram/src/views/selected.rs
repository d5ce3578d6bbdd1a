//! G_II: the same points on both sides.

use super::submatrix;
use crate::{Error, GramOperator, Rows, check};
use faer::{MatMut, MatRef};
use kern_core::Scalar;

/// The operator of some of the points, made by [`GramExt::select`](crate::GramExt::select).
#[derive(Clone, Debug)]
pub struct Selected<G> {
    gram: G,
    indices: Vec<usize>,
}

impl<G> Selected<G> {
    pub(crate) fn new<T: Scalar>(gram: G, indices: &[usize]) -> Result<Self, Error>
    where
        G: GramOperator<T>,
    {
        check::indices(indices, gram.size())?;
        Ok(Self { gram, indices: indices.to_vec() })
    }

    /// The points' indices in the whole operator.
    pub fn indices(&self) -> &[usize] {
        &self.indices
    }

    fn map(&self, indices: &[usize]) -> Vec<usize> {
        indices.iter().map(|&i| self.indices[i]).collect()
    }
}

impl<T: Scalar, G: GramOperator<T>> GramOperator<T> for Selected<G> {
    fn size(&self) -> usize {
        self.indices.len()
    }

    fn diag(&self) -> Vec<T> {
        let diag = self.gram.diag();
        self.indices.iter().map(|&i| diag[i]).collect()
    }

    fn submatrix_into(
        &self,
        rows: Rows<'_>,
        cols: &[usize],
        out: MatMut<'_, T>,
    ) -> Result<(), Error> {
        check::submatrix(self.size(), rows, cols, out.as_ref())?;
        let cols = self.map(cols);
        match rows {
            Rows::All => self.gram.submatrix_into(Rows::Of(&self.indices), &cols, out),
            Rows::Of(rows) => self.gram.submatrix_into(Rows::Of(&self.map(rows)), &cols, out),
        }
    }

    fn apply_into(&self, v: MatRef<'_, T>, out: MatMut<'_, T>) -> Result<(), Error> {
        submatrix::apply_into(&self.gram, (&self.indices, &self.indices), v, out)
    }

    fn product_cost(&self) -> f64 {
        submatrix::product_cost(&self.gram, &self.indices, &self.indices)
    }
}
