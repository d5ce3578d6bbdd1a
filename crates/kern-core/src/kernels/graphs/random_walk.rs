//! Geometric random-walk kernels: Σₖ λ^k times the number of common walks of k steps or, on graphs
//! with attributes, times the sum over these walks of Π κ(a, a').

use super::product_graph::ProductGraph;
use super::{AttributedGraph, Graph};
use crate::kernels::declaration::declared;
use crate::parameters::{Domain, Parameter, Parameters, Setting, set_with_inner, with_inner};
use crate::points::check_dim;
use crate::{Error, Kernel, Mercer, Points, Positive, Samples, Scratch, Tile};
use faer::Mat;
use serde::{Deserialize, Serialize};
use std::borrow::Borrow;
use std::fmt;

/// The largest number of nodes of a graph.
const NODES: usize = 1 << 12;

/// The geometric random-walk kernel: counts common walks of all lengths.
///
/// # Definition
/// K(x, y) = Σ_{k≥0} λ^k·w_k, λ > 0, where w_k is the number of pairs of walks of k steps, one in x
/// and one in y, with equal sequences of node and edge labels: w_k = 1ᵀA_×^k 1 for the adjacency
/// matrix A_× of the product graph. Its nodes are the pairs of nodes with equal labels, and its
/// edges the pairs of edges with equal labels. Hence K(x, y) = 1ᵀ(I − λA_×)⁻¹1. It is Mercer: each
/// label sequence of a walk of k steps is one feature, with weight λ^{k/2}.
///
/// # Domain
/// The eigenvalues of A_× are at most Δ(x)·Δ(y), the product of the maximum degrees, so the sum
/// converges if λ·Δ² < 1, where Δ is the maximum degree in the collection; [`RandomWalk::limit`] is
/// 1/Δ². [`check`](Kernel::check) rejects a larger λ. Graphs of two collections that both pass can
/// also be compared. Without that check, [`eval`](Kernel::eval) is NaN where λ·Δ(x)·Δ(y) ≥ 1.
/// `check` also rejects graphs with more than 4096 nodes: two of them would have more than 2²⁴
/// pairs of nodes, half a gigabyte.
///
/// # Numerics
/// Conjugate gradients. After k steps the partial value Σ_{j<k} α_j‖r_j‖² has an error of at most
/// ‖r_k‖²/(1 − λΔ(x)Δ(y)), a bound of the squared energy norm of the error (Golub & Meurant 2010).
/// The iteration stops when this is below one unit round-off of the value. If ten steps per node of
/// the product graph do not suffice, the value is NaN, which the caller reports as an error.
///
/// # Complexity
/// O(m·n' + n·m') time for each step and n·n' floats of memory, for graphs of n, n' nodes and m, m'
/// edges. With edge labels, O(m·n' + Σ_e n_e·m'_e), where x has edges with label e at n_e nodes and
/// y has m'_e such edges. The number of steps grows as √(1/(1 − λΔ(x)Δ(y))).
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
    /// The kernel in which walks of k steps have weight lambda^k.
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

    /// 1/Δ², the exclusive upper bound of λ on these graphs; ∞ if they have no edges.
    #[must_use]
    pub fn limit<P>(graphs: &P) -> f64
    where
        P: Points + ?Sized,
        P::Item: Borrow<Graph>,
    {
        1.0 / largest_degree(graphs).powi(2)
    }

    /// ∂K(x, y)/∂ln λ = λ·uᵀA_×u, with u = (I − λA_×)⁻¹1.
    pub(crate) fn slope(&self, x: &Graph, y: &Graph) -> f64 {
        let contraction = self.contraction(x.max_degree() as f64, y.max_degree() as f64);
        if contraction >= 1.0 {
            return f64::NAN;
        }
        ProductGraph::of_equal_labels(x, y).slopes(self.lambda(), 1.0 - contraction).1
    }

    /// λΔ(x)Δ(y), the ratio by which the series contracts. Degrees are multiplied first, so that
    /// the value is monotone in them and the check of each collection covers their pairs.
    fn contraction(&self, x: f64, y: f64) -> f64 {
        self.lambda() * (x * y)
    }
}

