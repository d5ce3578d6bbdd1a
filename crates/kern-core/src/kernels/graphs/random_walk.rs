//! The geometric random-walk kernel.

use super::Graph;
use crate::kernels::declaration::declared;
use crate::parameters::Domain;
use crate::{Error, Kernel, Mercer, Points, Positive, Scalar};
use serde::{Deserialize, Serialize};
use std::borrow::Borrow;

/// The greatest number of nodes of a graph.
const NODES: usize = 1 << 12;

/// The geometric random-walk kernel: walks of all lengths that read the same labels.
///
/// # Definition
/// K(x, y) = Σ_{k≥0} λ^k·w_k, λ > 0, where w_k counts the pairs of walks of k steps, one in x and
/// one in y, with equal sequences of labels: w_k = 1ᵀA_×^k 1 for the adjacency matrix A_× of the
/// product graph, whose nodes are the pairs of nodes with equal labels. So
/// K(x, y) = 1ᵀ(I − λA_×)⁻¹1. It is Mercer: one feature λ^{k/2} for each walk of k steps, by labels.
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
/// O(m·n' + n·m') for each step, n·n' numbers, for graphs of n, n' nodes and m, m' edges. The
/// number of steps grows as the root of 1/(1 − λΔ(x)Δ(y)).
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
        let product = ProductGraph::new(x, y);
        let mut u = vec![0.0; product.matched.len()];
        product.geometric_sum(self.lambda(), 1.0 - contraction, Some(&mut u));
        let (mut half, mut left) = (u.clone(), u.clone());
        product.apply(self.lambda(), &u, &mut half, &mut left);
        u.iter().zip(left).map(|(u, left)| u * (u - left)).sum()
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
            ProductGraph::new(x, y).geometric_sum(self.lambda(), 1.0 - contraction, None)
        } else {
            f64::NAN
        }
    }

    fn check(&self, points: &P) -> Result<(), Error> {
        let nodes = |i| Borrow::<Graph>::borrow(points.item(i)).node_count();
        let most = (0..points.len()).map(nodes).max().unwrap_or(0);
        if most > NODES {
            let (given, limit) = (most as u64, NODES as u64);
            return Err(Error::TooMany { what: "nodes of a graph", given, limit });
        }
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

/// The pairs of nodes of two graphs. Those with different labels are not nodes of the product; a
/// vector on the pairs is zero there.
struct ProductGraph<'a> {
    x: &'a Graph,
    y: &'a Graph,
    /// The equality of labels, row by row of x.
    matched: Vec<bool>,
}

impl<'a> ProductGraph<'a> {
    fn new(x: &'a Graph, y: &'a Graph) -> Self {
        let row = |a: &'a u64| y.labels().iter().map(move |b| a == b);
        Self { x, y, matched: x.labels().iter().flat_map(row).collect() }
    }

    /// 1ᵀ(I − λA_×)⁻¹1 by conjugate gradients; `gap` > 0 is a lower bound of the eigenvalues. A solution that is asked for,
    /// which starts with zeros, becomes (I − λA_×)⁻¹1.
    fn geometric_sum(&self, lambda: f64, gap: f64, mut solution: Option<&mut [f64]>) -> f64 {
        let mut residual: Vec<f64> = self.matched.iter().map(|&m| f64::from(u8::from(m))).collect();
        let mut direction = residual.clone();
        let (mut half, mut image) = (residual.clone(), residual.clone());
        let mut norm = dot(&residual, &residual);
        let (mut sum, mut steps) = (0.0, 0);
        while norm > f64::UNIT_ROUNDOFF * gap * sum {
            if steps == 10 * residual.len() {
                return f64::NAN;
            }
            self.apply(lambda, &direction, &mut half, &mut image);
            let step = norm / dot(&direction, &image);
            add_scaled(&mut residual, -step, &image);
            if let Some(solution) = &mut solution {
                add_scaled(solution, step, &direction);
            }
            sum += step * norm;
            let next = dot(&residual, &residual);
            let turn = next / norm;
            direction.iter_mut().zip(&residual).for_each(|(d, r)| *d = r + turn * *d);
            norm = next;
            steps += 1;
        }
        sum
    }

    /// out = v − λA_×v. With v as a matrix V, A_×v is A·V·A' at the pairs with equal labels; `half`
    /// receives A·V.
    fn apply(&self, lambda: f64, v: &[f64], half: &mut [f64], out: &mut [f64]) {
        let width = self.y.node_count();
        half.fill(0.0);
        for (i, sum) in half.chunks_exact_mut(width.max(1)).enumerate() {
            for &k in self.x.neighbors(i) {
                add_scaled(sum, 1.0, &v[k * width..(k + 1) * width]);
            }
        }
        for (at, value) in out.iter_mut().enumerate() {
            if self.matched[at] {
                let row = at - at % width;
                let walks: f64 = self.y.neighbors(at % width).iter().map(|&l| half[row + l]).sum();
                *value = v[at] - lambda * walks;
            } else {
                *value = 0.0;
            }
        }
    }
}

fn dot(x: &[f64], y: &[f64]) -> f64 {
    x.iter().zip(y).map(|(x, y)| x * y).sum()
}

/// x += c·y.
fn add_scaled(x: &mut [f64], c: f64, y: &[f64]) {
    x.iter_mut().zip(y).for_each(|(x, y)| *x += c * y);
}
