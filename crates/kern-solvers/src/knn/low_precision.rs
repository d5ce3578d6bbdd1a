//! The search in low precision first, which takes a half or a quarter of the time. All points but a
//! few are farther away than the k-th nearest by more than the rounding errors, so only these few
//! are compared in the precision of the points.
//!
//! **Bound.** The key of a query x and a point y is ⟨x, y⟩ − h, with h = ½‖y‖² where the kernel's
//! values follow the distance, and h as in `rkhs_distance` where they are inner products. Let e
//! bound the errors of all keys of x ([`SinglePrecision::errors`], [`Quantised::errors`]). The k
//! nearest points have exact keys of at least κ − e, where κ is the k-th largest key in low
//! precision, and so keys in low precision of at least κ − 2e. A few more points than k are kept;
//! if the last of them is below that, so are all that were not kept.
//!
//! Neighbours within a threshold have exact keys that exceed a limit, and so keys in low precision
//! of at least that limit less e.
//!
//! The results equal those of the brute-force search to the bit. Queries for which the bound is not
//! conclusive, because points coincide or lie far from the origin, are left to the next precision,
//! and finally to the brute-force search.

use super::neighbour_search::Extent;
use super::ranking_keys::Candidate;
use super::rkhs_distance::{AnyKernel, Norms};
use super::top_k::Best;
use kern_core::faer::MatMut;
use kern_core::kernels::Linear;
use kern_core::{Binding, Geometry, Hits, Points, Quantised, Scalar, Scratch, SinglePrecision};
use kern_gram::{MemoryBudget, TILE_EDGE, matrix_bytes, tile_ranges};
use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Bytes per point besides its coordinates.
const OF_A_POINT: usize = 40;
/// The smallest number of queries for which rounding all points pays.
const QUERIES: usize = 128;
/// The smallest number of points for which most are far.
const POINTS: usize = 16_384;
/// The smallest dimension for which products dominate the cost of a search.
const DIM: usize = 8;
/// The smallest number of points per neighbour.
const POINTS_PER_NEIGHBOR: usize = 64;
/// Points kept besides the k nearest: the first number, and k divided by the second.
const SPARE: (usize, usize) = (4, 16);
/// If more than one query in `LEFT` is left, all that follow are, too.
const LEFT: usize = 4;
/// The largest number of candidates within a threshold: of more, sorting dominates the time, and
/// they take memory for each query of a block.
const WITHIN: usize = 2048;

/// The precisions that are tried before that of the points, the lowest first.
pub(super) const PRECISIONS: &[Precision] = &[Precision::Integers, Precision::Single];

/// The precision of a search.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Precision {
    /// 16-bit integers.
    Integers,
    /// Single precision, of points in double precision.
    Single,
}

impl Precision {
    /// The bytes of a coordinate, including those that it takes while the points are rounded;
    /// `None` if the precision is not lower than that of the points, or if the processor has no
    /// instruction for it.
    fn bytes<T>(self) -> Option<usize> {
        let is_single = size_of::<T>() <= size_of::<f32>();
        match self {
            Self::Integers if !Quantised::is_available() => None,
            Self::Integers if is_single => Some(size_of::<i16>()),
            Self::Integers => Some(size_of::<i16>() + size_of::<f32>()),
            Self::Single => (!is_single).then_some(size_of::<f32>()),
        }
    }
}

/// The keys in the precision of the points: kernel values less hᵢ, or those of the kernel's order.
pub(super) struct Keys<'k, P: Points> {
    pub(super) kernel: &'k AnyKernel<'k, P>,
    pub(super) norms: &'k Norms<P::Scalar>,
    pub(super) is_order: bool,
}

/// The points to find.
enum Sought {
    /// The k nearest points.
    Nearest(usize),
    /// Points whose keys exceed the limit of each query.
    Above(Vec<f64>),
}

/// Queries and points in low precision.
pub(super) struct LowPrecisionPairs<'a> {
    pairs: Pairs<'a>,
    sought: Sought,
    /// The number of queries searched, and of those among them that were left. They decide which
    /// search is used, not its results.
    tried: AtomicUsize,
    left: AtomicUsize,
}

enum Pairs<'a> {
    Integers(Quantised),
    Single(Single<'a>),
}

struct Single<'a> {
    queries: SinglePrecision<'a>,
    points: SinglePrecision<'a>,
    /// hᵢ.
    penalties: Vec<f32>,
    /// Bounds of the errors of the keys of each query.
    errors: Vec<f64>,
}

