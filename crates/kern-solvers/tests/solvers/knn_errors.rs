//! Errors of k nearest neighbours: of fits, of queries, and of kernels that refuse points or have values that are not finite.
#![allow(clippy::unwrap_used, reason = "helpers of tests are tests")]

use crate::knn::{line, uniform};
use kern_core::closure::{AssumeMercer, Normalized};
use kern_core::kernels::{FnKernel, Linear, Polynomial};
use kern_core::{Kernel, Points, Samples};
use kern_solvers::Error;
use kern_solvers::knn::KNearest;

#[test]
fn fit_with_invalid_k_is_an_error() {
    let x = line(&[0.0, 1.0, 2.0, 3.0]);
    let params = KNearest::by_distance(Linear);
    let allowed = "at least 1 and at most the number of points";
    let error = |given| Error::Count { name: "neighbors", given, allowed };
    assert_eq!(params.clone().neighbors(0).fit(&x, &[0.0; 4]).unwrap_err(), error(0));
    assert_eq!(params.fit(&x, &[0.0; 4]).unwrap_err(), error(5));
    assert_eq!(params.fit(&x, &[0, 0, 1, 1]).unwrap_err(), error(5));
    assert!(params.clone().neighbors(4).fit(&x, &[0.0; 4]).is_ok());
}

#[test]
fn fit_with_invalid_labels_or_targets_is_an_error() {
    let x = line(&[0.0, 1.0, 2.0]);
    let params = KNearest::by_similarity(Linear).neighbors(1);
    let length = |what, given| Error::Length { what, expected: 3, given };
    assert_eq!(params.fit(&x, &["a", "b"]).unwrap_err(), length("labels", 2));
    assert_eq!(params.fit(&x, &[0.0; 4]).unwrap_err(), length("targets", 4));
    assert_eq!(params.fit(&x, &[1, 1, 1]).unwrap_err(), Error::OneClass { points: 3 });
    let error = params.fit(&x, &[0.0, f64::INFINITY, 0.0]).unwrap_err();
    assert_eq!(error, Error::NotFinite { point: 1, output: 0, given: f64::INFINITY });
    let nothing = Samples::<f64>::from_row_major(1, vec![]).unwrap();
    assert_eq!(params.fit(&nothing, &[0.0; 0]).unwrap_err(), Error::Empty);
    assert_eq!(params.fit(&nothing, &[0_u8; 0]).unwrap_err(), Error::Empty);
}

/// A model answers for each of its points, so a distance that overflows is found when it learns, wherever it is.
#[test]
fn points_too_far_for_distances_are_an_error() {
    let mut far: Vec<[f32; 1]> = (0..12).map(|i| [1e13 + i as f32]).collect();
    far[7][0] = -9e18;
    let cube = |x: &Samples<f32>| {
        let kernel = Polynomial::new(1.0, 1.0, 3).unwrap();
        KNearest::by_distance(kernel).neighbors(2).fit(x, &[0.0; 12]).map(|model| model.predict(x))
    };
    let near: Vec<[f32; 1]> = far.iter().map(|row| [row[0] / 1e18]).collect();
    assert!(cube(&Samples::from_rows(&near).unwrap()).unwrap().is_ok());
    for shift in [1.0, 1e-3, 1e-6, 1e-9, 1e-12] {
        let moved: Vec<[f32; 1]> = far.iter().map(|row| [row[0] * shift]).collect();
        match cube(&Samples::from_rows(&moved).unwrap()) {
            Ok(answers) => assert!(answers.is_ok(), "{shift}: {answers:?}"),
            Err(error) => {
                assert!(
                    matches!(error, Error::Gram(kern_gram::Error::NotFinite { .. })),
                    "{error}"
                );
            }
        }
    }
}

/// The directions of vectors are near to each other or not, at whatever length. Powers of two change no digit.
#[test]
fn directions_have_neighbours_at_any_scale() {
    let x: Samples<f64> = uniform(40, 2, 5);
    let found = |scale: f64| {
        let numbers = x.as_slice().iter().map(|v| v * scale).collect();
        let x = Samples::from_row_major(2, numbers).unwrap();
        let params = KNearest::by_distance(Normalized::new(Linear)).neighbors(3);
        params.fit(&x, &[0.0; 40]).unwrap().search().neighbors(&x).unwrap()
    };
    let expected = found(1.0);
    for exponent in [-500, 266, 333, 500] {
        assert_eq!(found(2.0_f64.powi(exponent)), expected, "2^{exponent}");
    }
}

