//! Kernels on ordered labelled trees: on any collection of [`Tree`]s, such as a `Vec<Tree>`.

mod subset_tree;
mod subtree;
mod tree;

pub use subset_tree::SubsetTree;
pub use subtree::Subtree;
pub use tree::{ParseTreeError, Tree};
