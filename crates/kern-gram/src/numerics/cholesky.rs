//! Cholesky factors of symmetric matrices: the factorisation, and what solvers do with the factors.
//!
//! The factorisation is left-looking and blocked: LLᵀ = A in place, block column by block column.
//!
//! Each block column is updated by one product with all of L to its left, which reads much and
//! writes little; the usual right-looking order rewrites the whole trailing matrix for each block
//! column. Measured at n = 8000 in double precision, processor seconds of one thread: faer's
//! (right-looking, blocks of 128) 2.37, with blocks of 256 2.22; this order, with blocks of 128 or
//! 256 and stripes of 512 or 1024 rows, 2.02 to 2.06. L to the left of the diagonal block is
//! transposed once, and not by each stripe: with blocks of 256, at n = 3000 on one thread of a Zen
//! 4, 0.209 instead of 0.247. Two adjacent blocks read and pack what is to their left once, and
//! stripes next to the diagonal end at it: on two threads 0.237 instead of 0.270 at n = 4000, in
//! single precision 0.894 instead of 0.974 at n = 8000.
//!
//! Every function has the same bits for any number of threads. A factorisation cuts rows into
//! stripes by a rule independent of the number of threads, and each stripe is computed by one
//! thread. Right-hand sides are cut into blocks of fixed width, each solved by one thread.
//! Triangular solves with few right-hand sides are bound by memory, so all threads read L together.
//! Rows and columns are then cut by rules independent of the number of threads, and every piece is
//! computed by one.

use crate::{Error, matrix_bytes, parallel, split_rows, tile_ranges, zeros};
use faer::{Accum, Mat, MatMut, MatRef};
use kern_core::Scalar;
use kern_core::memory::LargeMat;
use kern_core::products::{
    self, cholesky, inverse_columns, matmul, solve_lower, solve_upper, transpose,
};
use std::ops::Range;

/// Right-hand sides that are solved together, by one thread.
const WIDTH: usize = 64;

/// The largest number of columns of the inverse that a thread solves together: with these, packing
/// the factor takes little of the time.
const WIDE: usize = 256;

/// From this size on, and up to a few right-hand sides, all threads work on the same ones.
const SPLIT_SIZE: usize = 1024;
const SPLIT_COLUMNS: usize = 16;

/// The factorisation LLᵀ = A + shift·I; L is stored in the lower triangle.
#[derive(Clone, Debug)]
pub struct Cholesky<T: Scalar> {
    lower: LargeMat<T>,
}

impl<T: Scalar> Cholesky<T> {
    /// Factorises in place. Only the lower triangle is read; above it, only the tiles on the
    /// diagonal are overwritten.
    ///
    /// # Errors
    /// [`Error::NotPositiveDefinite`].
    pub fn new(mut matrix: LargeMat<T>, shift: f64) -> Result<Self, Error> {
        let mut lower = matrix.as_mut();
        for i in 0..lower.nrows() {
            lower[(i, i)] += T::from_f64(shift);
        }
        factorise(lower).map_err(|pivot| Error::NotPositiveDefinite { shift, pivot })?;
        Ok(Self { lower: matrix })
    }

    /// Wraps a known factor L: the lower triangle of this matrix, with a positive diagonal.
    #[must_use]
    pub fn of_lower(lower: LargeMat<T>) -> Self {
        Self { lower }
    }

