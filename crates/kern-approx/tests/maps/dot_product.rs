//! Random Maclaurin features and tensor sketches: expectation, exact variances, and errors.
//!
//! Seeds are fixed; the chance that a correct library would fail an assertion for a seed chosen at
//! random is below `common::FAILURE`.
#![allow(clippy::float_cmp, reason = "exact results are compared exactly")]
#![allow(clippy::unwrap_used, reason = "a panic in a helper fails the test, as it should")]

use crate::common;
use crate::common::{FAILURE, bernstein, empirical_bernstein, features, for_threads, uniform};
use kern_approx::{
    DotProduct, Error, FeatureMap, MaclaurinMap, RandomMaclaurin, SketchMap, TensorSketch,
    transform,
};
use kern_core::closure::{Exp, Scaled};
use kern_core::kernels::{Linear, Polynomial};
use kern_core::{Explicit, Kernel, Samples, Scalar, SparseSamples};
use kern_gram::MemoryBudget;
use proptest::prelude::*;
use std::time::{Duration, Instant};

/// x, y, and ‖x‖², ‖y‖², ⟨x, y⟩, Σx_i²y_i².
fn pair(d: usize, seed: u64) -> (Samples<f64>, [f64; 4]) {
    let xy = uniform::<f64>(2, d, 1.0, seed);
    let (x, y) = xy.as_slice().split_at(d);
    let sum = |f: &dyn Fn(f64, f64) -> f64| x.iter().zip(y).map(|(&x, &y)| f(x, y)).sum::<f64>();
    let products = sum(&|x, y| x * y);
    let moments = [sum(&|x, _| x * x), sum(&|_, y| y * y), products, sum(&|x, y| (x * y).powi(2))];
    (xy, moments)
}

/// D·ψ_i(x)ψ_i(y): independent estimates, if all features are random.
fn terms(map: &MaclaurinMap, xy: &Samples<f64>, count: usize) -> Vec<f64> {
    let z = features(map, xy);
    (0..count).map(|i| count as f64 * z[(i, 0)] * z[(i, 1)]).collect()
}

#[test]
fn the_variance_of_random_signs_is_exact() {
    let count = 400_000;
    for (degree, seed) in [(1, 1), (2, 2), (2, 3), (3, 4)] {
        let (xy, [xx, yy, k1, diagonal]) = pair(3, seed);
        let kernel = Polynomial::new(1.0, 0.0, degree).unwrap();
        let map = RandomMaclaurin::new(kernel).dim(count).seed(seed).sample(3).unwrap();
        let terms = terms(&map, &xy, count);
        let p = degree as i32;
        let k = k1.powi(p);
        let second = (xx * yy + 2.0 * (k1 * k1 - diagonal)).powi(p);
        let expected = second - k * k;
        let l1 = |i: usize| xy.as_slice()[3 * i..3 * i + 3].iter().sum::<f64>();
        let range = (l1(0) * l1(1)).powi(p) + k;
        let mean = terms.iter().sum::<f64>() / count as f64;
        let allowed = bernstein(expected, range, count, FAILURE);
        assert!((mean - k).abs() <= allowed, "{mean} for {k}, allowed {allowed}");
        let found = terms.iter().map(|t| (t - k).powi(2)).sum::<f64>() / count as f64;
        // Y = (X − k)² ≤ range², so that its variance is at most range²·E Y.
        let allowed = bernstein(range.powi(2) * expected, range.powi(2), count, FAILURE);
        assert!((found - expected).abs() <= allowed, "{found} for {expected}, allowed {allowed}");
        assert!(allowed < 0.1 * expected, "the test is too weak: {allowed} for {expected}");
    }
}

fn check_maclaurin<K: Kernel<Samples<f64>> + DotProduct + Clone>(kernel: &K) {
    let count = 400_000;
    let (xy, _) = pair(3, 7);
    let a = kernel.coefficients(64);
    let constant = usize::from(a[0] > 0.0);
    let map = RandomMaclaurin::new(kernel.clone()).dim(count + constant).seed(3).sample(3).unwrap();
    let terms = terms(&map, &xy, count);
    // The weights a_N/q_N are at most a_N·2^N, and the products at most (‖x‖₁‖y‖₁)^N.
    let l1 = |i: usize| xy.as_slice()[3 * i..3 * i + 3].iter().sum::<f64>();
    let reach = 2.0 * l1(0) * l1(1);
    let range = (1..64).map(|n| 2.0 * a[n] * reach.powi(n as i32)).fold(0.0, f64::max);
    let (mean, allowed) = empirical_bernstein(&terms, range, FAILURE);
    let k = kernel.eval(&xy.as_slice()[..3], &xy.as_slice()[3..]);
    assert!((mean + a[0] - k).abs() <= allowed, "{mean} + {} for {k}, allowed {allowed}", a[0]);
    assert!(allowed < 0.1 * k, "the test is too weak: {allowed} for {k}");
}

