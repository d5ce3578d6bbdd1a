//! Centred factors of low rank, for the test of independence of more pairs than memory holds matrices of.

use crate::{Error, tolerance};
use faer::{Accum, Mat, MatRef};
use kern_approx::PivotedCholesky;
use kern_core::memory::LargeMat;
use kern_core::products::matmul;
use kern_core::{Mercer, Points, Scalar, Scratch};
use kern_gram::{MemoryBudget, matrix_bytes, tile_ranges, zeros};

/// The rank that a factor begins with.
const FIRST_RANK: usize = 32;
/// Pairs that are multiplied at a time.
const PANEL: usize = 1024;

/// HF and HG, as columns for points.
pub(super) struct Factors {
    first: LargeMat<f64>,
    second: LargeMat<f64>,
    greatest: f64,
}

impl Factors {
    pub(super) fn new<P, Q, K, L>(
        (first, x): (&K, &P),
        (second, y): (&L, &Q),
        seed: u64,
        budget: &MemoryBudget,
    ) -> Result<Self, Error>
    where
        P: Points,
        Q: Points,
        K: Mercer<P>,
        L: Mercer<Q>,
    {
        let half = MemoryBudget::bytes(budget.as_bytes() / 2);
        let (first, second) = (factor(first, x, seed, &half)?, factor(second, y, seed, &half)?);
        let greatest = first.1 * second.1;
        Ok(Self { first: first.0, second: second.0, greatest })
    }

    /// The greatest product of values of both kernels.
    pub(super) fn greatest(&self) -> f64 {
        self.greatest
    }

    /// The flops of a statistic.
    pub(super) fn flops(&self) -> f64 {
        let (first, second) = (self.first.as_ref(), self.second.as_ref());
        2.0 * first.ncols() as f64 * first.nrows() as f64 * second.nrows() as f64
    }

    /// ‖Σᵢ fᵢg_{π(i)}ᵀ‖²/n².
    pub(super) fn statistic(&self, order: &[u32]) -> Result<f64, Error> {
        let (first, second) = (self.first.as_ref(), self.second.as_ref());
        let rank = second.nrows();
        let mut product: Mat<f64> = zeros(first.nrows(), rank)?;
        let mut scratch = Scratch::new();
        for range in tile_ranges(order.len(), PANEL) {
            let mut gathered = scratch.take(rank * range.len());
            for (to, &i) in gathered.chunks_exact_mut(rank).zip(&order[range.clone()]) {
                let from = second.col(i as usize).iter();
                to.iter_mut().zip(from).for_each(|(to, from)| *to = *from);
            }
            let right = MatRef::from_column_major_slice(&gathered, rank, range.len());
            let left = first.subcols(range.start, range.len());
            matmul(product.as_mut(), Accum::Add, left, right.transpose(), 1.0);
            scratch.give(gathered);
        }
        let n = order.len() as f64;
        let product = product.as_ref();
        Ok(kern_gram::numerics::arithmetic::inner(product, product) / (n * n))
    }
}

/// HF of a factor that leaves little of the trace, and the greatest of the diagonal.
fn factor<P: Points, K: Mercer<P>>(
    kernel: &K,
    points: &P,
    seed: u64,
    budget: &MemoryBudget,
) -> Result<(LargeMat<f64>, f64), Error> {
    let n = points.len();
    let mut factor = PivotedCholesky::of_points(kernel, points, seed)?;
    let (trace, greatest) = {
        let diagonal = factor.residual();
        (diagonal.iter().sum::<f64>(), diagonal.iter().copied().fold(0.0, f64::max))
    };
    let left = |factor: &PivotedCholesky<'_, P::Scalar>| factor.residual().iter().sum::<f64>();
    let mut rank = FIRST_RANK.min(n);
    loop {
        let needed = PivotedCholesky::<P::Scalar>::bytes(n, rank)
            .saturating_add(matrix_bytes::<f64>(n, rank));
        budget.require(
            "a factor for a test of independence",
            needed,
            "give more memory, test fewer pairs, or take a smoother kernel",
        )?;
        let has_more = factor.grow(rank)?;
        if !has_more || rank == n || left(&factor) <= tolerance::FACTOR_TRACE * trace {
            break;
        }
        rank = (rank + rank / 2).min(n);
    }
    let rank = factor.rank();
    let values = factor.into_factor();
    let mut centred = LargeMat::zeros(rank, n)?;
    let mut means = vec![0.0; rank];
    for row in values.chunks_exact(rank) {
        means.iter_mut().zip(row).for_each(|(mean, value)| *mean += value.to_f64() / n as f64);
    }
    for (column, row) in centred.as_mut().col_iter_mut().zip(values.chunks_exact(rank)) {
        let numbers = row.iter().zip(&means).map(|(value, mean)| value.to_f64() - mean);
        column.iter_mut().zip(numbers).for_each(|(to, number)| *to = number);
    }
    Ok((centred, greatest))
}
