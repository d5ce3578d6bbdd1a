//! The choice of features: what is chosen when, and that certificates hold.
//! (Promises on real data: see the tests of the facade.)
//!
//! Seeds are fixed; the chance that a correct library would fail an assertion for a seed chosen at
//! random is below `common::FAILURE`.
#![allow(clippy::float_cmp, reason = "exact results are compared exactly")]
#![allow(clippy::unwrap_used, reason = "a panic in a helper fails the test, as it should")]

use crate::common::{FAILURE, budget, features, for_threads, gram, uniform};
use kern_approx::bounds::{ErrorBound, Pointwise};
use kern_approx::choose::{Choice, Evidence, Kind, Target, choose};
use kern_approx::{Error, FourierForm, Nystrom, RandomFourier, Sampling};
use kern_core::kernels::{Laplacian, RationalQuadratic, Rbf};
use kern_core::{FeatureMap, Samples};
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
    let kernel = rbf(1.0);
    assert!(matches!(choose(&kernel, &none, TARGET, &budget()), Err(Error::EmptyPoints { .. })));
    for (error, failure) in [(0.0, 0.1), (f64::NAN, 0.1), (0.1, 0.0), (0.1, -1.0)] {
        let target = Target::Error { error, failure };
        assert!(matches!(choose(&kernel, &x, target, &budget()), Err(Error::Core(_))));
    }
    for target in [Target::Features(0), Target::Memory(MemoryBudget::bytes(7))] {
        assert!(matches!(choose(&kernel, &x, target, &budget()), Err(Error::Zero { .. })));
    }
}
