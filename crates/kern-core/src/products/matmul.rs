//! Matrix products (GEMM), inner products of lists of vectors, and lower triangles of products
//! (SYRK).

use super::few_vectors::Few;
use super::packing::DEPTH;
use super::{Layout, Operands, Product, Sum, Term, are_better_turned, height};
use crate::simd::{Scalar, Scratch, dispatched};
use faer::{Accum, MatMut, MatRef};
use kern_macros::compiled_once;

/// Rows of the result per block: packed, they take half of the second-level cache.
const ROWS: usize = 256;
/// Columns of the result per block.
const COLUMNS: usize = 512;
/// Up to this number of columns rows are not packed, since packing would take a large part of the
/// time.
const SOME: usize = 32;
/// Number of coordinates from which contiguous columns are read in place for few products: with
/// eight vectors, 256 columns of 256 coordinates reach 85 GFLOP/s instead of 45 on one core of a
/// Zen 5, 2000 columns of 32 coordinates 43 instead of 49.
const LONG: usize = 128;
/// Up to this number of columns no register block pays.
const FEW: usize = 2;
/// Up to this number of columns inner products pay if both operands are contiguous along the sum;
/// beyond, packing does.
const DOTS: usize = 4;
/// Columns whose products with one row are summed side by side.
const CHAINS: usize = 4;
/// Edge of the blocks on the diagonal of a triangle; half of their entries are computed in vain.
const CORNER: usize = 64;

/// `out = α·A·B`, or `out += α·A·B`, on the calling thread.
///
/// # Shapes and units
/// A is m × k, B k × n, `out` m × n, with any strides.
///
/// # Panics
/// If the shapes do not fit together.
///
/// # Complexity
/// 2·m·n·k flops; half a megabyte of buffers, which the thread keeps.
///
/// # Numerics
/// An entry is the old value, if any, plus one chain of fused multiply-adds for each 256 terms. For
/// α = ±1 its bits depend on nothing else, and |error| ≤ (256 + k/256)·u·Σₖ|a_ik·b_kj|.
///
/// # Examples
/// ```
/// use kern_core::{faer::{Accum, Mat, mat}, products::matmul};
/// let (a, b) = (mat![[1.0, 2.0], [3.0, 4.0]], mat![[1.0], [10.0]]);
/// let mut out = Mat::zeros(2, 1);
/// matmul(out.as_mut(), Accum::Replace, a.as_ref(), b.as_ref(), 1.0);
/// assert_eq!(out, mat![[21.0], [43.0]]);
/// ```
#[compiled_once]
pub fn matmul<T: Scalar>(
    out: MatMut<'_, T>,
    accum: Accum,
    a: MatRef<'_, T>,
    b: MatRef<'_, T>,
    alpha: T,
) {
    check(out.as_ref(), a, b);
    T::with_scratch(|scratch| add(out, accum, Factors { a, b, alpha }, scratch));
}

/// `out = α·Zᵀ·W`, or `out += α·Zᵀ·W`, for lists of vectors, on the calling thread.
///
/// # Shapes and units
/// Z is k × m, W k × n, `out` m × n.
///
/// # Panics
/// If the shapes do not fit together.
///
/// # Complexity
/// 2·m·n·k flops.
///
/// # Numerics
/// As [`matmul`] if W has more than four columns; otherwise an entry is a [`Scalar::dot`], which
/// reads Z once without packing it.
///
/// # Examples
/// ```
/// use kern_core::{faer::{Accum, Mat, mat}, products::inner_products};
/// let z = mat![[1.0, 2.0], [3.0, 4.0]];
/// let mut out = Mat::zeros(2, 2);
/// inner_products(out.as_mut(), Accum::Replace, z.as_ref(), z.as_ref(), 1.0);
/// assert_eq!(out, mat![[10.0, 14.0], [14.0, 20.0]]);
/// ```
#[compiled_once]
pub fn inner_products<T: Scalar>(
    mut out: MatMut<'_, T>,
    accum: Accum,
    z: MatRef<'_, T>,
    w: MatRef<'_, T>,
    alpha: T,
) {
    let side_by_side = z.row_stride() == 1 && w.row_stride() == 1;
    if w.ncols() > DOTS || !side_by_side {
        return matmul(out, accum, z.transpose(), w, alpha);
    }
    check(out.as_ref(), z.transpose(), w);
    for (j, w) in w.col_iter().enumerate() {
        for (i, z) in z.col_iter().enumerate() {
            let (Some(z), Some(w)) = (z.try_as_col_major(), w.try_as_col_major()) else { continue };
            let value = alpha * T::dot(z.as_slice(), w.as_slice());
            match accum {
                Accum::Replace => out[(i, j)] = value,
                Accum::Add => out[(i, j)] += value,
            }
        }
    }
}

