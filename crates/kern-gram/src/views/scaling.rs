//! Scaled operators: c·G, and D·G·D with a diagonal matrix D.

use crate::{Error, GramOperator, Rows, check};
use faer::{Mat, MatMut, MatRef, Scale};
use kern_core::Scalar;

/// An operator times a factor c ≥ 0, created by [`GramExt::scaled`](crate::GramExt::scaled).
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

/// An operator between two copies of a diagonal matrix, with entries d_i·G_ij·d_j: created by
/// [`GramExt::conjugated`](crate::GramExt::conjugated), or by
/// [`GramExt::normalized`](crate::GramExt::normalized) with d_i = 1/√G_ii.
#[derive(Clone, Debug)]
pub struct Conjugated<G, T> {
    gram: G,
    factors: Vec<T>,
    diag: Vec<T>,
}

impl<T: Scalar, G: GramOperator<T>> Conjugated<G, T> {
    pub(crate) fn new(gram: G, factors: Vec<T>) -> Result<Self, Error> {
        Error::check_shape("the factors", (gram.size(), 1), (factors.len(), 1))?;
        for factor in &factors {
            kern_core::Finite::new("factor", factor.to_f64())?;
        }
        let diag = gram.diag().into_iter().zip(&factors).map(|(v, &d)| v * (d * d)).collect();
        Ok(Self { gram, factors, diag })
    }

    pub(crate) fn normalizing(gram: G) -> Result<Self, Error> {
        let diag = gram.diag();
        let mut factors = Vec::with_capacity(diag.len());
        for &v in &diag {
            let v = check::non_negative("diagonal entry", v)?.to_f64();
            factors.push(if v == 0.0 { T::ZERO } else { T::from_f64(1.0 / v.sqrt()) });
        }
        let one = |v| if v == T::ZERO { T::ZERO } else { T::ONE };
        Ok(Self { gram, factors, diag: diag.into_iter().map(one).collect() })
    }

    /// The factors d_i.
    pub fn factors(&self) -> &[T] {
        &self.factors
    }
}

impl<T: Scalar, G: GramOperator<T>> GramOperator<T> for Conjugated<G, T> {
    fn size(&self) -> usize {
        self.gram.size()
    }

    fn diag(&self) -> Vec<T> {
        self.diag.clone()
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
                // The factors first: their product is symmetric to the bit.
                *value *= self.factors[rows.at(a)] * self.factors[j];
            }
        }
        rows.for_each_diagonal(cols, 0..out.nrows(), |a, b| out[(a, b)] = self.diag[cols[b]]);
        check::finite_entries(out.as_ref(), rows, cols)
    }

    fn apply_into(&self, v: MatRef<'_, T>, mut out: MatMut<'_, T>) -> Result<(), Error> {
        check::product((self.size(), self.size()), v, out.as_ref())?;
        let scaled = Mat::from_fn(v.nrows(), v.ncols(), |i, j| self.factors[i] * v[(i, j)]);
        self.gram.apply_into(scaled.as_ref(), out.as_mut())?;
        for column in out.as_mut().col_iter_mut() {
            column.iter_mut().zip(&self.factors).for_each(|(value, &d)| *value *= d);
        }
        check::finite_product(out.as_ref())
    }

    fn product_cost(&self) -> f64 {
        self.gram.product_cost()
    }
}
