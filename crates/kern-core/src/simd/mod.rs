//! The floating-point types ([`Scalar`]), with elementary functions on slices, vectorised by the compiler
//! under run-time dispatch.
//!
//! The loops are plain Rust over slices; `pulp` compiles each once per instruction set (up to
//! AVX-512) and selects the best one of the processor. They use fused multiply-add everywhere,
//! whose result is defined exactly, so every instruction set gives the same bits
//! (`portability_tests`). Where the compiler's choice of registers matters too much, `lanes` makes
//! it explicit; `elementary` evaluates polynomials at several values at a time.

mod dispatch;
pub(crate) mod elementary;
pub(crate) mod exp;
pub(crate) mod lanes;
pub(crate) mod ln_1p;
#[cfg(test)]
mod portability_tests;
mod scalar;
mod scratch;
pub(crate) mod tanh;
pub(crate) mod transpose;
pub(crate) mod trig;
pub(crate) mod vector;

pub(crate) use dispatch::dispatched;
pub use dispatch::{arch, clear_registers};
pub use scalar::{Once, Scalar};
pub use scratch::{Buffer, CACHE_LINE, Scratch};
