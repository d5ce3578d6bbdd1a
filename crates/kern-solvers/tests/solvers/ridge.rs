//! Kernel ridge: against an independent implementation on real data, its laws, and its errors.
#![allow(clippy::unwrap_used, reason = "a test may panic, in its helper functions, too")]

use super::golden::ridge as golden;
use super::learn::{data, learn, within};
use kern_core::closure::AssumeMercer;
use kern_core::faer::{Mat, mat};
use kern_core::kernels::{FnKernel, Laplacian, Linear, Rbf};
use kern_core::{Error as CoreError, Samples, Scalar};
use kern_gram::{Error as GramError, MemoryBudget};
use kern_solvers::ridge::{Ridge, RidgeSolver};
use kern_solvers::{Error, Run, Status};
use proptest::prelude::*;

fn wave(n: usize) -> (Samples<f64>, Vec<f64>) {
    let x: Vec<f64> = (0..n).map(|i| i as f64 * 6.0 / n as f64).collect();
    let y = x.iter().map(|v| v.sin()).collect();
    (Samples::from_row_major(1, x).unwrap(), y)
}

fn rbf() -> Rbf {
    Rbf::new(0.5).unwrap()
}

#[test]
fn dual_coefficients_equal_scikit_learn_on_iris_rows() {
    // scikit-learn's alpha is nλ.
    let x = Samples::from_rows(&golden::X).unwrap();
    let model = Ridge::on_kernel(rbf()).lambda(0.01).fit(&x, &golden::Y).unwrap();
    let alpha = model.decision().coefficients();
    for (i, expected) in golden::ALPHA.iter().enumerate() {
        assert!((alpha[(i, 0)] - expected).abs() <= 1e-12 * expected.abs(), "coefficient {i}");
    }
}

#[test]
fn linear_kernel_equals_the_primal_solution() {
    // w = (XᵀX + nλI)⁻¹Xᵀy for two features, by Cramer's rule.
    let x = [[1.0, 2.0], [0.5, -1.0], [-2.0, 0.3], [1.5, 1.0]];
    let y = [1.0, -0.5, 0.2, 2.0];
    let lambda = 0.05;
    let shift = 4.0 * lambda;
    let sum = |f: &dyn Fn(usize) -> f64| (0..4).map(f).sum::<f64>();
    let (a, b) = (sum(&|i| x[i][0] * x[i][0]) + shift, sum(&|i| x[i][0] * x[i][1]));
    let d = sum(&|i| x[i][1] * x[i][1]) + shift;
    let (p, q) = (sum(&|i| x[i][0] * y[i]), sum(&|i| x[i][1] * y[i]));
    let w = [(d * p - b * q) / (a * d - b * b), (a * q - b * p) / (a * d - b * b)];

    let points = Samples::from_rows(&x).unwrap();
    let model = Ridge::on_kernel(Linear).lambda(lambda).fit(&points, &y).unwrap();
    let basis = Samples::from_rows(&[[1.0, 0.0], [0.0, 1.0]]).unwrap();
    let given = model.predict(&basis).unwrap();
    assert!((given[0] - w[0]).abs() < 1e-14 && (given[1] - w[1]).abs() < 1e-14);
}

#[test]
fn certificate_closes_and_the_objective_is_the_one_documented() {
    let (x, y) = wave(300);
    let lambda = 1e-4;
    let model = Ridge::on_kernel(rbf()).lambda(lambda).fit(&x, &y).unwrap();
    let report = model.report();
    assert_eq!((report.status, report.iterations), (Status::Converged, 1));
    assert!((0.0..=1e-26).contains(&report.gap.unwrap()), "{report}");
    let fitted = model.predict(&x).unwrap();
    let alpha = model.decision().coefficients();
    let loss: f64 = y.iter().zip(&fitted).map(|(y, f)| (y - f).powi(2)).sum::<f64>() / 300.0;
    let norm: f64 = (0..300).map(|i| alpha[(i, 0)] * fitted[i]).sum();
    assert!((report.objective - (loss + lambda * norm)).abs() < 1e-14);
}

