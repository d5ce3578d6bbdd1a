//! The micro-kernel: all panels of rows against one group of columns, with the sums of a panel in
//! registers.
//!
//! Registers are explicit, because the code that the compiler makes of plain loops of this form is
//! unpredictable (measured on AVX-512: 67 or 2 coordinates per nanosecond, depending on the shape
//! of the block).
//!
//! # The shape of the block of sums
//! A step loads R registers of rows and one value of each of C columns, for R·C multiply-adds, and
//! the second-level cache has R·C cycles, or half of that, to deliver the rows. Measured on one
//! core of a Sapphire Rapids, of 100 GFLOP/s: 4 × 4 reaches 54, 2 × 12 and 3 × 8 75, 4 × 6 72; on
//! Zen 4, of 58: 2 × 12 51, 4 × 6 55, and for squared differences 35 and 43.

use super::term::Term;
use crate::memory::prefetch;
use crate::simd::lanes::{Lanes, Vectors};
use crate::simd::{Scalar, arch};
use pulp::{Simd, WithSimd};
use std::marker::PhantomData;

/// Columns of the wide register block.
pub(super) const WIDE: usize = 6;
/// Columns of the narrow register block, for what wide ones leave over.
pub(super) const NARROW: usize = 4;
/// The column of a product with one vector, such as the kernel values of one query.
pub(super) const SINGLE: usize = 1;

/// Registers per column of a panel: with six columns, 24 of 32 registers hold sums, or 12 of 16.
pub(super) const fn registers<S: Simd>() -> usize {
    // AVX-512 and NEON have 32 registers, of 8 doubles and of 2; AVX2 has 16, of 4.
    if S::F64_LANES >= 8 || S::F64_LANES == 2 { 4 } else { 2 }
}

/// Rows of a panel for this scalar type, on this processor.
pub(super) fn height<T: Scalar>() -> usize {
    arch().dispatch(Height::<T>(PhantomData))
}

struct Height<T>(PhantomData<T>);

impl<T: Vectors> WithSimd for Height<T> {
    type Output = usize;

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) -> usize {
        registers::<S>() * size_of::<T::Vector<S>>() / size_of::<T>()
    }
}

/// One block of coordinates of packed rows and columns.
#[derive(Clone, Copy)]
pub(super) struct Block<'a, T> {
    /// The rows, in panels.
    pub(super) rows: Rows<'a, T>,
    /// The columns of one group, each with its coordinates.
    pub(super) columns: &'a [&'a [T]],
    /// The number of coordinates.
    pub(super) depth: usize,
    /// The number of leading coordinates to skip, less than `depth`.
    pub(super) zeros: usize,
    /// The index of the first coordinate.
    pub(super) first: usize,
}

/// The rows of a block; only whole panels are computed.
#[derive(Clone, Copy)]
pub(super) enum Rows<'a, T> {
    /// Packed panels, one after the other, each coordinate by coordinate.
    Packed(&'a [T]),
    /// Unpacked rows, contiguous for each coordinate: for so few columns that packing does not pay.
    Lying(&'a [&'a [T]]),
}

/// The use of the values already in the output.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Old {
    /// They are overwritten.
    Overwritten,
    /// The chain continues from them.
    Continued,
    /// The new sums are added to them.
    Added,
    /// The new sums are subtracted from them.
    Subtracted,
}

/// Accumulates the terms of a block of coordinates. `sums` has one slice for each column of the
/// group, with one value for each row of the panels.
pub(super) fn join<T: Scalar, F: Term>(
    block: Block<'_, T>,
    sums: &mut [&mut [T]],
    old: Old,
    term: F,
) {
    arch().dispatch(Join { block, sums, old, term });
}

struct Join<'a, 'b, 'c, T, F> {
    block: Block<'a, T>,
    sums: &'b mut [&'c mut [T]],
    old: Old,
    term: F,
}

impl<T: Scalar, F: Term> WithSimd for Join<'_, '_, '_, T, F> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        // Conditions on constants: block shapes of other instruction sets are not compiled.
        if const { registers::<S>() == 4 } {
            self.groups::<S, 4>(simd);
        } else {
            self.groups::<S, 2>(simd);
        }
    }
}

