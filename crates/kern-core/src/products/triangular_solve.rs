//! Triangular solves, and inverses of triangular matrices.

use super::matmul::subtract_by_triangle;
use super::microkernel::{WIDE, one_panel, registers};
use super::packing::pack;
use super::term::Product;
use super::{height, inner_products, matmul, transpose};
use crate::simd::lanes::Vectors;
use crate::simd::{Scalar, Scratch, arch};
use faer::{Accum, ColMut, ColRef, MatMut, MatRef};
use kern_macros::compiled_once;
use pulp::{Simd, WithSimd};
use std::ops::Range;

/// Edge of the triangles that are solved directly; larger ones are split into two triangles and a
/// product.
pub(super) const CORNER: usize = 64;
/// Up to this number of right-hand sides they are solved one by one.
const FEW: usize = 2;

/// Solves LX = B: `B ← L⁻¹B`, on the calling thread.
///
/// # Shapes and units
/// L is n × n, only its lower triangle is read; B is n × columns.
///
/// # Panics
/// If the shapes do not fit together.
///
/// # Complexity
/// n²·columns flops.
///
/// # Numerics
/// xᵢ is bᵢ minus one product for each half of L, times the rounded 1/lᵢᵢ. Its bits do not depend
/// on the number of columns.
///
/// # Examples
/// ```
/// use kern_core::{faer::mat, products::solve_lower};
/// let mut b = mat![[2.0], [7.0]];
/// solve_lower(mat![[2.0, 0.0], [3.0, 4.0]].as_ref(), b.as_mut());
/// assert_eq!(b, mat![[1.0], [1.0]]);
/// ```
#[compiled_once]
pub fn solve_lower<T: Scalar>(lower: MatRef<'_, T>, mut b: MatMut<'_, T>) {
    let n = check(lower, b.as_ref());
    if n <= CORNER && b.ncols() <= FEW && lower.row_stride() == 1 && b.row_stride() == 1 {
        return b.col_iter_mut().for_each(|column| solve_one(lower, column));
    }
    if n <= CORNER {
        return T::with_scratch(|scratch| corner(lower, b, scratch));
    }
    let half = middle(n);
    let (first, _, below, second) = lower.split_at(half, half);
    let (mut top, mut bottom) = b.as_mut().split_at_row_mut(half);
    solve_lower(first, top.as_mut());
    matmul(bottom.as_mut(), Accum::Add, below, top.as_ref(), -T::ONE);
    solve_lower(second, bottom);
}

/// Solves LᵀX = B: `B ← L⁻ᵀB`, on the calling thread.
///
/// # Shapes and units
/// L is n × n, only its lower triangle is read; B is n × columns.
///
/// # Panics
/// If the shapes do not fit together.
///
/// # Complexity
/// n²·columns flops.
///
/// # Examples
/// ```
/// use kern_core::{faer::mat, products::solve_upper};
/// let mut b = mat![[5.0], [4.0]];
/// solve_upper(mat![[2.0, 0.0], [3.0, 4.0]].as_ref(), b.as_mut());
/// assert_eq!(b, mat![[1.0], [1.0]]);
/// ```
#[compiled_once]
pub fn solve_upper<T: Scalar>(lower: MatRef<'_, T>, mut b: MatMut<'_, T>) {
    let n = check(lower, b.as_ref());
    if n <= CORNER {
        // With rows and columns reversed, an upper triangle is a lower one.
        let lower = lower.transpose().reverse_rows_and_cols();
        return T::with_scratch(|scratch| corner(lower, b.reverse_rows_mut(), scratch));
    }
    let half = middle(n);
    let (first, _, below, second) = lower.split_at(half, half);
    let (mut top, mut bottom) = b.as_mut().split_at_row_mut(half);
    solve_upper(second, bottom.as_mut());
    inner_products(top.as_mut(), Accum::Add, below, bottom.as_ref(), -T::ONE);
    solve_upper(first, top);
}

fn check<T: Scalar>(lower: MatRef<'_, T>, b: MatRef<'_, T>) -> usize {
    let n = b.nrows();
    // tidy: allow(panic) because the public callers carry the `# Panics` section.
    assert_eq!(lower.shape(), (n, n), "a triangle has as many rows and columns as the other side");
    n
}

/// The row at which a triangle is split.
pub(super) fn middle(n: usize) -> usize {
    (n / 2).next_multiple_of(CORNER)
}

/// One right-hand side: each solved unknown is eliminated from all equations below.
fn solve_one<T: Scalar>(lower: MatRef<'_, T>, column: ColMut<'_, T>) {
    let Some(x) = column.try_as_col_major_mut().map(ColMut::as_slice_mut) else { return };
    for (j, l) in lower.col_iter().enumerate() {
        let Some(l) = l.try_as_col_major().map(ColRef::as_slice) else { return };
        x[j] *= T::ONE / l[j];
        let (known, below) = x.split_at_mut(j + 1);
        T::axpy(-known[j], &l[j + 1..], below);
    }
}

