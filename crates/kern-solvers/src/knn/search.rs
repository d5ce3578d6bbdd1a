//! The search: all queries against all points, tile by tile, with a running best k; or by way of an index.
//!
//! Each query keeps its best k so far in a heap, and the key of the worst of them as its limit.
//! A tile has queries as rows and points as columns. A column is compared with the limits of all
//! queries at once, in contiguous memory, and heaps are touched only where a limit is exceeded:
//! for point i of random order that is k/i of the queries. All points within a threshold are a k without
//! bound, and a limit.
//!
//! **Key.** The greater, the nearer: K(x, xᵢ) − hᵢ, with hᵢ = 0 by similarity and
//! hᵢ = (K(xᵢ, xᵢ) − c)/2, c = minⱼ K(xⱼ, xⱼ), by distance. So d² = K(x, x) + c − 2·key: the order
//! is that of −d², but finer, because digits are not lost to a sum with K(x, x). Where K(x, x) is
//! constant, h = 0 and both rankings are the same to the bit.
//!
//! **Without values.** Where the kernel has an order ([`Kernel::order`]), and h = 0, the keys are
//! those of the order, such as −‖x − xᵢ‖² for the RBF, and values are computed for what is found. A threshold is
//! translated to a key by bisection, a little too far, and what it lets in is measured.
//!
//! **Single precision first.** Where keys are inner products or Euclidean distances in double precision, many queries
//! are compared with all points in single precision, and only with what may be near in double (`rough`).

use super::SearchBy;
use super::best::{Best, BestOfOne};
use super::hashes::Hashes;
use super::neighbor::{Nearness, Neighbor};
use super::norms::Norms;
use super::pairs::{Pairs, not_finite};
use super::rough::RoughPairs;
use super::tree::{Found, Tree};
use crate::Error;
use kern_core::{Binding, Kernel, Named, Points, Scalar, Scratch};
use kern_gram::{MemoryBudget, TILE_EDGE, matrix_bytes, parallel, tile_ranges};
use serde::{Deserialize, Serialize};
use std::ops::Range;
use std::sync::Mutex;

/// Smallest numbers of queries in a tile, of few queries and of many: registers hold 32 or 64 rows with AVX-512, and what is
/// missing is computed in vain (500 queries, 16 and 64 at a time: 0.26 and 0.10 s, 100 000 points, d = 64, Zen 4). Values that are
/// computed one by one need no more than one.
const FEWEST_QUERIES: [usize; 2] = [32, 64];

/// Queries whose neighbours within a threshold are held at once, where all points may be.
const QUERIES_WITHIN: usize = 16;

/// Blocks into which few queries are split, so that there is work for many threads. It must not
/// depend on how many there are: results have the same bits for any number.
const BLOCKS: usize = 32;

/// Candidates of a block of queries: where there are many neighbours, 4 MiB of them are enough.
const CANDIDATES: usize = 1 << 18;

/// The points that are neighbours.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Extent {
    /// So many nearest ones.
    Neighbors(usize),
    /// All of at least this similarity, or at most this distance.
    Threshold(f64),
}

impl Extent {
    fn check(self, n: usize, nearness: Nearness) -> Result<(), Error> {
        match self {
            Self::Neighbors(k) if k == 0 || k > n => {
                let allowed = "at least 1 and at most the number of points";
                Err(Error::Count { name: "neighbors", given: k, allowed })
            }
            Self::Threshold(t) if nearness == Nearness::Distance => {
                kern_core::NonNegative::new("radius", t)?;
                Ok(())
            }
            Self::Threshold(t) => {
                kern_core::Finite::new("threshold", t)?;
                Ok(())
            }
            Self::Neighbors(_) => Ok(()),
        }
    }
}

