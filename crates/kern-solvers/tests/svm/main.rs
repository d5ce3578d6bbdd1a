//! Support vector machines, in one program: what they are compiled with is compiled once.

mod balls;
mod calibration;
mod certificate;
mod feature;
mod files;
mod gap;
mod golden;
mod hostile;
#[path = "../support/lines.rs"]
mod lines;
mod machines;
mod pace;
mod points;
mod problem;
mod quantiles;
mod rounding;
mod sparse;
#[path = "../support/standardised.rs"]
mod standardised;
mod variants;
