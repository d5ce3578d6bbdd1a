//! Searching the tree: depth first, the nearer child first.

use super::super::best::BestOfOne;
use super::super::pairs::{Candidate, Pairs};
use super::{Found, Tree, halves};
use crate::Error;
use kern_core::{Points, Scalar, Scratch};
use std::ops::Range;

impl<P: Points> Tree<P> {
    /// The points, leaf after leaf.
    pub(in super::super) fn points(&self) -> &P {
        &self.points
    }

    /// Tells whether distances are those of a metric other than the feature space's.
    pub(in super::super) fn has_metric(&self) -> bool {
        self.has_metric
    }

    /// The k nearest points of a query, of those with a key that exceeds `limit`. `pairs` are those of the queries and
    /// the points of the tree.
    pub(in super::super) fn search(
        &self,
        pairs: &Pairs<'_, P>,
        query: usize,
        (k, limit): (usize, P::Scalar),
        scratch: &mut Scratch<P::Scalar>,
    ) -> Result<Found<P::Scalar>, Error> {
        let own = pairs.own(query);
        let mut nearest = BestOfOne::new(k, limit);
        let mut radius = pairs.bounds(own, limit, scratch)[1];
        let mut evaluations = 0;
        let mut stack = vec![Part { node: 0, range: 0..self.order.len(), least: 0.0 }];
        while let Some(part) = stack.pop() {
            if part.least > radius {
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

    /// `f` of each point of a range, compared with the query.
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

    /// The children of a node for a query whose distance from the vantage point lies in an interval, the nearer one last.
    fn children(&self, part: &Part, [least, most]: [f64; 2]) -> [Part; 2] {
        let gaps = self.nodes[part.node].children.map(|[near, far]| (least - far).max(near - most));
        let [inner, outer] = halves(&part.range);
        // Differences are rounded: to the safe side.
        let safe = 1.0 - 2.0 * f64::UNIT_ROUNDOFF;
        let child = |which: usize, range| Part {
            node: 2 * part.node + 1 + which,
            range,
            least: part.least.max(gaps[which] * safe),
        };
        let (inner, outer) = (child(0, inner), child(1, outer));
        // Of two that may hold the query, it lies deeper in the one of the lesser gap.
        if gaps[0] <= gaps[1] { [outer, inner] } else { [inner, outer] }
    }
}

/// Part of the tree that is still to be searched.
struct Part {
    /// Its place in level order; beyond the nodes it is a leaf.
    node: usize,
    range: Range<usize>,
    /// No point of it is nearer.
    least: f64,
}
