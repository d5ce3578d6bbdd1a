//! Support vector machines, in one program: what they are compiled with is compiled once.

mod calibration;
mod certificate;
mod feature;
mod files;
mod gap;
mod golden;
mod hostile;
mod machines;
mod points;
mod problem;
mod quantiles;
mod rounding;
mod sparse;
mod variants;
