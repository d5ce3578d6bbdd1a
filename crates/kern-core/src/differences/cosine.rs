//! Distances of the cosine kernel, of which the features are x/‖x‖.

use super::parts::{Parts, fill};
use crate::tile::{Scratch, Tile};
use crate::{Kernel, Samples, Scalar};
use faer::MatMut;

/// −½‖x/‖x‖ − y/‖y‖‖² = −½(‖x − y‖² − (‖x‖ − ‖y‖)²)/(‖x‖‖y‖), and −½ for a zero vector and another one.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CosineDistance;

fn of(Parts { apart, longer, own }: Parts) -> f64 {
    let [x, y] = own.map(f64::sqrt);
    let (longer, lengths) = (longer / (x + y), x * y);
    match lengths > 0.0 {
        true => -0.5 * (apart - longer * longer).max(0.0) / lengths,
        false if x + y > 0.0 => -0.5,
        false => 0.0,
    }
}

impl<T: Scalar> Kernel<Samples<T>> for CosineDistance {
    fn eval(&self, x: &[T], y: &[T]) -> T {
        T::from_f64(of(Parts::of(x, y)))
    }

    fn is_pointwise(&self) -> bool {
        false
    }

    fn block(&self, tile: &Tile<'_, Samples<T>>, out: MatMut<'_, T>, scratch: &mut Scratch<T>) {
        fill(tile, out, scratch, of);
    }

    fn diag(&self, _: &Samples<T>, _: usize) -> T {
        T::ZERO
    }
}
