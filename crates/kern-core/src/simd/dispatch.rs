//! Run-time dispatch to the best instruction set, functions that are compiled once for each, and
//! clearing of the vector registers.

use pulp::{Simd, WithSimd};
use std::hint::black_box;

/// The best instruction set of the processor.
#[cfg(not(any(test, feature = "forced-instruction-set")))]
#[must_use]
pub fn arch() -> pulp::Arch {
    pulp::Arch::new()
}
/// The best instruction set of the processor, unless the environment variable
/// `KERN_INSTRUCTION_SET` names a lower one: `scalar` or `avx2`.
#[cfg(all(not(test), feature = "forced-instruction-set"))]
#[must_use]
pub fn arch() -> pulp::Arch {
    static CHOSEN: std::sync::OnceLock<pulp::Arch> = std::sync::OnceLock::new();
    *CHOSEN.get_or_init(|| match std::env::var("KERN_INSTRUCTION_SET").as_deref() {
        Ok("scalar") => pulp::Arch::Scalar,
        #[cfg(target_arch = "x86_64")]
        Ok("avx2") => pulp::x86::V3::try_new().map_or(pulp::Arch::Scalar, pulp::Arch::V3),
        _ => pulp::Arch::new(),
    })
}
/// The best instruction set of the processor, unless a test selects another one.
#[cfg(test)]
pub use super::portability_tests::arch;

/// Defines a function whose body is compiled once per instruction set.
///
/// The arguments are passed in a struct with an `#[inline(always)]` method. A closure would be
/// shorter, but calling one that does not consume its captures goes through a shim that is not
/// always inlined; its body is then compiled for the baseline instruction set, where each `mul_add`
/// is a function call (measured: an inner product of 1024 doubles in 2.3 µs, not 0.25).
macro_rules! dispatched {
    (
        $(#[$meta:meta])*
        $vis:vis fn $name:ident<$life:lifetime, $scalar:ident>(
            $($argument:ident: $type:ty),* $(,)?
        ) -> $output:ty $body:block
    ) => {
        $(#[$meta])*
        $vis fn $name<$life, $scalar: $crate::Scalar>($($argument: $type),*) -> $output {
            struct Call<$life, $scalar> {
                $($argument: $type,)*
                life: std::marker::PhantomData<&$life $scalar>,
            }
            impl<$life, $scalar: $crate::Scalar> pulp::WithSimd for Call<$life, $scalar> {
                type Output = $output;
                #[inline(always)]
                fn with_simd<S: pulp::Simd>(self, _: S) -> $output {
                    let Self { $($argument,)* .. } = self;
                    $body
                }
            }
            $crate::simd::arch().dispatch(Call { $($argument,)* life: std::marker::PhantomData })
        }
    };
}
pub(crate) use dispatched;

/// Clears the upper halves of the vector registers, as code that uses them should do when it ends.
///
/// On Intel processors every SSE instruction stalls while they are dirty: a scalar loop takes 30
/// times as long. The products of `faer` are assembly that does not clear them, and leave the
/// calling thread in that state. The compiler ends each function compiled for AVX with
/// `vzeroupper`, so that calling one is enough.
///
/// # Complexity
/// A few nanoseconds.
///
/// # Examples
/// ```
/// kern_core::products::clear_registers();
/// ```
pub fn clear_registers() {
    arch().dispatch(Touch);
}

/// Touches a vector register.
struct Touch;

impl WithSimd for Touch {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        black_box(simd.splat_f64s(black_box(0.0)));
    }
}
