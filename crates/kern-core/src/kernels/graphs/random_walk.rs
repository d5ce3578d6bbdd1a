//! The geometric random-walk kernel.

use super::Graph;
use super::product::ProductGraph;
use crate::kernels::declaration::declared;
use crate::parameters::Domain;
use crate::{Error, Kernel, Mercer, Points, Positive};
use serde::{Deserialize, Serialize};
use std::borrow::Borrow;

/// The greatest number of nodes of a graph.
const NODES: usize = 1 << 12;

/// Refuses graphs that have more than [`NODES`] nodes.
pub(super) fn check_nodes<'a>(graphs: impl Iterator<Item = &'a Graph>) -> Result<(), Error> {
    let most = graphs.map(Graph::node_count).max().unwrap_or(0);
    if most > NODES {
        let (given, limit) = (most as u64, NODES as u64);
        return Err(Error::TooMany { what: "nodes of a graph", given, limit });
    }
    Ok(())
}

/// The geometric random-walk kernel: walks of all lengths that read the same labels.
///
/// # Definition
/// K(x, y) = Σ_{k≥0} λ^k·w_k, λ > 0, where w_k counts the pairs of walks of k steps, one in x and
/// one in y, with equal sequences of labels of nodes and edges: w_k = 1ᵀA_×^k 1 for the adjacency
/// matrix A_× of the product graph, whose nodes are the pairs of nodes with equal labels, and whose
/// edges are the pairs of edges with equal labels. So K(x, y) = 1ᵀ(I − λA_×)⁻¹1. It is Mercer: one
/// feature λ^{k/2} for each walk of k steps, by labels.
///
/// # Domain
/// The eigenvalues of A_× are at most Δ(x)·Δ(y), the product of the greatest degrees, so the sum
/// converges if λ·Δ² < 1, Δ being the greatest degree in the collection: [`RandomWalk::limit`] is
/// 1/Δ². [`check`](Kernel::check) refuses a greater λ. Two collections that pass may be compared
/// with each other, too. Without that check, [`eval`](Kernel::eval) is NaN where λ·Δ(x)·Δ(y) ≥ 1. It also refuses graphs of more than
/// 4096 nodes, two of which would take more than 2²⁴ pairs of nodes, half a gigabyte.
///
/// # Numerics
/// By conjugate gradients. After k steps the value so far, Σ_{j<k} α_j‖r_j‖², errs by at most
/// ‖r_k‖²/(1 − λΔ(x)Δ(y)), since that bounds the energy of the error (Golub & Meurant 2010); the iteration ends when this is below one unit round-off of the value. It is NaN, and so
/// an error of the caller, if ten steps per node of the product graph do not get there.
///
/// # Complexity
/// O(m·n' + n·m') for each step, n·n' numbers, for graphs of n, n' nodes and m, m' edges; with labels
/// of edges O(m·n' + Σ_e n_e·m'_e), e being a label, of which x has edges at n_e nodes and y has m'_e
/// edges. The number of steps grows as the root of 1/(1 − λΔ(x)Δ(y)).
///
/// # References
/// Gärtner, Flach & Wrobel (2003), *On graph kernels: hardness results and efficient alternatives*;
/// Vishwanathan, Schraudolph, Kondor & Borgwardt (2010), *Graph kernels*, for conjugate gradients
/// on products of graphs.
///
/// # Examples
/// ```
/// use kern_core::{Kernel, kernels::{Graph, RandomWalk}};
/// let k = RandomWalk::new(0.25)?;
/// let edge = Graph::new(vec![0, 0], &[(0, 1)])?;
/// // Four pairs of nodes, each with one step onwards: 4·(1 + ¼ + ¹⁄₁₆ + …).
/// let value = Kernel::<Vec<Graph>>::eval(&k, &edge, &edge);
/// assert!((value - 4.0 / 0.75).abs() < 1e-14);
/// let star = vec![Graph::new(vec![0; 3], &[(0, 1), (0, 2)])?];
/// assert_eq!(RandomWalk::limit(&star), 0.25);
/// assert!(k.check(&star).is_err());
/// # Ok::<(), kern_core::Error>(())
/// ```
#[doc(alias = "graph kernel")]
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct RandomWalk {
    lambda: Positive,
}

declared! {
    RandomWalk = "random_walk", [];
    lambda: Domain::positive();
    => Self::new(lambda)
}

impl RandomWalk {
    /// Walks of k steps have the weight lambda^k.
    ///
    /// # Errors
    /// [`Error::Parameter`] unless `lambda` is finite and > 0.
    pub fn new(lambda: f64) -> Result<Self, Error> {
        Ok(Self { lambda: Positive::new("lambda", lambda)? })
    }

    /// λ.
    #[must_use]
    pub fn lambda(&self) -> f64 {
        self.lambda.get()
    }

    /// 1/Δ², below which λ must lie on these graphs; ∞ if they have no edges.
    #[must_use]
    pub fn limit<P>(graphs: &P) -> f64
    where
        P: Points + ?Sized,
        P::Item: Borrow<Graph>,
    {
        1.0 / greatest_degree(graphs).powi(2)
    }

    /// ∂K(x, y)/∂ln λ = λ·uᵀA_×u, with u = (I − λA_×)⁻¹1.
    pub(crate) fn slope(&self, x: &Graph, y: &Graph) -> f64 {
        let contraction = self.contraction(x.max_degree() as f64, y.max_degree() as f64);
        if contraction >= 1.0 {
            return f64::NAN;
        }
        ProductGraph::of_equal_labels(x, y).slopes(self.lambda(), 1.0 - contraction).1
    }

    /// λΔ(x)Δ(y): what the series contracts by. Degrees are multiplied first, so that the value
    /// is monotone in them and the check of each collection covers their pairs.
    fn contraction(&self, x: f64, y: f64) -> f64 {
        self.lambda() * (x * y)
    }
}

fn greatest_degree<P>(graphs: &P) -> f64
where
    P: Points + ?Sized,
    P::Item: Borrow<Graph>,
{
    let degree = |i| Borrow::<Graph>::borrow(graphs.item(i)).max_degree();
    (0..graphs.len()).map(degree).max().unwrap_or(0) as f64
}

impl<P> Kernel<P> for RandomWalk
where
    P: Points<Scalar = f64> + ?Sized,
    P::Item: Borrow<Graph>,
{
    fn eval(&self, x: &P::Item, y: &P::Item) -> f64 {
        let (x, y): (&Graph, &Graph) = (x.borrow(), y.borrow());
        // In one order, so that the kernel is symmetric to the last bit.
        let (x, y) = if x <= y { (x, y) } else { (y, x) };
        let contraction = self.contraction(x.max_degree() as f64, y.max_degree() as f64);
        if contraction < 1.0 {
            let product = ProductGraph::of_equal_labels(x, y);
            product.geometric_sum(self.lambda(), 1.0 - contraction, None)
        } else {
            f64::NAN
        }
    }

    fn check(&self, points: &P) -> Result<(), Error> {
        check_nodes((0..points.len()).map(|i| points.item(i).borrow()))?;
        let degree = greatest_degree(points);
        if self.contraction(degree, degree) < 1.0 {
            return Ok(());
        }
        Err(Error::Parameter {
            name: "lambda",
            given: self.lambda(),
            allowed: "less than 1/Δ² for the greatest degree Δ of the graphs, RandomWalk::limit",
        })
    }
}

impl<P> Mercer<P> for RandomWalk
where
    P: Points<Scalar = f64> + ?Sized,
    P::Item: Borrow<Graph>,
{
}
