//! Kernel ridge by conjugate gradients: against Cholesky, its certificate, its planner, hostile inputs.
#![allow(clippy::unwrap_used, reason = "a test may panic, in its helper functions, too")]

use super::learn::{data, learn, within};
use kern_core::closure::AssumeMercer;
use kern_core::faer::Mat;
use kern_core::kernels::{FnKernel, Laplacian, Rbf};
use kern_core::{Mercer, Points, Samples, Scalar};
use kern_gram::{CrossGram, DenseGram, Error as GramError, GramOperator, LazyGram, MemoryBudget};
use kern_solvers::model::{KernelExpansion, MultiRegressor};
use kern_solvers::plan::Prediction;
use kern_solvers::ridge::{Ridge, RidgeSolver};
use kern_solvers::space::OnKernel;
use kern_solvers::{Data, Error, Report, Run, Status};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

const BUDGET: MemoryBudget = MemoryBudget::mebibytes(256);

/// Points of the unit cube and outputs that are waves of them with a little noise.
fn problem<T: Scalar>(n: usize, dim: usize, outputs: usize) -> (Samples<T>, Mat<T>) {
    let mut rng = ChaCha8Rng::seed_from_u64(n as u64);
    let x: Vec<f64> = (0..n * dim).map(|_| rng.random::<f64>()).collect();
    let y = Mat::from_fn(n, outputs, |i, k| {
        let sum: f64 = x[i * dim..(i + 1) * dim].iter().sum();
        let noise = 0.1 * ((i * (k + 7)) as f64).sin();
        T::from_f64((3.0 * sum + k as f64).sin() + k as f64 + noise)
    });
    (Samples::from_row_major(dim, x.into_iter().map(T::from_f64).collect()).unwrap(), y)
}

/// Weights of which every seventh is zero.
fn weights(n: usize) -> Vec<f64> {
    (0..n).map(|i| if i % 7 == 3 { 0.0 } else { 0.25 + (i % 5) as f64 }).collect()
}

fn rbf() -> Rbf {
    Rbf::new(2.0).unwrap()
}

/// Ridge regression by conjugate gradients with this λ.
fn cg(lambda: f64) -> Ridge<OnKernel<Rbf>> {
    direct(lambda).solver(RidgeSolver::ConjugateGradients)
}

/// Ridge regression by Cholesky factorisation with this λ.
fn direct(lambda: f64) -> Ridge<OnKernel<Rbf>> {
    Ridge::on_kernel(rbf()).lambda(lambda).solver(RidgeSolver::Cholesky)
}

type Fitted<T, K> = MultiRegressor<KernelExpansion<Samples<T>, K>>;

fn fit<T: Scalar, K: Mercer<Samples<T>> + Clone>(
    ridge: &Ridge<OnKernel<K>>,
    (x, y): (&Samples<T>, &Mat<T>),
) -> Fitted<T, K> {
    within(ridge, (x, y), BUDGET).unwrap()
}

/// The greatest difference of two matrices, relative to the greatest entry of the second.
fn difference<A: Scalar, B: Scalar>(a: &Mat<A>, b: &Mat<B>) -> f64 {
    let (mut most, mut scale) = (0.0_f64, 0.0_f64);
    for k in 0..a.ncols() {
        for i in 0..a.nrows() {
            most = most.max((a[(i, k)].to_f64() - b[(i, k)].to_f64()).abs());
            scale = scale.max(b[(i, k)].to_f64().abs());
        }
    }
    most / scale
}

fn relative_gap(report: &Report) -> f64 {
    report.gap.unwrap() / report.objective
}

