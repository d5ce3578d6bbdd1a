//! Gaussian processes on landmarks: bounds by their definition, gradients by differences, posteriors by dense matrices.
#![allow(clippy::unwrap_used, reason = "a test may panic, in its helper functions, too")]

use crate::regression::{rows_of, verify_slopes};
use kern_approx::{Nystrom, Selection};
use kern_core::faer::linalg::solvers::Solve;
use kern_core::faer::{Mat, Side};
use kern_core::kernels::{ArdRbf, Linear, Matern52, Rbf};
use kern_core::{Kernel, Points, Samples};
use kern_gram::MemoryBudget;
use kern_solvers::gaussian_process::{
    Fixed, GaussianProcess, Noise, Objective, likelihood_bounds, log_likelihood, lower_bound,
};
use kern_solvers::{Data, Error, Outputs, Run};

/// 60 points of the plane with two outputs, and weights.
fn several() -> (Samples<f64>, Mat<f64>, Vec<f64>) {
    let wave = |i: usize, rate: f64| (rate * i as f64).sin();
    let rows: Vec<[f64; 2]> = (0..60).map(|i| [2.0 * wave(i, 1.3), 2.0 * wave(i, 2.9)]).collect();
    let y = Mat::from_fn(60, 2, |i, k| rows[i][k].sin() + 0.2 * wave(i, 7.7));
    let weights = (0..60).map(|i| [1.0, 0.5, 2.0, 0.0][i % 4]).collect();
    (Samples::from_rows(&rows).unwrap(), y, weights)
}

/// K(a, b) by the definition.
fn dense<K: Kernel<Samples<f64>>>(kernel: &K, a: &Samples<f64>, b: &Samples<f64>) -> Mat<f64> {
    Mat::from_fn(a.len(), b.len(), |i, j| kernel.eval(a.item(i), b.item(j)))
}

/// ln N(y | 0, C).
fn log_density(c: &Mat<f64>, y: &Mat<f64>) -> f64 {
    let llt = c.llt(Side::Lower).unwrap();
    let determinant: f64 = (0..c.nrows()).map(|i| 2.0 * llt.L()[(i, i)].ln()).sum();
    let energy = (y.transpose() * llt.solve(y))[(0, 0)];
    -0.5 * (energy + determinant + c.nrows() as f64 * std::f64::consts::TAU.ln())
}

#[test]
fn bounds_are_those_of_the_definition() {
    for set in ["diabetes", "concrete"] {
        let Some((x, y)) = rows_of(set) else { continue };
        let kernel = 1.3 * ArdRbf::new(&vec![0.1; x.dim()]).unwrap();
        let (n, noise) = (x.len(), 0.2);
        let z = x.select(&(0..n).step_by(6).collect::<Vec<_>>()).unwrap();
        let (k_zz, k_zx) = (dense(&kernel, &z, &z), dense(&kernel, &z, &x));
        let q = k_zx.transpose() * k_zz.llt(Side::Lower).unwrap().solve(&k_zx);
        let unknown: f64 = (0..n).map(|i| 1.3 - q[(i, i)]).sum();
        let plus =
            |shift: f64| Mat::from_fn(n, n, |i, j| q[(i, j)] + f64::from(u8::from(i == j)) * shift);
        let column = Mat::from_fn(n, 1, |i, _| y[i]);
        let lower = log_density(&plus(noise), &column) - 0.5 * unknown / noise;
        let energy = |c: &Mat<f64>| {
            (column.transpose() * c.llt(Side::Lower).unwrap().solve(&column))[(0, 0)]
        };
        let upper = log_density(&plus(noise), &column)
            + 0.5 * (energy(&plus(noise)) - energy(&plus(noise + unknown)));

        let (data, run) = (Data::new(&x, &y).unwrap(), Run::new());
        let found = likelihood_bounds(&kernel, noise, &z, &data, &run).unwrap();
        assert!((found.lower - lower).abs() < 1e-7 * lower.abs(), "{found:?} {lower}");
        assert!((found.upper - upper).abs() < 1e-7 * upper.abs(), "{found:?} {upper}");
        let exact = log_likelihood(&kernel, noise, &data, &run).unwrap().value;
        assert!(lower < exact && exact < upper);

        // The posterior, with Σ = K_zz + K_zx K_xz/σ².
        let process = GaussianProcess::on_landmarks(
            Nystrom::new(kernel.clone()).landmarks(20).selection(Selection::Uniform).seed(3),
        );
        let model = process.noise(noise).fixed(Fixed::All).fit(&x, &y).unwrap();
        let z = model.decision().mean().points();
        let (k_zz, k_zx) = (dense(&kernel, z, z), dense(&kernel, z, &x));
        let sigma = Mat::from_fn(z.len(), z.len(), |i, j| {
            k_zz[(i, j)] + (k_zx.row(i) * k_zx.row(j).transpose()) / noise
        });
        let query = Samples::from_row_major(x.dim(), vec![0.3; 2 * x.dim()]).unwrap();
        let k = dense(&kernel, z, &query);
        let solved = sigma.llt(Side::Lower).unwrap().solve(&k);
        let mean = (solved.transpose() * &k_zx * &column)[(0, 0)] / noise;
        let known = (k.transpose() * (k_zz.llt(Side::Lower).unwrap().solve(&k) - &solved))[(0, 0)];
        let found = model.predict(&query).unwrap()[0];
        assert!((found - mean).abs() < 1e-6, "{found} {mean}");
        let variance = model.variance(&query, Noise::Without).unwrap()[0];
        assert!((variance - (1.3 - known)).abs() < 1e-6, "{variance} {}", 1.3 - known);
        let budget = MemoryBudget::mebibytes(1);
        let covariance = model.covariance(&query, Noise::Without, &budget).unwrap();
        // The two queries are the same.
        assert!((covariance[(0, 1)] - variance).abs() < 1e-9);
    }
}

