//! Support vector machines, in one program: what they are compiled with is compiled once.

mod calibration;
mod feature;
mod files;
mod golden;
mod machines;
mod problem;
mod variants;
