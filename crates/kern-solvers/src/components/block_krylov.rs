//! The largest eigenvalues of a symmetric operator, by a block Krylov space with restarts.
//!
//! Notation: Q is an orthonormal basis with n rows, Q_j its last block, T = QᵀAQ, and (θ, s) are
//! eigenpairs of T. With AQ_j = QQᵀAQ_j + WR for the next block, an orthonormal W, the Ritz vector
//! Qs has the residual ‖R·s_j‖, where s_j are the last entries of s.
//!
//! # References
//! Golub & Underwood (1977), *The Block Lanczos Method for Computing Eigenvalues*; Wu & Simon
//! (2000), *Thick-Restart Lanczos Method*; Musco & Musco (2015), *Randomized Block Krylov Methods*,
//! for the accuracy after few products.

use crate::Error;
use faer::{Accum, Mat, MatMut, MatRef};
use kern_core::products::{inner_products, matmul};
use kern_core::{Scalar, symmetric_eigen};
use kern_gram::{zero_vec, zeros};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution, StandardNormal};
use std::ops::ControlFlow;

/// The share of its length that a direction keeps beside a basis below which it is made orthogonal to it once more: two rounds leave errors of
/// some units of rounding of the whole length, and of what is left at most so many times as much.
const CANCELLED: f64 = 1e-3;

/// A symmetric matrix A with expensive products.
pub(crate) trait Operator<T: Scalar> {
    /// AV.
    fn apply(&self, v: MatRef<'_, T>, out: MatMut<'_, T>) -> Result<(), Error>;

    /// Some columns of A, or a cheaper approximation of them. A Krylov space that begins with
    /// columns of A saves a product.
    fn columns(&self, indices: &[usize], out: MatMut<'_, T>) -> Result<(), Error>;
}

/// The size, the number of eigenvalues, and the accuracy of a search.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Search {
    /// The number n of rows.
    pub(crate) size: usize,
    /// The number of eigenvalues.
    pub(crate) count: usize,
    /// The tolerance of the residuals, relative to the largest eigenvalue.
    pub(crate) tolerance: f64,
    /// The maximum number of products with a block.
    pub(crate) max_iterations: usize,
    pub(crate) seed: u64,
}

/// Eigenvalues in descending order, with their eigenvectors.
#[derive(Debug)]
pub(crate) struct Eigen<T: Scalar> {
    pub(crate) values: Vec<f64>,
    pub(crate) vectors: Mat<T>,
    /// The smallest Ritz value of the last basis, an upper bound on the smallest eigenvalue.
    pub(crate) smallest: f64,
    pub(crate) iterations: usize,
    pub(crate) end: End,
}

/// The reason why the iteration ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum End {
    Converged,
    Stopped,
    IterationsDone,
}

/// The number of columns of a block: about the number of eigenvalues, rounded to whole vector
/// registers. Ten eigenvalues take as many products with eight columns as with ten.
pub(crate) fn block(search: &Search) -> usize {
    let columns = (search.count + REGISTER / 2) / REGISTER * REGISTER;
    columns.clamp(REGISTER, 32).min(search.size)
}

/// Number of columns of A whose sum, with random weights, is a column of the first block. This
/// saves a product or two against random vectors: 15 instead of 16 for a residual of 10⁻¹⁰, 8
/// instead of 10 for 10⁻⁵, with an RBF kernel, 4000 points and ten eigenvalues.
const COLUMNS: usize = 3;

/// The length of the random vector added to that sum, relative to its length. Columns have no
/// component in directions that their points do not belong to, such as those of other clusters. A
/// random vector as long as the sum would cost the product that the columns save.
const RANDOM: f64 = 0.3;

/// Double-precision lanes of the widest vector register.
const REGISTER: usize = 8;

/// The maximum number of columns of the basis.
pub(crate) fn width(search: &Search) -> usize {
    let block = block(search);
    (2 * search.count + 6 * block).min(search.size).max(search.count + block)
}

