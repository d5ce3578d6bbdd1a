//! Clusters and neighbours: two rings, handwritten digits, and sentences.

mod agreement;
pub mod digits;
mod picture;
pub mod rings;
pub mod strings;

pub use agreement::{mutual_information, purity};
pub use picture::draw;
