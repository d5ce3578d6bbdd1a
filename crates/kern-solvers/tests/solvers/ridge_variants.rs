//! Kernel ridge with weights and intercept, its cross-validation, its path of λ and its variances:
//! against independent implementations, and against refits.
#![allow(clippy::unwrap_used, reason = "a test may panic, in its helper functions, too")]

use super::golden::ridge as golden;
use super::learn::{data, learn};
use golden::weighted;
use kern_core::closure::AssumeMercer;
use kern_core::faer::{ColRef, Mat, MatRef};
use kern_core::kernels::{FnKernel, Linear, Rbf};
use kern_core::{Kernel, Points, Samples, Scalar};
use kern_gram::{Error as GramError, MemoryBudget};
use kern_solvers::model::{KernelExpansion, Regressor};
use kern_solvers::ridge::{Criterion, Ridge};
use kern_solvers::space::OnKernel;
use kern_solvers::{Data, Error, Run};
use proptest::prelude::*;

type Model = Regressor<KernelExpansion<Samples<f64>, Rbf>>;

fn rbf() -> Rbf {
    Rbf::new(0.5).unwrap()
}

/// Scattered points of the plane, targets and weights; some weights are zero.
fn problem(n: usize) -> (Samples<f64>, Vec<f64>, Vec<f64>) {
    let angle = |i: usize, rate: f64| (i as f64 * rate).sin();
    let rows: Vec<[f64; 2]> = (0..n).map(|i| [3.0 * angle(i, 1.3), 2.0 * angle(i, 2.9)]).collect();
    let y = rows.iter().map(|x| (x[0] - x[1]).sin() + 4.0 + 0.1 * x[1]).collect();
    let weights = (0..n).map(|i| [1.0, 0.3, 2.0, 0.0, 1.7][i % 5]).collect();
    (Samples::from_rows(&rows).unwrap(), y, weights)
}

fn column(y: &[f64]) -> MatRef<'_, f64> {
    ColRef::from_slice(y).as_mat()
}

/// Ridge regression, and weights if there are any.
type Variant<'w> = (Ridge<OnKernel<Rbf>>, Option<&'w [f64]>);

/// The four variants: with and without weights and intercept.
fn variants(weights: &[f64]) -> [Variant<'_>; 4] {
    let plain = Ridge::on_kernel(rbf()).lambda(0.003);
    let shifted = plain.clone().intercept(true);
    [
        (plain.clone(), None),
        (shifted.clone(), None),
        (plain, Some(weights)),
        (shifted, Some(weights)),
    ]
}

/// These weights, or ones, but zero where a point is left out.
fn without(weights: Option<&[f64]>, n: usize, left_out: impl Fn(usize) -> bool) -> Vec<f64> {
    let kept = |i: usize| weights.map_or(1.0, |weights| weights[i]);
    (0..n).map(|i| if left_out(i) { 0.0 } else { kept(i) }).collect()
}

#[test]
fn weighted_coefficients_equal_scikit_learn() {
    let x = Samples::from_rows(&golden::X).unwrap();
    let ridge = Ridge::on_kernel(rbf()).lambda(0.01);
    let model = learn(&ridge, &data((&x, &golden::Y), Some(&weighted::WEIGHTS)));
    let alpha = model.decision().coefficients();
    for (i, expected) in weighted::ALPHA.iter().enumerate() {
        assert!((alpha[(i, 0)] - expected).abs() <= 1e-12 * expected.abs(), "coefficient {i}");
    }
    assert_eq!(model.decision().intercepts(), [0.0]);
}

#[test]
fn weights_with_an_intercept_equal_the_linear_ridge_of_scikit_learn() {
    let x = Samples::from_rows(&golden::X).unwrap();
    let ridge = Ridge::on_kernel(Linear).lambda(0.02).intercept(true);
    let model = learn(&ridge, &data((&x, &golden::Y), Some(&weighted::WEIGHTS)));
    let alpha = model.decision().coefficients();
    for (k, expected) in weighted::LINEAR.iter().enumerate() {
        let w: f64 = (0..10).map(|i| alpha[(i, 0)] * golden::X[i][k]).sum();
        assert!((w - expected).abs() < 1e-12, "slope {k}: {w}");
    }
    let b = model.decision().intercepts()[0];
    assert!((b - weighted::LINEAR_INTERCEPT).abs() < 1e-12, "{b}");
}

