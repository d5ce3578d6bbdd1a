//! Fourier maps as functions: exactness, accuracy in f32, determinism, serialisation, errors.
#![allow(clippy::unwrap_used, reason = "a panic in a helper fails the test, as it should")]

use crate::common;
use crate::common::{features, for_threads, uniform};
use kern_approx::bounds::{ErrorBound, Pointwise};
use kern_approx::{
    Error, FeatureMap, FourierForm, FourierMap, RandomFourier, transform, transform_into,
};
use kern_core::faer::Mat;
use kern_core::feature_map::StackedMap;
use kern_core::kernels::{Laplacian, Rbf};
use kern_core::{Samples, Scalar, Scratch};
use proptest::prelude::*;

const U32: f64 = <f32 as Scalar>::UNIT_ROUNDOFF;
const U64: f64 = <f64 as Scalar>::UNIT_ROUNDOFF;

/// The map of one frequency of one turn per unit: x ↦ (cos 2πx, sin 2πx).
fn clock() -> FourierMap {
    let json = r#"{"turns":{"nrows":1,"ncols":1,"values":[1.0]},"offsets":null,"mass":1.0}"#;
    serde_json::from_str(json).unwrap()
}

#[test]
fn quarter_turns_are_exact_however_far() {
    for base in [0.0, 1.0, -3.0, 1e6, 123_456_789.0, 1e15] {
        let x = Samples::from_rows(&[[base], [base + 0.25], [base + 0.5], [base + 0.75]]).unwrap();
        let z = features(&clock(), &x);
        let expected = [(1.0, 0.0), (0.0, 1.0), (-1.0, 0.0), (0.0, -1.0)];
        for (j, (cos, sin)) in expected.into_iter().enumerate() {
            assert_eq!((z[(0, j)], z[(1, j)]), (cos, sin), "{base} + {j}/4");
        }
    }
}

/// Two approximate maps side by side have the kernel of the sum, and the sum of their errors.
#[test]
fn stacked_maps_approximate_the_sum() {
    let x = uniform::<f64>(20, 3, 1.0, 4);
    let (smooth, rough) = (Rbf::new(0.5).unwrap(), Laplacian::new(0.7).unwrap());
    let top = RandomFourier::new(smooth).dim(4000).seed(1).sample(3).unwrap();
    let bottom = RandomFourier::new(rough).dim(2000).seed(2).sample(3).unwrap();
    let z = features(&StackedMap::new(top, bottom), &x);
    assert_eq!(z.shape(), (6000, 20));
    let apart = z.transpose() * &z - common::gram(&(smooth + rough), &x, &x);
    let pairs = Pointwise::new(FourierForm::Paired).pairs(190);
    let [most, smallest] = [4000, 2000].map(|dim| pairs.error(dim, common::FAILURE).unwrap());
    assert!(apart.norm_max() < most + smallest, "{} of {}", apart.norm_max(), most + smallest);
    // One kernel alone is another.
    let alone = z.transpose() * &z - common::gram(&smooth, &x, &x);
    assert!(alone.norm_max() > 0.9);
}

/// The greatest error of cosine and sine over many points of [−1, 1], in units of `u`.
fn worst_trig<T: Scalar>(u: f64) -> f64 {
    let n = 100_001;
    let values = (0..n).map(|i| T::from_f64(2.0 * i as f64 / (n - 1) as f64 - 1.0)).collect();
    let x = Samples::<T>::from_row_major(1, values).unwrap();
    let z = features(&clock(), &x);
    let errors = x.as_slice().iter().enumerate().map(|(j, x)| {
        // Reduced exactly to an eighth of a turn first, where the angle is small.
        let t = x.to_f64();
        let q = (4.0 * t).round();
        let angle = std::f64::consts::TAU * (t - q / 4.0);
        let (s, c) = angle.sin_cos();
        let (cos, sin) = match (q as i64).rem_euclid(4) {
            0 => (c, s),
            1 => (-s, c),
            2 => (-c, -s),
            _ => (s, -c),
        };
        (z[(0, j)] - cos).abs().max((z[(1, j)] - sin).abs())
    });
    errors.fold(0.0, f64::max) / u
}

#[test]
fn cosine_and_sine_are_accurate() {
    let (single, double) = (worst_trig::<f32>(U32), worst_trig::<f64>(U64));
    assert!(single <= 3.0, "f32: {single} u");
    assert!(double <= 3.0, "f64: {double} u");
}

