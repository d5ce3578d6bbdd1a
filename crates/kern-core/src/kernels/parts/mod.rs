//! Kernels from the parts of a point: R-convolution and mapping kernels.