#[test]
fn mean_and_variance_equal_the_gaussian_process_of_scikit_learn() {
    let x = Samples::from_rows(&golden::X).unwrap();
    let queries = Samples::from_rows(&weighted::QUERIES).unwrap();
    let data = data((&x, ()), Some(&weighted::WEIGHTS));
    let factor = Ridge::on_kernel(rbf()).lambda(0.01).factor(&data, &Run::new()).unwrap();
    let mean = factor.fit(&golden::Y).unwrap().predict(&queries).unwrap();
    let variance = factor.variance(&queries).unwrap();
    for k in 0..3 {
        assert!((mean[k] - weighted::MEAN[k]).abs() < 1e-12);
        assert!((variance[k] - weighted::VARIANCE[k]).abs() < 1e-12);
    }
}

/// The limit of a proper prior: an intercept of prior variance v is the kernel K + v.
#[test]
fn variance_with_an_intercept_is_the_limit_of_a_constant_added_to_the_kernel() {
    let (x, _, weights) = problem(20);
    let queries = Samples::from_rows(&[[0.1, 0.2], [5.0, -5.0]]).unwrap();
    let (data, run) = (data((&x, ()), Some(&weights)), Run::new());
    let flat = Ridge::on_kernel(rbf()).lambda(0.01).intercept(true);
    let flat = flat.factor(&data, &run).unwrap().variance(&queries).unwrap();
    let v = 1e6;
    let proper = Ridge::on_kernel(AssumeMercer(FnKernel::new(move |a: &[f64], b: &[f64]| {
        let d: f64 = a.iter().zip(b).map(|(a, b)| (a - b) * (a - b)).sum();
        v + (-0.5 * d).exp()
    })));
    let proper = proper.lambda(0.01).factor(&data, &run).unwrap().variance(&queries).unwrap();
    for (flat, proper) in flat.iter().zip(&proper) {
        // The difference is O(1/v); rounding is u·v.
        assert!((flat - proper).abs() < 1e-5, "{flat} {proper}");
    }
}

#[test]
fn leave_one_out_equals_refits_in_all_variants() {
    let (x, y, weights) = problem(30);
    for (kind, (ridge, weights)) in variants(&weights).into_iter().enumerate() {
        let all = data((&x, &y), weights);
        let factor = ridge.factor(&all, &Run::new()).unwrap();
        let quick = factor.leave_one_out(column(&y)).unwrap();
        let spectrum = ridge.decompose(&all, &Run::new()).unwrap();
        let spectral = spectrum.leave_one_out(0.003, column(&y)).unwrap();
        for i in 0..30 {
            let others = without(weights, 30, |k| k == i);
            let refit = learn(&ridge, &data((&x, &y), Some(&others)));
            let residual = y[i] - refit.predict(&x).unwrap()[i];
            assert!((quick[(i, 0)] - residual).abs() < 1e-10, "variant {kind}, point {i}");
            assert!((spectral[(i, 0)] - residual).abs() < 1e-10, "variant {kind}, point {i}");
        }
    }
}

#[test]
fn leaving_folds_out_equals_refits_in_all_variants() {
    let (x, y, weights) = problem(33);
    let both = Mat::from_fn(33, 2, |i, j| if j == 0 { y[i] } else { (i % 7) as f64 });
    let folds: Vec<usize> = (0..33).map(|i| [7, 2, 2, 9][i % 4]).collect();
    for (kind, (ridge, weights)) in variants(&weights).into_iter().enumerate() {
        let all = data((&x, &both), weights);
        let factor = ridge.factor(&all, &Run::new()).unwrap();
        let quick = factor.leave_folds_out(both.as_ref(), &folds).unwrap();
        let spectrum = ridge.decompose(&all, &Run::new()).unwrap();
        let spectral = spectrum.leave_folds_out(0.003, both.as_ref(), &folds).unwrap();
        for fold in [2, 7, 9] {
            let others = without(weights, 33, |k| folds[k] == fold);
            let refit = learn(&ridge, &data((&x, &both), Some(&others))).predict(&x).unwrap();
            for i in (0..33).filter(|&i| folds[i] == fold) {
                for j in 0..2 {
                    let residual = both[(i, j)] - refit[(i, j)];
                    assert!((quick[(i, j)] - residual).abs() < 1e-9, "variant {kind}, point {i}");
                    assert!((spectral[(i, j)] - residual).abs() < 1e-9, "variant {kind}");
                }
            }
        }
    }
}