/// The fitted points, ready to be searched.
///
/// # Examples
/// ```
/// use kern_core::{Samples, kernels::Linear};
/// use kern_solvers::knn::{KNearest, Nearness, SearchBy};
/// let x = Samples::from_rows(&[[0.0], [3.0], [4.0]])?;
/// let model = KNearest::by_distance(Linear).neighbors(2).fit(&x, &[0.0, 1.0, 2.0])?;
/// assert_eq!((model.search().nearness(), model.search().by()), (Nearness::Distance, SearchBy::Brute));
/// assert_eq!(model.search().evaluations(&x)?, [3, 3, 3]);
/// # Ok::<(), kern_solvers::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(
    try_from = "Stored<P, K>",
    bound(
        serialize = "P: Serialize, K: Named + Serialize",
        deserialize = "P: Points + Deserialize<'de>, K: Kernel<P> + Named + Deserialize<'de>"
    )
)]
pub struct Search<P: Points, K> {
    #[serde(with = "kern_core::named")]
    kernel: K,
    points: P,
    reach: Extent,
    nearness: Nearness,
    by: SearchBy,
    /// Derived from the above, as the index is.
    #[serde(skip)]
    norms: Norms<P::Scalar>,
    #[serde(skip)]
    index: Index<P>,
}

/// The index that [`SearchBy`] made of the points.
#[derive(Clone, Debug, PartialEq)]
enum Index<P: Points> {
    None,
    Tree(Tree<P>),
    Hashes(Hashes<P>),
}

/// The form in a file. All else is derived and checked on reading.
#[derive(Deserialize)]
#[serde(bound = "P: Deserialize<'de>, K: Named + Deserialize<'de>")]
struct Stored<P, K> {
    #[serde(with = "kern_core::named")]
    kernel: K,
    points: P,
    reach: Extent,
    nearness: Nearness,
    by: SearchBy,
}

impl<P: Points, K: Kernel<P>> TryFrom<Stored<P, K>> for Search<P, K> {
    type Error = Error;

    fn try_from(stored: Stored<P, K>) -> Result<Self, Error> {
        let Stored { kernel, points, reach, nearness, by } = stored;
        let way = Way { extent: reach, nearness, by };
        let (norms, index) = way.prepare(&kernel, &points, &MemoryBudget::available())?;
        Ok(Self { kernel, points, reach, nearness, by, norms, index })
    }
}

/// A search as it is asked for.
#[derive(Clone, Copy, Debug)]
pub(super) struct Way {
    pub(super) extent: Extent,
    pub(super) nearness: Nearness,
    pub(super) by: SearchBy,
}

impl Way {
    /// Checks everything that does not depend on a query; makes the norms and the index.
    fn prepare<P: Points, K: Kernel<P>>(
        self,
        kernel: &K,
        points: &P,
        budget: &MemoryBudget,
    ) -> Result<(Norms<P::Scalar>, Index<P>), Error> {
        let n = points.len();
        if n == 0 {
            return Err(Error::Empty);
        }
        self.extent.check(n, self.nearness)?;
        self.by.check(self.nearness)?;
        kernel.check(points)?;
        let needed = self.bytes(points);
        let instead = "SearchBy::Brute needs a copy of the points only";
        budget.require("the fitted points and their index", needed, instead)?;
        let left = MemoryBudget::bytes(budget.as_bytes() - needed);
        let norms = match self.nearness {
            Nearness::Similarity => Norms::none(n),
            Nearness::Distance => Norms::new(kernel, points)?,
        };
        let index = match self.by {
            SearchBy::Brute => Index::None,
            SearchBy::Tree(tree) => Index::Tree(Tree::new(kernel, points, &norms, tree)?),
            SearchBy::Hashes(by) => Index::Hashes(Hashes::new(kernel, points, by, &left)?),
        };
        Ok((norms, index))
    }

    /// A copy of the points, and what the index takes but for the landmarks of hashes.
    fn bytes<P: Points>(self, points: &P) -> u64 {
        let n = points.len();
        let index = match self.by {
            SearchBy::Brute => 0,
            // Two copies in the order of levels, four numbers of a point, and nodes, of which there are fewer.
            SearchBy::Tree(_) => {
                matrix_bytes::<u64>(n, 8).saturating_add(points.bytes().saturating_mul(2))
            }
            SearchBy::Hashes(hashes) => hashes.bytes(n),
        };
        points.bytes().saturating_add(index)
    }
}

