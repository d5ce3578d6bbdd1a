//! Building the tree, level by level: all nodes of a level share one binding of the kernel.

use super::super::norms::Norms;
use super::super::pairs::{AnyKernel, Candidate, Pairs};
use super::{Node, Tree, VantageTree, halves};
use crate::Error;
use kern_core::{Points, Scratch};
use kern_gram::{TILE_EDGE, parallel, tile_ranges};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::ops::Range;

impl<P: Points> Tree<P> {
    pub(in super::super) fn new(
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
        // The first range is the longest, by one point at most: of three there are two at least in the others.
        while ranges[0].len() > params.leaf {
            nodes.extend(builder.level(&ranges)?);
            ranges = ranges.iter().flat_map(halves).collect();
        }
        let order = builder.order;
        let mut places = vec![0; order.len()];
        order.iter().enumerate().for_each(|(place, &index)| places[index] = place);
        nodes.iter_mut().for_each(|node| node.vantage = places[node.vantage]);
        let has_metric = Pairs::new(kernel, (points, points), norms).has_metric();
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
    /// The nodes of these ranges, of which the vantage points are named by their indices; halves the ranges.
    fn level(&mut self, ranges: &[Range<usize>]) -> Result<Vec<Node>, Error> {
        let vantages: Vec<usize> =
            ranges.iter().map(|range| self.order[self.rng.random_range(range.clone())]).collect();
        let vantage_points = self.points.select(&vantages)?;
        let ordered = self.points.select(&self.order)?;
        let pairs = Pairs::one_by_one(self.kernel, (&vantage_points, &ordered), self.norms);
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
                let [least, _] = pairs.bounds(own, part[half.start].key, scratch);
                let [_, most] = pairs.bounds(own, part[half.end - 1].key, scratch);
                [least, most]
            };
            Node { vantage: vantages[node], children: halves(&(0..part.len())).map(&mut bounds) }
        });
        self.order = compared.iter().map(|candidate| candidate.index).collect();
        Ok(nodes)
    }
}
