//! A graph with vectors at its nodes.

use super::Graph;
use crate::{Error, Points, Samples};
use serde::{Deserialize, Serialize};
use std::borrow::Borrow;
use std::cmp::Ordering;

/// A graph with a vector of numbers, its attributes, at each node.
///
/// It is a graph to all kernels on graphs, which see labels and edges alone;
/// [`AttributedRandomWalk`](super::AttributedRandomWalk) sees all of it.
///
/// # Examples
/// ```
/// use kern_core::{Kernel, Samples};
/// use kern_core::kernels::{AttributedGraph, Graph, ShortestPath};
/// let graph = Graph::new(vec![6, 8], &[(0, 1)])?;
/// let charges = Samples::from_rows(&[[0.1], [-0.3]])?;
/// let molecule = AttributedGraph::new(graph.clone(), charges.clone())?;
/// assert_eq!(Kernel::<Vec<AttributedGraph>>::eval(&ShortestPath, &molecule, &molecule), 1.0);
/// assert!(AttributedGraph::new(Graph::new(vec![6], &[])?, charges).is_err());
/// # Ok::<(), kern_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Packed", into = "Packed")]
pub struct AttributedGraph {
    graph: Graph,
    attributes: Samples<f64>,
}

/// The form in a file. Reading goes through the constructor.
#[derive(Serialize, Deserialize)]
struct Packed {
    graph: Graph,
    attributes: Samples<f64>,
}

impl TryFrom<Packed> for AttributedGraph {
    type Error = Error;
    fn try_from(packed: Packed) -> Result<Self, Error> {
        Self::new(packed.graph, packed.attributes)
    }
}

impl From<AttributedGraph> for Packed {
    fn from(AttributedGraph { graph, attributes }: AttributedGraph) -> Self {
        Self { graph, attributes }
    }
}

impl AttributedGraph {
    /// The graph with these vectors, one for each node.
    ///
    /// # Errors
    /// [`Error::Dimension`] for another number of vectors.
    pub fn new(graph: Graph, attributes: Samples<f64>) -> Result<Self, Error> {
        let (expected, given) = (graph.node_count(), attributes.len());
        if given != expected {
            return Err(Error::Dimension { what: "attributes of nodes", expected, given });
        }
        Ok(Self { graph, attributes })
    }

    /// The graph.
    #[must_use]
    pub fn graph(&self) -> &Graph {
        &self.graph
    }

    /// The vectors, in the order of the nodes.
    #[must_use]
    pub fn attributes(&self) -> &Samples<f64> {
        &self.attributes
    }

    /// A total order; numbers in that of their bits.
    pub(super) fn order(&self, other: &Self) -> Ordering {
        let numbers = self.attributes.as_slice().iter().zip(other.attributes.as_slice());
        let by_numbers = || numbers.map(|(a, b)| a.total_cmp(b)).find(|order| order.is_ne());
        self.graph.cmp(&other.graph).then_with(|| by_numbers().unwrap_or(Ordering::Equal))
    }
}

impl Borrow<Graph> for AttributedGraph {
    fn borrow(&self) -> &Graph {
        &self.graph
    }
}
