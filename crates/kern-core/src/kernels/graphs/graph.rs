//! An undirected graph with labelled nodes.

use crate::Error;
use serde::{Deserialize, Serialize};

/// A finite undirected graph whose nodes carry labels.
///
/// # Definition
/// Nodes 0, …, n − 1 with a label each, and a set of edges {i, j}. It is a set: an edge that is
/// given twice, in either direction, is one edge. A self loop {i, i} is allowed and makes i a
/// neighbour of itself, once. A graph may have no edges, and no nodes.
///
/// # Complexity
/// O(n + m log m) to build from m edges; n + 2m numbers.
///
/// # Examples
/// ```
/// use kern_core::{Error, kernels::Graph};
/// // Carbon (6), carbon, oxygen (8), in a chain.
/// let ethanol = Graph::new(vec![6, 6, 8], &[(0, 1), (1, 2), (2, 1)])?;
/// assert_eq!((ethanol.node_count(), ethanol.edge_count()), (3, 2));
/// assert_eq!(ethanol.neighbors(1), [0, 2]);
/// let missing = Graph::new(vec![6], &[(0, 5)]);
/// assert_eq!(missing, Err(Error::Index { given: 5, len: 1 }));
/// # Ok::<(), kern_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "Packed", into = "Packed")]
pub struct Graph {
    labels: Vec<u64>,
    /// Node i has the neighbours `starts[i]..starts[i + 1]`.
    starts: Vec<usize>,
    /// Sorted within each node.
    neighbors: Vec<usize>,
}

/// The form in a file: each edge once. Reading goes through the constructor.
#[derive(Serialize, Deserialize)]
struct Packed {
    labels: Vec<u64>,
    edges: Vec<(usize, usize)>,
}

impl TryFrom<Packed> for Graph {
    type Error = Error;
    fn try_from(packed: Packed) -> Result<Self, Error> {
        Self::new(packed.labels, &packed.edges)
    }
}

impl From<Graph> for Packed {
    fn from(graph: Graph) -> Self {
        let edges = graph.edges().collect();
        Self { labels: graph.labels, edges }
    }
}

impl Graph {
    /// The graph with these labels, one for each node, and these edges.
    ///
    /// # Errors
    /// [`Error::Index`] for an edge to a node that does not exist.
    pub fn new(labels: Vec<u64>, edges: &[(usize, usize)]) -> Result<Self, Error> {
        let len = labels.len();
        let mut ends = Vec::with_capacity(2 * edges.len());
        for &(i, j) in edges {
            let given = i.max(j);
            if given >= len {
                return Err(Error::Index { given, len });
            }
            ends.extend([(i, j), (j, i)]);
        }
        ends.sort_unstable();
        ends.dedup();
        let mut starts = vec![0; len + 1];
        for &(i, _) in &ends {
            starts[i + 1] += 1;
        }
        for i in 0..len {
            starts[i + 1] += starts[i];
        }
        let neighbors = ends.into_iter().map(|(_, j)| j).collect();
        Ok(Self { labels, starts, neighbors })
    }

    /// The number of nodes n.
    #[must_use]
    pub fn node_count(&self) -> usize {
        self.labels.len()
    }

    /// The number of edges; a self loop is one.
    #[must_use]
    pub fn edge_count(&self) -> usize {
        self.edges().count()
    }

    /// The labels of the nodes.
    #[must_use]
    pub fn labels(&self) -> &[u64] {
        &self.labels
    }

    /// The neighbours of a node, in ascending order.
    ///
    /// # Panics
    /// If there is no such node, as indexing a slice does.
    #[must_use]
    pub fn neighbors(&self, node: usize) -> &[usize] {
        &self.neighbors[self.starts[node]..self.starts[node + 1]]
    }

    /// The edges (i, j) with i ≤ j, in ascending order.
    pub fn edges(&self) -> impl Iterator<Item = (usize, usize)> + '_ {
        let of = |i: usize| self.neighbors(i).iter().map(move |&j| (i, j));
        (0..self.node_count()).flat_map(of).filter(|(i, j)| i <= j)
    }

    /// The greatest number of neighbours that a node has; 0 without nodes.
    #[must_use]
    pub fn max_degree(&self) -> usize {
        self.starts.windows(2).map(|range| range[1] - range[0]).max().unwrap_or(0)
    }
}
