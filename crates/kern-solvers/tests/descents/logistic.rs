//! Gradient descent and iteratively reweighted least squares, on the same problem: the question of which one is better.
#![allow(clippy::unwrap_used, reason = "a test may panic, in its helper functions, too")]

use crate::data::two;
use crate::real::claim;
use crate::standardised::standardised;
use kern_core::Samples;
use kern_core::kernels::Rbf;
use kern_solvers::logistic::{Logistic, LogisticSolver};
use kern_solvers::space::OnKernel;
use kern_solvers::{Data, Label, Labels, Learner, Progress, Report, Run, Status};
use std::ops::ControlFlow;
use std::time::Instant;

/// The report of a fit, J before each step, and the seconds that it took.
fn followed<L: Label>(
    logistic: &Logistic<OnKernel<Rbf>>,
    (x, y): (&Samples<f64>, &[L]),
) -> (Report, Vec<f64>, f64) {
    let mut course = Vec::new();
    let mut watch = |progress: &Progress| {
        course.push(progress.loss);
        ControlFlow::Continue(())
    };
    let start = Instant::now();
    let data = Data::new(x, Labels::new(y.to_vec())).unwrap();
    let model = logistic.learn(&data, &mut Run::new().observer(&mut watch)).unwrap();
    let seconds = start.elapsed().as_secs_f64();
    (model.report().clone(), course, seconds)
}

/// Both make J fall in every step, and end in the same one; the descent takes about L/λ times as many steps. Returns by what part of
/// J the two ends differ.
#[expect(clippy::print_stderr, reason = "the comparison is to be read")]
fn compare<L: Label>(
    name: &str,
    logistic: &Logistic<OnKernel<Rbf>>,
    on: (&Samples<f64>, &[L]),
) -> f64 {
    let logistic = logistic.clone().tolerance(1e-10).max_iterations(200_000);
    let mut ended = Vec::new();
    for solver in [LogisticSolver::Newton, LogisticSolver::GradientDescent] {
        let (report, course, seconds) = followed(&logistic.clone().solver(solver), on);
        let (steps, objective) = (report.iterations, report.objective);
        eprintln!("{name}, {solver:?}: {steps} steps, {seconds:.3} s, J = {objective:.12}");
        assert_eq!(report.status, Status::Converged, "{name}, {solver:?}: {report}");
        let falls = |pair: &[f64]| pair[1] <= pair[0] * (1.0 + 1e-13);
        assert!(course.windows(2).all(falls), "{name}, {solver:?}");
        ended.push((steps, objective));
    }
    let [newton, descent] = ended[..] else { panic!("two fits") };
    let apart = (newton.1 - descent.1).abs() / newton.1;
    assert!(apart <= 2e-10, "{name}: {ended:?}");
    assert!(newton.0 <= 20 && descent.0 > newton.0, "{name}: {ended:?}");
    apart
}

#[test]
fn both_ways_end_in_the_same_minimum() {
    let (x, y) = two(150);
    let logistic = Logistic::on_kernel(Rbf::new(0.5).unwrap());
    compare("two classes, λ = 0.1", &logistic.clone().lambda(0.1), (&x, &y));
    compare("two classes, λ = 0.001", &logistic.clone().lambda(1e-3), (&x, &y));
    let bordered = logistic.clone().lambda(0.01).intercept(true);
    compare("two classes, intercept", &bordered, (&x, &y));
    let three: Vec<usize> = (0..150).map(|i| usize::from(y[i]) + i % 7 / 5).collect();
    compare("three classes, softmax", &logistic.lambda(0.01), (&x, &three));
}

#[test]
fn both_ways_on_breast_cancer() {
    let (x, y) = standardised("breast_cancer").unwrap();
    let y: Vec<bool> = y.iter().map(|&y| y > 0.0).collect();
    let logistic = Logistic::on_kernel(Rbf::new(1.0 / 30.0).unwrap()).lambda(1e-2);
    let apart = compare("breast_cancer, λ = 0.01", &logistic, (&x, &y));
    let what =
        "logistic: Newton's method and gradient descent end in the same objective to 2e-10 of it";
    claim(apart <= 2e-10, "breast_cancer", what, format_args!("{apart:.1e}"));
}

/// With a step of 1/L, J − J* falls by 1 − λ/L at least.
#[test]
fn the_descent_converges_at_its_rate() {
    let (x, y) = two(150);
    let lambda = 0.05;
    let logistic = Logistic::on_kernel(Rbf::new(0.5).unwrap()).lambda(lambda);
    let optimum = logistic.clone().tolerance(1e-14).fit(&x, &y).unwrap().report().objective;
    let descent = logistic.solver(LogisticSolver::GradientDescent).max_iterations(60);
    let (_, course, _) = followed(&descent, (&x, &y));
    // Kernel values are at most 1, so ‖K‖ ≤ n.
    let rate = 1.0 - lambda / (lambda + 0.25);
    for (t, objective) in course.iter().enumerate() {
        let bound = rate.powi(t as i32) * (course[0] - optimum);
        assert!(objective - optimum <= bound + 1e-9, "{t}: {objective} {optimum} {bound}");
    }
}
