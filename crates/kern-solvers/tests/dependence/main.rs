//! Two-sample tests, tests of independence and spectral clusters, in one program.

mod canonical;
mod data;
mod definitions;
mod golden;
mod levels;
#[path = "../support/real.rs"]
mod real;
mod runs;
mod spectral;

/// The sets it uses beyond the five of the project.
const SETS: [&str; 0] = [];
