//! Learned kernels, components and distributions: Gaussian processes, feature machines, intervals, in one program.

mod classification;
mod components;
mod expectile;
mod feature_machine;
mod golden;
mod intervals;
#[path = "../solvers/golden/iris.rs"]
mod iris;
mod landmarks;
#[path = "../support/lines.rs"]
mod lines;
mod multiple_kernels;
mod pre_images;
mod regression;
