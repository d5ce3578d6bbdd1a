//! The search in single precision first, which takes half the time: all points but a few are farther away than the k-th by
//! more than its errors, so that only these few are compared in double precision.
//!
//! **Bound.** The key of a query x and a point y is ⟨x, y⟩ − h, with h = ½‖y‖² where the kernel's values follow the distance, and h
//! as in `norms` where they are inner products. Let e bound the error of all keys of x ([`Rough::errors`]). The
//! k nearest have exact keys of at least κ − e, κ being the k-th greatest in single precision, and so keys of at least κ − 2e
//! there. A few more than k are kept, and if the last of them is below that, so are all that were not kept.
//!
//! Answers are those of a search of all points to the bit. Queries of which no such thing can be said, since
//! points coincide or lie far from the origin, are left to it.

use super::best::Best;
use super::norms::Norms;
use super::pairs::{AnyKernel, Candidate};
use kern_core::faer::MatMut;
use kern_core::kernels::Linear;
use kern_core::{Binding, Geometry, Points, Rough, Scalar, Scratch};
use kern_gram::{MemoryBudget, matrix_bytes};
use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};

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

/// Queries and points in single precision.
pub(super) struct RoughPairs {
    queries: Rough,
    points: Rough,
    /// hᵢ.
    penalties: Vec<f32>,
    /// Bounds of the errors of the keys of each query.
    errors: Vec<f64>,
    /// The number of neighbours.
    k: usize,
    /// Queries that have been searched for, and those of them that were left. They decide which way is taken, and no answer.
    tried: AtomicUsize,
    left: AtomicUsize,
}

impl RoughPairs {
    /// Rounds queries and points for a search of the k nearest; none if that does not pay.
    pub(super) fn new<P: Points>(
        kernel: &AnyKernel<'_, P>,
        (queries, points): (&P, &P),
        norms: &Norms<P::Scalar>,
        (k, is_order): (usize, bool),
    ) -> Option<Self> {
        let (m, n, dim) = (queries.len(), points.len(), points.dense_dim()?);
        let pays = m >= QUERIES && n >= POINTS && dim >= DIM && k <= n / POINTS_PER_NEIGHBOR;
        let numbers = dim.saturating_add(4);
        let needed = matrix_bytes::<f32>(m.saturating_add(n), numbers);
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
        let shape = |rough: &Rough| (rough.samples().len(), rough.samples().dim());
        if (shape(&queries), shape(&points)) != ((m, dim), (n, dim)) {
            return None;
        }
        let penalties: Vec<f64> = match queries.geometry() {
            Geometry::InnerProduct => (0..n).map(|i| norms.penalty(i).to_f64()).collect(),
            Geometry::Distance => points.squared_norms().iter().map(|s| s / 2.0).collect(),
        };
        let greatest = penalties.iter().fold(0.0, |most: f64, h| most.max(h.abs()));
        let errors = queries.errors(&points, greatest);
        let penalties = penalties.into_iter().map(f32::from_f64).collect();
        let (tried, left) = (AtomicUsize::new(0), AtomicUsize::new(0));
        Some(Self { queries, points, penalties, errors, k, tried, left })
    }

    /// For each query the points that may be among its k nearest; none for those that are left.
    pub(super) fn candidates(
        &self,
        rows: Range<usize>,
        scratch: &mut Scratch<f32>,
    ) -> Vec<Option<Vec<usize>>> {
        if self.is_in_vain() {
            return vec![None; rows.len()];
        }
        let kept = self.k + SPARE.0 + self.k / SPARE.1;
        let mut best = Best::new(vec![f32::NEG_INFINITY; rows.len()], kept);
        let binding = Binding::new(&Linear, self.queries.samples(), self.points.samples());
        let (m, n, penalty) = (rows.len(), self.penalties.len(), |index| self.penalties[index]);
        let offered = best.offer_all(n, penalty, scratch, |cols, values, scratch| {
            let out = MatMut::from_column_major_slice_mut(values, m, cols.len());
            binding.block(rows.clone(), cols, out, scratch);
        });
        if offered.is_err() {
            return vec![None; m];
        }
        let near =
            rows.clone().zip(best.into_sorted()).map(|(query, sorted)| self.near(query, &sorted));
        let near: Vec<Option<Vec<usize>>> = near.collect();
        self.tried.fetch_add(rows.len(), Ordering::Relaxed);
        self.left.fetch_add(near.iter().filter(|n| n.is_none()).count(), Ordering::Relaxed);
        near
    }

    /// Tells whether too many queries were left so far.
    fn is_in_vain(&self) -> bool {
        let [tried, left] = [&self.tried, &self.left].map(|count| count.load(Ordering::Relaxed));
        left > tried / LEFT
    }

    /// The points whose keys are not below those of the k nearest by more than the errors; none if there may be others.
    fn near(&self, query: usize, sorted: &[Candidate<f32>]) -> Option<Vec<usize>> {
        let least = f64::from(sorted.get(self.k - 1)?.key) - 2.0 * self.errors[query];
        let is_near = |candidate: &&Candidate<f32>| f64::from(candidate.key) >= least;
        let near: Vec<usize> = sorted.iter().take_while(is_near).map(|near| near.index).collect();
        (near.len() < sorted.len()).then_some(near)
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
    fn candidates(f: impl Fn(f64) -> f64) -> Option<Vec<Option<Vec<usize>>>> {
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        let mut points = |n: usize| {
            let values = (0..n * DIM).map(|_| f(2.0 * rng.random::<f64>() - 1.0)).collect();
            Samples::from_row_major(DIM, values).unwrap()
        };
        let (queries, points) = (points(QUERIES), points(POINTS));
        let norms = Norms::new(&Linear, &points).unwrap();
        let pair = (&queries, &points);
        let rough = RoughPairs::new(&Linear, pair, &norms, (K, false))?;
        Some(rough.candidates(0..QUERIES, &mut Scratch::new()))
    }

    #[test]
    fn hardly_more_than_the_nearest_are_left_of_points_without_structure() {
        let found = candidates(|v| v).unwrap();
        let few = |near: &Option<Vec<usize>>| near.as_ref().is_some_and(|n| n.len() <= K + 1);
        assert!(found.iter().filter(|near| few(near)).count() > QUERIES * 9 / 10);
    }

    #[test]
    fn queries_are_left_where_single_precision_says_nothing() {
        assert!(candidates(|v| 1e6 + 1e-3 * v).unwrap().iter().all(Option::is_none));
        // Copies of one point.
        assert!(candidates(|_| 1.0).unwrap().iter().all(Option::is_none));
        assert!(candidates(|v| 1e30 * v).is_none());
    }
}
