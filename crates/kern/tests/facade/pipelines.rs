//! Pipelines on real data: what scikit-learn's pipelines find.
#![allow(clippy::unwrap_used, reason = "a test may panic, in its helper functions, too")]

use crate::real::claim;
use crate::support;
use kern::kernels::Rbf;
use kern::solvers::pipeline::{MinMax, Scaling, Standardize};
use kern::solvers::search::Tune;
use kern::solvers::validation::{Accuracy, Split, cross_validate};
use kern::solvers::{Data, Learner, Report, Ridge, Run, Svc};
use kern::{Points, Samples};

/// 1/d, scikit-learn's `gamma="auto"`.
fn rbf(x: &Samples<f64>) -> Rbf {
    Rbf::new(1.0 / x.dim() as f64).unwrap()
}

/// The dual objective of scikit-learn 1.9.1: `make_pipeline(StandardScaler(), SVC(C=1, gamma="auto", tol=1e-8))`, class 0
/// against the others, and the same with `MinMaxScaler()`.
const DUALS: [(&str, f64, f64); 2] = [
    ("wine", 12.36700143767192, 52.75981747677653),
    ("breast_cancer", 59.76134537133551, 156.29981764261328),
];

#[test]
fn scaled_machines_equal_those_of_scikit_learn() {
    for (name, standardized, ranged) in DUALS {
        let (x, targets) = support::table(name).unwrap();
        let y: Vec<bool> = targets.iter().map(|target| target == "0").collect();
        let svc = || Svc::on_kernel(rbf(&x)).tolerance(1e-8);
        let behind_deviations = Standardize::new().then(svc()).fit(&x, &y).unwrap();
        let behind_range = MinMax::new().then(svc()).fit(&x, &y).unwrap();
        let dual = |report: &Report| report.svm().unwrap().dual;
        let found = [
            (standardized, dual(behind_deviations.model().report())),
            (ranged, dual(behind_range.model().report())),
        ];
        for (expected, dual) in found {
            let what = format!(
                "dual objective of scikit-learn behind a scaling, {expected}, to 1e-6 of it"
            );
            claim((dual / expected - 1.0).abs() < 1e-6, name, what, dual);
        }
    }
}

/// Mean squared errors on the points of the fit of `make_pipeline(StandardScaler(), KernelRidge(alpha=0.5, gamma=0.1))`
/// and of the same with `MinMaxScaler()`.
#[test]
fn scaled_regressions_equal_those_of_scikit_learn() {
    let (x, targets) = support::table("diabetes").unwrap();
    let y: Vec<f64> = targets.iter().map(|target| target.parse().unwrap()).collect();
    let ridge = || Ridge::on_kernel(rbf(&x)).lambda(0.5 / x.len() as f64);
    let error = |answers: Vec<f64>| {
        answers.iter().zip(&y).map(|(f, y)| (f - y).powi(2)).sum::<f64>() / y.len() as f64
    };
    let model = Standardize::new().then(ridge()).fit(&x, &y).unwrap();
    let standardized = error(model.predict(&x).unwrap());
    let model = MinMax::new().then(ridge()).fit(&x, &y).unwrap();
    let ranged = error(model.predict(&x).unwrap());
    let expected =
        [("deviations", standardized, 1961.077772934579), ("ranges", ranged, 2840.008972982855)];
    for (scaling, found, expected) in expected {
        let what = format!(
            "mean squared error of scikit-learn's KernelRidge behind a scaling by {scaling}, {expected}, to 1e-6"
        );
        claim((found - expected).abs() < 1e-6, "diabetes", what, found);
    }
}

