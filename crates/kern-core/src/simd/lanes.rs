//! Arithmetic that is written once for a scalar and for a vector register.

use super::transpose::Turn;
use pulp::Simd;
use std::ops::{Add, Div, Mul, Sub};

/// A scalar, or a register whose lanes all do the same.
pub(crate) trait Number:
    Copy + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self> + Div<Output = Self>
{
    /// `value`, rounded to this type, in every lane.
    fn constant(self, value: f64) -> Self;
    /// The smallest positive normal number in every lane.
    fn min_positive(self) -> Self;
    /// `self · a + b`, rounded once.
    fn fma(self, a: Self, b: Self) -> Self;
    /// |self|.
    fn magnitude(self) -> Self;
    /// The larger of two finite values.
    fn at_least(self, floor: Self) -> Self;
    /// The smaller of two finite values.
    fn at_most(self, ceiling: Self) -> Self;
}

/// Vector registers of one scalar type: what the generic code needs of `pulp`.
pub trait Vectors: Turn {
    /// A register.
    type Vector<S: Simd>: Copy;
    /// The smallest positive normal number.
    const MIN_POSITIVE: Self;

    /// The nearest value of this type.
    fn rounded(value: f64) -> Self;

    /// The whole registers of a slice, and the remaining elements.
    fn vectors<S: Simd>(slice: &[Self]) -> (&[Self::Vector<S>], &[Self])
    where
        Self: Sized;
    /// Mutable version of [`vectors`](Vectors::vectors).
    fn vectors_mut<S: Simd>(slice: &mut [Self]) -> (&mut [Self::Vector<S>], &mut [Self])
    where
        Self: Sized;
    /// The values in a register.
    fn lanes<S: Simd>(vector: &Self::Vector<S>) -> &[Self]
    where
        Self: Sized;
    /// One value in every lane.
    fn splat<S: Simd>(simd: S, value: Self) -> Self::Vector<S>;
    /// `a + b`.
    fn add<S: Simd>(simd: S, a: Self::Vector<S>, b: Self::Vector<S>) -> Self::Vector<S>;
    /// `a − b`.
    fn sub<S: Simd>(simd: S, a: Self::Vector<S>, b: Self::Vector<S>) -> Self::Vector<S>;
    /// `a · b`.
    fn mul<S: Simd>(simd: S, a: Self::Vector<S>, b: Self::Vector<S>) -> Self::Vector<S>;
    /// `a / b`.
    fn div<S: Simd>(simd: S, a: Self::Vector<S>, b: Self::Vector<S>) -> Self::Vector<S>;
    /// |a|.
    fn abs<S: Simd>(simd: S, a: Self::Vector<S>) -> Self::Vector<S>;
    /// The larger of each pair.
    fn max<S: Simd>(simd: S, a: Self::Vector<S>, b: Self::Vector<S>) -> Self::Vector<S>;
    /// The smaller of each pair.
    fn min<S: Simd>(simd: S, a: Self::Vector<S>, b: Self::Vector<S>) -> Self::Vector<S>;
    /// `a · b + c`, rounded once.
    fn mul_add<S: Simd>(
        simd: S,
        a: Self::Vector<S>,
        b: Self::Vector<S>,
        c: Self::Vector<S>,
    ) -> Self::Vector<S>;
}

/// A register with the instruction set that operates on it.
#[derive(Debug)]
pub(crate) struct Lanes<S: Simd, T: Vectors> {
    simd: S,
    pub(crate) value: T::Vector<S>,
}

impl<S: Simd, T: Vectors> Lanes<S, T> {
    #[inline(always)]
    pub(crate) fn new(simd: S, value: T::Vector<S>) -> Self {
        Self { simd, value }
    }

    #[inline(always)]
    pub(crate) fn splat(simd: S, value: T) -> Self {
        Self::new(simd, T::splat(simd, value))
    }
}

impl<S: Simd, T: Vectors> Clone for Lanes<S, T> {
    #[inline(always)]
    fn clone(&self) -> Self {
        *self
    }
}

impl<S: Simd, T: Vectors> Copy for Lanes<S, T> {}

macro_rules! operators {
    ($($operator:ident $method:ident),*) => {$(
        impl<S: Simd, T: Vectors> $operator for Lanes<S, T> {
            type Output = Self;
            #[inline(always)]
            fn $method(self, other: Self) -> Self {
                Self::new(self.simd, T::$method(self.simd, self.value, other.value))
            }
        }
    )*};
}
operators!(Add add, Sub sub, Mul mul, Div div);

