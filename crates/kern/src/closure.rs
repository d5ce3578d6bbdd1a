//! Closure rules: kernels from kernels.

#[doc(inline)]
pub use kern_core::closure::{
    AssumeMercer, Conjugated, Exp, Normalized, Power, Product, PullBack, Scaled, Sum,
    TensorProduct, tensor_product,
};
