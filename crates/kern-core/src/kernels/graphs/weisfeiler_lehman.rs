//! The Weisfeiler–Lehman subtree kernel on graphs.

use super::Graph;
use crate::kernels::declaration::declared;
use crate::kernels::fingerprint::Fingerprint;
use crate::parameters::Domain;
use crate::{Bag, Embedded, Error};
use serde::{Deserialize, Serialize};
use std::borrow::Borrow;

/// The Weisfeiler–Lehman subtree kernel: counts common neighbourhoods of growing radius.
///
/// # Definition
/// In iteration 0 a node has its own label; in iteration r, the pair of its label of iteration r −
/// 1 and the sorted labels of its neighbours in iteration r − 1, each with the label of the edge to
/// it. K(x, y) = Σ_{r=0}^{h} Σ_w c_{r,w}(x)·c_{r,w}(y), where c_{r,w} counts the nodes with label w
/// in iteration r. The features are the counts.
///
/// It is exactly invariant to the order of the nodes. To compare graphs of different sizes, use
/// [`Normalized`](crate::closure::Normalized).
///
/// # Numerics
/// Labels are 64-bit fingerprints, the same on every machine. Among N different labels a collision
/// has probability at most N²/2⁶⁵, below 10⁻⁷ for a million; a collision adds a spurious match, and
/// the kernel is still Mercer.
///
/// # Complexity
/// O(h·m log Δ) for a graph of m edges and maximum degree Δ; then a sparse inner product. A Gram
/// matrix relabels each graph once.
///
/// # References
/// Shervashidze, Schweitzer, van Leeuwen, Mehlhorn & Borgwardt (2011), *Weisfeiler–Lehman graph
/// kernels*.
///
/// # Examples
/// ```
/// use kern_core::{Kernel, kernels::{Graph, WeisfeilerLehman}};
/// let path = Graph::new(vec![0, 0, 0], &[(0, 1), (1, 2)])?;
/// let triangle = Graph::new(vec![0, 0, 0], &[(0, 1), (1, 2), (2, 0)])?;
/// let k = |h| Ok(Kernel::<Vec<Graph>>::eval(&WeisfeilerLehman::new(h)?, &path, &triangle));
/// assert_eq!(k(0)?, 9.0); // three equal nodes in each
/// assert_eq!(k(1)?, 9.0 + 3.0); // the path's middle has two neighbours, as all of the triangle
/// let double = Graph::with_edge_labels(vec![0, 0, 0], &[(0, 1, 0), (1, 2, 2)])?;
/// let k = Kernel::<Vec<Graph>>::eval(&WeisfeilerLehman::new(1)?, &path, &double);
/// assert_eq!(k, 9.0 + 2.0); // the two ends of the path are like the end of the plain edge
/// # Ok::<(), kern_core::Error>(())
/// ```
#[doc(alias = "WL")]
#[doc(alias = "graph kernel")]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "Packed")]
pub struct WeisfeilerLehman {
    iterations: usize,
}

/// The file format, before validation.
#[derive(Deserialize)]
struct Packed {
    iterations: usize,
}

impl TryFrom<Packed> for WeisfeilerLehman {
    type Error = Error;
    fn try_from(Packed { iterations }: Packed) -> Result<Self, Error> {
        Self::new(iterations)
    }
}

/// The largest number of iterations. The labels of a graph with n nodes are stable after at most n
/// iterations; further ones add no information.
const ROUNDS: usize = 1000;

declared! {
    WeisfeilerLehman = "weisfeiler_lehman", [];
    iterations: Domain::count_to(0, ROUNDS as u64);
    => Self::new(iterations)
}

impl WeisfeilerLehman {
    /// The kernel with h = `iterations` iterations of relabelling; with 0 it compares label counts.
    ///
    /// # Errors
    /// [`Error::TooMany`] for more than 1000 iterations.
    pub fn new(iterations: usize) -> Result<Self, Error> {
        if iterations > ROUNDS {
            let (given, limit) = (iterations as u64, ROUNDS as u64);
            return Err(Error::TooMany { what: "rounds of relabelling", given, limit });
        }
        Ok(Self { iterations })
    }

    /// h.
    #[must_use]
    pub fn iterations(&self) -> usize {
        self.iterations
    }
}

/// Separates edge labels from iteration numbers.
const EDGE: u64 = u64::MAX;

/// The word for a neighbour: its label and that of the edge to it. The edge label 0 adds nothing.
fn neighbor(edge: u64, label: u64) -> u64 {
    match edge {
        0 => label,
        _ => Fingerprint::new(EDGE).word(edge).word(label).finish(),
    }
}

/// The labels of the next iteration. They include its number, so that iterations have distinct
/// labels.
fn relabelled(graph: &Graph, round: u64, labels: &[u64]) -> Vec<u64> {
    let mut around = Vec::with_capacity(graph.max_degree());
    let relabel = |(node, &label): (usize, &u64)| {
        around.clear();
        let edges = graph.neighbors(node).iter().zip(graph.neighbor_labels(node));
        around.extend(edges.map(|(&j, &edge)| neighbor(edge, labels[j])));
        around.sort_unstable();
        around.iter().fold(Fingerprint::new(round).word(label), |f, &w| f.word(w)).finish()
    };
    labels.iter().enumerate().map(relabel).collect()
}

impl<G: Borrow<Graph> + ?Sized> Embedded<G> for WeisfeilerLehman {
    fn bag(&self, x: &G) -> Bag {
        let graph: &Graph = x.borrow();
        let first = |&label: &u64| Fingerprint::new(0).word(label).finish();
        let mut labels: Vec<u64> = graph.labels().iter().map(first).collect();
        let mut features: Vec<(u64, f64)> = Vec::new();
        for round in 1..=self.iterations as u64 {
            features.extend(labels.iter().map(|&w| (w, 1.0)));
            labels = relabelled(graph, round, &labels);
        }
        features.into_iter().chain(labels.into_iter().map(|w| (w, 1.0))).collect()
    }
}

crate::impl_embedded_kernel!(WeisfeilerLehman, Borrow<Graph>);
