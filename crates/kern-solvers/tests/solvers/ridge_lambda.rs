//! The choice of λ: what refits and other formulas say, small and large, with noise and without.
#![allow(clippy::unwrap_used, reason = "a test may panic, in its helper functions, too")]

use kern_approx::Nystrom;
use kern_core::faer::ColRef;
use kern_core::kernels::Rbf;
use kern_core::{Points, Samples};
use kern_solvers::ridge::{Criterion, LambdaChoice, Ridge};
use kern_solvers::{Data, Run};

fn x(n: usize) -> Samples<f64> {
    let value = |k: usize| ((k * 7919 + 13) % 10_007) as f64 / 1000.0;
    Samples::from_row_major(1, (0..n).map(value).collect()).unwrap()
}

/// sin x and a noise of this size.
fn y(x: &Samples<f64>, noise: f64) -> Vec<f64> {
    let noisy = |i: usize| x.item(i)[0].sin() + noise * (((i * 31 + 7) % 17) as f64 / 8.0 - 1.0);
    (0..x.len()).map(noisy).collect()
}

fn rbf() -> Rbf {
    Rbf::new(1.0).unwrap()
}

/// Every λ of the grid by the definition: each point predicted by the model that has not seen it.
#[test]
fn of_few_points_it_is_the_best_by_refits() {
    let n = 25;
    let x = x(n);
    let weights: Vec<f64> = (0..n).map(|i| [1.0, 2.0, 0.5][i % 3]).collect();
    for noise in [0.0, 0.3, 3.0] {
        let y = y(&x, noise);
        let data = Data::new(&x, &y).unwrap().weights(&weights).unwrap();
        let ridge = Ridge::on_kernel(rbf()).intercept(true);
        let LambdaChoice { lambda, criterion, error, .. } =
            ridge.choose_lambda(&data, &mut Run::new()).unwrap();
        assert_eq!(criterion, Criterion::LeaveOneOut);
        let left_out = |lambda: f64| {
            let (mut sum, mut total) = (0.0, 0.0);
            for i in 0..n {
                // A weight of zero keeps n, and so the penalty.
                let mut others = weights.clone();
                others[i] = 0.0;
                let data = Data::new(&x, &y).unwrap().weights(&others).unwrap();
                let one = x.select(&[i]).unwrap();
                let ridge = ridge.clone().lambda(lambda);
                let model = kern_solvers::Learner::learn(&ridge, &data, &mut Run::new()).unwrap();
                sum += weights[i] * (y[i] - model.predict(&one).unwrap()[0]).powi(2);
                total += weights[i];
            }
            sum / total
        };
        let best = left_out(lambda);
        assert!((best / error - 1.0).abs() < 1e-6, "{best} {error}");
        for i in 0..19 {
            let other = left_out(10.0_f64.powf(-8.0 + f64::from(i) / 2.0));
            assert!(other >= best * (1.0 - 1e-6), "{noise}: {lambda} has {best}, another {other}");
        }
    }
}

/// More noise, more penalty; on landmarks, too. Pure noise is answered by its mean.
#[test]
fn noise_asks_for_a_penalty_in_every_size() {
    for n in [300, 1100, 3200] {
        let x = x(n);
        let chosen = |noise: f64| {
            let y = y(&x, noise);
            let data = Data::new(&x, &y).unwrap();
            let exact = Ridge::on_kernel(rbf()).intercept(true);
            let nystrom = Nystrom::new(rbf()).landmarks(60);
            let landmarks = Ridge::on_landmarks(nystrom).intercept(true);
            let exact = exact.choose_lambda(&data, &mut Run::new()).unwrap();
            let landmarks = landmarks.choose_lambda(&data, &mut Run::new()).unwrap();
            assert_eq!(landmarks.criterion, Criterion::Gcv);
            // The variance of the noise is what no model explains; 3/8 of its squared size.
            let unexplained = noise * noise * 0.375;
            for error in [exact.error, landmarks.error] {
                assert!((error - unexplained).abs() < 0.1 * unexplained + 1e-6, "{n}: {error}");
            }
            (exact.lambda, landmarks.lambda)
        };
        let (none, some) = (chosen(1e-3), chosen(2.0));
        assert!(none.0 <= 1e-5 && none.1 <= 1e-5, "{n}: {none:?}");
        assert!(some.0 >= 1e-4 && some.1 >= 1e-4, "{n}: {some:?}");
    }
    let x = x(200);
    let noise: Vec<f64> = (0..200).map(|i| ((i * i * 31 + 7) % 173) as f64).collect();
    let data = Data::new(&x, &noise).unwrap();
    let ridge = Ridge::on_kernel(rbf()).intercept(true);
    let chosen = ridge.choose_lambda(&data, &mut Run::new()).unwrap();
    assert!(chosen.lambda >= 0.1, "{chosen:?}");
}

/// With all points as landmarks the sums over features say what the kernel matrix does.
#[test]
fn on_all_points_as_landmarks_the_score_is_that_of_the_kernel() {
    let x = x(60);
    let y = y(&x, 0.5);
    let data = Data::new(&x, &y).unwrap();
    for intercept in [false, true] {
        let nystrom = Nystrom::new(rbf()).landmarks(60);
        let landmarks = Ridge::on_landmarks(nystrom).intercept(intercept);
        let chosen = landmarks.choose_lambda(&data, &mut Run::new()).unwrap();
        let exact = Ridge::on_kernel(rbf()).intercept(intercept).lambda(chosen.lambda);
        let factor = exact.factor(&data, &Run::new()).unwrap();
        let gcv = factor.gcv(ColRef::from_slice(&y).as_mat()).unwrap();
        assert!((chosen.error / gcv - 1.0).abs() < 1e-6, "{} {gcv}", chosen.error);
    }
}
