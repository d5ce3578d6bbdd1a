//! Sums (or products) over the coordinates of a tile of dense samples, for kernels that have no
//! matrix-product form: coordinate by coordinate, over many rows at a time.

use super::{Scratch, Tile, for_each_column};
use crate::{Points, Samples, Scalar};
use faer::MatMut;
use pulp::{Arch, Simd, WithSimd};

/// What one coordinate contributes to a kernel value, and how contributions are joined.
///
/// A trait on a struct rather than a closure: `#[inline(always)]` methods are certain to become
/// part of the vectorised loop. Implement them with that attribute.
pub(crate) trait Term<T: Scalar>: Copy {
    /// The value of no coordinates.
    const START: T = T::ZERO;

    /// The part of one coordinate.
    fn of(self, x: T, y: T) -> T;

    /// Both parts together: their sum, unless a term says otherwise.
    #[inline(always)]
    fn join(a: T, b: T) -> T {
        a + b
    }
}

/// The terms of all coordinates of one pair, joined in double precision: the definition.
pub(crate) fn fold_pair<T: Scalar, F: Term<f64>>(x: &[T], y: &[T], term: F) -> f64 {
    let parts = x.iter().zip(y).map(|(x, y)| term.of(x.to_f64(), y.to_f64()));
    parts.fold(F::START, F::join)
}

/// `out[(i, j)]` = the terms of a_i and b_j, joined over the coordinates.
pub(crate) fn fold_coordinates<T: Scalar, F: Term<T>>(
    tile: &Tile<'_, Samples<T>>,
    out: MatMut<'_, T>,
    scratch: &mut Scratch<T>,
    term: F,
) {
    tile.assert_shape(&out);
    let rows = by_coordinate(tile, scratch);
    for_each_column(out, scratch, |j, column| {
        let y = tile.b().item(tile.cols().start + j);
        Arch::new().dispatch(Fold { out: column, rows: &rows, y, term });
    });
    scratch.give(rows);
}

/// One column: out_i = the terms of x_i and y, where `rows` holds all x_i0, then all x_i1, and so
/// on.
struct Fold<'a, T, F> {
    out: &'a mut [T],
    rows: &'a [T],
    y: &'a [T],
    term: F,
}

impl<T: Scalar, F: Term<T>> WithSimd for Fold<'_, T, F> {
    type Output = ();

    /// Four coordinates at a time, so that the results are loaded and stored less often.
    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        let Self { out, rows, y, term } = self;
        let m = out.len();
        if m == 0 {
            return;
        }
        out.fill(F::START);
        let mut blocks = rows.chunks_exact(4 * m);
        let (heads, tail) = y.as_chunks::<4>();
        for (x, &[y0, y1, y2, y3]) in blocks.by_ref().zip(heads) {
            let (x0, x) = x.split_at(m);
            let (x1, x) = x.split_at(m);
            let (x2, x3) = x.split_at(m);
            for ((((out, &x0), &x1), &x2), &x3) in out.iter_mut().zip(x0).zip(x1).zip(x2).zip(x3) {
                let near = F::join(term.of(x0, y0), term.of(x1, y1));
                let far = F::join(term.of(x2, y2), term.of(x3, y3));
                *out = F::join(*out, F::join(near, far));
            }
        }
        for (x, &y) in blocks.remainder().chunks_exact(m).zip(tail) {
            for (out, &x) in out.iter_mut().zip(x) {
                *out = F::join(*out, term.of(x, y));
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