/// A fold's scaling is that of its own points: the same as scaling each fold by hand.
#[test]
fn folds_learn_their_own_scaling() {
    let (x, targets) = support::table("wine").unwrap();
    let data = Data::new(&x, &targets).unwrap();
    let pipeline = Standardize::new().then(Svc::on_kernel(rbf(&x)));
    let split = Split::k_fold(5);
    let scores = cross_validate(&pipeline, &data, &split, &Accuracy).unwrap();
    for (fold, score) in split.folds(&data).unwrap().iter().zip(scores.folds()) {
        let train = data.select(&fold.train).unwrap();
        let test = data.select(&fold.test).unwrap();
        let model = pipeline.learn(&train, &mut Run::new()).unwrap();
        let scaling: &Scaling = model.map();
        let mean = |k: usize| {
            (0..train.len()).map(|i| train.points().item(i)[k]).sum::<f64>() / train.len() as f64
        };
        let close = |(k, shift): (usize, &f64)| (shift / mean(k) - 1.0).abs() < 1e-12;
        assert!(scaling.shifts().iter().enumerate().all(close));
        let answers = model.predict(test.points()).unwrap();
        let right = answers.iter().zip(test.targets().as_slice()).filter(|(a, b)| a == b).count();
        assert!((score.score - right as f64 / test.len() as f64).abs() < 1e-15);
    }
    assert!(scores.mean() > 0.95, "{}", scores.mean());
}

/// Along C machines share the kernel matrix and start where the one before ended: they score as those from nothing do.
#[test]
fn paths_score_as_fits_from_nothing() {
    let (x, targets) = support::table("breast_cancer").unwrap();
    let data = Data::new(&x, &targets).unwrap();
    let machine = || Standardize::new().then(Svc::on_kernel(rbf(&x)));
    let (gammas, penalties) = ([0.003, 0.03], [0.1, 1.0, 10.0]);
    let split = Split::stratified(5).shuffle(0);
    let tune = Tune::new(machine(), Accuracy).over("kernel.gamma", gammas).over("c", penalties);
    let tuned = tune.fit(&x, &targets).unwrap();
    let mut trials = tuned.trials().iter();
    for gamma in gammas {
        for c in penalties {
            let svc = Svc::on_kernel(Rbf::new(gamma).unwrap()).c(c);
            let alone = cross_validate(&Standardize::new().then(svc), &data, &split, &Accuracy);
            let (alone, found) = (alone.unwrap().mean(), trials.next().unwrap().mean().unwrap());
            // A point or two at the border.
            assert!((alone - found).abs() < 0.004, "gamma {gamma}, C {c}: {found}, alone {alone}");
        }
    }
    for threads in [1, 2, 8] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        assert!(pool.install(|| tune.fit(&x, &targets)).unwrap() == tuned, "{threads} threads");
    }
}

/// The mean accuracies of scikit-learn 1.9.1: `GridSearchCV(make_pipeline(StandardScaler(), SVC()), {C: [0.1, 1, 10], gamma:
/// [0.003, 0.03, 0.3]}, cv=KFold(5))`, in the order of its grid.
#[test]
fn a_search_finds_what_that_of_scikit_learn_finds() {
    const MEANS: [f64; 9] = [
        0.9069709672411117,
        0.9473063188945815,
        0.6276665114112715,
        0.9543549138332559,
        0.9718987734823784,
        0.8873932619158517,
        0.9754075454122031,
        0.9771619313771154,
        0.892671945350101,
    ];
    let (x, targets) = support::table("breast_cancer").unwrap();
    let tune = Tune::new(Standardize::new().then(Svc::on_kernel(rbf(&x))), Accuracy)
        .over("c", [0.1, 1.0, 10.0])
        .over("kernel.gamma", [0.003, 0.03, 0.3])
        .split(Split::k_fold(5));
    let tuned = tune.fit(&x, &targets).unwrap();
    for (trial, mean) in tuned.trials().iter().zip(MEANS) {
        let found = trial.mean().unwrap();
        // A point at the border, among 569.
        assert!((found - mean).abs() < 0.002, "{:?}: {found}, not {mean}", trial.settings);
    }
    let best = tuned.best().unwrap();
    assert_eq!(best.settings, [10.0.into(), 0.03.into()]);
    let (what, mean) =
        (format!("best mean accuracy of GridSearchCV, {}, to 0.002", MEANS[7]), best.mean());
    let mean = mean.unwrap();
    claim((mean - MEANS[7]).abs() < 0.002, "breast_cancer", what, mean);
}
