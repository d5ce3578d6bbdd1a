//! Two-sample tests, tests of independence and spectral clusters, in one program.

mod data;
mod definitions;
mod golden;
mod levels;
mod runs;
mod spectral;
