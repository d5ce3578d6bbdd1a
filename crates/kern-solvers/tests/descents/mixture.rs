//! Mixtures of ridge regressors: rounds of another program, a likelihood that never falls, curves that are found.
#![allow(clippy::unwrap_used, reason = "a test may panic, in its helper functions, too")]

use crate::data::wave;
use crate::real::claim;
use crate::standardised::standardised;
use kern_core::closure::Sum;
use kern_core::kernels::{Constant, Linear, Rbf};
use kern_core::{Mercer, Points, Samples};
use kern_gram::MemoryBudget;
use kern_solvers::model::KernelExpansion;
use kern_solvers::ridge::Ridge;
use kern_solvers::ridge_mixture::{MixtureStart, RegressorMixture, RidgeMixture};
use kern_solvers::space::OnKernel;
use kern_solvers::{Data, Error, Learner, Progress, Run, Status, Values};
use std::ops::ControlFlow;

type Model<K> = RegressorMixture<KernelExpansion<Samples<f64>, K>>;

/// Two lines that cross, and a little noise.
fn lines() -> (Samples<f64>, Vec<f64>) {
    let x: Vec<f64> = (0..60).map(|i| 3.0 * wave(i, 1.3)).collect();
    let value = |(i, &x): (usize, &f64)| {
        (if i * 7 % 5 < 2 { 2.0 * x + 1.0 } else { -x }) + 0.2 * wave(i, 7.7)
    };
    let y = x.iter().enumerate().map(value).collect();
    (Samples::from_row_major(1, x).unwrap(), y)
}

fn affine() -> Sum<Linear, Constant> {
    Linear + Constant::new(1.0).unwrap()
}

fn weighted<K: Mercer<Samples<f64>> + Clone>(
    mixture: &RidgeMixture<OnKernel<K>>,
    (x, y): (&Samples<f64>, &[f64]),
    weights: &[f64],
) -> Model<K> {
    let data = Data::new(x, y).unwrap().weights(weights).unwrap();
    mixture.learn(&data, &mut Run::new()).unwrap()
}

/// The objectives after rounds 1, 10 and 25, shares and variances. Returns the largest relative difference of the objectives.
fn is_golden<K>(name: &str, model: &Model<K>, golden: &([f64; 3], &[f64], &[f64])) -> f64 {
    let mut worst = 0.0_f64;
    let objectives = &model.report().details.ridge_mixture().unwrap().objectives;
    let last = objectives.len() - 1;
    // Rounds end before the last where rounding leaves nothing to gain.
    let ended = if last == 24 { Status::IterationsDone } else { Status::Converged };
    assert_eq!(model.report().status, ended, "{name}");
    for (round, expected) in [0, 9, 24].into_iter().zip(golden.0) {
        let found = objectives[round.min(last)];
        let apart = (found / expected - 1.0).abs();
        assert!(apart < 1e-8, "{name}, {round}: {found} {expected}");
        worst = worst.max(apart);
    }
    assert_eq!(model.report().objective.to_bits(), objectives[last].to_bits());
    // Where an objective hardly changes, what it is of may still.
    let allowed = if last == 24 { 1e-8 } else { 1e-6 };
    let near = |(a, b): (&f64, &f64)| (a - b).abs() < allowed;
    assert!(model.weights().iter().zip(golden.1).all(near), "{name}: {:?}", model.weights());
    assert!(model.variances().iter().zip(golden.2).all(near), "{name}: {:?}", model.variances());
    worst
}

