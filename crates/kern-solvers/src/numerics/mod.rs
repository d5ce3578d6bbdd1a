//! The ground floor: arithmetic that solvers share, and that knows none of them.

pub(crate) mod arithmetic;
pub(crate) mod cholesky;
pub(crate) mod conjugate;
pub(crate) mod sigmoid;
pub(crate) mod stopwatch;
pub(crate) mod units;
