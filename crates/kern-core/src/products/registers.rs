//! The state that vector code leaves behind.

use crate::simd::arch;
use pulp::{Simd, WithSimd};
use std::hint::black_box;

/// Clears the upper halves of the vector registers, as code that has used them should do when it ends.
///
/// On Intel's processors every SSE instruction waits while they are set: a scalar loop takes 30 times as long.
/// The products of `faer` are assembly that does not clear them, and so leave their caller's thread in that state. The
/// compiler ends each function that it has compiled for AVX with `vzeroupper`, so that
/// it is enough to call one.
///
/// # Complexity
/// Some nanoseconds.
///
/// # Examples
/// ```
/// kern_core::products::clear_registers();
/// ```
pub fn clear_registers() {
    arch().dispatch(Touch);
}

/// Uses a vector register.
struct Touch;

impl WithSimd for Touch {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        black_box(simd.splat_f64s(black_box(0.0)));
    }
}
