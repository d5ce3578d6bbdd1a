//! Functions with an instance for the most common points: dense samples in double precision.

use super::{Points, Samples};
use crate::{Once, Scalar};
use std::marker::PhantomData;

/// A function that is generic in the points alone, by its instance for `Samples<f64>`, which is compiled in the crate of the
/// function, and one for any other points, which is compiled where the function is called.
///
/// What [`compiled_once`](crate::compiled_once) writes for functions of points.
pub trait OnceOfPoints {
    /// The arguments, as a tuple.
    type Args<'a, 'b: 'a, P: Points + 'a>;
    /// The result.
    type Output<'a, 'b: 'a, P: Points + 'a>;

    /// The instance for samples in double precision.
    fn double<'a, 'b: 'a>(
        arguments: Self::Args<'a, 'b, Samples<f64>>,
    ) -> Self::Output<'a, 'b, Samples<f64>>;
    /// The instance for any points.
    fn other<'a, 'b: 'a, P: Points + 'a>(
        arguments: Self::Args<'a, 'b, P>,
    ) -> Self::Output<'a, 'b, P>;
}

/// A function of points as one of the scalar type of samples.
pub(super) struct OfSamples<F>(PhantomData<F>);

impl<F: OnceOfPoints> Once for OfSamples<F> {
    type Args<'a, 'b: 'a, T: Scalar> = F::Args<'a, 'b, Samples<T>>;
    type Output<'a, 'b: 'a, T: Scalar> = F::Output<'a, 'b, Samples<T>>;

    fn single<'a, 'b: 'a>(arguments: Self::Args<'a, 'b, f32>) -> Self::Output<'a, 'b, f32> {
        F::other(arguments)
    }
    fn double<'a, 'b: 'a>(arguments: Self::Args<'a, 'b, f64>) -> Self::Output<'a, 'b, f64> {
        F::double(arguments)
    }
}
