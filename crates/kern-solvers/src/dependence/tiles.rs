//! Tiles of kernel values.

use crate::Error;
use faer::MatRef;
use kern_core::Scalar;
use kern_gram::TILE_EDGE;

/// Stripes that few points are cut into, so that all threads have tiles.
const STRIPES: usize = 16;
/// The least edge, which all others are multiples of: splits have bits in bytes.
const LEAST_EDGE: usize = 8;

/// The edge of tiles of so many points.
pub(super) fn edge(n: usize) -> usize {
    (n / STRIPES).next_multiple_of(LEAST_EDGE).clamp(LEAST_EDGE, TILE_EDGE)
}

/// Refuses values that are not finite; the tile begins at this row and column.
pub(super) fn check_finite<T: Scalar>(
    tile: MatRef<'_, T>,
    (row, col): (usize, usize),
) -> Result<(), Error> {
    for (j, column) in tile.col_iter().enumerate() {
        if column.try_as_col_major().is_some_and(|values| T::all_finite(values.as_slice())) {
            continue;
        }
        if let Some(i) = column.iter().position(|value| !value.is_finite_number()) {
            let (row, col, given) = (row + i, col + j, column[i].to_f64());
            return Err(kern_gram::Error::NotFinite { row, col, given }.into());
        }
    }
    Ok(())
}

/// Adds the sums of rows and of columns.
pub(super) fn add_sums<T: Scalar>(tile: MatRef<'_, T>, rows: &mut [f64], cols: &mut [f64]) {
    for (column, total) in tile.col_iter().zip(cols) {
        let mut sum = 0.0;
        for (value, row) in column.iter().zip(&mut *rows) {
            let value = value.to_f64();
            *row += value;
            sum += value;
        }
        *total += sum;
    }
}
