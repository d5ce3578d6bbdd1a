//! The search in less precision first, which takes a half or a quarter of the time: all points but a few are farther away than the
//! k-th by more than its errors, so that only these few are compared in the precision of the points.
//!
//! **Bound.** The key of a query x and a point y is ⟨x, y⟩ − h, with h = ½‖y‖² where the kernel's values follow the distance, and h
//! as in `norms` where they are inner products. Let e bound the error of all keys of x ([`Rough::errors`],
//! [`Quantised::errors`]). The k nearest have exact keys of at least κ − e, κ being the k-th greatest rough one, and so rough keys
//! of at least κ − 2e. A few more than k are kept, and if the last of them is below that, so are all that were not kept.
//!
//! Neighbours within a threshold are those whose exact keys exceed one, and so rough ones of at least that less e.
//!
//! Answers are those of a search of all points to the bit. Queries of which no such thing can be said, since
//! points coincide or lie far from the origin, are left to the next precision, and at last to that search.

use super::best::Best;
use super::norms::Norms;
use super::pairs::{AnyKernel, Candidate};
use super::search::Extent;
use kern_core::faer::MatMut;
use kern_core::kernels::Linear;
use kern_core::{Binding, Geometry, Hits, Points, Quantised, Rough, Scalar, Scratch};
use kern_gram::{MemoryBudget, TILE_EDGE, matrix_bytes, tile_ranges};
use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Bytes of a point beside its numbers.
const OF_A_POINT: usize = 40;
/// Queries from which on it pays to round all points.
const QUERIES: usize = 128;
/// Points from which on most of them are far.
const POINTS: usize = 16_384;
/// Coordinates from which on products are what a search costs.
const DIM: usize = 8;
/// The least number of points for each neighbour.
const POINTS_PER_NEIGHBOR: usize = 64;
/// Points that are kept beside the k nearest, and one of so many of these.
const SPARE: (usize, usize) = (4, 16);
/// One of so many queries may be left, or all others are, too.
const LEFT: usize = 4;
/// Points within a threshold that are looked at one by one: of more, sorting takes the time, and they take memory for each query of a
/// block.
const WITHIN: usize = 2048;

/// The precisions that come before that of the points, the roughest first.
pub(super) const PRECISIONS: &[Precision] = &[Precision::Integers, Precision::Single];

/// The precision of a search.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Precision {
    /// Integers of 16 bits.
    Integers,
    /// Single precision, of points in double precision.
    Single,
}

impl Precision {
    /// The bytes of a number, with those that it takes while the points are rounded; none if it is no less than that of the points, or
    /// if the processor has no instruction for it.
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

/// The points that are sought.
enum Sought {
    /// So many nearest ones.
    Nearest(usize),
    /// Points whose keys exceed a limit, which each query has.
    Above(Vec<f64>),
}

/// Queries and points in less precision.
pub(super) struct RoughPairs<'a> {
    pairs: Pairs<'a>,
    sought: Sought,
    /// Queries that have been searched for, and those of them that were left. They decide which way is taken, and no answer.
    tried: AtomicUsize,
    left: AtomicUsize,
}

enum Pairs<'a> {
    Integers(Quantised),
    Single(Single<'a>),
}

struct Single<'a> {
    queries: Rough<'a>,
    points: Rough<'a>,
    /// hᵢ.
    penalties: Vec<f32>,
    /// Bounds of the errors of the keys of each query.
    errors: Vec<f64>,
}

