//! A tile of a symmetric matrix and its mirror image, each times few vectors, in one pass over the tile.
//!
//! The vectors lie across the lanes. A step of the register kernel loads a number of each of them, R registers for either side,
//! and broadcasts C numbers of a row of the tile, for 2·R·C multiply-adds: half of these go on with the sums of that
//! row, which come from the first-level cache and return to it, the others with those of C columns, which stay in registers.

use super::fold::DEPTH;
use super::shape::registers;
use super::transpose;
use crate::Error;
use crate::memory::zero_vec;
use crate::simd::lanes::Vectors;
use crate::simd::{Scalar, Scratch, arch};
use faer::{MatMut, MatRef};
use pulp::{Simd, WithSimd};
use std::marker::PhantomData;
use std::ops::{Range, RangeInclusive};

/// The bytes of a cache line, and of the widest registers: numbers that lie across two lines take two loads.
const LINE: usize = 64;

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
    /// The numbers of vectors for which [`add_mirrored`] pays: for fewer, columns are added up, and for more, packed.
    pub const COUNTS: RangeInclusive<usize> = 5..=32;

    /// `count` vectors of `len` zeros.
    ///
    /// # Errors
    /// [`Error::Allocation`] if the system refuses the memory.
    pub fn zeros(len: usize, count: usize) -> Result<Self, Error> {
        let width = arch().dispatch(Width::<T> { count, number: PhantomData });
        let numbers = zero_vec(len.saturating_mul(width).saturating_add(LINE / size_of::<T>()))?;
        let start = line(&numbers);
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
fn line<T>(numbers: &[T]) -> usize {
    numbers.as_ptr().align_offset(LINE).min(LINE / size_of::<T>())
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

/// low += A·V and high += Aᵀ·U, on the calling thread: V and `high` have the numbers of the columns of A, U and `low` those of its
/// rows, as [`FewVectors::rows`] lends them. Without `high` the first sum only.
///
/// # Shapes and units
/// A is m × k; V and `high` are k times the width of few vectors, U and `low` m times.
///
/// # Panics
/// If the lengths do not fit together.
///
/// # Complexity
/// 4 flops for each entry and vector; A is read once.
///
/// # Numerics
/// Every sum is the old one and a chain for each 256 columns or rows, as in [`matmul`](fn@crate::products::matmul): the bits are the same.
///
/// # Examples
/// ```
/// use kern_core::{faer::{Mat, mat}, products::{FewVectors, add_mirrored}};
/// let a = mat![[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]];
/// let ones = |rows| FewVectors::of(Mat::<f64>::from_fn(rows, 5, |_, _| 1.0).as_ref());
/// let (u, v) = (ones(3)?, ones(2)?);
/// let (mut low, mut high) = (FewVectors::zeros(3, 5)?, FewVectors::zeros(2, 5)?);
/// let (of_rows, of_columns) = (u.rows(0..3), v.rows(0..2));
/// add_mirrored(a.as_ref(), (of_columns, of_rows), (low.all_mut(), Some(high.all_mut())));
/// assert_eq!((low.rows(2..3)[0], high.rows(0..1)[0]), (11.0, 9.0));
/// # Ok::<(), kern_core::Error>(())
/// ```
pub fn add_mirrored<T: Scalar>(
    a: MatRef<'_, T>,
    (v, u): (&[T], &[T]),
    (low, mut high): (&mut [T], Option<&mut [T]>),
) {
    let (m, k) = a.shape();
    let width = low.len() / m.max(1);
    let high_len = high.as_ref().map_or(v.len(), |high| high.len());
    let fit = [v.len(), high_len] == [k * width; 2] && [u.len(), low.len()] == [m * width; 2];
    assert!(fit, "{m} × {k} entries do not fit to {} and {} numbers", u.len(), v.len());
    let piece = |start: usize, all: usize| start..all.min(start + DEPTH);
    let numbers = |points: &Range<usize>| points.start * width..points.end * width;
    T::with_scratch(|scratch| {
        for i in (0..m).step_by(DEPTH) {
            let rows = piece(i, m);
            for j in (0..k).step_by(DEPTH) {
                let cols = piece(j, k);
                let a = a.submatrix(i, j, rows.len(), cols.len());
                let (v, u) = (&v[numbers(&cols)], &u[numbers(&rows)]);
                let low = &mut low[numbers(&rows)];
                let high = high.as_mut().map(|high| &mut high[numbers(&cols)]);
                one_piece(Mirrored { a, v, u, low, high, scratch });
            }
        }
    });
}

/// No more rows or columns than a chain has.
fn one_piece<T: Scalar>(all: Mirrored<'_, '_, T>) {
    let Mirrored { a, v, u, low, high, scratch } = all;
    if a.row_stride() == 1 {
        return arch().dispatch(Mirrored { a, v, u, low, high, scratch });
    }
    scratch.with_matrix(a.nrows(), a.ncols(), |mut copy, scratch| {
        transpose(a.transpose(), copy.as_mut());
        arch().dispatch(Mirrored { a: copy.as_ref(), v, u, low, high, scratch });
    });
}

/// The registers that a panel has for a point.
type Group<S, T, const R: usize> = [<T as Vectors>::Vector<S>; R];

struct Mirrored<'a, 'o, T: Scalar> {
    /// Of contiguous columns.
    a: MatRef<'a, T>,
    v: &'a [T],
    u: &'a [T],
    low: &'o mut [T],
    high: Option<&'o mut [T]>,
    scratch: &'o mut Scratch<T>,
}

impl<T: Scalar> WithSimd for Mirrored<'_, '_, T> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let lanes = size_of::<T::Vector<S>>() / size_of::<T>();
        let is_single = self.low.len() == self.a.nrows() * lanes;
        match (registers::<S>(), is_single) {
            (4, true) => self.all_panels::<S, 1, 8>(simd, lanes),
            (4, false) => self.all_panels::<S, 2, 4>(simd, lanes),
            (_, true) => self.all_panels::<S, 1, 4>(simd, lanes),
            (_, false) => self.all_panels::<S, 2, 2>(simd, lanes),
        }
    }
}

