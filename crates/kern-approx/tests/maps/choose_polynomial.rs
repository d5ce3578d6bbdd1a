//! The choice of features for polynomials: that exact is exact, and that sketches keep their promise.
//!
//! Seeds are fixed; the chance that a correct library would fail an assertion for a seed chosen at
//! random is below `common::FAILURE`.
#![allow(clippy::float_cmp, reason = "exact results are compared exactly")]
#![allow(clippy::unwrap_used, reason = "a panic in a helper fails the test, as it should")]

use crate::common;
use crate::common::{FAILURE, budget, features, gram, uniform};
use kern_approx::choose::{Evidence, Kind, Target, choose_polynomial};
use kern_approx::{Error, TensorSketch};
use kern_core::kernels::Polynomial;
use kern_core::{Explicit, FeatureMap, Samples};
use kern_gram::MemoryBudget;

const TARGET: Target = Target::Error { error: 0.1, failure: FAILURE };

#[test]
fn polynomials_with_few_monomials_are_exact() {
    for (coef0, degree, d) in [(1.0, 3, 4), (0.0, 3, 4), (1.0, 0, 2), (0.0, 0, 2), (0.5, 2, 1)] {
        let kernel = Polynomial::new(0.5, coef0, degree).unwrap();
        let x = uniform::<f64>(10, d, 1.0, 1);
        let dim = FeatureMap::<Samples<f64>>::dim(&kernel.feature_map(&x).unwrap());
        for target in [TARGET, Target::Features(dim)] {
            let choice = choose_polynomial(&kernel, &x, target, &budget()).unwrap();
            assert_eq!((choice.kind, choice.dim, choice.error), (Kind::Monomials, dim, 0.0));
        }
        if dim > 2 {
            let fewer = choose_polynomial(&kernel, &x, Target::Features(dim - 1), &budget());
            let fewer = fewer.unwrap();
            assert_ne!(fewer.kind, Kind::Monomials);
            assert!(fewer.dim < dim && matches!(fewer.evidence, Evidence::Measured { .. }));
        }
    }
}

#[test]
fn polynomials_with_many_monomials_are_sketched_and_the_sketch_keeps_its_promise() {
    let (kernel, n) = (Polynomial::new(0.02, 1.0, 4).unwrap(), 3);
    let x = uniform::<f64>(n, 100, 1.0, 1);
    let target = Target::Error { error: 0.3, failure: 0.02 };
    let choice = choose_polynomial(&kernel, &x, target, &budget()).unwrap();
    assert_eq!(choice.kind, Kind::TensorSketch);
    // 6 pairs, (3⁴ − 1)/(D·0.09) each.
    assert_eq!(choice.dim, (6.0_f64 * 80.0 / (0.09 * 0.02)).ceil() as usize);
    let exact = gram(&kernel, &x, &x);
    let mut failures = 0;
    for seed in 0..10 {
        let map = TensorSketch::new(kernel).dim(choice.dim).seed(seed).sample(100).unwrap();
        let z = features(&map, &x);
        let e = z.transpose() * &z - &exact;
        let relative =
            |i: usize, j: usize| e[(i, j)].abs() / (exact[(i, i)] * exact[(j, j)]).sqrt();
        let worst = (0..n * n).map(|k| relative(k / n, k % n)).fold(0.0, f64::max);
        failures += usize::from(worst >= 0.3);
    }
    assert!(failures <= common::binomial_limit(10, 0.02, FAILURE), "{failures}");
}

#[test]
fn what_makes_no_sense_is_an_error() {
    let (x, none) =
        (uniform::<f64>(5, 2, 1.0, 1), Samples::<f64>::from_row_major(2, vec![]).unwrap());
    let kernel = Polynomial::new(1.0, 1.0, 2).unwrap();
    let choose = |x: &_, target| choose_polynomial(&kernel, x, target, &budget());
    assert!(matches!(choose(&none, TARGET), Err(Error::EmptyPoints { .. })));
    for (error, failure) in [(0.0, 0.1), (f64::NAN, 0.1), (0.1, 0.0), (0.1, -1.0)] {
        assert!(matches!(choose(&x, Target::Error { error, failure }), Err(Error::Core(_))));
    }
    for target in [Target::Features(0), Target::Memory(MemoryBudget::bytes(7))] {
        assert!(matches!(choose(&x, target), Err(Error::Zero { .. })));
    }
    let impossible = Target::Error { error: 1e-6, failure: 1e-9 };
    let many = Polynomial::new(1.0, 1.0, 20).unwrap();
    let wide = uniform::<f64>(5, 1000, 1.0, 1);
    let found = choose_polynomial(&many, &wide, impossible, &budget());
    assert!(matches!(found, Err(Error::Unattainable { .. })), "{found:?}");
}