#[test]
fn rounds_are_those_of_another_program() {
    let (x, y) = lines();
    let start = MixtureStart::Given((0..60).map(|i| i * 3 % 7 % 2).collect());
    let mixture = RidgeMixture::on_kernel(affine(), 2).start(start);
    let mixture = mixture.max_iterations(25).tolerance(0.0);
    is_golden("lines", &mixture.fit(&x, &y).unwrap(), &LINES);
    let weights: Vec<f64> = (0..60).map(|i| (i % 3) as f64).collect();
    let shared = mixture.lambda(0.1).shared_noise(true);
    is_golden("lines, weighted", &weighted(&shared, (&x, &y), &weights), &LINES_WEIGHTED);
    let (x, y) = standardised("diabetes").unwrap();
    let start = MixtureStart::Given((0..y.len()).map(|i| i % 3).collect());
    let mixture = RidgeMixture::on_kernel(Rbf::new(0.02).unwrap(), 3).start(start);
    let mixture = mixture.max_iterations(25).tolerance(0.0);
    let own = is_golden("diabetes", &mixture.fit(&x, &y).unwrap(), &DIABETES);
    let shared = mixture.lambda(0.2).shared_noise(true);
    let shared = is_golden("diabetes, shared", &shared.fit(&x, &y).unwrap(), &DIABETES_SHARED);
    for (noise, worst) in [("own", own), ("shared", shared)] {
        let what = format!(
            "mixture of three ridge regressors with {noise} noise: NumPy's objectives after 1, 10 and 25 rounds, to 1e-8 of them"
        );
        claim(worst < 1e-8, "diabetes", what, format_args!("worst difference {worst:.1e}"));
    }
}

/// For kernels, numbers of components and weights of all sorts: the objective is that of the model, and it never rose by more than
/// rounding.
#[test]
fn the_likelihood_never_falls() {
    for seed in 0..12 {
        let n = 20 + 5 * (seed % 4);
        let rows: Vec<[f64; 2]> =
            (0..n).map(|i| [wave(i + 7 * seed, 1.7), wave(i, 2.3 + seed as f64)]).collect();
        let x = Samples::from_rows(&rows).unwrap();
        let y: Vec<f64> =
            (0..n).map(|i| 10.0_f64.powi(seed as i32 % 5 - 2) * wave(i * i, 0.7)).collect();
        let weights: Vec<f64> = (0..n).map(|i| ((i + seed) % 4) as f64 * 0.7).collect();
        let (k, lambda) = (1 + seed % 4, 10.0_f64.powi(seed as i32 % 3 - 1));
        let mixture = RidgeMixture::on_kernel(Rbf::new(1.0).unwrap(), k).lambda(lambda);
        let mixture =
            mixture.shared_noise(seed % 2 == 1).tolerance(1e-13).restarts(3).max_iterations(300);
        let mut course: Vec<(usize, f64)> = Vec::new();
        let mut watch = |progress: &Progress| {
            course.push((progress.iteration, progress.loss));
            ControlFlow::Continue(())
        };
        let data = Data::new(&x, &y).unwrap().weights(&weights).unwrap();
        let model = mixture.learn(&data, &mut Run::new().observer(&mut watch)).unwrap();
        let report = model.report();
        assert_ne!(report.status, Status::Stalled, "{seed}: {report}");
        // The first round of a run is numbered 1, 301 or 601.
        for pair in course.windows(2).filter(|pair| pair[1].0 % 300 != 1) {
            assert!(pair[1].1 <= pair[0].1 + 1e-9 * pair[0].1.abs(), "{seed}: {pair:?}");
        }
        // λ/2 Σ‖f‖² − Σ w ln p, by what the model says.
        let log = model.log_density(&x, &y).unwrap();
        let likelihood: f64 = log.iter().zip(&weights).map(|(log, w)| w * log).sum();
        let function = model.decision();
        let values = model.decision_values(function.points()).unwrap();
        let terms = (0..values.nrows()).flat_map(|i| (0..k).map(move |c| (i, c)));
        let norm: f64 = terms.map(|at| function.coefficients()[at] * values[at]).sum();
        let objective = 0.5 * lambda * norm - likelihood;
        assert!((objective - report.objective).abs() < 1e-8 * (1.0 + objective.abs()), "{seed}");
        assert!((model.weights().iter().sum::<f64>() - 1.0).abs() < 1e-12);
        let shares = model.predict_responsibilities(&x, &y).unwrap();
        assert!(shares.row_iter().all(|row| (row.iter().sum::<f64>() - 1.0).abs() < 1e-12));
    }
}

