//! A vantage-point tree in the feature space of a kernel.
//!
//! **Definition.** A node holds a range of the points and one of them as its *vantage point* v. The
//! half of the points that is nearer to v goes to one child, the rest to the other. For each child,
//! the node stores an interval that contains all its distances from v. For a query x at distance D
//! from v, the triangle inequality implies that every point of a child with the interval \[l, u\]
//! has a distance of at least max(D − u, l − D) from x. If that is more than the distance of the
//! k-th best so far, the child is skipped.
//!
//! **Metric.** Where the kernel has an order with a metric ([`kern_core::Order::metric`]), such as
//! ‖x − y‖ for the RBF, that is the metric of the tree: in the feature space of a narrow RBF all
//! distances are nearly √2, and no tree could separate near from far. Otherwise it is the RKHS
//! distance, for any Mercer kernel on any points.
//!
//! **Exactness.** All distances are intervals that contain the exact one, from
//! [`Order::metric`](kern_core::Order::metric) and
//! [`Norms::bounds`](super::rkhs_distance::Norms::bounds). A child is skipped if the lower bound of
//! the distance of its points exceeds the *upper* bound of every point whose computed key is at
//! least that of the k-th best. So all points whose computed keys could be among the best are
//! compared, ties included; and keys have the same bits in every tile.
//!
//! **Layout.** The tree is complete: all ranges are halved equally often, so a node is identified
//! by its place in level order. The points are copied leaf by leaf, so that a leaf is a tile.
//!
//! **Building.** Level by level: all nodes of a level share one binding of the kernel.
//!
//! **Search.** Depth first, the nearer child first.

use super::ranking_keys::{Candidate, Pairs};
use super::rkhs_distance::{AnyKernel, Norms};
use super::top_k::BestOfOne;
use crate::Error;
use kern_core::parameters::Domain;
use kern_core::{Points, Scalar, Scratch, part};
use kern_gram::{TILE_EDGE, parallel, tile_ranges};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::ops::Range;

part! {
    /// A search by a vantage-point tree, exact for any Mercer kernel on any points.
    ///
    /// # Definition
    /// Half of the points of a node lie within a ball about one of them, the vantage point, the
    /// others outside; a query skips points that are too far by the triangle inequality. The metric
    /// is the distance that the kernel decreases with, if it has one ([`Neighbor`](super::Neighbor)
    /// lists these kernels), and otherwise the RKHS distance.
    ///
    /// Defaults: leaves of at most 64 points, seed 0.
    ///
    /// # Complexity
    /// The fit takes n·log₂(n/leaf) kernel evaluations, in parallel, and another copy of the
    /// points. A query takes little more than log₂(n/leaf) + leaf evaluations where the data has a
    /// low intrinsic dimension, and more than n where it has a high one: their number, which
    /// [`Search::evaluations`](super::Search::evaluations) counts, grows exponentially with the
    /// dimension. The tree pays if it is less than about n/30. Measured with 20 000 points of a
    /// sheet in R²⁰, an RBF kernel and 2000 queries for 10 neighbours, on two threads: 0.22 s
    /// without a tree, and 0.080, 0.064, 0.049 and 0.061 s with leaves of 16, 32, 64 and 128
    /// points, for 83, 101, 134 and 195 evaluations per query. A query is compared with a leaf as
    /// one column of a tile, so leaves of fewer points than registers hold save nothing. The tree
    /// never pays where nearly all distances are equal, as in the RKHS if the median of d²/K(x, x)
    /// exceeds 1.9: with sums of narrow kernels, and spectrum kernels of long words.
    ///
    /// # Numerics
    /// The neighbours and their scores are those of the search without a tree, to the last bit, if
    /// entries of blocks are local
    /// ([`Points::entries_are_local`](kern_core::Points::entries_are_local)); on sparse samples,
    /// neighbours whose distances are equal up to rounding may be swapped. In the RKHS, the error
    /// of K(x, y) is assumed to be at most 256 round-offs of the largest K(x, x), as it is for the
    /// kernels of this library; with a kernel that is not positive semi-definite, neighbours may be
    /// missed. A kernel value that is not finite is detected only if it is computed.
    ///
    /// # References
    /// Yianilos (1993), *Data Structures and Algorithms for Nearest Neighbor Search in General
    /// Metric Spaces*; Uhlmann (1991), *Satisfying General Proximity/Similarity Queries with Metric
    /// Trees*.
    ///
    /// # Examples
    /// ```
    /// use kern_core::{Samples, kernels::Rbf};
    /// use kern_solvers::knn::{KNearest, VantageTree};
    /// // A curve in the plane.
    /// let rows: Vec<[f64; 2]> = (0..4000).map(|i| f64::from(i) / 600.0).map(|t| [t.cos(), t.sin() * t]).collect();
    /// let x = Samples::from_rows(&rows)?;
    /// let params = KNearest::by_distance(Rbf::new(1e3)?).search(VantageTree::new().leaf(16));
    /// let model = params.fit(&x, &vec![0.0; 4000])?;
    /// let evaluations = model.search().evaluations(&x)?;
    /// assert!(evaluations.iter().sum::<usize>() / 4000 < 150);
    /// # Ok::<(), kern_solvers::Error>(())
    /// ```
    #[doc(alias = "vp-tree")]
    #[doc(alias = "vantage-point tree")]
    #[derive(Copy, Eq)]
    pub struct VantageTree {
        /// The largest number of points of a leaf, at least 2.
        leaf: usize = 64, Domain::count(2);
        /// The seed of the choice of vantage points. It has no influence on the result.
        seed: u64 = 0;
    }
}

