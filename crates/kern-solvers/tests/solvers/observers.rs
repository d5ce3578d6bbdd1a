//! Each learner calls its observer, and ends without a panic wherever the observer ends it.
#![allow(clippy::unwrap_used, reason = "a test may panic, in its helper functions, too")]

use kern_approx::Nystrom;
use kern_core::kernels::Rbf;
use kern_core::{Identity, Samples};
use kern_gram::interruptible;
use kern_solvers::canonical::{KernelCca, SecondView};
use kern_solvers::components::KernelPca;
use kern_solvers::gaussian_process::{Fixed, GaussianProcess, GaussianProcessClassifier};
use kern_solvers::kmeans::KMeans;
use kern_solvers::knn::KNearest;
use kern_solvers::logistic::Logistic;
use kern_solvers::perceptron::Perceptron;
use kern_solvers::ridge::{Expectile, Ridge, RidgeSolver};
use kern_solvers::ridge_mixture::RidgeMixture;
use kern_solvers::sgd::Sgd;
use kern_solvers::spectral_clustering::SpectralClustering;
use kern_solvers::svm::{OneClass, Svc, Svdd, Svr};
use kern_solvers::{Data, Error, Learner, Progress, Run};
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

/// Observer calls after which fits are ended, at most.
const MOST: usize = 6;

fn rbf() -> Rbf {
    Rbf::new(1.0).unwrap()
}

fn landmarks() -> Nystrom<Rbf> {
    Nystrom::new(rbf()).landmarks(12)
}

/// A spiral.
fn spiral(n: usize) -> Samples<f64> {
    let row = |i: usize| {
        let t = 0.1 * i as f64;
        [t.sin() * (1.0 + 0.05 * t), t.cos() * (1.0 + 0.05 * t)]
    };
    Samples::from_rows(&(0..n).map(row).collect::<Vec<[f64; 2]>>()).unwrap()
}

fn points() -> Samples<f64> {
    spiral(60)
}

fn numbers() -> Vec<f64> {
    (0..60).map(|i| (0.3 * f64::from(i)).sin() + 0.1 * f64::from(i % 3)).collect()
}

/// The numbers as points.
fn line() -> Samples<f64> {
    Samples::from_row_major(1, numbers()).unwrap()
}

fn two() -> Vec<bool> {
    (0..60).map(|i| i % 20 < 10).collect()
}

