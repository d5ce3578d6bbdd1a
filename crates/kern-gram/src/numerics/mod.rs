//! The ground floor of solvers: arithmetic that they share, and that knows none of them.
//!
//! For the layers above; no part of the interface that is kept stable.

pub mod arithmetic;
pub mod cholesky;
pub mod conjugate_gradients;
mod left_looking_cholesky;
mod original;
pub mod sigmoid;
pub mod stopwatch;
pub mod units;

pub use conjugate_gradients as conjugate;
