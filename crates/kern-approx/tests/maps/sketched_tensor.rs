//! The sketched tensor product of two feature maps: expectation and variance by complete enumeration,
//! and the contract of a map.
//!
//! Seeds are fixed; the chance that a correct library would fail an assertion for a seed chosen at
//! random is below `common::FAILURE`.
#![allow(clippy::unwrap_used, reason = "a panic in a helper fails the test, as it should")]

use crate::common;
use crate::common::{FAILURE, bernstein, features, for_threads, uniform};
use kern_approx::{
    Error, FeatureMap, FourierMap, Identity, RandomFourier, SketchedTensor, SketchedTensorMap,
    transform,
};
use kern_core::faer::Mat;
use kern_core::feature_map::PulledMap;
use kern_core::kernels::{Polynomial, Rbf};
use kern_core::{Explicit, Points, Samples, Scalar};

/// k, S and T of the documentation, and ‖u‖₁‖u′‖₁, for two columns u and u′.
pub(crate) fn moments(z: &Mat<f64>) -> [f64; 4] {
    let (u, v) = (z.col(0), z.col(1));
    let k = u.transpose() * v;
    let squares: f64 = u.iter().zip(v.iter()).map(|(u, v)| (u * v).powi(2)).sum();
    let s = u.squared_norm_l2() * v.squared_norm_l2() - squares;
    [k, s, k * k - squares, u.norm_l1() * v.norm_l1()]
}

/// k₁·k₂ and the variance of the documentation for D features.
pub(crate) fn law([k1, s1, t1, _]: [f64; 4], [k2, s2, t2, _]: [f64; 4], dim: usize) -> (f64, f64) {
    let (d, f) = (dim as f64, if dim.is_multiple_of(2) { 2.0 } else { 1.0 });
    let first = k1 * k1 * (s2 + t2) + k2 * k2 * (s1 + t1) + s1 * s2 + t1 * t2;
    (k1 * k2, first / d + f * (s1 * t2 + s2 * t1) / (d * d))
}

fn estimate<P: Points>(map: &impl FeatureMap<P>, x: &P) -> f64 {
    let z = features(map, x);
    z.col(0).transpose() * z.col(1)
}

/// The map with the hash functions of the given number: a digit per coordinate, which is a cell and a
/// sign.
fn numbered(mut number: usize, dims: [usize; 2], dim: usize) -> SketchedTensorMap<Part, Part> {
    let mut cell = |_| {
        let digit = number % (2 * dim);
        number /= 2 * dim;
        (digit / 2, digit % 2 == 1)
    };
    let hashes = dims.map(|n| (0..n).map(&mut cell).collect::<Vec<(usize, bool)>>());
    let (left, right) = (Identity::new(dims[0]), Identity::new(dims[1]));
    let json = serde_json::json!({ "left": left, "right": right, "dim": dim, "hashes": hashes });
    serde_json::from_value(json).unwrap()
}

/// Expectation and variance over *all* hash functions, each of which is as probable as any other.
#[test]
fn unbiased_with_exactly_the_variance_of_the_documentation() {
    // Signs of both kinds, so that S and T differ.
    let x = Samples::from_rows(&[[0.7, -0.4], [0.3, 1.1]]).unwrap();
    let exact = moments(&features(&Identity::new(2), &x));
    for dim in [1, 2, 3, 4, 5] {
        let (k, variance) = law(exact, exact, dim);
        let count = (2 * dim).pow(4);
        let estimates = (0..count).map(|number| estimate(&numbered(number, [2, 2], dim), &x));
        let estimates: Vec<f64> = estimates.collect();
        let mean = estimates.iter().sum::<f64>() / count as f64;
        assert!((mean - k).abs() < 1e-12, "{dim}: {mean} for {k}");
        let found = estimates.iter().map(|t| (t - k).powi(2)).sum::<f64>() / count as f64;
        assert!((found - variance).abs() < 1e-12, "{dim}: {found} for {variance}");
    }
}

#[test]
fn drawn_hashes_are_unbiased() {
    let (maps, dim) = (10_000, 16);
    let x = uniform::<f64>(2, 3, 1.0, 3);
    let left = Polynomial::new(0.7, 0.3, 2).unwrap().feature_map(&x).unwrap();
    let right = Identity::new(3);
    let (a, b) = (moments(&features(&left, &x)), moments(&features(&right, &x)));
    let (k, variance) = law(a, b, dim);
    let one = |seed| {
        let params = SketchedTensor::new(left.clone(), right).dim(dim).seed(seed);
        estimate(&params.sample(&x).unwrap(), &x)
    };
    let mean = (0..maps).map(one).sum::<f64>() / maps as f64;
    let allowed = bernstein(variance, a[3] * b[3] + k.abs(), maps as usize, FAILURE);
    assert!((mean - k).abs() <= allowed, "{mean} for {k}, allowed {allowed}");
    assert!(allowed < 0.2 * k, "the test is too weak: {allowed} for {k}");
}