#[test]
fn integer_weights_are_repeated_points_with_the_same_n_lambda() {
    let (x, y, _) = problem(12);
    let weights: Vec<usize> = (0..12).map(|i| i % 4).collect();
    let repeated: Vec<usize> = (0..12).flat_map(|i| std::iter::repeat_n(i, weights[i])).collect();
    let many = x.select(&repeated).unwrap();
    let y_many: Vec<f64> = repeated.iter().map(|&i| y[i]).collect();
    let total = repeated.len() as f64;
    let betas: Vec<f64> = weights.iter().map(|&w| w as f64).collect();
    for intercept in [false, true] {
        let ridge = |lambda| Ridge::on_kernel(rbf()).lambda(lambda).intercept(intercept);
        let weighted = learn(&ridge(0.01), &data((&x, &y), Some(&betas)));
        let copies = ridge(12.0 * 0.01 / total).fit(&many, &y_many).unwrap();
        let (a, b) = (weighted.predict(&x).unwrap(), copies.predict(&x).unwrap());
        assert!(a.iter().zip(&b).all(|(a, b)| (a - b).abs() < 1e-11));
        let (a, b) = (weighted.report().objective, copies.report().objective);
        assert!((12.0 * a - total * b).abs() < 1e-11 * a, "objectives {a} {b}");
    }
}

#[test]
fn weight_zero_drops_a_point_and_weight_one_is_none() {
    let (x, y, weights) = problem(25);
    let kept: Vec<usize> = (0..25).filter(|&i| weights[i] > 0.0).collect();
    let few = x.select(&kept).unwrap();
    let y_few: Vec<f64> = kept.iter().map(|&i| y[i]).collect();
    let w_few: Vec<f64> = kept.iter().map(|&i| weights[i]).collect();
    let m = kept.len() as f64;
    let ridge = |lambda| Ridge::on_kernel(rbf()).lambda(lambda).intercept(true);
    let all = learn(&ridge(0.01), &data((&x, &y), Some(&weights)));
    let part = learn(&ridge(25.0 * 0.01 / m), &data((&few, &y_few), Some(&w_few)));
    let (a, b) = (all.predict(&x).unwrap(), part.predict(&x).unwrap());
    assert!(a.iter().zip(&b).all(|(a, b)| (a - b).abs() < 1e-13));
    assert_eq!(all.decision().points(), &few);

    let ridge = Ridge::on_kernel(rbf());
    let ones = learn(&ridge, &data((&x, &y), Some(&[1.0; 25])));
    assert_eq!(ones, ridge.fit(&x, &y).unwrap());
}

#[test]
fn the_path_equals_single_fits_and_the_choice_is_the_minimum() {
    let (x, y, weights) = problem(40);
    let lambdas = [1e-8, 1e-5, 1e-3, 1e-1, 10.0];
    for (ridge, weights) in variants(&weights) {
        let (data, run) = (data((&x, ()), weights), Run::new());
        let spectrum = ridge.decompose(&data, &run).unwrap();
        let mut scores = Vec::new();
        for lambda in lambdas {
            let single = ridge.clone().lambda(lambda).factor(&data, &run).unwrap();
            let (a, b) = (spectrum.fit(lambda, &y).unwrap(), single.fit(&y).unwrap());
            let (a, b) = (a.predict(&x).unwrap(), b.predict(&x).unwrap());
            assert!(a.iter().zip(&b).all(|(a, b)| (a - b).abs() < 1e-8), "lambda {lambda}");
            let gcv = spectrum.score(lambda, column(&y), Criterion::Gcv).unwrap();
            let direct = single.gcv(column(&y)).unwrap();
            assert!((gcv - direct).abs() < 1e-6 * direct, "lambda {lambda}: {gcv} {direct}");
            scores.push(gcv);
        }
        let choice = spectrum.choose(&lambdas, column(&y), Criterion::Gcv).unwrap();
        assert_eq!(choice.scores, scores);
        let smallest = scores.iter().copied().fold(f64::INFINITY, f64::min);
        assert_eq!((choice.scores[choice.index], choice.lambda), (smallest, lambdas[choice.index]));
        let chosen = spectrum.choose(&lambdas, column(&y), Criterion::LeaveOneOut).unwrap();
        let loo = spectrum.leave_one_out(chosen.lambda, column(&y)).unwrap();
        let beta = |i: usize| weights.map_or(1.0, |weights| weights[i]);
        let total: f64 = (0..40).map(|i| beta(i) * loo[(i, 0)].powi(2)).sum();
        let mean = total / (0..40).map(beta).sum::<f64>();
        assert!((mean - chosen.scores[chosen.index]).abs() < 1e-12);
    }
}

