//! Sums (or products) over the coordinates of a tile of dense samples: squared differences, inner
//! products, and all that has no matrix-product form.
//!
//! Every pair is worked off from the first coordinate to the last in one fixed order, so its result
//! depends neither on the tile that it lies in, nor on the processor, nor on the order of the two
//! samples.

use super::{Scratch, Term, Tile};
use crate::products::{Operands, Sum, fold};
use crate::simd::arch;
use crate::simd::lanes::Number;
use crate::{Samples, Scalar};
use faer::{MatMut, MatRef};
use pulp::{Simd, WithSimd};
use std::ops::Range;

/// The terms of all coordinates of one pair, joined in double precision: the definition. For samples
/// in double precision it is, to the bit, the entry of a tile.
pub(crate) fn fold_pair<T: Scalar, F: Term>(x: &[T], y: &[T], term: F) -> f64 {
    term.pair(x, y)
}

/// [`fold_pair`], compiled where it is called: by each [`Term`].
pub(crate) fn pair_of<T: Scalar, F: Term>(x: &[T], y: &[T], term: F) -> f64 {
    arch().dispatch(FoldPair { x, y, term, zero: 0.0_f64 })
}

/// The entry of a tile that belongs to one pair, to the bit.
pub(crate) fn fold_entry<T: Scalar, F: Term>(x: &[T], y: &[T], term: F) -> T {
    term.entry(x, y)
}

/// [`fold_entry`], compiled where it is called: by each [`Term`].
pub(crate) fn entry_of<T: Scalar, F: Term>(x: &[T], y: &[T], term: F) -> T {
    let value = if size_of::<T>() == size_of::<f32>() {
        f64::from(arch().dispatch(FoldPair { x, y, term, zero: 0.0_f32 }))
    } else {
        pair_of(x, y, term)
    };
    T::from_f64(value)
}

/// One pair, joined in numbers like `zero`.
struct FoldPair<'a, T, F, N> {
    x: &'a [T],
    y: &'a [T],
    term: F,
    zero: N,
}

impl<T: Scalar, F: Term, N: Number> WithSimd for FoldPair<'_, T, F, N> {
    type Output = N;

    /// Number by number, since every sum waits for the one before; the instruction set has the fused
    /// multiply-add, which is a function call elsewhere.
    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) -> N {
        let mut sum = self.zero.constant(F::START);
        for (k, (x, y)) in self.x.iter().zip(self.y).enumerate() {
            let (x, y) = (self.zero.constant(x.to_f64()), self.zero.constant(y.to_f64()));
            sum = self.term.join(sum, x, y, k);
        }
        sum
    }
}

/// `out[(i, j)]` = the terms of a_i and b_j, joined over the coordinates. Each column passes through
/// `finish(j, column)` while it is in the first-level cache, on its way to `out`.
pub(crate) fn fold_coordinates<T: Scalar, F: Term>(
    tile: &Tile<'_, Samples<T>>,
    out: MatMut<'_, T>,
    scratch: &mut Scratch<T>,
    term: F,
    finish: &mut dyn FnMut(usize, &mut [T]),
) {
    tile.assert_shape(&out);
    let dim = tile.b().dim();
    let part = |x: &Range<usize>| x.start * dim..x.end * dim;
    let rows = &tile.a().as_slice()[part(&tile.rows())];
    let columns = &tile.b().as_slice()[part(&tile.cols())];
    fold_packed((dim, rows, columns), out, scratch, term, finish);
}

/// [`fold_coordinates`] of two lists of samples of dimension `dim`, one after the other.
pub(super) fn fold_packed<'a, T: Scalar, F: Term>(
    (dim, rows, columns): (usize, &'a [T], &'a [T]),
    out: MatMut<'_, T>,
    scratch: &mut Scratch<T>,
    term: F,
    finish: &mut dyn FnMut(usize, &mut [T]),
) {
    let points = |values: &'a [T]| MatRef::from_column_major_slice(values, dim, values.len() / dim);
    let (rows, columns) = (points(rows), points(columns));
    fold(
        Operands { rows, columns, factor: T::ONE, lying: false, sum: Sum::Chain, triangle: None },
        out,
        scratch,
        term,
        finish,
    );
}
