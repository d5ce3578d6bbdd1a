//! Pegasos with its ball and its intercept, against the optimum that the exact machine finds.
//!
//! Samples are drawn with fixed seeds; see `docs/statistical-tests.md` for what other draws would do.
#![allow(clippy::unwrap_used, reason = "a test may panic, in its helper functions, too")]

use crate::data::two;
use kern_core::kernels::Rbf;
use kern_core::{Identity, Points, Samples};
use kern_solvers::model::{Classifier, FeatureExpansion, KernelExpansion};
use kern_solvers::sgd::{Averaging, Loss, Schedule, Sgd, Storage};
use kern_solvers::svm::Svc;
use kern_solvers::{Error, Learner, Status};

const N: usize = 200;
const LAMBDA: f64 = 0.02;

fn rbf() -> Rbf {
    Rbf::new(0.5).unwrap()
}

fn pegasos<S>(sgd: Sgd<S>) -> Sgd<S> {
    sgd.loss(Loss::Hinge).schedule(Schedule::Pegasos).lambda(LAMBDA).project(true).seed(5)
}

/// The least (λ/2)‖f‖² + mean hinge loss, by sequential minimal optimisation.
fn optimum(intercept: bool) -> f64 {
    let (x, y) = two(N);
    let svc = Svc::on_kernel(rbf()).c(1.0 / (N as f64 * LAMBDA)).intercept(intercept);
    LAMBDA * svc.violation(1e-10).fit(&x, &y).unwrap().report().objective
}

/// The bound is on the mean over all draws, and asserted of the mean of eight.
#[test]
fn the_mean_iterate_is_within_the_theorem() {
    let ((x, y), best) = (two(N), optimum(false));
    for (steps, batch) in [(1000, 1), (10_000, 1), (1000, 10)] {
        let sgd = pegasos(Sgd::on_kernel(rbf())).averaging(Averaging::Uniform);
        let sgd = sgd.iterations(steps).batch(batch);
        let excess = |seed| sgd.clone().seed(seed).fit(&x, &y).unwrap().report().objective - best;
        let each: Vec<f64> = (0..8).map(excess).collect();
        assert!(each.iter().all(|&excess| excess > -1e-9), "{each:?}");
        let (mean, t) = (each.iter().sum::<f64>() / 8.0, steps as f64);
        // R = 1.
        let bound = (LAMBDA.sqrt() + 1.0).powi(2) * (1.0 + t.ln()) / (2.0 * LAMBDA * t);
        eprintln!(
            "{steps} steps of {batch}: {mean:.2e} above {best:.6}, {:.4} of the bound",
            mean / bound
        );
        assert!(mean <= bound, "{steps} {batch}: {mean} {bound}");
    }
}

#[test]
fn long_runs_reach_the_machine_with_an_intercept_and_without() {
    let (x, y) = two(N);
    for intercept in [false, true] {
        let best = optimum(intercept);
        let sgd = pegasos(Sgd::on_kernel(rbf())).intercept(intercept);
        let sgd = sgd.averaging(Averaging::Tail(0.5)).iterations(200_000).batch(4);
        let model = sgd.fit(&x, &y).unwrap();
        let excess = model.report().objective / best - 1.0;
        eprintln!("200000 steps of 4, intercept {intercept}: {excess:.2e} of {best:.6} above it");
        assert!(excess > -1e-9 && excess < 1e-3, "{intercept}: {excess}");
        assert_eq!(model.decision().intercepts()[0] != 0.0, intercept);
        assert_eq!(model.report().status, Status::IterationsDone);
        // The report is of the function that is handed out.
        let f = model.decision_values(&x).unwrap();
        let loss = |i: usize| Loss::Hinge.value(f[(i, 0)], if y[i] { 1.0 } else { -1.0 });
        let b = model.decision().intercepts()[0];
        let alpha = model.decision().coefficients();
        let own = model.decision_values(model.decision().points()).unwrap();
        let norm: f64 = (0..own.nrows()).map(|i| alpha[(i, 0)] * (own[(i, 0)] - b)).sum();
        let objective = (0..N).map(loss).sum::<f64>() / N as f64 + 0.5 * LAMBDA * norm;
        assert!((objective - model.report().objective).abs() < 1e-9);
    }
}

/// The norm of the function, by its own values.
fn norm(model: &Classifier<KernelExpansion<Samples<f64>, Rbf>, bool>) -> f64 {
    let f = model.decision();
    let values = model.decision_values(f.points()).unwrap();
    let terms = (0..values.nrows()).map(|i| f.coefficients()[(i, 0)] * values[(i, 0)]);
    terms.sum::<f64>().sqrt()
}

/// Steps that are far too long leave the ball at once, unless they are projected.
#[test]
fn the_ball_is_kept() {
    let (x, y) = two(N);
    let radius = 1.0 / LAMBDA.sqrt();
    for storage in [Storage::Cached, Storage::OnTheFly, Storage::Partial] {
        let mut longest = 0.0_f64;
        for (batch, steps) in [(1, 1), (1, 2), (1, 57), (7, 40), (300, 3)] {
            let sgd = pegasos(Sgd::on_kernel(rbf())).schedule(Schedule::Constant(30.0));
            let sgd = sgd.storage(storage).batch(batch).iterations(steps);
            let kept = norm(&sgd.fit(&x, &y).unwrap());
            assert!(kept <= radius * (1.0 + 1e-9), "{storage:?} {batch} {steps}: {kept}");
            longest = longest.max(norm(&sgd.project(false).fit(&x, &y).unwrap()));
        }
        assert!(longest > 2.0 * radius, "{storage:?}: {longest}");
    }
}