impl<'a> LowPrecisionPairs<'a> {
    /// Rounds queries and points for a search; `None` if that does not pay. `limits` are the exact
    /// keys that points within a threshold exceed.
    pub(super) fn new<P: Points>(
        keys: &Keys<'_, P>,
        queries: &'a P,
        points: &'a P,
        extent: Extent,
        limits: impl FnOnce() -> Vec<f64>,
        precision: Precision,
    ) -> Option<Self> {
        let &Keys { kernel, norms, is_order } = keys;
        let (m, n, dim) = (queries.len(), points.len(), points.dense_dim()?);
        let is_few = match extent {
            Extent::Neighbors(k) => k <= n / POINTS_PER_NEIGHBOR,
            Extent::Threshold(_) => true,
        };
        let pays = m >= QUERIES && n >= POINTS && dim >= DIM && is_few;
        let bytes = dim.saturating_mul(precision.bytes::<P::Scalar>()?).saturating_add(OF_A_POINT);
        let needed = matrix_bytes::<u8>(m.saturating_add(n), bytes);
        if !pays || needed > MemoryBudget::available().as_bytes() {
            return None;
        }
        let search = kernel.search_order()?;
        let queries = search.single_precision(queries)?;
        // The bounds on errors hold for these keys only.
        if (queries.geometry() == Geometry::Distance) != is_order {
            return None;
        }
        let points = search.single_precision(points)?;
        // A user's kernel may return other points.
        let shape = |single_precision: &SinglePrecision<'_>| {
            (single_precision.samples().len(), single_precision.samples().dim())
        };
        if (shape(&queries), shape(&points)) != ((m, dim), (n, dim)) {
            return None;
        }
        let penalties: Vec<f64> = match queries.geometry() {
            Geometry::InnerProduct => (0..n).map(|i| norms.penalty(i).to_f64()).collect(),
            Geometry::Distance => points.squared_norms().iter().map(|s| s / 2.0).collect(),
        };
        let pairs = match precision {
            Precision::Integers => Pairs::Integers(Quantised::new(&queries, &points, &penalties)?),
            Precision::Single => Pairs::Single(Single::new(queries, points, &penalties)),
        };
        let sought = match extent {
            Extent::Neighbors(k) => Sought::Nearest(k),
            Extent::Threshold(_) => Sought::Above(limits()),
        };
        let (tried, left) = (AtomicUsize::new(0), AtomicUsize::new(0));
        Some(Self { pairs, sought, tried, left })
    }

    /// The number of queries of a block is a multiple of this.
    pub(super) fn step(&self) -> usize {
        match &self.pairs {
            Pairs::Integers(_) => Quantised::QUERIES,
            Pairs::Single(_) => 1,
        }
    }

    /// The candidates of each query; `None` for queries that are left.
    pub(super) fn candidates(
        &self,
        rows: Range<usize>,
        scratch: &mut Scratch<f32>,
    ) -> Vec<Option<Vec<usize>>> {
        if self.is_in_vain() {
            return vec![None; rows.len()];
        }
        let m = rows.len();
        let limits = self.limits(&rows);
        let best = match &self.pairs {
            Pairs::Integers(pairs) => Some(by_integers(pairs, rows.clone(), limits, self.kept())),
            Pairs::Single(pairs) => pairs.best(rows.clone(), limits, self.kept(), scratch),
        };
        let Some(best) = best else { return vec![None; m] };
        let near = rows.zip(best.into_sorted());
        let near = near.map(|(query, sorted)| self.near(self.errors()[query], &sorted));
        let near: Vec<Option<Vec<usize>>> = near.collect();
        self.tried.fetch_add(m, Ordering::Relaxed);
        self.left.fetch_add(near.iter().filter(|n| n.is_none()).count(), Ordering::Relaxed);
        near
    }

    /// True if too many queries were left so far.
    fn is_in_vain(&self) -> bool {
        let [tried, left] = [&self.tried, &self.left].map(|count| count.load(Ordering::Relaxed));
        left > tried / LEFT
    }

    /// Bounds of the errors of the keys of each query.
    fn errors(&self) -> &[f64] {
        match &self.pairs {
            Pairs::Integers(pairs) => pairs.errors(),
            Pairs::Single(pairs) => &pairs.errors,
        }
    }

    /// The number of points kept for a query.
    fn kept(&self) -> usize {
        match self.sought {
            Sought::Nearest(k) => k + SPARE.0 + k / SPARE.1,
            Sought::Above(_) => WITHIN + 1,
        }
    }

    /// The key that the points of each of these queries must exceed.
    fn limits(&self, rows: &Range<usize>) -> Vec<f32> {
        let Sought::Above(limits) = &self.sought else {
            return vec![f32::NEG_INFINITY; rows.len()];
        };
        let origin = |query: usize| match &self.pairs {
            Pairs::Integers(pairs) => pairs.origins()[query],
            Pairs::Single(_) => 0.0,
        };
        let highest = |query| limits[query] - origin(query) - self.errors()[query];
        rows.clone().map(|query| f32::from_f64(highest(query)).next_down()).collect()
    }

    /// The candidates among the points with the largest keys; `None` if there may be others.
    fn near(&self, error: f64, sorted: &[Candidate<f32>]) -> Option<Vec<usize>> {
        let Sought::Nearest(k) = self.sought else {
            // All exceed their limit.
            let near = || sorted.iter().map(|near| near.index).collect();
            return (sorted.len() < self.kept()).then(near);
        };
        let smallest = f64::from(sorted.get(k - 1)?.key) - 2.0 * error;
        let is_near = |candidate: &&Candidate<f32>| f64::from(candidate.key) >= smallest;
        let near: Vec<usize> = sorted.iter().take_while(is_near).map(|near| near.index).collect();
        (near.len() < sorted.len()).then_some(near)
    }
}

