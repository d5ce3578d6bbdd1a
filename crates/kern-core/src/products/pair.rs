//! All terms of one pair.

use super::term::Term;
use crate::Scalar;
use crate::simd::arch;
use crate::simd::lanes::Number;
use pulp::{Simd, WithSimd};

/// The terms of all coordinates of one pair, joined in double precision; compiled where it is called: by each [`Term`].
pub(crate) fn pair<T: Scalar, F: Term>(x: &[T], y: &[T], term: F) -> f64 {
    arch().dispatch(FoldPair { x, y, term, zero: 0.0_f64 })
}

/// The entry of a tile that belongs to one pair, to the bit; compiled where it is called: by each [`Term`].
pub(crate) fn entry<T: Scalar, F: Term>(x: &[T], y: &[T], term: F) -> T {
    let value = if size_of::<T>() == size_of::<f32>() {
        f64::from(arch().dispatch(FoldPair { x, y, term, zero: 0.0_f32 }))
    } else {
        pair(x, y, term)
    };
    T::from_f64(value)
}

/// One pair, joined in numbers like `zero`.
struct FoldPair<'a, T, F, N> {
    x: &'a [T],
    y: &'a [T],
    term: F,
    zero: N,
}

impl<T: Scalar, F: Term, N: Number> WithSimd for FoldPair<'_, T, F, N> {
    type Output = N;

    /// Number by number, since every sum waits for the one before; the instruction set has the fused
    /// multiply-add, which is a function call elsewhere.
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
