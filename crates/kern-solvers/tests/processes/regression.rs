//! The likelihood of Gaussian processes against scikit-learn, and its derivatives against differences.
#![allow(clippy::unwrap_used, reason = "a test may panic, in its helper functions, too")]

use crate::golden::LIKELIHOODS;
use crate::real::{claim, numbers};
use kern_core::faer::Mat;
use kern_core::faer::linalg::solvers::Solve;
use kern_core::gradient::{Differentiable, free_parameters, set_free_parameters};
use kern_core::kernels::{ArdRbf, Linear, Matern32, Matern52, Polynomial, RationalQuadratic, Rbf};
use kern_core::{Points, Samples};
use kern_gram::MemoryBudget;
use kern_solvers::gaussian_process::{
    Draws, Fixed, GaussianProcess, LogLikelihood, Noise, Objective, Posterior,
    leave_one_out_likelihood, log_likelihood,
};
use kern_solvers::model::Regressor;
use kern_solvers::{Data, Details, Error, Learner, Outputs, Progress, Run, Status};
use std::ops::ControlFlow;
use std::time::Duration;

const N: usize = 120;

fn data() -> (Samples<f64>, Vec<f64>) {
    let wave = |i: usize, rate: f64| (rate * i as f64).sin();
    let rows: Vec<[f64; 2]> = (0..N).map(|i| [3.0 * wave(i, 1.3), 2.0 * wave(i, 2.9)]).collect();
    let value = |(i, x): (usize, &[f64; 2])| x[0] + (2.0 * x[1]).sin() + 1.5 * wave(i, 7.7);
    let values = rows.iter().enumerate().map(value).collect();
    (Samples::from_rows(&rows).unwrap(), values)
}

fn close(found: &LogLikelihood, value: f64, gradient: &[f64]) {
    let off = |a: f64, b: f64| (a - b).abs() / (1.0 + b.abs());
    assert!(off(found.value, value) < 1e-8, "{} {value}", found.value);
    let all: Vec<f64> = found.gradient.iter().copied().chain([found.noise]).collect();
    assert_eq!(all.len(), gradient.len());
    for (found, expected) in all.iter().zip(gradient) {
        assert!(off(*found, *expected) < 1e-8, "{all:?} {gradient:?}");
    }
}

/// scikit-learn 1.9's `GaussianProcessRegressor(kernel, optimizer=None, alpha=0).fit(X, y)` and its
/// `log_marginal_likelihood(kernel.theta, eval_gradient=True)` for `kernel = ConstantKernel(c) * ... + WhiteKernel(0.3)`; of a
/// length scale ℓ = 1/√(2γ) the derivative times −½ is that in ln γ.
#[test]
fn likelihood_and_gradient_are_those_of_scikit_learn() {
    let (x, y) = data();
    let data = Data::new(&x, &y).unwrap();
    let ard = 2.0 * ArdRbf::new(&[0.5, 0.2]).unwrap();
    let found = log_likelihood(&ard, 0.3, &data, &Run::new()).unwrap();
    let gradient = [21.110064177028878, -9.673808534828964, 52.61658336624156, 159.73942785830803];
    close(&found, -311.63954261713843, &gradient);

    let matern = 2.0 * Matern32::new(1.5).unwrap();
    let found = log_likelihood(&matern, 0.3, &data, &Run::new()).unwrap();
    let gradient = [30.473729755071762, -56.137437390372256, 74.85075950091178];
    close(&found, -247.67829531831916, &gradient);

    let sum = 0.7 * Matern52::new(1.2).unwrap() + RationalQuadratic::new(0.6, 1.4).unwrap();
    let found = log_likelihood(&sum, 0.3, &data, &Run::new()).unwrap();
    let gradient = [
        18.836973288107856,
        -45.359845609549744,
        -1.9905536571065379,
        -27.636004137861157,
        97.99791611954696,
    ];
    close(&found, -264.28793079784987, &gradient);
}

