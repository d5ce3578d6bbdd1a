//! Kernels on time series: any collection of [`Samples<f64>`](crate::Samples), a vector for each time, such as a
//! `Vec<Samples<f64>>`.

mod alignment;
mod global_alignment;

pub use global_alignment::{GlobalAlignment, NormalizedGlobalAlignment};