/// Finds the largest eigenvalues.
pub(crate) fn largest<T: Scalar>(
    search: &Search,
    operator: &impl Operator<T>,
    observe: &mut dyn FnMut(usize, f64) -> ControlFlow<()>,
) -> Result<Eigen<T>, Error> {
    let mut space = Space::new(search, operator)?;
    let mut iterations = 0;
    loop {
        let ritz = space.step(operator)?;
        iterations += 1;
        let worst = ritz.worst(search.count);
        let flow = observe(iterations, worst);
        let end = if space.is_complete() || worst <= search.tolerance && !space.is_probing() {
            Some(End::Converged)
        } else if flow.is_break() {
            Some(End::Stopped)
        } else if iterations >= search.max_iterations {
            Some(End::IterationsDone)
        } else {
            None
        };
        if let Some(end) = end {
            let count = search.count.min(ritz.values.len());
            let vectors = space.vectors(&ritz, count)?;
            let values = ritz.values[..count].to_vec();
            let smallest = ritz.values.last().copied().unwrap_or(0.0);
            return Ok(Eigen { values, vectors, smallest, iterations, end });
        }
        space.make_room(&ritz)?;
    }
}

/// The basis, its T, and the next block.
struct Space<T: Scalar> {
    search: Search,
    /// Q in the first `used` columns, and the next block after them.
    basis: Mat<T>,
    used: usize,
    /// The number of columns of the next block.
    next: usize,
    /// The number of consecutive blocks, up to the next one, that were filled up by random columns
    /// because A led out of the basis in too few directions.
    filled: usize,
    rng: ChaCha8Rng,
    /// T; only its lower triangle is used.
    projected: Mat<f64>,
}

/// Eigenpairs of T in descending order, and the residuals of their Ritz vectors.
struct Ritz {
    values: Vec<f64>,
    vectors: Mat<f64>,
    residuals: Vec<f64>,
}

impl Ritz {
    /// The largest residual of the first `count` pairs, relative to the largest eigenvalue.
    fn worst(&self, count: usize) -> f64 {
        if self.values.len() < count {
            return f64::INFINITY;
        }
        let worst = self.residuals[..count].iter().copied().fold(0.0, f64::max);
        if worst == 0.0 { 0.0 } else { worst / self.values[0].abs().max(f64::MIN_POSITIVE) }
    }
}

impl<T: Scalar> Space<T> {
    /// A space with its first block.
    fn new(search: &Search, operator: &impl Operator<T>) -> Result<Self, Error> {
        let (n, first, width) = (search.size, block(search), width(search));
        let mut basis: Mat<T> = zeros(n, width + first)?;
        let mut rng = ChaCha8Rng::seed_from_u64(search.seed);
        begin(basis.as_mut().subcols_mut(0, first), operator, &mut rng)?;
        let projected = zeros(width + first, width + first)?;
        let mut space =
            Self { search: *search, basis, used: 0, next: first, filled: 0, rng, projected };
        space.next = space.orthonormalise(first, None)?;
        Ok(space)
    }

    /// Returns true if no direction outside the basis remains.
    const fn is_complete(&self) -> bool {
        self.next == 0
    }

    /// Returns true while random directions must still be checked for missing eigenvectors.
    const fn is_probing(&self) -> bool {
        self.filled == 1
    }

    /// Adds the next block to the basis, and forms a new one from the part of A times that block
    /// outside the basis.
    fn step(&mut self, operator: &impl Operator<T>) -> Result<Ritz, Error> {
        let (n, start, block) = (self.search.size, self.used, self.next);
        self.used += block;
        let mut image: Mat<T> = zeros(n, block)?;
        operator.apply(self.basis.as_ref().subcols(start, block), image.as_mut())?;
        let mut products: Mat<T> = zeros(self.used, block)?;
        let basis = self.basis.as_ref().subcols(0, self.used);
        inner_products(products.as_mut(), Accum::Replace, basis, image.as_ref(), T::ONE);
        for k in 0..block {
            for i in 0..self.used {
                // Both triangles, since the block is the last one of the basis.
                let value = products[(i, k)].to_f64();
                self.projected[(start + k, i)] = value;
                self.projected[(i, start + k)] = value;
            }
        }
        self.basis.as_mut().subcols_mut(self.used, block).copy_from(image.as_ref());
        let mut out = zeros(block, block)?;
        self.next = self.orthonormalise(block, Some(&mut out))?;
        let ritz = self.ritz(start, out.as_ref())?;
        self.fill_up()?;
        Ok(ritz)
    }

