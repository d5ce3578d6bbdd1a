//! A vantage-point tree in the feature space of a kernel.
//!
//! **Definition.** A node holds a range of the points and one of them as its *vantage point* v. The half of the points
//! that is nearer to v goes to one child, the rest to the other, and for both children an interval is kept that holds all
//! their distances from v. For a query x at distance D from v, the triangle inequality says that every point of a child
//! with the interval \[l, u\] has a distance of at least max(D − u, l − D) from x. If that is more than the distance of the k-th
//! best so far, the child is left out.
//!
//! **Metric.** Where the kernel has an order with a metric ([`kern_core::Order::metric`]), such as ‖x − y‖ for the RBF, that is
//! the metric of the tree: in the feature space of a narrow RBF all distances are nearly √2, and no tree could tell far from
//! near. Else it is the RKHS distance, for any Mercer kernel on any points.
//!
//! **Exactness.** All distances are intervals that hold the exact one: `Order::metric` and
//! [`Norms::bounds`](super::norms::Norms::bounds) derive them. A child is left out if the lower bound of the distance of its
//! points exceeds the *upper* bound of every point whose computed key is that of the k-th best or greater. So all points whose
//! computed keys could be among the best are compared, ties included; and keys have the same bits in every tile.
//!
//! **Layout.** The tree is complete: ranges are halved as often as leaves demand, so a node is known by its place in level
//! order. The points are copied leaf after leaf, so that a leaf is a tile.

mod build;
mod descend;
mod params;

use super::pairs::Candidate;
pub use params::VantageTree;
use std::ops::Range;

/// The tree of some points.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Tree<P> {
    /// Leaf after leaf.
    points: P,
    /// The index of the point that each of them is.
    order: Vec<usize>,
    /// Level by level, from the root; below the last level are the leaves.
    nodes: Vec<Node>,
    /// True if distances are those of a metric other than the feature space's.
    has_metric: bool,
}

#[derive(Clone, Copy, Debug, PartialEq)]
struct Node {
    /// The place of the vantage point among the points of the tree.
    vantage: usize,
    /// Bounds of the distances from the vantage point of all points of the two children.
    children: [[f64; 2]; 2],
}

/// The findings of a query.
#[derive(Debug)]
pub(super) struct Found<T> {
    pub(super) candidates: Vec<Candidate<T>>,
    /// Points that the query was compared with, vantage points included.
    pub(super) evaluations: usize,
}

/// The two halves of the points of a node.
fn halves(range: &Range<usize>) -> [Range<usize>; 2] {
    let middle = range.start + range.len().div_ceil(2);
    [range.start..middle, middle..range.end]
}
