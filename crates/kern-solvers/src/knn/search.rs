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

use crate::Error;
use kern_core::faer::MatMut;
use kern_core::{Binding, Kernel, Points, Scalar, Scratch, tolerance};
use kern_gram::{TILE_EDGE, parallel, tile_ranges};
use serde::{Deserialize, Serialize};
use std::cmp::Ordering;
use std::collections::BinaryHeap;
use std::ops::Range;

/// Smallest number of queries in a tile: below, a matrix product no longer pays.
const FEWEST_QUERIES: usize = 16;

/// Blocks into which few queries are split, so that there is work for many threads. It must not
/// depend on how many there are: results have the same bits for any number.
const BLOCKS: usize = 32;

/// Candidates of a block of queries: where there are many neighbours, 4 MiB of them are enough.
const CANDIDATES: usize = 1 << 18;

/// Entries of a column that are compared with their limits at once.
const LANES: usize = 16;

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
/// the last bit and still be in the right order. They are equally near only where the computed
/// K(x, xᵢ) − K(xᵢ, xᵢ)/2 are equal, e.g. where an RBF underflows to 0. A distance² that is not
/// above 512 round-offs of K(x, x), which is its own rounding error, is 0.
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
    neighbors: usize,
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
    neighbors: usize,
    nearness: Nearness,
}

impl<P: Points, K: Kernel<P>> TryFrom<Stored<P, K>> for Search<P, K> {
    type Error = Error;
    fn try_from(stored: Stored<P, K>) -> Result<Self, Error> {
        let Stored { kernel, points, neighbors, nearness } = stored;
        Self::new(kernel, points, neighbors, nearness)
    }
}

impl<P: Points, K: Kernel<P>> Search<P, K> {
    /// Checks everything that does not depend on a query.
    pub(super) fn new(
        kernel: K,
        points: P,
        neighbors: usize,
        nearness: Nearness,
    ) -> Result<Self, Error> {
        let n = points.len();
        if n == 0 {
            return Err(Error::Empty);
        }
        if neighbors == 0 || neighbors > n {
            let allowed = "at least 1 and at most the number of points";
            return Err(Error::Count { name: "neighbors", given: neighbors, allowed });
        }
        kernel.check(&points)?;
        let (penalties, base) = match nearness {
            Nearness::Similarity => (vec![P::Scalar::ZERO; n], 0.0),
            Nearness::Distance => penalties(&kernel, &points)?,
        };
        Ok(Self { kernel, points, neighbors, nearness, penalties, base })
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
        let edge = queries.len().div_ceil(BLOCKS).clamp(FEWEST_QUERIES, TILE_EDGE);
        let edge = edge.min(CANDIDATES / self.neighbors).max(1);
        let binding = Binding::new(&self.kernel, queries, &self.points);
        let search = |scratch: &mut _, rows| -> Result<Vec<R>, Error> {
            let found = self.nearest_to(&binding, queries, rows, scratch)?;
            Ok(found.into_iter().map(&f).collect())
        };
        let blocks = parallel::map_init(tile_ranges(queries.len(), edge), Scratch::new, search);
        // All blocks are finished before the first error is looked for: it is the same one for any
        // number of threads.
        let blocks: Vec<_> = blocks.into_iter().collect::<Result<_, _>>()?;
        Ok(blocks.into_iter().flatten().collect())
    }

    /// The neighbours of the queries `rows`.
    fn nearest_to(
        &self,
        binding: &Binding<'_, K, P>,
        queries: &P,
        rows: Range<usize>,
        scratch: &mut Scratch<P::Scalar>,
    ) -> Result<Vec<Vec<Neighbor<P::Scalar>>>, Error> {
        let m = rows.len();
        let mut best = Best::new(m, self.neighbors);
        let mut values = scratch.take(m * TILE_EDGE.min(self.points.len()));
        for cols in tile_ranges(self.points.len(), TILE_EDGE) {
            let values = &mut values[..m * cols.len()];
            let out = MatMut::from_column_major_slice_mut(values, m, cols.len());
            binding.block(rows.clone(), cols.clone(), out, scratch);
            for (index, column) in cols.zip(values.chunks_exact(m)) {
                best.update(index, column, self.penalties[index])
                    .map_err(|i| not_finite(rows.start + i, index, column[i].to_f64()))?;
            }
        }
        scratch.give(values);
        let found = rows.zip(best.heaps);
        found.map(|(query, heap)| self.scored(queries, query, heap.into_sorted_vec())).collect()
    }