impl<'a> RoughPairs<'a> {
    /// Rounds queries and points for a search; none if that does not pay. `limits` are the exact keys that points within a
    /// threshold exceed.
    pub(super) fn new<P: Points>(
        kernel: &AnyKernel<'_, P>,
        (queries, points): (&'a P, &'a P),
        (norms, is_order): (&Norms<P::Scalar>, bool),
        (extent, limits): (Extent, impl FnOnce() -> Vec<f64>),
        precision: Precision,
    ) -> Option<Self> {
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
        let queries = kernel.rough(queries)?;
        // Else keys are others than those whose errors are bounded.
        if (queries.geometry() == Geometry::Distance) != is_order {
            return None;
        }
        let points = kernel.rough(points)?;
        // A kernel of a user may give other points.
        let shape = |rough: &Rough<'_>| (rough.samples().len(), rough.samples().dim());
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

    /// Queries of which blocks are made.
    pub(super) fn step(&self) -> usize {
        match &self.pairs {
            Pairs::Integers(_) => Quantised::QUERIES,
            Pairs::Single(_) => 1,
        }
    }

    /// For each query the points that may be sought; none for those that are left.
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

    /// Tells whether too many queries were left so far.
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

    /// Points that are kept for a query.
    fn kept(&self) -> usize {
        match self.sought {
            Sought::Nearest(k) => k + SPARE.0 + k / SPARE.1,
            Sought::Above(_) => WITHIN + 1,
        }
    }

    /// The keys that points of each of some queries must exceed.
    fn limits(&self, rows: &Range<usize>) -> Vec<f32> {
        let Sought::Above(limits) = &self.sought else {
            return vec![f32::NEG_INFINITY; rows.len()];
        };
        let origin = |query: usize| match &self.pairs {
            Pairs::Integers(pairs) => pairs.origins()[query],
            Pairs::Single(_) => 0.0,
        };
        let rough = |query| limits[query] - origin(query) - self.errors()[query];
        rows.clone().map(|query| f32::from_f64(rough(query)).next_down()).collect()
    }

    /// The points that may be sought, of those with the greatest keys; none if there may be others.
    fn near(&self, error: f64, sorted: &[Candidate<f32>]) -> Option<Vec<usize>> {
        let Sought::Nearest(k) = self.sought else {
            // All exceed their limit.
            let near = || sorted.iter().map(|near| near.index).collect();
            return (sorted.len() < self.kept()).then(near);
        };
        let least = f64::from(sorted.get(k - 1)?.key) - 2.0 * error;
        let is_near = |candidate: &&Candidate<f32>| f64::from(candidate.key) >= least;
        let near: Vec<usize> = sorted.iter().take_while(is_near).map(|near| near.index).collect();
        (near.len() < sorted.len()).then_some(near)
    }
}

/// The best of some queries by integers.
fn by_integers(
    pairs: &Quantised,
    rows: Range<usize>,
    mut limits: Vec<f32>,
    kept: usize,
) -> Best<f32> {
    // No key exceeds the limits of what the queries are filled up with.
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
    fn new(queries: Rough<'a>, points: Rough<'a>, penalties: &[f64]) -> Self {
        let greatest = penalties.iter().fold(0.0, |most: f64, h| most.max(h.abs()));
        let errors = queries.errors(&points, greatest);
        let penalties = penalties.iter().map(|&h| f32::from_f64(h)).collect();
        Self { queries, points, penalties, errors }
    }

    /// The best of some queries; none if a key is not finite.
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

    /// The candidates of so many queries among points of which each coordinate is `f` of a uniform one.
    fn candidates(precision: Precision, f: impl Fn(f64) -> f64) -> Option<Vec<Option<Vec<usize>>>> {
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        let mut points = |n: usize| {
            let values = (0..n * DIM).map(|_| f(2.0 * rng.random::<f64>() - 1.0)).collect();
            Samples::from_row_major(DIM, values).unwrap()
        };
        let (queries, points) = (points(QUERIES), points(POINTS));
        let norms = Norms::new(&Linear, &points).unwrap();
        let pair = (&queries, &points);
        let sought = (Extent::Neighbors(K), Vec::new);
        let rough = RoughPairs::new(&Linear, pair, (&norms, false), sought, precision)?;
        Some(rough.candidates(0..QUERIES, &mut Scratch::new()))
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