#[test]
fn single_precision_agrees_with_double_on_the_same_points() {
    // Frequencies beyond 10⁴ and coordinates of 100: phases of 10⁶, whose error in single
    // precision would be 0.06.
    for form in [FourierForm::Paired, FourierForm::Phase] {
        let dim = 4096;
        let map = RandomFourier::new(Laplacian::new(2.0).unwrap()).dim(dim).form(form).seed(3);
        let map = map.sample(5).unwrap();
        assert!(map.frequencies().norm_max() > 1e3, "the tail was not reached");
        let single = uniform::<f32>(50, 5, 100.0, 4);
        let wide = single.as_slice().iter().map(|v| f64::from(*v)).collect();
        let double = Samples::from_row_major(5, wide).unwrap();
        let difference = (features(&map, &single) - features(&map, &double)).norm_max();
        let scale = (2.0 / dim as f64).sqrt();
        assert!(difference <= 5.0 * U32 * scale, "{form:?}: {} u", difference / U32 / scale);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn paired_features_have_the_norm_of_the_kernel(
        seed in 0_u64..1000, half in 1_usize..300, mass in 0.0..5.0_f64, side in 0.01..1e4_f64,
    ) {
        let kernel = mass * Rbf::new(0.5).unwrap() + Laplacian::new(1.5).unwrap();
        let map = RandomFourier::new(kernel).dim(2 * half).seed(seed).sample(3).unwrap();
        let z = features(&map, &uniform::<f64>(5, 3, side, seed));
        for j in 0..5 {
            let norm: f64 = z.col(j).squared_norm_l2();
            // cos² + sin² errs by 4u, the scale by 3u, their sum by less than √D·u.
            let allowed = (10.0 + (2.0 * half as f64).sqrt()) * U64 * (mass + 1.0);
            prop_assert!((norm - mass - 1.0).abs() <= allowed, "{norm} for {}", mass + 1.0);
        }
    }

    #[test]
    fn features_do_not_depend_on_the_neighbours(
        n in 1_usize..150, d in 1_usize..40, half in 1_usize..400, seed in 0_u64..1000,
    ) {
        let map = RandomFourier::new(Rbf::new(0.5).unwrap()).dim(2 * half).seed(seed);
        let map = map.sample(d).unwrap();
        let x = uniform::<f64>(n, d, 3.0, seed);
        let all = features(&map, &x);
        let mut one = Mat::zeros(2 * half, 1);
        let j = seed as usize % n;
        map.transform_into(&x, j..j + 1, one.as_mut(), &mut Scratch::new());
        let u = (d + 4) as f64 * U64 * map.frequencies().norm_max() * 3.0 * d as f64 * 7.0;
        prop_assert!((one.as_ref() - all.subcols(j, 1)).norm_max() <= u + 4.0 * U64);
    }
}

#[test]
fn more_features_begin_with_the_fewer_in_both_forms() {
    let params = RandomFourier::new(Laplacian::new(1.0).unwrap() + Rbf::new(1.0).unwrap()).seed(8);
    let small = params.clone().dim(20).sample(3).unwrap();
    let large = params.clone().dim(64).sample(3).unwrap();
    let phase = params.clone().dim(10).form(FourierForm::Phase).sample(3).unwrap();
    assert_eq!(small.frequencies(), large.frequencies().subrows(0, 10));
    assert_eq!(small.frequencies(), phase.frequencies());
    assert_ne!(small.frequencies(), params.seed(9).dim(20).sample(3).unwrap().frequencies());
}

#[test]
fn same_bits_for_any_number_of_threads() {
    let x = uniform::<f32>(1000, 7, 1.0, 1);
    let map = RandomFourier::new(Rbf::new(2.0).unwrap()).dim(300).sample(7).unwrap();
    let results = for_threads(|| transform(&map, &x, &common::budget()).unwrap());
    assert!(results.iter().all(|z| z == &results[0]));
}

#[test]
fn value_stability() {
    let x = Samples::from_rows(&[[0.5, -1.0], [2.0, 0.25]]).unwrap();
    let check = |map: &FourierMap, expected: [f64; 4]| {
        let z = features(map, &x);
        let found = [z[(0, 0)], z[(3, 0)], z[(0, 1)], z[(3, 1)]];
        for (found, expected) in found.into_iter().zip(expected) {
            // The system's logarithm and tangent may differ in the last bits.
            assert!((found - expected).abs() <= 16.0 * U64, "{found:?} for {expected:?}");
        }
    };
    let rbf = RandomFourier::new(Rbf::new(0.5).unwrap()).dim(4).seed(42);
    check(
        &rbf.clone().sample(2).unwrap(),
        [
            0.323_837_484_047_277_47,
            -0.388_563_798_098_540_3,
            0.196_307_230_398_735_46,
            -0.210_751_476_424_948_01,
        ],
    );
    check(
        &rbf.form(FourierForm::Phase).sample(2).unwrap(),
        [
            -0.682_040_098_301_537_7,
            -0.513_605_870_043_143_7,
            0.623_913_398_151_568_1,
            -0.651_270_613_762_841,
        ],
    );
    let laplacian = RandomFourier::new(Laplacian::new(0.5).unwrap()).dim(4).seed(42);
    check(
        &laplacian.sample(2).unwrap(),
        [
            -0.701_349_680_768_895_6,
            -0.188_197_066_869_100_1,
            0.094_557_509_750_703_2,
            -0.125_804_858_193_935_75,
        ],
    );
}

#[test]
fn a_reloaded_map_gives_the_same_bits() {
    let x = uniform::<f64>(20, 3, 1.0, 1);
    for form in [FourierForm::Paired, FourierForm::Phase] {
        let kernel = 0.7 * Laplacian::new(1.0).unwrap();
        let map = RandomFourier::new(kernel).dim(50).form(form).sample(3).unwrap();
        let json: FourierMap = serde_json::from_str(&serde_json::to_string(&map).unwrap()).unwrap();
        let binary: FourierMap = postcard::from_bytes(&postcard::to_stdvec(&map).unwrap()).unwrap();
        assert_eq!(map, json);
        assert_eq!(map, binary);
        assert_eq!(features(&map, &x), features(&json, &x));
        assert_eq!(features(&map, &x), features(&binary, &x));
    }
    let params = RandomFourier::new(Rbf::new(1.0).unwrap()).dim(8).seed(3);
    let json = serde_json::to_string(&params).unwrap();
    assert_eq!(params, serde_json::from_str(&json).unwrap());
}

#[test]
fn a_damaged_file_is_refused() {
    let refused = |turns: &str, offsets: &str, mass: &str| {
        let json = format!(r#"{{"turns":{turns},"offsets":{offsets},"mass":{mass}}}"#);
        serde_json::from_str::<FourierMap>(&json).unwrap_err().to_string()
    };
    let one = r#"{"nrows":1,"ncols":1,"values":[1.0]}"#;
    let none = r#"{"nrows":0,"ncols":1,"values":[]}"#;
    assert!(refused(none, "null", "1.0").contains("no frequencies"));
    assert!(refused(one, "[0.5, 0.5]", "1.0").contains("differ in number"));
    assert!(refused(one, "null", "-1.0").contains("mass"));
    assert!(refused(r#"{"nrows":2,"ncols":1,"values":[1.0]}"#, "null", "1.0").contains("2 x 1"));
}

#[test]
fn invalid_parameters_are_errors() {
    let rbf = || RandomFourier::new(Rbf::new(1.0).unwrap());
    assert!(matches!(rbf().dim(0).sample(2), Err(Error::Zero { .. })));
    assert!(matches!(rbf().dim(4).sample(0), Err(Error::Zero { .. })));
    assert_eq!(rbf().dim(3).sample(2).unwrap_err(), Error::OddDim { given: 3 });
    assert!(rbf().dim(3).form(FourierForm::Phase).sample(2).is_ok());
    let negative = RandomFourier::new(-0.5 * Rbf::new(1.0).unwrap());
    assert!(matches!(negative.sample(2), Err(Error::Core(_))));
    assert!(matches!(rbf().dim(usize::MAX - 1).sample(2), Err(Error::Gram(_))));
    let extreme = RandomFourier::new(Rbf::new(1.7e308).unwrap());
    assert_eq!(extreme.sample(2).unwrap_err(), Error::Frequency { index: 0 });
    let k = Rbf::new(1.0).unwrap();
    let infinite = RandomFourier::new(1.7e308 * k + 1.7e308 * k);
    assert!(matches!(infinite.sample(2), Err(Error::Core(_))));
}

#[test]
fn points_that_do_not_fit_are_errors() {
    let map = RandomFourier::new(Rbf::new(1.0).unwrap()).dim(4).sample(2).unwrap();
    let wrong = uniform::<f64>(3, 3, 1.0, 1);
    assert!(matches!(transform(&map, &wrong, &common::budget()), Err(Error::Core(_))));
    let far = Samples::from_rows(&[[1e17, 0.0]]).unwrap();
    assert!(matches!(transform(&map, &far, &common::budget()), Err(Error::Core(_))));
    let x = uniform::<f64>(3, 2, 1.0, 1);
    let small = kern_gram::MemoryBudget::bytes(95);
    assert!(matches!(transform(&map, &x, &small), Err(Error::Gram(_))));
    assert!(matches!(transform_into(&map, &x, Mat::zeros(4, 2).as_mut()), Err(Error::Gram(_))));
    let empty = Samples::<f64>::from_row_major(2, vec![]).unwrap();
    assert_eq!(transform(&map, &empty, &common::budget()).unwrap().dim(), 4);
}
