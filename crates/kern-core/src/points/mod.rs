//! Points: finite indexed collections of elements of a set 𝒳.
//!
//! Dense vectors are [`Samples`], sparse ones [`SparseSamples`]. A `Vec` of any type (strings,
//! sets, your own struct) is a collection, too, so a kernel on a new type requires only an
//! implementation of the kernel.

mod collection;
#[cfg(feature = "nalgebra")]
mod nalgebra;
#[cfg(feature = "ndarray")]
mod ndarray;
mod row;
mod samples;
mod sparse_samples;
mod stripe;
mod vectors;

pub(crate) use collection::check_dim;
pub use collection::{Concat, Gather, Points};
pub use row::Row;
pub use samples::{OnceOfPoints, Samples};
pub use sparse_samples::{Entry, SparseSamples};
pub(crate) use stripe::{Column, STRIPE, stripes};
pub use vectors::Vectors;
pub(crate) use vectors::{squared_distance, united};
