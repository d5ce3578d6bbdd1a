//! Evaluations of a kernel by each learner: of a pointwise kernel whose matrix fits, no value is asked for twice.
#![allow(clippy::unwrap_used, reason = "a test may panic, in its helper functions, too")]

use kern_core::{Kernel, Mercer, Parameters};
use kern_solvers::kmeans::{KMeans, SoftKMeans};
use kern_solvers::logistic::Logistic;
use kern_solvers::perceptron::Perceptron;
use kern_solvers::ridge::{Ridge, RidgeSolver};
use kern_solvers::ridge_mixture::RidgeMixture;
use kern_solvers::sgd::Sgd;
use kern_solvers::svm::{OneClass, Svc, Svdd, Svr};
use kern_solvers::{Data, Labels, Learner, Run, Targets, Values};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Evaluations, relative to the n(n + 1)/2 pairs of points: few more, by which the cost of a value is measured.
const ALLOWED: f64 = 1.01;

/// Evaluations for each point beside: K(x, x), which bounds the values of the model at the points.
const BOUND: usize = 1;

/// A kernel of the user's that counts how often it is asked: exp(−|x − y|).
#[derive(Clone, Default)]
struct Counted {
    evaluations: Arc<AtomicUsize>,
}

impl Kernel<Vec<f64>> for Counted {
    fn eval(&self, x: &f64, y: &f64) -> f64 {
        self.evaluations.fetch_add(1, Ordering::Relaxed);
        (-(x - y).abs()).exp()
    }
}

impl Mercer<Vec<f64>> for Counted {}
impl Parameters for Counted {}

/// The learners that took more evaluations than allowed.
#[derive(Default)]
struct Table {
    kernel: Counted,
    excess: Vec<String>,
}

impl Table {
    /// Counts the evaluations of one fit.
    fn count<Y: Targets, A: Learner<Vec<f64>, Y>>(
        &mut self,
        (name, points): (&str, &Vec<f64>),
        targets: Y,
        learner: &A,
    ) {
        let data = Data::new(points, targets).unwrap();
        let before = self.kernel.evaluations.load(Ordering::Relaxed);
        let learned = learner.learn(&data, &mut Run::new());
        let taken = self.kernel.evaluations.load(Ordering::Relaxed) - before;
        assert!(learned.is_ok(), "{name}: {:?}", learned.err());
        self.judge(name, (points.len(), taken));
    }

    /// Remembers what took more than is allowed.
    fn judge(&mut self, name: &str, (n, taken): (usize, usize)) {
        let ratio = taken.saturating_sub(BOUND * n) as f64 / (n * (n + 1) / 2) as f64;
        if ratio > ALLOWED {
            self.excess.push(format!("{name}, n = {n}: {ratio:.4}"));
        }
    }

    fn finish(self) {
        let excess = self.excess.join("\n");
        assert!(excess.is_empty(), "evaluations, in pairs of points:\n{excess}");
    }
}

/// Points on a line, in no order.
fn points(n: usize) -> Vec<f64> {
    (0..n).map(|i| 4.0 * (0.5 + i as f64 * 0.754_877_666_246_692_8).fract()).collect()
}

#[test]
fn every_learner_evaluates_each_pair_once() {
    let mut table = Table::default();
    for n in [200, 256, 400] {
        let x = points(n);
        let k = table.kernel.clone();
        let values = || Values::new(x.iter().map(|x| (3.0 * x).sin()).collect::<Vec<_>>());
        let two = || Labels::new(x.iter().map(|&x| (3.0 * x).sin() > 0.0).collect::<Vec<_>>());
        let three = || Labels::new(x.iter().map(|&x| (2.0 * x) as usize % 3).collect::<Vec<_>>());
        let ridge = Ridge::on_kernel(k.clone()).lambda(1e-2);
        table.count(("ridge", &x), values(), &ridge);
        table.count(("ridge, intercept", &x), values(), &ridge.clone().intercept(true));
        table.count(("ridge, classes", &x), three(), &ridge);
        table.count(
            ("ridge, Cholesky", &x),
            values(),
            &ridge.clone().solver(RidgeSolver::Cholesky),
        );
        let iterated = ridge.clone().solver(RidgeSolver::ConjugateGradients);
        table.count(("ridge, iterated", &x), values(), &iterated);
        let logistic = Logistic::on_kernel(k.clone()).lambda(1e-2);
        table.count(("logistic", &x), two(), &logistic);
        table.count(("logistic, three classes", &x), three(), &logistic);
        table.count(("svc", &x), two(), &Svc::on_kernel(k.clone()));
        table.count(("svc, three classes", &x), three(), &Svc::on_kernel(k.clone()));
        table.count(("svc, nu", &x), two(), &Svc::on_kernel(k.clone()).nu(0.2));
        table.count(("svr", &x), values(), &Svr::on_kernel(k.clone()));
        table.count(("one-class", &x), (), &OneClass::on_kernel(k.clone()));
        table.count(("svdd", &x), (), &Svdd::on_kernel(k.clone()));
        let mixture = RidgeMixture::on_kernel(k.clone(), 2).restarts(2).max_iterations(5);
        table.count(("mixture", &x), values(), &mixture);
        table.count(("perceptron", &x), two(), &Perceptron::on_kernel(k.clone()));
        table.count(("sgd", &x), two(), &Sgd::on_kernel(k.clone()));
        table.count(("sgd, numbers", &x), values(), &Sgd::on_kernel(k.clone()));
        table.count(("k-means", &x), (), &KMeans::on_kernel(k.clone(), 3));
        table.count(("soft k-means", &x), (), &SoftKMeans::on_kernel(k.clone(), 3));
    }
    table.finish();
}

/// Large problems: a factor in single precision, one that it is not good enough for, and a plan.
#[test]
fn large_ridge_problems_evaluate_each_pair_once() {
    let mut table = Table::default();
    for (n, lambda) in [(1100, 1e-2), (1100, 1e-10), (2100, 1e-2), (2100, 1e-10)] {
        let x = points(n);
        let targets = Values::new(x.iter().map(|x| (3.0 * x).sin()).collect::<Vec<_>>());
        let ridge = Ridge::on_kernel(table.kernel.clone()).lambda(lambda);
        table.count((&format!("ridge, lambda = {lambda}"), &x), targets, &ridge);
    }
    table.finish();
}

#[test]
fn models_of_several_targets_and_lambdas_share_the_evaluations() {
    let mut table = Table::default();
    let (n, k) = (256, table.kernel.clone());
    let x = points(n);
    let (data, run) = (Data::unlabelled(&x).unwrap(), Run::new());
    let ridge = Ridge::on_kernel(k.clone()).lambda(1e-2);
    let targets = |rate: f64| x.iter().map(|x| (rate * x).sin()).collect::<Vec<f64>>();
    let taken = || k.evaluations.swap(0, Ordering::Relaxed);
    let factor = ridge.factor(&data, &run).unwrap();
    for rate in [1.0, 2.0] {
        factor.fit(&targets(rate)).unwrap();
    }
    table.judge("factor", (n, taken()));
    let spectrum = ridge.decompose(&data, &run).unwrap();
    for lambda in [1e-3, 1e-2] {
        spectrum.fit(lambda, &targets(1.0)).unwrap();
    }
    table.judge("spectrum", (n, taken()));
    table.finish();
}
