//! Inner products of a tile of dense samples: one matrix product.

use super::Tile;
use crate::{Samples, Scalar};
use faer::linalg::matmul::matmul;
use faer::{Accum, MatMut, Par};

/// `out[(i, j)] = ⟨a_i, b_j⟩`.
///
/// # Panics
/// If `out` does not have the tile's shape.
///
/// # Complexity
/// 2·m·n·d flops; no memory.
///
/// # Numerics
/// |error| ≤ d·u·Σₖ|a_ik·b_jk|.
///
/// # Examples
/// ```
/// use kern_core::{Samples, Tile, faer::Mat, tile};
/// let x = Samples::from_rows(&[[1.0, 2.0], [3.0, 4.0]])?;
/// let mut out = Mat::zeros(2, 2);
/// tile::dot(&Tile::new(&x, 0..2, &x, 0..2), out.as_mut());
/// assert_eq!(out[(0, 1)], 11.0);
/// # Ok::<(), kern_core::Error>(())
/// ```
pub fn dot<T: Scalar>(tile: &Tile<'_, Samples<T>>, out: MatMut<'_, T>) {
    tile.assert_shape(&out);
    let a = tile.a().columns(tile.rows());
    let b = tile.b().columns(tile.cols());
    matmul(out, Accum::Replace, a.transpose(), b, T::ONE, Par::Seq);
}