    /// Replaces dropped columns of the next block by random ones. Otherwise the basis may miss
    /// eigenvectors of an eigenvalue whose multiplicity exceeds the block size, or of a reducible
    /// matrix. Once a whole block of random columns leads to nothing new, the space is complete.
    fn fill_up(&mut self) -> Result<(), Error> {
        let room = (self.search.size - self.used).min(self.basis.ncols() - self.used);
        let columns = block(&self.search).min(room);
        let done = self.next == 0 && self.filled > 0 && self.used >= self.search.count;
        if done || self.next >= columns {
            self.filled = 0;
            return Ok(());
        }
        for k in self.used + self.next..self.used + columns {
            draw(self.basis.col_as_slice_mut(k), &mut self.rng);
        }
        self.next = self.orthonormalise(columns, None)?;
        self.filled += 1;
        Ok(())
    }

    fn ritz(&self, start: usize, out: MatRef<'_, f64>) -> Result<Ritz, Error> {
        let m = self.used;
        let (values, vectors) = symmetric_eigen(self.projected.as_ref().submatrix(0, 0, m, m))
            .ok_or(Error::NoEigenvalues { size: m })?;
        let values: Vec<f64> = values.into_iter().rev().collect();
        let vectors = Mat::from_fn(m, m, |i, p| vectors[(i, m - 1 - p)]);
        let residual = |p: usize| {
            let last = vectors.as_ref().col(p).subrows(start, m - start);
            let entry = |i: usize| (0..m - start).map(|k| out[(i, k)] * last[k]).sum::<f64>();
            (0..out.nrows()).map(|i| entry(i).powi(2)).sum::<f64>().sqrt()
        };
        let residuals = (0..m).map(residual).collect();
        Ok(Ritz { values, vectors, residuals })
    }

    /// Orthonormalises this number of columns after the basis, against the basis and against each
    /// other, and drops those in its span. Returns the number that remains; `out` becomes R.
    fn orthonormalise(
        &mut self,
        columns: usize,
        out: Option<&mut Mat<f64>>,
    ) -> Result<usize, Error> {
        let used = self.used;
        let before: Vec<f64> =
            (0..columns).map(|k| norm(self.basis.col_as_slice(used + k))).collect();
        // Two passes of Gram–Schmidt are enough.
        for _ in 0..2 {
            self.project_out(used, columns)?;
        }
        let (kept, smallest) = self.among_themselves(&before, out);
        if smallest >= CANCELLED {
            return Ok(kept);
        }
        // After cancellation the remainder is as small as its rounding errors, which lie in the
        // span of the basis.
        for _ in 0..2 {
            self.project_out(used, kept)?;
        }
        Ok(self.among_themselves(&vec![1.0; kept], None).0)
    }

    /// Orthonormalises the columns after the basis against each other. Returns how many exceed the
    /// rounding errors of vectors with the lengths `before`, and the smallest fraction of its
    /// length that a column has kept.
    fn among_themselves(&mut self, before: &[f64], mut out: Option<&mut Mat<f64>>) -> (usize, f64) {
        let (n, used) = (self.search.size, self.used);
        let (mut kept, mut smallest) = (0, f64::INFINITY);
        for (k, before) in before.iter().enumerate() {
            if used + kept >= n {
                break;
            }
            let mut column = self.basis.col_as_slice(used + k).to_vec();
            for _ in 0..2 {
                for i in 0..kept {
                    let other = self.basis.col_as_slice(used + i);
                    let product = T::dot(&column, other);
                    T::axpy(-product, other, &mut column);
                    if let Some(out) = out.as_deref_mut() {
                        out[(i, k)] += product.to_f64();
                    }
                }
            }
            let length = norm(&column);
            // A remainder of rounding size is not a direction.
            if length <= 100.0 * T::UNIT_ROUNDOFF * before || length == 0.0 {
                continue;
            }
            if let Some(out) = out.as_deref_mut() {
                out[(kept, k)] = length;
            }
            smallest = smallest.min(length / before);
            let scale = T::from_f64(1.0 / length);
            let target = self.basis.col_as_slice_mut(used + kept).iter_mut();
            target.zip(&column).for_each(|(to, &from)| *to = scale * from);
            kept += 1;
        }
        (kept, smallest)
    }

