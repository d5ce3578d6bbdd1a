//! Direct product graphs, and geometric sums over their walks.

use super::Graph;
use crate::Scalar;

/// The weight of a pair of nodes: 0 where their labels differ.
pub(super) trait Weight: Copy + PartialEq {
    /// The weight of pairs with different labels.
    const ZERO: Self;

    /// The weight as a float.
    fn get(self) -> f64;

    /// The entrywise product of the weights and a vector on the pairs. The result may use the
    /// buffer.
    fn times<'a>(weights: &[Self], v: &'a [f64], buffer: &'a mut Vec<f64>) -> &'a [f64];
}

/// 1 or 0.
impl Weight for bool {
    const ZERO: Self = false;

    fn get(self) -> f64 {
        f64::from(u8::from(self))
    }

    /// All vectors are already 0 where the weight is 0.
    fn times<'a>(_: &[Self], v: &'a [f64], _: &'a mut Vec<f64>) -> &'a [f64] {
        v
    }
}

impl Weight for f64 {
    const ZERO: Self = 0.0;

    fn get(self) -> f64 {
        self
    }

    fn times<'a>(weights: &[Self], v: &'a [f64], buffer: &'a mut Vec<f64>) -> &'a [f64] {
        buffer.clear();
        buffer.extend(weights.iter().zip(v).map(|(weight, v)| weight * v));
        buffer
    }
}

/// The direct product of two graphs: pairs of nodes with weights D ≥ 0. Pairs with different labels
/// are not nodes of the product; a vector on the pairs is 0 wherever the weight is 0.
pub(super) struct ProductGraph<W> {
    /// The number of nodes of y.
    width: usize,
    /// In row-major order; rows are the nodes of x.
    weights: Vec<W>,
    /// The edges of x and of y with the same label, for each label that occurs in both.
    layers: Vec<(Arcs, Arcs)>,
}

impl ProductGraph<bool> {
    /// The product with weight 1 for pairs with equal labels.
    pub(super) fn of_equal_labels(x: &Graph, y: &Graph) -> Self {
        let row = |a: &'_ u64| {
            let a = *a;
            y.labels().iter().map(move |&b| a == b)
        };
        Self::new(x, y, x.labels().iter().flat_map(row).collect())
    }
}

impl<W: Weight> ProductGraph<W> {
    /// The product with these weights, in row-major order; rows are the nodes of x.
    pub(super) fn new(x: &Graph, y: &Graph, weights: Vec<W>) -> Self {
        let (left, mut right) = (arcs_by_label(x), arcs_by_label(y).into_iter().peekable());
        let mut layers = Vec::new();
        for (label, arcs) in left {
            while right.next_if(|other| other.0 < label).is_some() {}
            if let Some((_, others)) = right.next_if(|other| other.0 == label) {
                layers.push((arcs, others));
            }
        }
        Self { width: y.node_count(), weights, layers }
    }

    /// The weights.
    pub(super) fn weights(&self) -> &[W] {
        &self.weights
    }

    /// 1ᵀ(D⁻¹ − λA_×)⁻¹1 = 1ᵀD^½(I − λD^½A_×D^½)⁻¹D^½1 by conjugate gradients; `gap` > 0 is a lower
    /// bound of the eigenvalues of the matrix in parentheses. `solution`, if given, must start with
    /// zeros and becomes D⁻¹(D⁻¹ − λA_×)⁻¹1.
    ///
    /// Preconditioning by D is equivalent to the roots on both sides and needs no roots: a search
    /// direction Dp has the image p − λA_×Dp.
    pub(super) fn geometric_sum(
        &self,
        lambda: f64,
        gap: f64,
        mut solution: Option<&mut [f64]>,
    ) -> f64 {
        let one = |w: &W| if *w == W::ZERO { 0.0 } else { 1.0 };
        let mut residual: Vec<f64> = self.weights.iter().map(one).collect();
        let mut direction = residual.clone();
        let (mut half, mut image) = (residual.clone(), residual.clone());
        let mut buffer = Vec::new();
        let mut norm = self.dot(&residual, &residual);
        let (mut sum, mut steps) = (0.0, 0);
        while norm > f64::UNIT_ROUNDOFF * gap * sum {
            if steps == 10 * residual.len() {
                return f64::NAN;
            }
            let weighted = W::times(&self.weights, &direction, &mut buffer);
            self.apply(lambda, &direction, weighted, &mut half, &mut image);
            let step = norm / dot(weighted, &image);
            add_scaled(&mut residual, -step, &image);
            if let Some(solution) = &mut solution {
                add_scaled(solution, step, &direction);
            }
            sum += step * norm;
            let next = self.dot(&residual, &residual);
            let turn = next / norm;
            direction.iter_mut().zip(&residual).for_each(|(d, r)| *d = r + turn * *d);
            norm = next;
            steps += 1;
        }
        sum
    }