#[test]
fn predictions_are_those_of_cholesky() {
    let (x, y) = problem(700, 3, 3);
    let (queries, beta) = (problem::<f64>(50, 3, 1).0, weights(700));
    for (weighted, intercept, stored) in [
        (false, false, true),
        (false, true, false),
        (true, false, false),
        (true, true, true),
        (true, true, false),
    ] {
        for rank in [None, Some(0), Some(60)] {
            let mut ridge = cg(1e-4).intercept(intercept).tolerance(1e-22).stored(stored);
            if let Some(rank) = rank {
                ridge = ridge.rank(rank);
            }
            let data = data((&x, &y), weighted.then_some(&beta));
            let direct = learn(&direct(1e-4).intercept(intercept), &data);
            let found = learn(&ridge, &data);
            let report = found.report();
            let case = format!("{weighted} {intercept} {stored} {rank:?}: {report}");
            assert_eq!(report.status, Status::Converged, "{case}");
            let (a, b) = (found.predict(&queries).unwrap(), direct.predict(&queries).unwrap());
            assert!(difference(&a, &b) < 1e-9, "{case}: {:e}", difference(&a, &b));
            let objective = direct.report().objective;
            assert!((report.objective - objective).abs() <= 1e-12 * objective, "{case}");
            assert!((0.0..=1e-22).contains(&relative_gap(report)), "{case}");
        }
    }
}

#[test]
fn default_tolerance_closes_the_gap_and_bounds_fitted_values() {
    let (x, y) = problem::<f64>(1500, 4, 2);
    let direct = fit(&direct(1e-6).intercept(true), (&x, &y));
    let found = fit(&cg(1e-6).intercept(true), (&x, &y));
    let report = found.report();
    assert_eq!(report.status, Status::Converged);
    assert!((0.0..=1e-10).contains(&relative_gap(report)), "{report}");
    let apart = found.predict(&x).unwrap() - direct.predict(&x).unwrap();
    let mean = apart.squared_norm_l2() / 1500.0;
    assert!(mean <= report.gap.unwrap() * (1.0 + 1e-6), "{mean:e} {report}");
}

#[test]
fn residual_is_small_by_another_computation() {
    // (K + nλI)α = y, with the matrix itself.
    let (x, y) = problem::<f64>(600, 2, 2);
    let lambda = 1e-5;
    let found = fit(&cg(lambda).tolerance(1e-20), (&x, &y));
    let gram = DenseGram::new(&rbf(), &x, &BUDGET).unwrap();
    let alpha = found.decision().coefficients().to_owned();
    let residual =
        &y - gram.as_mat() * &alpha - alpha.clone() * kern_core::faer::Scale(600.0 * lambda);
    let gap = residual.squared_norm_l2() / 600.0;
    assert!(gap <= 1e-20 * found.report().objective, "{gap:e}");
    // The gap of the report is that of the same α, but for rounding.
    assert!((gap - found.report().gap.unwrap()).abs() <= 0.1 * gap, "{gap:e} {}", found.report());
}

/// K(queries, x)·α in double precision.
fn values(queries: &Samples<f64>, x: &Samples<f64>, alpha: &Mat<f64>) -> Mat<f64> {
    CrossGram::new(&rbf(), queries, x).unwrap().apply(alpha.as_ref()).unwrap()
}

#[test]
fn refreshed_residuals_beat_plain_single_precision() {
    // The same problem in double precision: points that single precision holds exactly.
    let (narrow, y) = problem::<f32>(900, 3, 1);
    let wide: Vec<f64> = narrow.as_slice().iter().map(|&v| f64::from(v)).collect();
    let x = Samples::from_row_major(3, wide).unwrap();
    let y_wide = Mat::from_fn(900, 1, |i, _| f64::from(y[(i, 0)]));
    let lambda = 1e-5;
    let truth = fit(&direct(lambda), (&x, &y_wide));
    let refreshed = fit(&cg(lambda).tolerance(1e-9), (&narrow, &y));
    let factorised = fit(&direct(lambda), (&narrow, &y));
    let expected = truth.predict(&x).unwrap();
    let of = |model: &Fitted<f32, Rbf>| {
        let alpha = model.decision().coefficients();
        let alpha = Mat::from_fn(900, 1, |i, _| f64::from(alpha[(i, 0)]));
        difference(&values(&x, &x, &alpha), &expected)
    };
    let plain = {
        let alpha = plain_single_precision(&narrow, &y, 900.0 * lambda);
        difference(&values(&x, &x, &alpha), &expected)
    };
    let (refreshed, factorised) = (of(&refreshed), of(&factorised));
    println!("refreshed {refreshed:e}, plain {plain:e}, Cholesky {factorised:e}");
    assert!(refreshed < 0.5 * plain, "{refreshed:e} {plain:e}");
    assert!(refreshed < 0.5 * factorised, "{refreshed:e} {factorised:e}");
}

