//! Common parts of the example programs: reading data, splitting it, and the demo problem.
//!
//! ```
//! let digits = kern_examples::data::digits()?;
//! assert_eq!(digits.labels.len(), 1797);
//! # Ok::<(), anyhow::Error>(())
//! ```

pub mod clusters;
pub mod data;
pub mod estimator;
pub mod features;
pub mod learned;
pub mod notebook;
pub mod plane;
pub mod process;
pub mod progress;
pub mod projection;
pub mod six_ways;

/// The examples of the README of the workspace.
#[cfg(doctest)]
#[doc = include_str!("../../README.md")]
mod readme {}

/// The examples of the guide.
#[cfg(doctest)]
mod guide {
    #[doc = include_str!("../../docs/guide/src/five-minutes.md")]
    mod five_minutes {}
    #[doc = include_str!("../../docs/guide/src/kernels.md")]
    mod kernels {}
    #[doc = include_str!("../../docs/guide/src/scaling.md")]
    mod scaling {}
    #[doc = include_str!("../../docs/guide/src/structures.md")]
    mod structures {}
    #[doc = include_str!("../../docs/guide/src/tables.md")]
    mod tables {}
    #[doc = include_str!("../../docs/guide/src/own-kernel.md")]
    mod own_kernel {}
    #[doc = include_str!("../../docs/guide/src/uncertainty.md")]
    mod uncertainty {}
}
