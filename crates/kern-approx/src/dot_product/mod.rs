//! Random features of dot-product kernels K(x, y) = Σₙ aₙ⟨x, y⟩ⁿ, aₙ ≥ 0.
//!
//! `series` is the coefficients, of composites too; `maclaurin` is the feature map. For a polynomial
//! there is `sketch`, too, and if it has few monomials the exact map
//! ([`Explicit`](kern_core::Explicit)) is better.

mod maclaurin;
mod series;

pub use maclaurin::{MaclaurinMap, RandomMaclaurin};
pub use series::DotProduct;
