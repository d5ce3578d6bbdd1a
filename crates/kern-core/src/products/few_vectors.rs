//! Products with few vectors, which lie across the lanes of vector registers: their entries are
//! stored point by point.
//!
//! A step of the register kernel loads one entry of each of the few vectors into R registers, and
//! broadcasts one entry of each of C vectors of the other operand, for R·C multiply-adds. Only the
//! few vectors are packed; the other operand is read in memory order.

use super::microkernel::{one_panel, registers};
use super::packing::{DEPTH, pack};
use super::term::Product;
use super::transpose;
use crate::Error;
use crate::memory::zero_buffer;
use crate::simd::{Buffer, Scalar, Scratch, arch};
use faer::{Accum, MatMut, MatRef};
use pulp::{Simd, WithSimd};
use std::marker::PhantomData;
use std::ops::{Range, RangeInclusive};

/// Few vectors, stored point by point and padded with zeros to whole registers.
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
    values: Buffer<T>,
    len: usize,
    count: usize,
    width: usize,
}

impl<T: Scalar> FewVectors<T> {
    /// Numbers of vectors for which [`add_mirrored`](super::add_mirrored) pays. With fewer, columns
    /// are added up; with more, operands are packed.
    pub const COUNTS: RangeInclusive<usize> = 5..=32;

    /// `count` vectors of `len` zeros.
    ///
    /// # Errors
    /// [`Error::Allocation`] if the system refuses the memory.
    pub fn zeros(len: usize, count: usize) -> Result<Self, Error> {
        let width = arch().dispatch(Width::<T> { count, number: PhantomData });
        let values = zero_buffer(len.saturating_mul(width))?;
        Ok(Self { values, len, count, width })
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

    /// The entries of a range of points, point by point.
    ///
    /// # Panics
    /// If the range is out of bounds.
    #[must_use]
    pub fn rows(&self, points: Range<usize>) -> &[T] {
        &self.values[points.start * self.width..points.end * self.width]
    }

    /// Mutable access to the entries of all points.
    pub fn all_mut(&mut self) -> &mut [T] {
        &mut self.values
    }

    /// Splits the entries into mutable slices, one for each range of `cuts`. The ranges are
    /// adjacent, and the first begins at 0.
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

    /// Copies the vectors to the columns of `out`.
    ///
    /// # Panics
    /// If `out` has another shape.
    pub fn copy_into(&self, out: MatMut<'_, T>) {
        let rows = MatRef::from_column_major_slice(self.rows(0..self.len), self.width, self.len);
        transpose(rows.subrows(0, self.count), out);
    }
}

/// Computes the padded number of entries per point.
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

/// Coordinates that are packed at a time. For sixteen vectors of doubles they fill a quarter of a
/// megabyte; the other operand is read 16 KB at a time.
const PACKED: usize = 8 * DEPTH;

/// `out = α·ZᵀW`, or `out += α·ZᵀW`, for a W of few columns and a Z with contiguous columns.
pub(super) struct Few<'a, 'o, T: Scalar> {
    pub(super) out: MatMut<'o, T>,
    pub(super) accum: Accum,
    pub(super) z: MatRef<'a, T>,
    pub(super) w: MatRef<'a, T>,
    pub(super) alpha: T,
    pub(super) scratch: &'a mut Scratch<T>,
}

impl<T: Scalar> Few<'_, '_, T> {
    pub(super) fn add(self) {
        arch().dispatch(self);
    }
}

impl<T: Scalar> WithSimd for Few<'_, '_, T> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let lanes = size_of::<T::Vector<S>>() / size_of::<T>();
        // As many sums as hide the latency of a multiply-add. Beyond eight vectors, registers for
        // their addresses run out.
        match (registers::<S>(), self.w.ncols().div_ceil(lanes)) {
            (_, 1) => self.all::<S, 1, 8>(simd, lanes),
            (4, 2) => self.all::<S, 2, 8>(simd, lanes),
            (4, _) => self.all::<S, 4, 4>(simd, lanes),
            (_, _) => self.all::<S, 2, 4>(simd, lanes),
        }
    }
}

impl<T: Scalar> Few<'_, '_, T> {
    #[inline(always)]
    fn all<S: Simd, const R: usize, const C: usize>(self, simd: S, lanes: usize) {
        let Self { mut out, accum, z, w, alpha, scratch } = self;
        let (m, (k, n), height) = (z.ncols(), w.shape(), R * lanes);
        let padded = n.next_multiple_of(height);
        let mut panels = scratch.take(padded * PACKED.min(k));
        let zero = [[T::splat(simd, T::ZERO); R]; C];
        for start in (0..k).step_by(PACKED) {
            let depth = PACKED.min(k - start);
            let panels = &mut panels[..padded * depth];
            pack(w.subrows(start, depth), height, panels);
            if alpha != T::ONE {
                panels.iter_mut().for_each(|w| *w = alpha * *w);
            }
            let panels = T::vectors::<S>(panels).0.as_chunks::<R>().0;
            for i in (0..m).step_by(C) {
                let columns: [&[T]; C] = std::array::from_fn(|c| {
                    let column = z.col((i + c).min(m - 1)).subrows(start, depth);
                    column.try_as_col_major().map_or(&[][..], |column| column.as_slice())
                });
                let mut out = out.as_mut().subrows_mut(i, C.min(m - i));
                for (panel, few) in panels.chunks_exact(depth).zip((0..n).step_by(height)) {
                    let mut out = out.as_mut().subcols_mut(few, height.min(n - few));
                    for (chain, panel) in panel.chunks(DEPTH).enumerate() {
                        let first = chain * DEPTH;
                        let columns = columns.map(|column| &column[first..first + panel.len()]);
                        let panel = panel.iter().copied();
                        let block = one_panel(simd, panel, columns, zero, Product, 0);
                        let is_new = matches!(accum, Accum::Replace) && start + first == 0;
                        scatter::<T, S, R, C>(&block, is_new, out.as_mut());
                    }
                }
            }
        }
        scratch.give(panels);
    }
}

/// Writes a block of sums, whose rows are those of `out`, or adds it to what is there.
#[inline(always)]
fn scatter<T: Scalar, S: Simd, const R: usize, const C: usize>(
    block: &[[T::Vector<S>; R]; C],
    is_new: bool,
    out: MatMut<'_, T>,
) {
    let sums: [[&[T]; R]; C] = std::array::from_fn(|c| block[c].each_ref().map(T::lanes::<S>));
    let places = (0..R).flat_map(|r| (0..sums[0][0].len()).map(move |lane| (r, lane)));
    for ((r, lane), column) in places.zip(out.col_iter_mut()) {
        let Some(column) = column.try_as_col_major_mut() else { continue };
        let column = column.as_slice_mut().iter_mut().zip(sums.map(|sums| sums[r][lane]));
        match is_new {
            true => column.for_each(|(old, sum)| *old = sum),
            false => column.for_each(|(old, sum)| *old += sum),
        }
    }
}
