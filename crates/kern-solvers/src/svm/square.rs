//! The kernel values between the points of a block.

use super::local::LANES;
use super::working_set::WorkingSet;
use crate::Error;
use faer::MatMut;
use kern_core::Scalar;
use kern_gram::{GramOperator, Rows, parallel, zero_vec};
use pulp::bytemuck;
use std::any::TypeId;
use std::ops::Range;

/// The kernel values between the variables of a block, column after column, each of `stride` numbers.
#[derive(Clone, Copy, Debug)]
pub(super) struct Square<'a> {
    pub(super) values: &'a [f64],
    pub(super) stride: usize,
}

impl<'a> Square<'a> {
    #[inline(always)]
    pub(super) fn column(self, i: usize) -> &'a [f64] {
        &self.values[i * self.stride..][..self.stride]
    }
}

/// Memory for the values of a block. Those between variables that keep their places stay where they are.
#[derive(Default)]
pub(super) struct Workspace<T> {
    square: Vec<f64>,
    /// Values that are new, if they are computed in another precision.
    fresh: Vec<T>,
}

impl<T: Scalar> Workspace<T> {
    /// Makes room for up to so many points.
    pub(super) fn reserve(&mut self, block: usize) -> Result<(), Error> {
        let numbers = block * stride(block);
        if self.square.len() < numbers {
            self.square = zero_vec(numbers)?;
        }
        Ok(())
    }

    /// The values between the variables of a set, whose points are `rows`; computed.
    pub(super) fn compute(
        &mut self,
        values: &dyn GramOperator<T>,
        set: &WorkingSet,
        rows: &[usize],
    ) -> Result<(), Error> {
        let (len, stride, new) = (rows.len(), stride(rows.len()), set.arrived());
        let cols = &rows[new.clone()];
        let columns = &mut self.square[new.start * stride..new.end * stride];
        if TypeId::of::<T>() == TypeId::of::<f64>() {
            let columns = bytemuck::cast_slice_mut(columns);
            let out =
                MatMut::from_column_major_slice_with_stride_mut(columns, len, cols.len(), stride);
            values.submatrix_into(Rows::Of(rows), cols, out)?;
        } else {
            self.fresh.resize(len * cols.len(), T::ZERO);
            let out = MatMut::from_column_major_slice_mut(&mut self.fresh, len, cols.len());
            values.submatrix_into(Rows::Of(rows), cols, out)?;
            let fresh = &self.fresh;
            for_each_column(columns, stride, |b, out| {
                let column = &fresh[b * len..][..len];
                out.iter_mut().zip(column).for_each(|(out, value)| *out = value.to_f64());
            });
        }
        self.mirror(len, new);
        Ok(())
    }

    /// The same, looked up in the columns of the variables. To look values up is to wait for memory.
    pub(super) fn look_up(&mut self, columns: &[&[T]], set: &WorkingSet, rows: &[usize]) {
        let (len, stride, new) = (rows.len(), stride(rows.len()), set.arrived());
        let out = &mut self.square[new.start * stride..new.end * stride];
        let runs: Vec<&[usize]> = rows.chunk_by(|a, b| a + 1 == *b).collect();
        let long = runs.len() * LANES <= len;
        for_each_column(out, stride, |b, out| {
            let column = columns[new.start + b];
            if long {
                copy_runs(column, &runs, out);
            } else {
                out.iter_mut().zip(rows).for_each(|(out, &row)| *out = column[row].to_f64());
            }
        });
        self.mirror(len, new);
    }

    /// The values between so many variables.
    pub(super) fn square(&self, len: usize) -> Square<'_> {
        let stride = stride(len);
        Square { values: &self.square[..len * stride], stride }
    }

    /// Writes what is in the new columns into the rows of the others, between `len` variables.
    fn mirror(&mut self, len: usize, new: Range<usize>) {
        let stride = stride(len);
        let (before, rest) = self.square[..len * stride].split_at_mut(new.start * stride);
        let (columns, after) = rest.split_at_mut(new.len() * stride);
        let columns = &*columns;
        for (first, old) in [(0, before), (new.end, after)] {
            for_each_column(old, stride, |a, out| {
                let a = first + a;
                let columns = columns.chunks_exact(stride);
                out[new.clone()].iter_mut().zip(columns).for_each(|(out, column)| *out = column[a]);
            });
        }
    }
}

/// The values of a column in adjacent rows: those of a problem of two classes are.
fn copy_runs<T: Scalar>(column: &[T], runs: &[&[usize]], mut out: &mut [f64]) {
    for run in runs {
        let (part, rest) = out.split_at_mut(run.len());
        let values = &column[run[0]..][..run.len()];
        part.iter_mut().zip(values).for_each(|(out, value)| *out = value.to_f64());
        out = rest;
    }
}

/// Numbers from one column to the next: an odd number of groups, so that the numbers of a row, which are mirrored,
/// do not compete for the same places of the cache.
fn stride(len: usize) -> usize {
    (len.div_ceil(LANES) | 1) * LANES
}

fn for_each_column(
    columns: &mut [f64],
    stride: usize,
    f: impl Fn(usize, &mut [f64]) + Send + Sync,
) {
    let tasks = columns.chunks_exact_mut(stride).enumerate().collect();
    parallel::for_each_init(tasks, || (), |(), (b, column): (usize, &mut [f64])| f(b, column));
}
