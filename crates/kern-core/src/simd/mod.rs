//! The floating-point types ([`Scalar`]), with elementary functions on slices, vectorised by the compiler
//! under run-time dispatch.
//!
//! The loops are plain Rust over slices; `pulp` compiles each once per instruction set (up to
//! AVX-512) and picks the best one that the processor has. They use fused multiply-add
//! everywhere, which is exact in its definition, so every instruction set gives the same bits
//! (`tests`). Where the compiler's choice of registers matters too much, `lanes` makes it explicit; `chains` makes it
//! evaluate polynomials at several numbers at a time.

mod chains;
pub(crate) mod elementary;
pub(crate) mod exp;
pub(crate) mod lanes;
pub(crate) mod ln_1p;
mod once;
mod scalar;
mod scratch;
pub(crate) mod tanh;
#[cfg(test)]
mod tests;
pub(crate) mod trig;
pub(crate) mod turn;
pub(crate) mod vector;

pub use once::Once;
pub use scalar::Scalar;
pub use scratch::Scratch;

/// The best instruction set that the processor has.
#[cfg(not(any(test, feature = "forced-instruction-set")))]
#[must_use]
pub fn arch() -> pulp::Arch {
    pulp::Arch::new()
}
/// The same, unless the environment variable `KERN_INSTRUCTION_SET` names a lesser one: `scalar` or `avx2`.
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
/// The same, unless a test chose another one.
#[cfg(test)]
pub use tests::arch;

/// Defines a function whose body is compiled once per instruction set.
///
/// The arguments travel in a struct with an `#[inline(always)]` method. A closure would be shorter,
/// but the call of one that does not consume what it captures goes through a shim that is not
/// always inlined; its body is then compiled for the baseline instruction set, where each
/// `mul_add` is a function call (measured: an inner product of 1024 doubles in 2.3 µs, not 0.25).
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
