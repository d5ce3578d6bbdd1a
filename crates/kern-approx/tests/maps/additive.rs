//! Sampled features of additive kernels: their documented error, and the contract of a map.
#![allow(clippy::float_cmp, reason = "exact results are compared exactly")]
#![allow(clippy::unwrap_used, reason = "a panic in a helper fails the test, as it should")]

use crate::common;
use crate::common::{features, for_threads, gram, uniform};
use kern_approx::{AdditiveKernel, AdditiveMap, Error, SampledAdditive, transform};
use kern_core::kernels::{ChiSquared, Intersection};
use kern_core::{Kernel, Samples, Scalar, SparseSamples};
use proptest::prelude::*;

pub(crate) const KERNELS: [AdditiveKernel; 3] =
    [AdditiveKernel::ChiSquared, AdditiveKernel::Intersection, AdditiveKernel::JensenShannon];

/// The documented errors, per kernel, for n = 1, 2, 3, 5, 10, and the range of ln(y/x) of which they
/// are stated at least.
pub(crate) const STEPS: [usize; 5] = [1, 2, 3, 5, 10];
pub(crate) const ERRORS: [[f64; 5]; 3] = [
    [0.132, 0.0873, 0.0245, 0.0082, 0.0018],
    [0.264, 0.212, 0.126, 0.0895, 0.0608],
    [0.186, 0.0871, 0.0274, 0.0077, 0.0012],
];
pub(crate) const RANGES: [[f64; 5]; 3] =
    [[4.9, 6.7, 8.1, 10.3, 14.5], [2.6, 3.4, 4.0, 4.7, 5.7], [6.5, 9.1, 11.1, 14.1, 19.2]];

/// The greatest |ψ(x)ᵀψ(y) − k(x, y)| over ratios of one coordinate within exp(±range), √(xy) = 1.
fn worst(kernel: AdditiveKernel, steps: usize, range: f64) -> f64 {
    let map = SampledAdditive::new(kernel).steps(steps).map(1).unwrap();
    let error = |i: i32| {
        let x = (0.5 * range * f64::from(i) / 400.0).exp();
        let z = features(&map, &Samples::from_rows(&[[x], [1.0 / x]]).unwrap());
        (z.col(0).transpose() * z.col(1) - kernel.term(x, 1.0 / x)).abs()
    };
    (0..=400).map(error).fold(0.0, f64::max)
}

#[test]
fn errors_are_those_of_the_documentation() {
    for (kernel, (errors, ranges)) in KERNELS.into_iter().zip(ERRORS.iter().zip(RANGES)) {
        for (steps, (error, range)) in STEPS.into_iter().zip(errors.iter().zip(ranges)) {
            let found = worst(kernel, steps, range);
            assert!(found <= *error, "{kernel:?}, {steps}: {found} for {error}");
            assert!(found >= 0.85 * error, "{kernel:?}, {steps}: {found} for {error}");
            // Beyond the range: both the map and the kernel are bounded by √(xy).
            assert!(worst(kernel, steps, 4.0 * range) <= 2.0);
        }
    }
}

/// The greatest error on pairs of ten histograms.
fn error<K: Kernel<Samples<f64>> + Copy + Into<AdditiveKernel>>(exact: K, steps: usize) -> f64 {
    let x = uniform::<f64>(10, 6, 1.0, 3);
    let z = features(&SampledAdditive::new(exact).steps(steps).map(6).unwrap(), &x);
    (z.transpose() * &z - gram(&exact, &x, &x)).norm_max()
}

#[test]
fn many_samples_converge_to_the_kernels() {
    assert!(error(ChiSquared, 40) < 1e-5);
    // The spectrum decays like 1/ω², so that the error does like ln(n)/n.
    let intersection = |steps| error(Intersection, steps);
    assert!(intersection(1000) < 0.01 && intersection(1000) < 0.05 * intersection(10));
}

