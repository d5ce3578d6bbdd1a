//! Symmetric products: a tile of a symmetric matrix and its transpose, each times few vectors, in
//! one pass over the tile.
//!
//! The vectors lie across the lanes. A step of the register kernel loads one entry of each vector,
//! R registers for either side, and broadcasts C entries of a row of the tile, for 2·R·C
//! multiply-adds. Half of these continue the sums of that row, which come from the first-level
//! cache and return to it; the other half continue the sums of the C columns, which stay in
//! registers.

use super::microkernel::registers;
use super::packing::DEPTH;
use super::transpose;
use crate::memory::prefetch;
use crate::simd::lanes::Vectors;
use crate::simd::{Scalar, Scratch, arch};
use faer::MatRef;
use kern_macros::compiled_once;
use pulp::{Simd, WithSimd};
use std::ops::Range;

/// `low += A·V` and `high += Aᵀ·U`, on the calling thread. V and `high` hold the entries for the
/// columns of A, U and `low` those for its rows, laid out as by
/// [`FewVectors::rows`](super::FewVectors::rows). Without `high`, only the first product is
/// computed.
///
/// # Shapes and units
/// A is m × k; V and `high` have length k·w, U and `low` length m·w, with w the padded width of
/// [`FewVectors`](super::FewVectors).
///
/// # Panics
/// If the lengths do not fit together.
///
/// # Complexity
/// 4 flops for each entry and vector; A is read once.
///
/// # Numerics
/// Every sum is the old value plus one chain for each 256 columns or rows, with the bits of
/// [`matmul`](fn@crate::products::matmul).
///
/// # Examples
/// ```
/// use kern_core::{faer::{Mat, mat}, products::{FewVectors, add_mirrored}};
/// let a = mat![[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]];
/// let ones = |rows| FewVectors::of(Mat::<f64>::from_fn(rows, 5, |_, _| 1.0).as_ref());
/// let (u, v) = (ones(3)?, ones(2)?);
/// let (mut low, mut high) = (FewVectors::zeros(3, 5)?, FewVectors::zeros(2, 5)?);
/// let (of_rows, of_columns) = (u.rows(0..3), v.rows(0..2));
/// add_mirrored(a.as_ref(), of_columns, of_rows, low.all_mut(), Some(high.all_mut()));
/// assert_eq!((low.rows(2..3)[0], high.rows(0..1)[0]), (11.0, 9.0));
/// # Ok::<(), kern_core::Error>(())
/// ```
#[compiled_once]
pub fn add_mirrored<T: Scalar>(
    a: MatRef<'_, T>,
    v: &[T],
    u: &[T],
    low: &mut [T],
    mut high: Option<&mut [T]>,
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

/// Computes a piece with at most as many rows and columns as a chain has terms.
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

/// Rows per iteration of the inner loop.
const AT_ONCE: usize = 4;

/// The registers that a panel has for one point.
type Group<S, T, const R: usize> = [<T as Vectors>::Vector<S>; R];

struct Mirrored<'a, 'o, T: Scalar> {
    /// The tile, with contiguous columns.
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
    /// Processes the vectors in panels of R registers.
    #[inline(always)]
    fn all_panels<S: Simd, const R: usize, const C: usize>(self, simd: S, lanes: usize) {
        let Self { a, v, u, low, mut high, scratch } = self;
        let len = a.nrows() * R * lanes;
        let panels = low.len() / len.max(1);
        let mut buffer = scratch.take(2 * len);
        let (sums, own) = buffer.split_at_mut(len);
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

/// A tile, with R registers for each point.
struct Panel<'a, S: Simd, T: Scalar, const R: usize> {
    simd: S,
    a: MatRef<'a, T>,
    /// The entries for the columns: every `panels`-th group, from the first on.
    v: &'a [Group<S, T, R>],
    panels: usize,
    /// The entries for the rows, contiguous.
    u: &'a [Group<S, T, R>],
}

impl<S: Simd, T: Scalar, const R: usize> Panel<'_, S, T, R> {
    /// Adds C columns, from index `j` on, to the sums of the rows, and their own sums to `high`.
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

    /// Continues the sums of the rows by C columns, and returns the sums of these columns if
    /// `BOTH`.
    ///
    /// When the tile is not in cache, memory latency would be paid for each group of columns. So
    /// the columns of the next group are prefetched one by one, each while a share of the rows is
    /// processed: 21 µs instead of 47 for 256 × 256 doubles and eight vectors.
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
        let share = m.div_ceil(C).next_multiple_of(AT_ONCE);
        for (k, next) in self.columns::<C>(j + C).into_iter().enumerate() {
            prefetch(next, usize::MAX);
            let part = (k * share).min(m)..((k + 1) * share).min(m);
            let columns = columns.map(|column| &column[part.clone()]);
            let (u, sums) = (&self.u[part.clone()], &mut sums[part]);
            block = self.rows::<C, BOTH>(columns, u, v, sums, block);
        }
        block
    }

    /// C columns from index `j` on; the last column stands in for missing ones.
    #[inline(always)]
    fn columns<const C: usize>(&self, j: usize) -> [&[T]; C] {
        std::array::from_fn(|c| {
            let column = self.a.col((j + c).min(self.a.ncols() - 1)).try_as_col_major();
            column.map_or(&[][..], |column| column.as_slice())
        })
    }

    /// Continues the sums of some rows, and those of the columns.
    #[inline(always)]
    fn rows<const C: usize, const BOTH: bool>(
        &self,
        columns: [&[T]; C],
        u: &[Group<S, T, R>],
        v: &[Group<S, T, R>; C],
        sums: &mut [Group<S, T, R>],
        mut block: [Group<S, T, R>; C],
    ) -> [Group<S, T, R>; C] {
        let columns = columns.map(|column| column.as_chunks::<AT_ONCE>());
        let (sums, last_sums) = sums.as_chunks_mut::<AT_ONCE>();
        let (u, last_u) = u.as_chunks::<AT_ONCE>();
        for (i, (sums, u)) in sums.iter_mut().zip(u).enumerate() {
            let entries = columns.map(|(column, _)| &column[i]);
            block = self.few_rows::<C, AT_ONCE, BOTH>(entries, u, v, sums, block);
        }
        for (i, (sum, &u)) in last_sums.iter_mut().zip(last_u).enumerate() {
            let entries = columns.map(|(_, last)| std::array::from_ref(&last[i]));
            block = self.few_rows::<C, 1, BOTH>(entries, &[u], v, std::array::from_mut(sum), block);
        }
        block
    }

    /// The same for a number of rows known at compile time, so that the loop has neither an index
    /// nor a bounds check.
    #[inline(always)]
    fn few_rows<const C: usize, const N: usize, const BOTH: bool>(
        &self,
        columns: [&[T; N]; C],
        u: &[Group<S, T, R>; N],
        v: &[Group<S, T, R>; C],
        sums: &mut [Group<S, T, R>; N],
        mut block: [Group<S, T, R>; C],
    ) -> [Group<S, T, R>; C] {
        for i in 0..N {
            let mut own = sums[i];
            for c in 0..C {
                let entry = T::splat(self.simd, columns[c][i]);
                for r in 0..R {
                    if BOTH {
                        block[c][r] = T::mul_add(self.simd, entry, u[i][r], block[c][r]);
                    }
                    own[r] = T::mul_add(self.simd, entry, v[c][r], own[r]);
                }
            }
            sums[i] = own;
        }
        block
    }
}

/// Values as groups of R registers.
#[inline(always)]
fn groups<S: Simd, T: Scalar, const R: usize>(numbers: &[T]) -> &[Group<S, T, R>] {
    T::vectors::<S>(numbers).0.as_chunks::<R>().0
}

/// Mutable version of [`groups`].
#[inline(always)]
fn groups_mut<S: Simd, T: Scalar, const R: usize>(numbers: &mut [T]) -> &mut [Group<S, T, R>] {
    T::vectors_mut::<S>(numbers).0.as_chunks_mut::<R>().0
}

#[inline(always)]
fn add<T: Scalar, S: Simd, const R: usize>(simd: S, old: &mut Group<S, T, R>, new: Group<S, T, R>) {
    old.iter_mut().zip(new).for_each(|(old, new)| *old = <T as Vectors>::add(simd, *old, new));
}
