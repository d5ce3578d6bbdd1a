//! The Hellinger kernel.

use super::additive::check_non_negative;
use crate::binding::Bound;
use crate::kernels::declaration::declared;
use crate::tile::{self, Scratch, Tile};
use crate::{Entry, Error, Kernel, Mercer, Points, Prepared, Samples, Scalar, SparseSamples};
use faer::MatMut;
use serde::{Deserialize, Serialize};

/// The Hellinger kernel, also called Bhattacharyya coefficient, on non-negative vectors.
///
/// # Definition
/// K(x, y) = Σⱼ √(x_j·y_j). Mercer: its features are the roots √x_j.
///
/// # Numerics
/// Blocks of dense samples are inner products of the roots, which are all non-negative: relative
/// error ≤ (d + 2)u.
///
/// # References
/// Vedaldi & Zisserman (2012), *Efficient Additive Kernels via Explicit Feature Maps*, table 1.
///
/// # Examples
/// ```
/// use kern_core::{Kernel, Samples, kernels::Hellinger};
/// assert_eq!(Kernel::<Samples<f64>>::eval(&Hellinger, &[4.0, 1.0], &[9.0, 0.0]), 6.0);
/// # Ok::<(), kern_core::Error>(())
/// ```
#[doc(alias = "Bhattacharyya")]
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Hellinger;

declared! {
    Hellinger = "hellinger", [];
    => Ok(Self)
}

/// The features √x_j.
fn roots_of<T: Scalar>(x: &[T], to: &mut [T]) {
    for (to, x) in to.iter_mut().zip(x) {
        *to = T::from_f64(x.to_f64().sqrt());
    }
}

impl<T: Scalar> Kernel<Samples<T>> for Hellinger {
    fn eval(&self, x: &[T], y: &[T]) -> T {
        T::from_f64(x.iter().zip(y).map(|(x, y)| x.to_f64().sqrt() * y.to_f64().sqrt()).sum())
    }

    fn is_pointwise(&self) -> bool {
        false
    }

    fn block(&self, tile: &Tile<'_, Samples<T>>, out: MatMut<'_, T>, scratch: &mut Scratch<T>) {
        tile::dot_of_images(tile, tile.a().dim(), out, scratch, roots_of);
    }

    fn diag(&self, points: &Samples<T>, i: usize) -> T {
        tile::dot_of_image(points.item(i), points.dim(), roots_of)
    }

    fn prepare(&self, points: &Samples<T>) -> Option<Prepared> {
        tile::prepare_images(points, points.dim(), roots_of)
    }

    fn bind<'a>(
        &'a self,
        a: &'a Samples<T>,
        b: &'a Samples<T>,
        prepared: Option<&'a Prepared>,
    ) -> Option<Box<dyn Bound<T> + 'a>> {
        tile::bind_images(a, b, prepared, a.dim(), roots_of)
    }

    fn check(&self, points: &Samples<T>) -> Result<(), Error> {
        check_non_negative(points)
    }
}

impl<T: Scalar> Mercer<Samples<T>> for Hellinger {}

impl<T: Scalar> Kernel<SparseSamples<T>> for Hellinger {
    fn eval(&self, x: &[Entry<T>], y: &[Entry<T>]) -> T {
        T::from_f64(tile::shared(x, y, |x, y| x.sqrt() * y.sqrt()))
    }

    fn is_pointwise(&self) -> bool {
        false
    }

    fn block(
        &self,
        tile: &Tile<'_, SparseSamples<T>>,
        out: MatMut<'_, T>,
        scratch: &mut Scratch<T>,
    ) {
        tile::shared_features(tile, out, scratch, |x, y| {
            T::from_f64(x.to_f64().sqrt() * y.to_f64().sqrt())
        });
    }

    fn check(&self, points: &SparseSamples<T>) -> Result<(), Error> {
        check_non_negative(points)
    }
}

impl<T: Scalar> Mercer<SparseSamples<T>> for Hellinger {}