    /// L, in the lower triangle.
    #[must_use]
    pub fn lower(&self) -> MatRef<'_, T> {
        self.lower.as_ref()
    }

    /// The number of rows.
    #[must_use]
    pub fn size(&self) -> usize {
        self.lower.as_ref().nrows()
    }

    /// Returns the memory for reuse.
    #[must_use]
    pub fn into_matrix(self) -> LargeMat<T> {
        self.lower
    }

    /// v ← (LLᵀ)⁻¹v.
    pub fn solve_in_place(&self, mut v: MatMut<'_, T>) {
        let lower = self.lower.as_ref();
        if self.waits_for_memory(v.ncols()) {
            forward(lower, v.as_mut());
            return backward(lower, v);
        }
        parallel::for_each_init(
            column_blocks(v, WIDTH),
            || (),
            |(), (_, mut v)| {
                solve_lower(lower, v.as_mut());
                solve_upper(lower, v);
            },
        );
    }

    /// Returns true if the factor is larger than caches, and read for few right-hand sides.
    fn waits_for_memory(&self, columns: usize) -> bool {
        self.size() >= SPLIT_SIZE && columns <= SPLIT_COLUMNS
    }

    /// v ← L⁻¹v, so that ‖v‖² becomes vᵀ(LLᵀ)⁻¹v.
    pub fn half_solve_in_place(&self, v: MatMut<'_, T>) {
        let lower = self.lower.as_ref();
        parallel::for_each_init(
            column_blocks(v, WIDTH),
            || (),
            |(), (_, v)| {
                solve_lower(lower, v);
            },
        );
    }

    /// Overwrites R with the lower triangular L⁻¹, so that (LLᵀ)⁻¹ = RᵀR; n³/3 flops.
    pub fn inverse_root_into(&self, root: MatMut<'_, T>) {
        let (n, lower) = (self.size(), self.lower.as_ref());
        parallel::for_each_init(
            column_blocks(root, wide(n)),
            || (),
            |(), (start, mut block)| {
                let (from, width) = (corner(n, start), block.ncols());
                block.as_mut().subrows_mut(0, from).fill(T::ZERO);
                let below = block.subrows_mut(from, n - from);
                inverse_part(lower, start..start + width, below);
            },
        );
    }

    /// The log-determinant of LLᵀ.
    #[must_use]
    pub fn log_determinant(&self) -> f64 {
        let lower = self.lower.as_ref();
        2.0 * (0..self.size()).map(|i| lower[(i, i)].to_f64().ln()).sum::<f64>()
    }

    /// The diagonal of (LLᵀ)⁻¹, in n³/3 flops. Its memory is [`inverse_diagonal_bytes`].
    ///
    /// Entry i is ‖L⁻¹eᵢ‖², and the first i entries of L⁻¹eᵢ are zero.
    pub fn inverse_diagonal(&self) -> Result<Vec<f64>, kern_core::Error> {
        let (n, lower) = (self.size(), self.lower.as_ref());
        let most = wide(n);
        let norms =
            |memory: &mut Option<Mat<T>>, columns: Range<usize>| -> Result<_, kern_core::Error> {
                let from = corner(n, columns.start);
                let (height, width) = (n - from, columns.len());
                let memory = match memory {
                    Some(memory) => memory,
                    None => memory.insert(zeros(n, most.min(n))?),
                };
                let mut v = memory.as_mut().submatrix_mut(0, 0, height, width);
                inverse_part(lower, columns, v.as_mut());
                Ok(v.as_ref().col_iter().map(squared_norm).collect::<Vec<f64>>())
            };
        let blocks = parallel::map_init(tile_ranges(n, most), || None, norms);
        Ok(blocks.into_iter().collect::<Result<Vec<_>, _>>()?.concat())
    }
}

/// The bytes that [`Cholesky::inverse_diagonal`] takes in addition to the factor: at most a sixth
/// of it, or 64 columns for each thread.
#[must_use]
pub fn inverse_diagonal_bytes<T: Scalar>(n: usize) -> u64 {
    matrix_bytes::<T>(n, wide(n).min(n).saturating_mul(parallel::threads()))
}

/// The columns of the inverse that a thread computes together, such that each thread has at least
/// six batches: the first columns are the most expensive.
fn wide(n: usize) -> usize {
    power_below((n / (6 * parallel::threads())).clamp(WIDTH, group(n)))
}

/// The number of columns that are solved with the same corner of the factor. The bits depend on
/// where a corner begins, but not on the number of columns, so the rule is independent of the
/// number of threads.
fn group(n: usize) -> usize {
    power_below((n / 12).clamp(WIDTH, WIDE))
}

/// The row at which the corner begins that a column of the inverse is solved with.
fn corner(n: usize, column: usize) -> usize {
    column - column % group(n)
}

/// Columns of L⁻¹ that share a corner, from the row on at which it begins.
fn inverse_part<T: Scalar>(lower: MatRef<'_, T>, columns: Range<usize>, out: MatMut<'_, T>) {
    let (n, height) = (lower.nrows(), out.nrows());
    let from = n - height;
    let lower = lower.submatrix(from, from, height, height);
    let columns = columns.start - from..columns.end - from;
    inverse_columns(lower, group(n).min(height), columns, out);
}

/// The largest power of two that is at most n > 0.
fn power_below(n: usize) -> usize {
    1 << n.ilog2()
}

/// VᵀV.
pub fn inner_products<T: Scalar>(v: MatRef<'_, T>) -> Result<LargeMat<T>, kern_core::Error> {
    let mut out = LargeMat::zeros(v.ncols(), v.ncols())?;
    parallel::for_each_init(
        column_blocks(out.as_mut(), WIDTH),
        || (),
        |(), (start, out)| {
            let right = v.subcols(start, out.ncols());
            let (beta, one) = (faer::Accum::Replace, T::ONE);
            matmul(out, beta, v.transpose(), right, one);
        },
    );
    Ok(out)
}

