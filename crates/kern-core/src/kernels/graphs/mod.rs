//! Kernels on labelled graphs.