/// `GaussianProcessRegressor(ConstantKernel(2) * RBF([1, √2.5]), alpha=0.3, optimizer=None).fit(X, y).predict(Q, return_cov=True)`
/// of scikit-learn 1.9.1.
#[test]
fn the_posterior_is_that_of_scikit_learn() {
    let (x, y) = data();
    let kernel = 2.0 * ArdRbf::new(&[0.5, 0.2]).unwrap();
    let process = GaussianProcess::on_kernel(kernel).noise(0.3).fixed(Fixed::All);
    let model = process.fit(&x, &y).unwrap();
    let queries = Samples::from_rows(&[[0.5, 0.25], [-1.0, 1.5], [4.0, -3.0]]).unwrap();
    let means = [0.49742752907953514, -0.8168092713133221, 2.1703486548298048];
    let covariances = [
        [0.06501448604208981, -0.0038027733461841184, -0.0030888834174505656],
        [-0.0038027733461841184, 0.05830413652318023, -0.0006161532417687059],
        [-0.0030888834174505656, -0.0006161532417687059, 1.4081787462636115],
    ];
    let found = model.predict(&queries).unwrap();
    let budget = MemoryBudget::mebibytes(1);
    let covariance = model.covariance(&queries, Noise::Without, &budget).unwrap();
    let deviations = model.std(&queries, Noise::With).unwrap();
    for i in 0..3 {
        assert!((found[i] - means[i]).abs() < 1e-8);
        assert!((deviations[i].powi(2) - covariances[i][i] - 0.3).abs() < 1e-8);
        for j in 0..3 {
            assert!((covariance[(i, j)] - covariances[i][j]).abs() < 1e-8);
        }
    }
}

pub(crate) type Several<'d> = Data<'d, Samples<f64>, Outputs<f64>>;

fn differences<K>(kernel: &K, noise: f64, data: &Several<'_>)
where
    K: Differentiable<Samples<f64>> + Clone,
{
    verify_slopes(kernel, noise, data, log_likelihood);
    verify_slopes(kernel, noise, data, leave_one_out_likelihood);
}

pub(crate) fn verify_slopes<K>(
    kernel: &K,
    noise: f64,
    data: &Several<'_>,
    likelihood: impl Fn(&K, f64, &Several<'_>, &Run<'_>) -> Result<LogLikelihood, Error>,
) where
    K: Differentiable<Samples<f64>> + Clone,
{
    let at = |kernel: &K, noise: f64| likelihood(kernel, noise, data, &Run::new()).unwrap();
    let found = at(kernel, noise);
    let values: Vec<f64> = free_parameters(kernel).iter().map(|p| p.value).collect();
    let step = 1e-4_f64;
    for k in 0..=values.len() {
        let moved = |step: f64| {
            let (mut kernel, mut values, mut noise) = (kernel.clone(), values.clone(), noise);
            match values.get_mut(k) {
                Some(value) => *value *= step.exp(),
                None => noise *= step.exp(),
            }
            set_free_parameters(&mut kernel, &values).unwrap();
            at(&kernel, noise).value
        };
        let near = (moved(step) - moved(-step)) / (2.0 * step);
        let far = (moved(2.0 * step) - moved(-2.0 * step)) / (4.0 * step);
        let (expected, given) =
            ((4.0 * near - far) / 3.0, found.gradient.get(k).unwrap_or(&found.noise));
        assert!(
            (given - expected).abs() < 1e-6 * (1.0 + expected.abs()),
            "{k}: {given} {expected}"
        );
    }
}

#[test]
fn weights_outputs_and_several_tiles_keep_the_gradient() {
    // More points than a tile has rows.
    let wave = |i: usize, rate: f64| (rate * i as f64).sin();
    let rows: Vec<[f64; 3]> =
        (0..300).map(|i| [wave(i, 1.3), wave(i, 2.9), wave(i, 0.7)]).collect();
    let x = Samples::from_rows(&rows).unwrap();
    let y = Mat::from_fn(x.len(), 2, |i, j| rows[i][j] * rows[i][2] + 0.3 * wave(i, 7.7));
    let weights: Vec<f64> =
        (0..x.len()).map(|i| if i % 50 == 3 { 0.0 } else { 1.0 + wave(i, 0.1) / 2.0 }).collect();
    let data = Data::new(&x, Outputs::new(y)).unwrap().weights(&weights).unwrap();
    differences(&(0.5 * ArdRbf::new(&[0.5, 2.0, 0.1]).unwrap() + 0.1 * Linear), 0.2, &data);
    let product = Rbf::new(0.7).unwrap() * (0.3 * Polynomial::new(0.5, 1.0, 2).unwrap());
    differences(&product, 0.2, &data);
}

#[test]
fn the_bits_do_not_depend_on_threads_and_bad_input_is_refused() {
    let (x, y) = data();
    let data = Data::new(&x, &y).unwrap();
    let kernel = 2.0 * ArdRbf::new(&[0.5, 0.2]).unwrap();
    let found = log_likelihood(&kernel, 0.3, &data, &Run::new()).unwrap();
    let alone =
        kern_gram::sequentially(|| log_likelihood(&kernel, 0.3, &data, &Run::new()).unwrap());
    assert_eq!(found, alone);

    for noise in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        let refused = log_likelihood(&kernel, noise, &data, &Run::new());
        assert!(matches!(refused, Err(Error::Core(_))), "{noise}");
    }
    let narrow = Run::new().memory(MemoryBudget::bytes(16 * (N * N) as u64 - 1));
    assert!(log_likelihood(&kernel, 0.3, &data, &narrow).is_err());
    let other = ArdRbf::new(&[1.0]).unwrap();
    assert!(log_likelihood(&other, 0.3, &data, &Run::new()).is_err());
}

