//! The search: all queries against all points, tile by tile, with a running best k.
//!
//! Each query keeps its best k so far in a heap, and the key of the worst of them as its limit.
//! A tile has queries as rows and points as columns. A column is compared with the limits of all
//! queries at once, in contiguous memory, and heaps are touched only where a limit is exceeded:
//! for point i of random order that is k/i of the queries.
//!
//! **Key.** The greater, the nearer: K(x, xᵢ) − hᵢ, with hᵢ = 0 by similarity and
//! hᵢ = (K(xᵢ, xᵢ) − c)/2, c = minⱼ K(xⱼ, xⱼ), by distance. So d² = K(x, x) + c − 2·key: the order
//! is that of −d², but finer, because digits are not lost to a sum with K(x, x). Where K(x, x) is
//! constant, h = 0 and both rankings are the same to the bit.
//!
//! **Without values.** Where the kernel has an order ([`Kernel::order`]), and h = 0, the keys are
//! those of the order, such as −‖x − xᵢ‖² for the RBF, and values are computed for what is found.

use super::best::{Best, Candidate};
use crate::Error;
use crate::arithmetic::finite_diagonal;
use kern_core::faer::MatMut;
use kern_core::{Binding, Kernel, Order, Points, Scalar, Scratch, tolerance};
use kern_gram::{TILE_EDGE, parallel, tile_ranges};
use serde::{Deserialize, Serialize};
use std::collections::BinaryHeap;
use std::ops::Range;

/// Smallest number of queries in a tile: below, a matrix product no longer pays.
const FEWEST_QUERIES: usize = 16;

/// Blocks into which few queries are split, so that there is work for many threads. It must not
/// depend on how many there are: results have the same bits for any number.
const BLOCKS: usize = 32;

/// Candidates of a block of queries: where there are many neighbours, 4 MiB of them are enough.
const CANDIDATES: usize = 1 << 18;

/// What makes a neighbour near, and so what its score is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Nearness {
    /// A large K(x, xᵢ), which is the score.
    Similarity,
    /// A small RKHS distance d(x, xᵢ), which is the score.
    Distance,
}

/// A neighbour of a query.
///
/// # Numerics
/// Neighbours are ranked before the score is rounded: two far points may both have distance √2 to
/// the last bit, or a similarity that underflows to 0, and still be in the right order. On dense
/// samples, kernels that decrease with a distance (RBF, ARD RBF, exponential, Matérn, rational
/// quadratic, Laplacian, exponential χ²; also times a weight) rank by that distance, unless it might
/// overflow; points are equally near only where it is equal to the last bit. With others they are
/// where the computed K(x, xᵢ) − K(xᵢ, xᵢ)/2, by similarity K(x, xᵢ), are equal. A distance² that is
/// not above 512 round-offs of K(x, x), which is its own rounding error, is 0.
///
/// # Examples
/// ```
/// use kern_core::{Samples, kernels::Linear};
/// use kern_solvers::knn::{KNearest, Neighbor};
/// let x = Samples::from_rows(&[[0.0], [3.0], [4.0]])?;
/// let model = KNearest::by_distance(Linear).neighbors(2).fit(&x, &[0.0, 1.0, 2.0])?;
/// let rows = model.neighbors(&Samples::from_rows(&[[2.5]])?)?;
/// assert_eq!(rows[0], [Neighbor { index: 1, score: 0.5 }, Neighbor { index: 2, score: 1.5 }]);
/// # Ok::<(), kern_solvers::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Neighbor<T> {
    /// Which of the fitted points it is.
    pub index: usize,
    /// Its similarity K(x, xᵢ) or distance d(x, xᵢ), as [`Nearness`] says.
    pub score: T,
}

/// Which points are neighbours.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Reach {
    /// So many nearest ones.
    Neighbors(usize),
    /// All of at least this similarity, or at most this distance.
    Threshold(f64),
}

