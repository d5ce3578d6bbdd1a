//! Kernels on strings.
