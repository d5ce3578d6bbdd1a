//! The measurements of the `bench` program.
//!
//! A *task* is something that a user does; its *cases* are variants in a number type. Each case is
//! run in a process of its own, so that its peak memory is its own, and makes one [`row::Row`]:
//! times, with the figures that say how good the answer was. A time without them means nothing.
//!
//! *Peers* are what a user would take instead. They are processes, too; [`protocol`] is what the
//! runner says to all of them, [`contest`] lets them take turns on the same files of inputs, and
//! [`compare`] says whose answer is good enough for its time to count, and [`verdict`] whether ours is
//! fast enough. Figures that need no peer may have a bar in [`own`].
//!
//! To add a task: a file in `tasks/` with a constant [`tasks::Task`], and its line in
//! [`tasks::ALL`]. To add a peer: a function in `benches/peers/<task>.py`, and its line in
//! [`peers::ALL`]. What programs of peers in Rust need, too, is in [`kern_bench_kit`].

pub mod bar;
pub mod case;
pub mod child;
pub mod clusters;
pub mod compare;
pub mod confirm;
pub mod contest;
pub mod data;
pub mod found;
pub mod growth;
pub mod history;
pub mod job;
pub mod kind;
pub mod machine;
pub mod maps;
pub mod own;
pub mod peers;
pub mod processor;
pub mod progress;
pub mod provenance;
pub mod real;
pub mod records;
pub mod report;
pub mod runner;
pub mod serve;
pub mod session;
pub mod slowdown;
pub mod study;
pub mod target;
pub mod tasks;
pub mod verdict;

pub use kern_bench_kit::{limits, measure, npy, process, protocol, quality, row, work};
