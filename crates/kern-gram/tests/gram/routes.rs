//! Every route to the same numbers gives the same numbers: pointwise, dense, lazy and cross, for
//! sizes around the tile edge, in f32 and f64, on vectors and on other points.
#![allow(clippy::unwrap_used, reason = "a test may panic, in its helper functions, too")]

use kern_core::faer::{Mat, MatRef};
use kern_core::kernels::{FnKernel, Laplacian, Linear, Polynomial, Rbf};
use kern_core::{Kernel, Points, Samples, Scalar};
use kern_gram::{CrossGram, DenseGram, GramOperator, LazyGram, MemoryBudget};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

const BUDGET: MemoryBudget = MemoryBudget::mebibytes(64);

fn samples<T: Scalar>(n: usize, dim: usize, seed: u64) -> Samples<T> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let values = (0..n * dim).map(|_| T::from_f64(rng.random_range(-1.0..1.0))).collect();
    Samples::from_row_major(dim, values).unwrap()
}

fn pointwise<P: Points, K: Kernel<P>>(kernel: &K, a: &P, b: &P) -> Mat<f64> {
    Mat::from_fn(a.len(), b.len(), |i, j| kernel.eval(a.item(i), b.item(j)).to_f64())
}

fn widen<T: Scalar>(m: MatRef<'_, T>) -> Mat<f64> {
    Mat::from_fn(m.nrows(), m.ncols(), |i, j| m[(i, j)].to_f64())
}

/// All routes on `n` points against pointwise evaluation, within `tolerance` per entry.
fn assert_routes_agree<P: Points, K: Kernel<P>>(kernel: &K, points: &P, tolerance: f64) {
    let n = points.len();
    let expected = pointwise(kernel, points, points);
    let dense = DenseGram::new(kernel, points, &BUDGET).unwrap();
    let dense_values = widen(dense.as_mat());
    assert!((&dense_values - &expected).norm_max() <= tolerance, "dense, n = {n}");
    assert_eq!(dense_values, dense_values.transpose(), "dense is exactly symmetric, n = {n}");

    let lazy = LazyGram::new(kernel, points).unwrap();
    assert_eq!(dense.diag(), lazy.diag());
    let indices: Vec<usize> = (0..n).step_by(3).chain([0, 0]).collect();
    let mut columns = Mat::zeros(n, indices.len());
    for operator in [&dense as &dyn GramOperator<P::Scalar>, &lazy] {
        operator.columns_into(&indices, columns.as_mut()).unwrap();
        let exact = Mat::from_fn(n, indices.len(), |i, b| expected[(i, indices[b])]);
        assert!((widen(columns.as_ref()) - exact).norm_max() <= tolerance, "columns, n = {n}");
    }

    let v = Mat::from_fn(n, 3, |i, j| P::Scalar::from_f64(((i * 5 + j) % 7) as f64 - 3.0));
    let product = &expected * widen(v.as_ref());
    let sum_tolerance = tolerance * 3.0 * n as f64;
    for operator in [&dense as &dyn GramOperator<P::Scalar>, &lazy] {
        let given = widen(operator.apply(v.as_ref()).unwrap().as_ref());
        assert!((given - &product).norm_max() <= sum_tolerance, "product, n = {n}");
    }
    let cross = CrossGram::new(kernel, points, points).unwrap();
    let given = widen(cross.to_dense(&BUDGET).unwrap().as_ref());
    assert!((given - &expected).norm_max() <= tolerance, "cross, n = {n}");
}

#[test]
fn all_routes_agree_around_the_tile_edge() {
    for n in [1, 2, 255, 256, 257, 600] {
        let x = samples::<f64>(n, 5, n as u64);
        assert_routes_agree(&Rbf::new(0.7).unwrap(), &x, 512.0 * f64::UNIT_ROUNDOFF);
        let x = samples::<f32>(n, 5, n as u64);
        assert_routes_agree(&Rbf::new(0.7).unwrap(), &x, 512.0 * f32::UNIT_ROUNDOFF);
    }
}

#[test]
fn all_routes_agree_for_every_kernel_shape() {
    let x = samples::<f64>(300, 4, 1);
    let tolerance = 512.0 * f64::UNIT_ROUNDOFF;
    assert_routes_agree(&Linear, &x, 4.0 * tolerance);
    assert_routes_agree(&Polynomial::new(1.0, 1.0, 3).unwrap(), &x, 125.0 * tolerance);
    assert_routes_agree(&Laplacian::new(0.5).unwrap(), &x, tolerance);
    let composite = Rbf::new(1.0).unwrap() * Linear + 0.5 * Laplacian::new(1.0).unwrap();
    assert_routes_agree(&composite, &x, 8.0 * tolerance);
}

#[test]
fn all_routes_agree_on_strings() {
    let words: Vec<String> = (0..300).map(|i| format!("w{}", i * i % 101)).collect();
    let equal = FnKernel::new(|a: &String, b: &String| f64::from(u8::from(a == b)));
    assert_routes_agree(&equal, &words, 0.0);
}

#[test]
fn cross_gram_is_rectangular_and_may_be_empty() {
    let (a, b) = (samples::<f64>(270, 3, 1), samples::<f64>(5, 3, 2));
    let kernel = Rbf::new(1.0).unwrap();
    let cross = CrossGram::new(&kernel, &a, &b).unwrap();
    let expected = pointwise(&kernel, &a, &b);
    let given = cross.to_dense(&BUDGET).unwrap();
    assert!((&given - &expected).norm_max() <= 512.0 * f64::UNIT_ROUNDOFF);
    let none = a.select(&[]).unwrap();
    let cross = CrossGram::new(&kernel, &none, &b).unwrap();
    assert_eq!(cross.to_dense(&BUDGET).unwrap().shape(), (0, 5));
    let cross = CrossGram::new(&kernel, &b, &none).unwrap();
    assert_eq!(cross.apply(Mat::zeros(0, 2).as_ref()).unwrap(), Mat::<f64>::zeros(5, 2));
}

#[test]
fn two_far_clusters_keep_their_digits() {
    // Points 1e6 from each other and 1e-3 within a cluster: the expanded form alone would err by
    // 1e12·u/γ in f64, which is 1e-4 here.
    let x = samples::<f64>(300, 3, 3);
    let moved = x.as_slice().chunks(3).enumerate().flat_map(|(i, row)| {
        let offset = if i % 2 == 0 { 0.0 } else { 1e6 };
        row.iter().map(move |v| offset + 1e-3 * v)
    });
    let x = Samples::from_row_major(3, moved.collect()).unwrap();
    assert_routes_agree(&Rbf::new(1e5).unwrap(), &x, 1024.0 * f64::UNIT_ROUNDOFF);
}