#[test]
fn small_lambda_interpolates_and_large_lambda_shrinks() {
    let (x, y) = wave(20);
    let error = |lambda: f64| {
        let model =
            Ridge::on_kernel(Laplacian::new(1.0).unwrap()).lambda(lambda).fit(&x, &y).unwrap();
        let fitted = model.predict(&x).unwrap();
        fitted.iter().zip(&y).map(|(f, y)| (f - y).abs()).fold(0.0, f64::max)
    };
    assert!(error(1e-12) < 1e-9);
    assert!(error(1e6) > 0.9);
}

#[test]
fn several_outputs_equal_one_at_a_time() {
    let (x, y) = wave(50);
    let both = Mat::from_fn(50, 2, |i, j| if j == 0 { y[i] } else { -2.0 * y[i] + 1.0 });
    let multi = Ridge::on_kernel(rbf()).lambda(1e-3).fit(&x, &both).unwrap();
    let multi = multi.predict(&x).unwrap();
    for j in 0..2 {
        let single = Ridge::on_kernel(rbf()).lambda(1e-3);
        let single = single.fit(&x, both.col_as_slice(j)).unwrap().predict(&x).unwrap();
        for i in 0..50 {
            assert!((multi[(i, j)] - single[i]).abs() < 1e-12);
        }
    }
}

#[test]
fn single_precision_is_close_to_double() {
    let (x, y) = wave(100);
    let x32 = Samples::from_row_major(1, x.as_slice().iter().map(|&v| v as f32).collect()).unwrap();
    let y32: Vec<f32> = y.iter().map(|&v| v as f32).collect();
    let wide = Ridge::on_kernel(rbf()).lambda(1e-3).fit(&x, &y).unwrap().predict(&x).unwrap();
    let narrow =
        Ridge::on_kernel(rbf()).lambda(1e-3).fit(&x32, &y32).unwrap().predict(&x32).unwrap();
    // Condition number of K + nλI is at most 1 + n/(nλ) = 1001; 64 roundings of it.
    let allowed = 64.0 * 1001.0 * f32::UNIT_ROUNDOFF;
    for (w, n) in wide.iter().zip(&narrow) {
        assert!((w - f64::from(*n)).abs() < allowed);
    }
}

#[test]
fn duplicate_points_do_no_harm() {
    let x = Samples::<f64>::from_rows(&[[0.0], [0.0], [0.0], [1.0], [1.0]]).unwrap();
    let model =
        Ridge::on_kernel(rbf()).lambda(1e-9).fit(&x, &[1.0_f64, 2.0, 3.0, 5.0, 7.0]).unwrap();
    let given = model.predict(&Samples::from_rows(&[[0.0], [1.0]]).unwrap()).unwrap();
    assert!((given[0] - 2.0).abs() < 1e-6 && (given[1] - 6.0).abs() < 1e-6);
}

#[test]
fn labels_of_any_type_come_back() {
    let x = Samples::from_rows(&[[0.0], [0.1], [2.0], [2.1], [4.0], [4.1]]).unwrap();
    let ridge = || Ridge::on_kernel(Rbf::new(2.0).unwrap()).lambda(1e-3);
    let strings = ["x", "x", "a", "a", "m", "m"].map(String::from);
    assert_eq!(ridge().fit(&x, &strings).unwrap().predict(&x).unwrap(), strings);
    let numbers = [7_i64, 7, -3, -3, 0, 0];
    assert_eq!(ridge().fit(&x, &numbers).unwrap().classes(), [-3, 0, 7]);
    let flags = [true, true, false, false, true, true];
    assert_eq!(ridge().fit(&x, &flags).unwrap().predict(&x).unwrap(), flags);
}

