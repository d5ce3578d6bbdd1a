//! The brute-force scan of all points, and the other loops of a search: by a tree, and among the
//! candidates from hashes or low precision.
//!
//! The code is generic over the type of points, but not over the kernel, so that it is compiled
//! once for each type of points and not for every kernel (`docs/decisions/compile-time.md`).

use super::low_precision::{Keys, LowPrecisionPairs, PRECISIONS, Precision};
use super::neighbour_search::{Extent, Index};
use super::random_hyperplane_hashes::Hashes;
use super::ranking_keys::{Pairs, not_finite};
use super::rkhs_distance::{AnyKernel, Nearness, Neighbor, Norms};
use super::top_k::{Best, BestOfOne};
use super::vantage_point_tree::{Found, Tree};
use crate::Error;
use kern_core::{Binding, Points, Scalar, Scratch, compiled_once};
use kern_gram::{TILE_EDGE, parallel, tile_ranges};
use std::ops::Range;

/// The smallest number of queries in a tile, for few queries and for many: registers hold 32 or 64
/// rows with AVX-512, and missing rows are computed in vain (500 queries, 16 and 64 at a time: 0.26
/// and 0.10 s, 100 000 points, d = 64, Zen 4). A kernel that is evaluated one value at a time needs
/// only one.
const FEWEST_QUERIES: [usize; 2] = [32, 64];

/// The smallest number of queries per block in a radius search, where all points may be neighbours.
const QUERIES_WITHIN: usize = 16;

/// The number of blocks that few queries are split into, so that many threads have work. It does
/// not depend on the number of threads, so that results have the same bits for any number.
const BLOCKS: usize = 32;

/// The largest number of candidates in a block of queries, if each has many: 4 MiB.
const CANDIDATES: usize = 1 << 18;

/// A search with a type-erased kernel.
pub(super) struct Scan<'a, P: Points> {
    /// The kernel as given, which checks points and computes hashes.
    pub(super) checked: &'a AnyKernel<'a, P>,
    /// The kernel whose values, or whose distances from differences, are compared.
    pub(super) kernel: &'a AnyKernel<'a, P>,
    pub(super) points: &'a P,
    pub(super) reach: Extent,
    pub(super) nearness: Nearness,
    pub(super) norms: &'a Norms<P::Scalar>,
}

#[compiled_once]
fn each_found<P: Points>(
    scan: &Scan<'_, P>,
    index: &Index<P>,
    queries: &P,
    f: &Each<'_, P>,
) -> Result<(), Error> {
    scan.points.check_compatible(queries)?;
    scan.checked.check(queries)?;
    if let Index::None = index {
        scan.points.prepare_columns(queries.len());
    }
    scan.each_found_by(PRECISIONS, index, queries, f)
}

