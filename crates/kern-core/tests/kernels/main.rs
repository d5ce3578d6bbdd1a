//! Kernels, points and their tiles, in one program: what they are compiled with is compiled once.

mod bandwidth;
mod bits;
mod bochner;
mod closures;
mod contract;
mod dd;
mod errors;
mod formulas;
mod golden;
mod graph_kernels;
mod libsvm;
mod parameters;
mod part_kernels;
mod set_kernels;
mod simd;
mod sparse;
mod sparse_kernels;
mod sparse_map;
mod spec;
mod spectral;
mod string_kernels;
mod tiles;
mod tree_kernels;
mod vector_golden;
mod vector_kernels;
