//! Kernels given by a function or closure.

use crate::{Kernel, Points};
use std::fmt;

/// The kernel computed by a function; not [`Mercer`](crate::Mercer).
///
/// Most solvers require a Mercer kernel. If the function is positive semi-definite, pass
/// `AssumeMercer(FnKernel::new(f))`, see [`AssumeMercer`](crate::closure::AssumeMercer). The
/// function must be symmetric.
///
/// # Examples
/// ```
/// use kern_core::{Kernel, kernels::FnKernel};
/// let common_bits = FnKernel::new(|x: &u32, y: &u32| f64::from((x & y).count_ones()));
/// assert_eq!(Kernel::<Vec<u32>>::eval(&common_bits, &0b111, &0b101), 2.0);
/// ```
#[doc(alias = "custom kernel")]
#[doc(alias = "callable")]
#[derive(Clone, Copy)]
pub struct FnKernel<F> {
    f: F,
}

crate::impl_kernel_ops!([F] FnKernel<F>;);

impl<F> FnKernel<F> {
    /// K(x, y) = f(x, y).
    pub fn new(f: F) -> Self {
        Self { f }
    }
}

impl<P: Points + ?Sized, F> Kernel<P> for FnKernel<F>
where
    F: Fn(&P::Item, &P::Item) -> P::Scalar + Send + Sync,
{
    fn eval(&self, x: &P::Item, y: &P::Item) -> P::Scalar {
        (self.f)(x, y)
    }
}

/// No parameters: those of a function are unknown.
impl<F> crate::Parameters for FnKernel<F> {}

impl<F> fmt::Debug for FnKernel<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("FnKernel(..)")
    }
}

impl<F> fmt::Display for FnKernel<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("function")
    }
}
