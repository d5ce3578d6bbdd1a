//! Graphs with attribute vectors at their nodes.

use super::Graph;
use crate::{Error, Points, Samples};
use serde::{Deserialize, Serialize};
use std::borrow::Borrow;
use std::cmp::Ordering;

/// A graph with an attribute vector at each node.
///
/// Kernels on graphs use it as a graph with labels and edges only;
/// [`AttributedRandomWalk`](super::AttributedRandomWalk) uses the attributes as well.
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

/// The file format; deserialisation goes through the constructor.
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
    /// A graph with one attribute vector for each node.
    ///
    /// # Errors
    /// [`Error::Dimension`] if the number of vectors is not the number of nodes.
    pub fn new(graph: Graph, attributes: Samples<f64>) -> Result<Self, Error> {
        Error::check_dimension("attributes of nodes", graph.node_count(), attributes.len())?;
        Ok(Self { graph, attributes })
    }

    /// The graph.
    #[must_use]
    pub fn graph(&self) -> &Graph {
        &self.graph
    }

    /// The attribute vectors, in the order of the nodes.
    #[must_use]
    pub fn attributes(&self) -> &Samples<f64> {
        &self.attributes
    }

    /// A total order, in which floats are compared by their bits.
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
