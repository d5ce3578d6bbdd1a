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
mod multiple_kernels;
mod pre_images;
#[path = "../support/real.rs"]
mod real;
mod regression;

/// The sets it uses beyond the five of the project.
const SETS: [&str; 4] = ["concrete", "elevators", "kin40k", "pol"];
