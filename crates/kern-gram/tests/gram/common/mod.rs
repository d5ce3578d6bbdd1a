//! Data, and what every operator must be: the matrix that it stands for, by all its methods.
#![allow(clippy::unwrap_used, reason = "a test may panic, in its helper functions, too")]

use kern_core::faer::{Mat, MatRef};
use kern_core::{Samples, Scalar};
use kern_gram::{GramOperator, MemoryBudget, Rows};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

pub(crate) const BUDGET: MemoryBudget = MemoryBudget::mebibytes(64);

/// Uniform in [−1, 1]^dim.
pub(crate) fn samples<T: Scalar>(n: usize, dim: usize, seed: u64) -> Samples<T> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let values = (0..n * dim).map(|_| T::from_f64(rng.random_range(-1.0..1.0))).collect();
    Samples::from_row_major(dim, values).unwrap()
}

/// Words that share some of their letters.
pub(crate) fn words(n: usize) -> Vec<String> {
    (0..n).map(|i| format!("{:b}a{:o}b{}", i * i % 1009, i * 7, i % 13)).collect()
}

pub(crate) fn matrix<T: Scalar>(rows: usize, cols: usize, seed: u64) -> Mat<T> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    Mat::from_fn(rows, cols, |_, _| T::from_f64(rng.random_range(-1.0..1.0)))
}

pub(crate) fn widen<T: Scalar>(m: MatRef<'_, T>) -> Mat<f64> {
    Mat::from_fn(m.nrows(), m.ncols(), |i, j| m[(i, j)].to_f64())
}

/// The greatest difference; NaN if there is one.
pub(crate) fn distance(a: &Mat<f64>, b: &Mat<f64>) -> f64 {
    assert_eq!(a.shape(), b.shape());
    let pairs = a.col_iter().zip(b.col_iter()).flat_map(|(a, b)| a.iter().zip(b.iter()));
    let worse = |m: f64, (a, b): (&f64, &f64)| if m >= (a - b).abs() { m } else { (a - b).abs() };
    pairs.fold(0.0, worse)
}

/// Checks every method of `operator` against the matrix `expected`, entries within `tolerance`.
pub(crate) fn assert_is<T: Scalar>(
    operator: &dyn GramOperator<T>,
    expected: &Mat<f64>,
    tolerance: f64,
) {
    let n = expected.nrows();
    assert_eq!(operator.size(), n);
    let all: Vec<usize> = (0..n).collect();
    let mut entries = Mat::zeros(n, n);
    operator.columns_into(&all, entries.as_mut()).unwrap();
    assert!(distance(&widen(entries.as_ref()), expected) <= tolerance, "columns, n = {n}");

    let diag = operator.diag();
    assert!((0..n).all(|i| diag[i] == entries[(i, i)]), "the diagonal is that of the columns");

    let rows: Vec<usize> = (0..n).rev().step_by(3).chain(0..n.min(2)).collect();
    let cols: Vec<usize> = (0..n).step_by(2).chain(n.saturating_sub(1)..n).collect();
    let mut part = Mat::zeros(rows.len(), cols.len());
    operator.submatrix_into(Rows::Of(&rows), &cols, part.as_mut()).unwrap();
    let exact = Mat::from_fn(rows.len(), cols.len(), |a, b| expected[(rows[a], cols[b])]);
    assert!(distance(&widen(part.as_ref()), &exact) <= tolerance, "submatrix, n = {n}");

    let v = matrix::<T>(n, 3, 99);
    let product = expected * widen(v.as_ref());
    let given = widen(operator.apply(v.as_ref()).unwrap().as_ref());
    // Sums of n entries of magnitude |G_ij| ≤ g, each of them within the tolerance.
    let g = expected.norm_max().max(1.0);
    let allowed = n as f64 * (tolerance + 64.0 * T::UNIT_ROUNDOFF * g);
    assert!(distance(&given, &product) <= allowed, "product, n = {n}");

    let few = matrix::<T>(cols.len(), 2, 98);
    let mut change = Mat::from_fn(n, 2, |_, _| T::from_f64(f64::NAN));
    operator.apply_columns_into(&cols, few.as_ref(), change.as_mut()).unwrap();
    let exact = Mat::from_fn(n, cols.len(), |i, b| expected[(i, cols[b])]) * widen(few.as_ref());
    assert!(distance(&widen(change.as_ref()), &exact) <= allowed, "product of columns, n = {n}");

    for i in 0..n {
        if let Some(column) = operator.stored_column(i) {
            assert!(column.iter().zip(entries.col(i).iter()).all(|(a, b)| a == b), "stored column");
        }
    }
    assert!(operator.stored_column(n).is_none());
}
