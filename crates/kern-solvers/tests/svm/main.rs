//! Support vector machines, in one program: what they are compiled with is compiled once.

mod balls;
mod calibration;
mod certificate;
mod feature;
mod files;
mod gap;
mod golden;
mod hostile;
mod machines;
mod pace;
mod points;
mod problem;
mod quantiles;
#[path = "../support/real.rs"]
mod real;
mod rounding;
mod sparse;
#[path = "../support/standardised.rs"]
mod standardised;
mod variants;

/// The sets it uses beyond the five of the project.
const SETS: [&str; 0] = [];
