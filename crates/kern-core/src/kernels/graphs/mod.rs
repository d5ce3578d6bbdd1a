//! Kernels on labelled graphs: any collection of [`Graph`]s, such as a `Vec<Graph>`.

mod graph;
mod random_walk;
mod shortest_path;
mod weisfeiler_lehman;

pub use graph::Graph;
pub use random_walk::RandomWalk;
pub use shortest_path::ShortestPath;
pub use weisfeiler_lehman::WeisfeilerLehman;