#[test]
fn slopes_are_differences() {
    let (x, y, weights) = several();
    let outputs = Outputs::new(y);
    let data = Data::new(&x, outputs).unwrap();
    let weighted = data.clone().weights(&weights).unwrap();
    for data in [&data, &weighted] {
        let z = x.select(&[0, 1, 2, 6, 9, 17, 33, 41]).unwrap();
        let z = &z;
        verify_slopes(
            &(1.5 * ArdRbf::new(&[0.5, 0.2]).unwrap()),
            0.3,
            data,
            |kernel, noise, data, run| lower_bound(kernel, noise, z, data, run),
        );
        // A diagonal that is not constant.
        let sum = 0.7 * Matern52::new(1.2).unwrap() + 0.4 * Linear;
        verify_slopes(&sum, 0.3, data, |kernel, noise, data, run| {
            lower_bound(kernel, noise, z, data, run)
        });
    }
}

#[test]
fn all_points_are_landmarks_that_lose_nothing() {
    let (x, y, weights) = several();
    let data = Data::new(&x, Outputs::new(y)).unwrap().weights(&weights).unwrap();
    let kernel = 1.5 * Rbf::new(0.5).unwrap();
    let exact = log_likelihood(&kernel, 0.3, &data, &Run::new()).unwrap();
    let bound = lower_bound(&kernel, 0.3, &x, &data, &Run::new()).unwrap();
    let bounds = likelihood_bounds(&kernel, 0.3, &x, &data, &Run::new()).unwrap();
    assert!((bound.value - exact.value).abs() < 1e-6, "{bound:?} {exact:?}");
    assert!((bounds.lower - bound.value).abs() < 1e-12 && bounds.upper - bounds.lower < 1e-6);
    let pairs = bound.gradient.iter().zip(&exact.gradient);
    assert!(pairs.clone().all(|(a, b)| (a - b).abs() < 1e-5), "{bound:?} {exact:?}");
    assert!((bound.noise - exact.noise).abs() < 1e-5);
}

#[test]
fn a_few_landmarks_learn_what_all_points_do() {
    for set in ["diabetes", "kin40k"] {
        let Some((x, y)) = rows_of(set) else { continue };
        let start = 1.0 * Rbf::new(0.1).unwrap();
        let all = GaussianProcess::on_kernel(start).fit(&x, &y).unwrap();
        let process = GaussianProcess::on_landmarks(Nystrom::new(start).landmarks(100));
        let few = process.fit(&x, &y).unwrap();
        let bounds = few.decision().likelihood_bounds();
        let exact = all.decision().log_likelihood();
        assert!(bounds.lower <= exact + 1e-6, "{bounds:?} {exact}");
        assert!(exact - bounds.lower < 0.1 * exact.abs(), "{bounds:?} {exact}");
        // The upper bound is one of the likelihood with the parameters that were learned.
        let data = Data::new(&x, &y).unwrap();
        let (kernel, noise) = (few.decision().kernel(), few.decision().noise());
        let exact = log_likelihood(kernel, noise, &data, &Run::new()).unwrap().value;
        assert!(bounds.lower <= exact && exact <= bounds.upper, "{bounds:?} {exact}");
    }
}

#[test]
fn what_cannot_be_is_refused() {
    let (x, y, _) = several();
    let data = Data::new(&x, Outputs::new(y)).unwrap();
    let kernel = Rbf::new(1.0).unwrap();
    let run = Run::new();
    let none = x.select(&[]).unwrap();
    assert!(matches!(likelihood_bounds(&kernel, 0.1, &none, &data, &run), Err(Error::Empty)));
    assert!(likelihood_bounds(&kernel, 0.0, &x, &data, &run).is_err());
    let other = Samples::from_rows(&[[1.0, 2.0, 3.0]]).unwrap();
    assert!(matches!(likelihood_bounds(&kernel, 0.1, &other, &data, &run), Err(Error::Core(_))));
    let small = Run::new().memory(MemoryBudget::bytes(1000));
    assert!(matches!(lower_bound(&kernel, 0.1, &x, &data, &small), Err(Error::Gram(_))));
    let process = GaussianProcess::on_landmarks(Nystrom::new(kernel).landmarks(5));
    let left_out = process.clone().objective(Objective::LeaveOneOut);
    let targets = vec![0.0; 60];
    assert!(matches!(left_out.fit(&x, &targets), Err(Error::Unsupported { .. })));
    let many = GaussianProcess::on_landmarks(Nystrom::new(kernel).landmarks(61));
    assert!(many.fit(&x, &targets).is_err());
}
