//! The scalar types `f32` and `f64`, the operations that the library needs, and functions with one
//! instance for each type.

use super::Scratch;
use super::elementary::Elementary;
use super::lanes::Vectors;
use faer::traits::RealField;
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::cell::Cell;
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
/// Sealed. Arithmetic operators, conversions to and from `f64`, and the vectorised slice functions
/// of the tile engine.
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
    + Elementary
    + Vectors
    + RealField
    + bytemuck::Pod
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
    /// The unit round-off u: half the distance from 1 to the next larger number (2⁻²⁴ or 2⁻⁵³).
    const UNIT_ROUNDOFF: f64;
    /// 0.
    const ZERO: Self;
    /// 1.
    const ONE: Self;

    /// Converts to double precision (exact).
    fn to_f64(self) -> f64;
    /// The nearest value of this type.
    fn from_f64(value: f64) -> Self;
    /// Fused `self * a + b`, rounded once.
    #[must_use]
    fn fma(self, a: Self, b: Self) -> Self;
    /// |self|.
    #[must_use]
    fn magnitude(self) -> Self;
    /// The larger of the two; NaN only if both are.
    #[must_use]
    fn at_least(self, floor: Self) -> Self;
    /// Neither NaN nor infinite.
    fn is_finite_number(self) -> bool;

    /// exp(self), for the loops of `simd::dispatched!` functions: inlined there, it is computed in
    /// vector registers. Elsewhere, prefer `f64::exp`.
    ///
    /// # Numerics
    /// Same bits as [`exp_scaled`](Scalar::exp_scaled) with c = 1.
    #[doc(hidden)]
    #[must_use]
    fn exp_lane(self) -> Self;

    /// v ← exp(c·v) for every element, in vector registers.
    ///
    /// # Numerics
    /// The product c·v is rounded to the type; its exponential is within 2 ulp (measured: 0.9).
    /// Results below 1.5 times the smallest normal number are flushed to 0, results above the
    /// largest number are +∞, NaN stays NaN.
    fn exp_scaled(v: &mut [Self], c: Self);

    /// v ← tanh(c·v + b) for every element, in vector registers.
    ///
    /// # Numerics
    /// c·v + b is rounded once; its hyperbolic tangent is within 2 ulp (measured: 1.4), at most 1
    /// in magnitude, and odd to the bit.
    fn tanh_affine(v: &mut [Self], c: Self, b: Self);

    /// v ← ln(1 + c·v) for every element, in vector registers.
    ///
    /// # Numerics
    /// The product c·v is rounded to the type; the logarithm is within 2 ulp (measured: 1.5). It is
    /// −∞ at −1, and NaN below.
    fn ln_1p_scaled(v: &mut [Self], c: Self);

    /// v ← c·√v for every element, in vector registers.
    ///
    /// # Numerics
    /// The root and the product are both correctly rounded.
    fn sqrt_scaled(v: &mut [Self], c: Self);

    /// cos ← scale·cos(2πt) for every phase t, in vector registers.
    ///
    /// # Shapes and units
    /// Phases are in turns, in double precision for both types; both slices have one length.
    ///
    /// # Numerics
    /// Before it is scaled the cosine is within 2 ulp for phases of any size (measured: 1.8). It is
    /// exact at multiples of a quarter turn, 1 beyond 2⁵² turns, and NaN for an infinite phase.
    fn cos_turns(turns: &[f64], scale: Self, cos: &mut [Self]);

    /// sin ← scale·sin(2πt) for every phase t, in vector registers.
    ///
    /// # Numerics
    /// As [`cos_turns`](Scalar::cos_turns).
    fn sin_turns(turns: &[f64], scale: Self, sin: &mut [Self]);

    /// Cosine and sine together, which is faster than one after the other.
    ///
    /// # Shapes and units
    /// All three slices have one length.
    ///
    /// # Numerics
    /// The bits of [`cos_turns`](Scalar::cos_turns) and [`sin_turns`](Scalar::sin_turns).
    fn cos_sin_turns(turns: &[f64], scale: Self, cos: &mut [Self], sin: &mut [Self]);

    /// Σₖ x_k·y_k, in vector registers; both slices have one length.
    ///
    /// # Numerics
    /// Thirty-two partial sums, added pairwise: |error| ≤ (k/32 + 5)·u·Σ|x_k·y_k|.
    fn dot(x: &[Self], y: &[Self]) -> Self;

    /// Returns true if no value is NaN or infinite, in vector registers.
    fn all_finite(v: &[Self]) -> bool;

    /// y ← y + c·x, in vector registers; both slices have one length.
    fn axpy(c: Self, x: &[Self], y: &mut [Self]);

    /// y ← y + c₀·x₀ + … + c₃·x₃, with the bits of four calls of [`axpy`](Scalar::axpy); y is read
    /// and written once.
    ///
    /// # Panics
    /// If one of the x is shorter than y.
    fn axpy4(c: [Self; 4], x: [&[Self]; 4], y: &mut [Self]);

    /// Calls the instance of a function for this type: generated by
    /// [`compiled_once`](crate::compiled_once).
    fn once<'a, 'b: 'a, F: super::Once>(
        arguments: F::Args<'a, 'b, Self>,
    ) -> F::Output<'a, 'b, Self>;

    /// Lends the calling thread's buffers to `f`.
    #[doc(hidden)]
    fn with_scratch<R>(f: impl FnOnce(&mut Scratch<Self>) -> R) -> R;
}