/// The derivatives of the leave-one-out likelihood, with weights and two outputs, against differences; its value against the
/// refit without each point.
#[test]
fn the_leave_one_out_likelihood_is_that_of_refits() {
    let (x, _) = data();
    let x = x.select(&(0..40).collect::<Vec<_>>()).unwrap();
    let y = Mat::from_fn(x.len(), 2, |i, j| ((i + 7 * j) as f64).sin());
    let weights: Vec<f64> =
        (0..x.len()).map(|i| if i == 3 { 0.0 } else { 1.0 + (i % 3) as f64 / 2.0 }).collect();
    let data = Data::new(&x, Outputs::new(y.clone())).unwrap().weights(&weights).unwrap();
    let kernel = 0.5 * ArdRbf::new(&[0.5, 2.0]).unwrap();
    let noise = 0.2;
    let whole = leave_one_out_likelihood(&kernel, noise, &data, &Run::new()).unwrap();
    let process = GaussianProcess::on_kernel(kernel.clone()).noise(noise).fixed(Fixed::All);
    let mut expected = 0.0;
    for i in (0..x.len()).filter(|&i| weights[i] > 0.0) {
        let mut without = weights.clone();
        without[i] = 0.0;
        let data = data.clone();
        let model = process.learn(&data.weights(&without).unwrap(), &mut Run::new()).unwrap();
        let query = x.select(&[i]).unwrap();
        let mean = model.predict(&query).unwrap();
        let variance = model.variance(&query, Noise::Without).unwrap();
        for k in 0..2 {
            let variance = variance[(0, k)] + noise / weights[i];
            let away = y[(i, k)] - mean[(0, k)];
            expected -= 0.5 * ((std::f64::consts::TAU * variance).ln() + away * away / variance);
        }
    }
    assert!((whole.value - expected).abs() < 1e-9 * expected.abs(), "{} {expected}", whole.value);
    let found = process.objective(Objective::LeaveOneOut).learn(&data, &mut Run::new()).unwrap();
    assert!((found.report().objective + expected).abs() < 1e-9 * expected.abs());
}

