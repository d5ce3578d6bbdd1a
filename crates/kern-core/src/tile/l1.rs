//! L1 distances of a tile of dense samples.

use super::coordinates::fold_coordinates;
use super::{Scratch, Term, Tile};
use crate::simd::lanes::Number;
use crate::{Samples, Scalar};
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
    fold_coordinates(tile, out, scratch, Magnitude, &mut |_, _| {});
}

/// |x − y|.
#[derive(Clone, Copy)]
pub(crate) struct Magnitude;

impl Term for Magnitude {
    crate::products::compiled_loops!(Magnitude);

    #[inline(always)]
    fn of<N: Number>(self, x: N, y: N) -> N {
        (x - y).magnitude()
    }
}
