//! Expectiles: the conditions of their optimum, shares of residuals on real data, spaces, stops and errors.
#![allow(clippy::unwrap_used, reason = "a test may panic, in its helper functions, too")]

use crate::regression::rows_of;
use kern_approx::Nystrom;
use kern_core::kernels::Rbf;
use kern_core::{Points, Samples};
use kern_solvers::ridge::{Expectile, Ridge};
use kern_solvers::{Data, Error, Learner, Run, Status};
use std::ops::ControlFlow;

/// At the optimum nλαᵢ = 2wᵢβᵢ(yᵢ − f(xᵢ)).
#[test]
fn the_optimum_is_that_of_asymmetric_squares() {
    for set in ["diabetes", "concrete"] {
        let Some((x, y)) = rows_of(set) else { continue };
        let weights: Vec<f64> = (0..y.len()).map(|i| [1.0, 0.5, 2.0][i % 3]).collect();
        let (lambda, n) = (1e-2, y.len());
        let ridge = Ridge::on_kernel(Rbf::new(0.1).unwrap()).lambda(lambda);
        let mean = ridge.fit(&x, &y).unwrap().predict(&x).unwrap();
        let mut last: Option<Vec<f64>> = None;
        for level in [0.05, 0.5, 0.9, 0.99] {
            let expectile = Expectile::new(ridge.clone()).level(level);
            for weights in [vec![1.0; n], weights.clone()] {
                let data = Data::new(&x, &y).unwrap().weights(&weights).unwrap();
                let model = expectile.learn(&data, &mut Run::new()).unwrap();
                assert_eq!(model.report().status, Status::Converged, "{level}");
                let (f, alpha) = (model.predict(&x).unwrap(), model.decision().coefficients());
                assert_eq!(model.decision().points().len(), n);
                let mut penalised = 0.0;
                for i in 0..n {
                    let r = y[i] - f[i];
                    let w = 2.0 * weights[i] * if r > 0.0 { level } else { 1.0 - level };
                    assert!(
                        (n as f64 * lambda * alpha[(i, 0)] - w * r).abs() < 1e-9,
                        "{level} {i}"
                    );
                    penalised += w * r * r / n as f64 + lambda * alpha[(i, 0)] * f[i];
                }
                // The gap of the last ridge regression is that of the expectile.
                let report = model.report();
                assert!((report.objective - penalised).abs() < 1e-9 * penalised, "{report:?}");
                assert!(report.gap.unwrap() < 1e-9 * penalised, "{report:?}");
            }
            let f = expectile.fit(&x, &y).unwrap().predict(&x).unwrap();
            if (level - 0.5_f64).abs() < 1e-12 {
                assert!(f.iter().zip(&mean).all(|(a, b)| (a - b).abs() < 1e-10));
            }
            let mean_of = |f: &[f64]| f.iter().sum::<f64>() / f.len() as f64;
            if let Some(last) = last {
                assert!(mean_of(&last) < mean_of(&f));
            }
            last = Some(f);
        }
    }
}

#[test]
fn landmarks_learn_what_the_kernel_does() {
    for set in ["diabetes", "concrete"] {
        let Some((x, y)) = rows_of(set) else { continue };
        let kernel = Rbf::new(0.1).unwrap();
        let exact =
            Expectile::new(Ridge::on_kernel(kernel).lambda(1e-2).intercept(true)).level(0.9);
        let all = Nystrom::new(kernel).landmarks(y.len());
        let landmarks = Ridge::on_landmarks(all).lambda(1e-2).intercept(true).tolerance(1e-12);
        let landmarks = Expectile::new(landmarks).level(0.9);
        let a = exact.fit(&x, &y).unwrap().predict(&x).unwrap();
        let b = landmarks.fit(&x, &y).unwrap().predict(&x).unwrap();
        assert!(a.iter().zip(&b).all(|(a, b)| (a - b).abs() < 1e-4), "{a:?} {b:?}");
    }
}

#[test]
fn a_fit_is_stopped_and_bad_input_refused() {
    let x = Samples::from_row_major(1, (0..20).map(f64::from).collect()).unwrap();
    let y: Vec<f64> = (0..20).map(|i| f64::from(i * i % 7)).collect();
    let expectile = Expectile::new(Ridge::on_kernel(Rbf::new(1.0).unwrap()).lambda(1e-2));
    for level in [0.0, 1.0, -1.0, f64::NAN] {
        assert!(matches!(expectile.clone().level(level).fit(&x, &y), Err(Error::Core(_))));
    }
    let once = expectile.clone().level(0.99).rounds(1).fit(&x, &y).unwrap();
    assert_eq!(once.report().status, Status::IterationsDone);
    assert!(expectile.clone().rounds(0).fit(&x, &y).is_err());
    let mut stop = |_: &kern_solvers::Progress| ControlFlow::Break(());
    let data = Data::new(&x, &y).unwrap();
    let iterated = Expectile::new(
        expectile.ridge().clone().solver(kern_solvers::ridge::RidgeSolver::ConjugateGradients),
    );
    let stopped = iterated.level(0.9).learn(&data, &mut Run::new().observer(&mut stop)).unwrap();
    assert_eq!(stopped.report().status, Status::Stopped);
}
