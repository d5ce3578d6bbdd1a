//! Parts that several programs have in common: data and its split, two classes in the plane, a progress bar.
//!
//! ```
//! let digits = kern_gallery::data::digits()?;
//! assert_eq!(digits.labels.len(), 1797);
//! # Ok::<(), anyhow::Error>(())
//! ```

pub mod data;
pub mod plane;
pub mod progress;

/// The examples of the README of the workspace.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
mod readme {}

/// The examples of the guide.
#[cfg(doctest)]
mod guide {
    #[doc = include_str!("../../../docs/guide/src/five-minutes.md")]
    mod five_minutes {}
    #[doc = include_str!("../../../docs/guide/src/kernels.md")]
    mod kernels {}
    #[doc = include_str!("../../../docs/guide/src/scaling.md")]
    mod scaling {}
    #[doc = include_str!("../../../docs/guide/src/structures.md")]
    mod structures {}
    #[doc = include_str!("../../../docs/guide/src/tables.md")]
    mod tables {}
    #[doc = include_str!("../../../docs/guide/src/own-kernel.md")]
    mod own_kernel {}
    #[doc = include_str!("../../../docs/guide/src/uncertainty.md")]
    mod uncertainty {}
    #[doc = include_str!("../../../docs/guide/src/saving.md")]
    mod saving {}
}