/// GCV from its definition, with the smoother matrix from fits of unit vectors.
#[test]
fn gcv_is_the_one_documented() {
    let (x, y, weights) = problem(20);
    for (ridge, weights) in variants(&weights) {
        let beta = |i: usize| weights.map_or(1.0, |weights| weights[i]);
        let data = data((&x, ()), weights);
        let factor = ridge.factor(&data, &Run::new()).unwrap();
        let units = factor.fit(&Mat::<f64>::identity(20, 20)).unwrap();
        let smoother = units.predict(&x).unwrap();
        let used = (0..20).filter(|&i| beta(i) > 0.0);
        let n = used.clone().count() as f64;
        let fitted = |i| (0..20).map(|k| smoother[(i, k)] * y[k]).sum::<f64>();
        let squares: f64 = used.clone().map(|i| beta(i) * (y[i] - fitted(i)).powi(2)).sum();
        let freedom: f64 = used.map(|i| 1.0 - smoother[(i, i)]).sum();
        let expected = (squares / n) / (freedom / n).powi(2);
        let given = factor.gcv(column(&y)).unwrap();
        assert!((given - expected).abs() < 1e-10 * expected, "{given} {expected}");
    }
}

#[test]
fn variance_equals_the_direct_formula_and_is_zero_where_all_is_known() {
    let (x, _, weights) = problem(15);
    let ridge = Ridge::on_kernel(rbf()).lambda(0.02);
    let unlabelled = data((&x, ()), Some(&weights));
    let given = ridge.factor(&unlabelled, &Run::new()).unwrap().variance(&x).unwrap();
    // K − KW(KW + nλ)⁻¹K by fits: the posterior mean for the targets K(·, x) is what is known.
    let gram =
        Mat::from_fn(15, 15, |i, j| Kernel::<Samples<f64>>::eval(&rbf(), x.item(i), x.item(j)));
    let known = learn(&ridge, &data((&x, &gram), Some(&weights))).predict(&x).unwrap();
    for i in 0..15 {
        assert!((given[i] - (1.0 - known[(i, i)])).abs() < 1e-13);
    }
    let equal = data((&x, ()), None);
    let sure = Ridge::on_kernel(rbf()).lambda(1e-15).factor(&equal, &Run::new()).unwrap();
    let sure = sure.variance(&x).unwrap();
    assert!(sure.iter().all(|v| (0.0..1e-8).contains(v)), "{sure:?}");
}

#[test]
fn certificates_close_and_reveal_a_wrong_model() {
    let (x, y, weights) = problem(200);
    for (ridge, weights) in variants(&weights) {
        let data = data((&x, &y), weights);
        let gap = learn(&ridge, &data).report().gap.unwrap();
        assert!((0.0..1e-24).contains(&gap), "{gap}");
        // Loose targets of the same factor give another objective, and a gap as small.
        let factor = ridge.factor(&data, &Run::new()).unwrap();
        let other: Vec<f64> = y.iter().map(|y| 2.0 * y).collect();
        let (a, b) = (factor.fit(&y).unwrap(), factor.fit(&other).unwrap());
        let ratio = b.report().objective / a.report().objective;
        assert!((ratio - 4.0).abs() < 1e-10);
    }
}