    /// W ← W − QQᵀW for columns after the basis.
    fn project_out(&mut self, used: usize, columns: usize) -> Result<(), Error> {
        if used == 0 {
            return Ok(());
        }
        let (basis, rest) = self.basis.as_mut().split_at_col_mut(used);
        let mut rest = rest.subcols_mut(0, columns);
        let mut products: Mat<T> = zeros(used, columns)?;
        let basis = basis.as_ref();
        inner_products(products.as_mut(), Accum::Replace, basis, rest.as_ref(), T::ONE);
        matmul(rest.as_mut(), Accum::Add, basis, products.as_ref(), -T::ONE);
        Ok(())
    }

    /// The first Ritz vectors.
    fn vectors(&self, ritz: &Ritz, count: usize) -> Result<Mat<T>, Error> {
        let mut out = zeros(self.search.size, count)?;
        let mut s: Mat<T> = zeros(self.used, count)?;
        for p in 0..count {
            let column = s.col_as_slice_mut(p).iter_mut().enumerate();
            column.for_each(|(i, s)| *s = T::from_f64(ritz.vectors[(i, p)]));
        }
        let basis = self.basis.as_ref().subcols(0, self.used);
        matmul(out.as_mut(), Accum::Replace, basis, s.as_ref(), T::ONE);
        Ok(out)
    }

    /// Keeps the best Ritz vectors and the next block, if the basis is full.
    fn make_room(&mut self, ritz: &Ritz) -> Result<(), Error> {
        if self.used + 2 * self.next <= self.basis.ncols() {
            return Ok(());
        }
        let keep = (self.search.count + self.next).min(self.used);
        let vectors = self.vectors(ritz, keep)?;
        let mut next: Mat<T> = zeros(self.search.size, self.next)?;
        next.copy_from(self.basis.as_ref().subcols(self.used, self.next));
        self.basis.as_mut().subcols_mut(0, keep).copy_from(vectors.as_ref());
        self.basis.as_mut().subcols_mut(keep, self.next).copy_from(next.as_ref());
        for j in 0..keep {
            for i in 0..keep {
                self.projected[(i, j)] = if i == j { ritz.values[i] } else { 0.0 };
            }
        }
        self.used = keep;
        Ok(())
    }
}

/// Fills the first block with random sums of columns of A, plus random vectors.
fn begin<T: Scalar>(
    block: MatMut<'_, T>,
    operator: &impl Operator<T>,
    rng: &mut ChaCha8Rng,
) -> Result<(), Error> {
    let (n, count) = block.shape();
    let indices: Vec<usize> = (0..COLUMNS * count).map(|_| rng.random_range(0..n)).collect();
    let mut columns: Mat<T> = zeros(n, indices.len())?;
    operator.columns(&indices, columns.as_mut())?;
    let (mut sum, mut other) = (zero_vec::<T>(n)?, zero_vec::<T>(n)?);
    let mut weights = [T::ZERO; COLUMNS];
    for (k, column) in block.col_iter_mut().enumerate() {
        draw(&mut weights, rng);
        draw(&mut other, rng);
        sum.fill(T::ZERO);
        for (c, &weight) in weights.iter().enumerate() {
            T::axpy(weight, columns.col_as_slice(COLUMNS * k + c), &mut sum);
        }
        let share = RANDOM * norm(&sum) / norm(&other);
        // If the columns are zero, the random vector remains.
        let share = if share > 0.0 { T::from_f64(share) } else { T::ONE };
        let sums = sum.iter().zip(&other).map(|(&sum, &other)| share * other + sum);
        column.iter_mut().zip(sums).for_each(|(v, sum)| *v = sum);
    }
    Ok(())
}

/// Fills a vector with standard normal values.
fn draw<T: Scalar>(v: &mut [T], rng: &mut ChaCha8Rng) {
    v.iter_mut().for_each(|v| *v = T::from_f64(StandardNormal.sample(rng)));
}

fn norm<T: Scalar>(v: &[T]) -> f64 {
    T::dot(v, v).to_f64().sqrt()
}
