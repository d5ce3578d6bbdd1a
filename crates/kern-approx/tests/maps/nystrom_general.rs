//! Nyström features on any points, their files, and their errors.
#![allow(clippy::unwrap_used, reason = "a panic in a helper fails the test, as it should")]

use crate::common::{budget, eigenvalues, features, gram, uniform};
use kern_approx::{Error, Nystrom, NystromMap, transform, transform_indices_into};
use kern_core::closure::AssumeMercer;
use kern_core::faer::Mat;
use kern_core::kernels::{FnKernel, Linear, Rbf, Sigmoid};
use kern_core::{Kernel, Mercer, Points, Samples};
use kern_gram::MemoryBudget;
use serde::{Deserialize, Serialize};

/// The number of pairs of equal two-letter substrings: an inner product of counts.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Bigrams;

impl Kernel<Vec<String>> for Bigrams {
    fn eval(&self, x: &String, y: &String) -> f64 {
        let pairs = |s: &String| s.as_bytes().windows(2).map(<[u8]>::to_vec).collect::<Vec<_>>();
        let (x, y) = (pairs(x), pairs(y));
        x.iter().map(|p| y.iter().filter(|q| *q == p).count() as f64).sum()
    }
}
impl Mercer<Vec<String>> for Bigrams {}

kern_core::named! { [] Bigrams = "bigrams"; }

fn words() -> Vec<String> {
    let words = "gram kernel merge ernest gramme kern rank ranking landmark mark landmark remark \
                 a eigen generate kernel";
    words.split_whitespace().map(String::from).collect()
}

#[test]
fn strings() {
    let x = words();
    let map = Nystrom::new(Bigrams).landmarks(x.len()).fit(&x, &budget()).unwrap();
    // Two words occur twice, and "a" has no features at all.
    assert!(map.rank() <= x.len() - 3);
    let z = features(&map, &x);
    let g = gram(&Bigrams, &x, &x);
    assert!((z.transpose() * &z - &g).norm_max() < 1e-12);
    let part = Nystrom::new(Bigrams).landmarks(6).fit(&x, &budget()).unwrap();
    let z = features(&part, &x);
    assert!(eigenvalues(&(&g - z.transpose() * &z))[0] > -1e-12);
    let error = part.trace_error(&x).unwrap();
    assert!(error > 0.0 && error < 1.0, "{error}");
}

#[test]
fn a_reloaded_map_gives_the_same_bits() {
    let x = words();
    let map = Nystrom::new(Bigrams).landmarks(7).seed(2).fit(&x, &budget()).unwrap();
    type Strings = NystromMap<Vec<String>, Bigrams>;
    let json: Strings = serde_json::from_str(&serde_json::to_string(&map).unwrap()).unwrap();
    let binary: Strings = postcard::from_bytes(&postcard::to_stdvec(&map).unwrap()).unwrap();
    assert_eq!((&map, &map), (&json, &binary));
    assert_eq!(features(&map, &x), features(&json, &x));

    let x = uniform::<f32>(50, 3, 1.0, 1);
    let kernel = Rbf::new(2.0).unwrap() + 0.5 * Linear;
    let map = Nystrom::new(kernel).landmarks(20).rank(9).fit(&x, &budget()).unwrap();
    let text = serde_json::to_string(&map).unwrap();
    let bytes = postcard::to_stdvec(&map).unwrap();
    let mut json = map.clone();
    assert_eq!(map, serde_json::from_str(&text).unwrap());
    json.clone_from(&serde_json::from_str(&text).unwrap());
    let mut binary = map.clone();
    binary.clone_from(&postcard::from_bytes(&bytes).unwrap());
    assert_eq!(features(&map, &x), features(&json, &x));
    assert_eq!(features(&map, &x), features(&binary, &x));
}

#[test]
fn a_damaged_file_is_refused() {
    let x = uniform::<f64>(5, 1, 1.0, 1);
    let map = Nystrom::new(Rbf::new(2.0).unwrap()).landmarks(2).fit(&x, &budget()).unwrap();
    let good = serde_json::to_value(&map).unwrap();
    let refused = |change: &dyn Fn(&mut serde_json::Value)| {
        let mut value = good.clone();
        change(&mut value);
        serde_json::from_value::<NystromMap<Samples<f64>, Rbf>>(value).unwrap_err().to_string()
    };
    assert!(refused(&|v| v["eigenvalues"][1] = (-1.0).into()).contains("positive"));
    assert!(refused(&|v| v["eigenvalues"] = serde_json::json!([1.0])).contains("projection"));
    assert!(refused(&|v| v["landmarks"]["dim"] = 2.into()).contains("projection"));
    assert!(refused(&|v| v["kernel"][1]["gamma"] = (-1.0).into()).contains("> 0"));
}