#[test]
fn an_intercept_takes_up_a_shift_of_the_targets() {
    let (x, y, weights) = problem(60);
    let shifted: Vec<f64> = y.iter().map(|y| y + 1000.0).collect();
    let data = data((&x, &y), Some(&weights));
    let ridge = |lambda| Ridge::on_kernel(rbf()).lambda(lambda).intercept(true);
    let factor = ridge(10.0).factor(&data, &Run::new()).unwrap();
    let (a, b) = (factor.fit(&y).unwrap(), factor.fit(&shifted).unwrap());
    let (a, b) = (a.predict(&x).unwrap(), b.predict(&x).unwrap());
    assert!(a.iter().zip(&b).all(|(a, b)| (b - a - 1000.0).abs() < 1e-9));
    // At a great λ what is left is the weighted mean.
    let b = learn(&ridge(1e9), &data).decision().intercepts()[0];
    let sum: f64 = weights.iter().sum();
    let mean = weights.iter().zip(&y).map(|(w, y)| w * y).sum::<f64>() / sum;
    assert!((b - mean).abs() < 1e-8);
}

#[test]
fn bad_weights_folds_and_lambdas_are_typed_errors() {
    let (x, y, _) = problem(4);
    let weigh = |weights: &[f64]| Data::new(&x, &y).unwrap().weights(weights).unwrap_err();
    let length = Error::Length { what: "sample weights", expected: 4, given: 3 };
    assert_eq!(weigh(&[1.0; 3]), length);
    assert_eq!(weigh(&[1.0, -1.0, 1.0, 1.0]), Error::Weight { point: 1, given: -1.0 });
    assert!(matches!(weigh(&[1.0, 1.0, f64::NAN, 1.0]), Error::Weight { point: 2, .. }));
    assert_eq!(weigh(&[0.0; 4]), Error::NoWeight { points: 4 });

    let (ridge, run) = (Ridge::on_kernel(rbf()), Run::new());
    let data = Data::unlabelled(&x).unwrap();
    let plain = ridge.factor(&data, &run).unwrap();
    let error = plain.leave_folds_out(column(&y), &[0, 1]).unwrap_err();
    assert_eq!(error, Error::Length { what: "folds", expected: 4, given: 2 });
    let all = plain.leave_folds_out(column(&y), &[5; 4]).unwrap();
    assert!((0..4).all(|i| (all[(i, 0)] - y[i]).abs() < 1e-9), "nothing known: f = 0");
    let shifted = ridge.clone().intercept(true).factor(&data, &run).unwrap();
    let error = shifted.leave_folds_out(column(&y), &[5; 4]).unwrap_err();
    assert_eq!(error, Error::NothingLeft { fold: 5 });
    let one = x.select(&[0]).unwrap();
    let one = Data::unlabelled(&one).unwrap();
    let one = ridge.clone().intercept(true).factor(&one, &run).unwrap();
    assert!(matches!(one.leave_one_out(column(&y[..1])), Err(Error::NothingLeft { .. })));
    assert!(one.fit(&y[..1]).is_ok());

    let spectrum = ridge.decompose(&data, &run).unwrap();
    assert!(matches!(spectrum.fit(0.0, &y), Err(Error::Core(_))));
    let none = spectrum.choose(&[], column(&y), Criterion::Gcv).unwrap_err();
    assert!(matches!(none, Error::Count { given: 0, .. }));
    let small = Run::new().memory(MemoryBudget::bytes(100));
    assert!(matches!(ridge.factor(&data, &small), Err(Error::Gram(GramError::Budget { .. }))));
    assert!(matches!(ridge.decompose(&data, &small), Err(Error::Gram(GramError::Budget { .. }))));
}

#[test]
fn same_bits_for_any_number_of_threads() {
    let (x, y, weights) = problem(300);
    let folds: Vec<usize> = (0..300).map(|i| i % 3).collect();
    let run = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let ridge = Ridge::on_kernel(rbf()).lambda(1e-4).intercept(true);
            let (data, run) = (data((&x, ()), Some(&weights)), Run::new());
            let factor = ridge.factor(&data, &run).unwrap();
            let spectrum = ridge.decompose(&data, &run).unwrap();
            (
                factor.leave_one_out(column(&y)).unwrap(),
                factor.leave_folds_out(column(&y), &folds).unwrap(),
                factor.variance(&x).unwrap(),
                spectrum.leave_one_out(1e-3, column(&y)).unwrap(),
                (factor.fit(&y).unwrap(), spectrum.fit(1e-3, &y).unwrap()),
            )
        })
    };
    let one = run(1);
    assert!(one == run(2) && one == run(8));
}