/// The lower triangle of [`matmul`], diagonal included; entries above it are neither read nor
/// written.
///
/// # Shapes and units
/// A is n × k, B k × n, `out` n × n.
///
/// # Panics
/// If the shapes do not fit together.
///
/// # Complexity
/// n²·k flops.
///
/// # Examples
/// ```
/// use kern_core::{faer::{Accum, mat}, products::matmul_lower};
/// let a = mat![[1.0], [2.0]];
/// let mut out = mat![[0.0, 7.0], [0.0, 0.0]];
/// matmul_lower(out.as_mut(), Accum::Replace, a.as_ref(), a.transpose(), 1.0);
/// assert_eq!(out, mat![[1.0, 7.0], [2.0, 4.0]]);
/// ```
#[compiled_once]
pub fn matmul_lower<T: Scalar>(
    out: MatMut<'_, T>,
    accum: Accum,
    a: MatRef<'_, T>,
    b: MatRef<'_, T>,
    alpha: T,
) {
    check(out.as_ref(), a, b);
    assert_eq!(out.nrows(), out.ncols(), "a triangle is part of a square");
    T::with_scratch(|scratch| add_lower(out, accum, Factors { a, b, alpha }, scratch));
}

fn check<T: Scalar>(out: MatRef<'_, T>, a: MatRef<'_, T>, b: MatRef<'_, T>) {
    let fit = a.ncols() == b.nrows() && out.shape() == (a.nrows(), b.ncols());
    // tidy: allow(panic) because the public callers carry the `# Panics` section.
    assert!(fit, "{:?} times {:?} is not {:?}", a.shape(), b.shape(), out.shape());
}

/// The factors of a product α·A·B.
#[derive(Clone, Copy)]
struct Factors<'a, T> {
    a: MatRef<'a, T>,
    b: MatRef<'a, T>,
    alpha: T,
}

fn add<T: Scalar>(
    mut out: MatMut<'_, T>,
    accum: Accum,
    factors: Factors<'_, T>,
    scratch: &mut Scratch<T>,
) {
    let Factors { a, b, alpha } = factors;
    let (m, n) = out.shape();
    if m == 1
        && n <= SOME
        && b.row_stride() == 1
        && let Some(row) = a.row(0).try_as_row_major()
    {
        if let Accum::Replace = accum {
            out.fill(T::ZERO);
        }
        return add_row(out, row.as_slice(), b, alpha);
    }
    let lying = out.row_stride() != 1 && out.col_stride() == 1;
    // Rows come in whole panels. Few columns take a path of their own, whatever the number of rows.
    if lying || (n > FEW && are_better_turned::<T>(m, n)) {
        let factors = Factors { a: b.transpose(), b: a.transpose(), alpha };
        return add_upright(out.transpose_mut(), accum, factors, scratch);
    }
    add_upright(out.as_mut(), accum, factors, scratch);
}

fn add_upright<T: Scalar>(
    mut out: MatMut<'_, T>,
    accum: Accum,
    factors: Factors<'_, T>,
    scratch: &mut Scratch<T>,
) {
    let Factors { a, b, alpha } = factors;
    let n = out.ncols();
    if a.ncols() == 0 || (n <= FEW && a.row_stride() == 1 && out.row_stride() == 1) {
        if let Accum::Replace = accum {
            out.fill(T::ZERO);
        }
        return add_columns(out, factors, scratch);
    }
    let (sum, factor) = match accum {
        Accum::Replace => (Sum::Blocks, alpha),
        Accum::Add if alpha == -T::ONE => (Sum::Subtracted, T::ONE),
        Accum::Add => (Sum::Added, alpha),
    };
    if n <= SOME && a.row_stride() == 1 {
        let whole = a.nrows() - a.nrows() % height::<T>();
        let ((a, tail), (out, rest)) = (a.split_at_row(whole), out.split_at_row_mut(whole));
        let (columns, layout, triangle) = (b, Layout::Lying, None);
        let unpacked = Operands { rows: a.transpose(), columns, factor, layout, sum, triangle };
        Product.fold(unpacked, out, scratch, &mut |_, _| {});
        let packed = Operands { rows: tail.transpose(), layout: Layout::Unpacked, ..unpacked };
        return Product.fold(packed, rest, scratch, &mut |_, _| {});
    }
    if n <= SOME && a.ncols() >= LONG && a.col_stride() == 1 && out.row_stride() == 1 {
        return Few { out, accum, z: a.transpose(), w: b, alpha, scratch }.add();
    }
    for (i, mut out) in stripes(out) {
        let rows = a.subrows(i, out.nrows()).transpose();
        for j in (0..n).step_by(COLUMNS) {
            let columns = b.subcols(j, COLUMNS.min(n - j));
            let part = out.as_mut().subcols_mut(j, columns.ncols());
            let layout = Layout::Unpacked;
            let operands = Operands { rows, columns, factor, layout, sum, triangle: None };
            Product.fold(operands, part, scratch, &mut |_, _| {});
        }
    }
}