/// One component is ridge regression, with the penalty of the variance that it finds.
#[test]
fn one_component_is_ridge_regression() {
    let (x, y) = lines();
    let kernel = Rbf::new(0.5).unwrap();
    let weights: Vec<f64> = (0..60).map(|i| 0.5 + (i % 3) as f64).collect();
    let mixture = RidgeMixture::on_kernel(kernel, 1).lambda(0.3).tolerance(0.0);
    let model = weighted(&mixture, (&x, &y), &weights);
    let ridge = Ridge::on_kernel(kernel).lambda(0.3 * model.variances()[0] / 60.0);
    let data = Data::new(&x, &y).unwrap().weights(&weights).unwrap();
    let exact = ridge.learn(&data, &mut Run::new()).unwrap().predict(&x).unwrap();
    let found = model.predict(&x).unwrap();
    assert!(found.iter().zip(&exact).all(|(a, b): (&f64, &f64)| (a - b).abs() < 1e-6));
}

#[test]
fn crossing_curves_are_found() {
    let n = 300;
    let x: Vec<f64> = (0..n).map(|i| 3.0 * wave(i, 1.3)).collect();
    let curves = |x: f64| [(2.0 * x).sin(), 0.3 - (2.0 * x).sin()];
    let of = |i: usize| usize::from(i * 7 % 10 < 4);
    let y: Vec<f64> = (0..n).map(|i| curves(x[i])[of(i)] + 0.1 * wave(i * i, 7.7)).collect();
    let points = Samples::from_row_major(1, x).unwrap();
    let mixture = RidgeMixture::on_kernel(Rbf::new(0.5).unwrap(), 2);
    let model = mixture.fit(&points, &y).unwrap();
    assert_eq!(model.report().status, Status::Converged, "{}", model.report());
    let grid =
        Samples::from_row_major(1, (0..50).map(|i| -2.9 + 0.116 * f64::from(i)).collect()).unwrap();
    let values = model.decision_values(&grid).unwrap();
    // In which order does not matter.
    let swapped = usize::from(model.weights()[0] < 0.5);
    let apart = |c: usize, i: usize| values[(i, c)] - curves(grid.item(i)[0])[c ^ swapped];
    let worst = (0..100).map(|k| apart(k % 2, k / 2).abs()).fold(0.0, f64::max);
    assert!(worst < 0.1, "{worst} {:?}", model.weights());
    assert!((model.weights()[swapped] - 0.6).abs() < 0.03);
    assert!(
        model.variances().iter().all(|v| (0.003..0.007).contains(v)),
        "{:?}",
        model.variances()
    );
    // Targets away from where the curves cross are told apart.
    let shares = model.predict_responsibilities(&points, &y).unwrap();
    let told = |i: &usize| {
        (shares[(*i, of(*i) ^ swapped)] > 0.5) || (curves(points.item(*i)[0])[0] - 0.15).abs() < 0.3
    };
    assert!((0..n).all(|i| told(&i)));
}

/// Integer weights repeat points, and points of weight 0 are not there.
#[test]
fn weights_are_repetitions() {
    let (x, y) = lines();
    let weights: Vec<f64> = (0..60).map(|i| (i % 3) as f64).collect();
    let start: Vec<usize> = (0..60).map(|i| i * 3 % 7 % 2).collect();
    let again: Vec<usize> = (0..60).flat_map(|i| std::iter::repeat_n(i, i % 3)).collect();
    let given = |start| RidgeMixture::on_kernel(affine(), 2).start(MixtureStart::Given(start));
    let one = weighted(&given(start.clone()), (&x, &y), &weights);
    let targets: Vec<f64> = again.iter().map(|&i| y[i]).collect();
    let repeated = given(again.iter().map(|&i| start[i]).collect());
    let other = repeated.fit(&x.select(&again).unwrap(), &targets).unwrap();
    assert!((one.report().objective - other.report().objective).abs() < 1e-8);
    let apart = one.decision_values(&x).unwrap() - other.decision_values(&x).unwrap();
    assert!(apart.norm_max() < 1e-7);
    assert_eq!(one.decision().points().len(), 40);
}