/// Coefficients, features and batches of any size make the same steps.
#[test]
fn both_spaces_make_the_same_steps() {
    let (x, y) = two(N);
    for (batch, steps) in [(1, 300), (5, 100), (400, 4)] {
        for averaging in [Averaging::Last, Averaging::Tail(0.3)] {
            for storage in [Storage::Cached, Storage::OnTheFly] {
                let u = pegasos(Sgd::on_kernel(kern_core::kernels::Linear)).intercept(true);
                let u = u.averaging(averaging).batch(batch).iterations(steps).storage(storage);
                let w = pegasos(Sgd::on_features(Identity::new(2))).intercept(true);
                let w = w.averaging(averaging).batch(batch).iterations(steps).storage(storage);
                let (u, w) = (u.fit(&x, &y).unwrap(), w.fit(&x, &y).unwrap());
                let apart = u.decision_values(&x).unwrap() - w.decision_values(&x).unwrap();
                assert!(apart.norm_max() < 1e-7, "{batch} {averaging:?} {storage:?}");
                assert!((u.report().objective - w.report().objective).abs() < 1e-8);
                let (a, b) = (u.decision().intercepts()[0], w.decision().intercepts()[0]);
                assert!((a - b).abs() < 1e-8 && a != 0.0);
            }
        }
    }
}

/// The steps by hand: b and w of three samples.
#[test]
fn the_first_steps_are_those_of_the_paper() {
    let x = Samples::from_rows(&[[2.0]]).unwrap();
    let both = Samples::from_rows(&[[2.0], [2.0]]).unwrap();
    assert_eq!(x.len() + 1, both.len());
    // Labels must differ, so the second point weighs next to nothing: half of the draws do as much.
    let weights = [1.0, 1e-300];
    let data = kern_solvers::Data::new(&both, &[true, false]).unwrap().weights(&weights).unwrap();
    let lambda = 0.25;
    for steps in 1..6 {
        let sgd = Sgd::on_features(Identity::new(1)).loss(Loss::Hinge).schedule(Schedule::Pegasos);
        let sgd = sgd.lambda(lambda).intercept(true).project(true).iterations(steps).batch(1 << 14);
        let model: Classifier<FeatureExpansion<_, f64>, bool> =
            sgd.learn(&data, &mut kern_solvers::Run::new()).unwrap();
        let (mut w, mut b) = (0.0_f64, 0.0_f64);
        for t in 1..=steps {
            let step = 1.0 / (lambda * t as f64);
            // Half of the samples, or so, are of the first point.
            let slope = if 2.0 * w + b < 1.0 { 0.5 } else { 0.0 };
            w = (1.0 - step * lambda) * w + step * slope * 2.0;
            b += step * slope;
            // L₀ = ½.
            w *= (0.5 / lambda).sqrt().min(w.abs()) / w.abs();
        }
        let found = (model.decision().weights()[(0, 0)], model.decision().intercepts()[0]);
        assert!(
            (found.0 - w).abs() < 0.05 && (found.1 - b).abs() < 0.1,
            "{steps}: {found:?} {w} {b}"
        );
    }
}

#[test]
fn adaptive_steps_have_an_intercept_too() {
    let (x, y) = two(N);
    let svc = Svc::on_kernel(kern_core::kernels::Linear).c(1.0 / (N as f64 * LAMBDA));
    let best = LAMBDA * svc.violation(1e-9).fit(&x, &y).unwrap().report().objective;
    let sgd = Sgd::on_features(Identity::new(2)).loss(Loss::Hinge).lambda(LAMBDA).intercept(true);
    let sgd = sgd.schedule(Schedule::AdaGrad(0.3)).averaging(Averaging::Tail(0.5)).epochs(200);
    let objective = sgd.fit(&x, &y).unwrap().report().objective;
    assert!(objective > best * (1.0 - 1e-9) && objective < best * 1.01, "{objective} {best}");
}

#[test]
fn what_has_no_ball_and_no_intercept_says_so() {
    let (x, y) = two(20);
    let sgd = || Sgd::on_kernel(rbf()).loss(Loss::Hinge);
    assert!(matches!(sgd().project(true).fit(&x, &y), Err(Error::Core(_))));
    let adaptive = Sgd::on_features(Identity::new(2)).lambda(0.1).project(true);
    let adaptive = adaptive.schedule(Schedule::AdaGrad(0.1));
    assert!(matches!(adaptive.fit(&x, &y), Err(Error::Unsupported { .. })));
    for sgd in [sgd().intercept(true), sgd().lambda(0.1).project(true)] {
        let mut stream = sgd.online_classifier(&[false, true]).unwrap();
        assert!(matches!(stream.partial_fit(&x, &y), Err(Error::Unsupported { .. })));
    }
}