/// Mean, variance and covariance are those of the formulas with an explicit inverse, in the units of the targets.
#[test]
fn the_posterior_is_that_of_the_definition() {
    let (x, y) = data();
    let (x, y) = (x.select(&(0..50).collect::<Vec<_>>()).unwrap(), &y[..50]);
    let weights: Vec<f64> = (0..50).map(|i| 0.5 + f64::from(i % 4)).collect();
    let data = Data::new(&x, y).unwrap().weights(&weights).unwrap();
    let (kernel, noise) = (0.7 * Rbf::new(0.4).unwrap(), 0.2);
    let process = GaussianProcess::on_kernel(kernel).noise(noise).fixed(Fixed::All).normalize(true);
    let model = process.learn(&data, &mut Run::new()).unwrap();
    let total: f64 = weights.iter().sum();
    let mean = y.iter().zip(&weights).map(|(y, w)| y * w).sum::<f64>() / total;
    let square = y.iter().zip(&weights).map(|(y, w)| w * (y - mean).powi(2)).sum::<f64>() / total;

    let queries = Samples::from_rows(&[[0.3, -0.2], [1.0, 1.0], [40.0, 0.0]]).unwrap();
    let value = |a: &[f64], b: &[f64]| kern_core::Kernel::<Samples<f64>>::eval(&kernel, a, b);
    let c = Mat::from_fn(50, 50, |i, j| {
        value(x.item(i), x.item(j)) + if i == j { noise / weights[i] } else { 0.0 }
    });
    let k = Mat::from_fn(50, 3, |i, j| value(x.item(i), queries.item(j)));
    let solved = c.partial_piv_lu().solve(&k);
    let centred = Mat::from_fn(50, 1, |i, _| y[i] - mean);
    let expected = solved.transpose() * &centred;
    let explained = solved.transpose() * &k;
    let budget = MemoryBudget::mebibytes(1);
    let found = model.predict(&queries).unwrap();
    let covariance = model.covariance(&queries, Noise::Without, &budget).unwrap();
    let noisy = model.covariance(&queries, Noise::With, &budget).unwrap();
    let variance = model.variance(&queries, Noise::With).unwrap();
    let deviation = model.std(&queries, Noise::With).unwrap();
    for i in 0..3 {
        assert!((found[i] - mean - expected[(i, 0)]).abs() < 1e-12);
        assert!((variance[i] - noisy[(i, i)]).abs() < 1e-12);
        assert!((deviation[i] - variance[i].sqrt()).abs() < 1e-15);
        for j in 0..3 {
            let prior = value(queries.item(i), queries.item(j));
            let known = square * (prior - explained[(i, j)]);
            assert!((covariance[(i, j)] - known).abs() < 1e-12, "{i} {j}");
            let added = if i == j { square * noise } else { 0.0 };
            assert!((noisy[(i, j)] - known - added).abs() < 1e-12);
        }
    }
    // Samples: their mean and covariance, within five standard errors of 4000 draws.
    let count = 4000;
    let draws = Draws { noise: Noise::With, count, seed: 7 };
    let drawn = model.sample(&queries, draws, &budget).unwrap();
    assert_eq!(drawn, model.sample(&queries, draws, &budget).unwrap());
    for i in 0..3 {
        let average = drawn.row(i).iter().sum::<f64>() / count as f64;
        assert!((average - found[i]).abs() < 5.0 * (variance[i] / count as f64).sqrt());
        for j in 0..3 {
            let pairs = drawn.row(i).iter().zip(drawn.row(j).iter());
            let product = pairs.map(|(a, b)| (a - found[i]) * (b - found[j])).sum::<f64>();
            let spread = (variance[i] * variance[j] + noisy[(i, j)].powi(2)).sqrt();
            let error = product / count as f64 - noisy[(i, j)];
            assert!(error.abs() < 5.0 * spread / (count as f64).sqrt(), "{i} {j} {error}");
        }
    }
}

