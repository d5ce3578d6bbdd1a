//! Cholesky factors on all threads, the diagonals of their inverses, and triangular solves on one thread.
#![allow(missing_docs, reason = "criterion's macro makes a public function")]

use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use kern_core::Scalar;
use kern_core::faer::{Mat, MatMut};
use kern_core::memory::LargeMat;
use kern_core::products::solve_lower;
use kern_gram::numerics::cholesky::{Cholesky, factorise};
use std::time::{Duration, Instant};

/// The size of a factor.
const SIZE: usize = 4000;

/// Right-hand sides of a triangle.
const SIDES: usize = 256;

/// Fills the lower triangle of a symmetric positive definite matrix: its diagonal outweighs the rest.
fn fill<T: Scalar>(mut matrix: MatMut<'_, T>) {
    let n = matrix.nrows();
    for j in 0..n {
        matrix[(j, j)] = T::from_f64(n as f64);
        for i in j + 1..n {
            matrix[(i, j)] = T::from_f64(((i * 31 + j * 17) % 101) as f64 / 101.0);
        }
    }
}

/// Only what is measured counts: the matrix is filled anew for each factor.
fn factor<T: Scalar>(c: &mut Criterion, name: &str) {
    let Ok(mut matrix) = LargeMat::<T>::zeros(SIZE, SIZE) else { return };
    let mut group = c.benchmark_group("factors");
    group.sample_size(10);
    group.bench_function(BenchmarkId::new(format!("factor_{name}"), SIZE), |b| {
        b.iter_custom(|rounds| {
            let one = |_| {
                fill(matrix.as_mut());
                let start = Instant::now();
                let factored = factorise(matrix.as_mut());
                assert!(factored.is_ok());
                start.elapsed()
            };
            (0..rounds).map(one).sum::<Duration>()
        });
    });
    fill(matrix.as_mut());
    let Ok(factor) = Cholesky::new(matrix, 0.0) else { return };
    group.bench_function(BenchmarkId::new(format!("inverse_diagonal_{name}"), SIZE), |b| {
        b.iter(|| factor.inverse_diagonal());
    });
    group.finish();
}

/// L⁻¹B for a triangle of so many unknowns, with a copy of B.
fn triangle<T: Scalar>(c: &mut Criterion, name: &str, unknowns: usize) {
    let mut lower = Mat::<T>::zeros(unknowns, unknowns);
    fill(lower.as_mut());
    let b = Mat::<T>::from_fn(unknowns, SIDES, |i, j| T::from_f64(((i + 3 * j) as f64).cos()));
    let mut x = b.clone();
    c.benchmark_group("triangles").bench_function(BenchmarkId::new(name, unknowns), |bencher| {
        bencher.iter(|| {
            x.copy_from(&b);
            solve_lower(lower.as_ref(), x.as_mut());
        });
    });
}

fn factors(c: &mut Criterion) {
    for unknowns in [64, 256] {
        triangle::<f64>(c, "f64", unknowns);
        triangle::<f32>(c, "f32", unknowns);
    }
    factor::<f64>(c, "f64");
    factor::<f32>(c, "f32");
}

criterion_group!(benches, factors);
criterion_main!(benches);
