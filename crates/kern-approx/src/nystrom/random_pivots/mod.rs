//! Randomly pivoted partial Cholesky factorisation, in blocks with rejection.
//!
//! Notation: n points, rank k, pivots 𝓘; F is n × k with K ≈ FFᵀ, stored by rows, so that row i is
//! the features of point i; d is the diagonal of the residual K − FFᵀ.

mod growing;
mod rejection;
mod update;

pub use growing::PivotedCholesky;

use super::NystromReport;
use super::selection::weighted;
use super::source::{Source, check_diagonal};
use crate::{Error, tolerance};
use faer::{Accum, Mat};
use kern_core::Scalar;
use kern_core::memory::{Pages, converted};
use kern_core::products::matmul;
use kern_gram::{matrix_bytes, zeros};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use update::Update;

/// Pivots that a block of proposals should yield at most: enough rows for matrix products at full
/// speed.
const YIELD: usize = 128;

/// The pivots that a block of proposals should yield for a factor of some rank.
fn target(rank: usize) -> usize {
    (rank / 8).clamp(4, YIELD)
}

/// The greatest block of proposals for a factor of some rank.
fn most_proposed(rank: usize) -> usize {
    4 * target(rank)
}

/// The factorisation K ≈ FFᵀ with F\[𝓘, :\] lower triangular.
pub(super) struct PartialCholesky<T: Scalar> {
    /// 𝓘, in the order in which they were drawn.
    pub(super) pivots: Vec<usize>,
    /// F\[𝓘, :\], in double precision.
    pub(super) lower: Mat<f64>,
    /// F, n rows of as many numbers as there are pivots.
    pub(super) features: Pages<T>,
    /// d, n numbers ≥ 0.
    pub(super) residual: Vec<f64>,
    /// tr K.
    pub(super) trace: f64,
}

/// The number of points that are proposed at a time.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Block {
    /// One by one: the plain algorithm.
    One,
    /// As many as yield [`YIELD`] pivots.
    Automatic,
}

impl<T: Scalar> PartialCholesky<T> {
    /// The memory that a factorisation takes: F, its rows at the pivots and their copy without
    /// padding, and for a block of proposals their rows of F (those of accepted ones again, in both
    /// precisions), their entries (likewise), and the factor as it grows.
    pub(super) fn bytes(n: usize, rank: usize) -> u64 {
        let most = most_proposed(rank);
        let proposals = matrix_bytes::<T>(most, most)
            .saturating_mul(2)
            .saturating_add(matrix_bytes::<T>(rank, most))
            .saturating_add(matrix_bytes::<f64>(rank.saturating_add(most), most).saturating_mul(2))
            .saturating_add(matrix_bytes::<f64>(most, most));
        matrix_bytes::<T>(n, rank)
            .saturating_add(matrix_bytes::<f64>(rank, rank).saturating_mul(2))
            .saturating_add(proposals)
    }

    /// At most `rank` pivots, each drawn with probability proportional to d.
    pub(super) fn new(
        source: &dyn Source<T>,
        rank: usize,
        block: Block,
        seed: u64,
    ) -> Result<Self, Error> {
        let mut state = State::new(source, rank, seed)?;
        state.fill(source, block)?;
        Ok(state.finish())
    }
}

impl<T: Scalar> PartialCholesky<T> {
    /// The error is the sum of what is left of the diagonal.
    pub(super) fn report(&self) -> NystromReport {
        let rank = self.pivots.len();
        let trace_error = self.residual.iter().sum();
        NystromReport { trace: self.trace, trace_error, rank, landmarks: rank }
    }
}

struct State<T: Scalar> {
    rng: ChaCha8Rng,
    rank: usize,
    pivots: Vec<usize>,
    lower: Mat<f64>,
    features: Pages<T>,
    residual: Vec<f64>,
    trace: f64,
    /// The greatest entry of K's diagonal.
    greatest: f64,
}

impl<T: Scalar> State<T> {
    /// No pivots yet, and room for `rank` of them.
    fn new(source: &dyn Source<T>, rank: usize, seed: u64) -> Result<Self, Error> {
        let residual = source.diag();
        let greatest = check_diagonal(&residual)?;
        Ok(Self {
            rng: ChaCha8Rng::seed_from_u64(seed),
            rank,
            pivots: Vec::with_capacity(rank),
            lower: zeros(rank, rank)?,
            features: Pages::zeroed(rank.saturating_mul(residual.len()))?,
            trace: residual.iter().sum(),
            residual,
            greatest,
        })
    }

    /// Residuals up to here are rounding.
    fn floor(&self) -> f64 {
        tolerance::pivot_cut(self.rank, T::UNIT_ROUNDOFF) * self.greatest
    }

