//! Tests of the kernels on sparse vectors: golden values, the contract on hostile data, and agreement
//! with the same kernels on dense vectors.

#![allow(clippy::unwrap_used, reason = "a panic in a helper fails the test, as it should")]

use crate::vector_golden::{Boxed, assert_golden, dense_kernels, golden_values, sparse_kernels};
use kern_core::faer::{Mat, mat};
use kern_core::kernels::{
    ArcCosine, ArdRbf, Cauchy, ChiSquared, Constant, Cosine, Delta, ExpChiSquared, Exponential,
    Hellinger, Intersection, Laplacian, Linear, Mahalanobis, Matern, Matern32, Matern52, Periodic,
    Polynomial, RationalQuadratic, Rbf, Sigmoid, Wave, White,
};
use kern_core::{
    Error, Kernel, Mercer, Points, Samples, Scalar, Scratch, SparseSamples, Tile, contract,
    tolerance,
};
use proptest::prelude::*;
use std::collections::HashMap;

#[test]
fn golden_points_match_mpmath_by_every_route() {
    let text = include_str!("../data/vector_golden.txt");
    assert_golden(&sparse_kernels::<f64>().unwrap(), text, tolerance::TILE_ERROR);
    assert_golden(&sparse_kernels::<f32>().unwrap(), text, tolerance::TILE_ERROR);
}

/// The kernels of `golden.txt` that are not composite.
fn base_kernels<T: Scalar>() -> Result<HashMap<String, Boxed<SparseSamples<T>>>, Error> {
    let mut kernels: HashMap<String, Boxed<SparseSamples<T>>> = HashMap::new();
    kernels.insert(Linear.to_string(), Box::new(Linear));
    for (gamma, coef0, degree) in [(1.0, 1.0, 2), (0.1, 0.0, 3), (2.0, 0.0, 0), (0.3, 0.7, 7)] {
        let kernel = Polynomial::new(gamma, coef0, degree)?;
        kernels.insert(kernel.to_string(), Box::new(kernel));
    }
    for gamma in [0.5, 1e-6, 37.5, 1e6] {
        let kernel = Rbf::new(gamma)?;
        kernels.insert(kernel.to_string(), Box::new(kernel));
    }
    for gamma in [0.1, 3.0, 200.0] {
        let kernel = Laplacian::new(gamma)?;
        kernels.insert(kernel.to_string(), Box::new(kernel));
    }
    for (gamma, coef0) in [(0.5, -1.0), (0.01, 0.0), (3.0, 20.0)] {
        let kernel = Sigmoid::new(gamma, coef0)?;
        kernels.insert(kernel.to_string(), Box::new(kernel));
    }
    Ok(kernels)
}

#[test]
fn golden_points_of_base_kernels_match_mpmath() {
    let text = include_str!("../data/golden.txt");
    let known = base_kernels::<f64>().unwrap();
    let covered = |formula: &String| golden_values(text).iter().any(|g| g.formula == formula);
    assert!(known.keys().all(covered));
    assert_golden(&known, text, tolerance::TILE_ERROR);
    assert_golden(&base_kernels::<f32>().unwrap(), text, tolerance::TILE_ERROR);
}

/// The hostile collections as they are, and with two of three coordinates set to zero.
fn collections<T: Scalar>(dim: usize) -> Vec<(String, SparseSamples<T>)> {
    let mut all = Vec::new();
    for (name, dense) in contract::sample_sets::<T>(dim).unwrap() {
        all.push((format!("{name}, dim {dim}"), SparseSamples::from_dense(&dense).unwrap()));
        let thin =
            |(k, &v): (usize, &T)| if (k * k + k / dim).is_multiple_of(3) { v } else { T::ZERO };
        let thinned = dense.as_slice().iter().enumerate().map(thin).collect();
        let thinned = Samples::from_row_major(dim, thinned).unwrap();
        all.push((format!("thin {name}, dim {dim}"), SparseSamples::from_dense(&thinned).unwrap()));
    }
    all
}

#[track_caller]
fn assert_contract_in<T: Scalar, K: Mercer<SparseSamples<T>>>(kernel: impl Fn(usize) -> K) {
    for dim in [1, 3, 8] {
        for (name, points) in collections::<T>(dim) {
            if let Err(violation) = contract::verify_mercer(&kernel(dim), &points) {
                panic!("{name}, u = {:e}: {violation}", T::UNIT_ROUNDOFF);
            }
        }
    }
}

