//! L1 distances of a tile of dense samples. There is no matrix-product form, so the work is done
//! coordinate by coordinate, over many rows at a time.

use super::{Scratch, Tile, for_each_column};
use crate::simd::dispatched;
use crate::{Points, Samples, Scalar};
use faer::MatMut;

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
    for_each_column(out, scratch, |j, column| {
        sum_magnitudes(column, &rows, tile.b().item(tile.cols().start + j));
    });
    scratch.give(rows);
}

dispatched! {
    /// sums_i = Σₖ |x_ik − y_k|, where `rows` holds all x_i0, then all x_i1, and so on. Four
    /// coordinates at a time, so that the sums are loaded and stored less often.
    fn sum_magnitudes<'a, T>(sums: &'a mut [T], rows: &'a [T], y: &'a [T]) -> () {
        let m = sums.len();
        if m == 0 {
            return;
        }
        sums.fill(T::ZERO);
        let mut blocks = rows.chunks_exact(4 * m);
        let (heads, tail) = y.as_chunks::<4>();
        for (x, &[y0, y1, y2, y3]) in blocks.by_ref().zip(heads) {
            let (x0, x) = x.split_at(m);
            let (x1, x) = x.split_at(m);
            let (x2, x3) = x.split_at(m);
            for ((((sum, &x0), &x1), &x2), &x3) in sums.iter_mut().zip(x0).zip(x1).zip(x2).zip(x3) {
                let near = (x0 - y0).magnitude() + (x1 - y1).magnitude();
                *sum += near + ((x2 - y2).magnitude() + (x3 - y3).magnitude());
            }
        }
        for (x, &y) in blocks.remainder().chunks_exact(m).zip(tail) {
            for (sum, &x) in sums.iter_mut().zip(x) {
                *sum += (x - y).magnitude();
            }
        }
    }
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
