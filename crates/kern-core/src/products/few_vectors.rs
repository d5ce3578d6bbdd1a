//! Few vectors across the lanes: the numbers of a point side by side.

use super::transpose;
use crate::Error;
use crate::memory::zero_vec;
use crate::simd::{Scalar, arch};
use faer::{MatMut, MatRef};
use pulp::{Simd, WithSimd};
use std::marker::PhantomData;
use std::ops::{Range, RangeInclusive};

/// The bytes of a cache line, and of the widest registers: numbers that lie across two lines take two loads.
const LINE: usize = 64;

/// The numbers that fill a cache line.
pub(super) const fn of_line<T>() -> usize {
    LINE / size_of::<T>()
}

/// Few vectors, of which the numbers of one point lie side by side, filled up with zeros to whole registers.
///
/// # Examples
/// ```
/// use kern_core::{faer::Mat, products::FewVectors};
/// let v = Mat::from_fn(3, 5, |i, j| (i * j) as f64);
/// let few = FewVectors::of(v.as_ref())?;
/// assert_eq!(few.rows(1..2)[..5], [0.0, 1.0, 2.0, 3.0, 4.0]);
/// let mut back = Mat::zeros(3, 5);
/// few.copy_into(back.as_mut());
/// assert_eq!(back, v);
/// # Ok::<(), kern_core::Error>(())
/// ```
#[derive(Debug)]
pub struct FewVectors<T> {
    /// From `start` on, where a cache line begins.
    numbers: Vec<T>,
    start: usize,
    len: usize,
    count: usize,
    width: usize,
}

impl<T: Scalar> FewVectors<T> {
    /// The numbers of vectors for which [`add_mirrored`](super::add_mirrored) pays: for fewer, columns are added up, and for more, packed.
    pub const COUNTS: RangeInclusive<usize> = 5..=32;

    /// `count` vectors of `len` zeros.
    ///
    /// # Errors
    /// [`Error::Allocation`] if the system refuses the memory.
    pub fn zeros(len: usize, count: usize) -> Result<Self, Error> {
        let width = arch().dispatch(Width::<T> { count, number: PhantomData });
        let numbers = zero_vec(len.saturating_mul(width).saturating_add(of_line::<T>()))?;
        let start = start_of_line(&numbers);
        Ok(Self { numbers, start, len, count, width })
    }

    /// The columns of `v`.
    ///
    /// # Errors
    /// As [`zeros`](Self::zeros).
    pub fn of(v: MatRef<'_, T>) -> Result<Self, Error> {
        let mut few = Self::zeros(v.nrows(), v.ncols())?;
        let (len, count, width) = (few.len, few.count, few.width);
        let rows = MatMut::from_column_major_slice_mut(few.all_mut(), width, len);
        transpose(v, rows.subrows_mut(0, count));
        Ok(few)
    }

    /// The numbers of some points, point after point.
    ///
    /// # Panics
    /// If there are no such points, as indexing a slice does.
    #[must_use]
    pub fn rows(&self, points: Range<usize>) -> &[T] {
        &self.numbers[self.start..][points.start * self.width..points.end * self.width]
    }

    /// The numbers of all points, to be written to.
    pub fn all_mut(&mut self) -> &mut [T] {
        &mut self.numbers[self.start..][..self.len * self.width]
    }

    /// The numbers of some points after the other, to be written to: `cuts` are side by side, and the first begins at 0.
    ///
    /// # Panics
    /// As [`rows`](Self::rows).
    pub fn split(&mut self, cuts: &[Range<usize>]) -> Vec<&mut [T]> {
        let width = self.width;
        let mut rest = self.all_mut();
        let mut parts = Vec::with_capacity(cuts.len());
        for cut in cuts {
            let (part, after) = rest.split_at_mut(cut.len() * width);
            parts.push(part);
            rest = after;
        }
        parts
    }

    /// `out` = these vectors, as columns.
    ///
    /// # Panics
    /// If `out` has another shape.
    pub fn copy_into(&self, out: MatMut<'_, T>) {
        let rows = MatRef::from_column_major_slice(self.rows(0..self.len), self.width, self.len);
        transpose(rows.subrows(0, self.count), out);
    }
}

/// The first place where a cache line begins; there is one among the first numbers that fill a line.
pub(super) fn start_of_line<T>(numbers: &[T]) -> usize {
    numbers.as_ptr().align_offset(LINE).min(of_line::<T>())
}

/// The numbers that a point takes.
struct Width<T> {
    count: usize,
    number: PhantomData<T>,
}

impl<T: Scalar> WithSimd for Width<T> {
    type Output = usize;

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) -> usize {
        let lanes = size_of::<T::Vector<S>>() / size_of::<T>();
        if self.count <= lanes { lanes } else { self.count.next_multiple_of(2 * lanes) }
    }
}
