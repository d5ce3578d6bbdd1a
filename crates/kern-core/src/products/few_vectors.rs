//! Few vectors, whose numbers lie across the lanes: the numbers of a point side by side, and inner products with them.
//!
//! A step of the register kernel loads one number of each of the few, R registers of them, and broadcasts one number of each of C
//! vectors of the other side: for R·C multiply-adds nothing is packed but the few, and memory is read in the order in which
//! it lies.

use super::microkernel::{one_panel, registers};
use super::packing::{DEPTH, pack};
use super::term::Product;
use super::transpose;
use crate::Error;
use crate::memory::zero_vec;
use crate::simd::{Scalar, Scratch, arch};
use faer::{Accum, MatMut, MatRef};
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

/// Coordinates for which the few are packed at a time: sixteen of them are a quarter of a megabyte of doubles, and the other
/// vectors are read 16 KB at a time.
const PACKED: usize = 8 * DEPTH;

/// `out = α·ZᵀW`, or `out += α·ZᵀW`, for few vectors in W and vectors in Z of which each is contiguous: Z, W and α.
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
        // As many sums as hide the latency of a multiply-add; more than eight vectors have no registers for their addresses.
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

/// Puts sums, whose rows are those of `out`, in their place, or adds them to what is there.
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