impl<P: Points, K: Kernel<P>> Search<P, K> {
    /// The search among these points, of which it keeps a copy.
    pub(super) fn of(
        kernel: K,
        points: &P,
        way: Way,
        budget: &MemoryBudget,
    ) -> Result<Self, Error> {
        let (norms, index) = way.prepare(&kernel, points, budget)?;
        let points = points.keep(&Vec::from_iter(0..points.len()))?;
        let Way { extent: reach, nearness, by } = way;
        Ok(Self { kernel, points, reach, nearness, by, norms, index })
    }

    /// The points that are neighbours.
    pub(super) const fn extent(&self) -> Extent {
        self.reach
    }

    /// The kernel.
    pub fn kernel(&self) -> &K {
        &self.kernel
    }

    /// The fitted points.
    pub fn points(&self) -> &P {
        &self.points
    }

    /// The meaning of the score of a neighbour.
    pub fn nearness(&self) -> Nearness {
        self.nearness
    }

    /// The way in which neighbours are found.
    pub fn by(&self) -> SearchBy {
        self.by
    }

    /// The neighbours of each query, nearest first.
    ///
    /// # Errors
    /// [`Error::Core`] if the queries do not fit the points of the fit, [`Error::Gram`] if a kernel
    /// value is not finite.
    ///
    /// # Complexity
    /// As many kernel evaluations as [`evaluations`](Search::evaluations) counts, in parallel over blocks of
    /// queries; memory for the neighbours that are found, plus one tile per thread. The k nearest of many queries in double
    /// precision are looked for in single precision first, which halves the time of products, and takes half of the
    /// memory of points and queries if that is free.
    pub fn neighbors(&self, queries: &P) -> Result<Vec<Vec<Neighbor<P::Scalar>>>, Error> {
        self.map_nearest(queries, |row| row)
    }

    /// With how many points each query is compared until its neighbours are found: by a tree, vantage points
    /// included, by hashes landmarks; n without an index.
    ///
    /// # Errors
    /// As [`neighbors`](Search::neighbors).
    ///
    /// # Complexity
    /// As [`neighbors`](Search::neighbors).
    pub fn evaluations(&self, queries: &P) -> Result<Vec<usize>, Error> {
        self.map_found(&self.index, queries, |_, evaluations| evaluations)
    }

    /// The share of the neighbours of the queries, as a search of all points finds them, that is found: recall@k. 1
    /// if there are none.
    ///
    /// # Errors
    /// As [`neighbors`](Search::neighbors).
    ///
    /// # Complexity
    /// A search of all points, and one by the index.
    pub fn recall(&self, queries: &P) -> Result<f64, Error> {
        let indices = |row: Vec<Neighbor<_>>, _| -> Vec<usize> {
            row.into_iter().map(|neighbor| neighbor.index).collect()
        };
        let exact = self.map_found(&Index::None, queries, indices)?;
        let found = self.map_found(&self.index, queries, indices)?;
        let hits = exact
            .iter()
            .zip(&found)
            .map(|(exact, found)| exact.iter().filter(|&index| found.contains(index)).count());
        let (hits, all): (usize, usize) = (hits.sum(), exact.iter().map(Vec::len).sum());
        Ok(if all == 0 { 1.0 } else { hits as f64 / all as f64 })
    }

    /// `f` of the neighbours of each query, nearest first.
    pub(super) fn map_nearest<R: Send>(
        &self,
        queries: &P,
        f: impl Fn(Vec<Neighbor<P::Scalar>>) -> R + Send + Sync,
    ) -> Result<Vec<R>, Error> {
        self.map_found(&self.index, queries, |row, _| f(row))
    }

    /// `f` of the neighbours of each query, and of the number of points that it was compared with.
    fn map_found<R: Send>(
        &self,
        index: &Index<P>,
        queries: &P,
        f: impl Fn(Vec<Neighbor<P::Scalar>>, usize) -> R + Send + Sync,
    ) -> Result<Vec<R>, Error> {
        let mut none = Vec::new();
        none.resize_with(queries.len(), || None);
        let results = Mutex::new(none);
        self.each_found(index, queries, &|query, row, evaluations| {
            let result = f(row, evaluations);
            // A lock fails where another thread has panicked, and then there will be no results.
            if let Ok(mut results) = results.lock() {
                results[query] = Some(result);
            }
        })?;
        Ok(results.into_inner().unwrap_or_default().into_iter().flatten().collect())
    }

