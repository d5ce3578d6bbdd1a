//! The shortest-path kernel.

use super::Graph;
use crate::kernels::declaration::declared;
use crate::kernels::fingerprint::Fingerprint;
use crate::{Bag, Embedded};
use serde::{Deserialize, Serialize};
use std::borrow::Borrow;
use std::collections::VecDeque;

/// The shortest-path kernel: pairs of nodes at the same distance.
///
/// # Definition
/// The features count the unordered pairs {i, j}, i ≠ j, of nodes that a path joins, by the labels
/// of both and the length d(i, j) of the shortest path, in edges:
/// K(x, y) = Σ_{ {i,j} ⊆ x } Σ_{ {k,l} ⊆ y } \[{ℓ_i, ℓ_j} = {ℓ_k, ℓ_l} and d(i, j) = d(k, l)\].
/// A graph without edges has no features.
///
/// Lengths and the labels of nodes are all that it sees: each edge has the length 1, whatever its label.
///
/// Libraries that count ordered pairs, such as GraKeL, differ: pairs of two labels count double in
/// the kernel, pairs of one label four times.
///
/// # Numerics
/// Features are 64-bit fingerprints, the same on every machine; N of them collide with probability
/// at most N²/2⁶⁵.
///
/// # Complexity
/// O(n·m) for a graph of n nodes and m edges (a breadth-first search from every node), n²/2
/// features at most; then a sparse inner product. A Gram matrix searches each graph once.
///
/// # References
/// Borgwardt & Kriegel (2005), *Shortest-path kernels on graphs*, with Kronecker deltas on the
/// labels and lengths.
///
/// # Examples
/// ```
/// use kern_core::{Kernel, kernels::{Graph, ShortestPath}};
/// let path = Graph::new(vec![0, 0, 0], &[(0, 1), (1, 2)])?;
/// let triangle = Graph::new(vec![0, 0, 0], &[(0, 1), (1, 2), (2, 0)])?;
/// // Lengths 1, 1, 2 against 1, 1, 1.
/// assert_eq!(Kernel::<Vec<Graph>>::eval(&ShortestPath, &path, &triangle), 6.0);
/// assert_eq!(Kernel::<Vec<Graph>>::eval(&ShortestPath, &path, &path), 4.0 + 1.0);
/// # Ok::<(), kern_core::Error>(())
/// ```
#[doc(alias = "graph kernel")]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ShortestPath;

declared! {
    ShortestPath = "shortest_path", [];
    => Ok(Self)
}

/// Calls `visit(node, distance)` with every node that can be reached from `source`, nearest first.
fn breadth_first(graph: &Graph, source: usize, mut visit: impl FnMut(usize, u64)) {
    let mut seen = vec![false; graph.node_count()];
    seen[source] = true;
    let mut queue = VecDeque::from([(source, 0)]);
    while let Some((node, distance)) = queue.pop_front() {
        visit(node, distance);
        for &next in graph.neighbors(node) {
            if !std::mem::replace(&mut seen[next], true) {
                queue.push_back((next, distance + 1));
            }
        }
    }
}

impl<G: Borrow<Graph> + ?Sized> Embedded<G> for ShortestPath {
    fn bag(&self, x: &G) -> Bag {
        let graph: &Graph = x.borrow();
        let labels = graph.labels();
        let mut features = Vec::new();
        for i in 0..graph.node_count() {
            breadth_first(graph, i, |j, distance| {
                if i < j {
                    let (low, high) = (labels[i].min(labels[j]), labels[i].max(labels[j]));
                    features.push((Fingerprint::new(distance).word(low).word(high).finish(), 1.0));
                }
            });
        }
        features.into_iter().collect()
    }
}

crate::impl_embedded_kernel!(ShortestPath, Borrow<Graph>);
