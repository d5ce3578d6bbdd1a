//! Kernels on finite sets and bags of words.