    /// Calls `f` with each query, its neighbours, and the number of points that it was compared with. A search is compiled
    /// once, not for every answer (0010).
    fn each_found(&self, index: &Index<P>, queries: &P, f: &Each<'_, P>) -> Result<(), Error> {
        self.points.check_compatible(queries)?;
        self.kernel.check(queries)?;
        let asked = Asked::new(self, queries, index);
        let Some(rough) = self.rough(&asked) else { return self.each_asked(&asked, f) };
        let left = self.each_rough(&asked, &rough, f)?;
        if left.is_empty() {
            return Ok(());
        }
        let others = queries.select(&left)?;
        let f = |query: usize, row, evaluations| f(left[query], row, evaluations);
        self.each_asked(&Asked::new(self, &others, index), &f)
    }

    /// The search in single precision that comes first, where one does.
    fn rough(&self, asked: &Asked<'_, P, K>) -> Option<RoughPairs> {
        let (Extent::Neighbors(k), BoundIndex::None) = (self.reach, &asked.index) else {
            return None;
        };
        let pair = (asked.queries, &self.points);
        RoughPairs::new(&self.kernel, pair, &self.norms, (k, asked.pairs.is_order()))
    }

    /// Calls `f` for each query that a search in single precision leaves to be compared with a few points. The other queries.
    fn each_rough(
        &self,
        asked: &Asked<'_, P, K>,
        rough: &RoughPairs,
        f: &Each<'_, P>,
    ) -> Result<Vec<usize>, Error> {
        let n = self.points.len();
        let search = |(scratch, single): &mut _, rows: Range<usize>| {
            let mut left = Vec::new();
            for (query, candidates) in rows.clone().zip(rough.candidates(rows, single)) {
                match candidates {
                    Some(near) => f(query, self.among(asked, query, near, scratch)?.0, n),
                    None => left.push(query),
                }
            }
            Ok(left)
        };
        let rows = self.tiles(asked.queries.len());
        let left = parallel::map_init(rows, || (Scratch::new(), Scratch::new()), search);
        Ok(finished(left)?.concat())
    }

    /// Calls `f` for each query, by the index.
    fn each_asked(&self, asked: &Asked<'_, P, K>, f: &Each<'_, P>) -> Result<(), Error> {
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
        let rows = self.tiles(asked.queries.len());
        finished(parallel::map_init(rows, Scratch::new, search)).map(drop)
    }

    /// The queries of each tile, of so many: enough tiles for many threads, two at least, and no more candidates in one than fit.
    fn tiles(&self, queries: usize) -> Vec<Range<usize>> {
        let edge = match self.reach {
            Extent::Neighbors(k) => CANDIDATES / k,
            // All points may be found.
            Extent::Threshold(_) => {
                (QUERIES_WITHIN * CANDIDATES / self.points.len()).max(QUERIES_WITHIN)
            }
        };
        let [few, many] = FEWEST_QUERIES;
        let fewest = if self.kernel.is_pointwise() { 1 } else { (queries / 2).clamp(few, many) };
        tile_ranges(queries, queries.div_ceil(BLOCKS).clamp(fewest, TILE_EDGE).min(edge).max(1))
    }

    /// The number of neighbours that there may be, and the key that they must exceed.
    fn bounds(
        &self,
        pairs: &Pairs<'_, P, K>,
        query: usize,
        scratch: &mut Scratch<P::Scalar>,
    ) -> (usize, P::Scalar) {
        match self.reach {
            Extent::Neighbors(k) => (k, P::Scalar::from_f64(f64::NEG_INFINITY)),
            Extent::Threshold(t) => {
                (usize::MAX, pairs.least_key(query, (t, self.nearness), scratch))
            }
        }
    }

    /// The neighbours of the queries `rows` by the tree.
    fn in_tree(
        &self,
        pairs: &Pairs<'_, P, K>,
        tree: &Tree<P>,
        rows: Range<usize>,
        scratch: &mut Scratch<P::Scalar>,
    ) -> Result<Vec<Answer<P>>, Error> {
        let search = |query| {
            let bounds = self.bounds(pairs, query, scratch);
            let Found { candidates, evaluations } = tree.search(pairs, query, bounds, scratch)?;
            Ok((pairs.scored(query, candidates, self.nearness, scratch)?, evaluations))
        };
        rows.map(search).collect()
    }

