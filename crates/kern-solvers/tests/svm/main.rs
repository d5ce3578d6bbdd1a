//! Support vector machines, in one program: what they are compiled with is compiled once.

mod calibration;
mod files;
mod golden;
mod hostile;
mod machines;
mod problem;
mod variants;
