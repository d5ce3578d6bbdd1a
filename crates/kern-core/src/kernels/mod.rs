//! The kernels, by the kind of point: [vectors](self#vectors), and anything else.
//!
//! # Vectors
//!
//! | kernel | K(x, y) | Mercer | shift-invariant |
//! |---|---|---|---|
//! | [`Linear`] | xᵀy | yes | |
//! | [`Polynomial`] | (γxᵀy + r)^p | yes | |
//! | [`Rbf`] | exp(−γ‖x − y‖₂²) | yes | yes |
//! | [`Laplacian`] | exp(−γ‖x − y‖₁) | yes | yes |
//! | [`Sigmoid`] | tanh(γxᵀy + r) | **no** | |
//!
//! # Any points
//!
//! | kernel | K(x, y) | Mercer |
//! |---|---|---|
//! | [`FnKernel`] | any function | unless [assumed](crate::closure::AssumeMercer), no |

mod function;
mod graphs;
mod parts;
mod sets;
mod strings;
mod trees;
mod vectors;

pub use function::FnKernel;
pub use vectors::{Laplacian, Linear, Polynomial, Rbf, Sigmoid};

crate::impl_kernel_ops!(
    [F] FnKernel<F>;
);