/// Learned parameters have no slope, or stand at a bound; what is fixed stays; restarts are no worse.
#[test]
fn parameters_are_learned() {
    let (x, y) = data();
    let (x, y) = (x.select(&(0..60).collect::<Vec<_>>()).unwrap(), &y[..60]);
    let data = Data::new(&x, y).unwrap();
    let process = GaussianProcess::on_kernel(1.0 * ArdRbf::new(&[1.0, 1.0]).unwrap());
    for objective in [Objective::Likelihood, Objective::LeaveOneOut] {
        let learned = process.clone().objective(objective).tolerance(1e-14);
        let model = learned.learn(&data, &mut Run::new()).unwrap();
        let posterior = model.decision();
        let at = match objective {
            Objective::Likelihood => log_likelihood::<Samples<f64>, _, _>,
            _ => leave_one_out_likelihood,
        };
        let slopes = at(posterior.kernel(), posterior.noise(), &data, &Run::new()).unwrap();
        assert!((slopes.value + model.report().objective).abs() < 1e-9, "{slopes:?}");
        let values = free_parameters(posterior.kernel()).into_iter().map(|p| p.value);
        let values = values.chain([posterior.noise()]);
        for (slope, value) in slopes.gradient.iter().chain([&slopes.noise]).zip(values) {
            // Left out, a target tells the ratio of weight and noise; both may grow up to a bound.
            let at_bound = slope > &0.0 && (value - 1e5).abs() < 1e-6;
            assert!(at_bound || slope.abs() < 1e-2, "{objective:?} {slopes:?}");
        }
        let start = at(process.kernel(), 0.1, &data, &Run::new()).unwrap();
        assert!(slopes.value > start.value + 1.0);
    }
    let kept =
        process.clone().fixed(Fixed::Noise).noise(0.7).learn(&data, &mut Run::new()).unwrap();
    assert_eq!(kept.decision().noise().to_bits(), 0.7_f64.to_bits());
    assert_ne!(kept.decision().kernel(), process.kernel());
    let kept = process.clone().fixed(Fixed::Kernel).learn(&data, &mut Run::new()).unwrap();
    assert_eq!(kept.decision().kernel(), process.kernel());
    assert!((kept.decision().noise() - 0.1).abs() > 1e-3);

    // From a start where all is noise; another search finds more.
    let lost = process.clone().noise(1e4).upper(1e4).fixed(Fixed::Nothing);
    let one = lost.clone().learn(&data, &mut Run::new()).unwrap();
    let more = lost.restarts(3).learn(&data, &mut Run::new()).unwrap();
    assert!(more.report().objective <= one.report().objective);
    let Details::GaussianProcess(details) = &more.report().details else { panic!() };
    assert_eq!(details.objectives.len(), 4);
    assert!((details.objectives[details.search] - more.report().objective).abs() < 1e-8);
}