#[test]
fn bad_input_is_a_typed_error() {
    let (x, y) = wave(4);
    let fit =
        |lambda: f64, y: &[f64]| Ridge::on_kernel(rbf()).lambda(lambda).fit(&x, y).unwrap_err();
    for lambda in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        let error = fit(lambda, &y);
        assert!(
            matches!(error, Error::Core(CoreError::Parameter { name: "lambda", .. })),
            "{error}"
        );
    }
    assert_eq!(fit(1.0, &y[1..]), Error::Length { what: "targets", expected: 4, given: 3 });
    let hole = fit(1.0, &[0.0, 1.0, f64::INFINITY, 2.0]);
    assert_eq!(hole, Error::NotFinite { point: 2, output: 0, given: f64::INFINITY });
    let none = x.columns(0..0).transpose().to_owned();
    let none = Samples::from_matrix(none.as_ref()).unwrap();
    assert_eq!(Ridge::on_kernel(rbf()).fit(&none, &[0.0; 0]).unwrap_err(), Error::Empty);
    let one = Ridge::on_kernel(rbf()).fit(&x, &[1, 1, 1, 1]).unwrap_err();
    assert_eq!(one, Error::OneClass { points: 4 });
    let small = Ridge::on_kernel(rbf()).solver(RidgeSolver::Cholesky);
    let small = within(&small, (&x, &y), MemoryBudget::bytes(100)).unwrap_err();
    assert!(matches!(small, Error::Gram(GramError::Budget { needed: 224, allowed: 100, .. })));
    let negative = Ridge::on_kernel(-1.0 * rbf()).fit(&x, &y).unwrap_err();
    assert!(matches!(negative, Error::Core(_) | Error::Gram(GramError::Core(_))), "{negative}");
}

#[test]
fn wrong_dimension_at_prediction_is_an_error() {
    let (x, y) = wave(4);
    let model = Ridge::on_kernel(rbf()).fit(&x, &y).unwrap();
    let plane = Samples::from_rows(&[[0.0, 1.0]]).unwrap();
    assert!(model.predict(&plane).is_err());
}

#[test]
fn indefinite_kernel_that_was_assumed_mercer_is_an_error_with_its_pivot() {
    let swap = AssumeMercer(FnKernel::new(|x: &u8, y: &u8| f64::from(u8::from(x != y))));
    let points = vec![0_u8, 1];
    let error = Ridge::on_kernel(swap).lambda(0.01).fit(&points, &[1.0, 2.0]).unwrap_err();
    assert_eq!(error, Error::NotPositiveDefinite { shift: 0.02, pivot: 1 });
}

#[test]
fn fit_has_the_same_bits_for_any_number_of_threads() {
    let (x, y) = wave(700);
    let run = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let model = Ridge::on_kernel(rbf()).lambda(1e-6).fit(&x, &y).unwrap();
            (model.predict(&x).unwrap(), model)
        })
    };
    let one = run(1);
    assert!(one == run(2) && one == run(8));
}

#[test]
fn reloaded_model_predicts_the_same_bits_and_another_format_is_refused() {
    let (x, y) = wave(40);
    let model = Ridge::on_kernel(rbf() + 0.5 * Linear).lambda(1e-3).fit(&x, &y).unwrap();
    let text = serde_json::to_string(&model).unwrap();
    type Model = kern_solvers::model::Regressor<
        kern_solvers::model::KernelExpansion<
            Samples<f64>,
            kern_core::closure::Sum<Rbf, kern_core::closure::Scaled<Linear>>,
        >,
    >;
    let reloaded: Model = serde_json::from_str(&text).unwrap();
    assert_eq!(reloaded, model);
    assert_eq!(reloaded.predict(&x).unwrap(), model.predict(&x).unwrap());
    let bytes = postcard::to_stdvec(&model).unwrap();
    assert_eq!(postcard::from_bytes::<Model>(&bytes).unwrap(), model);
    let other = text.replacen("\"format\":[3", "\"format\":[4", 1);
    let error = serde_json::from_str::<Model>(&other).unwrap_err().to_string();
    assert!(error.starts_with("model format 3 is supported, the file has 4"), "{error}");
}

