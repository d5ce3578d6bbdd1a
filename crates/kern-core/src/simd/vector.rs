//! Vector operations: inner products, axpy updates, square roots and finiteness tests.

use super::lanes::Lanes;
use super::{arch, dispatched};
use crate::Scalar;
use faer::traits::math_utils::sqrt;
use pulp::{Simd, WithSimd};

/// Independent partial sums: four of the widest registers hide the latency of fused multiply-add.
/// Their number is fixed, so the bits do not depend on the processor.
const LANES: usize = 32;

/// Σₖ x_k·y_k over the shorter of the two.
pub(crate) fn dot<T: Scalar>(x: &[T], y: &[T]) -> T {
    let len = x.len().min(y.len());
    arch().dispatch(Dot { x: &x[..len], y: &y[..len] })
}

/// Registers are explicit: whether the compiler keeps an array of sums in registers is
/// unpredictable, and otherwise the product takes ten times as long.
struct Dot<'a, T> {
    x: &'a [T],
    y: &'a [T],
}

impl<T: Scalar> WithSimd for Dot<'_, T> {
    type Output = T;

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) -> T {
        // The registers of LANES numbers: 64-byte ones hold 8 doubles or 16 floats.
        match LANES * size_of::<T>() / size_of::<T::Vector<S>>() {
            2 => self.with_registers::<S, 2>(simd),
            4 => self.with_registers::<S, 4>(simd),
            8 => self.with_registers::<S, 8>(simd),
            16 => self.with_registers::<S, 16>(simd),
            _ => self.with_registers::<S, 32>(simd),
        }
    }
}

impl<T: Scalar> Dot<'_, T> {
    #[inline(always)]
    fn with_registers<S: Simd, const R: usize>(self, simd: S) -> T {
        let whole = self.x.len() - self.x.len() % LANES;
        let (x, x_tail) = self.x.split_at(whole);
        let (y, y_tail) = self.y.split_at(whole);
        let mut registers = [T::splat(simd, T::ZERO); R];
        let x = T::vectors::<S>(x).0.as_chunks::<R>().0;
        let y = T::vectors::<S>(y).0.as_chunks::<R>().0;
        for (x, y) in x.iter().zip(y) {
            for r in 0..R {
                registers[r] = T::mul_add(simd, x[r], y[r], registers[r]);
            }
        }
        let mut sums = [T::ZERO; LANES];
        T::vectors_mut::<S>(&mut sums).0.copy_from_slice(&registers);
        for ((sum, &x), &y) in sums.iter_mut().zip(x_tail).zip(y_tail) {
            *sum = x.fma(y, *sum);
        }
        let mut width = LANES / 2;
        while width > 0 {
            for lane in 0..width {
                sums[lane] += sums[lane + width];
            }
            width /= 2;
        }
        sums[0]
    }
}

dispatched! {
    /// y ← y + c·x.
    pub(crate) fn axpy<'a, T>(c: T, x: &'a [T], y: &'a mut [T]) -> () {
        for (y, &x) in y.iter_mut().zip(x) {
            *y = c.fma(x, *y);
        }
    }
}

/// y ← y + c₀·x₀ + … + c₃·x₃, from left to right, with the bits of four calls of `axpy`. All slices
/// are at least as long as `y`.
pub(crate) fn axpy4<T: Scalar>(c: [T; 4], x: [&[T]; 4], y: &mut [T]) {
    let len = y.len();
    arch().dispatch(Axpy4 { c, x: x.map(|x| &x[..len]), y });
}

/// Four streams at once: more memory requests are in flight, and y is loaded and stored once.
struct Axpy4<'a, T> {
    c: [T; 4],
    x: [&'a [T]; 4],
    y: &'a mut [T],
}

impl<T: Scalar> WithSimd for Axpy4<'_, T> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let c = self.c.map(|c| T::splat(simd, c));
        let (y, y_tail) = T::vectors_mut::<S>(self.y);
        let [x0, x1, x2, x3] = self.x.map(|x| T::vectors::<S>(x));
        let x = x0.0.iter().zip(x1.0).zip(x2.0).zip(x3.0);
        for (y, (((&x0, &x1), &x2), &x3)) in y.iter_mut().zip(x) {
            let sum = T::mul_add(simd, c[0], x0, *y);
            let sum = T::mul_add(simd, c[1], x1, sum);
            let sum = T::mul_add(simd, c[2], x2, sum);
            *y = T::mul_add(simd, c[3], x3, sum);
        }
        for (c, tail) in self.c.into_iter().zip([x0.1, x1.1, x2.1, x3.1]) {
            for (y, &x) in y_tail.iter_mut().zip(tail) {
                *y = c.fma(x, *y);
            }
        }
    }
}

/// Returns true if no value is NaN or infinite.
pub(crate) fn all_finite<T: Scalar>(x: &[T]) -> bool {
    arch().dispatch(AllFinite { x })
}

struct AllFinite<'a, T> {
    x: &'a [T],
}

impl<T: Scalar> WithSimd for AllFinite<'_, T> {
    type Output = bool;

    /// 0·x is 0 for finite x and NaN otherwise, and NaN propagates.
    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) -> bool {
        const REGISTERS: usize = 4;
        let (vectors, tail) = T::vectors::<S>(self.x);
        let (groups, rest) = vectors.as_chunks::<REGISTERS>();
        let zero = T::splat(simd, T::ZERO);
        let mut sums = [zero; REGISTERS];
        for group in groups {
            for r in 0..REGISTERS {
                sums[r] = T::mul_add(simd, group[r], zero, sums[r]);
            }
        }
        for &x in rest {
            sums[0] = T::mul_add(simd, x, zero, sums[0]);
        }
        let [a, b, c, d] = sums.map(|sum| Lanes::<S, T>::new(simd, sum));
        T::lanes::<S>(&((a + b) + (c + d)).value).iter().chain(tail).all(|x| x.is_finite_number())
    }
}

dispatched! {
    /// v ← c·√v.
    pub(crate) fn roots<'a, T>(v: &'a mut [T], c: T) -> () {
        for v in v {
            *v = c * sqrt(v);
        }
    }
}
