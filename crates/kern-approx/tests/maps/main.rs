//! Feature maps, in one program: what they are compiled with is compiled once. With the feature `sketch` there are more,
//! as in tests of the workspace.

mod additive;
mod bounds;
mod choose;
#[cfg(feature = "sketch")]
mod choose_polynomial;
mod columns;
mod common;
#[cfg(feature = "sketch")]
mod dot_product;
mod fourier_map;
mod fourier_sampling;
mod fourier_statistics;
mod kitchen_sinks;
mod laws;
mod nystrom;
mod nystrom_general;
mod nystrom_pivots;
mod nystrom_selection;
#[cfg(feature = "sketch")]
mod sketched_tensor;
