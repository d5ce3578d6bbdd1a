//! Passes in which the values of the functions at all points are kept up to date.

use super::direction::Direction;
use super::engine::{Lesson, Visitor};
use super::expansion::{State, Tally};
use crate::Error;
use faer::{Mat, MatMut};
use kern_core::Scalar;
use kern_gram::{GramOperator, zero_vec, zeros};

/// Coefficients of all points, and f = Kα, all of it for features times weights.
pub(super) struct Margins<'a, T: Scalar> {
    gram: &'a dyn GramOperator<T>,
    lesson: &'a Lesson<'a>,
    diag: Vec<f64>,
    /// Values: points × outputs.
    f: Mat<f64>,
    /// Coefficients of features times weights: points × outputs.
    alpha: Mat<f64>,
    /// [`Expansion::sums`](super::expansion::Expansion::sums) of all points.
    sums: Option<Mat<f64>>,
    /// A column of the matrix, unless it is stored.
    column: Vec<T>,
    /// The values at a point.
    row: Vec<f64>,
    tally: Tally,
}

impl<'a, T: Scalar> Margins<'a, T> {
    pub(super) fn new(
        gram: &'a dyn GramOperator<T>,
        lesson: &'a Lesson<'a>,
    ) -> Result<Self, Error> {
        let (n, outputs) = (gram.size(), lesson.outputs);
        let diag = lesson.diagonal(gram)?;
        let squared_radius = diag.iter().copied().fold(0.0, f64::max);
        let stored = gram.stored_column(0).is_some();
        let sums = if lesson.options.averaged { Some(zeros(n, outputs)?) } else { None };
        Ok(Self {
            gram,
            lesson,
            diag,
            f: zeros(n, outputs)?,
            alpha: zeros(n, outputs)?,
            sums,
            column: zero_vec(if stored { 0 } else { n })?,
            row: vec![0.0; outputs],
            tally: Tally { squared_radius, ..Tally::default() },
        })
    }

    fn visit(&mut self, i: usize) -> Result<bool, Error> {
        self.row.iter_mut().enumerate().for_each(|(k, f)| *f = self.f[(i, k)]);
        let (direction, margin) = self.lesson.judge(i, &self.row)?;
        let mistake = margin <= 0.0;
        if mistake {
            self.learn(i, direction)?;
            let tally = &mut self.tally;
            tally.mistakes += 1;
            tally.squared_norm += 2.0 * margin + direction.squared_length() * self.diag[i];
        }
        self.tally.steps += 1;
        Ok(mistake)
    }

    /// α of the point moves, and f with a column of the matrix.
    fn learn(&mut self, i: usize, direction: Direction) -> Result<(), Error> {
        let column = if let Some(column) = self.gram.stored_column(i) {
            column
        } else {
            let out = MatMut::from_column_major_slice_mut(&mut self.column, self.diag.len(), 1);
            self.gram.columns_into(&[i], out)?;
            &self.column
        };
        for (k, sign) in direction.signs() {
            self.alpha[(i, k)] += sign;
            if let Some(sums) = &mut self.sums {
                sums[(i, k)] += self.tally.steps as f64 * sign;
            }
            let f = self.f.col_as_slice_mut(k).iter_mut().zip(column);
            let lesson = self.lesson;
            if lesson.weights.is_some() {
                f.enumerate().for_each(|(j, (f, &v))| *f += sign * lesson.weighted(v, (i, j)));
            } else {
                let offset = lesson.options.offset();
                f.for_each(|(f, v)| *f += sign * (v.to_f64() + offset));
            }
        }
        Ok(())
    }

    /// Adds what was learned to a state that knew nothing.
    pub(super) fn finish(self, state: &mut State) {
        let Self { alpha, sums, tally, f, .. } = self;
        drop(f);
        state.tally = tally;
        let expansion = &mut state.expansion;
        let used = |m: &Mat<f64>, i: usize| m.row(i).iter().any(|&a| a != 0.0);
        let matters = |&i: &usize| used(&alpha, i) || sums.as_ref().is_some_and(|m| used(m, i));
        expansion.rows = (0..alpha.nrows()).filter(matters).collect();
        // No list grows here, so that none takes twice its size.
        let rows = |m: &Mat<f64>| -> Vec<f64> {
            let mut out = Vec::with_capacity(expansion.rows.len() * m.ncols());
            expansion.rows.iter().for_each(|&i| out.extend(m.row(i).iter()));
            out
        };
        expansion.coefficients = rows(&alpha);
        drop(alpha);
        expansion.sums = sums.map(|sums| rows(&sums));
    }
}

impl<T: Scalar> Visitor for Margins<'_, T> {
    fn pass(&mut self, order: &[usize]) -> Result<usize, Error> {
        let mut mistakes = 0;
        for &i in order {
            mistakes += usize::from(self.visit(i)?);
        }
        Ok(mistakes)
    }
}
