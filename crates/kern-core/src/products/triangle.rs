//! Triangular systems, and Cholesky factors.

use super::micro::one_panel;
use super::pack::pack;
use super::shape::{WIDE, registers};
use super::term::Product;
use super::{height, transpose};
use super::{inner_products, matmul, matmul_lower};
use crate::simd::arch;
use crate::simd::lanes::Vectors;
use crate::simd::{Scalar, Scratch};
use faer::traits::math_utils::sqrt;
use faer::{Accum, ColMut, ColRef, MatMut, MatRef};
use kern_macros::compiled_once;
use pulp::{Simd, WithSimd};

/// Edge of the triangles that are solved in one go; larger ones are made of two, and a product.
pub(super) const CORNER: usize = 64;
/// Right-hand sides that are solved one by one.
const FEW: usize = 2;

/// `B ← L⁻¹B`, on the calling thread.
///
/// # Shapes and units
/// L is n × n, of which the lower triangle is read; B is n × columns.
///
/// # Panics
/// If the shapes do not fit together.
///
/// # Complexity
/// n²·columns flops.
///
/// # Numerics
/// xᵢ is bᵢ less a product for each half of L, times the rounded 1/lᵢᵢ; the number of columns has no influence on its bits.
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

/// `B ← L⁻ᵀB`, on the calling thread.
///
/// # Shapes and units
/// L is n × n, of which the lower triangle is read; B is n × columns.
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
        // From behind, an upper triangle is a lower one.
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

/// The lower triangle of A ← L, where A = LLᵀ, on the calling thread; nothing above it is read or written. The error is the
/// index of a pivot that is not positive.
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

fn check<T: Scalar>(lower: MatRef<'_, T>, b: MatRef<'_, T>) -> usize {
    let n = b.nrows();
    // tidy: allow(panic) because the public callers carry the `# Panics` section.
    assert_eq!(lower.shape(), (n, n), "a triangle has as many rows and columns as the other side");
    n
}

/// The row at which a triangle is cut.
pub(super) fn middle(n: usize) -> usize {
    (n / 2).next_multiple_of(CORNER)
}

/// One right-hand side: each number that is known is subtracted from all below.
fn solve_one<T: Scalar>(lower: MatRef<'_, T>, column: ColMut<'_, T>) {
    let Some(x) = column.try_as_col_major_mut().map(ColMut::as_slice_mut) else { return };
    for (j, l) in lower.col_iter().enumerate() {
        let Some(l) = l.try_as_col_major().map(ColRef::as_slice) else { return };
        x[j] *= T::ONE / l[j];
        let (known, below) = x.split_at_mut(j + 1);
        T::axpy(-known[j], &l[j + 1..], below);
    }
}

/// A triangle that is solved in one go, for as many right-hand sides at a time as a panel has rows.
fn corner<T: Scalar>(lower: MatRef<'_, T>, b: MatMut<'_, T>, scratch: &mut Scratch<T>) {
    let (n, height) = (b.nrows(), height::<T>());
    if n == 0 {
        return;
    }
    // Rows come in whole groups. Those that fill the last one up are zeros, and come after all others, which they leave alone.
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

/// Forward substitution for the right-hand sides of a panel, side by side in registers.
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
    /// As many rows together as a block of sums has columns, so that what is known is loaded once for them.
    #[inline(always)]
    fn all_rows<S: Simd, const R: usize>(self, simd: S) {
        let x = T::vectors_mut::<S>(self.panel).0.as_chunks_mut::<R>().0;
        for i in (0..x.len()).step_by(WIDE) {
            some_rows(simd, self.rows, x, i);
        }
    }
}

/// The unknowns of a group of rows, from number `i` on.
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
    let mut sums = one_panel(simd, known.iter().copied(), left, sums, (Product, 0));
    solve_row::<T, S, R, 0>(simd, &corner, &mut sums);
    solve_row::<T, S, R, 1>(simd, &corner, &mut sums);
    solve_row::<T, S, R, 2>(simd, &corner, &mut sums);
    solve_row::<T, S, R, 3>(simd, &corner, &mut sums);
    solve_row::<T, S, R, 4>(simd, &corner, &mut sums);
    solve_row::<T, S, R, 5>(simd, &corner, &mut sums);
    unknown[..WIDE].copy_from_slice(&sums);
}

/// Unknown K of a group, which is subtracted from all below. K is a constant so that sums stay in registers.
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

/// Each column from those to its left.
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
