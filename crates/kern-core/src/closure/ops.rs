//! The operators `+`, `*` and `weight *` on kernels.

/// Implements the operators `a + b`, `a * b` and `0.5 * a` for your own kernel types.
///
/// Each type follows its list of generic parameters and ends with a semicolon.
///
/// # Examples
/// ```
/// use kern_core::{Kernel, closure::Sum};
/// #[derive(Clone)]
/// struct Always;
/// impl Kernel<Vec<u8>> for Always {
///     fn eval(&self, _: &u8, _: &u8) -> f64 { 1.0 }
/// }
/// kern_core::impl_kernel_ops!([] Always;);
/// assert_eq!((Always + 2.0 * Always).eval(&1, &2), 3.0);
/// ```
#[macro_export]
macro_rules! impl_kernel_ops {
    ($([$($generic:ident $(: $bound:path)?),*] $kernel:ty;)*) => {$(
        impl<$($generic $(: $bound)?,)* Rhs> ::std::ops::Add<Rhs> for $kernel {
            type Output = $crate::closure::Sum<Self, Rhs>;
            fn add(self, rhs: Rhs) -> Self::Output {
                $crate::closure::Sum::new(self, rhs)
            }
        }
        impl<$($generic $(: $bound)?,)* Rhs> ::std::ops::Mul<Rhs> for $kernel {
            type Output = $crate::closure::Product<Self, Rhs>;
            fn mul(self, rhs: Rhs) -> Self::Output {
                $crate::closure::Product::new(self, rhs)
            }
        }
        impl<$($generic $(: $bound)?),*> ::std::ops::Mul<$kernel> for f64 {
            type Output = $crate::closure::Scaled<$kernel>;
            fn mul(self, kernel: $kernel) -> Self::Output {
                $crate::closure::Scaled::unchecked(self, kernel)
            }
        }
    )*};
}
