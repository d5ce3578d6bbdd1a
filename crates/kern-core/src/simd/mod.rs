//! Elementary functions on slices, vectorised by the compiler under run-time dispatch.
//!
//! The loops are plain Rust over slices; `pulp` compiles each once per instruction set (up to
//! AVX-512) and picks the best one that the processor has. They use fused multiply-add
//! everywhere, which is exact in its definition, so every instruction set gives the same bits.

pub(crate) mod exp;
pub(crate) mod vector;
