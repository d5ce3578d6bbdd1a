//! Kernels on ordered labelled trees.
