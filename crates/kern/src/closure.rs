//! Closure rules: kernels from kernels.

#[doc(inline)]
pub use kern_core::closure::{AssumeMercer, Product, PullBack, Scaled, Sum};
