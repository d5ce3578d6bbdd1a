//! Common parts of the programs of all packages: a case as the runner describes it, and the serving of it.
//!
//! The programs are called as `PROGRAM TASK FUNCTION PACKAGE FOLDER` and talk to the runner by the
//! protocol of [`kern_bench_kit::protocol`]. Everything is built in release mode for the processor
//! family that cargo builds for unless told otherwise, as users build it.

pub mod case;
pub mod gram;
pub mod knn;
pub mod serve;
pub mod svm;
pub mod svr;