    /// Pivots until there are as many as there is room for; false if nothing was left before.
    fn fill(&mut self, source: &dyn Source<T>, block: Block) -> Result<bool, Error> {
        let mut proposed = if block == Block::One { 1 } else { target(self.rank) };
        while self.pivots.len() < self.rank {
            let before = self.pivots.len();
            if !self.extend(source, proposed)? {
                return Ok(false);
            }
            if block == Block::Automatic {
                proposed = self.next_block(proposed, self.pivots.len() - before);
            }
        }
        Ok(true)
    }

    /// Proposals for the next block, given what the last ones yielded. It depends on earlier draws
    /// only, so the distribution of the pivots does not depend on it.
    fn next_block(&self, proposed: usize, accepted: usize) -> usize {
        let wanted = proposed * target(self.rank) / accepted.max(1);
        wanted.clamp(proposed.div_ceil(2), 2 * proposed).min(most_proposed(self.rank))
    }

    /// Draws a block of proposals and appends those that are accepted; false if nothing is left.
    fn extend(&mut self, source: &dyn Source<T>, proposed: usize) -> Result<bool, Error> {
        let floor = self.floor();
        let weights: Vec<f64> =
            self.residual.iter().map(|&d| if d > floor { d } else { 0.0 }).collect();
        let drawn = weighted::independent(&weights, proposed, &mut self.rng);
        if drawn.is_empty() {
            return Ok(false);
        }
        let (rows, residual) = self.residual_between(source, &drawn)?;
        let most = self.rank - self.pivots.len();
        let thinned = rejection::thin(&residual, (floor, most), &mut self.rng);
        let chosen: Vec<usize> = thinned.accepted.iter().map(|&b| drawn[b]).collect();
        let rows = Mat::from_fn(chosen.len(), rows.nrows(), |i, j| rows[(j, thinned.accepted[i])]);
        let update = Update::new(&rows, &thinned.lower)?;
        update.apply(source, &chosen, (&mut self.features, self.rank), &mut self.residual)?;
        self.settle(&chosen, &rows, &thinned.lower);
        self.check()?;
        Ok(true)
    }

    /// The columns of Fᵀ of the drawn points, and K − FFᵀ between them.
    fn residual_between(
        &self,
        source: &dyn Source<T>,
        drawn: &[usize],
    ) -> Result<(Mat<f64>, Mat<f64>), Error> {
        let (done, count) = (self.pivots.len(), drawn.len());
        let entries = source.entries(drawn, drawn)?;
        let mut residual = converted(entries.as_ref())?;
        let mut rows = zeros::<f64>(done, count)?;
        for (b, &i) in drawn.iter().enumerate() {
            let row = &self.features[i * self.rank..][..done];
            let pairs = rows.col_as_slice_mut(b).iter_mut().zip(row);
            pairs.for_each(|(to, from)| *to = from.to_f64());
        }
        matmul(residual.as_mut(), Accum::Add, rows.transpose(), rows.as_ref(), -1.0);
        for (b, &i) in drawn.iter().enumerate() {
            residual[(b, b)] = self.residual[i];
        }
        Ok((rows, residual))
    }

    /// The rows of the pivots are known exactly: triangular, and nothing is left of them.
    fn settle(&mut self, chosen: &[usize], rows: &Mat<f64>, lower: &Mat<f64>) {
        let (done, added) = (self.pivots.len(), chosen.len());
        self.lower.submatrix_mut(done, 0, added, done).copy_from(rows);
        self.lower.submatrix_mut(done, done, added, added).copy_from(lower);
        for (i, &pivot) in chosen.iter().enumerate() {
            let row = &mut self.features[pivot * self.rank + done..][..added];
            for (j, feature) in row.iter_mut().enumerate() {
                *feature = T::from_f64(lower[(i, j)]);
            }
            self.residual[pivot] = 0.0;
        }
        self.pivots.extend(chosen);
    }

    /// Rounding below zero is cut off; more than that means that K is not positive semi-definite.
    fn check(&mut self) -> Result<(), Error> {
        // Residuals below this cannot be explained by rounding.
        let allowed = -tolerance::negative_residual(T::UNIT_ROUNDOFF) * self.greatest;
        let smallest = self.residual.iter().copied().fold(0.0, f64::min);
        if smallest < allowed {
            return Err(Error::NotPsd { eigenvalue: smallest, allowed });
        }
        self.residual.iter_mut().for_each(|d| *d = d.max(0.0));
        Ok(())
    }

    /// Without the room for pivots that were not found.
    fn finish(self) -> PartialCholesky<T> {
        let Self { rank: stride, pivots, mut lower, mut features, residual, trace, .. } = self;
        let rank = pivots.len();
        if rank < stride {
            for i in 1..residual.len() {
                features.copy_within(i * stride..i * stride + rank, i * rank);
            }
            features.truncate(rank * residual.len());
            lower = lower.submatrix(0, 0, rank, rank).to_owned();
        }
        PartialCholesky { pivots, lower, features, residual, trace }
    }
}