#[test]
fn terms_are_the_kernels_of_one_coordinate() {
    for (x, y) in [(0.3, 0.7), (1e-300, 1.0), (2.0, 0.0), (0.0, 0.0), (5.0, 5.0)] {
        let chi = Kernel::<Samples<f64>>::eval(&ChiSquared, &[x], &[y]);
        assert!((AdditiveKernel::from(ChiSquared).term(x, y) - chi).abs() <= 1e-15 * chi);
        let min = Kernel::<Samples<f64>>::eval(&Intersection, &[x], &[y]);
        assert_eq!(AdditiveKernel::from(Intersection).term(x, y), min);
    }
    // Jensen–Shannon: k(x, x) = x, and by hand k(1, 3) = (2 + 3·log₂(4/3))/2.
    assert!((AdditiveKernel::JensenShannon.term(0.4, 0.4) - 0.4).abs() < 1e-15);
    let expected = 0.5 * (2.0 + 3.0 * (4.0_f64 / 3.0).log2());
    assert!((AdditiveKernel::JensenShannon.term(1.0, 3.0) - expected).abs() < 1e-15);
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 64, failure_persistence: None, ..ProptestConfig::default()
    })]

    #[test]
    fn features_are_homogeneous_and_sparse_is_dense(
        n in 1_usize..40, d in 1_usize..8, steps in 0_usize..5, seed in 0_u64..1000,
        zeros in 0_usize..8, scale in 0.01..100.0_f64,
    ) {
        let kernel = KERNELS[seed as usize % 3];
        let map = SampledAdditive::new(kernel).steps(steps).map(d).unwrap();
        let mut values = uniform::<f64>(n, d, 1.0, seed).as_slice().to_vec();
        values.iter_mut().step_by(zeros + 1).for_each(|v| *v = 0.0);
        let rows: Vec<Vec<(u32, f64)>> = values
            .chunks(d)
            .map(|row| row.iter().enumerate().map(|(j, &v)| (j as u32, v)).collect())
            .collect();
        let scaled = values.iter().map(|v| scale * v).collect();
        let x = Samples::from_row_major(d, values).unwrap();
        let z = features(&map, &x);
        prop_assert_eq!(&features(&map, &SparseSamples::from_rows(d, &rows).unwrap()), &z);
        // K(c·x, c·y) = c·K(x, y).
        let w = features(&map, &Samples::from_row_major(d, scaled).unwrap());
        let difference = w.transpose() * &w - scale * (z.transpose() * &z);
        prop_assert!(difference.norm_max() <= 1e-13 * scale * d as f64);
    }
}

#[test]
fn threads_precision_and_files() {
    let map = SampledAdditive::new(ChiSquared).steps(3).interval(0.4).map(5).unwrap();
    let x = uniform::<f32>(300, 5, 1.0, 1);
    let wide = x.as_slice().iter().map(|v| f64::from(*v)).collect();
    let wide = Samples::<f64>::from_row_major(5, wide).unwrap();
    let results = for_threads(|| transform(&map, &x, &common::budget()).unwrap());
    assert!(results.iter().all(|z| z == &results[0]));
    let difference = features(&map, &x) - features(&map, &wide);
    assert!(difference.norm_max() <= 5.0 * <f32 as Scalar>::UNIT_ROUNDOFF);
    let reloaded: AdditiveMap = postcard::from_bytes(&postcard::to_stdvec(&map).unwrap()).unwrap();
    assert_eq!(map, reloaded);
    let json = serde_json::to_string(&map).unwrap();
    assert!(serde_json::from_str::<AdditiveMap>(&json.replace("0.4", "0.0")).is_err());
    assert!(serde_json::from_str::<AdditiveMap>(&json.replace(":5", ":0")).is_err());
}

#[test]
fn what_makes_no_sense_is_an_error() {
    let params = SampledAdditive::new(ChiSquared);
    assert!(matches!(params.map(0), Err(Error::Zero { .. })));
    assert!(matches!(params.steps(usize::MAX).map(1), Err(Error::Core(_))));
    assert!(matches!(params.steps(1 << 20).map(1 << 20), Err(Error::Core(_))));
    for bad in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        assert!(matches!(params.interval(bad).map(1), Err(Error::Core(_))));
    }
    let map = params.map(2).unwrap();
    let negative = Samples::from_rows(&[[1.0, -1.0]]).unwrap();
    assert!(matches!(transform(&map, &negative, &common::budget()), Err(Error::Core(_))));
    let wrong = uniform::<f64>(2, 3, 1.0, 1);
    assert!(matches!(transform(&map, &wrong, &common::budget()), Err(Error::Core(_))));
}

/// scikit-learn 1.9.1: ZZᵀ for `AdditiveChi2Sampler(sample_steps=s).fit_transform(X)`, whose s counts the frequency 0 and whose
/// intervals are 0.5 and 0.4.
#[test]
fn features_have_the_products_of_scikit_learn() {
    let x = Samples::from_rows(&[[0.2, 0.3, 0.5], [0.1, 0.0, 0.9], [4.0, 2.0, 0.125]]).unwrap();
    let expected = [
        (
            1,
            0.5,
            [
                0.8985368153383867,
                0.7150150331192158,
                1.24205830414132,
                0.4894923680138878,
                5.503537993947619,
            ],
        ),
        (
            2,
            0.4,
            [
                0.9500120116245303,
                0.7494863868647362,
                1.166022356501672,
                0.4316410058146727,
                5.818823571200249,
            ],
        ),
    ];
    for (steps, interval, expected) in expected {
        let map = SampledAdditive::new(ChiSquared).steps(steps).interval(interval).map(3).unwrap();
        let z = features(&map, &x);
        let product = |(i, j): (usize, usize)| z.col(i).transpose() * z.col(j);
        let found = [(0, 0), (0, 1), (0, 2), (1, 2), (2, 2)].map(product);
        let close = found.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-14);
        assert!(close, "{steps}: {found:?}");
    }
}
