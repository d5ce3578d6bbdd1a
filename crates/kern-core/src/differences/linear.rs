//! −½‖x − y‖², of the linear kernel.

use crate::order::{Order, reach};
use crate::tile::{self, Scratch, Tile};
use crate::{Entry, Geometry, Kernel, Rough, Samples, Scalar, SparseSamples, tolerance};
use faer::MatMut;

/// −½‖x − y‖².
#[derive(Clone, Copy, Debug)]
pub(crate) struct LinearDistance;

/// v ← −½v.
fn halved<T: Scalar>(v: &mut [T]) {
    let half = T::from_f64(-0.5);
    v.iter_mut().for_each(|v| *v *= half);
}

impl<T: Scalar> Kernel<Samples<T>> for LinearDistance {
    fn eval(&self, x: &[T], y: &[T]) -> T {
        T::from_f64(-0.5 * tile::weighted(x, y, &[]))
    }

    fn is_pointwise(&self) -> bool {
        false
    }

    fn block(&self, tile: &Tile<'_, Samples<T>>, out: MatMut<'_, T>, scratch: &mut Scratch<T>) {
        tile::weighted_squared_distance(tile, &[], out, scratch, &mut |_, column| halved(column));
    }

    fn diag(&self, _: &Samples<T>, _: usize) -> T {
        T::ZERO
    }

    /// None if a distance might overflow.
    fn order<'a>(&'a self, a: &'a Samples<T>, b: &'a Samples<T>) -> Option<Box<dyn Order<T> + 'a>> {
        let reach = reach(a, b);
        let greatest = T::from_f64(8.0 * a.dim() as f64 * reach * reach);
        let profile = |distances: &mut [T], _: &mut [T]| halved(distances);
        greatest.is_finite_number().then(|| tile::order_by_squared_distance(a, b, &[], profile))
    }

    fn rough<'a>(&self, points: &'a Samples<T>) -> Option<Rough<'a>> {
        Rough::new(points, Geometry::Distance)
    }
}

impl<T: Scalar> Kernel<SparseSamples<T>> for LinearDistance {
    fn eval(&self, x: &[Entry<T>], y: &[Entry<T>]) -> T {
        T::from_f64(-0.5 * tile::united(x, y, |_, x, y| (x - y) * (x - y)))
    }

    fn is_pointwise(&self) -> bool {
        false
    }

    fn block(
        &self,
        tile: &Tile<'_, SparseSamples<T>>,
        mut out: MatMut<'_, T>,
        scratch: &mut Scratch<T>,
    ) {
        // What may have a greater part of its error than this is computed anew.
        let below = |error| error / (tolerance::TILE_ERROR * T::UNIT_ROUNDOFF);
        tile::sparse_squared_distance(tile, &[], out.as_mut(), scratch, below);
        tile::for_each_column(out, scratch, |_, column| halved(column));
    }

    fn diag(&self, _: &SparseSamples<T>, _: usize) -> T {
        T::ZERO
    }
}
