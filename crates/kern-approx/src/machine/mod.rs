//! The speed of this machine: measured seconds of kernel values, of features, and of passes over memory.
//!
//! All is measured with the library's own loops, on the current rayon pool. What else runs at the time disturbs it; each
//! number is the least of a few.

mod measure;
mod rates;

pub use rates::{Access, Affine, Precision, Rates, WORKING_SETS};

// For the layers above; no part of the interface that is kept stable.
#[doc(hidden)]
pub use measure::{KernelSeconds, REPEATS, features, glimpse, kernel};
#[doc(hidden)]
pub use rates::{rates, samples};
