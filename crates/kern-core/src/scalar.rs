//! The two floating-point types, and what the library needs of them.

use faer::traits::RealField;
use serde::{Serialize, de::DeserializeOwned};
use std::fmt::{Debug, Display};
use std::iter::Sum;
use std::ops::{Add, AddAssign, Div, Mul, MulAssign, Neg, Sub, SubAssign};

mod sealed {
    pub trait Sealed {}
    impl Sealed for f32 {}
    impl Sealed for f64 {}
}

/// `f32` or `f64`: the type of kernel values and of dense data.
///
/// Sealed. Arithmetic operators, conversions to and from `f64`, and the slice functions that the
/// tile engine needs in vector form.
///
/// # Examples
/// ```
/// use kern_core::Scalar;
/// let mut v = [0.0_f32, 1.0, 2.0];
/// f32::exp_scaled(&mut v, -1.0); // v <- exp(-v)
/// assert!((v[2] - (-2.0_f32).exp()).abs() <= f32::EPSILON);
/// ```
pub trait Scalar:
    sealed::Sealed
    + RealField
    + Copy
    + PartialOrd
    + Default
    + Debug
    + Display
    + Serialize
    + DeserializeOwned
    + Send
    + Sync
    + 'static
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
    + Neg<Output = Self>
    + AddAssign
    + SubAssign
    + MulAssign
    + Sum
{
    /// The unit round-off u: half the distance from 1 to the next number (2⁻²⁴ or 2⁻⁵³).
    const UNIT_ROUNDOFF: f64;
    /// 0.
    const ZERO: Self;
    /// 1.
    const ONE: Self;

    /// The same number in double precision (exact).
    fn to_f64(self) -> f64;
    /// The nearest number of this type.
    fn from_f64(value: f64) -> Self;
    /// Fused `self * a + b`, rounded once.
    #[must_use]
    fn fma(self, a: Self, b: Self) -> Self;
    /// |self|.
    #[must_use]
    fn magnitude(self) -> Self;
    /// The greater of the two; NaN only if both are.
    #[must_use]
    fn at_least(self, floor: Self) -> Self;
    /// Neither NaN nor infinite.
    fn is_finite_number(self) -> bool;

    /// v ← exp(c·v) for every element, in vector registers.
    ///
    /// # Numerics
    /// The product c·v is rounded to the type; its exponential has at most 2 ulp of error where it
    /// is a normal number (measured: 1.07 for f32, 0.98 for f64); results below the smallest
    /// normal number are flushed to 0, results above the greatest are +∞, NaN stays NaN. Tested
    /// over the whole domain in `tests/simd.rs`.
    fn exp_scaled(v: &mut [Self], c: Self);

    /// Σₖ x_k·y_k, in vector registers; both slices have one length.
    ///
    /// # Numerics
    /// Thirty-two partial sums, added pairwise: |error| ≤ (k/32 + 5)·u·Σ|x_k·y_k|.
    fn dot(x: &[Self], y: &[Self]) -> Self;

    /// y ← y + c·x, in vector registers; both slices have one length.
    fn axpy(c: Self, x: &[Self], y: &mut [Self]);
}

macro_rules! scalar {
    ($t:ident) => {
        impl Scalar for $t {
            const UNIT_ROUNDOFF: f64 = $t::EPSILON as f64 / 2.0;
            const ZERO: Self = 0.0;
            const ONE: Self = 1.0;

            #[inline(always)]
            fn to_f64(self) -> f64 {
                f64::from(self)
            }
            #[inline(always)]
            fn from_f64(value: f64) -> Self {
                value as $t
            }
            #[inline(always)]
            fn fma(self, a: Self, b: Self) -> Self {
                self.mul_add(a, b)
            }
            #[inline(always)]
            fn magnitude(self) -> Self {
                self.abs()
            }
            #[inline(always)]
            fn at_least(self, floor: Self) -> Self {
                self.max(floor)
            }
            #[inline(always)]
            fn is_finite_number(self) -> bool {
                self.is_finite()
            }
            fn exp_scaled(v: &mut [Self], c: Self) {
                crate::simd::exp::$t(v, c);
            }
            fn dot(x: &[Self], y: &[Self]) -> Self {
                debug_assert_eq!(x.len(), y.len());
                crate::simd::vector::dot(x, y)
            }
            fn axpy(c: Self, x: &[Self], y: &mut [Self]) {
                debug_assert_eq!(x.len(), y.len());
                crate::simd::vector::axpy(c, x, y);
            }
        }
    };
}

scalar!(f32);
scalar!(f64);
