//! Feature maps, in one program: what they are compiled with is compiled once.

mod additive;
mod bounds;
mod choose;
mod columns;
mod common;
mod dot_product;
mod fourier_map;
mod fourier_sampling;
mod fourier_statistics;
mod kitchen_sinks;
mod nystrom;
mod nystrom_general;
mod nystrom_pivots;
mod nystrom_selection;
mod sketched_tensor;
