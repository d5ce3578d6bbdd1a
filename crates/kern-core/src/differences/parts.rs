//! The parts of distances of kernels of inner products: ‖x − y‖², ‖x‖² − ‖y‖², ‖x‖² and ‖y‖².

use crate::simd::lanes::Number;
use crate::tile::{self, Scratch, Term, Tile};
use crate::{Points, Samples, Scalar};
use faer::MatMut;

/// Numbers of a pair.
#[derive(Clone, Copy, Debug)]
pub(super) struct Parts {
    /// ‖x − y‖², from differences.
    pub(super) apart: f64,
    /// ‖x‖² − ‖y‖² = ⟨x − y, x + y⟩, from differences.
    pub(super) longer: f64,
    /// ‖x‖² and ‖y‖².
    pub(super) own: [f64; 2],
}

impl Parts {
    pub(super) fn of<T: Scalar>(x: &[T], y: &[T]) -> Self {
        Self {
            apart: tile::weighted(x, y, &[]),
            longer: SquaresApart.pair(x, y),
            own: [tile::Product.pair(x, x), tile::Product.pair(y, y)],
        }
    }
}

/// `out` = `value` of the parts of each pair of a tile.
pub(super) fn fill<T: Scalar>(
    tile: &Tile<'_, Samples<T>>,
    mut out: MatMut<'_, T>,
    scratch: &mut Scratch<T>,
    value: impl Fn(Parts) -> f64,
) {
    let norms = |x: &Samples<T>, range: std::ops::Range<usize>| -> Vec<f64> {
        range.map(|i| tile::Product.pair(x.item(i), x.item(i))).collect()
    };
    let (rows, cols) = (norms(tile.a(), tile.rows()), norms(tile.b(), tile.cols()));
    scratch.with_matrix(tile.nrows(), tile.ncols(), |mut apart, scratch| {
        tile::squared_distance(tile, apart.as_mut(), scratch);
        tile::fold_coordinates(tile, out.as_mut(), scratch, SquaresApart, &mut |_, _| {});
        for (j, &col) in cols.iter().enumerate() {
            for (i, &row) in rows.iter().enumerate() {
                let (apart, longer) = (apart[(i, j)].to_f64(), out[(i, j)].to_f64());
                out[(i, j)] = T::from_f64(value(Parts { apart, longer, own: [row, col] }));
            }
        }
    });
}

/// x² − y².
#[derive(Clone, Copy)]
struct SquaresApart;

impl Term for SquaresApart {
    crate::products::compiled_loops!(SquaresApart);

    #[inline(always)]
    fn of<N: Number>(self, x: N, y: N) -> N {
        (x - y) * (x + y)
    }

    #[inline(always)]
    fn join<N: Number>(self, sum: N, x: N, y: N, _: usize) -> N {
        (x - y).fma(x + y, sum)
    }
}
