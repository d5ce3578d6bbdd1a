//! The arithmetic of one coordinate.

use crate::simd::lanes::Number;

/// The contribution of one coordinate to a kernel value, and the way contributions are joined.
///
/// A trait on a struct rather than a closure: `#[inline(always)]` methods are certain to become
/// part of the vectorised loop. Implement them with that attribute.
pub(crate) trait Term: Copy {
    /// The value of no coordinates.
    const START: f64 = 0.0;
    /// True if joining needs hardly any registers of its own, so that a wide block of sums leaves room for it.
    const LIGHT: bool = false;

    /// The part of one coordinate.
    fn of<N: Number>(self, x: N, y: N) -> N;

    /// `sum` joined with the part of coordinate `k`: their sum, unless a term says otherwise.
    #[inline(always)]
    fn join<N: Number>(self, sum: N, x: N, y: N, k: usize) -> N {
        let _ = k;
        sum + self.of(x, y)
    }
}

/// x·y.
#[derive(Clone, Copy)]
pub(crate) struct Product;

impl Term for Product {
    const LIGHT: bool = true;

    #[inline(always)]
    fn of<N: Number>(self, x: N, y: N) -> N {
        x * y
    }

    #[inline(always)]
    fn join<N: Number>(self, sum: N, x: N, y: N, _: usize) -> N {
        x.fma(y, sum)
    }
}