#[test]
fn maclaurin_features_are_unbiased_for_composites() {
    let poly = Polynomial::new(0.5, 1.0, 3).unwrap();
    check_maclaurin(&poly);
    check_maclaurin(&(0.7 * Linear));
    check_maclaurin(&Exp::new(0.5 * Linear));
    check_maclaurin(&(Linear * Polynomial::new(0.5, 0.5, 2).unwrap() + 0.5 * poly));
    check_maclaurin(&Exp::new(0.2 * Polynomial::new(0.5, 1.0, 2).unwrap()));
}

#[test]
fn coefficients_are_those_of_the_power_series() {
    // K(x, y) at ⟨x, y⟩ = t is Σ aₙtⁿ: one sample of one coordinate each.
    let kernel = Exp::new(0.3 * Polynomial::new(0.5, 0.5, 2).unwrap()) * Linear + 0.25 * Linear;
    let a = kernel.coefficients(40);
    for t in [0.1, 0.7, 1.3] {
        let series: f64 = a.iter().enumerate().map(|(n, a)| a * f64::powi(t, n as i32)).sum();
        let value = Kernel::<Samples<f64>>::eval(&kernel, &[t], &[1.0]);
        assert!((series - value).abs() < 1e-14 * value, "{series} for {value}");
    }
    assert_eq!(kernel.degree(), None);
    let poly = Polynomial::new(1.0, 1.0, 3).unwrap();
    assert_eq!(DotProduct::degree(&(poly * poly + Linear)), Some(6));
}

/// Estimates of K(x, y) by independent tensor sketches.
fn sketches(kernel: Polynomial, dim: usize, maps: u64, xy: &Samples<f64>) -> Vec<f64> {
    let estimate = |seed| {
        let map = TensorSketch::new(kernel).dim(dim).seed(seed).sample(xy.dim()).unwrap();
        let z = features(&map, xy);
        z.col(0).transpose() * z.col(1)
    };
    (0..maps).map(estimate).collect()
}

#[test]
fn tensor_sketches_are_unbiased_with_the_variance_of_count_sketches() {
    let (xy, [xx, yy, k1, diagonal]) = pair(4, 5);
    let maps = 10_000;
    for (degree, coef0, dim) in [(1, 0.0, 7), (2, 0.0, 16), (3, 0.2, 32)] {
        let kernel = Polynomial::new(0.5, coef0, degree).unwrap();
        let (uu, vv, uv) = (0.5 * xx + coef0, 0.5 * yy + coef0, 0.5 * k1 + coef0);
        let squares = 0.25 * diagonal + coef0 * coef0;
        let (p, d) = (degree as i32, dim as f64);
        let k = uv.powi(p);
        // All coordinates are positive: patterns of equal coordinates that contribute, at most.
        let bound = ((2.0 * uv * uv + uu * vv - 2.0 * squares).powi(p) - k * k) / d;
        let estimates = sketches(kernel, dim, maps, &xy);
        let l1 = |i: usize| {
            0.5_f64.sqrt() * xy.as_slice()[4 * i..4 * i + 4].iter().sum::<f64>() + coef0.sqrt()
        };
        let range = (l1(0) * l1(1)).powi(p) + k;
        let n = maps as usize;
        let mean = estimates.iter().sum::<f64>() / maps as f64;
        let allowed = bernstein(bound, range, n, FAILURE);
        assert!((mean - k).abs() <= allowed, "{degree}: {mean} for {k}, allowed {allowed}");
        let found = estimates.iter().map(|t| (t - k).powi(2)).sum::<f64>() / maps as f64;
        let allowed = bernstein(range.powi(2) * bound, range.powi(2), n, FAILURE);
        assert!(found <= bound + allowed, "{degree}: {found} for {bound}");
        if degree == 1 {
            assert!((found - bound).abs() <= allowed, "{found} for {bound}, allowed {allowed}");
        }
    }
}

