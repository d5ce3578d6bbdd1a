//! One engine for everything that is a dense product: Gram tiles, cross tiles, random features, normal equations,
//! and the updates of triangular factors.
//!
//! Both operands are packed, so that the register kernel reads memory in the order in which it lies: rows in panels of
//! a few registers, columns in groups. A block of sums of one panel and one group stays in registers over all
//! coordinates; its shape is that of the instruction set (`microkernel`). Few vectors are an exception: they lie across the lanes, and the
//! other side is read as it lies (`few_vectors`).
//!
//! # Numerics
//! An entry of a Gram tile is one chain of fused multiply-adds, from the first coordinate to the last; one of a product of
//! matrices is the sum of a chain for each 256 coordinates, so that long sums err less. The shape of
//! the block, the cut into tiles, the thread and the instruction set have no influence on its bits, which are
//! the same on every machine.

mod cholesky;
mod few_vectors;
pub(crate) mod integer_products;
mod macrokernel;
mod matmul;
mod microkernel;
mod mirror;
mod packing;
#[cfg(test)]
mod product_tests;
mod term;
mod triangular_solve;

pub use crate::simd::clear_registers;
pub use crate::simd::transpose::transpose;
pub use cholesky::cholesky;
pub use few_vectors::FewVectors;
pub(crate) use macrokernel::{Operands, Sum, fold};
pub use matmul::{inner_products, matmul, matmul_lower};
use microkernel::height;
pub use mirror::add_mirrored;
pub(crate) use term::{Product, Term, compiled_loops, entry, pair};
pub use triangular_solve::{inverse_columns, solve_lower, solve_upper};
