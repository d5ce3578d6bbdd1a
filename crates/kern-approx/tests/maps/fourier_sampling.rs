//! Orthogonal, quasi-random and structured frequencies: laws of single frequencies and of blocks.
//!
//! Seeds are fixed; the chance that a correct library would fail an assertion for a seed chosen at
//! random is below `common::FAILURE`.
#![allow(clippy::unwrap_used, reason = "a panic in a helper fails the test, as it should")]

use crate::common;
use crate::common::{FAILURE, bernstein, empirical_bernstein, features, for_threads, uniform};
use kern_approx::{
    Error, FeatureMap, FourierForm, FourierMap, RandomFourier, Sampling, Structure, StructuredMap,
    transform,
};
use kern_core::faer::Mat;
use kern_core::kernels::{
    ArdRbf, Cauchy, Exponential, Laplacian, Matern32, Matern52, RationalQuadratic, Rbf,
};
use kern_core::{Kernel, Samples, Scalar, SparseSamples, Spectral};

/// The dimension of the samples of the tests with single pairs.
const D: usize = 6;

/// x, y and K(x, y), κ(2(x − y)).
fn pair<K: Kernel<Samples<f64>>>(kernel: &K, side: f64, seed: u64) -> (Samples<f64>, f64, f64) {
    let x = uniform::<f64>(2, D, side, seed);
    let (a, b) = x.as_slice().split_at(D);
    let twice: Vec<f64> = a.iter().zip(b).map(|(a, b)| 2.0 * b - a).collect();
    let values = (kernel.eval(a, b), kernel.eval(a, &twice));
    (x, values.0, values.1)
}

const FORMS: [FourierForm; 2] = [FourierForm::Paired, FourierForm::Phase];

/// D for so many frequencies.
fn dim(form: FourierForm, count: usize) -> usize {
    if form == FourierForm::Paired { 2 * count } else { count }
}

/// The mean of the terms of each block of `block` frequencies: independent estimates of K(x, y).
fn block_means<M>(map: &M, form: FourierForm, x: &Samples<f64>, block: usize) -> Vec<f64>
where
    M: FeatureMap<Samples<f64>>,
{
    let z = features(map, x);
    let count = z.nrows() / dim(form, 1);
    let product = |i: usize| z[(i, 0)] * z[(i, 1)];
    let sine = |i: usize| if form == FourierForm::Paired { product(count + i) } else { 0.0 };
    let term = |i: usize| product(i) + sine(i);
    let mean = |b: usize| (b * block..(b + 1) * block).map(term).sum::<f64>();
    (0..count / block).map(|b| mean(b) * count as f64 / block as f64).collect()
}

/// Estimates lie in \[−1, 1\]·mass in the paired form, \[−2, 2\]·mass in the other.
fn check_mean(values: &[f64], form: FourierForm, k: f64, mass: f64) {
    let range = if form == FourierForm::Paired { 2.0 * mass } else { 4.0 * mass };
    let (mean, allowed) = empirical_bernstein(values, range, FAILURE);
    assert!((mean - k).abs() <= allowed, "{form:?}: {mean} for {k}, allowed {allowed}");
    assert!(allowed < 0.06 * mass, "{form:?}: the test is too weak: {allowed}");
}

fn check_isotropic_unbiased<K: Kernel<Samples<f64>> + Spectral + Clone>(kernel: &K) {
    for (form, (seed, side)) in FORMS.into_iter().flat_map(|f| [(f, (1, 0.5)), (f, (2, 1.5))]) {
        let (x, k, _) = pair(kernel, side, seed);
        let params = RandomFourier::new(kernel.clone()).form(form).seed(seed);
        let orthogonal =
            params.clone().dim(dim(form, D * 16_000)).sampling(Sampling::Orthogonal).sample(D);
        let means = block_means(&orthogonal.unwrap(), form, &x, D);
        check_mean(&means, form, k, kernel.mass());
        let params = params.dim(dim(form, 64 * 8000));
        let map = params.sample_structured(Structure::Fastfood, D).unwrap();
        check_mean(&block_means(&map, form, &x, 64), form, k, kernel.mass());
    }
}

#[test]
fn orthogonal_and_fastfood_features_are_unbiased_for_all_isotropic_kernels() {
    let rbf = Rbf::new(0.4).unwrap();
    check_isotropic_unbiased(&rbf);
    check_isotropic_unbiased(&Exponential::new(0.7).unwrap());
    check_isotropic_unbiased(&Matern32::new(1.5).unwrap());
    check_isotropic_unbiased(&Matern52::new(1.5).unwrap());
    check_isotropic_unbiased(&RationalQuadratic::new(0.8, 1.2).unwrap());
    check_isotropic_unbiased(&(0.5 * rbf * Matern32::new(2.0).unwrap() + rbf));
}