impl<T: Scalar, F: Term> Join<'_, '_, '_, T, F> {
    #[inline(always)]
    fn groups<S: Simd, const R: usize>(self, simd: S) {
        if const { F::LIGHT } && self.sums.len() == WIDE {
            return self.all_panels::<S, R, WIDE>(simd);
        }
        if self.sums.len() == SINGLE {
            return self.all_panels::<S, R, SINGLE>(simd);
        }
        self.all_panels::<S, R, NARROW>(simd);
    }

    #[inline(always)]
    fn all_panels<S: Simd, const R: usize, const C: usize>(self, simd: S) {
        let Block { rows, columns, depth, zeros, first } = self.block;
        let mut given = self.sums.iter_mut();
        let mut sums: [&mut [[T::Vector<S>; R]]; C] = std::array::from_fn(|_| match given.next() {
            Some(column) => T::vectors_mut::<S>(column).0.as_chunks_mut::<R>().0,
            None => &mut [],
        });
        let columns: [&[T]; C] = std::array::from_fn(|c| &columns[c][zeros..depth]);
        let (term, first) = (self.term, first + zeros);
        match rows {
            Rows::Packed(rows) => {
                let panels = T::vectors::<S>(rows).0.as_chunks::<R>().0.chunks_exact(depth);
                for (p, panel) in panels.enumerate() {
                    let block = begin::<T, F, S, R, C>(simd, &sums, p, self.old);
                    let panel = panel[zeros..].iter().copied();
                    let block = one_panel(simd, panel, columns, block, term, first);
                    end::<T, S, R, C>(simd, &mut sums, p, block, self.old);
                }
            }
            Rows::Lying(rows) if const { F::OF_MATRICES } => {
                let whole = |row: &&[T]| T::vectors::<S>(row).0.as_chunks::<R>().0.len();
                for p in 0..rows.first().map_or(0, whole) {
                    let block = begin::<T, F, S, R, C>(simd, &sums, p, self.old);
                    let panel = rows[zeros..]
                        .iter()
                        .map(|row| T::vectors::<S>(row).0.as_chunks::<R>().0[p]);
                    let block = one_panel(simd, panel, columns, block, term, first);
                    end::<T, S, R, C>(simd, &mut sums, p, block, self.old);
                }
            }
            // `fold` packs the rows of all other terms.
            Rows::Lying(_) => {}
        }
    }
}

/// The block of sums of panel `p` before its first coordinate.
#[inline(always)]
fn begin<T: Scalar, F: Term, S: Simd, const R: usize, const C: usize>(
    simd: S,
    sums: &[&mut [[T::Vector<S>; R]]; C],
    p: usize,
    old: Old,
) -> [[T::Vector<S>; R]; C] {
    let mut block = [[T::splat(simd, T::from_f64(F::START)); R]; C];
    match old {
        Old::Continued => {
            for (block, sums) in block.iter_mut().zip(sums) {
                *block = sums[p];
            }
        }
        // They are read when the block is done, and are in cache by then.
        Old::Added | Old::Subtracted => {
            for sums in sums {
                prefetch(&sums[p], usize::MAX);
            }
        }
        Old::Overwritten => {}
    }
    block
}

/// Stores the block of panel `p`.
#[inline(always)]
fn end<T: Scalar, S: Simd, const R: usize, const C: usize>(
    simd: S,
    sums: &mut [&mut [[T::Vector<S>; R]]; C],
    p: usize,
    block: [[T::Vector<S>; R]; C],
    old: Old,
) {
    for (block, sums) in block.into_iter().zip(sums) {
        let pairs = sums[p].iter_mut().zip(block);
        match old {
            Old::Added => pairs.for_each(|(sum, new)| *sum = <T as Vectors>::add(simd, *sum, new)),
            Old::Subtracted => {
                pairs.for_each(|(sum, new)| *sum = <T as Vectors>::sub(simd, *sum, new));
            }
            Old::Overwritten | Old::Continued => sums[p] = block,
        }
    }
}

/// The sums of one panel, continued over the coordinates from index `first` on.
#[inline(always)]
pub(super) fn one_panel<T: Scalar, F: Term, S: Simd, const R: usize, const C: usize>(
    simd: S,
    panel: impl Iterator<Item = [T::Vector<S>; R]>,
    columns: [&[T]; C],
    mut sums: [[T::Vector<S>; R]; C],
    term: F,
    first: usize,
) -> [[T::Vector<S>; R]; C] {
    for (k, x) in panel.enumerate() {
        for (sums, y) in sums.iter_mut().zip(columns) {
            let y = Lanes::<S, T>::splat(simd, y[k]);
            for (sum, x) in sums.iter_mut().zip(x) {
                let x = Lanes::<S, T>::new(simd, x);
                *sum = term.join(Lanes::<S, T>::new(simd, *sum), x, y, first + k).value;
            }
        }
    }
    sums
}
