//! Kernel values between support vectors and the points that are visited next.

use super::engine::Lesson;
use crate::Error;
use faer::Mat;
use kern_core::Scalar;
use kern_gram::{GramOperator, Rows, zeros};

/// Points that are visited before kernel values are computed again. Each takes values with those
/// before it on top of those with the support vectors.
pub(super) const BLOCK: usize = 32;

/// The values of the next points with the support vectors and with each other.
pub(super) struct Window<'a, T: Scalar> {
    /// Rows: points at the places of the expansion when the window was filled, then the next ones; columns: the next ones.
    values: Mat<T>,
    /// The row of the point at each place.
    rows: Vec<usize>,
    /// The row of the first of the next points.
    next: usize,
    /// The point of each row.
    points: Vec<usize>,
    lesson: &'a Lesson<'a>,
}

impl<'a, T: Scalar> Window<'a, T> {
    pub(super) fn new(
        (gram, lesson): (&dyn GramOperator<T>, &'a Lesson<'a>),
        support: &[usize],
        next: &[usize],
    ) -> Result<Self, Error> {
        let points: Vec<usize> = support.iter().chain(next).copied().collect();
        let mut values = zeros(points.len(), next.len())?;
        gram.submatrix_into(Rows::Of(&points), next, values.as_mut())?;
        let rows = (0..support.len()).collect();
        Ok(Self { values, rows, next: support.len(), points, lesson })
    }

    /// The weighted kernel values of the points at all places and the next point number `j`.
    pub(super) fn values(&self, j: usize, out: &mut Vec<f64>) {
        let (column, point) = (self.values.col_as_slice(j), self.points[self.next + j]);
        let value = |&row: &usize| self.lesson.weighted(column[row], (self.points[row], point));
        out.clear();
        out.extend(self.rows.iter().map(value));
    }

    /// The next point number `j` has a place now.
    pub(super) fn place(&mut self, place: usize, j: usize) {
        let row = self.next + j;
        if place == self.rows.len() { self.rows.push(row) } else { self.rows[place] = row }
    }
}
