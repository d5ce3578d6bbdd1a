//! The kernels. See [`closure`](crate::closure) for making new ones of them.

#[doc(inline)]
pub use kern_core::kernels::{FnKernel, Laplacian, Linear, Polynomial, Rbf, Sigmoid};