fn check_quasi_unbiased<K: Kernel<Samples<f64>> + Spectral + Clone>(kernel: &K) {
    for form in FORMS {
        let (x, k, _) = pair(kernel, 1.0, 5);
        let estimate = |seed| {
            let params = RandomFourier::new(kernel.clone()).dim(dim(form, 8)).form(form);
            let map = params.sampling(Sampling::Quasi).seed(seed).sample(D).unwrap();
            block_means(&map, form, &x, 8)[0]
        };
        let estimates: Vec<f64> = (0..8000).map(estimate).collect();
        check_mean(&estimates, form, k, kernel.mass());
    }
}

#[test]
fn quasi_random_features_are_unbiased_for_all_kernels_with_a_quantile_transform() {
    let (rbf, laplacian) = (Rbf::new(0.4).unwrap(), Laplacian::new(0.2).unwrap());
    check_quasi_unbiased(&rbf);
    check_quasi_unbiased(&laplacian);
    check_quasi_unbiased(&ArdRbf::new(&[0.1, 0.2, 0.3, 0.4, 0.5, 0.6]).unwrap());
    check_quasi_unbiased(&Cauchy::new(0.7).unwrap());
    check_quasi_unbiased(&Exponential::new(0.7).unwrap());
    check_quasi_unbiased(&Matern32::new(1.5).unwrap());
    check_quasi_unbiased(&Matern52::new(1.5).unwrap());
    check_quasi_unbiased(&(rbf * (0.5 * laplacian + rbf)));
}

#[test]
fn orthogonal_features_vary_less_than_independent_ones() {
    let kernel = Rbf::new(0.4).unwrap();
    for (seed, side) in [(1, 1.0), (2, 1.25), (3, 1.5)] {
        let (x, k, k2) = pair(&kernel, side, seed);
        let independent = (0.5 * (1.0 + k2) - k * k) / D as f64;
        let blocks = 200_000;
        let params = RandomFourier::new(kernel).dim(2 * D * blocks).sampling(Sampling::Orthogonal);
        let map = params.sample(D).unwrap();
        let means = block_means(&map, FourierForm::Paired, &x, D);
        let found = means.iter().map(|v| (v - k).powi(2)).sum::<f64>() / blocks as f64;
        // Y = (X − k)² ≤ (1 + k)², so that its variance is at most (1 + k)²·E Y.
        let range = (1.0 + k).powi(2);
        let allowed = bernstein(range * independent, range, blocks, FAILURE);
        assert!(found + allowed < independent, "{found} + {allowed} for {independent}");
    }
}

#[test]
fn directions_are_orthogonal_and_lengths_those_of_independent_frequencies() {
    let matern = RandomFourier::new(Matern32::new(0.3).unwrap()).dim(2 * 23).seed(4);
    let independent = matern.clone().sample(10).unwrap();
    let orthogonal = matern.sampling(Sampling::Orthogonal).sample(10).unwrap();
    let (w, v) = (orthogonal.frequencies(), independent.frequencies());
    for i in 0..23 {
        let (length, expected) = (w.row(i).norm_l2(), v.row(i).norm_l2());
        assert!((length - expected).abs() <= 1e-14 * expected);
        for j in (i / 10 * 10)..i {
            let cosine = (w.row(i) * w.row(j).transpose()) / (length * w.row(j).norm_l2());
            assert!(cosine.abs() < 1e-14, "{i}, {j}: {cosine}");
        }
    }
}

#[test]
fn more_features_begin_with_the_fewer() {
    for sampling in [Sampling::Orthogonal, Sampling::Quasi] {
        let params = RandomFourier::new(Rbf::new(1.0).unwrap()).sampling(sampling).seed(8);
        let small = params.clone().dim(20).sample(3).unwrap();
        let large = params.clone().dim(64).sample(3).unwrap();
        assert_eq!(small.frequencies(), large.frequencies().subrows(0, 10));
        let phase = params.clone().dim(10).form(FourierForm::Phase).sample(3).unwrap();
        assert_eq!(small.frequencies(), phase.frequencies());
        assert_ne!(small.frequencies(), params.seed(9).dim(20).sample(3).unwrap().frequencies());
    }
}

/// The frequencies of a structured map, in turns, from its features at points of one small coordinate.
fn structured_turns(map: &StructuredMap, count: usize) -> Mat<f64> {
    let d = map.input_dim();
    let step = 1e-3;
    let rows: Vec<Vec<f64>> =
        (0..d).map(|j| (0..d).map(|k| if j == k { step } else { 0.0 }).collect()).collect();
    let z = features(map, &Samples::from_rows(&rows).unwrap());
    Mat::from_fn(count, d, |i, j| z[(count + i, j)].atan2(z[(i, j)]) / step)
}

