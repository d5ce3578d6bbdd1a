//! Fits from parts of files, or from partitions held elsewhere, that need not fit into memory: in
//! one process, or on many machines.
//!
//! A [`RoundsFit`] creates a [`Job`] in each round; workers return the sums of groups of parts,
//! [`Gathered`], which are merged and passed back to the fit. [`RoundsFit::run`] does the same in
//! one process. All three can be written as bytes: the job and the sums to send them, the fit as a
//! checkpoint.
//!
//! Only sums over D features are kept, so the memory of a fit does not depend on the number of
//! rows: D² floats for methods that use second moments, plus a few blocks of features.

mod coordinator;
mod cost;
mod design;
mod job;
mod judges;
mod metric;
mod order;
mod part_answers;
mod sample;
mod survey;

pub use coordinator::{RoundsFit, Stage};
pub use cost::{Network, RoundsCost};
pub use job::{Gathered, Job};
pub use order::{Features, Gamma, Order};
pub use part_answers::Scored;

pub(crate) use design::{Design, points};
pub(crate) use judges::Judges;
pub(crate) use survey::Survey;

/// Default approximate number of rows in a part of a file; [`Part::list`](kern_data::Part::list)
/// creates parts.
pub const PART_ROWS: u64 = 65_536;
