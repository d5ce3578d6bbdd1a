//! Pivoted Cholesky preconditioner P = B^½FFᵀB^½ + νI, ν = nλ, of a partial Cholesky factor F of
//! the kernel matrix: the choice of its rank, and its inverse.

use crate::statistics::add_gram;
use crate::tolerance::preconditioner_shift;
use crate::{Error, PivotedCholesky};
use faer::{Accum, Mat, MatMut, MatRef};
use kern_core::memory::{LargeMat, Pages};
use kern_core::products::{inner_products, matmul};
use kern_core::{Scalar, Scratch};
use kern_gram::numerics::arithmetic::scale_rows;
use kern_gram::numerics::cholesky::Cholesky;
use kern_gram::{MemoryBudget, matrix_bytes, parallel, tile_ranges, zeros};

/// Points whose rows of F are converted to double precision at a time, for the product FᵀBF.
const PANEL: usize = 2048;
const CHUNK: usize = 64;
/// Groups of points, each with a sum of its own.
const GROUPS: usize = 32;

/// Iterations = this·√(tr(K − FFᵀ)/ν) for a relative residual of 10⁻⁶ (measured: within a factor of two for traces
/// up to 10⁵ν; n = 3000, d = 6, RBF).
const PER_ROOT: f64 = 0.7;
/// Flops that take as long as one kernel value, with matrix products at full speed.
const FLOPS: f64 = 40.0;
/// Values of F that are read in the time of one kernel value.
const READS: f64 = 2.0;

/// Costs and targets that determine the rank. Times are in units of one kernel value.
#[derive(Clone, Copy, Debug)]
pub struct Prospect<'p> {
    /// The weights β, unless all are 1.
    pub weights: Option<&'p [f64]>,
    /// The shift ν.
    pub shift: f64,
    /// The target for the relative duality gap.
    pub relative_gap: f64,
    /// The time of a product with K.
    pub product: f64,
}

impl Prospect<'_> {
    /// The predicted number of iterations with this factor.
    #[must_use]
    pub fn iterations<T: Scalar>(&self, factor: &PivotedCholesky<'_, T>) -> f64 {
        let residual = factor.residual();
        let left: f64 = match self.weights {
            Some(weights) => residual.iter().zip(weights).map(|(d, w)| d * w).sum(),
            None => residual.iter().sum(),
        };
        // The error decreases by a constant factor per iteration, so the number of iterations grows
        // with the logarithm; the gap is the square of the residual.
        let digits = (2.0 / self.relative_gap.min(1.0).sqrt()).ln() / 2e6_f64.ln();
        (PER_ROOT * digits * (left / self.shift).sqrt()).max(1.0)
    }

    /// Draws pivots as long as more of them are predicted to save more time than they take.
    ///
    /// The number of iterations is extrapolated by a power of the rank, fitted to the last two
    /// ranks. If the best rank and its iterations by that power are not acceptable, they are
    /// returned, and no more pivots are drawn.
    pub fn grow<T: Scalar>(
        &self,
        factor: &mut PivotedCholesky<'_, T>,
        most: usize,
        is_acceptable: IsAcceptable<'_>,
    ) -> Result<Option<(usize, f64)>, Error> {
        let n = factor.residual().len();
        let mut rank = (n.isqrt() / 2).max(1).min(most);
        let mut last = None;
        while rank > 0 && factor.grow(rank)? {
            let now = self.iterations(factor);
            let next = (rank + rank.div_ceil(2)).min(most);
            if next == rank {
                break;
            }
            if let Some((before, fewer)) = last {
                let power = f64::ln(before / now) / f64::ln(rank as f64 / fewer as f64);
                let after = |next: usize| (now * (next as f64 / rank as f64).powf(-power)).max(1.0);
                let best = self.best(rank, most, n, &after);
                if !is_acceptable(best) {
                    return Ok(Some(best));
                }
                if total(n, next, after(next), self.product) >= total(n, rank, now, self.product) {
                    break;
                }
            }
            (last, rank) = (Some((now, rank)), next);
        }
        Ok(None)
    }

    /// The rank of smallest total time among those that follow, and its number of iterations.
    fn best(
        &self,
        mut rank: usize,
        most: usize,
        n: usize,
        after: &dyn Fn(usize) -> f64,
    ) -> (usize, f64) {
        let seconds = |rank: usize| total(n, rank, after(rank), self.product);
        let mut best = rank;
        while rank < most {
            rank = (rank + rank.div_ceil(2)).min(most);
            if seconds(rank) < seconds(best) {
                best = rank;
            }
        }
        (best, after(best))
    }
}

/// Returns true if a fit with a preconditioner of this rank and this many iterations is not far
/// beyond its time limit.
pub type IsAcceptable<'b> = &'b dyn Fn((usize, f64)) -> bool;

/// The time of a factor of this rank, and of this many iterations with it.
fn total(n: usize, rank: usize, iterations: f64, product: f64) -> f64 {
    let (n, k) = (n as f64, rank as f64);
    let flops = 2.0 * n * k * k + k * k * k / 3.0;
    n * k + flops / FLOPS + iterations * (product + 2.0 * n * k / READS)
}

/// The peak memory for constructing a preconditioner of this rank.
#[must_use]
pub fn bytes<T: Scalar>(n: usize, rank: usize) -> u64 {
    let core =
        matrix_bytes::<f64>(rank, rank).saturating_add(matrix_bytes::<f64>(rank, PANEL.min(n)));
    let factor = matrix_bytes::<T>(n, rank).saturating_add(core);
    factor.max(PivotedCholesky::<T>::bytes(n, rank))
}