impl<P: Points> Scan<'_, P> {
    /// Calls `f` with each query, its neighbours, and the number of points that it was compared
    /// with.
    pub(super) fn each_found(
        &self,
        index: &Index<P>,
        queries: &P,
        f: &Each<'_, P>,
    ) -> Result<(), Error> {
        each_found(self, index, queries, f)
    }

    /// Searches in each of these precisions while queries are left, and finally in that of the
    /// points.
    fn each_found_by(
        &self,
        precisions: &[Precision],
        index: &Index<P>,
        queries: &P,
        f: &Each<'_, P>,
    ) -> Result<(), Error> {
        let asked = Asked::new(self, queries, index);
        for (i, &precision) in precisions.iter().enumerate() {
            let Some(low_precision) = self.low_precision(&asked, precision) else { continue };
            let left = self.each_low_precision(&asked, &low_precision, f)?;
            drop(low_precision);
            if left.is_empty() {
                return Ok(());
            }
            let others = queries.select(&left)?;
            let f = |query: usize, row, evaluations| f(left[query], row, evaluations);
            return self.each_found_by(&precisions[i + 1..], index, &others, &f);
        }
        self.each_asked(&asked, f)
    }

    /// The queries and points in this precision, if a search in it comes first.
    fn low_precision<'s>(
        &'s self,
        asked: &Asked<'s, P>,
        precision: Precision,
    ) -> Option<LowPrecisionPairs<'s>> {
        let is_order = asked.pairs.is_order();
        let is_sought = match self.reach {
            Extent::Neighbors(_) => true,
            // The relation between distances and the keys of an order is not known.
            Extent::Threshold(_) => !is_order,
        };
        if !is_sought || !matches!(asked.index, BoundIndex::None) {
            return None;
        }
        let limits = || {
            let mut scratch = Scratch::new();
            let limit = |query| self.bounds(&asked.pairs, query, &mut scratch).1.to_f64();
            (0..asked.queries.len()).map(limit).collect()
        };
        let keys = Keys { kernel: self.kernel, norms: self.norms, is_order };
        LowPrecisionPairs::new(&keys, asked.queries, self.points, self.reach, limits, precision)
    }

    /// Calls `f` for each query for which low precision leaves only a few candidates. Returns the
    /// other queries.
    fn each_low_precision(
        &self,
        asked: &Asked<'_, P>,
        low_precision: &LowPrecisionPairs<'_>,
        f: &Each<'_, P>,
    ) -> Result<Vec<usize>, Error> {
        let n = self.points.len();
        let search = |(scratch, single): &mut _, rows: Range<usize>| {
            let mut left = Vec::new();
            for (query, candidates) in rows.clone().zip(low_precision.candidates(rows, single)) {
                match candidates {
                    Some(near) => {
                        let (row, _) = self.among(asked, query, near, scratch)?;
                        f(query, self.reaching(row), n);
                    }
                    None => left.push(query),
                }
            }
            Ok(left)
        };
        let rows = self.tiles(asked.queries.len(), low_precision.step());
        let left = parallel::map_init(rows, || (Scratch::new(), Scratch::new()), search);
        Ok(finished(left)?.concat())
    }

    /// Searches each query by the index, and calls `f` for it.
    fn each_asked(&self, asked: &Asked<'_, P>, f: &Each<'_, P>) -> Result<(), Error> {
        let search = |scratch: &mut _, rows: Range<usize>| {
            let first = rows.start;
            let found = match &asked.index {
                BoundIndex::None => self.in_all(&asked.pairs, rows, scratch)?,
                BoundIndex::Tree(tree) => self.in_tree(&asked.pairs, tree, rows, scratch)?,
                BoundIndex::Hashes(hashes, landmarks) => {
                    let candidates = hashes.candidates(landmarks, rows.clone(), scratch)?;
                    let found = rows
                        .zip(candidates)
                        .map(|(query, candidates)| self.among(asked, query, candidates, scratch));
                    found.collect::<Result<_, _>>()?
                }
            };
            for (query, (row, evaluations)) in (first..).zip(found) {
                f(query, self.reaching(row), evaluations);
            }
            Ok(())
        };
        let rows = self.tiles(asked.queries.len(), 1);
        finished(parallel::map_init(rows, Scratch::new, search)).map(drop)
    }

    /// The range of queries of each tile, in multiples of `step`: enough tiles for many threads, at
    /// least two, and no more candidates in a tile than fit.
    fn tiles(&self, queries: usize, step: usize) -> Vec<Range<usize>> {
        let edge = match self.reach {
            Extent::Neighbors(k) => CANDIDATES / k,
            // All points may be found.
            Extent::Threshold(_) => {
                (QUERIES_WITHIN * CANDIDATES / self.points.len()).max(QUERIES_WITHIN)
            }
        };
        let [few, many] = FEWEST_QUERIES;
        let fewest = if self.kernel.is_pointwise() { 1 } else { (queries / 2).clamp(few, many) };
        let edge = queries.div_ceil(BLOCKS).clamp(fewest, TILE_EDGE).min(edge).max(1);
        tile_ranges(queries, edge.next_multiple_of(step))
    }

    /// The largest number of neighbours, and the key that they must exceed.
    fn bounds(
        &self,
        pairs: &Pairs<'_, P>,
        query: usize,
        scratch: &mut Scratch<P::Scalar>,
    ) -> (usize, P::Scalar) {
        match self.reach {
            Extent::Neighbors(k) => (k, P::Scalar::from_f64(f64::NEG_INFINITY)),
            Extent::Threshold(t) => {
                (usize::MAX, pairs.smallest_key(query, t, self.nearness, scratch))
            }
        }
    }

    /// The neighbours of the queries `rows` by the tree.
    fn in_tree(
        &self,
        pairs: &Pairs<'_, P>,
        tree: &Tree<P>,
        rows: Range<usize>,
        scratch: &mut Scratch<P::Scalar>,
    ) -> Result<Vec<Answer<P>>, Error> {
        let search = |query| {
            let (k, limit) = self.bounds(pairs, query, scratch);
            let Found { candidates, evaluations } = tree.search(pairs, query, k, limit, scratch)?;
            Ok((pairs.scored(query, candidates, self.nearness, scratch)?, evaluations))
        };
        rows.map(search).collect()
    }

    /// The neighbours of the queries `rows` among all points.
    fn in_all(
        &self,
        pairs: &Pairs<'_, P>,
        rows: Range<usize>,
        scratch: &mut Scratch<P::Scalar>,
    ) -> Result<Vec<Answer<P>>, Error> {
        let n = self.points.len();
        let bounds: Vec<_> = rows.clone().map(|row| self.bounds(pairs, row, scratch)).collect();
        let most = bounds.first().map_or(0, |&(most, _)| most);
        let mut best = Best::new(bounds.into_iter().map(|(_, limit)| limit).collect(), most);
        let penalty = |index| self.norms.penalty(index);
        best.offer_all(n, penalty, scratch, |cols, values, scratch| {
            pairs.block(rows.clone(), cols, values, scratch);
        })
        .map_err(|(i, index, value)| not_finite(rows.start + i, index, value.to_f64()))?;
        let scored = rows.zip(best.into_sorted()).map(|(query, candidates)| {
            Ok((pairs.scored(query, candidates, self.nearness, scratch)?, n))
        });
        scored.collect()
    }

    /// The neighbours of a query among candidates, or among all points if there are fewer than k
    /// candidates.
    fn among(
        &self,
        asked: &Asked<'_, P>,
        query: usize,
        candidates: Vec<usize>,
        scratch: &mut Scratch<P::Scalar>,
    ) -> Result<Answer<P>, Error> {
        let is_all = matches!(self.reach, Extent::Neighbors(k) if candidates.len() < k);
        let candidates = if is_all { (0..self.points.len()).collect() } else { candidates };
        let row = if asked.pairs.is_bound() {
            self.among_entries(&asked.pairs, query, &candidates, scratch)?
        } else if is_all {
            self.among_tiles(asked, query, &candidates, self.points, scratch)?
        } else {
            let near = self.points.select(&candidates)?;
            self.among_tiles(asked, query, &candidates, &near, scratch)?
        };
        Ok((row, candidates.len() + asked.landmarks()))
    }

    /// The neighbours of a query among candidates, one kernel value at a time.
    fn among_entries(
        &self,
        pairs: &Pairs<'_, P>,
        query: usize,
        candidates: &[usize],
        scratch: &mut Scratch<P::Scalar>,
    ) -> Result<Vec<Neighbor<P::Scalar>>, Error> {
        let (k, limit) = self.bounds(pairs, query, scratch);
        let mut nearest = BestOfOne::new(k, limit);
        let mut value = [P::Scalar::ZERO];
        for &index in candidates {
            pairs.compare(query, index..index + 1, &mut value, scratch);
            nearest.offer(pairs.candidate(query, index, value[0])?);
        }
        pairs.scored(query, nearest.into_sorted(), self.nearness, scratch)
    }

    /// The neighbours of a query among the points `near`, which have these indices.
    fn among_tiles(
        &self,
        asked: &Asked<'_, P>,
        query: usize,
        indices: &[usize],
        near: &P,
        scratch: &mut Scratch<P::Scalar>,
    ) -> Result<Vec<Neighbor<P::Scalar>>, Error> {
        let one = asked.queries.select(&[query])?;
        let pairs = Pairs::one_by_one(self.kernel, &one, near, self.norms).from(query);
        let (k, limit) = self.bounds(&pairs, 0, scratch);
        let mut nearest = BestOfOne::new(k, limit);
        let mut values = scratch.take(TILE_EDGE.min(near.len()));
        for tile in tile_ranges(near.len(), TILE_EDGE) {
            let values = &mut values[..tile.len()];
            pairs.compare(0, tile.clone(), values, scratch);
            for (&index, &value) in indices[tile].iter().zip(values.iter()) {
                nearest.offer(pairs.candidate(0, index, value)?);
            }
        }
        scratch.give(values);
        pairs.scored(0, nearest.into_sorted(), self.nearness, scratch)
    }

    /// The neighbours found without those beyond the threshold, if there is one.
    fn reaching(&self, mut found: Vec<Neighbor<P::Scalar>>) -> Vec<Neighbor<P::Scalar>> {
        if let Extent::Threshold(t) = self.reach {
            found.retain(|neighbor| match self.nearness {
                Nearness::Similarity => neighbor.score.to_f64() >= t,
                Nearness::Distance => neighbor.score.to_f64() <= t,
            });
        }
        found
    }
}