/// Maps of two different things: ψ₁(x) ⊗ ψ₂(y) for points (x, y).
#[test]
fn the_two_maps_may_see_different_parts_of_a_point() {
    type Pair = (Vec<f64>, Vec<f64>);
    let pairs: Vec<Pair> = vec![
        (vec![0.6, 0.8], vec![0.1, -0.4, 0.3]),
        (vec![0.5, -0.2], vec![0.9, 0.4, 0.2]),
        (vec![-0.3, 0.7], vec![0.5, 0.0, -0.6]),
    ];
    let first = PulledMap::<_, _, Samples<f64>>::new(|p: &Pair| p.0.clone(), Identity::new(2));
    let second = PulledMap::<_, _, Samples<f64>>::new(|p: &Pair| p.1.clone(), Identity::new(3));
    let (a, b) = (features(&first, &pairs), features(&second, &pairs));
    let (a, b) = (a.transpose() * &a, b.transpose() * &b);
    let map = SketchedTensor::new(first, second).dim(1 << 16).sample(&pairs).unwrap();
    let z = features(&map, &pairs);
    let estimate = z.transpose() * &z;
    // A sketch without a collision is exact. Two of the 6 products share a cell with a probability of
    // 15·2⁻¹⁶ at most; for this seed none do.
    for (i, j) in (0..3).flat_map(|i| (0..3).map(move |j| (i, j))) {
        assert!((estimate[(i, j)] - a[(i, j)] * b[(i, j)]).abs() < 1e-12);
    }
}

type Part = Identity;
type Sketch = SketchedTensorMap<FourierMap, Identity>;

fn sketch<T: Scalar>(x: &Samples<T>, dim: usize) -> Result<Sketch, Error> {
    let rbf = RandomFourier::new(Rbf::new(0.5).unwrap()).dim(60).sample(x.dim())?;
    SketchedTensor::new(rbf, Identity::new(x.dim())).dim(dim).seed(5).sample(x)
}

#[test]
fn threads_precision_and_files() {
    let x = uniform::<f32>(300, 4, 1.0, 1);
    let wide = x.as_slice().iter().map(|v| f64::from(*v)).collect();
    let wide = Samples::<f64>::from_row_major(4, wide).unwrap();
    let map = sketch(&x, 128).unwrap();
    assert_eq!(map, sketch(&wide, 128).unwrap());
    let results = for_threads(|| transform(&map, &x, &common::budget()).unwrap());
    assert!(results.iter().all(|z| z == &results[0]));
    let (single, double) = (features(&map, &x), features(&map, &wide));
    // The parts are rounded to single precision, and 60·4 products of them added.
    let u = <f32 as Scalar>::UNIT_ROUNDOFF;
    assert!((single - &double).norm_max() <= 240.0 * u * double.norm_max());
    let reloaded: Sketch = postcard::from_bytes(&postcard::to_stdvec(&map).unwrap()).unwrap();
    assert_eq!(map, reloaded);
    assert_eq!(features(&reloaded, &wide), double);
    let params = SketchedTensor::new(Identity::new(2), Identity::new(3)).dim(8).seed(3);
    let json = serde_json::to_string(&params).unwrap();
    assert_eq!(params, serde_json::from_str(&json).unwrap());
}

#[test]
fn what_makes_no_sense_is_an_error() {
    let x = uniform::<f64>(3, 2, 1.0, 1);
    assert!(matches!(sketch(&x, 0), Err(Error::Zero { .. })));
    assert!(matches!(sketch(&x, usize::MAX), Err(Error::Gram(_))));
    let wrong = SketchedTensor::new(Identity::new(3), Identity::new(2)).sample(&x);
    assert!(matches!(wrong, Err(Error::Core(_))));
    let map = sketch(&x, 8).unwrap();
    let other = uniform::<f64>(3, 3, 1.0, 1);
    assert!(matches!(transform(&map, &other, &common::budget()), Err(Error::Core(_))));
    let huge = Samples::from_rows(&[[1e200, 0.0]]).unwrap();
    let square = SketchedTensor::new(Identity::new(2), Identity::new(2)).dim(4).sample(&huge);
    assert!(matches!(transform(&square.unwrap(), &huge, &common::budget()), Err(Error::Core(_))));
}

#[test]
fn damaged_files_are_refused() {
    let x = uniform::<f64>(1, 1, 1.0, 1);
    let map = SketchedTensor::new(Identity::new(1), Identity::new(1)).dim(2).sample(&x).unwrap();
    type Small = SketchedTensorMap<Identity, Identity>;
    let json = serde_json::to_string(&map).unwrap();
    assert_eq!(serde_json::from_str::<Small>(&json).unwrap(), map);
    for (from, to) in
        [("\"dim\":2", "\"dim\":0"), ("\"hashes\":[", "\"hashes\":[[],"), ("[[[", "[[[7,true],[")]
    {
        let damaged = json.replacen(from, to, 1);
        assert_ne!(damaged, json);
        assert!(serde_json::from_str::<Small>(&damaged).is_err(), "{from} -> {to}");
    }
    // Hashes for two features, a map of one.
    let longer = json.replacen("[[[", "[[[0,true],[", 1);
    let longer: Small = serde_json::from_str(&longer).unwrap();
    assert!(matches!(transform(&longer, &x, &common::budget()), Err(Error::Core(_))));
}