/// Solves a small triangle directly, for as many right-hand sides at a time as a panel has rows.
fn corner<T: Scalar>(lower: MatRef<'_, T>, b: MatMut<'_, T>, scratch: &mut Scratch<T>) {
    let (n, height) = (b.nrows(), height::<T>());
    if n == 0 {
        return;
    }
    // Rows come in whole groups. The padding of the last one is zero and comes last, so that it
    // does not affect other rows.
    let padded = n.next_multiple_of(WIDE);
    let (mut rows, mut panel) = (scratch.take(padded * padded), scratch.take(padded * height));
    rows.fill(T::ZERO);
    for (i, row) in rows.chunks_exact_mut(padded).take(n).enumerate() {
        (0..i).for_each(|j| row[j] = -lower[(i, j)]);
        row[i] = T::ONE / lower[(i, i)];
    }
    let mut rest = b;
    while rest.ncols() > 0 {
        let width = height.min(rest.ncols());
        let (some, others) = rest.split_at_col_mut(width);
        pack(some.as_ref(), height, &mut panel[..n * height]);
        arch().dispatch(Substitute { rows: &rows, panel: &mut panel });
        let solved = MatRef::from_column_major_slice(&panel[..n * height], height, n);
        transpose(solved.subrows(0, some.ncols()), some);
        rest = others;
    }
    scratch.give(panel);
    scratch.give(rows);
}

/// Forward substitution for the right-hand sides of a panel, which lie across the lanes.
struct Substitute<'a, T> {
    /// −L row by row, with 1/lᵢᵢ on the diagonal.
    rows: &'a [T],
    panel: &'a mut [T],
}

impl<T: Scalar> WithSimd for Substitute<'_, T> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        match registers::<S>() {
            4 => self.all_rows::<S, 4>(simd),
            _ => self.all_rows::<S, 2>(simd),
        }
    }
}

impl<T: Scalar> Substitute<'_, T> {
    /// Solves as many rows together as a register block has columns, so that solved unknowns are
    /// loaded once for all of them.
    #[inline(always)]
    fn all_rows<S: Simd, const R: usize>(self, simd: S) {
        let x = T::vectors_mut::<S>(self.panel).0.as_chunks_mut::<R>().0;
        for i in (0..x.len()).step_by(WIDE) {
            some_rows(simd, self.rows, x, i);
        }
    }
}

/// Solves for a group of unknowns, from index `i` on.
#[inline(always)]
fn some_rows<T: Scalar, S: Simd, const R: usize>(
    simd: S,
    rows: &[T],
    x: &mut [[T::Vector<S>; R]],
    i: usize,
) {
    let n = x.len();
    let (known, unknown) = x.split_at_mut(i);
    let left: [&[T]; WIDE] = std::array::from_fn(|c| &rows[(i + c) * n..][..i]);
    let corner: [&[T]; WIDE] = std::array::from_fn(|c| &rows[(i + c) * n + i..][..WIDE]);
    let mut sums = [[T::splat(simd, T::ZERO); R]; WIDE];
    sums.copy_from_slice(&unknown[..WIDE]);
    let mut sums = one_panel(simd, known.iter().copied(), left, sums, Product, 0);
    solve_row::<T, S, R, 0>(simd, &corner, &mut sums);
    solve_row::<T, S, R, 1>(simd, &corner, &mut sums);
    solve_row::<T, S, R, 2>(simd, &corner, &mut sums);
    solve_row::<T, S, R, 3>(simd, &corner, &mut sums);
    solve_row::<T, S, R, 4>(simd, &corner, &mut sums);
    solve_row::<T, S, R, 5>(simd, &corner, &mut sums);
    unknown[..WIDE].copy_from_slice(&sums);
}

/// Solves for unknown K of a group and eliminates it from all below. K is a constant so that sums
/// stay in registers.
#[inline(always)]
fn solve_row<T: Scalar, S: Simd, const R: usize, const K: usize>(
    simd: S,
    corner: &[&[T]; WIDE],
    sums: &mut [[T::Vector<S>; R]; WIDE],
) {
    let (known, below) = sums.split_at_mut(K + 1);
    let inverse = T::splat(simd, corner[K][K]);
    for x in &mut known[K] {
        *x = <T as Vectors>::mul(simd, *x, inverse);
    }
    for (sums, row) in below.iter_mut().zip(&corner[K + 1..]) {
        let l = T::splat(simd, row[K]);
        for (sum, &x) in sums.iter_mut().zip(&known[K]) {
            *sum = T::mul_add(simd, l, x, *sum);
        }
    }
}

/// Computes a range of columns of L⁻¹, all among the first `width` ones, on the calling thread.
///
/// # Shapes and units
/// L is n × n, only its lower triangle is read; `out` is n × the length of the range, and width is
/// at most n.
///
/// # Panics
/// If the shapes do not fit together.
///
/// # Complexity
/// (n − j)² flops for column j, plus less than 64² + 10·n: zeros above the diagonal are mostly
/// skipped.
///
/// # Numerics
/// The bits of a column depend on the width, but not on the other columns of the range.
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

/// The columns of a range; `out` holds zeros before. With L split in two: solve for the first part,
/// subtract its product with the block below, solve for the second part; then the columns of the
/// second part.
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
        let known = top.as_ref();
        T::with_scratch(|scratch| {
            subtract_by_triangle(bottom.as_mut(), below, known, number, scratch);
        });
        solve_lower(second, bottom);
    }
    solve_columns(second, width - cut, right, rest.subrows_mut(cut, n - cut));
}