#[track_caller]
fn assert_contract<K: Mercer<SparseSamples<f64>> + Mercer<SparseSamples<f32>>>(
    kernel: impl Fn(usize) -> K,
) {
    assert_contract_in::<f64, K>(&kernel);
    assert_contract_in::<f32, K>(&kernel);
}

const RATES: [f64; 5] = [1e-6, 1e-3, 0.5, 30.0, 1e6];

#[test]
fn radial_kernels_on_hostile_points_keep_contract() {
    for rate in RATES {
        assert_contract(|_| Rbf::new(rate).unwrap());
        assert_contract(|_| Exponential::new(rate).unwrap());
        assert_contract(|_| Matern32::new(rate).unwrap());
        assert_contract(|_| Matern52::new(rate).unwrap());
        for nu in [0.3, 1.0, 2.7] {
            assert_contract(|_| Matern::new(nu, rate).unwrap());
        }
        assert_contract(|_| RationalQuadratic::new(0.7, rate).unwrap());
        assert_contract(|dim| {
            let gamma: Vec<f64> = (0..dim).map(|k| rate * (k % 3) as f64).collect();
            ArdRbf::new(&gamma).unwrap()
        });
    }
}

#[test]
fn coordinate_kernels_on_hostile_points_keep_contract() {
    for rate in RATES {
        assert_contract(|_| Laplacian::new(rate).unwrap());
        assert_contract(|_| Cauchy::new(rate).unwrap());
        for length_scale in [1e-6, 0.3, 1e6] {
            assert_contract(|_| Periodic::new(rate, length_scale).unwrap());
        }
        assert_contract(|dim| {
            let frequency: Vec<f64> = (0..dim).map(|k| rate * (k % 3 + 1) as f64).collect();
            Wave::new(&frequency).unwrap()
        });
        assert_contract(|_| ExpChiSquared::new(rate).unwrap());
    }
    assert_contract(|_| ChiSquared);
    assert_contract(|_| Intersection);
    assert_contract(|_| Hellinger);
}

#[test]
fn other_kernels_on_hostile_points_keep_contract() {
    assert_contract(|_| Linear);
    assert_contract(|_| Cosine);
    assert_contract(|_| Delta);
    for order in 0..=2 {
        assert_contract(|_| ArcCosine::new(order).unwrap());
    }
    assert_contract(|_| White::new(0.3).unwrap());
    assert_contract(|_| Constant::new(0.3).unwrap());
    assert_contract(|_| Polynomial::new(1.0, 1.0, 2).unwrap());
    assert_contract(|_| Polynomial::new(1e-6, 0.5, 4).unwrap());
    let tridiagonal = |i: usize, j: usize| [2.0, -1.0, 0.0][i.abs_diff(j).min(2)];
    assert_contract(|dim| Mahalanobis::new(Mat::from_fn(dim, dim, tridiagonal).as_ref()).unwrap());
    assert_contract(|_| Matern32::new(1.0).unwrap() * Cosine + 0.5 * Linear);
    for dim in [1, 3, 8] {
        for (name, points) in collections::<f32>(dim) {
            let found = contract::verify(&Sigmoid::new(0.2, -1.0).unwrap(), &points);
            found.unwrap_or_else(|violation| panic!("{name}: {violation}"));
        }
    }
}

fn rows() -> impl Strategy<Value = Vec<[f64; 3]>> {
    let value = prop_oneof![2 => Just(0.0), 1 => 0.0..4.0_f64];
    proptest::collection::vec(proptest::array::uniform3(value), 1..10)
}

/// The block of all points against themselves.
fn block<P: Points>(kernel: &dyn Kernel<P>, points: &P) -> Mat<P::Scalar> {
    let n = points.len();
    let mut out = Mat::zeros(n, n);
    kernel.block(&Tile::new(points, 0..n, points, 0..n), out.as_mut(), &mut Scratch::new());
    out
}

