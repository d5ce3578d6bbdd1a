//! Two-sample tests, tests of independence and spectral clusters, in one program.

mod canonical;
mod data;
mod definitions;
mod golden;
mod levels;
#[path = "../support/lines.rs"]
mod lines;
mod runs;
mod spectral;
