//! Performance model of this machine: measured seconds of kernel values, of features, and of memory
//! access.
//!
//! All timings use the library's own loops, on the current rayon pool. Other running programs
//! disturb them; each value is the minimum of several runs.

mod measure;
mod rates;

pub use rates::{Access, Affine, Precision, Rates, WORKING_SETS};

// For the layers above; not part of the stable interface.
pub use measure::{KernelSeconds, REPEATS, features, kernel, kernel_seconds_bound};
pub use rates::{rates, samples};