    /// Keys to scores.
    fn scored(
        &self,
        queries: &P,
        query: usize,
        found: Vec<Candidate<P::Scalar>>,
    ) -> Result<Vec<Neighbor<P::Scalar>>, Error> {
        let own = match self.nearness {
            Nearness::Similarity => 0.0,
            Nearness::Distance => self.kernel.diag(queries, query).to_f64(),
        };
        let neighbor = |Candidate { key, index }| {
            let score = match self.nearness {
                Nearness::Similarity => key,
                Nearness::Distance => self.distance(own, key),
            };
            match score.is_finite_number() {
                true => Ok(Neighbor { index, score }),
                false => Err(not_finite(query, index, score.to_f64())),
            }
        };
        found.into_iter().map(neighbor).collect()
    }

    /// The distance that belongs to a key, for a query with K(x, x) = `own`.
    fn distance(&self, own: f64, key: P::Scalar) -> P::Scalar {
        let squared = own + self.base - 2.0 * key.to_f64();
        // Near distance 0, K(x, x), K(xᵢ, xᵢ) and K(x, xᵢ) are equal, and a tile's values may be
        // off by `TILE_ERROR`, twice that in d². The bound is the same for all points, so
        // distances stay in the order of the keys. NaN is not less, and is found by the caller.
        let rounding = 2.0 * tolerance::TILE_ERROR * P::Scalar::UNIT_ROUNDOFF * own.abs();
        let squared = if squared <= rounding { 0.0 } else { squared };
        P::Scalar::from_f64(squared.sqrt())
    }
}

/// All hᵢ, and c.
fn penalties<P: Points, K: Kernel<P>>(
    kernel: &K,
    points: &P,
) -> Result<(Vec<P::Scalar>, f64), Error> {
    let diagonal: Vec<f64> = (0..points.len()).map(|i| kernel.diag(points, i).to_f64()).collect();
    // Before the minimum is taken: one bad value would spoil all the others.
    if let Some(i) = diagonal.iter().position(|own| !own.is_finite()) {
        return Err(not_finite(i, i, diagonal[i]));
    }
    let base = diagonal.iter().copied().fold(f64::INFINITY, f64::min);
    // Halves before the difference, which then cannot overflow.
    let penalty = |own: &f64| P::Scalar::from_f64(own / 2.0 - base / 2.0);
    Ok((diagonal.iter().map(penalty).collect(), base))
}

fn not_finite(row: usize, col: usize, given: f64) -> Error {
    kern_gram::Error::NotFinite { row, col, given }.into()
}

/// A point that is among the best so far. The order is from near to far.
#[derive(Clone, Copy, Debug)]
struct Candidate<T> {
    key: T,
    index: usize,
}

impl<T: Scalar> Ord for Candidate<T> {
    fn cmp(&self, other: &Self) -> Ordering {
        // Keys are finite, so any two can be compared.
        let keys = other.key.partial_cmp(&self.key).unwrap_or(Ordering::Equal);
        keys.then(self.index.cmp(&other.index))
    }
}

impl<T: Scalar> PartialOrd for Candidate<T> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl<T: Scalar> PartialEq for Candidate<T> {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl<T: Scalar> Eq for Candidate<T> {}

/// The best k so far of a block of queries.
struct Best<T> {
    k: usize,
    /// The farthest candidate of each query is on top.
    heaps: Vec<BinaryHeap<Candidate<T>>>,
    /// The key that a point must exceed to be let in, −∞ while there are fewer than k.
    limits: Vec<T>,
}

impl<T: Scalar> Best<T> {
    fn new(queries: usize, k: usize) -> Self {
        let limits = vec![T::from_f64(f64::NEG_INFINITY); queries];
        Self { k, heaps: vec![BinaryHeap::new(); queries], limits }
    }

    /// Offers point `index`, with its kernel value for each query, to all of them; or says for
    /// which query the value is not finite.
    fn update(&mut self, index: usize, column: &[T], penalty: T) -> Result<(), usize> {
        for start in (0..column.len()).step_by(LANES) {
            let lanes = start..column.len().min(start + LANES);
            if nothing_new(&column[lanes.clone()], &self.limits[lanes.clone()], penalty) {
                continue;
            }
            for query in lanes {
                let key = column[query] - penalty;
                if !key.is_finite_number() {
                    return Err(query);
                }
                // Points come in the order of their indices: an equal key stays outside.
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

/// Whether no key exceeds its limit and all are finite. Without a branch per entry, so that the
/// compiler can compare a vector register at once.
fn nothing_new<T: Scalar>(values: &[T], limits: &[T], penalty: T) -> bool {
    values.iter().zip(limits).fold(true, |quiet, (&value, &limit)| {
        let key = value - penalty;
        quiet & (key <= limit) & key.is_finite_number()
    })
}