impl<T: Scalar> Mirrored<'_, '_, T> {
    /// The few in panels of R registers, one after the other.
    #[inline(always)]
    fn all_panels<S: Simd, const R: usize, const C: usize>(self, simd: S, lanes: usize) {
        let Self { a, v, u, low, mut high, scratch } = self;
        let len = a.nrows() * R * lanes;
        let panels = low.len() / len.max(1);
        let mut buffer = scratch.take(2 * len + LINE / size_of::<T>());
        let start = line(&buffer);
        let (sums, own) = buffer[start..start + 2 * len].split_at_mut(len);
        let sums = groups_mut::<S, T, R>(sums);
        let (v, u) = (groups::<S, T, R>(v), groups::<S, T, R>(u));
        for p in 0..panels {
            sums.fill([T::splat(simd, T::ZERO); R]);
            let u = if panels == 1 {
                u
            } else {
                let own = groups_mut::<S, T, R>(own);
                let of_panel = u[p..].iter().step_by(panels);
                own.iter_mut().zip(of_panel).for_each(|(own, u)| *own = *u);
                &*own
            };
            let panel = Panel::<S, T, R> { simd, a, v: &v[p..], u, panels };
            let mut high = high.as_mut().map(|high| &mut groups_mut::<S, T, R>(high)[p..]);
            let whole = a.ncols() - a.ncols() % C;
            for j in (0..whole).step_by(C) {
                panel.add_columns::<C>(j, sums, high.as_deref_mut());
            }
            for j in whole..a.ncols() {
                panel.add_columns::<1>(j, sums, high.as_deref_mut());
            }
            let low = groups_mut::<S, T, R>(low)[p..].iter_mut().step_by(panels);
            low.zip(&*sums).for_each(|(low, &sum)| add::<T, S, R>(simd, low, sum));
        }
        scratch.give(buffer);
    }
}

/// A tile with R registers of each point.
struct Panel<'a, S: Simd, T: Scalar, const R: usize> {
    simd: S,
    a: MatRef<'a, T>,
    /// The numbers of the columns are in every so many groups, from the first on.
    v: &'a [Group<S, T, R>],
    panels: usize,
    /// The numbers of the rows, side by side.
    u: &'a [Group<S, T, R>],
}