impl Reach {
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
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(
    try_from = "Stored<P, K>",
    bound(
        serialize = "P: Serialize, K: Serialize",
        deserialize = "P: Points + Deserialize<'de>, K: Kernel<P> + Deserialize<'de>"
    )
)]
pub(super) struct Search<P: Points, K> {
    kernel: K,
    points: P,
    reach: Reach,
    nearness: Nearness,
    /// hᵢ, derived from the above.
    #[serde(skip)]
    penalties: Vec<P::Scalar>,
    /// c, derived as well.
    #[serde(skip)]
    base: f64,
}

/// What is written to a file. All else is derived and checked on reading.
#[derive(Deserialize)]
struct Stored<P, K> {
    kernel: K,
    points: P,
    reach: Reach,
    nearness: Nearness,
}

impl<P: Points, K: Kernel<P>> TryFrom<Stored<P, K>> for Search<P, K> {
    type Error = Error;
    fn try_from(stored: Stored<P, K>) -> Result<Self, Error> {
        let Stored { kernel, points, reach, nearness } = stored;
        Self::new(kernel, points, reach, nearness)
    }
}

impl<P: Points, K: Kernel<P>> Search<P, K> {
    /// [`new`](Search::new) on a copy of the points.
    pub(super) fn copying(
        kernel: K,
        points: &P,
        reach: Reach,
        nearness: Nearness,
    ) -> Result<Self, Error> {
        let all: Vec<usize> = (0..points.len()).collect();
        Self::new(kernel, points.select(&all)?, reach, nearness)
    }

    /// Checks everything that does not depend on a query.
    pub(super) fn new(
        kernel: K,
        points: P,
        reach: Reach,
        nearness: Nearness,
    ) -> Result<Self, Error> {
        let n = points.len();
        if n == 0 {
            return Err(Error::Empty);
        }
        reach.check(n, nearness)?;
        kernel.check(&points)?;
        let (penalties, base) = match nearness {
            Nearness::Similarity => (vec![P::Scalar::ZERO; n], 0.0),
            Nearness::Distance => penalties(&kernel, &points)?,
        };
        Ok(Self { kernel, points, reach, nearness, penalties, base })
    }

    pub(super) fn kernel(&self) -> &K {
        &self.kernel
    }

    pub(super) fn points(&self) -> &P {
        &self.points
    }

    pub(super) fn nearness(&self) -> Nearness {
        self.nearness
    }

    /// `f` of the neighbours of each query, nearest first.
    pub(super) fn map_nearest<R: Send>(
        &self,
        queries: &P,
        f: impl Fn(Vec<Neighbor<P::Scalar>>) -> R + Send + Sync,
    ) -> Result<Vec<R>, Error> {
        self.points.check_compatible(queries)?;
        self.kernel.check(queries)?;
        let edge = match self.reach {
            Reach::Neighbors(k) => CANDIDATES / k,
            // All points may be found.
            Reach::Threshold(_) => {
                (FEWEST_QUERIES * CANDIDATES / self.points.len()).max(FEWEST_QUERIES)
            }
        };
        let few = queries.len().div_ceil(BLOCKS).clamp(FEWEST_QUERIES, TILE_EDGE);
        let keys = Keys::new(self, queries);
        let search = |scratch: &mut _, rows: Range<usize>| -> Result<Vec<R>, Error> {
            let found = match self.reach {
                Reach::Neighbors(k) => self.nearest_to(&keys, rows.clone(), k, scratch)?,
                Reach::Threshold(t) => self.within(&keys, queries, rows.clone(), t, scratch)?,
            };
            let scored = rows.zip(found).map(|(query, found)| {
                let found = self.scored(&keys, (queries, query), found, scratch)?;
                Ok(f(self.reaching(found)))
            });
            scored.collect()
        };
        let rows = tile_ranges(queries.len(), few.min(edge).max(1));
        let blocks = parallel::map_init(rows, Scratch::new, search);
        // All blocks are finished before the first error is looked for: it is the same one for any
        // number of threads.
        let blocks: Vec<_> = blocks.into_iter().collect::<Result<_, _>>()?;
        Ok(blocks.into_iter().flatten().collect())
    }