impl<S: Simd, T: Vectors> Number for Lanes<S, T> {
    #[inline(always)]
    fn constant(self, value: f64) -> Self {
        Self::splat(self.simd, T::rounded(value))
    }
    #[inline(always)]
    fn min_positive(self) -> Self {
        Self::splat(self.simd, T::MIN_POSITIVE)
    }
    #[inline(always)]
    fn fma(self, a: Self, b: Self) -> Self {
        Self::new(self.simd, T::mul_add(self.simd, self.value, a.value, b.value))
    }
    #[inline(always)]
    fn magnitude(self) -> Self {
        Self::new(self.simd, T::abs(self.simd, self.value))
    }
    #[inline(always)]
    fn at_least(self, floor: Self) -> Self {
        Self::new(self.simd, T::max(self.simd, self.value, floor.value))
    }
    #[inline(always)]
    fn at_most(self, ceiling: Self) -> Self {
        Self::new(self.simd, T::min(self.simd, self.value, ceiling.value))
    }
}

macro_rules! numbers {
    ($(
        $t:ident, $vector:ident: $as_simd:ident $as_mut_simd:ident $splat:ident $add:ident
        $sub:ident $mul:ident $div:ident $abs:ident $max:ident $min:ident $mul_add:ident
    );* $(;)?) => {$(
        impl Number for $t {
            #[inline(always)]
            fn constant(self, value: f64) -> Self {
                value as $t
            }
            #[inline(always)]
            fn min_positive(self) -> Self {
                $t::MIN_POSITIVE
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
            fn at_most(self, ceiling: Self) -> Self {
                self.min(ceiling)
            }
        }

        impl Vectors for $t {
            type Vector<S: Simd> = S::$vector;
            const MIN_POSITIVE: Self = $t::MIN_POSITIVE;

            #[inline(always)]
            fn rounded(value: f64) -> Self {
                value as $t
            }

            #[inline(always)]
            fn vectors<S: Simd>(slice: &[Self]) -> (&[S::$vector], &[Self]) {
                S::$as_simd(slice)
            }
            #[inline(always)]
            fn vectors_mut<S: Simd>(slice: &mut [Self]) -> (&mut [S::$vector], &mut [Self]) {
                S::$as_mut_simd(slice)
            }
            #[inline(always)]
            fn lanes<S: Simd>(vector: &S::$vector) -> &[Self] {
                pulp::bytemuck::cast_slice(std::slice::from_ref(vector))
            }
            #[inline(always)]
            fn splat<S: Simd>(simd: S, value: Self) -> S::$vector {
                simd.$splat(value)
            }
            #[inline(always)]
            fn add<S: Simd>(simd: S, a: S::$vector, b: S::$vector) -> S::$vector {
                simd.$add(a, b)
            }
            #[inline(always)]
            fn sub<S: Simd>(simd: S, a: S::$vector, b: S::$vector) -> S::$vector {
                simd.$sub(a, b)
            }
            #[inline(always)]
            fn mul<S: Simd>(simd: S, a: S::$vector, b: S::$vector) -> S::$vector {
                simd.$mul(a, b)
            }
            #[inline(always)]
            fn div<S: Simd>(simd: S, a: S::$vector, b: S::$vector) -> S::$vector {
                simd.$div(a, b)
            }
            #[inline(always)]
            fn abs<S: Simd>(simd: S, a: S::$vector) -> S::$vector {
                simd.$abs(a)
            }
            #[inline(always)]
            fn max<S: Simd>(simd: S, a: S::$vector, b: S::$vector) -> S::$vector {
                simd.$max(a, b)
            }
            #[inline(always)]
            fn min<S: Simd>(simd: S, a: S::$vector, b: S::$vector) -> S::$vector {
                simd.$min(a, b)
            }
            #[inline(always)]
            fn mul_add<S: Simd>(
                simd: S,
                a: S::$vector,
                b: S::$vector,
                c: S::$vector,
            ) -> S::$vector {
                simd.$mul_add(a, b, c)
            }
        }
    )*};
}
numbers!(
    f32, f32s: as_simd_f32s as_mut_simd_f32s splat_f32s add_f32s sub_f32s mul_f32s div_f32s
        abs_f32s max_f32s min_f32s mul_add_f32s;
    f64, f64s: as_simd_f64s as_mut_simd_f64s splat_f64s add_f64s sub_f64s mul_f64s div_f64s
        abs_f64s max_f64s min_f64s mul_add_f64s;
);