#[test]
fn numbers_that_do_not_fit_are_errors() {
    let x = uniform::<f64>(5, 2, 1.0, 1);
    let k = Rbf::new(1.0).unwrap();
    let with = |m: usize| Nystrom::new(k).landmarks(m);
    let fit = |params: Nystrom<Rbf>| params.fit(&x, &budget()).unwrap_err();
    assert_eq!(fit(with(6)), Error::TooManyLandmarks { given: 6, points: 5 });
    assert_eq!(fit(with(usize::MAX)), Error::TooManyLandmarks { given: usize::MAX, points: 5 });
    assert!(matches!(fit(with(0)), Error::Zero { .. }));
    assert!(matches!(fit(with(3).rank(0)), Error::Zero { .. }));
    assert_eq!(fit(with(3).rank(4)), Error::Rank { given: 4, landmarks: 3 });
    let small = MemoryBudget::bytes(100);
    assert!(matches!(with(5).fit(&x, &small), Err(Error::Gram(_))));
    let empty = x.select(&[]).unwrap();
    assert!(matches!(with(1).fit(&empty, &budget()), Err(Error::EmptyPoints { .. })));
    assert!(matches!(
        with(1).fit_landmarks(empty.clone(), &budget()),
        Err(Error::EmptyPoints { .. })
    ));
    let map = with(5).fit(&x, &budget()).unwrap();
    assert!(matches!(map.trace_error(&empty), Err(Error::EmptyPoints { .. })));
    let wide = uniform::<f64>(5, 3, 1.0, 1);
    assert!(matches!(map.trace_error(&wide), Err(Error::Core(_))));
    assert!(matches!(transform(&map, &wide, &budget()), Err(Error::Core(_))));
}

#[test]
fn kernels_that_are_none_are_errors() {
    let x = uniform::<f64>(8, 2, 1.0, 1);
    let negative = Nystrom::new(-1.0 * Rbf::new(1.0).unwrap()).landmarks(3).fit(&x, &budget());
    assert!(matches!(negative, Err(Error::Core(_))));
    let zero = Nystrom::new(0.0 * Rbf::new(1.0).unwrap()).landmarks(3).fit(&x, &budget());
    assert_eq!(zero.unwrap_err(), Error::NoPositiveEigenvalue { largest: 0.0 });
    let sigmoid = AssumeMercer(Sigmoid::new(5.0, -3.0).unwrap());
    let indefinite = Nystrom::new(sigmoid).landmarks(8).fit(&x, &budget());
    assert!(matches!(indefinite, Err(Error::NotPsd { .. })));
    let origin = Samples::from_rows(&[[0.0], [1.0]]).unwrap();
    let map = Nystrom::new(Linear).fit_landmarks(origin.select(&[1]).unwrap(), &budget()).unwrap();
    let nothing = map.trace_error(&origin.select(&[0]).unwrap());
    assert_eq!(nothing.unwrap_err(), Error::ZeroTrace { trace: 0.0 });
}

#[test]
fn nan_of_a_kernel_is_an_error_wherever_it_appears() {
    let nan_at_7 = |x: &f64, y: &f64| if x.max(*y) > 6.5 { f64::NAN } else { x * y };
    let kernel = AssumeMercer(FnKernel::new(nan_at_7));
    let bad: Vec<f64> = (1..=7).map(f64::from).collect();
    let good = bad[..6].to_vec();
    let fit = Nystrom::new(kernel).fit_landmarks(bad.clone(), &budget());
    assert!(matches!(fit, Err(Error::Gram(kern_gram::Error::NotFinite { .. }))));
    let map = Nystrom::new(kernel).fit_landmarks(good, &budget()).unwrap();
    let transformed = transform(&map, &bad, &budget()).unwrap_err();
    let expected = kern_core::Error::FeatureNotFinite { sample: 6, feature: 0, given: f64::NAN };
    assert_eq!(transformed.to_string(), expected.to_string());
    assert!(matches!(map.trace_error(&bad), Err(Error::ZeroTrace { .. })));
}

#[test]
fn features_of_chosen_indices() {
    let x = uniform::<f64>(30, 2, 1.0, 1);
    let map = Nystrom::new(Rbf::new(1.0).unwrap()).landmarks(10).fit(&x, &budget()).unwrap();
    let all = features(&map, &x);
    let mut some = Mat::zeros(map.rank(), 3);
    transform_indices_into(&map, &x, &[4, 29, 4], some.as_mut()).unwrap();
    assert!((some.subcols(0, 1) - all.subcols(4, 1)).norm_max() < 1e-9);
    assert!((some.subcols(1, 1) - all.subcols(29, 1)).norm_max() < 1e-9);
    assert_eq!(some.subcols(0, 1), some.subcols(2, 1));
    let outside = transform_indices_into(&map, &x, &[1, 30, 2], some.as_mut());
    assert_eq!(outside, Err(kern_core::Error::Index { given: 30, len: 30 }.into()));
    let wrong = transform_indices_into(&map, &x, &[1], some.as_mut());
    assert!(matches!(wrong, Err(Error::Gram(_))));
}
