//! Samples packed for the register kernel.

use super::{Scratch, transpose};
use crate::simd::lanes::Vectors;
use crate::{Scalar, simd};
use faer::{MatMut, MatRef};
use pulp::{Simd, WithSimd};
use std::ops::Range;

/// Some samples in panels of as many as the register kernel works on at once, each panel
/// coordinate by coordinate. The last panel is filled up with zeros.
///
/// Where there are many coordinates, all panels of the first `depth` come first, then all of the
/// next, and so on.
pub(crate) struct Panels<T> {
    values: Vec<T>,
    padded_len: usize,
    depth: usize,
}

/// The number of registers that one column of a panel fills: with four columns, half of the 32 of
/// AVX-512 hold sums; the others have 16 registers.
pub(crate) const fn registers<S: Simd>() -> usize {
    if S::F64_LANES >= 8 { 4 } else { 2 }
}

impl<T: Scalar> Panels<T> {
    /// Packs samples of dimension `dim` that lie one after the other.
    pub(crate) fn new(samples: &[T], dim: usize, depth: usize, scratch: &mut Scratch<T>) -> Self {
        let height = simd::arch().dispatch(Height::<T>::new());
        let padded_len = (samples.len() / dim).next_multiple_of(height);
        let mut values = scratch.take(padded_len * dim);
        for start in (0..dim).step_by(depth) {
            let coordinates = start..dim.min(start + depth);
            let block = &mut values[start * padded_len..coordinates.end * padded_len];
            let panels = block.chunks_exact_mut(height * coordinates.len());
            for (panel, rows) in panels.zip(samples.chunks(height * dim)) {
                pack(panel, rows, dim, coordinates.clone());
            }
        }
        Self { values, padded_len, depth }
    }

    /// The number of samples with those that fill up the last panel.
    pub(crate) fn padded_len(&self) -> usize {
        self.padded_len
    }

    /// The panels of one block of coordinates.
    pub(crate) fn block(&self, coordinates: &Range<usize>) -> &[T] {
        debug_assert_eq!(coordinates.start % self.depth, 0);
        &self.values[coordinates.start * self.padded_len..coordinates.end * self.padded_len]
    }

    /// Returns the memory.
    pub(crate) fn give_back(self, scratch: &mut Scratch<T>) {
        scratch.give(self.values);
    }
}

/// One panel from its samples, which lie one after the other.
fn pack<T: Scalar>(panel: &mut [T], rows: &[T], dim: usize, coordinates: Range<usize>) {
    let height = panel.len() / coordinates.len();
    if rows.len() < height * dim {
        panel.fill(T::ZERO);
    }
    let rows = MatRef::from_column_major_slice(rows, dim, rows.len() / dim);
    let panel = MatMut::from_column_major_slice_mut(panel, height, coordinates.len());
    transpose(
        rows.subrows(coordinates.start, coordinates.len()),
        panel.subrows_mut(0, rows.ncols()),
    );
}

/// The number of samples in a panel.
struct Height<T>(std::marker::PhantomData<T>);

impl<T> Height<T> {
    fn new() -> Self {
        Self(std::marker::PhantomData)
    }
}

impl<T: Vectors> WithSimd for Height<T> {
    type Output = usize;
    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) -> usize {
        registers::<S>() * size_of::<T::Vector<S>>() / size_of::<T>()
    }
}
