//! Random features of dot-product kernels K(x, y) = Σₙ aₙ⟨x, y⟩ⁿ, aₙ ≥ 0.
//!
//! `series` is the coefficients, of composites too; `maclaurin` and `sketch` are two feature maps. For
//! a polynomial with few monomials the exact map ([`Explicit`](kern_core::Explicit)) is better.

mod maclaurin;
mod series;
mod sketch;

pub use maclaurin::{MaclaurinMap, RandomMaclaurin};
pub use series::DotProduct;
pub use sketch::{SketchMap, TensorSketch};

/// The dimension of samples is that of a map.
fn check_dim(expected: usize, given: usize) -> Result<(), kern_core::Error> {
    if expected == given {
        Ok(())
    } else {
        Err(kern_core::Error::Dimension { what: "features per sample", expected, given })
    }
}
