//! The engine for all dense products: Gram tiles, cross tiles, random features, normal equations,
//! and the updates of triangular factors.
//!
//! Both operands are packed, so that the register kernel reads contiguous memory: rows in panels of
//! a few registers, columns in groups. The sums of one panel and one group stay in registers over
//! all coordinates; the shape of this block depends on the instruction set (`microkernel`).
//! Products with few vectors are the exception: the vectors lie across the lanes, and the other
//! operand is not packed (`few_vectors`).
//!
//! For the layers above; not part of the stable interface.
//!
//! # Numerics
//! An entry of a Gram tile is one chain of fused multiply-adds, from the first coordinate to the
//! last. An entry of a matrix product is the sum of one chain for each 256 coordinates, so that
//! long sums have smaller errors. The shape of the register block, the cut into tiles, the number
//! of threads and the instruction set do not change its bits, which are the same on every machine.

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

use crate::simd::Scalar;
pub use crate::simd::clear_registers;
pub use crate::simd::transpose::transpose;
pub use cholesky::cholesky;
pub use few_vectors::FewVectors;
pub(crate) use macrokernel::{Layout, Operands, Sum, fold};
pub use matmul::{inner_products, matmul, matmul_lower};
use microkernel::height;
pub use mirror::add_mirrored;
pub(crate) use packing::PackedPoints;
pub(crate) use term::{Product, Term, compiled_loops, entry, pair};
pub use triangular_solve::{inverse_columns, solve_lower, solve_upper};

/// Returns true if a block of this shape is computed faster with rows and columns exchanged:
/// its rows fill at most half of a panel, which is padded, and it has more columns than rows.
pub(crate) fn are_better_turned<T: Scalar>(rows: usize, columns: usize) -> bool {
    rows < columns && 2 * rows <= height::<T>()
}
