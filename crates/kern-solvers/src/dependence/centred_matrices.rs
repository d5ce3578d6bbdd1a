//! Centred kernel matrices for the HSIC test: stored in memory, or as low-rank factors.
//!
//! With H = I − 11ᵀ/n the statistic of a permutation π of the second parts is
//! Σᵢⱼ(HKH)ᵢⱼ(HLH)_{π(i)π(j)}/n². If the matrices do not fit the memory, they are replaced by
//! pivoted Cholesky factors F and G, K ≈ FFᵀ and L ≈ GGᵀ, and the statistic is
//! ‖Σᵢ(HF)ᵢ(HG)_{π(i)}ᵀ‖²/n².

use crate::Error;
use faer::{Accum, ColRef, Mat, MatRef};
use kern_approx::PivotedCholesky;
use kern_core::memory::LargeMat;
use kern_core::products::matmul;
use kern_core::{Mercer, Points, Scalar, Scratch};
use kern_gram::numerics::cholesky::column_blocks;
use kern_gram::{
    DenseGram, GramOperator, MemoryBudget, matrix_bytes, parallel, tile_ranges, zeros,
};

/// The part of the trace that factors of a test of independence may leave: the level does not depend on it, and a kernel with a
/// thousandth less variance tells as much.
const FACTOR_TRACE: f64 = 1e-3;

/// Number of columns that one task centres.
const COLUMNS: usize = 64;

/// The initial rank of a factor.
const FIRST_RANK: usize = 32;
/// Number of pairs per matrix product.
const PANEL: usize = 1024;

/// The centred matrices HKH and HLH.
pub(super) struct Stored<T: Scalar, U: Scalar> {
    first: LargeMat<T>,
    second: LargeMat<U>,
    largest: f64,
}

impl<T: Scalar, U: Scalar> Stored<T, U> {
    pub(super) fn new<P, Q, K, L>(
        first: &K,
        x: &P,
        second: &L,
        y: &Q,
        budget: &MemoryBudget,
    ) -> Result<Self, Error>
    where
        P: Points<Scalar = T>,
        Q: Points<Scalar = U>,
        K: Mercer<P>,
        L: Mercer<Q>,
    {
        let (first, second) = (centred(first, x, budget)?, centred(second, y, budget)?);
        Ok(Self { first: first.0, second: second.0, largest: first.1 * second.1 })
    }

    /// The largest product of values of both kernels.
    pub(super) fn largest(&self) -> f64 {
        // Scaled to the rounding error of the less precise type.
        self.largest * T::UNIT_ROUNDOFF.max(U::UNIT_ROUNDOFF) / f64::UNIT_ROUNDOFF
    }

    /// Σᵢⱼ(HKH)ᵢⱼ(HLH)_{π(i)π(j)}/n².
    pub(super) fn statistic(&self, order: &[u32]) -> Result<f64, Error> {
        let (first, second) = (self.first.as_ref(), self.second.as_ref());
        let (mut beside, mut own) = (0.0, 0.0);
        for (j, &other) in order.iter().enumerate() {
            let (k, l) = (first.col(j), second.col(other as usize));
            own += k[j].to_f64() * l[other as usize].to_f64();
            beside += gathered(k, l, &order[..j]);
        }
        let n = order.len() as f64;
        Ok((2.0 * beside + own) / (n * n))
    }
}

impl Stored<f64, f64> {
    /// The memory for n pairs.
    pub(super) fn bytes<P: Points, Q: Points>(n: usize) -> u64 {
        matrix_bytes::<P::Scalar>(n, n).saturating_add(matrix_bytes::<Q::Scalar>(n, n))
    }
}

/// Σᵢ kᵢ·l_{π(i)} over the given π, in four partial sums, which hide the latency of additions.
fn gathered<T: Scalar, U: Scalar>(k: ColRef<'_, T>, l: ColRef<'_, U>, order: &[u32]) -> f64 {
    let (Some(k), Some(l)) = (k.try_as_col_major(), l.try_as_col_major()) else {
        let terms = order.iter().zip(k.iter());
        return terms.map(|(&i, k)| k.to_f64() * l[i as usize].to_f64()).sum();
    };
    let (k, l) = (k.as_slice(), l.as_slice());
    let (fours, rest) = order.as_chunks::<4>();
    let (k_fours, k_rest) = k[..order.len()].as_chunks::<4>();
    let mut sums = [0.0; 4];
    for (order, k) in fours.iter().zip(k_fours) {
        for ((sum, &i), k) in sums.iter_mut().zip(order).zip(k) {
            *sum += k.to_f64() * l[i as usize].to_f64();
        }
    }
    let terms = rest.iter().zip(k_rest).map(|(&i, k)| k.to_f64() * l[i as usize].to_f64());
    sums.iter().sum::<f64>() + terms.sum::<f64>()
}

/// HKH, and the largest absolute value on the diagonal of K.
fn centred<P: Points, K: Mercer<P>>(
    kernel: &K,
    points: &P,
    budget: &MemoryBudget,
) -> Result<(LargeMat<P::Scalar>, f64), Error> {
    let gram = DenseGram::new(kernel, points, budget)?;
    let largest = gram.diag().iter().fold(0.0, |most: f64, own| most.max(own.to_f64().abs()));
    let mut matrix = gram.into_matrix();
    let n = points.len() as f64;
    let columns = (0..points.len()).collect();
    let mean = |(): &mut (), j: usize| {
        matrix.as_ref().col(j).iter().map(|value| value.to_f64()).sum::<f64>() / n
    };
    let means = parallel::map_init(columns, || (), mean);
    let half = 0.5 * means.iter().sum::<f64>() / n;
    let blocks = column_blocks(matrix.as_mut(), COLUMNS);
    parallel::for_each_init(
        blocks,
        || (),
        |(), (start, block)| {
            for (column, of_col) in block.col_iter_mut().zip(&means[start..]) {
                for (value, of_row) in column.iter_mut().zip(&means) {
                    *value -= P::Scalar::from_f64((of_row - half) + (of_col - half));
                }
            }
        },
    );
    Ok((matrix, largest))
}

/// The centred factors HF and HG, with a column per point.
pub(super) struct Factors {
    first: LargeMat<f64>,
    second: LargeMat<f64>,
    largest: f64,
}

impl Factors {
    pub(super) fn new<P, Q, K, L>(
        first: &K,
        x: &P,
        second: &L,
        y: &Q,
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
        let largest = first.1 * second.1;
        Ok(Self { first: first.0, second: second.0, largest })
    }

    /// The largest product of values of both kernels.
    pub(super) fn largest(&self) -> f64 {
        self.largest
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

/// HF for a factor that leaves a small fraction of the trace, and the largest diagonal value.
fn factor<P: Points, K: Mercer<P>>(
    kernel: &K,
    points: &P,
    seed: u64,
    budget: &MemoryBudget,
) -> Result<(LargeMat<f64>, f64), Error> {
    let n = points.len();
    let mut factor = PivotedCholesky::of_points(kernel, points, seed)?;
    let (trace, largest) = {
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
        if !has_more || rank == n || left(&factor) <= FACTOR_TRACE * trace {
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
    Ok((centred, largest))
}
