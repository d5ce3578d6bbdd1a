//! The whole library through its facade, on real data, in one program: what it is compiled with is compiled once.

mod certificates;
mod choice;
mod data_files;
mod graphs;
mod intervals;
mod libsvm_programs;
mod pipelines;
mod real_data;
mod sparse_features;
mod structured;
mod support;
mod text;
