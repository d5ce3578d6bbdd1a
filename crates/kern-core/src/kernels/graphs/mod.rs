//! Kernels on labelled graphs: any collection of [`Graph`]s, such as a `Vec<Graph>`, or of [`AttributedGraph`]s.

mod attributed_graph;
mod attributed_random_walk;
mod graph;
mod product;
mod random_walk;
mod shortest_path;
mod weisfeiler_lehman;

pub use attributed_graph::AttributedGraph;
pub use attributed_random_walk::AttributedRandomWalk;
pub use graph::Graph;
pub use random_walk::RandomWalk;
pub use shortest_path::ShortestPath;
pub use weisfeiler_lehman::WeisfeilerLehman;

crate::impl_kernel_ops!([K] AttributedRandomWalk<K>;);

crate::named! {
    [K: crate::Named] AttributedRandomWalk<K> = "attributed_random_walk", of K;
}
