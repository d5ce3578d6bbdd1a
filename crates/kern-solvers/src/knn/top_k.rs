//! The top k: the best k points so far of each query in a block, and the filter in front of their
//! heaps.

use super::ranking_keys::Candidate;
use kern_core::{Scalar, Scratch};
use kern_gram::{TILE_EDGE, tile_ranges};
use pulp::{Simd, WithSimd};
use std::collections::BinaryHeap;
use std::ops::Range;

/// Entries of a column that are compared with their limits at once.
const LANES: usize = 32;

/// The best k points so far of each query in a block.
pub(super) struct Best<T> {
    k: usize,
    /// The farthest candidate of each query is on top.
    heaps: Vec<BinaryHeap<Candidate<T>>>,
    /// The key that a point must exceed to enter the heap.
    limits: Vec<T>,
}

impl<T: Scalar> Best<T> {
    /// At most k points for each query, with keys that exceed its limit; no point if the limit
    /// is +∞.
    pub(super) fn new(limits: Vec<T>, k: usize) -> Self {
        Self { k, heaps: vec![BinaryHeap::new(); limits.len()], limits }
    }

    /// Offers n points to all queries, tile by tile. `fill` writes the values of a range of points,
    /// those of one point for all queries side by side, from which `penalty` is subtracted. The
    /// error is a query and a point whose value is not finite, and the value.
    pub(super) fn offer_all(
        &mut self,
        n: usize,
        penalty: impl Fn(usize) -> T,
        scratch: &mut Scratch<T>,
        mut fill: impl FnMut(Range<usize>, &mut [T], &mut Scratch<T>),
    ) -> Result<(), (usize, usize, T)> {
        let queries = self.limits.len();
        let mut values = scratch.take(queries * TILE_EDGE.min(n));
        for points in tile_ranges(n, TILE_EDGE) {
            let values = &mut values[..queries * points.len()];
            fill(points.clone(), values, scratch);
            for (index, column) in points.zip(values.chunks_exact(queries)) {
                self.update(index, column, penalty(index)).map_err(|i| (i, index, column[i]))?;
            }
        }
        scratch.give(values);
        Ok(())
    }

    /// The keys that points must exceed to enter the heaps.
    pub(super) fn limits(&self) -> &[T] {
        &self.limits
    }

    /// Offers point `index` to the queries from `first` on, with its key for each.
    pub(super) fn offer(&mut self, index: usize, first: usize, keys: &[T]) {
        for (query, &key) in (first..).zip(keys) {
            if key > self.limits[query] {
                self.insert(query, Candidate { key, index });
            }
        }
    }

    /// The candidates of each query, nearest first.
    pub(super) fn into_sorted(self) -> impl Iterator<Item = Vec<Candidate<T>>> {
        self.heaps.into_iter().map(BinaryHeap::into_sorted_vec)
    }

    /// Offers point `index`, with its kernel value for each query, to all of them; the error is the
    /// query for which the value is not finite.
    fn update(&mut self, index: usize, column: &[T], penalty: T) -> Result<(), usize> {
        let mut start = 0;
        while let Some(group) = next_group(column, &self.limits, penalty, start) {
            start = column.len().min(group + LANES);
            for (query, &value) in (group..start).zip(&column[group..start]) {
                let key = value - penalty;
                if !key.is_finite_number() {
                    return Err(query);
                }
                // Points come in the order of their indices: an equal key does not enter.
                if key > self.limits[query] {
                    self.insert(query, Candidate { key, index });
                }
            }
        }
        Ok(())
    }

    fn insert(&mut self, query: usize, candidate: Candidate<T>) {
        let heap = &mut self.heaps[query];
        if heap.len() < self.k {
            heap.push(candidate);
        } else if let Some(mut farthest) = heap.peek_mut() {
            *farthest = candidate;
        }
        if heap.len() == self.k {
            self.limits[query] = heap.peek().map_or(self.limits[query], |farthest| farthest.key);
        }
    }
}

/// The beginning of the first group of lanes, at `start` or later, in which a key exceeds its limit
/// or is not finite. Compiled for the instruction set of the processor: with the baseline
/// instruction set, this took 25 % of a search in 64 dimensions (measured on Zen 5).
fn next_group<T: Scalar>(column: &[T], limits: &[T], penalty: T, start: usize) -> Option<usize> {
    kern_core::instruction_set().dispatch(NextGroup { column, limits, penalty, start })
}

struct NextGroup<'a, T> {
    column: &'a [T],
    limits: &'a [T],
    penalty: T,
    start: usize,
}

impl<T: Scalar> WithSimd for NextGroup<'_, T> {
    type Output = Option<usize>;

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) -> Option<usize> {
        let Self { column, limits, penalty, start } = self;
        let (values, rest) = column[start..].as_chunks::<LANES>();
        let (bounds, _) = limits[start..].as_chunks::<LANES>();
        for (group, (values, bounds)) in values.iter().zip(bounds).enumerate() {
            if !is_quiet(values, bounds, penalty) {
                return Some(start + group * LANES);
            }
        }
        let last = column.len() - rest.len();
        (!is_quiet(rest, &limits[last..], penalty)).then_some(last)
    }
}

/// True if no key exceeds its limit and all are finite: NaN and +∞ are not at most a limit. There
/// is no branch per entry, so that the compiler can compare a vector register at once.
#[inline(always)]
fn is_quiet<T: Scalar>(values: &[T], limits: &[T], penalty: T) -> bool {
    let lowest = T::from_f64(f64::NEG_INFINITY);
    values.iter().zip(limits).fold(true, |quiet, (&value, &limit)| {
        let key = value - penalty;
        quiet & (key > lowest) & (key <= limit)
    })
}

/// The best k points so far of one query, offered in any order.
pub(super) struct BestOfOne<T> {
    k: usize,
    /// The key that a point must exceed to enter the heap.
    limit: T,
    heap: BinaryHeap<Candidate<T>>,
}

impl<T: Scalar> BestOfOne<T> {
    /// At most k points, with keys that exceed `limit`.
    pub(super) fn new(k: usize, limit: T) -> Self {
        Self { k, limit, heap: BinaryHeap::new() }
    }

    /// The candidates, nearest first.
    pub(super) fn into_sorted(self) -> Vec<Candidate<T>> {
        self.heap.into_sorted_vec()
    }

    pub(super) fn offer(&mut self, candidate: Candidate<T>) {
        if self.heap.len() < self.k {
            if candidate.key > self.limit {
                self.heap.push(candidate);
            }
        } else if let Some(mut farthest) = self.heap.peek_mut()
            && candidate < *farthest
        {
            *farthest = candidate;
        }
    }

    /// The current limit: no point with a smaller key enters, but one with an equal key may.
    pub(super) fn limit(&self) -> T {
        match self.heap.peek() {
            Some(farthest) if self.heap.len() == self.k => farthest.key,
            _ => self.limit,
        }
    }
}
