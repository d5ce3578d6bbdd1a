//! Distances of the cosine kernel, of which the features are x/‖x‖.

use super::parts::{Parts, fill};
use crate::tile::directions::direction;
use crate::tile::{self, Scratch, Tile};
use crate::{Kernel, Samples, Scalar};
use faer::MatMut;

/// −½‖x/‖x‖ − y/‖y‖‖², with 0/‖0‖ = 0.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CosineDistance;

/// The part of ‖x‖‖y‖ that ‖x − y‖² may be so that it tells more than directions do.
const NEAR: f64 = 0.25;

/// −½(‖x − y‖² − (‖x‖ − ‖y‖)²)/(‖x‖‖y‖) of vectors that are near to each other; NaN of others, whose lengths may differ by so much that
/// this is rounding.
fn of(Parts { apart, longer, own }: Parts) -> f64 {
    let [x, y] = own.map(f64::sqrt);
    let (longer, lengths) = (longer / (x + y), x * y);
    match lengths.is_normal() && apart <= NEAR * lengths {
        true => -0.5 * (apart - longer * longer).max(0.0) / lengths,
        false => f64::NAN,
    }
}

/// −½‖x/‖x‖ − y/‖y‖‖² from the directions.
fn of_directions<T: Scalar>(x: &[T], y: &[T]) -> f64 {
    let [x, y] = [x, y].map(|x| {
        let mut to = vec![T::ZERO; x.len()];
        direction(x, &mut to);
        to
    });
    -0.5 * tile::weighted(&x, &y, &[])
}

impl<T: Scalar> Kernel<Samples<T>> for CosineDistance {
    fn eval(&self, x: &[T], y: &[T]) -> T {
        let near = of(Parts::of(x, y));
        T::from_f64(if near.is_nan() { of_directions(x, y) } else { near })
    }

    fn is_pointwise(&self) -> bool {
        false
    }

    fn block(&self, tile: &Tile<'_, Samples<T>>, mut out: MatMut<'_, T>, scratch: &mut Scratch<T>) {
        fill(tile, out.as_mut(), scratch, of);
        // Directions are a tile of their own, and for points far from the origin none of it is used.
        if out.as_ref().is_all_finite() {
            return;
        }
        scratch.with_matrix(tile.nrows(), tile.ncols(), |mut far, scratch| {
            let dim = tile.a().dim();
            tile::distance_of_images(tile, dim, far.as_mut(), scratch, direction, &mut |_, _| {});
            for (out, far) in out.col_iter_mut().zip(far.col_iter()) {
                for (out, &far) in out.iter_mut().zip(far.iter()) {
                    if !out.is_finite_number() {
                        *out = T::from_f64(-0.5) * far;
                    }
                }
            }
        });
    }

    fn diag(&self, _: &Samples<T>, _: usize) -> T {
        T::ZERO
    }
}
