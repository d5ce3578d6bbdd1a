//! Kernels, points and their tiles, in one program: what they are compiled with is compiled once.

mod bandwidth;
mod bits;
mod closures;
mod contract;
mod dd;
mod errors;
mod formulas;
mod golden;
mod graph_kernels;
mod labelled_graphs;
mod libsvm;
mod parameters;
mod part_kernels;
mod series_kernels;
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