macro_rules! scalar {
    ($t:ident, $instance:ident) => {
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
            #[inline(always)]
            fn exp_lane(self) -> Self {
                crate::simd::exp::exp(self)
            }
            fn exp_scaled(v: &mut [Self], c: Self) {
                crate::simd::exp::scaled(v, c);
            }
            fn tanh_affine(v: &mut [Self], c: Self, b: Self) {
                crate::simd::tanh::affine(v, c, b);
            }
            fn ln_1p_scaled(v: &mut [Self], c: Self) {
                crate::simd::ln_1p::scaled(v, c);
            }
            fn sqrt_scaled(v: &mut [Self], c: Self) {
                crate::simd::vector::roots(v, c);
            }
            fn cos_turns(turns: &[f64], scale: Self, cos: &mut [Self]) {
                debug_assert_eq!(turns.len(), cos.len());
                crate::simd::trig::cosines(turns, scale, cos);
            }
            fn sin_turns(turns: &[f64], scale: Self, sin: &mut [Self]) {
                debug_assert_eq!(turns.len(), sin.len());
                crate::simd::trig::sines(turns, scale, sin);
            }
            fn cos_sin_turns(turns: &[f64], scale: Self, cos: &mut [Self], sin: &mut [Self]) {
                debug_assert_eq!([turns.len(); 2], [cos.len(), sin.len()]);
                crate::simd::trig::cosines_and_sines(turns, scale, cos, sin);
            }
            fn dot(x: &[Self], y: &[Self]) -> Self {
                debug_assert_eq!(x.len(), y.len());
                crate::simd::vector::dot(x, y)
            }
            fn all_finite(v: &[Self]) -> bool {
                crate::simd::vector::all_finite(v)
            }
            fn axpy(c: Self, x: &[Self], y: &mut [Self]) {
                debug_assert_eq!(x.len(), y.len());
                crate::simd::vector::axpy(c, x, y);
            }
            fn axpy4(c: [Self; 4], x: [&[Self]; 4], y: &mut [Self]) {
                crate::simd::vector::axpy4(c, x, y);
            }
            #[inline(always)]
            fn once<'a, 'b: 'a, F: super::Once>(
                arguments: F::Args<'a, 'b, Self>,
            ) -> F::Output<'a, 'b, Self> {
                F::$instance(arguments)
            }
            fn with_scratch<R>(f: impl FnOnce(&mut Scratch<Self>) -> R) -> R {
                thread_local! {
                    static BUFFERS: Cell<Scratch<$t>> = const { Cell::new(Scratch::new()) };
                }
                let mut scratch = BUFFERS.take();
                let result = f(&mut scratch);
                BUFFERS.set(scratch);
                result
            }
        }
    };
}

scalar!(f32, single);
scalar!(f64, double);

/// A function that is generic in the scalar type only, by its two instances.
///
/// rustc compiles an instance of a generic function in every crate that calls it, so that a generic solver would be emitted
/// again in each library above it and in each user's program. [`compiled_once`](crate::compiled_once) makes a function's
/// body an implementation of this trait: both instances are compiled in the crate of the function, and callers link to them.
///
/// # Examples
/// ```
/// use kern_core::{Scalar, compiled_once};
///
/// /// The sum of squares.
/// #[compiled_once]
/// pub fn sum_of_squares<T: Scalar>(values: &[T]) -> T {
///     values.iter().map(|&v| v * v).sum()
/// }
///
/// assert_eq!(sum_of_squares(&[1.0_f32, 2.0]), 5.0);
/// assert_eq!(sum_of_squares(&[3.0_f64]), 9.0);
/// ```
pub trait Once {
    /// The arguments, as a tuple.
    type Args<'a, 'b: 'a, T: Scalar>;
    /// The result.
    type Output<'a, 'b: 'a, T: Scalar>;

    /// The instance for `f32`.
    fn single<'a, 'b: 'a>(arguments: Self::Args<'a, 'b, f32>) -> Self::Output<'a, 'b, f32>;
    /// The instance for `f64`.
    fn double<'a, 'b: 'a>(arguments: Self::Args<'a, 'b, f64>) -> Self::Output<'a, 'b, f64>;
}
