//! The Kronecker delta.

use crate::kernels::declaration::declared;
use crate::{Kernel, Mercer, Points};
use serde::{Deserialize, Serialize};

/// The Kronecker delta kernel, on points of any type that can be compared.
///
/// # Definition
/// K(x, y) = 1 if x = y, else 0. Mercer: its features are indicators, one for each point there is.
/// That needs `==` to be an equivalence, which all of `Eq` is, and numbers are but for NaN.
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