fn largest_degree<P>(graphs: &P) -> f64
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
        // In a fixed order, so that the kernel is symmetric to the last bit.
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
        let degree = largest_degree(points);
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

/// The geometric random-walk kernel on graphs with attributes: common walks, weighted by the
/// similarity of the attributes along them.
///
/// # Definition
/// K(x, y) = Σ_{k≥0} λ^k Σ Π_{t=0}^{k} κ(a_t, a'_t), λ > 0. The second sum is over all pairs of
/// walks of k steps, one in x and one in y, with equal sequences of node and edge labels; a_t and
/// a'_t are the attributes of their nodes after t steps. With D = diag(κ(a_i, a'_j)) on the pairs
/// of nodes with equal labels, and A_× as in [`RandomWalk`](super::RandomWalk), K(x, y) = 1ᵀD^½(I −
/// λD^½A_×D^½)⁻¹D^½1 = 1ᵀ(D⁻¹ − λA_×)⁻¹1.
///
/// κ is a Mercer kernel on vectors, such as [`Rbf`](crate::kernels::Rbf), with non-negative values
/// where labels are equal. Then K is Mercer: for each k it is a convolution of products of Mercer
/// kernels. With κ = 1 it is [`RandomWalk`](super::RandomWalk).
///
/// # Domain
/// The eigenvalues of D^½A_×D^½ are at most s(x)·s(y), s = Δ·√max κ(a_i, a_i), with the maximum
/// degree Δ and the largest value of κ on the diagonal, since |κ(a, a')| ≤ √(κ(a, a)·κ(a', a')).
/// The sum therefore converges if λ·Δ²·max κ < 1 on the collection:
/// [`AttributedRandomWalk::limit`]. [`check`](Kernel::check) rejects a larger λ, attributes of
/// different dimensions or outside the domain of κ, and graphs with more than 4096 nodes. Without
/// that check, [`eval`](Kernel::eval) is NaN where the bound fails. It is also NaN, which the
/// caller reports as an error, where κ is negative.
///
/// # Numerics
/// As for [`RandomWalk`](super::RandomWalk): conjugate gradients, preconditioned by D, to one unit
/// round-off.
///
/// # Complexity
/// n·n' values of κ, then as for [`RandomWalk`](super::RandomWalk).
///
/// # References
/// Borgwardt, Ong, Schönauer, Vishwanathan, Smola & Kriegel (2005), *Protein function prediction
/// via graph kernels*, for walks with kernels on their nodes; Vishwanathan, Schraudolph, Kondor &
/// Borgwardt (2010), *Graph kernels*, for the linear system.
///
/// # Examples
/// ```
/// use kern_core::{Kernel, Samples};
/// use kern_core::kernels::{AttributedGraph, AttributedRandomWalk, Graph, Rbf};
/// let edge = |a: f64, b: f64| {
///     AttributedGraph::new(Graph::new(vec![0, 0], &[(0, 1)])?, Samples::from_rows(&[[a], [b]])?)
/// };
/// let k = AttributedRandomWalk::new(0.25, Rbf::new(1.0)?)?;
/// let value = Kernel::<Vec<AttributedGraph>>::eval(&k, &edge(0.0, 0.0)?, &edge(1.0, 1.0)?);
/// // Walks of k steps have four times κ^(k + 1), κ = 1/e.
/// let kappa = (-1.0_f64).exp();
/// assert!((value - 4.0 * kappa / (1.0 - 0.25 * kappa)).abs() < 1e-14);
/// assert_eq!(k.to_string(), "attributed_random_walk(lambda=0.25, rbf(gamma=1))");
/// # Ok::<(), kern_core::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct AttributedRandomWalk<K> {
    lambda: Positive,
    kernel: K,
}

