//! Large memory: how much a matrix takes, and how to get it without the risk of an abort.

mod allocation;
mod pages;
mod prefetch;

pub use allocation::{convert_into, converted, matrix_bytes, zero_vec, zeros};
pub use pages::{LargeMat, Pages, Shared};
pub use prefetch::prefetch;