impl VantageTree {
    pub(super) fn check(self) -> Result<(), Error> {
        match self.leaf {
            given @ (0 | 1) => Err(Error::Count { name: "leaf", given, allowed: "at least 2" }),
            _ => Ok(()),
        }
    }
}

/// The tree of some points.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Tree<P> {
    /// The points, leaf by leaf.
    points: P,
    /// The original index of each of these points.
    order: Vec<usize>,
    /// Level by level, from the root; below the last level are the leaves.
    nodes: Vec<Node>,
    /// True if distances are those of the kernel's own metric, instead of the RKHS distance.
    has_metric: bool,
}

#[derive(Clone, Copy, Debug, PartialEq)]
struct Node {
    /// The place of the vantage point among the points of the tree.
    vantage: usize,
    /// Bounds of the distances from the vantage point of all points of the two children.
    children: [[f64; 2]; 2],
}

/// The result of a query.
#[derive(Debug)]
pub(super) struct Found<T> {
    pub(super) candidates: Vec<Candidate<T>>,
    /// The number of points that the query was compared with, vantage points included.
    pub(super) evaluations: usize,
}

impl<P: Points> Tree<P> {
    pub(super) fn new(
        kernel: &AnyKernel<'_, P>,
        points: &P,
        norms: &Norms<P::Scalar>,
        params: VantageTree,
    ) -> Result<Self, Error> {
        let mut builder = Builder {
            kernel,
            points,
            norms,
            rng: ChaCha8Rng::seed_from_u64(params.seed),
            order: (0..points.len()).collect(),
        };
        let mut nodes = Vec::new();
        let mut ranges = tile_ranges(points.len(), points.len());
        // The first range is the longest, by at most one point: if it has three, the others have at
        // least two.
        while ranges[0].len() > params.leaf {
            nodes.extend(builder.level(&ranges)?);
            ranges = ranges.iter().flat_map(halves).collect();
        }
        let order = builder.order;
        let mut places = vec![0; order.len()];
        order.iter().enumerate().for_each(|(place, &index)| places[index] = place);
        nodes.iter_mut().for_each(|node| node.vantage = places[node.vantage]);
        let has_metric = Pairs::new(kernel, points, points, norms).has_metric();
        Ok(Self { points: points.keep(&order)?, order, nodes, has_metric })
    }
}

struct Builder<'a, P: Points> {
    kernel: &'a AnyKernel<'a, P>,
    points: &'a P,
    norms: &'a Norms<P::Scalar>,
    rng: ChaCha8Rng,
    /// The points in the order of the tree so far.
    order: Vec<usize>,
}

impl<P: Points> Builder<'_, P> {
    /// The nodes of these ranges, whose vantage points are original indices; sorts each range into
    /// its two halves.
    fn level(&mut self, ranges: &[Range<usize>]) -> Result<Vec<Node>, Error> {
        let vantages: Vec<usize> =
            ranges.iter().map(|range| self.order[self.rng.random_range(range.clone())]).collect();
        let vantage_points = self.points.select(&vantages)?;
        let ordered = self.points.select(&self.order)?;
        let pairs = Pairs::one_by_one(self.kernel, &vantage_points, &ordered, self.norms);
        let tasks = ranges.iter().enumerate().flat_map(|(node, range)| {
            let tiles = tile_ranges(range.len(), TILE_EDGE).into_iter();
            tiles.map(move |tile| (node, range.start + tile.start..range.start + tile.end))
        });
        let compare = |scratch: &mut Scratch<_>, (node, tile): (usize, Range<usize>)| {
            let mut values = scratch.take(tile.len());
            pairs.compare(node, tile.clone(), &mut values, scratch);
            let found: Result<Vec<_>, _> = self.order[tile]
                .iter()
                .zip(&values)
                .map(|(&index, &value)| pairs.candidate(vantages[node], index, value))
                .collect();
            scratch.give(values);
            found
        };
        let compared = parallel::map_init(tasks.collect(), Scratch::new, compare);
        let mut compared: Vec<Candidate<_>> =
            compared.into_iter().collect::<Result<Vec<_>, _>>()?.concat();
        let mut rest = compared.as_mut_slice();
        let mut tasks = Vec::with_capacity(ranges.len());
        for (node, range) in ranges.iter().enumerate() {
            let (part, others) = rest.split_at_mut(range.len());
            rest = others;
            tasks.push((node, part));
        }
        let nodes = parallel::map_init(tasks, Scratch::new, |scratch, (node, part)| {
            part.sort_unstable();
            let own = pairs.own(node);
            let mut bounds = |half: Range<usize>| {
                let [smallest, _] = pairs.bounds(own, part[half.start].key, scratch);
                let [_, most] = pairs.bounds(own, part[half.end - 1].key, scratch);
                [smallest, most]
            };
            Node { vantage: vantages[node], children: halves(&(0..part.len())).map(&mut bounds) }
        });
        self.order = compared.iter().map(|candidate| candidate.index).collect();
        Ok(nodes)
    }
}