#[test]
fn structured_frequencies_are_linear_and_the_blocks_orthogonal() {
    let kernel = RandomFourier::new(Rbf::new(0.5).unwrap()).dim(2 * 64).seed(2);
    let map = kernel.sample_structured(Structure::Orthogonal, 64).unwrap();
    let w = structured_turns(&map, 64);
    for i in 0..64 {
        for j in 0..i {
            let cosine =
                (w.row(i) * w.row(j).transpose()) / (w.row(i).norm_l2() * w.row(j).norm_l2());
            assert!(cosine.abs() < 1e-10, "{i}, {j}: {cosine}");
        }
    }
    // The phases at any point are those of these frequencies.
    for structure in [Structure::Orthogonal, Structure::Fastfood] {
        let params = RandomFourier::new(Rbf::new(0.5).unwrap()).dim(2 * 200).seed(2);
        let map = params.sample_structured(structure, 70).unwrap();
        let (w, x) = (structured_turns(&map, 200), uniform::<f64>(3, 70, 1.0, 4));
        let z = features(&map, &x);
        let phases = &w * x.to_matrix().transpose();
        let scale = (1.0_f64 / 200.0).sqrt();
        for (i, j) in (0..200).flat_map(|i| (0..3).map(move |j| (i, j))) {
            assert!((z[(i, j)] - scale * phases[(i, j)].cos()).abs() < 1e-9 * scale);
        }
    }
}

/// The same samples, sparse (with an empty row) and dense.
fn sparse_and_dense<T: Scalar>() -> (SparseSamples<T>, Samples<T>) {
    let rows = [vec![(0, 1.5), (3, -2.0)], vec![], vec![(4, 0.25)]];
    let rows = rows.map(|row| row.into_iter().map(|(k, v)| (k, T::from_f64(v))).collect());
    let rows: [Vec<(u32, T)>; 3] = rows;
    let sparse = SparseSamples::from_rows(5, &rows).unwrap();
    let dense = sparse.to_dense().unwrap();
    (sparse, dense)
}

fn check_sparse<T: Scalar>() {
    let (sparse, dense) = sparse_and_dense::<T>();
    for form in [FourierForm::Paired, FourierForm::Phase] {
        let map = RandomFourier::new(Laplacian::new(0.5).unwrap()).dim(600).form(form);
        let map = map.sample(5).unwrap();
        let difference = features(&map, &sparse) - features(&map, &dense);
        // Phases are the same up to rounding, in double precision.
        assert!(difference.norm_max() < 1e-13 + 2.0 * T::UNIT_ROUNDOFF * (2.0_f64 / 600.0).sqrt());
        let rbf = RandomFourier::new(Rbf::new(0.5).unwrap()).dim(600).form(form);
        for structure in [Structure::Orthogonal, Structure::Fastfood] {
            let map = rbf.sample_structured(structure, 5).unwrap();
            assert_eq!(features(&map, &sparse), features(&map, &dense));
        }
    }
}

#[test]
fn sparse_samples_have_the_features_of_dense_ones() {
    check_sparse::<f64>();
    check_sparse::<f32>();
    let (sparse, _) = sparse_and_dense::<f64>();
    let params = RandomFourier::new(Rbf::new(0.5).unwrap());
    let map = params.sample(4).unwrap();
    assert!(matches!(transform(&map, &sparse, &common::budget()), Err(Error::Core(_))));
    let structured = params.sample_structured(Structure::Fastfood, 4).unwrap();
    assert!(matches!(transform(&structured, &sparse, &common::budget()), Err(Error::Core(_))));
    let far = SparseSamples::from_rows(4, &[vec![(2, 1e17)]]).unwrap();
    assert!(matches!(transform(&structured, &far, &common::budget()), Err(Error::Core(_))));
}

#[test]
fn single_precision_agrees_with_double() {
    let params = RandomFourier::new(Exponential::new(2.0).unwrap()).dim(512).seed(3);
    let map = params.sample_structured(Structure::Fastfood, 5).unwrap();
    let single = uniform::<f32>(20, 5, 10.0, 4);
    let wide = single.as_slice().iter().map(|v| f64::from(*v)).collect();
    let double = Samples::from_row_major(5, wide).unwrap();
    let difference = (features(&map, &single) - features(&map, &double)).norm_max();
    assert!(difference <= 5.0 * <f32 as Scalar>::UNIT_ROUNDOFF * (2.0_f64 / 512.0).sqrt());
}