#[test]
fn certificate_in_single_precision_is_that_of_exact_sums() {
    let (x, y) = problem::<f32>(800, 3, 1);
    let lambda = 1e-5;
    let found = fit(&cg(lambda), (&x, &y));
    assert_eq!(found.report().status, Status::Converged, "{}", found.report());
    let gram = DenseGram::new(&rbf(), &x, &BUDGET).unwrap();
    let alpha = found.decision().coefficients();
    let gap: f64 = (0..800)
        .map(|i| {
            let terms =
                (0..800).map(|j| f64::from(gram.as_mat()[(i, j)]) * f64::from(alpha[(j, 0)]));
            let fitted: f64 = terms.sum();
            let rho = f64::from(y[(i, 0)]) - fitted - 800.0 * lambda * f64::from(alpha[(i, 0)]);
            rho * rho / 800.0
        })
        .sum();
    let reported = found.report().gap.unwrap();
    assert!((reported - gap).abs() <= 1e-6 * gap, "{reported:e} {gap:e}");
}

/// Conjugate gradients all in single precision, with as many iterations as help.
fn plain_single_precision(x: &Samples<f32>, y: &Mat<f32>, shift: f64) -> Mat<f64> {
    let kernel = rbf();
    let gram = LazyGram::new(&kernel, x).unwrap();
    let n = x.len();
    let dot = |a: &Mat<f32>, b: &Mat<f32>| -> f32 { (0..n).map(|i| a[(i, 0)] * b[(i, 0)]).sum() };
    let (mut alpha, mut r) = (Mat::<f32>::zeros(n, 1), y.clone());
    let mut p = r.clone();
    let mut square = dot(&r, &r);
    let first = square;
    for _ in 0..2000 {
        let mut product = gram.apply(p.as_ref()).unwrap();
        for i in 0..n {
            product[(i, 0)] += shift as f32 * p[(i, 0)];
        }
        let step = square / dot(&p, &product);
        for i in 0..n {
            alpha[(i, 0)] += step * p[(i, 0)];
            r[(i, 0)] -= step * product[(i, 0)];
        }
        let next = dot(&r, &r);
        if next < 1e-13 * first {
            break;
        }
        for i in 0..n {
            p[(i, 0)] = r[(i, 0)] + next / square * p[(i, 0)];
        }
        square = next;
    }
    Mat::from_fn(n, 1, |i, _| f64::from(alpha[(i, 0)]))
}

#[test]
fn a_few_mebibytes_are_enough() {
    let (x, y) = problem::<f64>(3000, 4, 1);
    let y = y.col_as_slice(0);
    let five = |ridge: &Ridge<OnKernel<Rbf>>| within(ridge, (&x, y), MemoryBudget::mebibytes(5));
    assert!(matches!(five(&direct(1e-5)), Err(Error::Gram(GramError::Budget { .. }))));
    let found = five(&cg(1e-5)).unwrap();
    assert_eq!(found.report().status, Status::Converged, "{}", found.report());
    let stored = five(&cg(1e-5).stored(true));
    assert!(matches!(stored, Err(Error::Gram(GramError::Budget { .. }))));
    let high = five(&cg(1e-5).rank(500));
    assert!(matches!(high, Err(Error::Gram(GramError::Budget { .. }))));
    let none = within(&cg(1e-5), (&x, y), MemoryBudget::bytes(1000));
    assert!(matches!(none, Err(Error::Gram(GramError::Budget { .. }))));
}

