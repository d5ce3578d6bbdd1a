//! Gram matrices, in one program: what they are compiled with is compiled once.

mod alone;
mod blocked;
mod common;
mod errors;
mod expensive;
mod given;
mod memory;
mod operator_threads;
mod operators;
mod precomputed;
mod routes;
mod sparse;
mod views;
