//! Kernels from the parts of a point: R-convolution and mapping kernels.

mod convolution;
mod mapping;

pub use convolution::Convolution;
pub use mapping::Mapping;

crate::impl_kernel_ops!(
    [F, K, Q] Convolution<F, K, Q>;
    [F, M, K, S] Mapping<F, M, K, S>;
);