    /// The neighbours of the queries `rows` among all points.
    fn in_all(
        &self,
        pairs: &Pairs<'_, P, K>,
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

    /// The neighbours of a query among candidates, or among all points if these are fewer than the neighbours asked
    /// for.
    fn among(
        &self,
        asked: &Asked<'_, P, K>,
        query: usize,
        candidates: Vec<usize>,
        scratch: &mut Scratch<P::Scalar>,
    ) -> Result<Answer<P>, Error> {
        let is_all = matches!(self.reach, Extent::Neighbors(k) if candidates.len() < k);
        let candidates = if is_all { (0..self.points.len()).collect() } else { candidates };
        let row = if asked.pairs.is_bound() {
            self.among_entries(&asked.pairs, query, &candidates, scratch)?
        } else if is_all {
            self.among_tiles(asked, query, (&candidates, &self.points), scratch)?
        } else {
            let near = self.points.select(&candidates)?;
            self.among_tiles(asked, query, (&candidates, &near), scratch)?
        };
        Ok((row, candidates.len() + asked.landmarks()))
    }

    /// The neighbours of a query among candidates, one entry after the other.
    fn among_entries(
        &self,
        pairs: &Pairs<'_, P, K>,
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

    /// The neighbours of a query among points, of which the indices are given.
    fn among_tiles(
        &self,
        asked: &Asked<'_, P, K>,
        query: usize,
        (indices, near): (&[usize], &P),
        scratch: &mut Scratch<P::Scalar>,
    ) -> Result<Vec<Neighbor<P::Scalar>>, Error> {
        let one = asked.queries.select(&[query])?;
        let pairs = Pairs::one_by_one(&self.kernel, (&one, near), &self.norms).from(query);
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

    /// The neighbours within the threshold, if there is one.
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

/// The results of all tiles. All are finished before the first error is looked for: it is the same one for any number of
/// threads.
fn finished<R>(tiles: Vec<Result<R, Error>>) -> Result<Vec<R>, Error> {
    tiles.into_iter().collect()
}

/// Takes a query, its neighbours, and the number of points that it was compared with.
type Each<'f, P> = dyn Fn(usize, Vec<Neighbor<<P as Points>::Scalar>>, usize) + Sync + 'f;

/// The neighbours of a query, and how many points it was compared with.
type Answer<P> = (Vec<Neighbor<<P as Points>::Scalar>>, usize);

/// Queries, ready to be compared.
struct Asked<'a, P: Points, K> {
    queries: &'a P,
    /// With the points of the tree, or with all.
    pairs: Pairs<'a, P, K>,
    index: BoundIndex<'a, P, K>,
}

/// An index, with what of it is bound to the queries.
enum BoundIndex<'a, P: Points, K> {
    None,
    Tree(&'a Tree<P>),
    Hashes(&'a Hashes<P>, Binding<'a, K, P>),
}

impl<'a, P: Points, K: Kernel<P>> Asked<'a, P, K> {
    fn new(search: &'a Search<P, K>, queries: &'a P, index: &'a Index<P>) -> Self {
        let Search { kernel, points, norms, .. } = search;
        if let Index::Tree(tree) = index {
            let pairs = Pairs::one_by_one(kernel, (queries, tree.points()), norms);
            // Queries so far away that distances might overflow have no order, and are compared with all.
            if pairs.has_metric() == tree.has_metric() {
                return Self { queries, pairs, index: BoundIndex::Tree(tree) };
            }
        }
        let pairs = Pairs::new(kernel, (queries, points), norms);
        let index = match index {
            Index::Hashes(hashes) => {
                BoundIndex::Hashes(hashes, Binding::new(kernel, queries, hashes.landmarks()))
            }
            _ => BoundIndex::None,
        };
        Self { queries, pairs, index }
    }

    /// Kernel values that the codes of a query take.
    fn landmarks(&self) -> usize {
        match &self.index {
            BoundIndex::Hashes(hashes, _) => hashes.landmarks().len(),
            _ => 0,
        }
    }
}
