//! Submatrices: G_IJ, some rows and columns; and G_II, a subset of the points.

use crate::{CrossOperator, Error, GramOperator, Rows, blocks, check, zeros};
use faer::{MatMut, MatRef};
use kern_core::Scalar;

/// Some rows and columns of an operator, created by
/// [`GramExt::submatrix`](crate::GramExt::submatrix): for prediction in cross-validation.
#[derive(Clone, Debug)]
pub struct Submatrix<G> {
    gram: G,
    rows: Vec<usize>,
    cols: Vec<usize>,
}

impl<G> Submatrix<G> {
    pub(crate) fn new<T: Scalar>(gram: G, rows: &[usize], cols: &[usize]) -> Result<Self, Error>
    where
        G: GramOperator<T>,
    {
        check::indices(rows, gram.size())?;
        check::indices(cols, gram.size())?;
        Ok(Self { gram, rows: rows.to_vec(), cols: cols.to_vec() })
    }
}

impl<T: Scalar, G: GramOperator<T>> CrossOperator<T> for Submatrix<G> {
    fn shape(&self) -> (usize, usize) {
        (self.rows.len(), self.cols.len())
    }

    fn to_dense_into(&self, out: MatMut<'_, T>) -> Result<(), Error> {
        self.gram.submatrix_into(Rows::Of(&self.rows), &self.cols, out)
    }

    fn apply_into(&self, v: MatRef<'_, T>, out: MatMut<'_, T>) -> Result<(), Error> {
        apply_into(&self.gram, &self.rows, &self.cols, v, out)
    }
}

/// The cost of a product with the submatrix by the cheaper method.
fn product_cost<T: Scalar>(gram: &impl GramOperator<T>, rows: &[usize], cols: &[usize]) -> f64 {
    gram.product_cost().min(check::area(rows.len(), cols.len()))
}

/// out = G_IJ·v, by a product with all of G if that is cheaper than computing the entries.
fn apply_into<T: Scalar>(
    gram: &impl GramOperator<T>,
    rows: &[usize],
    cols: &[usize],
    v: MatRef<'_, T>,
    mut out: MatMut<'_, T>,
) -> Result<(), Error> {
    check::product((rows.len(), cols.len()), v, out.as_ref())?;
    if gram.product_cost() < check::area(rows.len(), cols.len()) {
        return apply_scattered(gram, rows, cols, v, out);
    }
    blocks::apply(v, out.as_mut(), |block_cols, block| {
        gram.submatrix_into(Rows::Of(rows), &cols[block_cols], block)
    })?;
    check::finite_product(out.as_ref())
}

fn apply_scattered<T: Scalar>(
    gram: &impl GramOperator<T>,
    rows: &[usize],
    cols: &[usize],
    v: MatRef<'_, T>,
    mut out: MatMut<'_, T>,
) -> Result<(), Error> {
    let mut scattered = zeros::<T>(gram.size(), v.ncols())?;
    for (mut to, from) in scattered.col_iter_mut().zip(v.col_iter()) {
        cols.iter().zip(from.iter()).for_each(|(&j, &v)| to[j] += v);
    }
    let product = gram.apply(scattered.as_ref())?;
    for (to, from) in out.as_mut().col_iter_mut().zip(product.col_iter()) {
        rows.iter().zip(to.iter_mut()).for_each(|(&i, to)| *to = from[i]);
    }
    Ok(())
}

/// The operator of a subset of the points, created by [`GramExt::select`](crate::GramExt::select).
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
        apply_into(&self.gram, &self.indices, &self.indices, v, out)
    }

    fn product_cost(&self) -> f64 {
        product_cost(&self.gram, &self.indices, &self.indices)
    }
}
