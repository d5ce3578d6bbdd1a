//! One engine for everything that is a dense product: Gram tiles, cross tiles, random features, normal equations,
//! and the updates of triangular factors.
//!
//! Both operands are packed, so that the register kernel reads memory in the order in which it lies: rows in panels of
//! a few registers, columns in groups. A block of sums of one panel and one group stays in registers over all
//! coordinates; its shape is that of the instruction set (`shape`). Few vectors are an exception: they lie across the lanes, and the
//! other side is read as it lies (`few`).
//!
//! # Numerics
//! An entry of a Gram tile is one chain of fused multiply-adds, from the first coordinate to the last; one of a product of
//! matrices is the sum of a chain for each 256 coordinates, so that long sums err less. The shape of
//! the block, the cut into tiles, the thread and the instruction set have no influence on its bits, which are
//! the same on every machine.

mod few;
mod few_vectors;
mod fold;
pub(crate) mod integers;
mod inverse;
mod matmul;
mod micro;
mod mirror;
mod pack;
mod pair;
mod registers;
mod shape;
mod term;
#[cfg(test)]
mod tests;
mod transpose;
mod triangle;

pub use few_vectors::FewVectors;
pub(crate) use fold::{Operands, Sum, fold};
pub use inverse::inverse_columns;
pub use matmul::{inner_products, matmul, matmul_lower};
pub use mirror::add_mirrored;
pub(crate) use pair::{entry, pair};
pub use registers::clear_registers;
use shape::height;
pub(crate) use term::{Product, Term, compiled_loops};
pub use transpose::transpose;
pub use triangle::{cholesky, solve_lower, solve_upper};
