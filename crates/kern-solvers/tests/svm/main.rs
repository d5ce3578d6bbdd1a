//! Support vector machines, in one program: what they are compiled with is compiled once.

mod balls;
mod calibration;
mod certificate;
mod data;
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
