//! Two-sample tests, tests of independence, in one program.

mod data;
mod definitions;
mod golden;
mod levels;
mod runs;
