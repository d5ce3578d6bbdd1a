//! The six ways of SGD, predicted and measured.

mod accuracy;
mod exponents;
mod grid;
mod picture;
mod problem;

pub use accuracy::{Accuracy, Setting, judge};
pub use exponents::{Scan, scans, slope};
pub use grid::{Grid, Sizes, settings};
pub use picture::draw;
pub use problem::{Family, Problem, nominal};
