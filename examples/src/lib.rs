//! Common parts of the example programs: reading data, splitting it, and the demo problem.
//!
//! ```
//! let digits = kern_examples::data::digits()?;
//! assert_eq!(digits.labels.len(), 1797);
//! # Ok::<(), anyhow::Error>(())
//! ```

pub mod clusters;
pub mod data;
pub mod features;
pub mod notebook;
pub mod progress;
pub mod six_ways;

/// The examples of the README of the workspace.
#[cfg(doctest)]
#[doc = include_str!("../../README.md")]
mod readme {}
