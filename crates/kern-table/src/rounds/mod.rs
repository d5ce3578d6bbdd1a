//! Fits from parts of files, or of partitions that others hold, that no memory has to hold: in one process, or on many machines.
//!
//! A [`RoundsFit`] asks a [`Job`] in each round; a worker answers with the sums of a group of parts, [`Gathered`], which are merged
//! and handed back. In one process [`RoundsFit::run`] does the same. All three can be written as bytes: the job and the sums to send
//! them, the fit as a checkpoint.
//!
//! What is kept of a stream is sums over D features, so a fit takes the memory of D² numbers for what has moments, and of some blocks of
//! features, whatever the number of rows.

mod coordinator;
mod cost;
mod design;
mod groups;
mod job;
mod judges;
mod metric;
mod order;
mod outcome;
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

/// Rows of a part of a file, about, unless others are wanted: [`Part::list`](kern_data::Part::list) makes parts.
pub const PART_ROWS: u64 = 65_536;
