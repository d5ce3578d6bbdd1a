//! Cholesky factorisation on one thread, recursive: two triangles, and the square below the first.

use super::triangular_solve::{CORNER, middle};
use super::{matmul_lower, solve_lower};
use crate::simd::Scalar;
use faer::traits::math_utils::sqrt;
use faer::{Accum, MatMut};
use kern_macros::compiled_once;

/// Overwrites the lower triangle of A with its Cholesky factor L, A = LLᵀ, on the calling thread.
/// Entries above the diagonal are neither read nor written.
///
/// # Errors
/// The index of the first pivot that is not a positive number; the columns before it are those of L.
///
/// # Panics
/// If A is not square.
///
/// # Complexity
/// n³/3 flops.
///
/// # References
/// Golub & Van Loan (2013), *Matrix Computations*, section 4.2.
///
/// # Examples
/// ```
/// use kern_core::{faer::mat, products::cholesky};
/// let mut a = mat![[4.0, 0.0], [6.0, 25.0]];
/// cholesky(a.as_mut())?;
/// assert_eq!(a, mat![[2.0, 0.0], [3.0, 4.0]]);
/// # Ok::<(), usize>(())
/// ```
#[compiled_once]
pub fn cholesky<T: Scalar>(mut a: MatMut<'_, T>) -> Result<(), usize> {
    let n = a.nrows();
    assert_eq!(n, a.ncols(), "a triangle is part of a square");
    if n <= CORNER {
        return column_by_column(a);
    }
    let half = middle(n);
    let (mut first, _, mut below, mut second) = a.as_mut().split_at_mut(half, half);
    cholesky(first.as_mut())?;
    solve_lower(first.as_ref(), below.as_mut().transpose_mut());
    let below = below.as_ref();
    matmul_lower(second.as_mut(), Accum::Add, below, below.transpose(), -T::ONE);
    cholesky(second).map_err(|pivot| half + pivot)
}

/// Factors a small matrix, each column from those to its left.
fn column_by_column<T: Scalar>(mut a: MatMut<'_, T>) -> Result<(), usize> {
    let n = a.nrows();
    T::with_scratch(|scratch| {
        let mut columns = scratch.take(n * n);
        for j in 0..n {
            let (left, rest) = columns.split_at_mut(j * n);
            let column = &mut rest[j..n];
            (j..n).for_each(|i| column[i - j] = a[(i, j)]);
            let part = |k: usize| &left[k * n + j..(k + 1) * n];
            let whole = j - j % 4;
            for k in (0..whole).step_by(4) {
                let four = [part(k), part(k + 1), part(k + 2), part(k + 3)];
                T::axpy4(four.map(|l| -l[0]), four, column);
            }
            (whole..j).for_each(|k| T::axpy(-part(k)[0], part(k), column));
            let pivot = column[0];
            if !(pivot > T::ZERO && pivot.is_finite_number()) {
                return Err(j);
            }
            let root = sqrt(&pivot);
            column[0] = root;
            let inverse = T::ONE / root;
            column[1..].iter_mut().for_each(|v| *v *= inverse);
            (j..n).for_each(|i| a[(i, j)] = column[i - j]);
        }
        scratch.give(columns);
        Ok(())
    })
}
