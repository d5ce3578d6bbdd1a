//! Undirected graphs with labelled nodes and edges.

use crate::Error;
use serde::{Deserialize, Serialize};

/// A finite undirected graph with labelled nodes and, optionally, labelled edges.
///
/// # Definition
/// Nodes 0, …, n − 1, each with a label, and a set of edges {i, j}: an edge given twice, in either
/// direction, is one edge. A self-loop {i, i} is allowed and makes i a neighbour of itself, once. A
/// graph may have no edges and no nodes.
///
/// Unlabelled edges have label 0, so a graph constructed by [`Graph::new`] equals one constructed
/// by [`Graph::with_edge_labels`] with all labels 0.
///
/// # Complexity
/// O(n + m log m) time for m edges; memory for n + 4m integers.
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
/// // A single bond and a double one: acetaldehyde without its hydrogen.
/// let acetaldehyde = Graph::with_edge_labels(vec![6, 6, 8], &[(0, 1, 1), (1, 2, 2)])?;
/// assert_eq!(acetaldehyde.neighbor_labels(1), [1, 2]);
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
    /// The labels of the edges to these neighbours.
    neighbor_labels: Vec<u64>,
}

/// The file format: each edge once. Deserialisation goes through the constructor.
#[derive(Serialize, Deserialize)]
struct Packed {
    labels: Vec<u64>,
    edges: Vec<(usize, usize)>,
    /// One for each edge; empty if all are 0.
    #[serde(default)]
    edge_labels: Vec<u64>,
}

impl TryFrom<Packed> for Graph {
    type Error = Error;
    fn try_from(packed: Packed) -> Result<Self, Error> {
        let edges = packed.edges;
        if packed.edge_labels.is_empty() {
            return Self::new(packed.labels, &edges);
        }
        Error::check_dimension("labels of edges", edges.len(), packed.edge_labels.len())?;
        let labelled = edges.into_iter().zip(packed.edge_labels);
        Self::build(packed.labels, labelled.map(|((i, j), label)| (i, j, label)))
    }
}

impl From<Graph> for Packed {
    fn from(graph: Graph) -> Self {
        let edges = graph.edges().collect();
        let mut edge_labels: Vec<u64> = graph.labeled_edges().map(|edge| edge.2).collect();
        if edge_labels.iter().all(|&label| label == 0) {
            edge_labels.clear();
        }
        Self { labels: graph.labels, edges, edge_labels }
    }
}

impl Graph {
    /// A graph with one label for each node, and unlabelled edges.
    ///
    /// # Errors
    /// [`Error::Index`] for an edge to a node that does not exist.
    pub fn new(labels: Vec<u64>, edges: &[(usize, usize)]) -> Result<Self, Error> {
        Self::build(labels, edges.iter().map(|&(i, j)| (i, j, 0)))
    }

    /// A graph with one label for each node, and labelled edges (i, j, label).
    ///
    /// # Errors
    /// [`Error::Index`] for an edge to a node that does not exist; [`Error::EdgeLabels`] for an
    /// edge given twice with different labels.
    ///
    /// # Examples
    /// ```
    /// use kern_core::{Error, kernels::Graph};
    /// let plain = Graph::new(vec![6, 8], &[(0, 1)])?;
    /// assert_eq!(Graph::with_edge_labels(vec![6, 8], &[(0, 1, 0), (1, 0, 0)])?, plain);
    /// let two = Graph::with_edge_labels(vec![6, 8], &[(0, 1, 2), (1, 0, 1)]);
    /// assert_eq!(two, Err(Error::EdgeLabels { edge: (0, 1), labels: (1, 2) }));
    /// # Ok::<(), kern_core::Error>(())
    /// ```
    pub fn with_edge_labels(
        labels: Vec<u64>,
        edges: &[(usize, usize, u64)],
    ) -> Result<Self, Error> {
        Self::build(labels, edges.iter().copied())
    }

    fn build(
        labels: Vec<u64>,
        edges: impl ExactSizeIterator<Item = (usize, usize, u64)>,
    ) -> Result<Self, Error> {
        let len = labels.len();
        let mut ends = Vec::with_capacity(2 * edges.len());
        for (i, j, label) in edges {
            let given = i.max(j);
            if given >= len {
                return Err(Error::Index { given, len });
            }
            ends.extend([(i, j, label), (j, i, label)]);
        }
        ends.sort_unstable();
        ends.dedup();
        if let Some(pair) = ends.windows(2).find(|w| (w[0].0, w[0].1) == (w[1].0, w[1].1)) {
            let (edge, labels) = ((pair[0].0, pair[0].1), (pair[0].2, pair[1].2));
            return Err(Error::EdgeLabels { edge, labels });
        }
        let mut starts = vec![0; len + 1];
        for &(i, ..) in &ends {
            starts[i + 1] += 1;
        }
        for i in 0..len {
            starts[i + 1] += starts[i];
        }
        let (neighbors, neighbor_labels) = ends.into_iter().map(|(_, j, label)| (j, label)).unzip();
        Ok(Self { labels, starts, neighbors, neighbor_labels })
    }

    /// The number of nodes n.
    #[must_use]
    pub fn node_count(&self) -> usize {
        self.labels.len()
    }

    /// The number of edges; a self-loop counts once.
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
    /// If `node` is out of bounds, as for a slice.
    #[must_use]
    pub fn neighbors(&self, node: usize) -> &[usize] {
        &self.neighbors[self.starts[node]..self.starts[node + 1]]
    }

    /// The labels of the edges to the neighbours of a node, in the order of
    /// [`neighbors`](Graph::neighbors).
    ///
    /// # Panics
    /// If `node` is out of bounds, as for a slice.
    #[must_use]
    pub fn neighbor_labels(&self, node: usize) -> &[u64] {
        &self.neighbor_labels[self.starts[node]..self.starts[node + 1]]
    }

    /// The edges (i, j) with i ≤ j, in ascending order.
    pub fn edges(&self) -> impl Iterator<Item = (usize, usize)> + '_ {
        self.labeled_edges().map(|(i, j, _)| (i, j))
    }

    /// The edges (i, j, label) with i ≤ j, in ascending order.
    pub fn labeled_edges(&self) -> impl Iterator<Item = (usize, usize, u64)> + '_ {
        let of = |i: usize| self.neighbors(i).iter().zip(self.neighbor_labels(i));
        let all = (0..self.node_count()).flat_map(move |i| of(i).map(move |(&j, &l)| (i, j, l)));
        all.filter(|(i, j, _)| i <= j)
    }

    /// The maximum degree; 0 for a graph without nodes.
    #[must_use]
    pub fn max_degree(&self) -> usize {
        self.starts.windows(2).map(|range| range[1] - range[0]).max().unwrap_or(0)
    }
}