/// The variance of a function that goes through its points is the least that is allowed, and the likelihood finite.
#[test]
fn the_likelihood_is_bounded() {
    let x = Samples::from_row_major(1, (0..12).map(f64::from).collect()).unwrap();
    let y: Vec<f64> = (0..12).map(|i| f64::from(i) * if i % 2 == 0 { 1.0 } else { -1.0 }).collect();
    let start = MixtureStart::Given((0..12).map(|i| i % 2).collect());
    let mixture = RidgeMixture::on_kernel(Linear, 2).lambda(1e-9).start(start).noise_floor(1e-4);
    let model = mixture.fit(&x, &y).unwrap();
    let details = model.report().details.ridge_mixture().unwrap();
    assert_eq!((details.floored, details.empty), (2, 0));
    let variance =
        y.iter().map(|y| y * y).sum::<f64>() / 12.0 - (y.iter().sum::<f64>() / 12.0).powi(2);
    assert!(model.variances().iter().all(|v| (v / (1e-4 * variance) - 1.0).abs() < 1e-9));
    for constant in [0.0, 5.0] {
        let model = RidgeMixture::on_kernel(Linear, 3).fit(&x, &[constant; 12]).unwrap();
        assert!(model.report().objective.is_finite());
    }
}

#[test]
fn mistakes_are_refused_and_observers_obeyed() {
    let (x, y) = lines();
    let of = |k| RidgeMixture::on_kernel(affine(), k);
    for k in [0, 61] {
        assert!(matches!(of(k).fit(&x, &y), Err(Error::Count { given, .. }) if given == k));
    }
    for wrong in [of(2).lambda(0.0), of(2).noise_floor(-1.0), of(2).tolerance(f64::NAN)] {
        assert!(matches!(wrong.fit(&x, &y), Err(Error::Core(_))));
    }
    for wrong in [of(2).restarts(0), of(2).max_iterations(0)] {
        assert!(matches!(wrong.fit(&x, &y), Err(Error::Count { .. })));
    }
    let start = |start: Vec<usize>| of(2).start(MixtureStart::Given(start)).fit(&x, &y);
    assert!(matches!(start(vec![0; 59]), Err(Error::Length { expected: 60, given: 59, .. })));
    assert!(matches!(start(vec![2; 60]), Err(Error::Core(_))));
    let huge: Vec<f64> = y.iter().map(|y| 1e200 * y).collect();
    assert!(matches!(of(2).fit(&x, &huge), Err(Error::Range { .. })));
    let data = Data::new(&x, Values::new(y.clone())).unwrap();
    let mut run = Run::new().memory(MemoryBudget::bytes(30_000));
    assert!(matches!(of(2).learn(&data, &mut run), Err(Error::Gram(_))));
    let mut stop = |progress: &Progress| match progress.iteration {
        0..3 => ControlFlow::Continue(()),
        _ => ControlFlow::Break(()),
    };
    let model = of(2).tolerance(0.0).learn(&data, &mut Run::new().observer(&mut stop)).unwrap();
    assert_eq!((model.report().status, model.report().iterations), (Status::Stopped, 3));
    assert!(matches!(model.log_density(&x, &y[..3]), Err(Error::Length { .. })));
    let missing = vec![f64::NAN; 60];
    assert!(matches!(model.predict_responsibilities(&x, &missing), Err(Error::Range { .. })));
}