#[test]
fn same_bits_for_any_number_of_threads() {
    fn run<T: Scalar>(stored: bool) -> Mat<T>
    where
        Rbf: Mercer<Samples<T>>,
    {
        let (x, y) = problem::<T>(700, 3, 2);
        let ridge = cg(1e-5).intercept(true).stored(stored);
        let model = learn(&ridge, &data((&x, &y), Some(&weights(700))));
        model.decision().coefficients().to_owned()
    }
    let all = || (run::<f64>(true), run::<f64>(false), run::<f32>(true), run::<f32>(false));
    let one = kern_gram::sequentially(all);
    for threads in [1, 2, 8] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        assert!(pool.install(all) == one, "{threads} threads");
    }
}

#[test]
fn a_preconditioner_saves_the_iterations_that_are_predicted() {
    let (x, y) = problem::<f64>(1500, 5, 1);
    let (n, lambda) = (1500.0, 1e-5);
    let kernel = Laplacian::new(0.7).unwrap();
    let ridge = Ridge::on_kernel(kernel).lambda(lambda).solver(RidgeSolver::ConjugateGradients);
    let mut factor = kern_approx::PivotedCholesky::of_points(&kernel, &x, 0).unwrap();
    for rank in [50, 100, 200, 400] {
        factor.grow(rank).unwrap();
        let left: f64 = factor.residual().iter().sum();
        // 0.7·√(tr/nλ) for a relative residual of 1e-6, whose square is the relative gap.
        let predicted = 0.7 * (left / (n * lambda)).sqrt();
        let found = fit(&ridge.clone().rank(rank).tolerance(1e-12), (&x, &y));
        let needed = found.report().iterations as f64;
        println!("rank {rank}: predicted {predicted:.1}, needed {needed}");
        assert!(needed < 3.0 * predicted.max(2.0) && predicted < 3.0 * needed, "{rank}");
    }
    // What the planner chooses by itself takes few.
    let found = fit(&ridge, (&x, &y));
    assert!(found.report().iterations <= 60, "{}", found.report());
}

#[test]
fn no_more_iterations_than_allowed_and_said_so() {
    let (x, y) = problem::<f64>(400, 3, 1);
    for most in [1, 7, 31] {
        let found = fit(&cg(1e-8).rank(0).max_iterations(most).tolerance(1e-20), (&x, &y));
        let report = found.report();
        assert_eq!((report.status, report.iterations), (Status::IterationsDone, most));
        assert!(relative_gap(report) > 1e-20 && report.gap.unwrap().is_finite());
    }
    let error = cg(1e-6).max_iterations(0).fit(&x, y.col_as_slice(0)).unwrap_err();
    assert!(matches!(error, Error::Count { name: "max_iterations", given: 0, .. }));
    let negative = cg(1e-6).tolerance(-1.0).fit(&x, y.col_as_slice(0));
    assert!(matches!(negative, Err(Error::Core(_))));
}

#[test]
fn a_gap_that_rounding_does_not_allow_is_a_stall() {
    let (x, y) = problem::<f64>(300, 2, 1);
    let found = fit(&cg(1e-4).tolerance(1e-40), (&x, &y));
    let report = found.report();
    assert_eq!(report.status, Status::Stalled, "{report}");
    assert!(report.iterations < 1000 && relative_gap(report) < 1e-20, "{report}");
}