/// The best points of some queries, by 16-bit integers.
fn by_integers(
    pairs: &Quantised,
    rows: Range<usize>,
    mut limits: Vec<f32>,
    kept: usize,
) -> Best<f32> {
    // No key exceeds the limits of the padding.
    limits.resize(rows.len().next_multiple_of(Quantised::QUERIES), f32::INFINITY);
    let mut best = Best::new(limits, kept);
    let mut hits = Hits::default();
    for points in tile_ranges(pairs.points(), TILE_EDGE - TILE_EDGE % Quantised::POINTS) {
        pairs.exceeding(rows.clone(), points.clone(), best.limits(), &mut hits);
        for (point, first, keys) in hits.iter() {
            best.offer(points.start + point, first, keys);
        }
        hits.clear();
    }
    best
}

impl<'a> Single<'a> {
    fn new(queries: SinglePrecision<'a>, points: SinglePrecision<'a>, penalties: &[f64]) -> Self {
        let largest = penalties.iter().fold(0.0, |most: f64, h| most.max(h.abs()));
        let errors = queries.errors(&points, largest);
        let penalties = penalties.iter().map(|&h| f32::from_f64(h)).collect();
        Self { queries, points, penalties, errors }
    }

    /// The best points of some queries; `None` if a key is not finite.
    fn best(
        &self,
        rows: Range<usize>,
        limits: Vec<f32>,
        kept: usize,
        scratch: &mut Scratch<f32>,
    ) -> Option<Best<f32>> {
        let Self { queries, points, penalties, .. } = self;
        let binding = Binding::new(&Linear, queries.samples(), points.samples());
        let mut best = Best::new(limits, kept);
        let penalty = |index| penalties[index];
        let offered = best.offer_all(penalties.len(), penalty, scratch, |cols, values, scratch| {
            let out = MatMut::from_column_major_slice_mut(values, rows.len(), cols.len());
            binding.block(rows.clone(), cols, out, scratch);
        });
        offered.is_ok().then_some(best)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test may panic")]

    use super::*;
    use kern_core::Samples;
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    const K: usize = 10;

    /// The candidates of `QUERIES` queries among points whose coordinates are `f` of uniform ones.
    fn candidates(precision: Precision, f: impl Fn(f64) -> f64) -> Option<Vec<Option<Vec<usize>>>> {
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        let mut points = |n: usize| {
            let values = (0..n * DIM).map(|_| f(2.0 * rng.random::<f64>() - 1.0)).collect();
            Samples::from_row_major(DIM, values).unwrap()
        };
        let (queries, points) = (points(QUERIES), points(POINTS));
        let norms = Norms::new(&Linear, &points).unwrap();
        let keys: Keys<'_, Samples<f64>> = Keys { kernel: &Linear, norms: &norms, is_order: false };
        let extent = Extent::Neighbors(K);
        let pairs = LowPrecisionPairs::new(&keys, &queries, &points, extent, Vec::new, precision)?;
        Some(pairs.candidates(0..QUERIES, &mut Scratch::new()))
    }

    #[test]
    fn hardly_more_than_the_nearest_are_left_of_points_without_structure() {
        for &precision in PRECISIONS {
            let Some(found) = candidates(precision, |v| v) else {
                assert!(precision == Precision::Integers, "single precision is everywhere");
                println!("skipped: the processor has no products of integers of 16 bits");
                continue;
            };
            assert_few(&found);
        }
    }

    /// Hardly more candidates than neighbours.
    fn assert_few(found: &[Option<Vec<usize>>]) {
        let few = |near: &&Option<Vec<usize>>| near.as_ref().is_some_and(|n| n.len() <= K + 1);
        assert!(found.iter().filter(few).count() > QUERIES * 9 / 10);
    }

    #[test]
    fn integers_are_of_points_moved_to_their_centre() {
        match candidates(Precision::Integers, |v| 20.0 + v) {
            Some(found) => assert_few(&found),
            None => println!("skipped: the processor has no products of integers of 16 bits"),
        }
    }

    #[test]
    fn queries_are_left_where_less_precision_says_nothing() {
        for &precision in PRECISIONS {
            let are_left = |f: fn(f64) -> f64| {
                candidates(precision, f).is_none_or(|found| found.iter().all(Option::is_none))
            };
            assert!(are_left(|v| 1e6 + 1e-3 * v));
            // Copies of one point.
            assert!(are_left(|_| 1.0));
            assert!(candidates(precision, |v| 1e30 * v).is_none());
        }
    }
}