    /// out = v − λA_×w on the pairs with non-zero weight, where w = Dv.
    fn apply(&self, lambda: f64, v: &[f64], w: &[f64], half: &mut [f64], out: &mut [f64]) {
        self.walk(w, half, out);
        for ((value, &v), weight) in out.iter_mut().zip(v).zip(&self.weights) {
            *value = if *weight == W::ZERO { 0.0 } else { v - lambda * *value };
        }
    }

    /// out = A_×v on the pairs with non-zero weight. With v as a matrix V, A_×v is Σ A·V·A' over
    /// the labels of edges, where A and A' are the adjacency matrices of the edges with that label;
    /// `half` receives A·V.
    fn walk(&self, v: &[f64], half: &mut [f64], out: &mut [f64]) {
        let width = self.width;
        out.fill(0.0);
        for (left, right) in &self.layers {
            for (i, ends) in left.iter() {
                let row = i * width..(i + 1) * width;
                let half = &mut half[row.clone()];
                half.fill(0.0);
                ends.iter().for_each(|&k| add_scaled(half, 1.0, &v[k * width..(k + 1) * width]));
                let (out, weights) = (&mut out[row.clone()], &self.weights[row]);
                for (j, ends) in right.iter() {
                    if weights[j] != W::ZERO {
                        out[j] += ends.iter().map(|&l| half[l]).sum::<f64>();
                    }
                }
            }
        }
    }

    /// For s = (D⁻¹ − λA_×)⁻¹1: λA_×s on the pairs with non-zero weight, and λ·sᵀA_×s, the
    /// derivative of the geometric sum with respect to ln λ. The derivative with respect to the
    /// weight of a pair is the square of 1 + λA_×s there.
    pub(super) fn slopes(&self, lambda: f64, gap: f64) -> (Vec<f64>, f64) {
        let mut solution = vec![0.0; self.weights.len()];
        self.geometric_sum(lambda, gap, Some(&mut solution));
        let mut buffer = Vec::new();
        let weighted = W::times(&self.weights, &solution, &mut buffer);
        let (mut half, mut walks) = (solution.clone(), solution.clone());
        self.walk(weighted, &mut half, &mut walks);
        walks.iter_mut().for_each(|walk| *walk *= lambda);
        let slope = dot(weighted, &walks);
        (walks, slope)
    }

    /// xᵀDy.
    fn dot(&self, x: &[f64], y: &[f64]) -> f64 {
        self.weights.iter().zip(x).zip(y).map(|((weight, x), y)| weight.get() * (x * y)).sum()
    }
}

/// The edges with one label: the nodes that have such edges, and their other ends.
#[derive(Default)]
struct Arcs {
    nodes: Vec<usize>,
    /// Node `nodes[k]` has the ends `starts[k]..starts[k + 1]`.
    starts: Vec<usize>,
    ends: Vec<usize>,
}

impl Arcs {
    /// The nodes with their ends, both in ascending order.
    fn iter(&self) -> impl Iterator<Item = (usize, &[usize])> {
        let ends = self.starts.windows(2).map(|range| &self.ends[range[0]..range[1]]);
        self.nodes.iter().copied().zip(ends)
    }

    /// Appends an edge, whose node must not precede the last one.
    fn push(&mut self, node: usize, end: usize) {
        if self.nodes.last() != Some(&node) {
            self.nodes.push(node);
            self.starts.push(self.ends.len());
        }
        self.ends.push(end);
    }
}

/// The edges of a graph grouped by label, in ascending order of the labels.
fn arcs_by_label(graph: &Graph) -> Vec<(u64, Arcs)> {
    let of = |i: usize| graph.neighbors(i).iter().zip(graph.neighbor_labels(i));
    let all = (0..graph.node_count()).flat_map(|i| of(i).map(move |(&j, &label)| (label, i, j)));
    let mut all: Vec<(u64, usize, usize)> = all.collect();
    // Stable, so edges stay in the order of their nodes; fast if all labels are equal.
    all.sort_by_key(|edge| edge.0);
    let mut layers: Vec<(u64, Arcs)> = Vec::new();
    for edges in all.chunk_by(|a, b| a.0 == b.0) {
        let mut arcs = Arcs::default();
        edges.iter().for_each(|&(_, i, j)| arcs.push(i, j));
        arcs.starts.push(arcs.ends.len());
        layers.extend(edges.first().map(|edge| (edge.0, arcs)));
    }
    layers
}

fn dot(x: &[f64], y: &[f64]) -> f64 {
    x.iter().zip(y).map(|(x, y)| x * y).sum()
}

/// x += c·y.
fn add_scaled(x: &mut [f64], c: f64, y: &[f64]) {
    x.iter_mut().zip(y).for_each(|(x, y)| *x += c * y);
}
