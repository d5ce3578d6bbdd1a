//! L1 distances of a tile of dense samples. There is no matrix-product form, so the work is done
//! coordinate by coordinate, over many rows at a time.

use super::{Scratch, Tile, for_each_column};
use crate::{Points, Samples, Scalar};
use faer::MatMut;
use pulp::Arch;

/// `out[(i, j)] = ‖a_i − b_j‖₁`.
///
/// # Panics
/// If `out` does not have the tile's shape.
///
/// # Complexity
/// 3·m·n·d flops; m·d numbers of scratch.
///
/// # Numerics
/// |error| ≤ d·u·‖a_i − b_j‖₁: differences are taken first, so nothing cancels.
///
/// # Examples
/// ```
/// use kern_core::{Samples, Scratch, Tile, faer::Mat, tile};
/// let x = Samples::from_rows(&[[1.0, 2.0], [4.0, -2.0]])?;
/// let mut out = Mat::zeros(2, 2);
/// tile::l1_distance(&Tile::new(&x, 0..2, &x, 0..2), out.as_mut(), &mut Scratch::new());
/// assert_eq!(out[(0, 1)], 7.0);
/// # Ok::<(), kern_core::Error>(())
/// ```
pub fn l1_distance<T: Scalar>(
    tile: &Tile<'_, Samples<T>>,
    out: MatMut<'_, T>,
    scratch: &mut Scratch<T>,
) {
    tile.assert_shape(&out);
    let rows = by_coordinate(tile, scratch);
    let m = tile.nrows();
    let arch = Arch::new();
    for_each_column(out, scratch, |j, column| {
        let y = tile.b().item(tile.cols().start + j);
        column.fill(T::ZERO);
        arch.dispatch(
            #[inline(always)]
            || {
                for (k, &y_k) in y.iter().enumerate() {
                    for (sum, &x_k) in column.iter_mut().zip(&rows[k * m..(k + 1) * m]) {
                        *sum += (x_k - y_k).magnitude();
                    }
                }
            },
        );
    });
    scratch.give(rows);
}

/// The tile's rows, transposed: first all first coordinates, then all second ones, and so on.
fn by_coordinate<T: Scalar>(tile: &Tile<'_, Samples<T>>, scratch: &mut Scratch<T>) -> Vec<T> {
    let (m, dim) = (tile.nrows(), tile.a().dim());
    let mut out = scratch.take(m * dim);
    for (i, p) in tile.rows().enumerate() {
        for (k, &x_k) in tile.a().item(p).iter().enumerate() {
            out[k * m + i] = x_k;
        }
    }
    out
}
