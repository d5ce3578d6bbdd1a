//! The kernel values between the points of a block.

use super::local::LANES;
use crate::Error;
use faer::MatMut;
use kern_core::Scalar;
use kern_gram::{GramOperator, Rows, parallel, zero_vec};

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

/// Memory for the values of a block, and what is known of the block before.
pub(super) struct Workspace<T> {
    square: Vec<f64>,
    /// Values that are new, if they are computed.
    fresh: Vec<T>,
    /// Points of the block before.
    before: usize,
}

impl<T: Scalar> Workspace<T> {
    /// For up to so many points.
    pub(super) fn new(block: usize) -> Result<Self, Error> {
        let square = zero_vec(block * block.next_multiple_of(LANES))?;
        Ok(Self { square, fresh: Vec::new(), before: 0 })
    }

    /// Computes the values of all `rows` with those that are not among the first `kept`.
    pub(super) fn compute(
        &mut self,
        values: &dyn GramOperator<T>,
        rows: &[usize],
        kept: usize,
    ) -> Result<(), Error> {
        let new = &rows[self.kept(rows, kept)..];
        self.fresh.resize(rows.len() * new.len(), T::ZERO);
        let out = MatMut::from_column_major_slice_mut(&mut self.fresh, rows.len(), new.len());
        Ok(values.submatrix_into(Rows::Of(rows), new, out)?)
    }

    /// The values between the points `rows`, whose columns these are, unless they were computed just now. The
    /// first `kept` rows were the last ones of the block before: values among them are at hand if that had the
    /// same size, and those with the others are mirrored. To look values up is to wait for memory.
    pub(super) fn fill(
        &mut self,
        rows: &[usize],
        kept: usize,
        columns: Option<&[&[T]]>,
    ) -> Square<'_> {
        let kept = self.kept(rows, kept);
        self.before = rows.len();
        let (len, stride) = (rows.len(), rows.len().next_multiple_of(LANES));
        let offset = len - kept;
        for a in 0..kept {
            let from = (a + offset) * stride + offset;
            self.square.copy_within(from..from + kept, a * stride);
        }
        let (old, new) = self.square[..len * stride].split_at_mut(kept * stride);
        let tasks = new.chunks_exact_mut(stride.max(1)).enumerate().collect();
        let fresh = &self.fresh;
        parallel::for_each_init(
            tasks,
            || (),
            |(), (b, out): (usize, &mut [f64])| match columns {
                Some(columns) => {
                    let column = columns[kept + b];
                    out.iter_mut().zip(rows).for_each(|(out, &row)| *out = column[row].to_f64());
                }
                None => {
                    let column = &fresh[b * len..][..len];
                    out.iter_mut().zip(column).for_each(|(out, value)| *out = value.to_f64());
                }
            },
        );
        mirror(old, new, stride, kept..len);
        Square { values: &self.square[..len * stride], stride }
    }

    /// How many of the first `kept` rows have values from the block before.
    fn kept(&self, rows: &[usize], kept: usize) -> usize {
        if rows.len() == self.before { kept } else { 0 }
    }
}

/// Writes the first numbers of the new columns into the rows of the old ones: as many columns at a time as numbers
/// that are stored together.
fn mirror(old: &mut [f64], new: &[f64], stride: usize, rows: std::ops::Range<usize>) {
    for (group, columns) in new.chunks(LANES * stride.max(1)).enumerate() {
        let start = rows.start + group * LANES;
        let end = rows.end.min(start + LANES);
        for (a, out) in old.chunks_exact_mut(stride.max(1)).enumerate() {
            let values = columns.chunks_exact(stride);
            out[start..end].iter_mut().zip(values).for_each(|(out, column)| *out = column[a]);
        }
    }
}
