//! The contribution of one coordinate, and the sum over all coordinates for one pair.

use super::macrokernel::Operands;
use crate::simd::lanes::Number;
use crate::simd::{Scalar, Scratch, arch};
use faer::MatMut;
use pulp::{Simd, WithSimd};

/// The contribution of one coordinate to a kernel value, and how contributions are accumulated.
///
/// A trait on a struct rather than a closure: `#[inline(always)]` methods are certain to become
/// part of the vectorised loop. Implement them with that attribute.
pub(crate) trait Term: Copy {
    /// The value without any coordinates.
    const START: f64 = 0.0;
    /// True if the term needs hardly any registers of its own, so that the wide register block
    /// fits.
    const LIGHT: bool = false;
    /// True for matrix products, whose rows may be read without packing.
    const OF_MATRICES: bool = false;

    /// The contribution of one coordinate.
    fn of<N: Number>(self, x: N, y: N) -> N;

    /// Accumulates the contribution of coordinate `k`: by default, adds it to `sum`.
    #[inline(always)]
    fn join<N: Number>(self, sum: N, x: N, y: N, k: usize) -> N {
        let _ = k;
        sum + self.of(x, y)
    }

    /// [`fold`](super::fold()) with this term.
    fn fold<T: Scalar>(
        self,
        operands: Operands<'_, T>,
        out: MatMut<'_, T>,
        scratch: &mut Scratch<T>,
        finish: &mut dyn FnMut(usize, &mut [T]),
    );

    /// The contributions of all coordinates of one pair, accumulated in double precision: the
    /// definition. For samples in double precision it equals the entry of a tile bit for bit.
    fn pair<T: Scalar>(self, x: &[T], y: &[T]) -> f64;

    /// The entry of a tile for one pair, bit for bit.
    fn entry<T: Scalar>(self, x: &[T], y: &[T]) -> T;
}

/// The methods of a [`Term`] that loop over coordinates, compiled for this term in this crate.
macro_rules! compiled_loops {
    ($term:ty) => {
        fn fold<T: $crate::simd::Scalar>(
            self,
            operands: $crate::products::Operands<'_, T>,
            out: faer::MatMut<'_, T>,
            scratch: &mut $crate::simd::Scratch<T>,
            finish: &mut dyn FnMut(usize, &mut [T]),
        ) {
            #[kern_macros::compiled_once]
            fn fold<T: $crate::simd::Scalar>(
                term: $term,
                operands: $crate::products::Operands<'_, T>,
                out: faer::MatMut<'_, T>,
                scratch: &mut $crate::simd::Scratch<T>,
                finish: &mut dyn FnMut(usize, &mut [T]),
            ) {
                $crate::products::fold(operands, out, scratch, term, finish);
            }
            fold(self, operands, out, scratch, finish);
        }

        fn pair<T: $crate::simd::Scalar>(self, x: &[T], y: &[T]) -> f64 {
            #[kern_macros::compiled_once]
            fn pair<T: $crate::simd::Scalar>(term: $term, x: &[T], y: &[T]) -> f64 {
                $crate::products::pair(x, y, term)
            }
            pair(self, x, y)
        }

        fn entry<T: $crate::simd::Scalar>(self, x: &[T], y: &[T]) -> T {
            #[kern_macros::compiled_once]
            fn entry<T: $crate::simd::Scalar>(term: $term, x: &[T], y: &[T]) -> T {
                $crate::products::entry(x, y, term)
            }
            entry(self, x, y)
        }
    };
}
pub(crate) use compiled_loops;

/// x·y.
#[derive(Clone, Copy)]
pub(crate) struct Product;

impl Term for Product {
    compiled_loops!(Product);

    const LIGHT: bool = true;
    const OF_MATRICES: bool = true;

    #[inline(always)]
    fn of<N: Number>(self, x: N, y: N) -> N {
        x * y
    }

    #[inline(always)]
    fn join<N: Number>(self, sum: N, x: N, y: N, _: usize) -> N {
        x.fma(y, sum)
    }
}

/// The contributions of all coordinates of one pair, accumulated in double precision. Compiled for
/// each [`Term`].
pub(crate) fn pair<T: Scalar, F: Term>(x: &[T], y: &[T], term: F) -> f64 {
    arch().dispatch(FoldPair { x, y, term, zero: 0.0_f64 })
}

/// The entry of a tile for one pair, bit for bit. Compiled for each [`Term`].
pub(crate) fn entry<T: Scalar, F: Term>(x: &[T], y: &[T], term: F) -> T {
    let value = if size_of::<T>() == size_of::<f32>() {
        f64::from(arch().dispatch(FoldPair { x, y, term, zero: 0.0_f32 }))
    } else {
        pair(x, y, term)
    };
    T::from_f64(value)
}

/// One pair, accumulated in the precision of `zero`.
struct FoldPair<'a, T, F, N> {
    x: &'a [T],
    y: &'a [T],
    term: F,
    zero: N,
}

impl<T: Scalar, F: Term, N: Number> WithSimd for FoldPair<'_, T, F, N> {
    type Output = N;

    /// One coordinate after the other, since every sum depends on the one before. Dispatch provides
    /// the fused multiply-add instruction, which is a function call elsewhere.
    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) -> N {
        let mut sum = self.zero.constant(F::START);
        for (k, (x, y)) in self.x.iter().zip(self.y).enumerate() {
            let (x, y) = (self.zero.constant(x.to_f64()), self.zero.constant(y.to_f64()));
            sum = self.term.join(sum, x, y, k);
        }
        sum
    }
}
