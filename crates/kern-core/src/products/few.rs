//! Inner products with few vectors, whose numbers lie across the lanes.
//!
//! A step of the register kernel loads one number of each of the few, R registers of them, and broadcasts one number of each of C
//! vectors of the other side: for R·C multiply-adds nothing is packed but the few, and memory is read in the order in which
//! it lies.

use super::fold::DEPTH;
use super::micro::one_panel;
use super::pack::pack;
use super::shape::registers;
use super::term::Product;
use crate::simd::{Scalar, Scratch, arch};
use faer::{Accum, MatMut, MatRef};
use pulp::{Simd, WithSimd};

/// Coordinates for which the few are packed at a time: sixteen of them are a quarter of a megabyte of doubles, and the other
/// vectors are read 16 KB at a time.
const PACKED: usize = 8 * DEPTH;

/// `out = α·ZᵀW`, or `out += α·ZᵀW`, for few vectors in W and vectors in Z of which each is contiguous: Z, W and α.
pub(super) struct Few<'a, 'o, T: Scalar> {
    pub(super) out: MatMut<'o, T>,
    pub(super) accum: Accum,
    pub(super) factors: (MatRef<'a, T>, MatRef<'a, T>, T),
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
        match (registers::<S>(), self.factors.1.ncols().div_ceil(lanes)) {
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
        let Self { mut out, accum, factors: (z, w, alpha), scratch } = self;
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
                        let block = one_panel(simd, panel, columns, zero, (Product, 0));
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