impl<S: Simd, T: Scalar, const R: usize> Panel<'_, S, T, R> {
    /// Adds C columns from number `j` on to the sums of the rows, and their own sums to `high`.
    #[inline(always)]
    fn add_columns<const C: usize>(
        &self,
        j: usize,
        sums: &mut [Group<S, T, R>],
        high: Option<&mut [Group<S, T, R>]>,
    ) {
        let v = std::array::from_fn(|c| self.v[(j + c) * self.panels]);
        let Some(high) = high else {
            self.walk::<C, false>(j, &v, sums);
            return;
        };
        for (c, new) in self.walk::<C, true>(j, &v, sums).into_iter().enumerate() {
            add::<T, S, R>(self.simd, &mut high[(j + c) * self.panels], new);
        }
    }

    /// Goes on with the sums of the rows by C columns, and returns the sums of these if `BOTH`.
    ///
    /// Out of cache, memory would begin anew with each group of columns. So each column of the next group is asked for as a share of
    /// the rows goes by, in the order in which they lie: 21 µs for 256 × 256 doubles and eight vectors in the place of 47.
    #[inline(always)]
    fn walk<const C: usize, const BOTH: bool>(
        &self,
        j: usize,
        v: &[Group<S, T, R>; C],
        sums: &mut [Group<S, T, R>],
    ) -> [Group<S, T, R>; C] {
        let m = sums.len();
        let columns = self.columns::<C>(j);
        let mut block = [[T::splat(self.simd, T::ZERO); R]; C];
        let share = m.div_ceil(C).max(1);
        for (k, next) in self.columns::<C>(j + C).into_iter().enumerate() {
            next.iter().step_by(LINE / size_of::<T>()).for_each(prefetch);
            let part = (k * share).min(m)..((k + 1) * share).min(m);
            let columns = columns.map(|column| &column[part.clone()]);
            let (u, sums) = (&self.u[part.clone()], &mut sums[part]);
            block = self.rows::<C, BOTH>(columns, u, v, sums, block);
        }
        block
    }

    /// C columns from number `j` on; the last one stands for those that are missing.
    #[inline(always)]
    fn columns<const C: usize>(&self, j: usize) -> [&[T]; C] {
        std::array::from_fn(|c| {
            let column = self.a.col((j + c).min(self.a.ncols() - 1)).try_as_col_major();
            column.map_or(&[][..], |column| column.as_slice())
        })
    }

    /// Goes on with the sums of some rows, and with those of the columns.
    #[inline(always)]
    fn rows<const C: usize, const BOTH: bool>(
        &self,
        columns: [&[T]; C],
        u: &[Group<S, T, R>],
        v: &[Group<S, T, R>; C],
        sums: &mut [Group<S, T, R>],
        mut block: [Group<S, T, R>; C],
    ) -> [Group<S, T, R>; C] {
        let columns = columns.map(|column| &column[..sums.len()]);
        for (i, (sum, u)) in sums.iter_mut().zip(u).enumerate() {
            let mut own = *sum;
            for c in 0..C {
                let entry = T::splat(self.simd, columns[c][i]);
                for r in 0..R {
                    if BOTH {
                        block[c][r] = T::mul_add(self.simd, entry, u[r], block[c][r]);
                    }
                    own[r] = T::mul_add(self.simd, entry, v[c][r], own[r]);
                }
            }
            *sum = own;
        }
        block
    }
}

/// Asks for a number that is going to be read.
#[inline(always)]
fn prefetch<T>(number: &T) {
    #[cfg(target_arch = "x86_64")]
    safe_arch::prefetch_t0(number);
    #[cfg(not(target_arch = "x86_64"))]
    let _ = number;
}

/// Numbers in groups of R registers.
#[inline(always)]
fn groups<S: Simd, T: Scalar, const R: usize>(numbers: &[T]) -> &[Group<S, T, R>] {
    T::vectors::<S>(numbers).0.as_chunks::<R>().0
}

/// The same, to be written to.
#[inline(always)]
fn groups_mut<S: Simd, T: Scalar, const R: usize>(numbers: &mut [T]) -> &mut [Group<S, T, R>] {
    T::vectors_mut::<S>(numbers).0.as_chunks_mut::<R>().0
}

#[inline(always)]
fn add<T: Scalar, S: Simd, const R: usize>(simd: S, old: &mut Group<S, T, R>, new: Group<S, T, R>) {
    old.iter_mut().zip(new).for_each(|(old, new)| *old = <T as Vectors>::add(simd, *old, new));
}