/// ‖v‖², summed in double precision.
#[must_use]
pub fn squared_norm<T: Scalar>(v: faer::ColRef<'_, T>) -> f64 {
    v.iter().map(|&x| x.to_f64() * x.to_f64()).sum()
}

/// Blocks of at most `width` columns, each with the index of its first column.
#[must_use]
pub fn column_blocks<T: Scalar>(
    mut matrix: MatMut<'_, T>,
    width: usize,
) -> Vec<(usize, MatMut<'_, T>)> {
    let ranges = tile_ranges(matrix.ncols(), width);
    let mut blocks = Vec::with_capacity(ranges.len());
    for range in ranges {
        let (block, rest) = matrix.split_at_col_mut(range.len());
        blocks.push((range.start, block));
        matrix = rest;
    }
    blocks
}

/// The lower triangle of `matrix` ← diag(s)·A·diag(s), from the lower triangle of A.
pub fn scale_lower<T: Scalar>(a: MatRef<'_, T>, s: &[T], matrix: MatMut<'_, T>) {
    let n = s.len();
    parallel::for_each_init(
        column_blocks(matrix, WIDTH),
        || (),
        |(), (start, mut block)| {
            for k in 0..block.ncols() {
                let j = start + k;
                let from = a.col(j).subrows(j, n - j).iter().zip(&s[j..]);
                let to = block.as_mut().col_mut(k).subrows_mut(j, n - j);
                to.iter_mut().zip(from).for_each(|(to, (&a, &s_i))| *to = a * s_i * s[j]);
            }
        },
    );
}

/// The lower triangle of `matrix` ← diag(s)·matrix·diag(s).
pub fn scale_lower_in_place<T: Scalar>(matrix: MatMut<'_, T>, s: &[T]) {
    let n = s.len();
    parallel::for_each_init(
        column_blocks(matrix, WIDTH),
        || (),
        |(), (start, mut block)| {
            for k in 0..block.ncols() {
                let j = start + k;
                let column = block.as_mut().col_mut(k).subrows_mut(j, n - j);
                column.iter_mut().zip(&s[j..]).for_each(|(a, &s_i)| *a = *a * s_i * s[j]);
            }
        },
    );
}

/// Columns of L that are solved by one thread, while others wait.
const SOLVED: usize = 256;

/// Rows, or columns, of L that one thread reads at a time.
const ROWS: usize = 512;
const COLUMNS: usize = 32;

/// v ← L⁻¹v.
fn forward<T: Scalar>(lower: MatRef<'_, T>, mut v: MatMut<'_, T>) {
    let n = lower.nrows();
    for block in tile_ranges(n, SOLVED) {
        let (j, width) = (block.start, block.len());
        let (known, rest) = v.as_mut().subrows_mut(j, n - j).split_at_row_mut(width);
        let mut known = known;
        solve_lower(lower.submatrix(j, j, width, width), known.as_mut());
        let (known, below) = (known.as_ref(), lower.submatrix(j + width, j, n - j - width, width));
        let ranges = tile_ranges(rest.nrows(), ROWS);
        let stripes = split_rows(rest, &ranges).into_iter().zip(ranges).collect();
        parallel::for_each_init(
            stripes,
            || (),
            |(), (out, range)| {
                let part = below.subrows(range.start, range.len());
                matmul(out, Accum::Add, part, known, -T::ONE);
            },
        );
    }
}

/// v ← L⁻ᵀv.
fn backward<T: Scalar>(lower: MatRef<'_, T>, mut v: MatMut<'_, T>) {
    let n = lower.nrows();
    for block in tile_ranges(n, SOLVED).into_iter().rev() {
        let (j, width) = (block.start, block.len());
        let (out, known) = v.as_mut().subrows_mut(j, n - j).split_at_row_mut(width);
        let (mut out, known) = (out, known.as_ref());
        let below = lower.submatrix(j + width, j, n - j - width, width);
        let ranges = tile_ranges(width, COLUMNS);
        let stripes = split_rows(out.as_mut(), &ranges).into_iter().zip(ranges).collect();
        if known.nrows() > 0 {
            parallel::for_each_init(
                stripes,
                || (),
                |(), (out, range)| {
                    let part = below.subcols(range.start, range.len());
                    products::inner_products(out, Accum::Add, part, known, -T::ONE);
                },
            );
        }
        let corner = lower.submatrix(j, j, width, width);
        solve_upper(corner, out);
    }
}

