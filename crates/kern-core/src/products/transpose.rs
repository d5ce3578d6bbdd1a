//! The mirror image of a tile.

use crate::simd::turn::{EDGE, turned};
use crate::simd::{self, Scalar};
use faer::{ColMut, ContiguousFwd, MatMut, MatRef};
use kern_macros::compiled_once;
use pulp::{Simd, WithSimd};
use std::ops::Range;

/// `to` = `from`ᵀ: how the other half of a symmetric matrix gets its tiles.
///
/// # Shapes and units
/// `from` is m × n, `to` n × m.
///
/// # Panics
/// If the shapes do not fit together.
///
/// # Complexity
/// m·n numbers are moved, in blocks of 8 × 8 that are transposed in registers.
///
/// # Examples
/// ```
/// use kern_core::{faer::{Mat, mat}, tile};
/// let mut to = Mat::zeros(3, 1);
/// tile::transpose(mat![[1.0, 2.0, 3.0]].as_ref(), to.as_mut());
/// assert_eq!(to, mat![[1.0], [2.0], [3.0]]);
/// ```
#[compiled_once]
pub fn transpose<T: Scalar>(from: MatRef<'_, T>, mut to: MatMut<'_, T>) {
    assert_eq!(from.shape(), (to.ncols(), to.nrows()), "a transpose has the shape transposed");
    let (m, n) = from.shape();
    if m == 0 || n == 0 {
        return;
    }
    let (Some(from), Some(_)) = (from.try_as_col_major(), to.as_mut().try_as_col_major_mut())
    else {
        return to.copy_from(from.transpose());
    };
    for i in (0..m).step_by(EDGE) {
        let columns = to.as_mut().subcols_mut(i, EDGE.min(m - i)).col_iter_mut();
        let mut columns = columns.filter_map(ColMut::try_as_col_major_mut);
        let to = std::array::from_fn(|_| columns.next().map_or(&mut [][..], |c| c.as_slice_mut()));
        if i + EDGE <= m {
            simd::arch().dispatch(WholeBand { from, i, to });
        } else {
            band(from, i..m, to, 0);
        }
    }
}

/// The rows from `i` on, as many as a block has, become the columns `to`.
struct WholeBand<'a, T> {
    from: MatRef<'a, T, usize, usize, ContiguousFwd>,
    i: usize,
    to: [&'a mut [T]; EDGE],
}

impl<T: Scalar> WithSimd for WholeBand<'_, T> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let Self { from, i, mut to } = self;
        let whole = from.ncols() - from.ncols() % EDGE;
        for j in (0..whole).step_by(EDGE) {
            let mut block = [[T::ZERO; EDGE]; EDGE];
            for (c, block) in block.iter_mut().enumerate() {
                block.copy_from_slice(&from.col(j + c).as_slice()[i..i + EDGE]);
            }
            for (to, turned) in to.iter_mut().zip(turned(simd, block)) {
                to[j..j + EDGE].copy_from_slice(&turned);
            }
        }
        band(from, i..i + EDGE, to, whole);
    }
}

/// Some rows of `from`, from column `start` on, one number at a time.
fn band<T: Scalar>(
    from: MatRef<'_, T, usize, usize, ContiguousFwd>,
    rows: Range<usize>,
    mut to: [&mut [T]; EDGE],
    start: usize,
) {
    for j in start..from.ncols() {
        for (to, &value) in to.iter_mut().zip(&from.col(j).as_slice()[rows.clone()]) {
            to[j] = value;
        }
    }
}
