//! Large memory: the size of matrices, and fallible allocation.

mod allocation;
#[cfg(feature = "pages")]
mod mapping;
mod pages;
mod prefetch;

pub(crate) use allocation::zero_buffer;
pub use allocation::{convert_into, converted, matrix_bytes, zero_vec, zeros};
pub use pages::{LargeMat, Pages, Shared};
pub use prefetch::{CACHE_LINE, prefetch};
