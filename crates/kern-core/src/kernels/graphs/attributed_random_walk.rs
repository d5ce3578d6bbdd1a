//! The geometric random-walk kernel with a kernel on attributes.

use super::AttributedGraph;
use super::product::ProductGraph;
use super::random_walk::check_nodes;
use crate::parameters::{Domain, Parameter, Parameters, Setting, beside, set_beside};
use crate::points::check_dim;
use crate::{Error, Kernel, Mercer, Points, Positive, Samples, Scratch, Tile};
use faer::Mat;
use serde::{Deserialize, Serialize};
use std::borrow::Borrow;
use std::fmt;

/// The geometric random-walk kernel on graphs with attributes: walks that read the same labels, weighted by how
/// similar the attributes on their way are.
///
/// # Definition
/// K(x, y) = Σ_{k≥0} λ^k Σ Π_{t=0}^{k} κ(a_t, a'_t), λ > 0. The second sum is over all pairs of walks of k steps, one in x and one in y,
/// with equal sequences of labels of nodes and edges; a_t and a'_t are the attributes of their nodes after t steps. With
/// D = diag(κ(a_i, a'_j)) on the pairs of nodes with equal labels, and A_× as in [`RandomWalk`](super::RandomWalk),
/// K(x, y) = 1ᵀD^½(I − λD^½A_×D^½)⁻¹D^½1 = 1ᵀ(D⁻¹ − λA_×)⁻¹1.
///
/// κ is a Mercer kernel on vectors, with values ≥ 0 where labels are equal, such as [`Rbf`](crate::kernels::Rbf). Then K is Mercer: for
/// each k a convolution of products of Mercer kernels. With κ = 1 it is [`RandomWalk`](super::RandomWalk).
///
/// # Domain
/// The eigenvalues of D^½A_×D^½ are at most s(x)·s(y), s = Δ·√max κ(a_i, a_i), with the greatest degree Δ and the greatest
/// value of κ on the diagonal, as |κ(a, a')| ≤ √(κ(a, a)·κ(a', a')). So the sum converges if λ·Δ²·max κ < 1 on the
/// collection: [`AttributedRandomWalk::limit`]. [`check`](Kernel::check) refuses a greater λ, attributes of different
/// dimensions, or outside the domain of κ, and graphs of more than 4096 nodes. Without that check, [`eval`](Kernel::eval) is NaN where the bound
/// fails. It is NaN, too, and so an error of the caller, where κ has a negative value.
///
/// # Numerics
/// As [`RandomWalk`](super::RandomWalk), by conjugate gradients preconditioned with D, to one unit round-off.
///
/// # Complexity
/// n·n' values of κ, then as [`RandomWalk`](super::RandomWalk).
///
/// # References
/// Borgwardt, Ong, Schönauer, Vishwanathan, Smola & Kriegel (2005), *Protein function prediction via graph kernels*, for walks with kernels on
/// their nodes; Vishwanathan, Schraudolph, Kondor & Borgwardt (2010), *Graph kernels*, for the linear system.
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

impl<K> AttributedRandomWalk<K> {
    /// Walks of k steps have the weight lambda^k; `kernel` is the one on attributes.
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

    /// 1/(Δ²·max κ), below which λ must lie on these graphs; ∞ if they have no edges.
    pub fn limit<P>(kernel: &K, graphs: &P) -> f64
    where
        P: Points + ?Sized,
        P::Item: Borrow<AttributedGraph>,
        K: Mercer<Samples<f64>>,
    {
        1.0 / greatest_share(kernel, graphs).powi(2)
    }

    fn own(&self) -> Parameter {
        Parameter::new("lambda", &self.lambda, Domain::positive())
    }
}

/// Δ·√max κ of a graph: the norm of D^½A_×D^½ is at most the product of those of the two.
fn share<K: Mercer<Samples<f64>>>(kernel: &K, x: &AttributedGraph) -> f64 {
    let attributes = x.attributes();
    let values = (0..attributes.len()).map(|i| kernel.diag(attributes, i));
    // NaN stays.
    let greatest = values.fold(0.0, |most: f64, v| if v <= most { most } else { v });
    x.graph().max_degree() as f64 * greatest.sqrt()
}

fn greatest_share<P, K>(kernel: &K, graphs: &P) -> f64
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

    /// The product graph and a lower bound of the eigenvalues of I − λD^½A_×D^½; None where K has no value.
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
                // A weight of 0 says that labels differ.
                weights.push(if label == other { value.max(f64::MIN_POSITIVE) } else { 0.0 });
            }
        }
        Some((ProductGraph::new((x.graph(), y.graph()), weights), 1.0 - contraction))
    }

    /// ∂K(x, y)/∂κ(a_i, a'_j), and ∂K(x, y)/∂ln λ; None where K has no value.
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
        // In one order, so that the kernel is symmetric to the last bit.
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
        let share = greatest_share(&self.kernel, points);
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
        beside(self.own(), self.kernel.parameters())
    }

    fn set_parameter(&mut self, name: &str, value: &Setting) -> Result<(), Error> {
        let own = self.own();
        if name != own.name {
            return set_beside(own, &mut self.kernel, name, value);
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