#[test]
fn learning_is_watched_stopped_and_refused() {
    let (x, y) = data();
    let data = Data::new(&x, &y).unwrap();
    let process = GaussianProcess::on_kernel(Rbf::new(1.0).unwrap());
    let mut losses = Vec::new();
    let mut watch = |progress: &Progress| {
        losses.push(progress.loss);
        if losses.len() == 3 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    let model = process.learn(&data, &mut Run::new().observer(&mut watch)).unwrap();
    assert_eq!((model.report().status, losses.len()), (Status::Stopped, 3));
    assert!(losses.is_sorted_by(|a, b| a >= b), "{losses:?}");

    let narrow = || Run::new().memory(MemoryBudget::bytes(16 * (N * N) as u64 - 1));
    let refused = process.learn(&data, &mut narrow());
    assert!(matches!(refused, Err(Error::Gram(kern_gram::Error::Budget { .. }))));
    let soon = Duration::from_nanos(1);
    let refused = process.learn(&data, &mut Run::new().time_limit(soon));
    assert!(matches!(refused, Err(Error::TooLong { .. })), "{refused:?}");
    for bad in [process.clone().noise(0.0), process.clone().lower(f64::NAN), process.upper(-1.0)] {
        assert!(matches!(bad.learn(&data, &mut Run::new()), Err(Error::Core(_))));
    }
    // Equal points without noise to tell them apart.
    let twice = x.select(&[1, 1]).unwrap();
    let known = GaussianProcess::on_kernel(Rbf::new(1.0).unwrap()).noise(1e-300).fixed(Fixed::All);
    let refused = known.fit(&twice, &[1.0, 2.0]);
    assert!(matches!(refused, Err(Error::NotPositiveDefinite { .. })));
    let model = process_of_single_precision();
    let outputs = model.decision().covariance(
        &Samples::from_rows(&[[0.0_f32, 0.0]]).unwrap(),
        1,
        Noise::With,
        &MemoryBudget::mebibytes(1),
    );
    assert!(matches!(outputs, Err(Error::Count { given: 1, .. })));
}

/// Single precision finds what double precision does.
fn process_of_single_precision() -> Regressor<Posterior<Samples<f32>, Rbf>> {
    let (x, y) = data();
    let narrow = x.as_slice().iter().map(|&v| v as f32).collect();
    let narrow = Samples::from_row_major(2, narrow).unwrap();
    let targets: Vec<f32> = y.iter().map(|&y| y as f32).collect();
    let start = Rbf::new(1.0).unwrap();
    let single = GaussianProcess::on_kernel(start).fit(&narrow, &targets).unwrap();
    let double = GaussianProcess::on_kernel(start).fit(&x, &y).unwrap();
    let (a, b) = (single.report().objective, double.report().objective);
    assert!((a - b).abs() < 1e-3 * b.abs(), "{a} {b}");
    single
}

/// Standardised points and targets of 120 rows of a set, if the data is there.
pub(crate) fn rows_of(name: &str) -> Option<(Samples<f64>, Vec<f64>)> {
    let rows = numbers(name)?;
    let rows: Vec<_> = rows.iter().step_by(rows.len() / 120).take(120).collect();
    let mut columns = Vec::new();
    for k in 0..rows[0].len() {
        let column: Vec<f64> = rows.iter().map(|row| row[k]).collect();
        let mean = column.iter().sum::<f64>() / 120.0;
        let deviation = (column.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / 120.0).sqrt();
        let scale = if deviation > 0.0 { deviation } else { 1.0 };
        columns.push(column.into_iter().map(|v| (v - mean) / scale).collect::<Vec<f64>>());
    }
    let targets = columns.pop().unwrap();
    let points = (0..120).flat_map(|i| columns.iter().map(move |column| column[i])).collect();
    Some((Samples::from_row_major(columns.len(), points).unwrap(), targets))
}

/// From the same start and as many others, within the bounds of scikit-learn's length scales, γ = 1/(2ℓ²). From the start alone
/// either may end in the better optimum.
#[test]
fn the_likelihood_is_no_worse_than_that_of_scikit_learn() {
    for (name, from_start, of_restarts) in LIKELIHOODS {
        let Some((x, y)) = rows_of(name) else { continue };
        let start = 1.0 * ArdRbf::new(&vec![1.0 / x.dim() as f64; x.dim()]).unwrap();
        let process = GaussianProcess::on_kernel(start).lower(0.5e-10).upper(0.5e10);
        let model = process.restarts(5).fit(&x, &y).unwrap();
        let (found, expected) = (model.decision().log_likelihood(), of_restarts.max(from_start));
        let what = format!("likelihood at least that of scikit-learn, {expected:.4}, less 0.001");
        claim(found > expected - 1e-3, name, what, format_args!("{found:.4}"));
    }
}
