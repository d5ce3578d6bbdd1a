//! Kernel logistic regression with intercepts: against independent solvers, its certificate and its laws.
//!
//! Golden values by numpy 2.4.6 on the points of golden/logistic.rs: Newton's method for (α, b) on the whole system,
//!
//! ```python
//! A = np.hstack([K, np.ones((n, 1))]); R = np.zeros((n + 1, n + 1)); R[:n, :n] = n * lam * K
//! for _ in range(100):
//!     f = A @ a; s = 1 / (1 + np.exp(y * f)); g = A.T @ (-beta * y * s) + R @ a
//!     a = a - np.linalg.lstsq(A.T @ ((beta * s * (1 - s))[:, None] * A) + R, g, rcond=1e-15)[0]
//! ```
//! and the same for the softmax with the Hessian P_c(δ_ck − P_k); the linear ones by scikit-learn 1.9.1,
//! `LogisticRegression(C=1 / (30 * 0.01), tol=1e-14, solver="newton-cholesky")`.
#![allow(clippy::unwrap_used, reason = "a test may panic, in its helper functions, too")]

use super::classes::{iris, observed, overlapping, with_weights};
use super::golden::logistic as golden;
use kern_core::kernels::{Linear, Rbf};
use kern_core::{Kernel, Points, Samples};
use kern_solvers::logistic::Logistic;
use kern_solvers::space::OnKernel;
use kern_solvers::{MultiClass, Progress, Status};
use proptest::prelude::*;
use std::ops::ControlFlow;

const VALUES: [[f64; 6]; 2] = [
    [
        -4.568075568784436,
        -4.726582499279818,
        -3.612943126539639,
        -0.7369416320925009,
        3.6148203899059834,
        0.4283010041692794,
    ],
    [
        -4.745668290984131,
        -4.7802682866532,
        -4.07150050597325,
        -1.1375488225858668,
        3.694377849955718,
        0.2305700385219982,
    ],
];
const INTERCEPTS: [f64; 2] = [-0.9386492788347186, -0.7695260283133052];
const OBJECTIVES: [f64; 2] = [0.15062695149334548, 0.14134343126412938];
const SOFTMAX: [[f64; 3]; 5] = [
    [0.9911782567243967, 0.00403935274091615, 0.0047823905346871184],
    [0.9890887893778266, 0.005136125462219517, 0.0057750851599538775],
    [0.0018169955872076498, 0.9925256211881824, 0.005657383224609849],
    [0.0046424162947899614, 0.8967913821845344, 0.09856620152067573],
    [0.00494897819853593, 0.048186717610809414, 0.9468643041906546],
];
const SOFTMAX_INTERCEPTS: [f64; 3] =
    [-0.0027219315551923395, -0.4093420136916056, 0.41206394524679796];
const SOFTMAX_OBJECTIVE: f64 = 0.12983764018715346;
const LINEAR: f64 = -6.541945108290011;
const LINEAR_SOFTMAX: [f64; 3] = [10.592242791770618, -1.7095103304972596, -8.882732461273362];

fn rbf() -> Rbf {
    Rbf::new(0.5).unwrap()
}

fn logistic() -> Logistic<OnKernel<Rbf>> {
    Logistic::on_kernel(rbf()).lambda(1e-3).tolerance(1e-14).intercept(true)
}

#[test]
fn two_classes_equal_an_independent_newton_iteration() {
    let x = iris();
    let y: Vec<bool> = (0..30).map(|i| golden::class(i) == 2).collect();
    let weights = [vec![1.0; 30], (0..30).map(golden::weight).collect()];
    for (k, weights) in weights.into_iter().enumerate() {
        let model = with_weights(&logistic(), (&x, &y), &weights).unwrap();
        let given = model.decision_values(&x).unwrap();
        for (j, expected) in VALUES[k].iter().enumerate() {
            assert!((given[(5 * j, 0)] - expected).abs() < 1e-6, "value {j}");
        }
        assert!((model.decision().intercepts()[0] - INTERCEPTS[k]).abs() < 1e-6);
        assert!((model.report().objective - OBJECTIVES[k]).abs() < 1e-13);
        assert_eq!(model.report().status, Status::Converged);
    }
}

#[test]
fn multinomial_equals_an_independent_newton_iteration() {
    let x = iris();
    let y: Vec<usize> = (0..30).map(golden::class).collect();
    let model = logistic().fit(&x, &y).unwrap();
    assert_eq!(model.report().status, Status::Converged);
    let p = model.predict_proba(&x).unwrap();
    for c in 0..3 {
        for (k, expected) in SOFTMAX.iter().enumerate() {
            assert!((p[(6 * k, c)] - expected[c]).abs() < 1e-6, "point {}, class {c}", 6 * k);
        }
        assert!((model.decision().intercepts()[c] - SOFTMAX_INTERCEPTS[c]).abs() < 1e-6);
    }
    assert!((model.report().objective - SOFTMAX_OBJECTIVE).abs() < 1e-13);
}