crate::impl_kernel_ops!([K] AttributedRandomWalk<K>;);

crate::named! {
    [K: crate::Named] AttributedRandomWalk<K> = "attributed_random_walk", of K;
}

impl<K> AttributedRandomWalk<K> {
    /// The kernel in which walks of k steps have weight lambda^k; `kernel` compares attributes.
    ///
    /// # Errors
    /// [`Error::Parameter`] unless `lambda` is finite and > 0.
    pub fn new(lambda: f64, kernel: K) -> Result<Self, Error> {
        Ok(Self { lambda: Positive::new("lambda", lambda)?, kernel })
    }

    /// λ.
    #[must_use]
    pub fn lambda(&self) -> f64 {
        self.lambda.get()
    }

    /// The kernel κ.
    pub fn kernel(&self) -> &K {
        &self.kernel
    }

    /// 1/(Δ²·max κ), the exclusive upper bound of λ on these graphs; ∞ if they have no edges.
    pub fn limit<P>(kernel: &K, graphs: &P) -> f64
    where
        P: Points + ?Sized,
        P::Item: Borrow<AttributedGraph>,
        K: Mercer<Samples<f64>>,
    {
        1.0 / largest_share(kernel, graphs).powi(2)
    }

    fn own(&self) -> Parameter {
        Parameter::new("lambda", &self.lambda, Domain::positive())
    }
}

/// Δ·√max κ of a graph: the norm of D^½A_×D^½ is at most the product of these values of the two
/// graphs.
fn share<K: Mercer<Samples<f64>>>(kernel: &K, x: &AttributedGraph) -> f64 {
    let attributes = x.attributes();
    let values = (0..attributes.len()).map(|i| kernel.diag(attributes, i));
    // NaN propagates.
    let largest = values.fold(0.0, |most: f64, v| if v <= most { most } else { v });
    x.graph().max_degree() as f64 * largest.sqrt()
}

fn largest_share<P, K>(kernel: &K, graphs: &P) -> f64
where
    P: Points + ?Sized,
    P::Item: Borrow<AttributedGraph>,
    K: Mercer<Samples<f64>>,
{
    let shares = (0..graphs.len()).map(|i| share(kernel, graphs.item(i).borrow()));
    shares.fold(0.0, |most: f64, v| if v <= most { most } else { v })
}

impl<K: Mercer<Samples<f64>>> AttributedRandomWalk<K> {
    /// λ·s(x)·s(y). Monotone in both, so that the check of each collection covers their pairs.
    fn contraction(&self, x: f64, y: f64) -> f64 {
        self.lambda() * (x * y)
    }

    /// The product graph, and a lower bound of the eigenvalues of I − λD^½A_×D^½; None where K is
    /// undefined.
    fn product(
        &self,
        x: &AttributedGraph,
        y: &AttributedGraph,
    ) -> Option<(ProductGraph<f64>, f64)> {
        let (a, b) = (x.attributes(), y.attributes());
        let contraction = self.contraction(share(&self.kernel, x), share(&self.kernel, y));
        if a.dim() != b.dim() || contraction.is_nan() || contraction >= 1.0 {
            return None;
        }
        let mut values = Mat::zeros(a.len(), b.len());
        let tile = Tile::new(a, 0..a.len(), b, 0..b.len());
        self.kernel.block(&tile, values.as_mut(), &mut Scratch::new());
        let mut weights = Vec::with_capacity(a.len() * b.len());
        for (i, label) in x.graph().labels().iter().enumerate() {
            for (j, other) in y.graph().labels().iter().enumerate() {
                let value = if label == other { values[(i, j)] } else { 0.0 };
                if value.is_nan() || value < 0.0 {
                    return None;
                }
                // The weight 0 is reserved for pairs with different labels.
                weights.push(if label == other { value.max(f64::MIN_POSITIVE) } else { 0.0 });
            }
        }
        Some((ProductGraph::new(x.graph(), y.graph(), weights), 1.0 - contraction))
    }