#[test]
fn more_features_are_better_and_approach_the_exact_map() {
    let kernel = Polynomial::new(0.5, 0.5, 2).unwrap();
    let x = uniform::<f64>(10, 3, 1.0, 4);
    let z = features(&kernel.feature_map(&x).unwrap(), &x);
    let exact = z.transpose() * &z;
    let error = |z: kern_core::faer::Mat<f64>| (z.transpose() * &z - &exact).norm_max();
    let maclaurin =
        |dim| error(features(&RandomMaclaurin::new(kernel).dim(dim).sample(3).unwrap(), &x));
    let sketch = |dim| error(features(&TensorSketch::new(kernel).dim(dim).sample(3).unwrap(), &x));
    assert!(maclaurin(200_000) < 0.02 && maclaurin(200_000) < 0.3 * maclaurin(200));
    assert!(sketch(1 << 16) < 0.02);
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 64, failure_persistence: None, ..ProptestConfig::default()
    })]

    #[test]
    fn features_depend_on_the_point_alone_and_sparse_is_dense(
        n in 1_usize..150, d in 1_usize..20, dim in 2_usize..600, degree in 0_u32..5,
        seed in 0_u64..1000,
    ) {
        let kernel = Polynomial::new(0.5, 1.0, degree).unwrap();
        let x = uniform::<f64>(n, d, 1.0, seed);
        let rows: Vec<Vec<(u32, f64)>> = x
            .as_slice()
            .chunks(d)
            .map(|row| row.iter().enumerate().map(|(j, &v)| (j as u32, v)).collect())
            .collect();
        let maclaurin = RandomMaclaurin::new(kernel).dim(dim).seed(seed).sample(d).unwrap();
        let sketch = TensorSketch::new(kernel).dim(dim).seed(seed).sample(d).unwrap();
        let sparse = SparseSamples::from_rows(d, &rows).unwrap();
        prop_assert_eq!(features(&sketch, &sparse), features(&sketch, &x));
        let j = seed as usize % n;
        let one = Samples::from_row_major(d, x.as_slice()[j * d..(j + 1) * d].to_vec()).unwrap();
        let (all, alone) = (features(&sketch, &x), features(&sketch, &one));
        prop_assert_eq!(all.subcols(j, 1), alone.as_ref());
        let (all, alone) = (features(&maclaurin, &x), features(&maclaurin, &one));
        let size = all.norm_max() + 1.0;
        prop_assert!((all.subcols(j, 1) - alone).norm_max() <= 1e-12 * size);
        let difference = features(&maclaurin, &sparse) - all;
        prop_assert!(difference.norm_max() <= 1e-12 * size);
        if degree == 0 {
            prop_assert!((features(&sketch, &x).norm_l2() - (n as f64).sqrt()).abs() < 1e-12);
            prop_assert_eq!(maclaurin.dim(), 1);
        }
    }
}

fn check_map<M>(map: &M)
where
    M: FeatureMap<Samples<f64>> + FeatureMap<Samples<f32>> + PartialEq + std::fmt::Debug,
    M: FeatureMap<SparseSamples<f64>> + FeatureMap<SparseSamples<f32>>,
    M: serde::Serialize + serde::de::DeserializeOwned,
{
    let x = uniform::<f32>(300, 5, 1.0, 1);
    let wide = x.as_slice().iter().map(|v| f64::from(*v)).collect();
    let wide = Samples::<f64>::from_row_major(5, wide).unwrap();
    let results = for_threads(|| transform(map, &x, &common::budget()).unwrap());
    assert!(results.iter().all(|z| z == &results[0]));
    let (single, double) = (features(map, &x), features(map, &wide));
    let u = <f32 as Scalar>::UNIT_ROUNDOFF;
    assert!((single - &double).norm_max() <= u * double.norm_max());
    let sparse = SparseSamples::from_dense(&x).unwrap();
    assert!((features(map, &sparse) - &double).norm_max() <= 2.0 * u * double.norm_max());
    let results = for_threads(|| transform(map, &sparse, &common::budget()).unwrap());
    assert!(results.iter().all(|z| z == &results[0]));
    let reloaded: M = postcard::from_bytes(&postcard::to_stdvec(map).unwrap()).unwrap();
    assert_eq!(map, &reloaded);
    assert_eq!(features(&reloaded, &wide), double);
    let wrong = uniform::<f64>(3, 4, 1.0, 1);
    assert!(matches!(transform(map, &wrong, &common::budget()), Err(Error::Core(_))));
    let wrong = SparseSamples::from_dense(&wrong).unwrap();
    assert!(matches!(transform(map, &wrong, &common::budget()), Err(Error::Core(_))));
}

#[test]
fn threads_precision_and_files() {
    let kernel = Polynomial::new(0.5, 0.3, 3).unwrap();
    check_map(&RandomMaclaurin::new(kernel).dim(301).sample(5).unwrap());
    check_map(&TensorSketch::new(kernel).dim(300).sample(5).unwrap());
}

#[test]
fn overflow_is_an_error_of_the_transform() {
    let kernel = Polynomial::new(1.0, 0.0, 3).unwrap();
    let x = Samples::from_rows(&[[1e200, 0.0]]).unwrap();
    let sketch = TensorSketch::new(kernel).dim(8).sample(2).unwrap();
    assert!(matches!(transform(&sketch, &x, &common::budget()), Err(Error::Core(_))));
    let maclaurin = RandomMaclaurin::new(kernel).dim(8).sample(2).unwrap();
    assert!(matches!(transform(&maclaurin, &x, &common::budget()), Err(Error::Core(_))));
}