#[test]
fn linear_kernel_equals_scikit_learn() {
    let x = iris();
    let fit = |y: &[usize], weights: Vec<f64>| {
        let linear = Logistic::on_kernel(Linear).lambda(0.01).tolerance(1e-15).intercept(true);
        with_weights(&linear, (&x, y), &weights).unwrap()
    };
    let y: Vec<usize> = (0..30).map(golden::class).collect();
    let two: Vec<usize> = y.iter().map(|&c| c / 2).collect();
    let binary = fit(&two, (0..30).map(golden::weight).collect());
    let given = binary.decision().intercepts()[0];
    assert!((given - LINEAR).abs() < 1e-6, "{given} {}", binary.report());
    let many = fit(&y, vec![1.0; 30]);
    for (given, expected) in many.decision().intercepts().iter().zip(LINEAR_SOFTMAX) {
        assert!((given - expected).abs() < 1e-6, "{given} {expected}");
    }
}

/// The gradient by b and, in the RKHS, by f, from pointwise evaluations, of the certificate that is documented.
#[test]
fn certificate_is_a_bound_at_every_stage() {
    let (x, labels) = overlapping(60, 2, 5.0);
    for lambda in [1e-1, 1e-3, 1e-6] {
        let best = logistic().lambda(lambda).tolerance(1e-15).fit(&x, &labels).unwrap();
        for most in 0..8 {
            let mut trace = Vec::new();
            let mut observer = |p: &Progress| {
                trace.push(p.loss);
                ControlFlow::Continue(())
            };
            let model = logistic().lambda(lambda).max_iterations(most);
            let model = observed(&model, (&x, &labels), &mut observer).unwrap();
            assert!(trace.windows(2).all(|pair| pair[1] <= pair[0]), "{trace:?}");
            let report = model.report();
            let excess = report.objective - best.report().objective;
            let gap = report.gap.unwrap();
            assert!(excess >= -1e-14 && excess <= gap + 1e-15, "{most}: {excess} {report}");
        }
    }
}

#[test]
fn gradients_vanish() {
    let (x, labels) = overlapping(60, 2, 5.0);
    let model = logistic().fit(&x, &labels).unwrap();
    let f = model.decision_values(&x).unwrap();
    let alpha = model.decision().coefficients();
    let y = |i: usize| if labels[i] == 1 { 1.0 } else { -1.0 };
    let g: Vec<f64> = (0..60).map(|i| -y(i) / (1.0 + (y(i) * f[(i, 0)]).exp()) / 60.0).collect();
    assert!(g.iter().sum::<f64>().abs() < 1e-9);
    let r: Vec<f64> = (0..60).map(|i| g[i] + 1e-3 * alpha[(i, 0)]).collect();
    let k = |i: usize, j: usize| Kernel::<Samples<f64>>::eval(&rbf(), x.item(i), x.item(j));
    let square: f64 = (0..60).map(|i| (0..60).map(|j| r[i] * k(i, j) * r[j]).sum::<f64>()).sum();
    assert!(square.abs().sqrt() < 1e-8, "{square}");
    // α sums to zero, as the feasible points of the dual problem do.
    assert!((0..60).map(|i| alpha[(i, 0)]).sum::<f64>().abs() < 1e-5 * alpha.norm_max());
}

/// The intercept is unpenalised: the constant part of a kernel changes nothing but b.
#[test]
fn a_constant_in_the_kernel_is_of_no_effect() {
    use kern_core::kernels::Polynomial;
    let (x, labels) = overlapping(50, 3, 5.0);
    for multi_class in [MultiClass::Softmax, MultiClass::OneVsRest] {
        let fit = |offset| {
            let kernel = Polynomial::new(1.0, offset, 1).unwrap();
            let logistic = Logistic::on_kernel(kernel).lambda(1e-2).tolerance(1e-15);
            logistic.intercept(true).multi_class(multi_class).fit(&x, &labels).unwrap()
        };
        let (a, b) = (fit(0.0).predict_proba(&x).unwrap(), fit(5.0).predict_proba(&x).unwrap());
        let error = (a - b).norm_max();
        assert!(error < 1e-6, "{error}");
    }
}

