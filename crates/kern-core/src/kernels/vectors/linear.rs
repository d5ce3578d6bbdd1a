//! The linear kernel.

use crate::differences::LinearDistance;
use crate::kernels::declaration::declared;
use crate::tile::Term;
use crate::{
    Entry, Geometry, Kernel, Mercer, Points, Samples, Scalar, Scratch, SearchOrder,
    SinglePrecision, SparseSamples, Tile, tile,
};
use faer::MatMut;
use serde::{Deserialize, Serialize};

/// The linear kernel: the inner product of two vectors.
///
/// # Definition
/// K(x, y) = xᵀy. Its features are the coordinates themselves ([`Identity`](crate::Identity)).
///
/// # Examples
/// ```
/// use kern_core::{Kernel, Samples, kernels::Linear};
/// assert_eq!(Kernel::<Samples<f64>>::eval(&Linear, &[1.0, 2.0], &[3.0, 4.0]), 11.0);
/// ```
#[doc(alias = "dot product")]
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Linear;

declared! {
    Linear = "linear", [];
    => Ok(Self)
}

impl<T: Scalar> Kernel<Samples<T>> for Linear {
    fn eval(&self, x: &[T], y: &[T]) -> T {
        T::from_f64(inner_product(x, y))
    }

    fn is_pointwise(&self) -> bool {
        false
    }

    fn block(&self, tile: &Tile<'_, Samples<T>>, out: MatMut<'_, T>, scratch: &mut Scratch<T>) {
        tile::dot(tile, out, scratch);
    }

    fn search_order(&self) -> Option<&dyn SearchOrder<Samples<T>>> {
        Some(self)
    }

    fn differences<'a>(&'a self) -> Option<Box<dyn Kernel<Samples<T>> + 'a>>
    where
        Samples<T>: 'a,
    {
        Some(Box::new(LinearDistance))
    }

    fn diag(&self, points: &Samples<T>, i: usize) -> T {
        tile::Product.entry(points.item(i), points.item(i))
    }
}

impl<T: Scalar> Mercer<Samples<T>> for Linear {}

impl<T: Scalar> SearchOrder<Samples<T>> for Linear {
    fn single_precision<'a>(&self, points: &'a Samples<T>) -> Option<SinglePrecision<'a>> {
        SinglePrecision::new(points, Geometry::InnerProduct)
    }
}

impl<T: Scalar> Kernel<SparseSamples<T>> for Linear {
    fn eval(&self, x: &[Entry<T>], y: &[Entry<T>]) -> T {
        T::from_f64(tile::shared(x, y, |x, y| x * y))
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
        tile::shared_features(tile, out, scratch, |x, y| x * y);
    }

    fn differences<'a>(&'a self) -> Option<Box<dyn Kernel<SparseSamples<T>> + 'a>>
    where
        SparseSamples<T>: 'a,
    {
        Some(Box::new(LinearDistance))
    }
}

impl<T: Scalar> Mercer<SparseSamples<T>> for Linear {}

/// Σₖ x_k·y_k in double precision.
pub(super) fn inner_product<T: Scalar>(x: &[T], y: &[T]) -> f64 {
    tile::Product.pair(x, y)
}
