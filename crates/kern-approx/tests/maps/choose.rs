//! The choice of features: what is chosen when, that certificates hold, and that exact is exact.
//! (Promises on real data: see the tests of the facade.)
//!
//! Seeds are fixed; the chance that a correct library would fail an assertion for a seed chosen at
//! random is below `common::FAILURE`.
#![allow(clippy::float_cmp, reason = "exact results are compared exactly")]
#![allow(clippy::unwrap_used, reason = "a panic in a helper fails the test, as it should")]

use crate::common;
use crate::common::{FAILURE, budget, features, for_threads, gram, uniform};
use kern_approx::bounds::{ErrorBound, Pointwise};
use kern_approx::choose::{Choice, Evidence, Kind, Target, choose, choose_polynomial};
use kern_approx::{Error, FourierForm, Nystrom, RandomFourier, Sampling, TensorSketch};
use kern_core::kernels::{Laplacian, Polynomial, RationalQuadratic, Rbf};
use kern_core::{Explicit, FeatureMap, Samples};
use kern_gram::MemoryBudget;

const TARGET: Target = Target::Error { error: 0.1, failure: FAILURE };

fn rbf(gamma: f64) -> Rbf {
    Rbf::new(gamma).unwrap()
}

#[test]
fn smooth_kernels_get_certified_landmarks_whose_error_is_as_small_as_said() {
    for n in [40, 300] {
        let x = uniform::<f64>(n, 2, 1.0, 3);
        let choice = choose(&rbf(1.0), &x, TARGET, &budget()).unwrap();
        assert_eq!((choice.kind, choice.dim), (Kind::Nystrom, n.min(64)));
        assert_eq!(choice.evidence, Evidence::Certificate);
        let map = Nystrom::new(rbf(1.0)).landmarks(choice.dim).fit(&x, &budget()).unwrap();
        let z = features(&map, &x);
        let worst = (z.transpose() * &z - gram(&rbf(1.0), &x, &x)).norm_max();
        assert!(worst <= choice.error + 1e-12, "{worst} for {}", choice.error);
        assert_eq!(choice.bytes, 8 * (n * choice.dim) as u64);
    }
}

#[test]
fn rough_kernels_get_as_many_frequencies_as_the_bound_asks_for() {
    // Points that have nothing to do with each other: no landmark stands for another point.
    let x = uniform::<f64>(2000, 12, 30.0, 3);
    let target = Target::Error { error: 0.4, failure: FAILURE };
    let choice = choose(&Laplacian::new(1.0).unwrap(), &x, target, &budget()).unwrap();
    let paired = Kind::Fourier { form: FourierForm::Paired, sampling: Sampling::Independent };
    assert_eq!((choice.kind, choice.evidence), (paired, Evidence::Bound { failure: FAILURE }));
    let bound = Pointwise::new(FourierForm::Paired).pairs(1999 * 1000);
    assert_eq!((choice.dim, choice.error), (bound.dim(0.4, FAILURE).unwrap(), 0.4));
}

#[test]
fn a_budget_without_room_for_landmarks_leaves_fourier_features() {
    let x = uniform::<f64>(300, 2, 1.0, 3);
    let choice = choose(&rbf(1.0), &x, TARGET, &MemoryBudget::bytes(1000)).unwrap();
    assert!(matches!(choice.evidence, Evidence::Bound { .. }), "{choice}");
}

/// The measured error again, with other seeds.
fn error(x: &Samples<f64>, map: impl Fn(u64) -> Box<dyn FeatureMap<Samples<f64>>>) -> f64 {
    let exact = gram(&rbf(0.5), x, x);
    let one = |seed| {
        let z = features(map(seed).as_ref(), x);
        (z.transpose() * &z - &exact).squared_norm_l2()
    };
    ((10..20).map(one).sum::<f64>() / 10.0).sqrt() / exact.nrows() as f64
}

