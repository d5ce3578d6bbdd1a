//! What the `bench` program measures, and how.
//!
//! A *task* is something that a user does; its *cases* are variants in a number type. Each case is
//! run in a process of its own, so that its peak memory is its own, and makes one [`row::Row`]:
//! times, with the figures that say how good the answer was. A time without them means nothing.
//!
//! To add a task: a file in `tasks/` with a constant [`tasks::Task`], and its line in
//! [`tasks::ALL`].

pub mod data;
pub mod job;
pub mod machine;
pub mod measure;
pub mod quality;
pub mod row;
pub mod tasks;