/// A fit.
type Fit = fn(&mut Run<'_>) -> Result<(), Error>;

/// A fit of numbers.
macro_rules! regression {
    ($learner:expr) => {
        |run| $learner.learn(&Data::new(&points(), &numbers())?, run).map(drop)
    };
}

/// A fit of two classes.
macro_rules! classification {
    ($learner:expr) => {
        |run| $learner.learn(&Data::new(&points(), &two())?, run).map(drop)
    };
}

/// A fit without targets.
macro_rules! unsupervised {
    ($learner:expr) => {
        |run| $learner.learn(&Data::unlabelled(&points())?, run).map(drop)
    };
}

const FITS: [(&str, Fit); 33] = [
    ("ridge", regression!(Ridge::on_kernel(rbf()))),
    ("ridge classifier", classification!(Ridge::on_kernel(rbf()))),
    ("ridge, Cholesky", regression!(Ridge::on_kernel(rbf()).solver(RidgeSolver::Cholesky))),
    ("ridge, gradients", regression!(gradients())),
    ("ridge, landmarks", regression!(Ridge::on_landmarks(landmarks()))),
    ("ridge, features", regression!(Ridge::on_features(Identity::new(2)))),
    ("ridge, planned", regression!(Ridge::auto(rbf()))),
    ("expectile", regression!(Expectile::new(Ridge::on_kernel(rbf())).level(0.9))),
    ("mixture", regression!(RidgeMixture::on_kernel(rbf(), 2).restarts(1).max_iterations(2))),
    ("process", regression!(GaussianProcess::on_kernel(rbf()).max_iterations(5))),
    ("process, fixed", regression!(GaussianProcess::on_kernel(rbf()).fixed(Fixed::All))),
    (
        "process, landmarks",
        regression!(GaussianProcess::on_landmarks(landmarks()).fixed(Fixed::All)),
    ),
    ("process, classes", classification!(GaussianProcessClassifier::on_kernel(rbf()).fixed(true))),
    ("logistic", classification!(Logistic::on_kernel(rbf()))),
    ("logistic, landmarks", classification!(Logistic::on_landmarks(landmarks()))),
    ("logistic, features", classification!(Logistic::on_features(Identity::new(2)))),
    ("svc", classification!(Svc::on_kernel(rbf()))),
    ("svc, landmarks", classification!(Svc::on_landmarks(landmarks()))),
    ("svc, features", classification!(Svc::on_features(Identity::new(2)))),
    ("svr", regression!(Svr::on_kernel(rbf()))),
    ("one-class", unsupervised!(OneClass::on_kernel(rbf()))),
    ("svdd", unsupervised!(Svdd::on_kernel(rbf()))),
    ("perceptron", classification!(Perceptron::on_kernel(rbf()).max_iterations(5))),
    ("sgd", classification!(Sgd::on_kernel(rbf()).epochs(3))),
    ("k-means", unsupervised!(KMeans::on_kernel(rbf(), 3))),
    ("k nearest", regression!(KNearest::by_distance(rbf()).neighbors(2))),
    ("components", unsupervised!(KernelPca::on_kernel(rbf(), 2))),
    ("components, iterated", |run| {
        let x = spiral(400);
        KernelPca::on_kernel(rbf(), 2).learn(&Data::unlabelled(&x)?, run).map(drop)
    }),
    ("components, landmarks", unsupervised!(KernelPca::on_landmarks(landmarks(), 2))),
    ("components, features", unsupervised!(KernelPca::on_features(Identity::new(2), 2))),
    ("clusters", unsupervised!(SpectralClustering::on_kernel(rbf(), 2))),
    ("correlations, landmarks", |run| {
        let (x, y) = (points(), line());
        let cca = KernelCca::on_landmarks(landmarks(), landmarks(), 1);
        cca.learn(&Data::new(&x, SecondView::new(&y))?, run).map(drop)
    }),
    ("correlations, features", |run| {
        let (x, y) = (points(), line());
        let cca = KernelCca::on_features(Identity::new(2), Identity::new(1), 1);
        cca.learn(&Data::new(&x, SecondView::new(&y))?, run).map(drop)
    }),
];

fn gradients() -> Ridge<kern_solvers::space::OnKernel<Rbf>> {
    Ridge::on_kernel(rbf()).lambda(1e-2).solver(RidgeSolver::ConjugateGradients)
}

/// The result of a fit that ends at the call after `last` calls, and the number of calls.
fn ended(fit: Fit, last: usize) -> (Result<(), Error>, usize) {
    let mut seen = 0;
    let mut watch = |progress: &Progress| {
        seen += 1;
        let fraction = progress.fraction().unwrap_or(0.0);
        assert!((0.0..=1.0).contains(&fraction), "{progress:?}");
        if seen > last { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    let result = fit(&mut Run::new().observer(&mut watch));
    (result, seen)
}

#[test]
fn each_learner_calls_its_observer_and_ends_where_it_says() {
    for (name, fit) in FITS {
        let (whole, all) = ended(fit, usize::MAX);
        whole.unwrap_or_else(|error| panic!("{name}: {error}"));
        assert!(all > 0, "{name}");
        for last in 0..all.min(MOST) {
            let (result, seen) = ended(fit, last);
            assert!(seen <= all, "{name}: {seen} calls instead of {all}");
            // A direct method has no model before its last step.
            let is_typed = matches!(result, Ok(()) | Err(Error::Stopped { .. }));
            assert!(is_typed, "{name} after {last} calls: {result:?}");
        }
    }
}

#[test]
fn each_fit_can_be_given_up_at_any_question() {
    for (name, fit) in FITS {
        for last in 0..MOST {
            let asked = AtomicUsize::new(0);
            let is_cancelled = move || asked.fetch_add(1, Ordering::Relaxed) >= last;
            let result = interruptible(is_cancelled, || fit(&mut Run::new()));
            // A fit that asks less often has ended.
            let is_typed = matches!(result, Err(kern_gram::Error::Interrupted) | Ok(Ok(())));
            assert!(is_typed, "{name} after {last} questions: {result:?}");
            assert!(last > 0 || result.is_err(), "{name} never asks");
        }
        assert_eq!(fit(&mut Run::new()), Ok(()), "{name}");
    }
}

#[test]
fn a_direct_fit_ends_before_its_steps() {
    let (x, y) = (points(), numbers());
    let (data, ridge) = (Data::new(&x, &y).unwrap(), Ridge::on_kernel(rbf()));
    let late = ridge.learn(&data, &mut Run::new().deadline(Instant::now())).err();
    assert_eq!(late, Some(Error::Stopped { done: 0, total: 3 }));
    let (filled, seen) = ended(regression!(Ridge::on_kernel(rbf())), 1);
    assert_eq!((filled, seen), (Err(Error::Stopped { done: 1, total: 3 }), 2));
    // At the end nothing is left to stop.
    assert_eq!(ended(regression!(Ridge::on_kernel(rbf())), 2), (Ok(()), 3));
}

#[test]
fn the_violation_falls_from_the_first_one_towards_the_tolerance() {
    let (x, y) = (points(), numbers());
    let mut seen = Vec::new();
    let mut watch = |progress: &Progress| {
        seen.push(*progress);
        ControlFlow::Continue(())
    };
    let data = Data::new(&x, &y).unwrap();
    gradients().learn(&data, &mut Run::new().observer(&mut watch)).unwrap();
    // The last report is that of the finished fit.
    let steps: Vec<Progress> = seen.into_iter().filter(|p| p.violation.is_some()).collect();
    let first = steps[0];
    assert_eq!((first.violation, first.fraction()), (first.first_violation, Some(0.0)));
    for step in &steps {
        assert!(step.violation > step.tolerance, "{step:?}");
        assert_eq!(step.first_violation, first.violation);
    }
}

#[test]
fn fractions_are_estimates_from_violations() {
    let mut progress = Progress::new(400, 10_000_000, 0.0).with_violation(1e-1, 1e-3);
    assert_eq!(progress.fraction(), Some(0.0));
    progress.first_violation = Some(1e1);
    assert!((progress.fraction().unwrap() - 0.5).abs() < 1e-12);
    progress.violation = Some(1e-4);
    assert_eq!(progress.fraction(), Some(1.0));
    assert_eq!(Progress::new(1, 2, 0.0).with_violation(f64::NAN, 1e-3).fraction(), None);
    assert_eq!(Progress::new(1, 2, 0.0).with_violation(1.0, 0.0).fraction(), None);
    assert_eq!(
        (Progress::new(0, 0, 0.0).fraction(), Progress::new(3, 2, 0.0).fraction()),
        (None, Some(1.0))
    );
}