#[test]
fn invalid_parameters_are_errors() {
    let kernel = Polynomial::new(1.0, 1.0, 2).unwrap();
    let maclaurin = |dim| RandomMaclaurin::new(kernel).dim(dim).sample(2);
    assert!(matches!(maclaurin(0), Err(Error::Zero { .. })));
    assert!(matches!(maclaurin(1), Err(Error::Zero { .. })));
    assert!(matches!(maclaurin(usize::MAX), Err(Error::Gram(_))));
    assert!(matches!(RandomMaclaurin::new(kernel).sample(0), Err(Error::Zero { .. })));
    let negative = RandomMaclaurin::new(-1.0 * Linear).sample(2).unwrap_err();
    assert_eq!(negative, Error::Coefficient { degree: 1, given: -1.0 });
    let huge = RandomMaclaurin::new(Polynomial::new(1e200, 0.0, 2).unwrap()).sample(2);
    assert!(matches!(huge, Err(Error::Coefficient { degree: 2, .. })));
    let high = RandomMaclaurin::new(Polynomial::new(1.0, 0.0, 64).unwrap()).sample(2);
    assert!(matches!(high, Err(Error::Core(_))));
    let zero = RandomMaclaurin::new(Scaled::new(0.0, Linear).unwrap()).sample(2).unwrap();
    assert_eq!(features(&zero, &uniform::<f64>(2, 2, 1.0, 1)).norm_max(), 0.0);
    let sketch = |dim| TensorSketch::new(kernel).dim(dim).sample(2);
    assert!(matches!(sketch(0), Err(Error::Zero { .. })));
    assert!(matches!(sketch(usize::MAX), Err(Error::Gram(_))));
    assert!(matches!(TensorSketch::new(kernel).sample(0), Err(Error::Zero { .. })));
    let endless = TensorSketch::new(Polynomial::new(1.0, 1.0, u32::MAX).unwrap());
    assert!(matches!(endless.sample(100), Err(Error::Gram(_))));
}

#[test]
fn damaged_files_are_refused() {
    let kernel = Polynomial::new(1.0, 1.0, 2).unwrap();
    let sketch = TensorSketch::new(kernel).dim(4).sample(1).unwrap();
    let json = serde_json::to_string(&sketch).unwrap();
    for (from, to) in [
        ("\"dim\":4", "\"dim\":0"),
        ("\"dim\":4", "\"dim\":1"),
        ("\"input_dim\":1", "\"input_dim\":2"),
        ("\"degree\":2", "\"degree\":3"),
    ] {
        let damaged = json.replacen(from, to, 1);
        assert_ne!(damaged, json);
        assert!(serde_json::from_str::<SketchMap>(&damaged).is_err(), "{from} -> {to}");
    }
    let map = RandomMaclaurin::new(kernel).dim(4).sample(1).unwrap();
    let json = serde_json::to_string(&map).unwrap();
    for (from, to) in [
        ("\"layers\":[", "\"layers\":[0,"),
        ("\"layers\":[", "\"layers\":[9,"),
        ("1.0]}", "0.5]}"),
        ("\"weights\":[", "\"weights\":[null,"),
    ] {
        let damaged = json.replacen(from, to, 1);
        let damaged = damaged.replacen("-0.5]}", "0.5]}", 1);
        assert_ne!(damaged, json);
        assert!(serde_json::from_str::<MaclaurinMap>(&damaged).is_err(), "{from} -> {to}");
    }
}

/// A kernel of degree 0 has one feature, and no signs in however many dimensions.
#[test]
fn nothing_in_many_dimensions_takes_no_time() {
    let start = Instant::now();
    let constant = Polynomial::new(1.0, 2.0, 0).unwrap();
    let map = RandomMaclaurin::new(constant).dim(4).sample(1 << 32).unwrap();
    assert_eq!((map.dim(), map.input_dim()), (1, 1 << 32));
    let text = serde_json::to_string(&map).unwrap();
    assert_eq!(serde_json::from_str::<MaclaurinMap>(&text).unwrap(), map);
    let x = SparseSamples::from_rows(1 << 32, &[vec![(7, 2.0)], vec![]]).unwrap();
    let z = transform(&map, &x, &MemoryBudget::mebibytes(1)).unwrap();
    assert_eq!(z.as_slice(), [1.0, 1.0]);
    assert!(start.elapsed() < Duration::from_secs(1), "{:?}", start.elapsed());
    let wrong = text.replace("4294967296", "0");
    assert!(serde_json::from_str::<MaclaurinMap>(&wrong).is_err());
}