#[test]
fn targets_in_a_matrix_need_as_many_rows_as_points() {
    let (x, _) = wave(3);
    let error = Ridge::on_kernel(rbf()).fit(&x, &mat![[1.0], [2.0]]).unwrap_err();
    assert_eq!(error, Error::Length { what: "targets", expected: 3, given: 2 });
}

proptest! {
    /// (K + nλI)α = y on arbitrary data: the certificate is relative to ‖y‖²/n.
    #[test]
    fn normal_equations_hold(
        rows in proptest::collection::vec([-5.0..5.0_f64, -5.0..5.0], 1..40),
        log_lambda in -6.0..1.0_f64,
        gamma in 0.01..10.0_f64,
    ) {
        let y: Vec<f64> = rows.iter().map(|r| r[0] - r[1]).collect();
        let x = Samples::from_rows(&rows).unwrap();
        let ridge = Ridge::on_kernel(Rbf::new(gamma).unwrap()).lambda(10.0_f64.powf(log_lambda));
        let gap = ridge.fit(&x, &y).unwrap().report().gap.unwrap();
        let scale: f64 = y.iter().map(|v| v * v).sum::<f64>() / y.len() as f64;
        // Backward error of a Cholesky solve: n·u·κ, κ ≤ 1 + 1/λ ≤ 1e6 + 1.
        let relative = 40.0 * f64::UNIT_ROUNDOFF * 1e6;
        prop_assert!(gap <= relative * relative * scale.max(f64::UNIT_ROUNDOFF), "gap {gap}");
    }
}

/// `fit` factorises in single precision from 1024 points on, `factor` in double precision.
#[test]
fn many_points_have_the_solution_of_double_precision() {
    let n = 1300;
    let rows: Vec<[f64; 2]> = (0..n)
        .map(|i| [(f64::from(i) * 0.37).sin() * 3.0, (f64::from(i) * 0.73).cos() * 3.0])
        .collect();
    let x = Samples::from_rows(&rows).unwrap();
    let y = Mat::from_fn(n as usize, 3, |i, k| match k {
        0 => (rows[i][0] + rows[i][1]).sin(),
        1 => 0.0,
        _ => 1e6 * rows[i][0].signum() + 3e6,
    });
    let weights: Vec<f64> = (0..n).map(|i| f64::from(i % 4)).collect();
    for lambda in [1e-2, 1e-5, 1e-8, 1e-13] {
        for weighted in [false, true] {
            let ridge = Ridge::on_kernel(rbf()).lambda(lambda).intercept(weighted);
            let data = data((&x, &y), weighted.then_some(&weights));
            let model = learn(&ridge, &data);
            let direct = ridge.factor(&data, &Run::new()).unwrap().fit(&y).unwrap();
            let (given, expected) = (model.predict(&x).unwrap(), direct.predict(&x).unwrap());
            // The condition number is below 1300·3/(1300·λ), of rounding errors of double precision.
            let allowed = 1e-15 * (64.0 + 3.0 / lambda).min(1e9);
            for k in 0..3 {
                let size = y.col(k).norm_max();
                let error = (given.col(k) - expected.col(k)).norm_max();
                assert!(error <= allowed * size, "lambda {lambda}, output {k}: {error}");
            }
            let report = model.report();
            assert_eq!(report.status, Status::Converged);
            // Rounding of Kα leaves a gap of (u·κ)² of the objective.
            let gap = (1e-16 * (64.0 + 3.0 / lambda)).powi(2).max(1e-18);
            assert!(report.gap.unwrap() <= gap * report.objective, "{report}");
        }
    }
}