#[test]
fn hostile_inputs() {
    let fit_one = |x: &Samples<f64>, y: &[f64], lambda: f64| cg(lambda).intercept(true).fit(x, y);
    let (x, y) = problem::<f64>(200, 2, 1);
    let y = y.col_as_slice(0);
    // λ at the rounding of K: a certificate that tells, whatever the status.
    for lambda in [1e-14, 1e-300, 1e300] {
        let report = fit_one(&x, y, lambda).unwrap().report().clone();
        let honest = match report.status {
            Status::Converged => relative_gap(&report) <= 1e-10,
            Status::Stalled | Status::IterationsDone => true,
            _ => false,
        };
        assert!(honest && report.gap.unwrap() >= 0.0 && report.iterations <= 1000, "{report}");
    }
    // All points equal: K is of rank one.
    let same = Samples::from_row_major(2, vec![0.5; 400]).unwrap();
    let model = fit_one(&same, y, 1e-3).unwrap();
    assert_eq!(model.report().status, Status::Converged);
    let mean = y.iter().sum::<f64>() / 200.0;
    assert!((model.predict(&same).unwrap()[7] - mean).abs() < 1e-8);
    // One point; zero and constant targets.
    let one = Samples::from_rows(&[[1.0, 2.0]]).unwrap();
    assert!((fit_one(&one, &[3.0], 0.5).unwrap().predict(&one).unwrap()[0] - 3.0).abs() < 1e-14);
    let zero = fit_one(&x, &[0.0; 200], 1e-3).unwrap();
    assert_eq!((zero.report().status, zero.report().objective), (Status::Converged, 0.0));
    let constant = fit_one(&x, &[5.0; 200], 1e-3).unwrap();
    assert!((constant.predict(&x).unwrap()[0] - 5.0).abs() < 1e-12);
    // What is not finite.
    let mut hole = y.to_vec();
    hole[3] = f64::NAN;
    assert!(matches!(fit_one(&x, &hole, 1e-3), Err(Error::NotFinite { point: 3, .. })));
    assert!(matches!(fit_one(&x, y, 0.0), Err(Error::Core(_))));
    assert!(matches!(fit_one(&x, &y[1..], 1.0), Err(Error::Length { .. })));
    let none = Mat::<f64>::zeros(200, 0);
    let nothing = cg(1e-6).fit(&x, &none).unwrap();
    assert_eq!(nothing.report().status, Status::Converged);
}

#[test]
fn kernels_that_are_zero_or_not_finite() {
    let (x, y) = problem::<f64>(50, 2, 1);
    let y = y.col_as_slice(0);
    let with = |value: f64| {
        let kernel = AssumeMercer(FnKernel::new(move |_: &[f64], _: &[f64]| value));
        Ridge::on_kernel(kernel).lambda(1e-2).solver(RidgeSolver::ConjugateGradients).fit(&x, y)
    };
    let zero = with(0.0).unwrap();
    assert_eq!(zero.report().status, Status::Converged);
    assert!(zero.predict(&x).unwrap()[0].abs() < 1e-300);
    assert!(with(f64::NAN).is_err());
    assert!(with(f64::INFINITY).is_err());
    assert!(with(-1.0).is_err());
    assert_eq!(with(2.0).unwrap().report().status, Status::Converged);
}

#[test]
fn auto_is_cholesky_for_few_points_and_an_exact_way_for_more() {
    let (x, y) = problem::<f64>(500, 3, 1);
    let ridge = Ridge::on_kernel(rbf()).lambda(1e-4);
    let (auto, direct) = (fit(&ridge, (&x, &y)), fit(&direct(1e-4), (&x, &y)));
    assert_eq!(auto.decision().coefficients(), direct.decision().coefficients());
    // What does not fit is iterated.
    let tight = within(&ridge, (&x, y.col_as_slice(0)), MemoryBudget::bytes(300_000)).unwrap();
    let report = tight.report();
    assert!(report.iterations > 1 && report.status == Status::Converged, "{report}");

    let (x, y) = problem::<f64>(2200, 3, 1);
    let auto = fit(&ridge, (&x, &y));
    assert_eq!(auto.report().status, Status::Converged);
    assert!(relative_gap(auto.report()) <= 1e-10, "{}", auto.report());
    let run = Run::new().memory(BUDGET);
    let points = Data::unlabelled(&x).unwrap();
    let plan = ridge.plan(&points, 1, &run).unwrap();
    assert!(plan.predictions().iter().all(Prediction::fits), "{plan}");
    let smallest = plan.predictions().iter().map(Prediction::seconds).fold(f64::INFINITY, f64::min);
    let chosen = plan.prediction(plan.recommended().unwrap()).unwrap();
    assert!(chosen.seconds() <= smallest);
    let task = ridge.task(&points, 1, &run).unwrap();
    assert!(task.rank() <= 275 && task.iterations() >= 1.0, "{plan}");
}