    /// The k nearest to the queries `rows`.
    fn nearest_to(
        &self,
        keys: &Keys<'_, P, K>,
        rows: Range<usize>,
        k: usize,
        scratch: &mut Scratch<P::Scalar>,
    ) -> Result<Vec<Vec<Candidate<P::Scalar>>>, Error> {
        let m = rows.len();
        let mut best = Best::new(m, k);
        let mut values = scratch.take(m * TILE_EDGE.min(self.points.len()));
        for cols in tile_ranges(self.points.len(), TILE_EDGE) {
            let values = &mut values[..m * cols.len()];
            keys.block(rows.clone(), cols.clone(), values, scratch);
            for (index, column) in cols.zip(values.chunks_exact(m)) {
                best.update(index, column, self.penalties[index])
                    .map_err(|i| not_finite(rows.start + i, index, column[i].to_f64()))?;
            }
        }
        scratch.give(values);
        Ok(best.heaps.into_iter().map(BinaryHeap::into_sorted_vec).collect())
    }

    /// All points that may lie within the threshold `t`, of the queries `rows`, nearest first.
    fn within(
        &self,
        keys: &Keys<'_, P, K>,
        queries: &P,
        rows: Range<usize>,
        t: f64,
        scratch: &mut Scratch<P::Scalar>,
    ) -> Result<Vec<Vec<Candidate<P::Scalar>>>, Error> {
        let m = rows.len();
        let least: Vec<f64> = rows.clone().map(|query| self.least_key(queries, query, t)).collect();
        let mut found = vec![Vec::new(); m];
        let mut buffer = scratch.take(2 * m * TILE_EDGE.min(self.points.len()));
        for cols in tile_ranges(self.points.len(), TILE_EDGE) {
            let (finer, values) = buffer[..2 * m * cols.len()].split_at_mut(m * cols.len());
            keys.block(rows.clone(), cols.clone(), finer, scratch);
            values.copy_from_slice(finer);
            keys.values(values, scratch);
            let columns = finer.chunks_exact(m).zip(values.chunks_exact(m));
            for (index, (finer, values)) in cols.zip(columns) {
                let penalty = self.penalties[index];
                for (query, (&key, &value)) in finer.iter().zip(values).enumerate() {
                    let similarity = value - penalty;
                    if !similarity.is_finite_number() {
                        return Err(not_finite(rows.start + query, index, value.to_f64()));
                    }
                    if similarity.to_f64() >= least[query] {
                        found[query].push(Candidate { key: key - penalty, index });
                    }
                }
            }
        }
        scratch.give(buffer);
        found.iter_mut().for_each(|found| found.sort_unstable());
        Ok(found)
    }

    /// No point of a lesser K(x, xᵢ) − hᵢ lies within the threshold. By distance a lower bound: who
    /// exceeds it still has to be [`reaching`](Search::reaching).
    fn least_key(&self, queries: &P, query: usize, t: f64) -> f64 {
        match self.nearness {
            Nearness::Similarity => t,
            Nearness::Distance => {
                let own = self.own(queries, query);
                // Distances² below `rounding` are 0; and all are rounded to `P::Scalar` once more.
                let squared = (t * t).max(self.rounding(own));
                let scale = own.abs() + self.base.abs() + squared;
                (own + self.base - squared) / 2.0 - 8.0 * P::Scalar::UNIT_ROUNDOFF * scale
            }
        }
    }

    /// Those within the threshold, if there is one.
    fn reaching(&self, mut found: Vec<Neighbor<P::Scalar>>) -> Vec<Neighbor<P::Scalar>> {
        if let Reach::Threshold(t) = self.reach {
            found.retain(|neighbor| match self.nearness {
                Nearness::Similarity => neighbor.score.to_f64() >= t,
                Nearness::Distance => neighbor.score.to_f64() <= t,
            });
        }
        found
    }

