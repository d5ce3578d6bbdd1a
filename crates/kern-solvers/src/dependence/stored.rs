//! Centred kernel matrices in memory, for the test of independence.

use crate::Error;
use faer::ColRef;
use kern_core::memory::LargeMat;
use kern_core::{Mercer, Points, Scalar};
use kern_gram::numerics::cholesky::column_blocks;
use kern_gram::{DenseGram, GramOperator, MemoryBudget, matrix_bytes, parallel};

/// Columns that are centred by one task.
const COLUMNS: usize = 64;

/// HKH and HLH.
pub(super) struct Stored<T: Scalar, U: Scalar> {
    first: LargeMat<T>,
    second: LargeMat<U>,
    greatest: f64,
}

impl<T: Scalar, U: Scalar> Stored<T, U> {
    pub(super) fn new<P, Q, K, L>(
        (first, x): (&K, &P),
        (second, y): (&L, &Q),
        budget: &MemoryBudget,
    ) -> Result<Self, Error>
    where
        P: Points<Scalar = T>,
        Q: Points<Scalar = U>,
        K: Mercer<P>,
        L: Mercer<Q>,
    {
        let (first, second) = (centred(first, x, budget)?, centred(second, y, budget)?);
        Ok(Self { first: first.0, second: second.0, greatest: first.1 * second.1 })
    }

    /// The greatest product of values of both kernels.
    pub(super) fn greatest(&self) -> f64 {
        // As much rounding as the coarser type has.
        self.greatest * T::UNIT_ROUNDOFF.max(U::UNIT_ROUNDOFF) / f64::UNIT_ROUNDOFF
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

/// Σᵢ kᵢ·l_{π(i)} over the given π, in four sums, so that an addition need not wait for the one before.
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

/// HKH, and the greatest of the diagonal of K.
fn centred<P: Points, K: Mercer<P>>(
    kernel: &K,
    points: &P,
    budget: &MemoryBudget,
) -> Result<(LargeMat<P::Scalar>, f64), Error> {
    let gram = DenseGram::new(kernel, points, budget)?;
    let greatest = gram.diag().iter().fold(0.0, |most: f64, own| most.max(own.to_f64().abs()));
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
    Ok((matrix, greatest))
}