/// The largest rank that fits.
#[must_use]
pub fn max_rank<T: Scalar>(n: usize, budget: &MemoryBudget) -> usize {
    let (mut fits, mut beyond) = (0, n + 1);
    while beyond - fits > 1 {
        let rank = fits.midpoint(beyond);
        if budget.fits(bytes::<T>(n, rank)) { fits = rank } else { beyond = rank }
    }
    fits
}

/// P⁻¹v = (v − A(AᵀA + νI)⁻¹Aᵀv)/ν, A = B^½F.
///
/// The difference loses the rounding error of AᵀA, u·tr(AᵀA), relative to ν. So ν is raised to
/// [`preconditioner_shift`], which keeps P⁻¹ positive definite in floating-point arithmetic.
#[derive(Debug)]
pub struct Preconditioner<'p, T: Scalar> {
    factor: Pages<T>,
    rank: usize,
    roots: Option<&'p [f64]>,
    core: Cholesky<f64>,
    shift: f64,
}

impl<'p, T: Scalar> Preconditioner<'p, T> {
    /// Creates the preconditioner from a factor F, the square roots of B (unless all are 1), and ν.
    pub fn new(
        factor: PivotedCholesky<'_, T>,
        roots: Option<&'p [f64]>,
        shift: f64,
    ) -> Result<Self, kern_gram::Error> {
        let (n, rank) = (factor.residual().len(), factor.rank());
        let factor = factor.into_factor();
        let mut gram = LargeMat::zeros(rank, rank)?;
        let mut panel = zeros(rank, PANEL.min(n))?;
        for points in tile_ranges(n, PANEL) {
            let mut panel = panel.as_mut().subcols_mut(0, points.len());
            widen(&factor[points.start * rank..points.end * rank], panel.as_mut());
            if let Some(roots) = roots {
                for (column, &root) in panel.as_mut().col_iter_mut().zip(&roots[points]) {
                    column.iter_mut().for_each(|v| *v *= root);
                }
            }
            add_gram(gram.as_mut(), panel.as_ref());
        }
        let trace: f64 = (0..rank).map(|i| gram.as_ref()[(i, i)]).sum();
        let shift = shift.max(preconditioner_shift(rank, trace));
        Ok(Self { factor, rank, roots, core: Cholesky::new(gram, shift)?, shift })
    }

    /// Applies P⁻¹ to v.
    pub fn apply(&self, mut v: Mat<f64>) -> Result<Mat<f64>, kern_core::Error> {
        let mut scaled = v.clone();
        scale_rows(&mut scaled, self.roots);
        let mut t = self.transposed_product(scaled.as_ref())?;
        self.core.solve_in_place(t.as_mut());
        let mut taken = self.product(t.as_ref())?;
        scale_rows(&mut taken, self.roots);
        for k in 0..v.ncols() {
            let pairs = v.col_as_slice_mut(k).iter_mut().zip(taken.col_as_slice(k));
            pairs.for_each(|(v, taken)| *v = (*v - taken) / self.shift);
        }
        Ok(v)
    }

    /// Fᵀv.
    fn transposed_product(&self, v: MatRef<'_, f64>) -> Result<Mat<f64>, kern_core::Error> {
        let (n, rank) = (v.nrows(), self.rank);
        let groups = tile_ranges(n, n.div_ceil(GROUPS).next_multiple_of(CHUNK));
        let parts = parallel::map_init(groups, Scratch::new, |scratch, group| {
            let mut sum = zeros::<f64>(rank, v.ncols())?;
            for start in group.clone().step_by(CHUNK) {
                let len = CHUNK.min(group.end - start);
                let (sum, right) = (sum.as_mut(), v.subrows(start, len));
                self.with_rows(start, len, scratch, |rows| {
                    matmul(sum, Accum::Add, rows, right, 1.0);
                });
            }
            Ok::<_, kern_core::Error>(sum)
        });
        let mut total = zeros(rank, v.ncols())?;
        for part in parts {
            total += part?;
        }
        Ok(total)
    }

    /// Ft.
    fn product(&self, t: MatRef<'_, f64>) -> Result<Mat<f64>, kern_core::Error> {
        let n = self.factor.len() / self.rank.max(1);
        let mut out = zeros(n, t.ncols())?;
        let ranges = tile_ranges(n, CHUNK);
        let tasks = kern_gram::split_rows(out.as_mut(), &ranges).into_iter().zip(ranges).collect();
        parallel::for_each_init(tasks, Scratch::new, |scratch, (out, points)| {
            self.with_rows(points.start, points.len(), scratch, |rows| {
                inner_products(out, Accum::Replace, rows, t, 1.0);
            });
        });
        Ok(out)
    }

    /// Some rows of F, as columns.
    fn with_rows(
        &self,
        start: usize,
        len: usize,
        scratch: &mut Scratch<f64>,
        work: impl FnOnce(MatRef<'_, f64>),
    ) {
        scratch.with_matrix(self.rank, len, |mut wide, _| {
            widen(&self.factor[start * self.rank..(start + len) * self.rank], wide.as_mut());
            work(wide.as_ref());
        });
    }
}

/// Converts values to double precision, column by column.
fn widen<T: Scalar>(from: &[T], to: MatMut<'_, f64>) {
    let rank = to.nrows();
    for (to, from) in to.col_iter_mut().zip(from.chunks_exact(rank)) {
        to.iter_mut().zip(from).for_each(|(to, from)| *to = from.to_f64());
    }
}