#[test]
fn prediction_with_invalid_queries_is_an_error() {
    let x = line(&[0.0, 1.0]);
    let params = KNearest::by_distance(Linear).neighbors(1);
    let model = params.fit(&x, &["a", "b"]).unwrap();
    let error = model.predict(&uniform(3, 2, 14)).unwrap_err();
    assert!(matches!(
        error,
        Error::Core(kern_core::Error::Dimension { expected: 1, given: 2, .. })
    ));
    let error = model.accuracy(&x, &["a"]).unwrap_err();
    assert_eq!(error, Error::Length { what: "labels", expected: 2, given: 1 });
    let nothing = x.select(&[]).unwrap();
    assert_eq!(model.accuracy(&nothing, &[]).unwrap_err(), Error::Empty);
    assert!(model.predict(&nothing).unwrap().is_empty());
    assert_eq!(model.predict_proba(&nothing).unwrap().shape(), (0, 2));
}

#[test]
fn kernel_that_refuses_points_is_an_error() {
    let x = line(&[0.0, 1.0]);
    assert!(matches!(
        KNearest::by_distance(-1.0 * Linear).neighbors(1).fit(&x, &[0.0; 2]),
        Err(Error::Core(kern_core::Error::Parameter { .. }))
    ));

    #[derive(Clone)]
    struct Positive;
    impl Kernel<Vec<i32>> for Positive {
        fn eval(&self, x: &i32, y: &i32) -> f64 {
            f64::from(x * y)
        }
        fn check(&self, points: &Vec<i32>) -> Result<(), kern_core::Error> {
            let refused = points.iter().find(|&&x| x <= 0);
            refused.map_or(Ok(()), |&x| {
                let given = f64::from(x);
                Err(kern_core::Error::Parameter { name: "x", given, allowed: "> 0" })
            })
        }
    }
    let refused = KNearest::by_similarity(Positive).neighbors(1).fit(&vec![1, -1], &[0.0; 2]);
    assert!(matches!(refused, Err(Error::Core(_))));
    let model = KNearest::by_similarity(Positive).neighbors(1).fit(&vec![1, 2], &[0.0; 2]).unwrap();
    assert!(matches!(model.neighbors(&vec![3, -3]), Err(Error::Core(_))));
}

/// |x|·y, but `given` where x < 0 and y ≤ 50.
fn bad_product(given: f64) -> AssumeMercer<impl Kernel<Vec<f64>> + Copy + std::fmt::Debug> {
    AssumeMercer(FnKernel::new(
        move |x: &f64, y: &f64| {
            if *x < 0.0 && *y <= 50.0 { given } else { x.abs() * y }
        },
    ))
}

#[test]
fn kernel_value_not_finite_is_an_error_at_its_place() {
    // Far points come last, so that −∞ comes when nothing is let in any more.
    let x: Vec<f64> = (0..300).map(|i| f64::from(300 - i)).collect();
    let mut queries = vec![1.0; 900];
    (queries[77], queries[800]) = (-1.0, -1.0);
    for given in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        for threads in [1, 2, 8] {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            let params = KNearest::by_similarity(bad_product(given)).neighbors(3);
            let model = params.fit(&x, &[0.0; 300]).unwrap();
            match pool.install(|| model.neighbors(&queries)).unwrap_err() {
                Error::Gram(kern_gram::Error::NotFinite { row, col, given: found }) => {
                    assert_eq!((row, col, found.to_bits()), (77, 250, given.to_bits()));
                }
                other => panic!("{other}"),
            }
        }
        let params = KNearest::by_distance(bad_product(given)).neighbors(1);
        assert!(matches!(
            params.fit(&vec![1.0, -1.0], &[0.0; 2]).unwrap_err(),
            Error::Gram(kern_gram::Error::NotFinite { row: 1, col: 1, .. })
        ));
    }
}

#[test]
fn distance_that_overflows_is_an_error() {
    // K = ±1.44e308 is finite; d² = 4·1.44e308 is not.
    let learner = KNearest::by_distance(Linear).neighbors(2);
    let refused = learner.fit(&line(&[1.2e154, -1.2e154]), &[0.0; 2]);
    assert!(matches!(refused, Err(Error::Gram(kern_gram::Error::NotFinite { row: 1, .. }))));
    // What was learned answers for its points, and refuses others that are too far.
    let model = learner.fit(&line(&[1e153, -1e153]), &[0.0; 2]).unwrap();
    assert_eq!(model.neighbors(&line(&[1e153])).unwrap()[0][0].index, 0);
    assert!(matches!(
        model.neighbors(&line(&[1e200])).unwrap_err(),
        Error::Gram(kern_gram::Error::NotFinite { row: 0, .. })
    ));
}