/// The results of all tiles, or the first error. All tiles are finished first, so that it is the
/// same error for any number of threads.
fn finished<R>(tiles: Vec<Result<R, Error>>) -> Result<Vec<R>, Error> {
    tiles.into_iter().collect()
}

/// A function of a query, its neighbours, and the number of points that it was compared with.
pub(super) type Each<'f, P> =
    dyn Fn(usize, Vec<Neighbor<<P as Points>::Scalar>>, usize) + Sync + 'f;

/// The neighbours of a query, and the number of points that it was compared with.
type Answer<P> = (Vec<Neighbor<<P as Points>::Scalar>>, usize);

/// Queries that are prepared for comparisons.
struct Asked<'a, P: Points> {
    queries: &'a P,
    /// Pairs with the points of the tree, or with all points.
    pairs: Pairs<'a, P>,
    index: BoundIndex<'a, P>,
}

/// An index, bound to the queries.
enum BoundIndex<'a, P: Points> {
    None,
    Tree(&'a Tree<P>),
    Hashes(&'a Hashes<P>, Binding<'a, AnyKernel<'a, P>, P>),
}

impl<'a, P: Points> Asked<'a, P> {
    fn new(search: &Scan<'a, P>, queries: &'a P, index: &'a Index<P>) -> Self {
        let &Scan { checked, kernel, points, norms, .. } = search;
        if let Index::Tree(tree) = index {
            let pairs = Pairs::one_by_one(kernel, queries, tree.points(), norms);
            // Queries so far away that distances might overflow have no order, and are compared
            // with all.
            if pairs.has_metric() == tree.has_metric() {
                return Self { queries, pairs, index: BoundIndex::Tree(tree) };
            }
        }
        let pairs = Pairs::new(kernel, queries, points, norms);
        let index = match index {
            Index::Hashes(hashes) => {
                BoundIndex::Hashes(hashes, Binding::new(checked, queries, hashes.landmarks()))
            }
            _ => BoundIndex::None,
        };
        Self { queries, pairs, index }
    }

    /// The number of kernel values that the codes of a query take.
    fn landmarks(&self) -> usize {
        match &self.index {
            BoundIndex::Hashes(hashes, _) => hashes.landmarks().len(),
            _ => 0,
        }
    }
}