impl<P: Points> Tree<P> {
    /// The points, leaf by leaf.
    pub(super) fn points(&self) -> &P {
        &self.points
    }

    /// True if distances are those of the kernel's own metric, instead of the RKHS distance.
    pub(super) fn has_metric(&self) -> bool {
        self.has_metric
    }

    /// The k nearest points of a query among those with a key that exceeds `limit`. `pairs` binds
    /// the queries and the points of the tree.
    pub(super) fn search(
        &self,
        pairs: &Pairs<'_, P>,
        query: usize,
        k: usize,
        limit: P::Scalar,
        scratch: &mut Scratch<P::Scalar>,
    ) -> Result<Found<P::Scalar>, Error> {
        let own = pairs.own(query);
        let mut nearest = BestOfOne::new(k, limit);
        let mut radius = pairs.bounds(own, limit, scratch)[1];
        let mut evaluations = 0;
        let mut stack = vec![Part { node: 0, range: 0..self.order.len(), smallest: 0.0 }];
        while let Some(part) = stack.pop() {
            if part.smallest > radius {
                continue;
            }
            if let Some(node) = self.nodes.get(part.node) {
                evaluations += 1;
                let vantage = node.vantage..node.vantage + 1;
                self.compare(pairs, query, vantage, scratch, |candidate, scratch| {
                    let distance = pairs.bounds(own, candidate.key, scratch);
                    stack.extend(self.children(&part, distance));
                })?;
            } else {
                evaluations += part.range.len();
                self.compare(pairs, query, part.range, scratch, |found, _| nearest.offer(found))?;
                radius = pairs.bounds(own, nearest.limit(), scratch)[1];
            }
        }
        Ok(Found { candidates: nearest.into_sorted(), evaluations })
    }

    /// Compares the points of a range with the query, and calls `f` with each of them.
    fn compare(
        &self,
        pairs: &Pairs<'_, P>,
        query: usize,
        range: Range<usize>,
        scratch: &mut Scratch<P::Scalar>,
        mut f: impl FnMut(Candidate<P::Scalar>, &mut Scratch<P::Scalar>),
    ) -> Result<(), Error> {
        let mut values = scratch.take(range.len());
        pairs.compare(query, range.clone(), &mut values, scratch);
        for (&index, &value) in self.order[range].iter().zip(&values) {
            f(pairs.candidate(query, index, value)?, scratch);
        }
        scratch.give(values);
        Ok(())
    }

    /// The children of a node for a query whose distance from the vantage point lies in an
    /// interval, the nearer one last.
    fn children(&self, part: &Part, [smallest, most]: [f64; 2]) -> [Part; 2] {
        let gaps =
            self.nodes[part.node].children.map(|[near, far]| (smallest - far).max(near - most));
        let [inner, outer] = halves(&part.range);
        // Differences are rounded: to the safe side.
        let safe = 1.0 - 2.0 * f64::UNIT_ROUNDOFF;
        let child = |which: usize, range| Part {
            node: 2 * part.node + 1 + which,
            range,
            smallest: part.smallest.max(gaps[which] * safe),
        };
        let (inner, outer) = (child(0, inner), child(1, outer));
        // Of two that may hold the query, it lies deeper in the one of the smaller gap.
        if gaps[0] <= gaps[1] { [outer, inner] } else { [inner, outer] }
    }
}

/// Part of the tree that is still to be searched.
struct Part {
    /// Its place in level order; beyond the nodes it is a leaf.
    node: usize,
    range: Range<usize>,
    /// A lower bound of the distance of its points.
    smallest: f64,
}

/// The two halves of the points of a node.
fn halves(range: &Range<usize>) -> [Range<usize>; 2] {
    let middle = range.start + range.len().div_ceil(2);
    [range.start..middle, middle..range.end]
}