    /// Keys to scores.
    fn scored(
        &self,
        keys: &Keys<'_, P, K>,
        (queries, query): (&P, usize),
        found: Vec<Candidate<P::Scalar>>,
        scratch: &mut Scratch<P::Scalar>,
    ) -> Result<Vec<Neighbor<P::Scalar>>, Error> {
        let mut scores: Vec<P::Scalar> = found.iter().map(|candidate| candidate.key).collect();
        keys.values(&mut scores, scratch);
        if self.nearness == Nearness::Distance {
            let own = self.own(queries, query);
            scores.iter_mut().for_each(|score| *score = self.distance(own, *score));
        }
        let neighbor = |(Candidate { index, .. }, score): (Candidate<_>, P::Scalar)| match score
            .is_finite_number()
        {
            true => Ok(Neighbor { index, score }),
            false => Err(not_finite(query, index, score.to_f64())),
        };
        found.into_iter().zip(scores).map(neighbor).collect()
    }

    /// K(x, x) of a query.
    fn own(&self, queries: &P, query: usize) -> f64 {
        self.kernel.diag(queries, query).to_f64()
    }

    /// Near distance 0, K(x, x), K(xᵢ, xᵢ) and K(x, xᵢ) are equal, and a tile's values may be off by
    /// `TILE_ERROR`, twice that in d².
    fn rounding(&self, own: f64) -> f64 {
        2.0 * tolerance::TILE_ERROR * P::Scalar::UNIT_ROUNDOFF * own.abs()
    }

    /// The distance that belongs to a key, for a query with K(x, x) = `own`.
    fn distance(&self, own: f64, key: P::Scalar) -> P::Scalar {
        let squared = own + self.base - 2.0 * key.to_f64();
        // The bound is the same for all points, so distances stay in the order of the keys. NaN is
        // not less, and is found by the caller.
        let squared = if squared <= self.rounding(own) { 0.0 } else { squared };
        P::Scalar::from_f64(squared.sqrt())
    }
}

/// What fills tiles of keys, before hᵢ is subtracted.
enum Keys<'a, P: Points, K> {
    Values(Binding<'a, K, P>),
    Order(Box<dyn Order<P::Scalar> + 'a>),
}

impl<'a, P: Points, K: Kernel<P>> Keys<'a, P, K> {
    fn new(search: &'a Search<P, K>, queries: &'a P) -> Self {
        let Search { kernel, points, penalties, .. } = search;
        let is_constant = penalties.iter().all(|&penalty| penalty == P::Scalar::ZERO);
        match is_constant.then(|| kernel.order(queries, points)).flatten() {
            Some(order) => Self::Order(order),
            None => Self::Values(Binding::new(kernel, queries, points)),
        }
    }

    fn block(
        &self,
        rows: Range<usize>,
        cols: Range<usize>,
        out: &mut [P::Scalar],
        scratch: &mut Scratch<P::Scalar>,
    ) {
        let out = MatMut::from_column_major_slice_mut(out, rows.len(), cols.len());
        match self {
            Self::Values(binding) => binding.block(rows, cols, out, scratch),
            Self::Order(order) => order.block(rows, cols, out, scratch),
        }
    }

    /// Keys to kernel values.
    fn values(&self, keys: &mut [P::Scalar], scratch: &mut Scratch<P::Scalar>) {
        if let Self::Order(order) = self {
            order.values(keys, scratch);
        }
    }
}

/// All hᵢ, and c.
fn penalties<P: Points, K: Kernel<P>>(
    kernel: &K,
    points: &P,
) -> Result<(Vec<P::Scalar>, f64), Error> {
    // Before the minimum is taken: one bad value would spoil all the others.
    let diagonal = finite_diagonal((0..points.len()).map(|i| kernel.diag(points, i).to_f64()))?;
    let base = diagonal.iter().copied().fold(f64::INFINITY, f64::min);
    // Halves before the difference, which then cannot overflow.
    let penalty = |own: &f64| P::Scalar::from_f64(own / 2.0 - base / 2.0);
    Ok((diagonal.iter().map(penalty).collect(), base))
}

fn not_finite(row: usize, col: usize, given: f64) -> Error {
    kern_gram::Error::NotFinite { row, col, given }.into()
}