#[test]
fn same_bits_for_any_number_of_threads_and_after_reloading() {
    let x = uniform::<f32>(400, 7, 1.0, 1);
    for structure in [Structure::Orthogonal, Structure::Fastfood] {
        for form in [FourierForm::Paired, FourierForm::Phase] {
            let map = RandomFourier::new(Rbf::new(2.0).unwrap()).dim(300).form(form);
            let map = map.sample_structured(structure, 7).unwrap();
            let results = for_threads(|| transform(&map, &x, &common::budget()).unwrap());
            assert!(results.iter().all(|z| z == &results[0]));
            let bytes = postcard::to_stdvec(&map).unwrap();
            let reloaded: StructuredMap = postcard::from_bytes(&bytes).unwrap();
            assert_eq!(map, reloaded);
            assert_eq!(transform(&reloaded, &x, &common::budget()).unwrap(), results[0]);
        }
    }
    for sampling in [Sampling::Orthogonal, Sampling::Quasi] {
        let params = RandomFourier::new(Rbf::new(2.0).unwrap()).dim(300).sampling(sampling);
        let maps: Vec<FourierMap> = for_threads(|| params.sample(7).unwrap());
        assert!(maps.iter().all(|map| map == &maps[0]));
    }
}

#[test]
fn a_damaged_file_is_refused() {
    let map = RandomFourier::new(Rbf::new(2.0).unwrap()).dim(4);
    let json =
        serde_json::to_string(&map.sample_structured(Structure::Fastfood, 2).unwrap()).unwrap();
    assert!(serde_json::from_str::<StructuredMap>(&json).is_ok());
    for (from, to) in [
        ("\"count\":2", "\"count\":100"),
        ("\"count\":2", "\"count\":0"),
        ("\"input_dim\":2", "\"input_dim\":200"),
        ("\"input_dim\":2", "\"input_dim\":18446744073709551615"),
        ("\"mass\":1.0", "\"mass\":-1.0"),
        ("\"permutation\":[", "\"permutation\":[64,"),
        ("\"lengths\":[", "\"lengths\":[1.0,"),
    ] {
        let damaged = json.replace(from, to);
        assert_ne!(damaged, json);
        assert!(serde_json::from_str::<StructuredMap>(&damaged).is_err(), "{from} -> {to}");
    }
}

#[test]
fn what_a_kernel_cannot_do_is_an_error() {
    let laplacian = || RandomFourier::new(Laplacian::new(1.0).unwrap());
    let orthogonal = laplacian().sampling(Sampling::Orthogonal).sample(2).unwrap_err();
    assert_eq!(orthogonal, Error::Anisotropic { what: "orthogonal" });
    let structured = laplacian().sample_structured(Structure::Fastfood, 2).unwrap_err();
    assert_eq!(structured, Error::Anisotropic { what: "structured" });
    let mixed = Rbf::new(1.0).unwrap() * Laplacian::new(1.0).unwrap();
    let mixed = RandomFourier::new(mixed).sampling(Sampling::Orthogonal).sample(2);
    assert!(matches!(mixed, Err(Error::Anisotropic { .. })));
    let rational = RandomFourier::new(RationalQuadratic::new(1.0, 1.0).unwrap());
    let quasi = rational.sampling(Sampling::Quasi).sample(2).unwrap_err();
    assert_eq!(quasi, Error::NoQuantile);
    let quasi = || laplacian().sampling(Sampling::Quasi);
    assert!(quasi().sample(256).is_ok());
    assert!(matches!(quasi().sample(257), Err(Error::QuasiRandom { given: 257, .. })));
    assert!(matches!(quasi().dim(131_074).sample(2), Err(Error::QuasiRandom { .. })));
    let extreme = RandomFourier::new(Rbf::new(1.7e308).unwrap());
    let extreme = extreme.sample_structured(Structure::Fastfood, 2).unwrap_err();
    assert_eq!(extreme, Error::Frequency { index: 0 });
    let huge = RandomFourier::new(Rbf::new(1.0).unwrap()).dim(usize::MAX - 1);
    assert!(matches!(huge.sample_structured(Structure::Fastfood, 2), Err(Error::Gram(_))));
    let wide = RandomFourier::new(Rbf::new(1.0).unwrap()).dim(2);
    assert!(wide.sample_structured(Structure::Fastfood, usize::MAX).is_err());
    let map = RandomFourier::new(Rbf::new(1.0).unwrap()).dim(2);
    let map = map.sample_structured(Structure::Orthogonal, 2).unwrap();
    let wrong = transform(&map, &uniform::<f64>(3, 3, 1.0, 1), &common::budget());
    assert!(matches!(wrong, Err(Error::Core(_))));
    let far = Samples::from_rows(&[[1e17, 0.0]]).unwrap();
    assert!(matches!(transform(&map, &far, &common::budget()), Err(Error::Core(_))));
}
