//! Inverses of triangles.

use super::matmul::subtract_by_triangle;
use super::solve_lower;
use super::triangle::{CORNER, middle};
use crate::simd::Scalar;
use faer::{MatMut, MatRef};
use kern_macros::compiled_once;
use std::ops::Range;

/// `out` ← the columns of this range of L⁻¹, which are among the first `width` ones, on the calling thread.
///
/// # Shapes and units
/// L is n × n, of which the lower triangle is read; `out` is n × the length of the range, and width is at most n.
///
/// # Panics
/// If the shapes do not fit together.
///
/// # Complexity
/// (n − j)² flops for column j, and less than 64² + 10·n beside: the zeros above the diagonal are hardly multiplied.
///
/// # Numerics
/// The bits of a column depend on the width, and not on the other columns of the range.
///
/// # References
/// Golub & Van Loan (2013), *Matrix Computations*, section 3.1.
///
/// # Examples
/// ```
/// use kern_core::{faer::{Mat, mat}, products::inverse_columns};
/// let mut out = Mat::zeros(2, 2);
/// inverse_columns(mat![[2.0, 0.0], [3.0, 4.0]].as_ref(), 2, 0..2, out.as_mut());
/// assert_eq!(out, mat![[0.5, 0.0], [-0.375, 0.25]]);
/// ```
#[compiled_once]
pub fn inverse_columns<T: Scalar>(
    lower: MatRef<'_, T>,
    width: usize,
    range: Range<usize>,
    mut out: MatMut<'_, T>,
) {
    let n = lower.nrows();
    assert_eq!(lower.ncols(), n, "a triangle has as many rows as columns");
    let fit = range.end <= width && width <= n && out.shape() == (n, range.len());
    assert!(fit, "{range:?} of {width} of {n} columns are not {:?}", out.shape());
    out.fill(T::ZERO);
    solve_columns(lower, width, range, out);
}

/// The columns of a range, where zeros were before: with L cut in two, those of the first part, and less their product with what is
/// below it, solved for the second part; then those of the second part.
fn solve_columns<T: Scalar>(
    lower: MatRef<'_, T>,
    width: usize,
    range: Range<usize>,
    mut out: MatMut<'_, T>,
) {
    let n = lower.nrows();
    if range.is_empty() {
        return;
    }
    if n <= CORNER {
        range.clone().enumerate().for_each(|(k, j)| out[(j, k)] = T::ONE);
        return solve_lower(lower, out);
    }
    let cut = if width < n { width } else { middle(n) };
    let (first, _, below, second) = lower.split_at(cut, cut);
    let split = cut.clamp(range.start, range.end);
    let left = range.start..split;
    let right = split.saturating_sub(cut)..range.end.saturating_sub(cut);
    let (columns, rest) = out.split_at_col_mut(left.len());
    let (mut top, mut bottom) = columns.split_at_row_mut(cut);
    if !left.is_empty() {
        let number = left.start;
        solve_columns(first, cut, left, top.as_mut());
        let known = (top.as_ref(), number);
        T::with_scratch(|scratch| subtract_by_triangle(bottom.as_mut(), below, known, scratch));
        solve_lower(second, bottom);
    }
    solve_columns(second, width - cut, right, rest.subrows_mut(cut, n - cut));
}