    /// ∂K(x, y)/∂κ(a_i, a'_j) and ∂K(x, y)/∂ln λ; None where K is undefined.
    pub(crate) fn slopes(
        &self,
        x: &AttributedGraph,
        y: &AttributedGraph,
    ) -> Option<(Mat<f64>, f64)> {
        let (product, gap) = self.product(x, y)?;
        let (walks, slope) = product.slopes(self.lambda(), gap);
        let (height, width) = (x.graph().node_count(), y.graph().node_count());
        let of_pair = |i: usize, j: usize| match product.weights()[i * width + j] {
            0.0 => 0.0,
            _ => (1.0 + walks[i * width + j]).powi(2),
        };
        Some((Mat::from_fn(height, width, of_pair), slope))
    }
}

impl<P, K> Kernel<P> for AttributedRandomWalk<K>
where
    P: Points<Scalar = f64> + ?Sized,
    P::Item: Borrow<AttributedGraph>,
    K: Mercer<Samples<f64>>,
{
    fn eval(&self, x: &P::Item, y: &P::Item) -> f64 {
        let (x, y): (&AttributedGraph, &AttributedGraph) = (x.borrow(), y.borrow());
        // In a fixed order, so that the kernel is symmetric to the last bit.
        let (x, y) = if x.order(y).is_le() { (x, y) } else { (y, x) };
        let value = |(product, gap): (ProductGraph<f64>, f64)| {
            product.geometric_sum(self.lambda(), gap, None)
        };
        self.product(x, y).map_or(f64::NAN, value)
    }

    fn check(&self, points: &P) -> Result<(), Error> {
        let graph = |i| Borrow::<AttributedGraph>::borrow(points.item(i));
        let attributes = |i| graph(i).attributes();
        check_nodes((0..points.len()).map(|i| graph(i).graph()))?;
        for i in 0..points.len() {
            check_dim(attributes(0).dim(), attributes(i).dim())?;
            self.kernel.check(attributes(i))?;
        }
        let share = largest_share(&self.kernel, points);
        if self.contraction(share, share) < 1.0 {
            return Ok(());
        }
        let allowed = "less than 1/(Δ²·max κ) for the greatest degree Δ of the graphs and the greatest value κ of a node \
                       with itself, AttributedRandomWalk::limit";
        Err(Error::Parameter { name: "lambda", given: self.lambda(), allowed })
    }
}

impl<P, K> Mercer<P> for AttributedRandomWalk<K>
where
    P: Points<Scalar = f64> + ?Sized,
    P::Item: Borrow<AttributedGraph>,
    K: Mercer<Samples<f64>>,
{
}

impl<K: Parameters> Parameters for AttributedRandomWalk<K> {
    fn parameters(&self) -> Vec<Parameter> {
        with_inner(self.own(), self.kernel.parameters())
    }

    fn set_parameter(&mut self, name: &str, value: &Setting) -> Result<(), Error> {
        let own = self.own();
        if name != own.name {
            return set_with_inner(own, &mut self.kernel, name, value);
        }
        if let Some(accepted) = own.domain.accept(name, value)?.as_f64() {
            self.lambda = Positive::new("lambda", accepted)?;
        }
        Ok(())
    }
}

impl<K: fmt::Display> fmt::Display for AttributedRandomWalk<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "attributed_random_walk(lambda={}, {})", self.lambda, self.kernel)
    }
}

/// Rejects graphs with more than [`NODES`] nodes.
fn check_nodes<'a>(graphs: impl Iterator<Item = &'a Graph>) -> Result<(), Error> {
    let most = graphs.map(Graph::node_count).max().unwrap_or(0);
    if most > NODES {
        let (given, limit) = (most as u64, NODES as u64);
        return Err(Error::TooMany { what: "nodes of a graph", given, limit });
    }
    Ok(())
}
