//! Kernel values between support vectors and the points that are visited next.

use crate::Error;
use faer::Mat;
use kern_core::Scalar;
use kern_gram::{GramOperator, Rows, zeros};

/// Points that are visited before kernel values are computed again. Each takes values with those
/// before it on top of those with the support vectors.
pub(super) const BLOCK: usize = 32;

/// The values of the next points with the support vectors and with each other.
pub(super) struct Window<T: Scalar> {
    /// Rows: points at the places of the expansion when the window was filled, then the next ones; columns: the next ones.
    values: Mat<T>,
    /// The row of the point at each place.
    rows: Vec<usize>,
    /// The row of the first of the next points.
    next: usize,
    offset: f64,
}

impl<T: Scalar> Window<T> {
    pub(super) fn new(
        gram: &dyn GramOperator<T>,
        support: &[usize],
        next: &[usize],
        offset: f64,
    ) -> Result<Self, Error> {
        let all: Vec<usize> = support.iter().chain(next).copied().collect();
        let mut values = zeros(all.len(), next.len())?;
        gram.submatrix_into(Rows::Of(&all), next, values.as_mut())?;
        Ok(Self { values, rows: (0..support.len()).collect(), next: support.len(), offset })
    }

    /// K(xₚ, x) + offset for the points xₚ at all places and the next point number `j`.
    pub(super) fn values(&self, j: usize, out: &mut Vec<f64>) {
        let column = self.values.col_as_slice(j);
        out.clear();
        out.extend(self.rows.iter().map(|&row| column[row].to_f64() + self.offset));
    }

    /// The next point number `j` has a place now.
    pub(super) fn place(&mut self, place: usize, j: usize) {
        let row = self.next + j;
        if place == self.rows.len() { self.rows.push(row) } else { self.rows[place] = row }
    }
}
