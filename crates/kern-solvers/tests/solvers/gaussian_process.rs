//! The likelihood of Gaussian processes against scikit-learn, and its derivatives against differences.
#![allow(clippy::unwrap_used, reason = "a test may panic, in its helper functions, too")]

use kern_core::faer::Mat;
use kern_core::gradient::{Differentiable, free_parameters, set_free_parameters};
use kern_core::kernels::{ArdRbf, Linear, Matern32, Matern52, Polynomial, RationalQuadratic, Rbf};
use kern_core::{Points, Samples};
use kern_gram::MemoryBudget;
use kern_solvers::gaussian_process::{LogLikelihood, log_likelihood};
use kern_solvers::{Data, Error, Outputs, Run};

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

fn differences<K>(kernel: &K, noise: f64, data: &Data<'_, Samples<f64>, Outputs<f64>>)
where
    K: Differentiable<Samples<f64>> + Clone,
{
    let at = |kernel: &K, noise: f64| log_likelihood(kernel, noise, data, &Run::new()).unwrap();
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
