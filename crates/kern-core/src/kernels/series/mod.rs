//! Kernels on time series: on any collection of [`Samples<f64>`](crate::Samples) with one vector
//! for each time step, such as a `Vec<Samples<f64>>`.

mod alignment;
mod global_alignment;

pub use global_alignment::{GlobalAlignment, NormalizedGlobalAlignment};