/// `out −= A·B`, where B holds columns of a lower triangle, the first of which has index `first`.
#[compiled_once]
pub(super) fn subtract_by_triangle<T: Scalar>(
    out: MatMut<'_, T>,
    a: MatRef<'_, T>,
    b: MatRef<'_, T>,
    first: usize,
    scratch: &mut Scratch<T>,
) {
    let (sum, triangle) = (Sum::Subtracted, Some(first));
    for (i, out) in stripes(out) {
        let rows = a.subrows(i, out.nrows()).transpose();
        let (columns, factor, layout) = (b, T::ONE, Layout::Unpacked);
        let operands = Operands { rows, columns, factor, layout, sum, triangle };
        Product.fold(operands, out, scratch, &mut |_, _| {});
    }
}

/// Blocks of rows of the result, each with the index of its first row.
fn stripes<T: Scalar>(out: MatMut<'_, T>) -> impl Iterator<Item = (usize, MatMut<'_, T>)> {
    let m = out.nrows();
    let mut rest = Some(out);
    (0..m).step_by(ROWS).filter_map(move |i| {
        let (stripe, below) = rest.take()?.split_at_row_mut(ROWS.min(m - i));
        rest = Some(below);
        Some((i, stripe))
    })
}

/// Few columns: adds up the weighted columns of A.
fn add_columns<T: Scalar>(out: MatMut<'_, T>, factors: Factors<'_, T>, scratch: &mut Scratch<T>) {
    let Factors { a, b, alpha } = factors;
    let column = |k: usize| a.col(k).try_as_col_major().map_or(&[][..], |column| column.as_slice());
    let mut sum = scratch.take(out.nrows());
    for (j, mut out) in out.col_iter_mut().enumerate() {
        let weight = |k: usize| alpha * b[(k, j)];
        for start in (0..a.ncols()).step_by(DEPTH) {
            let end = a.ncols().min(start + DEPTH);
            let whole = end - (end - start) % 4;
            sum.fill(T::ZERO);
            for k in (start..whole).step_by(4) {
                let four = [k, k + 1, k + 2, k + 3];
                T::axpy4(four.map(weight), four.map(column), &mut sum);
            }
            (whole..end).for_each(|k| T::axpy(weight(k), column(k), &mut sum));
            out.as_mut().iter_mut().zip(&sum).for_each(|(old, &sum)| *old += sum);
        }
    }
    scratch.give(sum);
}

/// One row: chains of scalar multiply-adds, one for each block of terms and column, some columns at
/// a time so that the chains overlap.
fn add_row<T: Scalar>(mut out: MatMut<'_, T>, row: &[T], b: MatRef<'_, T>, alpha: T) {
    for start in (0..b.ncols()).step_by(CHAINS) {
        let count = CHAINS.min(b.ncols() - start);
        let columns: [&[T]; CHAINS] = std::array::from_fn(|c| {
            let column = b.col(start + c.min(count - 1)).try_as_col_major();
            column.map_or(&[][..], |column| column.as_slice())
        });
        for first in (0..row.len()).step_by(DEPTH) {
            let block = first..row.len().min(first + DEPTH);
            let columns = columns.map(|column| &column[block.clone()]);
            let sums = chains(alpha, columns, &row[block]);
            (0..count).for_each(|c| out[(0, start + c)] += sums[c]);
        }
    }
}

dispatched! {
    /// Σₖ (α·w_k)x_k from the first term to the last, for each column w.
    fn chains<'a, T>(alpha: T, columns: [&'a [T]; CHAINS], x: &'a [T]) -> [T; CHAINS] {
        let columns = columns.map(|column| &column[..x.len()]);
        let mut sums = [T::ZERO; CHAINS];
        for (k, &x) in x.iter().enumerate() {
            for (sum, column) in sums.iter_mut().zip(columns) {
                *sum = (alpha * column[k]).fma(x, *sum);
            }
        }
        sums
    }
}

/// SYRK by recursion: two triangles, and the square below the first.
fn add_lower<T: Scalar>(
    mut out: MatMut<'_, T>,
    accum: Accum,
    factors: Factors<'_, T>,
    scratch: &mut Scratch<T>,
) {
    let Factors { a, b, alpha } = factors;
    let n = out.nrows();
    if n <= CORNER {
        return scratch.with_matrix(n, n, |mut whole, scratch| {
            whole.fill(T::ZERO);
            (0..n).for_each(|j| (j..n).for_each(|i| whole[(i, j)] = out[(i, j)]));
            add(whole.as_mut(), accum, factors, scratch);
            (0..n).for_each(|j| (j..n).for_each(|i| out[(i, j)] = whole[(i, j)]));
        });
    }
    let half = (n / 2).next_multiple_of(CORNER);
    let ((a0, a1), (b0, b1)) = (a.split_at_row(half), b.split_at_col(half));
    let (first, _, below, second) = out.split_at_mut(half, half);
    add_lower(first, accum, Factors { a: a0, b: b0, alpha }, scratch);
    add(below, accum, Factors { a: a1, b: b0, alpha }, scratch);
    add_lower(second, accum, Factors { a: a1, b: b1, alpha }, scratch);
}
