//! Settings, exponents, and the judgement of predictions.

use crate::accuracy::{Accuracy, Setting, judge};
use crate::exponents::{scans, slope};
use crate::grid::{Grid, settings};
use crate::problem::{Family, Problem, nominal};
use kern::gram::MemoryBudget;
use kern::solvers::plan::{Algorithm, Machine};

#[test]
fn grid_of_six_ways_is_as_large_as_it_says() {
    let full = settings(Grid::Full);
    assert_eq!((full.len(), settings(Grid::Quick).len()), (120, 24));
    let n = full.iter().map(|sizes| sizes.0);
    assert_eq!((n.clone().min(), n.max()), (Some(500), Some(20_000)));
    let problem = |family, dim| Problem::new(10, dim, family).unwrap();
    let features = full.iter().filter(|sizes| matches!(sizes.2, Family::Polynomial(..)));
    let features = features.map(|&(_, dim, family, _)| {
        problem(family, dim).features(Algorithm::FeaturesCached).unwrap_or_default()
    });
    assert_eq!((features.clone().min(), features.max()), (Some(10), Some(3003)));
    assert!(full.iter().all(|&(n, _, _, steps)| n / 2 <= steps && steps <= 20 * n));
}

/// A setting in which every way takes `factor` times as long as it was predicted to take; the factor
/// may depend on whether the way is the recommended one.
fn setting(factor: impl Fn(bool) -> f64) -> Setting {
    let problem = Problem::new(50, 2, Family::Polynomial(3, 8)).unwrap();
    let task = problem.task(50).unwrap();
    let (machine, budget) = (Machine::current().unwrap(), MemoryBudget::mebibytes(16));
    let exact = problem.plan(&task, &budget, &machine).unwrap();
    let any = problem.plan(&task.allow_approximation(true), &budget, &machine).unwrap();
    let best = exact.recommended();
    let measured = exact.predictions().iter();
    let measured = measured
        .map(|p| (p.algorithm(), factor(best == Some(p.algorithm())) * p.seconds()))
        .collect();
    Setting { exact, any, steps: task.steps(), measured, skipped: 1 }
}

#[test]
fn predictions_and_recommendations_are_judged() {
    let good = judge(&[setting(|_| 1.9), setting(|_| 0.6)]);
    let expected = Accuracy { predictions: (12, 12), exact: (2, 2), any: (2, 2), skipped: 2 };
    assert_eq!(good, expected);
    assert_eq!(judge(&[setting(|_| 2.1), setting(|_| 0.4)]).predictions, (0, 12));
    // No prediction is a hundred times another one: each fit has its start.
    let slow = setting(|best| if best { 1.0 } else { 0.01 });
    assert_eq!(judge(&[slow]).exact, (0, 1));
}

#[test]
fn slopes_and_operations_are_those_of_the_definition() {
    let points = [1.0, 2.0, 5.0, 9.0].map(|x: f64| (x, 3.0 * x.powf(1.5)));
    assert!((slope(&points) - 1.5).abs() < 1e-14);
    let sizes = [10, 3, 7, 100]; // n, d, D, T
    let expected = [2100.0, 910.0, 3000.0, 1300.0, 2100.0, 910.0];
    let counts = Algorithm::SGD.map(|algorithm| nominal(algorithm, sizes));
    assert!(counts.iter().zip(expected).all(|(a, b)| (a - b).abs() < 0.5), "{counts:?}");
    assert!(scans().iter().all(|scan| scan.cases.len() == 4));
}
