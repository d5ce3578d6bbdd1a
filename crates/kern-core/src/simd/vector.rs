//! Inner products and updates of vectors.

use super::dispatched;

/// Partial sums that run side by side: four registers of the widest kind hide the latency of
/// fused multiply-add. Their number is fixed, so the bits do not depend on the processor.
const LANES: usize = 32;

dispatched! {
    /// Σₖ x_k·y_k over the shorter of the two.
    pub(crate) fn dot<'a, T>(x: &'a [T], y: &'a [T]) -> T {
        let (x_heads, x_tail) = x.as_chunks::<LANES>();
        let (y_heads, y_tail) = y.as_chunks::<LANES>();
        let mut sums = [T::ZERO; LANES];
        for (x, y) in x_heads.iter().zip(y_heads) {
            for lane in 0..LANES {
                sums[lane] = x[lane].fma(y[lane], sums[lane]);
            }
        }
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
