//! Processing of a matrix that is too large for memory, one block of columns at a time.

use crate::tiling::tile_ranges;
use crate::{Error, product, zeros};
use faer::{Accum, MatMut, MatRef};
use kern_core::Scalar;
use std::ops::Range;

/// The bytes of one block, the only allocation of block-wise processing.
const BLOCK_BYTES: usize = 1 << 24;

/// The number of columns of a block with this many rows: at least one, and enough for fast matrix
/// products.
pub(crate) fn width<T>(rows: usize) -> usize {
    (BLOCK_BYTES / (rows.max(1) * size_of::<T>())).clamp(1, 256)
}

/// For every block of columns of an m × n matrix, from left to right: `fill` writes its entries,
/// `f` reads them.
pub(crate) fn for_each_block<T: Scalar>(
    (m, n): (usize, usize),
    mut fill: impl FnMut(Range<usize>, MatMut<'_, T>) -> Result<(), Error>,
    mut f: impl FnMut(Range<usize>, MatRef<'_, T>),
) -> Result<(), Error> {
    let ranges = tile_ranges(n, width::<T>(m));
    let mut block = zeros(m, ranges.first().map_or(0, ExactSizeIterator::len))?;
    for cols in ranges {
        let mut block = block.as_mut().subcols_mut(0, cols.len());
        fill(cols.clone(), block.as_mut())?;
        f(cols, block.as_ref());
    }
    Ok(())
}

/// out = matrix·v, where `fill` writes blocks of columns of the matrix.
pub(crate) fn apply<T: Scalar>(
    v: MatRef<'_, T>,
    mut out: MatMut<'_, T>,
    fill: impl FnMut(Range<usize>, MatMut<'_, T>) -> Result<(), Error>,
) -> Result<(), Error> {
    out.fill(T::ZERO);
    for_each_block((out.nrows(), v.nrows()), fill, |cols, block| {
        let v = v.subrows(cols.start, cols.len());
        product::by_stripes(Accum::Add, block, v, out.as_mut());
    })
}
