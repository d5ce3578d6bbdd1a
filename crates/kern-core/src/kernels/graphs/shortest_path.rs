//! The shortest-path kernel on graphs.

use super::Graph;
use crate::kernels::declaration::declared;
use crate::kernels::fingerprint::Fingerprint;
use crate::{Bag, Embedded};
use serde::{Deserialize, Serialize};
use std::borrow::Borrow;
use std::collections::VecDeque;

/// The shortest-path kernel: counts pairs of nodes with equal labels at the same distance.
///
/// # Definition
/// The features count the unordered pairs {i, j}, i ≠ j, of connected nodes by both labels and the
/// length d(i, j) of the shortest path, in edges: K(x, y) = Σ_{ {i,j} ⊆ x } Σ_{ {k,l} ⊆ y } \[{ℓ_i,
/// ℓ_j} = {ℓ_k, ℓ_l} and d(i, j) = d(k, l)\]. A graph without edges has no features.
///
/// The kernel uses path lengths and node labels only: each edge has length 1, whatever its label.
///
/// Libraries that count ordered pairs, such as GraKeL, differ: pairs with two different labels
/// count double in the kernel, pairs with equal labels four times.
///
/// # Numerics
/// Features are 64-bit fingerprints, the same on every machine; among N different ones a collision
/// has probability at most N²/2⁶⁵.
///
/// # Complexity
/// O(n·m) for a graph of n nodes and m edges (a breadth-first search from every node), with at most
/// n²/2 features; then a sparse inner product. A Gram matrix processes each graph once.
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

/// Calls `visit(node, distance)` for every node reachable from `source`, in order of distance.
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
