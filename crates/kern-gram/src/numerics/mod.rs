//! Numerical building blocks shared by the solvers: Cholesky factors, conjugate gradients, sums and
//! timings.
//!
//! For the layers above; not part of the stable interface.

pub mod arithmetic;
pub mod cholesky;
pub mod conjugate_gradients;
pub mod original;
pub mod sigmoid;
pub mod stopwatch;
pub mod units;