/// NumPy 2: −L after rounds 1, 10 and 25, shares and variances, printed by this program, whose argument is the folder of the data.
const LINES: ([f64; 3], &[f64], &[f64]) = (
    [155.45892836204015, 152.50921410264587, 9.823930017648815],
    &[0.4133398514792984, 0.5866601485207016],
    &[0.019793580905052097, 0.019799993640858056],
);
const LINES_WEIGHTED: ([f64; 3], &[f64], &[f64]) = (
    [155.42001270977704, 22.653729003619446, 6.673318812813109],
    &[0.4196383528084141, 0.5803616471915859],
    &[0.01985863201236112, 0.01985863201236112],
);
const DIABETES: ([f64; 3], &[f64], &[f64]) = (
    [477.9531380255605, 457.5120048302877, 399.57642579060155],
    &[0.4600906080020699, 0.34393836973053005, 0.19597102226739985],
    &[0.21089218949932567, 0.03710232325779611, 0.18095650921615802],
);
const DIABETES_SHARED: ([f64; 3], &[f64], &[f64]) = (
    [455.1565764691564, 384.889379813799, 295.5603905744415],
    &[0.30756273492204045, 0.39433899226502456, 0.29809827281293505],
    &[0.030888592577498722, 0.030888592577498722, 0.030888592577498722],
);
//
// import gzip, sys
// import numpy as np
//
// def em(k, y, start, rounds, lam=1.0, floor=1e-6, shared=False, w=None):
//     n, c = start.shape
//     w = np.ones(n) if w is None else w
//     mean = w @ y / w.sum()
//     variance = w @ (y - mean) ** 2 / w.sum()
//     r, s2, history = start, np.full(c, variance), []
//     for _ in range(rounds):
//         m = w[:, None] * r
//         # No symmetric form: (RK + lam s2 I) alpha = R y.
//         alpha = np.stack([np.linalg.solve(m[:, j, None] * k + lam * s2[j] * np.eye(n), m[:, j] * y) for j in range(c)], 1)
//         f = k @ alpha
//         squares = m * (y[:, None] - f) ** 2
//         s2 = squares.sum(0) / m.sum(0) if not shared else np.full(c, squares.sum() / m.sum())
//         s2 = np.maximum(s2, floor * variance)
//         pi = m.sum(0) / w.sum()
//         density = pi * np.exp(-((y[:, None] - f) ** 2) / (2 * s2)) / np.sqrt(2 * np.pi * s2)
//         p = density.sum(1)
//         r = density / p[:, None]
//         history.append(lam / 2 * (alpha * f).sum() - w @ np.log(p))
//     return history, pi, s2
//
// i = np.arange(60)
// x = np.sin(1.3 * i) * 3
// y = np.where(i * 7 % 5 < 2, 2 * x + 1, -x) + 0.2 * np.sin(7.7 * i)
// lines = (1 + np.outer(x, x), y, np.eye(2)[i * 3 % 7 % 2])
// with gzip.open(f"{sys.argv[1]}/diabetes.csv.gz", "rt") as file:
//     rows = np.loadtxt(file, delimiter=",", skiprows=1)
// rows = (rows - rows.mean(0)) / rows.std(0)
// x, y = rows[:, :-1], rows[:, -1]
// square = ((x[:, None] - x[None]) ** 2).sum(-1)
// diabetes = (np.exp(-0.02 * square), y, np.eye(3)[np.arange(len(y)) % 3])
// for name, problem, options in [
//     ("LINES", lines, {}),
//     ("LINES_WEIGHTED", lines, dict(w=i % 3 + 0.0, lam=0.1, shared=True)),
//     ("DIABETES", diabetes, {}),
//     ("DIABETES_SHARED", diabetes, dict(lam=0.2, shared=True)),
// ]:
//     history, pi, s2 = em(*problem, 25, **options)
//     print(name, [float(h) for h in (history[0], history[9], history[24])], pi.tolist(), s2.tolist())