/// Columns of a panel, for which all of L to its left is read once.
const PANEL: usize = 512;

/// Columns of a block, which is completed before those to its right in the panel.
const BLOCK: usize = 256;

/// Columns of L that are transposed together: whole chains of a product, so that the cut does not
/// change bits.
const TURNED: usize = 1024;

/// Columns of L that one thread transposes.
const TURN: usize = 256;

/// The largest number of rows of a stripe.
const STRIPE: usize = 1024;

/// Rows of a stripe next to the diagonal: half of a square of this size is computed in vain.
const CORNER: usize = 128;

/// Overwrites the lower triangle of A with its Cholesky factor; only the lower triangle is read.
/// The error is the index of the first pivot that is not positive.
pub fn factorise<T: Scalar>(a: MatMut<'_, T>) -> Result<(), usize> {
    from_left_to_right(a, PANEL, |panel| from_left_to_right(panel, BLOCK, finish_block))
}

/// Processes blocks of `width` columns from left to right: subtracts the products of all columns to
/// their left, and completes them.
fn from_left_to_right<T: Scalar>(
    mut a: MatMut<'_, T>,
    width: usize,
    finish: impl Fn(MatMut<'_, T>) -> Result<(), usize>,
) -> Result<(), usize> {
    let rows = a.nrows();
    for columns in tile_ranges(a.ncols(), width) {
        let j = columns.start;
        let (left, right) = a.as_mut().split_at_col_mut(j);
        let left = left.as_ref().subrows(j, rows - j);
        let mut panel = right.subcols_mut(0, columns.len()).subrows_mut(j, rows - j);
        subtract_products(left, panel.as_mut());
        finish(panel).map_err(|pivot| j + pivot)?;
    }
    Ok(())
}

/// Subtracts the products of all columns to the left from the lower trapezium of a panel.
fn subtract_products<T: Scalar>(left: MatRef<'_, T>, mut panel: MatMut<'_, T>) {
    let (rows, width) = panel.shape();
    let ranges = stripes(rows, width);
    let mut turned = T::with_scratch(|scratch| scratch.take(TURNED.min(left.ncols()) * width));
    for columns in tile_ranges(left.ncols(), TURNED) {
        let depth = columns.len();
        let left = left.subcols(columns.start, depth);
        let turned = &mut turned[..depth * width];
        // Once, and not for each stripe.
        let mut top = MatMut::from_column_major_slice_mut(turned, depth, width);
        turn(left.subrows(0, width), top.as_mut());
        let top = top.as_ref();
        let stripes = split_rows(panel.as_mut(), &ranges).into_iter().zip(ranges.clone());
        parallel::for_each_init(
            stripes.collect(),
            || (),
            |(), (out, range)| {
                let left = left.subrows(range.start, range.len());
                let below = range.end.min(width);
                let (out, top) = (out.subcols_mut(0, below), top.subcols(0, below));
                matmul(out, Accum::Add, left, top, -T::ONE);
            },
        );
    }
    T::with_scratch(|scratch| scratch.give(turned));
}

/// `to` ← the transpose of `from`.
fn turn<T: Scalar>(from: MatRef<'_, T>, to: MatMut<'_, T>) {
    let ranges = tile_ranges(from.ncols(), TURN);
    let parts = split_rows(to, &ranges).into_iter().zip(ranges).collect();
    parallel::for_each_init(
        parts,
        || (),
        |(), (to, range): (_, Range<usize>)| {
            transpose(from.subcols(range.start, range.len()), to);
        },
    );
}

/// Factorises a block column from which all products have been subtracted.
fn finish_block<T: Scalar>(block: MatMut<'_, T>) -> Result<(), usize> {
    let width = block.ncols();
    let (mut diagonal, below) = block.split_at_row_mut(width);
    cholesky(diagonal.as_mut())?;
    let diagonal = diagonal.as_ref();
    let edge = stripe(below.nrows()).min(STRIPE / 4);
    parallel::for_each_init(
        column_blocks(below.transpose_mut(), edge),
        || (),
        |(), (_, out)| {
            solve_lower(diagonal, out);
        },
    );
    Ok(())
}

/// The rows of each stripe of a panel: small ones next to the diagonal, and those below.
fn stripes(rows: usize, width: usize) -> Vec<Range<usize>> {
    let below = rows - width;
    let shift = |range: Range<usize>| width + range.start..width + range.end;
    let below = tile_ranges(below, stripe(below)).into_iter().map(shift);
    tile_ranges(width, CORNER).into_iter().chain(below).collect()
}

/// The number of rows of a stripe: an eighth of all, for any number of threads, within bounds.
fn stripe(rows: usize) -> usize {
    rows.div_ceil(8).next_multiple_of(64).clamp(64, STRIPE)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use super::*;

    /// A symmetric, diagonally dominant matrix. The upper triangle is not read.
    fn matrix<T: Scalar>(n: usize) -> (LargeMat<T>, LargeMat<T>) {
        let value = |i: usize, j: usize| ((i * 31 + j * 17 + i * j) as f64).sin();
        let (mut whole, mut lower) =
            (LargeMat::zeros(n, n).unwrap(), LargeMat::zeros(n, n).unwrap());
        let (mut a, mut l) = (whole.as_mut(), lower.as_mut());
        for j in 0..n {
            for i in j..n {
                let entry = T::from_f64(if i == j { n as f64 } else { value(i, j) });
                (a[(i, j)], a[(j, i)], l[(i, j)]) = (entry, entry, entry);
                if i != j {
                    l[(j, i)] = T::from_f64(f64::NAN);
                }
            }
        }
        (whole, lower)
    }

    fn right_sides<T: Scalar>(n: usize, columns: usize) -> Mat<T> {
        Mat::from_fn(n, columns, |i, j| T::from_f64(((i + 3 * j) as f64).cos()))
    }

    /// The largest entry of |(A + I)x − b|, for every way to solve: sizes on both sides of each
    /// threshold.
    fn check<T: Scalar>() {
        for n in [1, 5, 127, 128, 129, 300, 1023, 1024, 1300] {
            let (whole, lower) = matrix::<T>(n);
            let factor = Cholesky::new(lower, 1.0).unwrap();
            for columns in [1, 16, 17, 70] {
                let b = right_sides::<T>(n, columns);
                let (mut x, mut half) = (b.clone(), b.clone());
                factor.solve_in_place(x.as_mut());
                factor.half_solve_in_place(half.as_mut());
                let residual = whole.as_ref() * &x + &x - &b;
                // Rows of A sum to at most 2n, entries of x are below 2/n: n terms and as many roundings.
                let allowed = 16.0 * (n as f64).sqrt() * T::UNIT_ROUNDOFF;
                assert!(residual.norm_max().to_f64() <= allowed, "{n} {columns}");
                for k in 0..columns {
                    let square: f64 = b
                        .col(k)
                        .iter()
                        .zip(x.col(k).iter())
                        .map(|(b, x)| b.to_f64() * x.to_f64())
                        .sum();
                    let norm = squared_norm(half.col(k));
                    assert!(
                        (norm - square).abs() <= allowed * square,
                        "{n} {columns}: {norm} {square}"
                    );
                }
            }
            let diagonal = factor.inverse_diagonal().unwrap();
            for i in [0, n / 2, n - 1] {
                let mut unit = zeros::<T>(n, 1).unwrap();
                unit[(i, 0)] = T::ONE;
                factor.solve_in_place(unit.as_mut());
                let expected = unit[(i, 0)].to_f64();
                assert!((diagonal[i] - expected).abs() <= 64.0 * T::UNIT_ROUNDOFF * expected);
            }
        }
    }

    #[test]
    fn factors_solve_what_they_factorise() {
        check::<f64>();
        check::<f32>();
    }

    #[test]
    fn the_pivot_that_is_not_positive_is_named() {
        for bad in [0, 100, 128, 250] {
            let (_, mut lower) = matrix::<f64>(300);
            lower.as_mut()[(bad, bad)] = -1.0;
            let error = Cholesky::new(lower, 0.5).err().unwrap();
            assert_eq!(error, Error::NotPositiveDefinite { shift: 0.5, pivot: bad });
        }
    }

    /// Of 1600 columns of the inverse 128 have one corner, and a thread computes 64 or 128 of them.
    #[test]
    fn same_bits_in_and_out_of_the_thread_pool() {
        let run = || {
            let factor = Cholesky::new(matrix::<f64>(1600).1, 1.0).unwrap();
            let (mut few, mut many) = (right_sides(1600, 2), right_sides(1600, 130));
            factor.solve_in_place(few.as_mut());
            factor.solve_in_place(many.as_mut());
            (few, many, factor.inverse_diagonal().unwrap())
        };
        let one = crate::sequentially(run);
        for threads in [2, 8] {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            assert!(pool.install(run) == one, "{threads} threads");
        }
    }
}
