//! Sums over the pairs of a tile.

use crate::tile::{self, united};
use crate::{Points, Samples, Scalar, Scratch, SparseSamples, Tile};
use faer::{MatMut, MatRef};

/// Vectors whose inner products and distances a tile has.
pub trait VectorPoints: Points {
    /// aᵢᵀbⱼ.
    fn products(
        tile: &Tile<'_, Self>,
        out: MatMut<'_, Self::Scalar>,
        scratch: &mut Scratch<Self::Scalar>,
    );

    /// ‖aᵢ − bⱼ‖².
    fn distances(
        tile: &Tile<'_, Self>,
        out: MatMut<'_, Self::Scalar>,
        scratch: &mut Scratch<Self::Scalar>,
    );

    /// Calls `f(k, aᵢₖ, bⱼₖ)` for each coordinate that one of two points has.
    fn for_each_coordinate(a: &Self::Item, b: &Self::Item, f: impl FnMut(usize, f64, f64));
}

impl<T: Scalar> VectorPoints for Samples<T> {
    fn products(tile: &Tile<'_, Self>, out: MatMut<'_, T>, scratch: &mut Scratch<T>) {
        tile::dot(tile, out, scratch);
    }

    fn distances(tile: &Tile<'_, Self>, out: MatMut<'_, T>, scratch: &mut Scratch<T>) {
        tile::squared_distance(tile, out, scratch);
    }

    fn for_each_coordinate(a: &[T], b: &[T], mut f: impl FnMut(usize, f64, f64)) {
        a.iter().zip(b).enumerate().for_each(|(k, (a, b))| f(k, a.to_f64(), b.to_f64()));
    }
}

impl<T: Scalar> VectorPoints for SparseSamples<T> {
    fn products(tile: &Tile<'_, Self>, out: MatMut<'_, T>, _: &mut Scratch<T>) {
        tile.fill_pointwise(out, |x, y| T::from_f64(tile::shared(x, y, |x, y| x * y)));
    }

    fn distances(tile: &Tile<'_, Self>, out: MatMut<'_, T>, _: &mut Scratch<T>) {
        let square = |_: u32, x: f64, y: f64| (x - y) * (x - y);
        tile.fill_pointwise(out, |x, y| T::from_f64(united(x, y, square)));
    }

    fn for_each_coordinate(a: &Self::Item, b: &Self::Item, mut f: impl FnMut(usize, f64, f64)) {
        let cell = std::cell::RefCell::new(&mut f);
        let _ = united(a, b, |k, x, y| {
            (*cell.borrow_mut())(k as usize, x, y);
            0.0
        });
    }
}

/// Σᵢⱼ adjointᵢⱼ·slope_k(valueᵢⱼ), for each k.
pub(super) fn sum<T: Scalar, const N: usize>(
    adjoint: MatRef<'_, T>,
    values: MatRef<'_, T>,
    slope: impl Fn(f64) -> [f64; N],
) -> [f64; N] {
    let mut sums = [0.0; N];
    for (adjoint, values) in adjoint.col_iter().zip(values.col_iter()) {
        for (adjoint, value) in adjoint.iter().zip(values.iter()) {
            let (adjoint, slopes) = (adjoint.to_f64(), slope(value.to_f64()));
            sums.iter_mut().zip(slopes).for_each(|(sum, slope)| *sum += adjoint * slope);
        }
    }
    sums
}

/// Adds to the first numbers of a gradient.
pub(super) fn add(gradient: &mut [f64], terms: &[f64]) {
    gradient.iter_mut().zip(terms).for_each(|(sum, term)| *sum += term);
}
