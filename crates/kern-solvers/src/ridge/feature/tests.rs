//! The two ways to a solution, side by side.
#![allow(clippy::unwrap_used, reason = "a test may panic, in its helper functions, too")]

use super::certificate::certify_points;
use super::dual;
use super::fit::{Found, is_iterated};
use super::iterate::{SAMPLED, Setting};
use super::solution::Problem;
use crate::model::Decision;
use crate::{Run, Status};
use faer::Mat;
use kern_approx::statistics::Observed;
use kern_approx::{Nystrom, NystromMap, RandomFourier};
use kern_core::kernels::{Polynomial, Rbf};
use kern_core::{Explicit, FeatureMap, Points, Samples, Scalar};
use kern_gram::MemoryBudget;

const BUDGET: MemoryBudget = MemoryBudget::mebibytes(64);
const POINTS: usize = 700;

/// Points of [-2, 2]³ and two targets of them.
fn problem<T: Scalar>() -> (Samples<T>, Mat<T>) {
    let unit = |k: usize| (((k as f64 + 0.5) * 12.9898).sin() * 43_758.545_3).rem_euclid(1.0);
    let x: Vec<f64> = (0..3 * POINTS).map(|k| 4.0 * unit(k) - 2.0).collect();
    let y = Mat::from_fn(POINTS, 2, |i, k| {
        let f = (x[3 * i] + 0.5 * x[3 * i + 2]).sin() + 2.0 * k as f64;
        T::from_f64(f + 0.1 * (unit(i + 10_000_000 * (k + 1)) - 0.5))
    });
    (Samples::from_row_major(3, x.into_iter().map(T::from_f64).collect()).unwrap(), y)
}

/// Asserts that both ways find the same function, to the gap that is asked for.
fn agree<T: Scalar, M: FeatureMap<Samples<T>> + Clone>(map: &M, relative_gap: f64) {
    let (x, y) = problem::<T>();
    let weights: Vec<f64> = (0..POINTS).map(|i| 0.5 * (i % 4) as f64).collect();
    for (intercept, weighted) in [(false, false), (true, true)] {
        let mut observed = Observed::new(y.as_ref());
        if weighted {
            observed = observed.weights(&weights);
        }
        let setting = Setting {
            map,
            points: &x,
            observed,
            problem: Problem { lambda: 1e-3, intercept },
            sampled: (map.dim() * SAMPLED, 0),
        };
        let iterated = setting.iterated((relative_gap, 100), &mut Run::new()).unwrap().unwrap();
        assert_eq!(iterated.status, Status::Converged);
        assert!(iterated.iterations > 1);
        let solved = setting.solved(&BUDGET).unwrap();
        let report = |found: &Found<Samples<T>, M>| {
            let memory = (setting.problem, &BUDGET);
            certify_points(&found.function, &x, &observed, memory).unwrap()
        };
        let (first, second) = (report(&iterated), report(&solved));
        let gap = first.gap.unwrap() + second.gap.unwrap();
        assert!(gap <= 2.0 * relative_gap * first.objective, "{gap:e}");
        // λ‖w − w*‖² ≤ gap.
        let apart = iterated.function.weights() - solved.function.weights();
        let square: f64 =
            apart.col_iter().flat_map(faer::ColRef::iter).map(|v| v.to_f64().powi(2)).sum();
        assert!(1e-3 * square <= 4.0 * relative_gap * first.objective, "{square:e}");
    }
}

#[test]
fn iterations_and_normal_equations_have_one_solution() {
    let landmarks = || Nystrom::new(Rbf::new(0.5).unwrap()).landmarks(40);
    let x = problem::<f64>().0;
    let factor: NystromMap<_, _> = landmarks().fit(&x, &BUDGET).unwrap();
    assert!(factor.lower().is_some());
    agree(&factor, 1e-12);
    let spectral = landmarks().rank(30).fit(&x, &BUDGET).unwrap();
    assert!(spectral.projection().is_some());
    agree(&spectral, 1e-12);
    let single = problem::<f32>().0;
    agree(&landmarks().fit(&single, &BUDGET).unwrap(), 1e-5);
    let plain = Polynomial::new(0.3, 1.0, 3).unwrap().feature_map(&x).unwrap();
    assert!(FeatureMap::<Samples<f64>>::folded(&plain).is_none());
    agree::<f64, _>(&plain, 1e-12);
}

/// n × n numbers have the solution of D × D, where those have no memory.
#[test]
fn fewer_points_than_features_are_solved_in_the_dual() {
    let (x, y) = problem::<f64>();
    let weights: Vec<f64> = (0..POINTS).map(|i| 0.5 * (i % 4) as f64).collect();
    let few = x.select(&Vec::from_iter(0..60)).unwrap();
    let targets = y.as_ref().subrows(0, 60);
    let params = RandomFourier::new(Rbf::new(0.5).unwrap());
    let map = params.dim(400).seed(1).sample(3).unwrap();
    for (intercept, weighted) in [(false, false), (true, false), (false, true), (true, true)] {
        let mut observed = Observed::new(targets);
        if weighted {
            observed = observed.weights(&weights[..60]);
        }
        let setting = Setting {
            map: &map,
            points: &few,
            observed,
            problem: Problem { lambda: 1e-3, intercept },
            sampled: (60, 0),
        };
        let (dual, primal) =
            (setting.solved(&BUDGET).unwrap(), setting.by_normal_equations(&BUDGET).unwrap());
        for found in [&dual, &primal] {
            let memory = (setting.problem, &BUDGET);
            let report = certify_points(&found.function, &few, &observed, memory).unwrap();
            assert!(report.gap.unwrap() <= 1e-18 * report.objective, "{report}");
        }
        let apart = dual.function.weights() - primal.function.weights();
        assert!(apart.norm_l2() <= 1e-9 * primal.function.weights().norm_l2());
        // 400 × 400 numbers are more than it gets.
        let little = MemoryBudget::bytes(dual::bytes::<f64>((60, 400, 2)));
        assert_eq!(setting.solved(&little).unwrap().function, dual.function);
        assert!(setting.by_normal_equations(&little).is_err());
    }
}

#[test]
fn many_points_and_features_are_iterated() {
    assert!(is_iterated((200_000, 2000, 1), true));
    assert!(is_iterated((200_000, 2000, 1), false));
    assert!(!is_iterated((200_000, 2000, 100), true), "a pass for each output");
    assert!(!is_iterated((16_000, 2000, 1), true), "the sample would be all points");
    assert!(!is_iterated((200_000, 300, 1), false), "sums of few features are cheap");
}

/// Values that single precision has no room for: c times a kernel, with c times λ, gives the function of the kernel.
#[test]
fn values_beyond_single_precision_are_iterated_as_they_are() {
    let (x, y) = problem::<f64>();
    let fitted = |c: f64| {
        let map = Nystrom::new(c * Rbf::new(0.5).unwrap()).landmarks(40).fit(&x, &BUDGET).unwrap();
        let setting = Setting {
            map: &map,
            points: &x,
            observed: Observed::new(y.as_ref()),
            problem: Problem { lambda: 1e-3 * c, intercept: true },
            sampled: (map.dim() * SAMPLED, 0),
        };
        let found = setting.iterated((1e-12, 100), &mut Run::new()).unwrap().unwrap();
        assert_eq!(found.status, Status::Converged, "{c:e}");
        found.function.decide(&x).unwrap()
    };
    let expected = fitted(1.0);
    for c in [1e60, 1e-60] {
        let apart = (fitted(c) - &expected).norm_max();
        assert!(apart < 1e-5, "{c:e}: {apart:e}");
    }
}
