//! Kernels on labelled graphs: on any collection of [`Graph`]s, such as a `Vec<Graph>`, or of
//! [`AttributedGraph`]s.

mod attributed_graph;
mod graph;
mod product_graph;
mod random_walk;
mod shortest_path;
mod weisfeiler_lehman;

pub use attributed_graph::AttributedGraph;
pub use graph::Graph;
pub use random_walk::{AttributedRandomWalk, RandomWalk};
pub use shortest_path::ShortestPath;
pub use weisfeiler_lehman::WeisfeilerLehman;