#[test]
fn integer_weights_are_repeated_points_and_zero_drops_one() {
    let (x, labels) = overlapping(30, 3, 5.0);
    let weights: Vec<usize> = (0..30).map(|i| [1, 2, 0, 3, 1][i % 5]).collect();
    let repeated: Vec<usize> = (0..30).flat_map(|i| std::iter::repeat_n(i, weights[i])).collect();
    let many = x.select(&repeated).unwrap();
    let many_labels: Vec<usize> = repeated.iter().map(|&i| labels[i]).collect();
    let ratio = 30.0 / repeated.len() as f64;
    let betas: Vec<f64> = weights.iter().map(|&w| w as f64).collect();
    for multi_class in [MultiClass::Softmax, MultiClass::OneVsRest] {
        let weighted = with_weights(&logistic().multi_class(multi_class), (&x, &labels), &betas);
        let weighted = weighted.unwrap();
        let copies = logistic().lambda(1e-3 * ratio).multi_class(multi_class);
        let copies = copies.fit(&many, &many_labels).unwrap();
        let (a, b) = (weighted.predict_proba(&x).unwrap(), copies.predict_proba(&x).unwrap());
        assert!((a - b).norm_max() < 1e-6);
    }
}

#[test]
fn separable_and_lopsided_classes_converge() {
    let x = Samples::from_rows(&[[0.0], [0.2], [0.4], [3.0], [3.3], [9.0]]).unwrap();
    for lambda in [1e-6, 1e-10] {
        for y in [[0, 0, 0, 1, 1, 1], [0, 0, 0, 0, 0, 1], [0, 0, 1, 1, 2, 2]] {
            for multi_class in [MultiClass::Softmax, MultiClass::OneVsRest] {
                let model = Logistic::on_kernel(rbf()).lambda(lambda).intercept(true);
                let model = model.multi_class(multi_class).fit(&x, &y).unwrap();
                assert_eq!(model.report().status, Status::Converged, "{}", model.report());
                assert_eq!(model.predict(&x).unwrap(), y);
            }
        }
    }
    let rows: Vec<[f64; 1]> = (0..1000).map(|i| [f64::from(i) * 0.01]).collect();
    let labels: Vec<bool> = (0..1000).map(|i| i == 700).collect();
    let x = Samples::from_rows(&rows).unwrap();
    let model = Logistic::on_kernel(rbf()).lambda(1.0).intercept(true).fit(&x, &labels).unwrap();
    assert_eq!(model.report().status, Status::Converged, "{}", model.report());
    // Nearly nothing but the intercept is learned: ln(1/999).
    assert!((model.decision().intercepts()[0] + 999.0_f64.ln()).abs() < 1e-2);
}

#[test]
fn same_bits_for_any_number_of_threads_and_single_precision_agrees() {
    let (x, labels) = overlapping(300, 3, 5.0);
    let run = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let fit = |multi| logistic().multi_class(multi).fit(&x, &labels).unwrap();
        pool.install(|| (fit(MultiClass::Softmax), fit(MultiClass::OneVsRest)))
    };
    let one = run(1);
    assert!(one == run(2) && one == run(8));
    let narrow = x.as_slice().iter().map(|&v| v as f32).collect();
    let x32 = Samples::from_row_major(2, narrow).unwrap();
    let single = logistic().tolerance(1e-8).fit(&x32, &labels).unwrap();
    assert_eq!(single.report().status, Status::Converged, "{}", single.report());
    let (a, b) = (one.0.predict_proba(&x).unwrap(), single.predict_proba(&x32).unwrap());
    // Within √(2·1e-8·J/λ) < 5e-3 in every decision value but for the intercept, slopes of at most 1/4.
    assert!((0..300).all(|i| (0..3).all(|c| (a[(i, c)] - f64::from(b[(i, c)])).abs() < 1e-2)));
}

proptest! {
    #[test]
    fn gaps_close_on_arbitrary_data(
        rows in proptest::collection::vec(([-3.0..3.0_f64, -3.0..3.0], 0_usize..3, 0.0..3.0_f64), 4..30),
        log_lambda in -8.0..1.0_f64,
        one_vs_rest in proptest::bool::ANY,
    ) {
        let points: Vec<[f64; 2]> = rows.iter().map(|row| row.0).collect();
        let labels: Vec<usize> = rows.iter().map(|row| row.1).collect();
        let weights: Vec<f64> = rows.iter().map(|row| row.2 + 0.01).collect();
        prop_assume!(labels.iter().any(|&l| l != labels[0]));
        let x = Samples::from_rows(&points).unwrap();
        let multi = if one_vs_rest { MultiClass::OneVsRest } else { MultiClass::Softmax };
        let model = Logistic::on_kernel(rbf()).lambda(10.0_f64.powf(log_lambda)).multi_class(multi);
        let model = with_weights(&model.intercept(true), (&x, &labels), &weights).unwrap();
        let report = model.report();
        prop_assert_eq!(report.status, Status::Converged, "{}", report);
        let gap = report.gap.unwrap();
        prop_assert!((0.0..=1e-8 * report.objective).contains(&gap), "{}", report);
    }
}
