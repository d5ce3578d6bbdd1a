//! The planner of SGD: the cost of each of its ways, and the overheads that are measured for it.

pub(super) mod cost;
mod overheads;
mod task;

pub use task::SgdTask;