#[test]
fn of_a_number_of_features_the_best_kind_is_taken() {
    // In 30 dimensions and for points about as far apart as the kernel is wide, the spectrum decays
    // slowly, and Fourier features differ in their variance.
    let x = uniform::<f64>(200, 30, 1.0, 5);
    let choice = choose(&rbf(0.5), &x, Target::Features(65), &budget()).unwrap();
    assert!(choice.dim <= 65 && matches!(choice.evidence, Evidence::Measured { points: 200 }));
    let independent = error(&x, |seed| {
        Box::new(RandomFourier::new(rbf(0.5)).dim(64).seed(seed).sample(30).unwrap())
    });
    assert!(choice.error < independent, "{choice}, independent {independent}");
    for kind in ["independent paired", "independent phase", "orthogonal", "Fastfood", "Nystrom"] {
        assert!(choice.to_string().contains(kind), "{choice}");
    }
    // Room for as many landmarks as points: nothing is left to approximate.
    let choice = choose(&rbf(0.5), &x, Target::Features(500), &budget()).unwrap();
    assert_eq!((choice.kind, choice.dim), (Kind::Nystrom, 200));
    assert!(choice.error < 1e-12);
}

#[test]
fn memory_is_a_number_of_features() {
    let x = uniform::<f32>(100, 3, 1.0, 5);
    let memory = Target::Memory(MemoryBudget::bytes(4 * 100 * 20 + 399));
    let kernel = rbf(3.0) + Laplacian::new(0.2).unwrap();
    let choice = choose(&kernel, &x, memory, &budget()).unwrap();
    assert_eq!(choice, choose(&kernel, &x, Target::Features(20), &budget()).unwrap());
    assert!(choice.bytes <= 4 * 100 * 20);
    // Not isotropic, and no quantile transform: fewer kinds.
    let mixed =
        choose(&(kernel + RationalQuadratic::new(1.0, 1.0).unwrap()), &x, memory, &budget());
    let text = mixed.unwrap().to_string();
    assert!(!text.contains("orthogonal") && !text.contains("quasi"), "{text}");
}

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
fn the_choice_does_not_depend_on_threads() {
    let x = uniform::<f32>(300, 20, 1.0, 5);
    let choices: Vec<Choice> =
        for_threads(|| choose(&rbf(0.2), &x, Target::Features(32), &budget()).unwrap());
    assert!(choices.iter().all(|choice| choice == &choices[0]));
    let choices: Vec<Choice> = for_threads(|| choose(&rbf(0.2), &x, TARGET, &budget()).unwrap());
    assert!(choices.iter().all(|choice| choice == &choices[0]));
}

#[test]
fn what_makes_no_sense_is_an_error() {
    let (x, none) =
        (uniform::<f64>(5, 2, 1.0, 1), Samples::<f64>::from_row_major(2, vec![]).unwrap());
    let (kernel, polynomial) = (rbf(1.0), Polynomial::new(1.0, 1.0, 2).unwrap());
    assert!(matches!(choose(&kernel, &none, TARGET, &budget()), Err(Error::EmptyPoints { .. })));
    let empty = choose_polynomial(&polynomial, &none, TARGET, &budget());
    assert!(matches!(empty, Err(Error::EmptyPoints { .. })));
    for (error, failure) in [(0.0, 0.1), (f64::NAN, 0.1), (0.1, 0.0), (0.1, -1.0)] {
        let target = Target::Error { error, failure };
        assert!(matches!(choose(&kernel, &x, target, &budget()), Err(Error::Core(_))));
        let sketch = choose_polynomial(&polynomial, &x, target, &budget());
        assert!(matches!(sketch, Err(Error::Core(_))));
    }
    for target in [Target::Features(0), Target::Memory(MemoryBudget::bytes(7))] {
        assert!(matches!(choose(&kernel, &x, target, &budget()), Err(Error::Zero { .. })));
        let zero = choose_polynomial(&polynomial, &x, target, &budget());
        assert!(matches!(zero, Err(Error::Zero { .. })));
    }
    let impossible = Target::Error { error: 1e-6, failure: 1e-9 };
    let many = Polynomial::new(1.0, 1.0, 20).unwrap();
    let wide = uniform::<f64>(5, 1000, 1.0, 1);
    let found = choose_polynomial(&many, &wide, impossible, &budget());
    assert!(matches!(found, Err(Error::Unattainable { .. })), "{found:?}");
}
