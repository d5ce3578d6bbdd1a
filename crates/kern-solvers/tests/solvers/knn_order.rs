//! Searches by the order of a kernel: ranks where values are equal or underflow, scores that are
//! kernel values, and points for which a distance overflows.
#![allow(clippy::unwrap_used, reason = "helpers of tests are tests")]

use super::knn::{indices, sorted, uniform};
use kern_core::closure::{AssumeMercer, Exp};
use kern_core::kernels::{
    ArdRbf, ExpChiSquared, Exponential, Laplacian, Matern32, Matern52, RationalQuadratic, Rbf,
};
use kern_core::{Binding, KernelSpec, Mercer, Points, Samples, Scalar, Scratch};
use kern_solvers::knn::KNearest;

/// Σⱼ term(xⱼ − yⱼ) of a query and a point.
fn sum<T: Scalar>(x: &[T], y: &[T], term: impl Fn(f64) -> f64) -> f64 {
    x.iter().zip(y).map(|(x, y)| term(x.to_f64() - y.to_f64())).sum()
}

/// Both rankings of `kernel` are that of `far`, to the last point, and scores are kernel values.
fn assert_ranks_by<T: Scalar, K: Mercer<Samples<T>> + Copy>(kernel: K, far: fn(&[T], &[T]) -> f64) {
    // Points of a grid: distances are exact, and there are ties.
    let grid = |n, seed| {
        let x = uniform::<T>(n, 3, seed);
        let values = x.as_slice().iter().map(|v| T::from_f64((v.to_f64() * 8.0).round() + 9.0));
        Samples::from_row_major(3, values.collect()).unwrap()
    };
    let (x, queries) = (grid(600, 21), grid(30, 22));
    let similar = KNearest::by_similarity(kernel).neighbors(600).fit(&x, ()).unwrap();
    let near = KNearest::by_distance(kernel).neighbors(600).fit(&x, ()).unwrap();
    let (similar, near) = (similar.neighbors(&queries).unwrap(), near.neighbors(&queries).unwrap());
    assert_eq!(indices(&similar), indices(&near));
    let binding = Binding::new(&kernel, &queries, &x);
    binding.with_block(0..30, 0..600, &mut Scratch::new(), |values| {
        for (q, row) in similar.iter().enumerate() {
            let order = sorted(600, |i| far(queries.item(q), x.item(i)));
            assert_eq!(indices(std::slice::from_ref(row))[0], order, "query {q}");
            for neighbor in row {
                assert_eq!(
                    neighbor.score.to_f64().to_bits(),
                    values[(q, neighbor.index)].to_f64().to_bits()
                );
            }
        }
    });
}

fn squared<T: Scalar>(x: &[T], y: &[T]) -> f64 {
    sum(x, y, |d| d * d)
}

/// At scales where all values differ, and where nearly all underflow to 0 or round to 1.
fn assert_all_rank_by_distance<T: Scalar>() {
    // Powers of two, with which ties of weighted distances are exact.
    for scale in [(-40_f64).exp2(), 0.125, 1024.0] {
        assert_ranks_by::<T, _>(Rbf::new(scale).unwrap(), squared);
        assert_ranks_by::<T, _>(0.5 * Rbf::new(scale).unwrap(), squared);
        assert_ranks_by::<T, _>(Exp::new(AssumeMercer(Rbf::new(scale).unwrap())), squared);
        assert_ranks_by::<T, _>(Exponential::new(scale).unwrap(), squared);
        assert_ranks_by::<T, _>(Matern32::new(1.0 / scale).unwrap(), squared);
        assert_ranks_by::<T, _>(Matern52::new(1.0 / scale).unwrap(), squared);
        assert_ranks_by::<T, _>(RationalQuadratic::new(9.0, 1.0 / scale).unwrap(), squared);
        assert_ranks_by::<T, _>(Laplacian::new(scale).unwrap(), |x, y| sum(x, y, f64::abs));
        let ard = ArdRbf::new(&[scale, 4.0 * scale, 0.0]).unwrap();
        assert_ranks_by::<T, _>(&ard, |x, y| {
            squared(&x[..1], &y[..1]) + 4.0 * squared(&x[1..2], &y[1..2])
        });
    }
}

#[test]
fn ranks_f64_are_those_of_the_distance() {
    assert_all_rank_by_distance::<f64>();
}

#[test]
fn ranks_f32_are_those_of_the_distance() {
    assert_all_rank_by_distance::<f32>();
}

#[test]
fn exponential_chi_squared_ranks_where_it_underflows() {
    let x = Samples::from_rows(&[[9.0, 0.0], [0.0, 5.0], [2.0, 1.0], [0.0, 5.0]]).unwrap();
    let query = Samples::from_rows(&[[1.0, 1.0]]).unwrap();
    // Distances: 6.4 + 1, 1 + 16/6, 1/3.
    let model = KNearest::by_similarity(ExpChiSquared::new(1e4).unwrap()).neighbors(4);
    let rows = model.fit(&x, &[0.0; 4]).unwrap().neighbors(&query).unwrap();
    assert_eq!(indices(&rows), [[2, 1, 3, 0]]);
    assert!(rows[0].iter().all(|neighbor| neighbor.score == 0.0_f64));
}

#[test]
fn formula_ranks_like_its_kernel() {
    let (x, queries) = (uniform::<f64>(50, 2, 23), uniform::<f64>(5, 2, 24));
    let spec: KernelSpec = "0.5 * rbf(gamma=1000000)".parse().unwrap();
    let spec = spec.build::<Samples<f64>>().unwrap();
    let plain = 0.5 * Rbf::new(1e6).unwrap();
    let given = KNearest::by_similarity(&spec).fit(&x, &[0.0; 50]).unwrap();
    let expected = KNearest::by_similarity(plain).fit(&x, &[0.0; 50]).unwrap();
    let expected = expected.neighbors(&queries).unwrap();
    assert!(expected[0].iter().any(|neighbor| neighbor.score == 0.0));
    assert_eq!(given.neighbors(&queries).unwrap(), expected);
}

#[test]
fn distances_that_overflow_leave_the_order_to_values() {
    let x = Samples::from_rows(&[[2e20_f32], [1e20], [1.0], [0.0]]).unwrap();
    for rows in [
        KNearest::by_similarity(Rbf::new(1.0).unwrap()).neighbors(4).fit(&x, &[0.0; 4]).unwrap(),
        KNearest::by_distance(Rbf::new(1.0).unwrap()).neighbors(4).fit(&x, &[0.0; 4]).unwrap(),
    ] {
        let rows = rows.neighbors(&Samples::from_rows(&[[0.0]]).unwrap()).unwrap();
        // Both far ones have the value 0, so the smaller index comes first.
        assert_eq!(indices(&rows), [[3, 2, 0, 1]]);
    }
}
