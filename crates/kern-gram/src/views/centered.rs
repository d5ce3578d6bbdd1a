//! Centring of Gram matrices: H·G·H with H = I − 1·1ᵀ/n.

use crate::{Error, GramOperator, Rows, check};
use faer::{Mat, MatMut, MatRef};
use kern_core::Scalar;

/// The operator of centred features, created by [`GramExt::centered`](crate::GramExt::centered).
#[doc(alias = "KernelCenterer")]
#[derive(Clone, Debug)]
pub struct Centered<G, T> {
    gram: G,
    means: Vec<T>,
    mean: T,
}

impl<T: Scalar, G: GramOperator<T>> Centered<G, T> {
    pub(crate) fn new(gram: G) -> Result<Self, Error> {
        let n = gram.size();
        let weight = Mat::from_fn(n, 1, |_, _| T::from_f64(1.0 / n as f64));
        let means = gram.apply(weight.as_ref())?.col_as_slice(0).to_vec();
        let mean = T::from_f64(mean(&means));
        Ok(Self { gram, means, mean })
    }

    /// The row means m_i of G, which are needed to centre the kernel values of a new point: K(x,
    /// x_j) − m_j − (1/n)Σₖ K(x, x_k) + m̄.
    pub fn means(&self) -> &[T] {
        &self.means
    }

    /// The mean m̄ of all entries of G.
    pub fn mean(&self) -> T {
        self.mean
    }
}

/// The mean of values, summed in double precision; 0 without values.
fn mean<T: Scalar>(values: &[T]) -> f64 {
    values.iter().map(|v| v.to_f64()).sum::<f64>() / values.len().max(1) as f64
}

/// Subtracts its mean from every column.
fn center<T: Scalar>(mut matrix: MatMut<'_, T>) {
    for column in matrix.as_mut().col_iter_mut() {
        let sum: f64 = column.as_ref().iter().map(|v| v.to_f64()).sum();
        let mean = T::from_f64(sum / column.nrows().max(1) as f64);
        column.iter_mut().for_each(|v| *v -= mean);
    }
}

impl<T: Scalar, G: GramOperator<T>> GramOperator<T> for Centered<G, T> {
    fn size(&self) -> usize {
        self.gram.size()
    }

    fn diag(&self) -> Vec<T> {
        let center = |(v, &m): (T, &T)| v + (self.mean - (m + m));
        self.gram.diag().into_iter().zip(&self.means).map(center).collect()
    }

    fn submatrix_into(
        &self,
        rows: Rows<'_>,
        cols: &[usize],
        mut out: MatMut<'_, T>,
    ) -> Result<(), Error> {
        self.gram.submatrix_into(rows, cols, out.as_mut())?;
        for (column, &j) in out.as_mut().col_iter_mut().zip(cols) {
            for (a, value) in column.iter_mut().enumerate() {
                // The means first: their sum is symmetric to the bit.
                *value += self.mean - (self.means[rows.at(a)] + self.means[j]);
            }
        }
        check::finite_entries(out.as_ref(), rows, cols)
    }

    fn apply_into(&self, v: MatRef<'_, T>, mut out: MatMut<'_, T>) -> Result<(), Error> {
        let mut centered = v.to_owned();
        center(centered.as_mut());
        self.gram.apply_into(centered.as_ref(), out.as_mut())?;
        center(out.as_mut());
        check::finite_product(out.as_ref())
    }

    fn product_cost(&self) -> f64 {
        self.gram.product_cost()
    }
}
