//! Inner products of a tile of dense samples.

use super::{Product, Scratch, Tile, fold_coordinates};
use crate::{Samples, Scalar};
use faer::MatMut;

/// `out[(i, j)] = ⟨a_i, b_j⟩`.
///
/// # Panics
/// If `out` does not have the tile's shape.
///
/// # Complexity
/// 2·m·n·d flops; m·d numbers of scratch.
///
/// # Numerics
/// |error| ≤ d·u·Σₖ|a_ik·b_jk|. An entry has the same bits in every tile, and the same if the samples
/// are exchanged.
///
/// # Examples
/// ```
/// use kern_core::{Samples, Scratch, Tile, faer::Mat, tile};
/// let x = Samples::from_rows(&[[1.0, 2.0], [3.0, 4.0]])?;
/// let mut out = Mat::zeros(2, 2);
/// tile::dot(&Tile::new(&x, 0..2, &x, 0..2), out.as_mut(), &mut Scratch::new());
/// assert_eq!(out[(0, 1)], 11.0);
/// # Ok::<(), kern_core::Error>(())
/// ```
pub fn dot<T: Scalar>(tile: &Tile<'_, Samples<T>>, out: MatMut<'_, T>, scratch: &mut Scratch<T>) {
    fold_coordinates(tile, out, scratch, Product, &mut |_, _| {});
}
