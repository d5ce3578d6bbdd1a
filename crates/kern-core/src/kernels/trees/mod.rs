//! Kernels on ordered labelled trees: any collection of [`Tree`]s, such as a `Vec<Tree>`.

mod parse;
mod subset_tree;
mod subtree;
mod tree;

pub use parse::ParseTreeError;
pub use subset_tree::SubsetTree;
pub use subtree::Subtree;
pub use tree::Tree;