#[test]
fn single_precision_is_close_to_double() {
    let (x, y, weights) = problem(80);
    let narrow = |v: &[f64]| v.iter().map(|&v| v as f32).collect::<Vec<f32>>();
    let x32 = Samples::from_row_major(2, narrow(x.as_slice())).unwrap();
    let y32 = narrow(&y);
    let lambda = 1e-2;
    let ridge = Ridge::on_kernel(rbf()).lambda(lambda).intercept(true);
    let (data, run) = (data((&x, ()), Some(&weights)), Run::new());
    let data32 = Data::unlabelled(&x32).unwrap().weights(&weights).unwrap();
    let wide = ridge.factor(&data, &run).unwrap();
    let single = ridge.factor(&data32, &run).unwrap();
    let a = wide.leave_one_out(column(&y)).unwrap();
    let b = single.leave_one_out(ColRef::from_slice(&y32).as_mat()).unwrap();
    // κ ≤ 1 + Σβ/(nλ) ≤ 101 and targets of size 5; 64 roundings of it.
    let allowed = 64.0 * 101.0 * 5.0 * f32::UNIT_ROUNDOFF;
    assert!((0..80).all(|i| (a[(i, 0)] - f64::from(b[(i, 0)])).abs() < allowed));
    let path = ridge.decompose(&data32, &run).unwrap();
    let c = path.leave_one_out(lambda, ColRef::from_slice(&y32).as_mat()).unwrap();
    assert!((0..80).all(|i| (a[(i, 0)] - f64::from(c[(i, 0)])).abs() < allowed));
}

#[test]
fn a_model_with_an_intercept_survives_a_file() {
    let (x, y, _) = problem(20);
    let model: Model = Ridge::on_kernel(rbf()).intercept(true).fit(&x, &y).unwrap();
    let reloaded: Model = serde_json::from_str(&serde_json::to_string(&model).unwrap()).unwrap();
    assert_eq!(reloaded, model);
    assert_eq!(reloaded.predict(&x).unwrap(), model.predict(&x).unwrap());
}

proptest! {
    /// The optimality conditions: βᵢ(yᵢ − f(xᵢ)) = nλαᵢ for every point, and Σα = 0.
    #[test]
    fn normal_equations_hold_with_weights_and_intercept(
        rows in proptest::collection::vec(([-3.0..3.0_f64, -3.0..3.0], 0.01..4.0_f64), 2..30),
        log_lambda in -4.0..1.0_f64,
    ) {
        let points: Vec<[f64; 2]> = rows.iter().map(|row| row.0).collect();
        let weights: Vec<f64> = rows.iter().map(|row| row.1).collect();
        let y: Vec<f64> = points.iter().map(|x| 1.0 + x[0] * x[1]).collect();
        let x = Samples::from_rows(&points).unwrap();
        let lambda = 10.0_f64.powf(log_lambda);
        let ridge = Ridge::on_kernel(rbf()).lambda(lambda).intercept(true);
        let model = learn(&ridge, &data((&x, &y), Some(&weights)));
        let fitted = model.predict(&x).unwrap();
        let alpha = model.decision().coefficients();
        let n = y.len() as f64;
        // Backward error of the solve, n·u·κ with κ ≤ 1 + 4/λ, times |y| ≤ 10.
        let allowed = 30.0 * f64::UNIT_ROUNDOFF * (1.0 + 4.0 / lambda) * 10.0 * 8.0;
        for i in 0..y.len() {
            let residual = weights[i] * (y[i] - fitted[i]) - n * lambda * alpha[(i, 0)];
            prop_assert!(residual.abs() <= allowed, "{residual}");
        }
        let sum: f64 = (0..y.len()).map(|i| alpha[(i, 0)]).sum();
        prop_assert!((n * lambda * sum).abs() <= n * allowed, "{sum}");
    }
}