/// Sparse values are dense ones, by `eval` to roundings of sums of at most three coordinates, and by
/// `block` to TILE_ERROR from either side.
fn sparse_is_dense<T: Scalar>(rows: &[[f64; 3]]) -> Result<(), TestCaseError> {
    let values = rows.iter().flatten().map(|&v| T::from_f64(v)).collect();
    let dense = Samples::<T>::from_row_major(3, values).unwrap();
    let sparse = SparseSamples::from_dense(&dense).unwrap();
    let (of_dense, of_sparse) = (dense_kernels::<T>().unwrap(), sparse_kernels::<T>().unwrap());
    for (formula, kernel) in &of_dense {
        let other = &of_sparse[formula];
        let (block, other_block) = (block(kernel.as_ref(), &dense), block(other.as_ref(), &sparse));
        for i in 0..rows.len() {
            for j in 0..rows.len() {
                let expected = kernel.eval(dense.item(i), dense.item(j)).to_f64();
                let given = other.eval(sparse.item(i), sparse.item(j)).to_f64();
                let unit = T::UNIT_ROUNDOFF * (1.0 + expected.abs());
                prop_assert!(
                    (given - expected).abs() <= 64.0 * unit,
                    "{formula}: {given}, {expected}"
                );
                let (given, expected) = (other_block[(i, j)].to_f64(), block[(i, j)].to_f64());
                let allowed = 2.0 * (tolerance::TILE_ERROR + 64.0) * unit;
                prop_assert!((given - expected).abs() <= allowed, "{formula}: {given}, {expected}");
            }
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn sparse_kernels_equal_dense_ones(rows in rows()) {
        sparse_is_dense::<f64>(&rows)?;
        sparse_is_dense::<f32>(&rows)?;
    }
}

/// In f32, squares and products overflow or vanish where the kernel does not.
#[test]
fn blocks_in_f32_survive_the_ends_of_the_range() {
    let rows =
        [vec![(0, 1e20), (5, 1e-30)], vec![(5, 1e-30)], vec![(0, 3e20)], vec![], vec![(5, 1.0)]];
    let points = SparseSamples::<f32>::from_rows(6, &rows).unwrap();
    contract::verify_mercer(&Cosine, &points).unwrap();
    let parallel = block(&Cosine, &points);
    assert!((parallel[(1, 4)] - 1.0).abs() < 1e-6 && (parallel[(0, 2)] - 1.0).abs() < 1e-6);
    assert!(parallel[(3, 3)].abs() < 1e-6);
    contract::verify_mercer(&Hellinger, &points).unwrap();
    contract::verify_mercer(&ChiSquared, &points).unwrap();
    contract::verify_mercer(&ExpChiSquared::new(1e-20).unwrap(), &points).unwrap();
    contract::verify_mercer(&RationalQuadratic::new(0.01, 1.0).unwrap(), &points).unwrap();
    contract::verify_mercer(&Exponential::new(1e-20).unwrap(), &points).unwrap();
    contract::verify_mercer(&Matern32::new(1e20).unwrap(), &points).unwrap();
    contract::verify_mercer(&Rbf::new(1e-40).unwrap(), &points).unwrap();
    contract::verify_mercer(&Rbf::new(1e300).unwrap(), &points).unwrap();
    contract::verify_mercer(&Laplacian::new(1e-20).unwrap(), &points).unwrap();
    contract::verify_mercer(&Cauchy::new(1e-20).unwrap(), &points).unwrap();
}

#[test]
fn points_outside_the_domain_are_refused_where_they_are() {
    let rows = [vec![(0, 1.0)], vec![(7, 2.0), (900, -0.5)]];
    let points = SparseSamples::from_rows(1000, &rows).unwrap();
    let error = Err(Error::Negative { sample: 1, feature: 900, given: -0.5 });
    assert_eq!(ChiSquared.check(&points), error);
    assert_eq!(ExpChiSquared::new(1.0).unwrap().check(&points), error);
    assert_eq!(Intersection.check(&points), error);
    assert_eq!(Hellinger.check(&points), error);
    let error = Err(Error::Dimension { what: "features per sample", expected: 2, given: 1000 });
    assert_eq!(ArdRbf::new(&[1.0, 1.0]).unwrap().check(&points), error);
    let metric = mat![[1.0, 0.0], [0.0, 1.0]];
    assert_eq!(Mahalanobis::new(metric.as_ref()).unwrap().check(&points), error);
}
