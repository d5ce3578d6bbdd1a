//! A block of variables for sequential minimal optimisation: its size, its layout, and its kernel
//! values.
//!
//! A block fits the processor cache: the variables in the layout that the loops of a step need
//! ([`Local`]), and the kernel values between them ([`Square`]). A [`Workspace`] keeps the kernel
//! values of variables that stay from one block to the next.

use super::dual_problem::{Dual, fall, rise};
use super::working_set::WorkingSet;
use crate::Error;
use faer::MatMut;
use kern_core::Scalar;
use kern_gram::{GramOperator, Rows, parallel, zero_vec};
use pulp::bytemuck;
use std::any::TypeId;
use std::ops::Range;

/// Problems of up to this size are one block.
pub(super) const WHOLE: usize = 1024;
/// Variables of a block of a larger problem.
pub(super) const BLOCK: usize = 640;
/// Variables of the largest block, and variables of a problem per variable of a block.
const WIDEST: usize = 4096;
const PER_BLOCK: usize = 64;

/// Floats processed side by side. Blocks are padded to a multiple of this with variables that can
/// neither rise nor fall.
pub(super) const LANES: usize = 8;

/// The largest block size for a problem of n variables.
pub(super) fn widest(n: usize) -> usize {
    if n <= WHOLE { n } else { (n / PER_BLOCK).clamp(BLOCK, WIDEST) }
}

/// The variables of a block, with the gains of their moves.
#[derive(Debug)]
pub(super) struct Local {
    pub(super) beta: Vec<f64>,
    /// Kβ − p.
    pub(super) gradient: Vec<f64>,
    lower: Vec<f64>,
    upper: Vec<f64>,
    pub(super) diagonal: Vec<f64>,
    pub(super) epsilon: f64,
    pub(super) sides: Vec<Side>,
    side: Vec<usize>,
}

/// The variables of one sum: `rise` − g and `fall` − g are the Lagrange multipliers at which the
/// optimality condition of a variable holds with equality if it can only rise or only fall;
/// infinite if it cannot, or belongs to the other sum.
#[derive(Debug)]
pub(super) struct Side {
    pub(super) rise: Vec<f64>,
    pub(super) fall: Vec<f64>,
}

impl Local {
    /// The variables `set` of a problem, at coefficients β and gradient g.
    pub(super) fn new(
        problem: &Dual,
        set: &[usize],
        beta: &[f64],
        gradient: &[f64],
        square: Square<'_>,
    ) -> Self {
        let len = square.stride;
        let gather = |from: &[f64], filler: f64| {
            let mut out: Vec<f64> = set.iter().map(|&v| from[v]).collect();
            out.resize(len, filler);
            out
        };
        let sides = problem.coupling.sides();
        let empty = || Side { rise: vec![f64::NEG_INFINITY; len], fall: vec![f64::INFINITY; len] };
        let mut diagonal: Vec<f64> = (0..set.len()).map(|i| square.column(i)[i]).collect();
        diagonal.resize(len, 1.0);
        let mut local = Self {
            beta: gather(beta, 0.0),
            gradient: gather(gradient, 0.0),
            lower: gather(&problem.lower, 0.0),
            upper: gather(&problem.upper, 0.0),
            diagonal,
            epsilon: problem.epsilon,
            sides: (0..sides).map(|_| empty()).collect(),
            side: set.iter().map(|&v| problem.coupling.side(v)).collect(),
        };
        (0..set.len()).for_each(|i| local.refresh(i));
        local
    }

    /// Variable i.
    #[inline(always)]
    pub(super) fn coordinate(&self, i: usize) -> Coordinate {
        Coordinate { beta: self.beta[i], lower: self.lower[i], upper: self.upper[i] }
    }

    /// Sets variable i, and returns its change.
    #[inline(always)]
    pub(super) fn set(&mut self, i: usize, value: f64) -> f64 {
        let change = value - self.beta[i];
        self.beta[i] = value;
        self.refresh(i);
        change
    }

    #[inline(always)]
    fn refresh(&mut self, i: usize) {
        let side = &mut self.sides[self.side[i]];
        side.rise[i] = rise(self.beta[i], self.upper[i], self.epsilon);
        side.fall[i] = fall(self.beta[i], self.lower[i], self.epsilon);
    }
}

/// A coefficient with its bounds.
#[derive(Clone, Copy, Debug)]
pub(super) struct Coordinate {
    pub(super) beta: f64,
    pub(super) lower: f64,
    pub(super) upper: f64,
}

impl Coordinate {
    /// The distances upwards to the bound and to the kink of |β|.
    #[inline(always)]
    pub(super) fn above(self) -> (f64, f64) {
        (self.upper - self.beta, if self.beta < 0.0 { -self.beta } else { f64::INFINITY })
    }

    /// The distances downwards to the bound and to the kink of |β|.
    #[inline(always)]
    pub(super) fn below(self) -> (f64, f64) {
        (self.beta - self.lower, if self.beta > 0.0 { self.beta } else { f64::INFINITY })
    }

    /// The value after a step up by t ≥ 0, exactly at the bound if the step reaches it.
    #[inline(always)]
    pub(super) fn raised(self, t: f64) -> f64 {
        if t >= self.upper - self.beta { self.upper } else { self.beta + t }
    }

    /// The value after a step down by t ≥ 0, exactly at the bound if the step reaches it.
    #[inline(always)]
    pub(super) fn lowered(self, t: f64) -> f64 {
        if t >= self.beta - self.lower { self.lower } else { self.beta - t }
    }
}

/// The kernel values between the variables of a block, in columns of `stride` floats.
#[derive(Clone, Copy, Debug)]
pub(super) struct Square<'a> {
    values: &'a [f64],
    stride: usize,
}

impl<'a> Square<'a> {
    #[inline(always)]
    pub(super) fn column(self, i: usize) -> &'a [f64] {
        &self.values[i * self.stride..][..self.stride]
    }
}

/// Memory for the kernel values of a block. Values between variables that keep their places are
/// reused.
#[derive(Default)]
pub(super) struct Workspace<T> {
    square: Vec<f64>,
    /// New values, if they are computed in another precision.
    fresh: Vec<T>,
}

impl<T: Scalar> Workspace<T> {
    /// Allocates memory for blocks of up to `block` variables.
    pub(super) fn reserve(&mut self, block: usize) -> Result<(), Error> {
        let numbers = block * stride(block);
        if self.square.len() < numbers {
            self.square = zero_vec(numbers)?;
        }
        Ok(())
    }

    /// Computes the kernel values between the variables of a working set, with points `rows`.
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

    /// Reads the same values from the columns of the variables; this is limited by memory latency.
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

    /// The kernel values between `len` variables.
    pub(super) fn square(&self, len: usize) -> Square<'_> {
        let stride = stride(len);
        Square { values: &self.square[..len * stride], stride }
    }

    /// Copies the new columns into the rows of the others, between `len` variables.
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

/// Copies the values of a column in contiguous row ranges, as the problem of two classes has.
fn copy_runs<T: Scalar>(column: &[T], runs: &[&[usize]], mut out: &mut [f64]) {
    for run in runs {
        let (part, rest) = out.split_at_mut(run.len());
        let values = &column[run[0]..][..run.len()];
        part.iter_mut().zip(values).for_each(|(out, value)| *out = value.to_f64());
        out = rest;
    }
}

/// The stride between columns: an odd number of groups, so that the entries of a mirrored row do
/// not compete for the same cache sets.
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
