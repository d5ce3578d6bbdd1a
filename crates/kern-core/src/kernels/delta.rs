//! The Kronecker delta kernel.

use crate::kernels::declaration::declared;
use crate::{Kernel, Mercer, Points};
use serde::{Deserialize, Serialize};

/// The Kronecker delta kernel on points of any type with `==`.
///
/// # Definition
/// K(x, y) = 1 if x = y, else 0. Mercer: its features are the indicators of all points. This
/// requires `==` to be an equivalence relation, which holds for every `Eq` type and for floats
/// other than NaN.
///
/// # Numerics
/// Exact.
///
/// # Examples
/// ```
/// use kern_core::{Kernel, Samples, kernels::Delta};
/// assert_eq!(Kernel::<Vec<&str>>::eval(&Delta, &"gram", &"gram"), 1.0);
/// assert_eq!(Kernel::<Samples<f32>>::eval(&Delta, &[1.0, 2.0], &[1.0, 3.0]), 0.0);
/// ```
#[doc(alias = "Kronecker")]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Delta;

declared! {
    Delta = "delta", [stationary];
    => Ok(Self)
}

impl<P> Kernel<P> for Delta
where
    P: Points + ?Sized,
    P::Item: PartialEq,
{
    fn eval(&self, x: &P::Item, y: &P::Item) -> P::Scalar {
        if x == y { crate::Scalar::ONE } else { crate::Scalar::ZERO }
    }
}

impl<P> Mercer<P> for Delta
where
    P: Points + ?Sized,
    P::Item: PartialEq,
{
}
