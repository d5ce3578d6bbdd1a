//! Kernel ridge by conjugate gradients: against Cholesky, its certificate, its planner, hostile inputs.
#![allow(clippy::unwrap_used, reason = "a test may panic, in its helper functions, too")]

use kern_core::closure::AssumeMercer;
use kern_core::faer::Mat;
use kern_core::kernels::{FnKernel, Laplacian, Rbf};
use kern_core::{Mercer, Points, Samples, Scalar};
use kern_gram::{CrossGram, DenseGram, Error as GramError, GramOperator, LazyGram, MemoryBudget};
use kern_solvers::model::{KernelModel, MultiRegressor};
use kern_solvers::ridge::{
    ConjugateGradients, KernelRidge, RidgePlan, RidgeRates, RidgeSizes, RidgeSolver, RidgeWay,
};
use kern_solvers::{Error, Report, Status};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

const BUDGET: MemoryBudget = MemoryBudget::mebibytes(256);

/// Points of the unit cube and outputs that are waves of them with a little noise.
fn data<T: Scalar>(n: usize, dim: usize, outputs: usize) -> (Samples<T>, Mat<T>) {
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

fn cg() -> ConjugateGradients {
    ConjugateGradients::new()
}

fn iterated(params: ConjugateGradients) -> RidgeSolver {
    RidgeSolver::ConjugateGradients(params)
}

fn rbf() -> Rbf {
    Rbf::new(2.0).unwrap()
}

type Fitted<T, K> = MultiRegressor<KernelModel<Samples<T>, K>>;

fn fit<T: Scalar, K: Mercer<Samples<T>>>(
    ridge: KernelRidge<K>,
    solver: RidgeSolver,
    (x, y): (&Samples<T>, &Mat<T>),
) -> Fitted<T, K> {
    ridge.solver(solver).budget(BUDGET).fit_outputs(x, y.as_ref()).unwrap()
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
    let (x, y) = data(700, 3, 3);
    let queries = data::<f64>(50, 3, 1).0;
    for (weighted, intercept, stored) in [
        (false, false, true),
        (false, true, false),
        (true, false, false),
        (true, true, true),
        (true, true, false),
    ] {
        for rank in [None, Some(0), Some(60)] {
            let mut ridge = KernelRidge::new(rbf()).lambda(1e-4).intercept(intercept);
            if weighted {
                ridge = ridge.sample_weights(weights(700));
            }
            let mut params = cg().relative_gap(1e-22).stored(stored);
            if let Some(rank) = rank {
                params = params.rank(rank);
            }
            let direct = fit(ridge.clone(), RidgeSolver::Cholesky, (&x, &y));
            let found = fit(ridge, iterated(params), (&x, &y));
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
    let (x, y) = data::<f64>(1500, 4, 2);
    let ridge = KernelRidge::new(rbf()).lambda(1e-6).intercept(true);
    let direct = fit(ridge.clone(), RidgeSolver::Cholesky, (&x, &y));
    let found = fit(ridge, iterated(cg()), (&x, &y));
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
    let (x, y) = data::<f64>(600, 2, 2);
    let lambda = 1e-5;
    let found =
        fit(KernelRidge::new(rbf()).lambda(lambda), iterated(cg().relative_gap(1e-20)), (&x, &y));
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
    let (narrow, y) = data::<f32>(900, 3, 1);
    let wide: Vec<f64> = narrow.as_slice().iter().map(|&v| f64::from(v)).collect();
    let x = Samples::from_row_major(3, wide).unwrap();
    let y_wide = Mat::from_fn(900, 1, |i, _| f64::from(y[(i, 0)]));
    let lambda = 1e-5;
    let ridge = || KernelRidge::new(rbf()).lambda(lambda);
    let truth = fit(ridge(), RidgeSolver::Cholesky, (&x, &y_wide));
    let refreshed = fit(ridge(), iterated(cg().relative_gap(1e-9)), (&narrow, &y));
    let factorised = fit(ridge(), RidgeSolver::Cholesky, (&narrow, &y));
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
    let (x, y) = data::<f32>(800, 3, 1);
    let lambda = 1e-5;
    let found = fit(KernelRidge::new(rbf()).lambda(lambda), iterated(cg()), (&x, &y));
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
    let (x, y) = data::<f64>(3000, 4, 1);
    let y = y.col_as_slice(0);
    let ridge = KernelRidge::new(rbf()).lambda(1e-5).budget(MemoryBudget::mebibytes(5));
    let direct = ridge.clone().solver(RidgeSolver::Cholesky).fit(&x, y);
    assert!(matches!(direct, Err(Error::Gram(GramError::Budget { .. }))));
    let found = ridge.clone().solver(iterated(cg())).fit(&x, y).unwrap();
    assert_eq!(found.report().status, Status::Converged, "{}", found.report());
    let stored = ridge.clone().solver(iterated(cg().stored(true))).fit(&x, y);
    assert!(matches!(stored, Err(Error::Gram(GramError::Budget { .. }))));
    let high = ridge.clone().solver(iterated(cg().rank(500))).fit(&x, y);
    assert!(matches!(high, Err(Error::Gram(GramError::Budget { .. }))));
    let none = ridge.budget(MemoryBudget::bytes(1000)).solver(iterated(cg())).fit(&x, y);
    assert!(matches!(none, Err(Error::Gram(GramError::Budget { .. }))));
}

#[test]
fn same_bits_for_any_number_of_threads() {
    fn run<T: Scalar>(stored: bool) -> Mat<T>
    where
        Rbf: Mercer<Samples<T>>,
    {
        let (x, y) = data::<T>(700, 3, 2);
        let ridge = KernelRidge::new(rbf()).lambda(1e-5).intercept(true);
        let ridge = ridge.sample_weights(weights(700));
        let model = fit(ridge, iterated(cg().stored(stored)), (&x, &y));
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
    let (x, y) = data::<f64>(1500, 5, 1);
    let (n, lambda) = (1500.0, 1e-5);
    let kernel = Laplacian::new(0.7).unwrap();
    let mut factor = kern_approx::PivotedCholesky::of_points(&kernel, &x, 0).unwrap();
    for rank in [50, 100, 200, 400] {
        factor.grow(rank).unwrap();
        let left: f64 = factor.residual().iter().sum();
        // 0.7·√(tr/nλ) for a relative residual of 1e-6, whose square is the relative gap.
        let predicted = 0.7 * (left / (n * lambda)).sqrt();
        let params = cg().rank(rank).relative_gap(1e-12);
        let found = fit(KernelRidge::new(kernel).lambda(lambda), iterated(params), (&x, &y));
        let needed = found.report().iterations as f64;
        println!("rank {rank}: predicted {predicted:.1}, needed {needed}");
        assert!(needed < 3.0 * predicted.max(2.0) && predicted < 3.0 * needed, "{rank}");
    }
    // What the planner chooses by itself takes few.
    let found = fit(KernelRidge::new(kernel).lambda(lambda), iterated(cg()), (&x, &y));
    assert!(found.report().iterations <= 60, "{}", found.report());
}

#[test]
fn no_more_iterations_than_allowed_and_said_so() {
    let (x, y) = data::<f64>(400, 3, 1);
    for most in [1, 7, 31] {
        let params = cg().rank(0).max_iterations(most).relative_gap(1e-20);
        let found = fit(KernelRidge::new(rbf()).lambda(1e-8), iterated(params), (&x, &y));
        let report = found.report();
        assert_eq!((report.status, report.iterations), (Status::IterationsDone, most));
        assert!(relative_gap(report) > 1e-20 && report.gap.unwrap().is_finite());
    }
    let none = KernelRidge::new(rbf()).solver(iterated(cg().max_iterations(0)));
    let error = none.fit(&x, y.col_as_slice(0)).unwrap_err();
    assert!(matches!(error, Error::Count { name: "the number of iterations", given: 0, .. }));
    let negative = KernelRidge::new(rbf()).solver(iterated(cg().relative_gap(-1.0)));
    assert!(matches!(negative.fit(&x, y.col_as_slice(0)), Err(Error::Core(_))));
}

#[test]
fn a_gap_that_rounding_does_not_allow_is_a_stall() {
    let (x, y) = data::<f64>(300, 2, 1);
    let params = cg().relative_gap(1e-40);
    let found = fit(KernelRidge::new(rbf()).lambda(1e-4), iterated(params), (&x, &y));
    let report = found.report();
    assert_eq!(report.status, Status::Stalled, "{report}");
    assert!(report.iterations < 1000 && relative_gap(report) < 1e-20, "{report}");
}

#[test]
fn hostile_inputs() {
    let fit_one = |x: &Samples<f64>, y: &[f64], lambda: f64| {
        KernelRidge::new(rbf()).lambda(lambda).intercept(true).solver(iterated(cg())).fit(x, y)
    };
    let (x, y) = data::<f64>(200, 2, 1);
    let y = y.col_as_slice(0);
    // λ at the rounding of K: a certificate that tells, whatever the status.
    for lambda in [1e-14, 1e-300, 1e300] {
        let report = *fit_one(&x, y, lambda).unwrap().report();
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
    let nothing = KernelRidge::new(rbf()).solver(iterated(cg())).fit_outputs(&x, none.as_ref());
    assert_eq!(nothing.unwrap().report().status, Status::Converged);
}

#[test]
fn kernels_that_are_zero_or_not_finite() {
    let (x, y) = data::<f64>(50, 2, 1);
    let y = y.col_as_slice(0);
    let with = |value: f64| {
        let kernel = AssumeMercer(FnKernel::new(move |_: &[f64], _: &[f64]| value));
        KernelRidge::new(kernel).lambda(1e-2).solver(iterated(cg())).fit(&x, y)
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
fn plans_are_sensible() {
    let rates = RidgeRates { kernel_value: 2e-9, flop: 5e-11, number: 1e-9 };
    let plan = |points, rank, iterations, budget| {
        let sizes = RidgeSizes { points, columns: 1, double: true, rank, iterations };
        RidgePlan::new(&sizes, &rates, &MemoryBudget::mebibytes(budget)).unwrap()
    };
    let plenty = 1 << 20;
    // n³/3·f = 0.45 s against some 50 passes of 9e6·0.5 ns.
    let small = plan(3000, 50, 3000.0, plenty);
    assert_eq!(small.chosen(), RidgeWay::Cholesky);
    assert_eq!(plan(30_000, 500, 50.0, plenty).chosen(), RidgeWay::StoredGradients);
    assert_eq!(plan(30_000, 500, 50.0, 1024).chosen(), RidgeWay::RecomputedGradients);
    assert_eq!(plan(30_000, 500, 1e6, plenty).chosen(), RidgeWay::Cholesky);
    // n³/3 flops and two passes; the formula, by hand.
    let [direct, stored, recomputed] = small.predictions() else { panic!("three ways") };
    assert!((direct.seconds - (9e6 * 2e-9 + 9e9 * 5e-11)).abs() < 1e-12);
    assert_eq!(direct.bytes, 3000 * 3000 * 8);
    let factor = 150_000.0 * 2e-9 + (1.5e7 + 125_000.0 / 3.0) * 5e-11;
    let each = 4.5e6 * 2e-9 + 1.8e7 * 5e-11 + 300_000.0 * 1e-9;
    let expected = 4.5e6 * 2e-9 + factor + 3000.0 * each;
    assert!((recomputed.seconds - expected).abs() < 1e-9 * expected);
    assert!(stored.seconds < recomputed.seconds && stored.bytes < direct.bytes);
    let text = small.to_string();
    assert!(text.contains("> Cholesky") && text.lines().count() == 4, "{text}");
    let sizes = RidgeSizes { points: 10, columns: 1, double: true, rank: 1, iterations: f64::NAN };
    assert!(RidgePlan::new(&sizes, &rates, &BUDGET).is_err());
}

#[test]
fn auto_is_cholesky_for_few_points_and_an_exact_way_for_more() {
    let (x, y) = data::<f64>(500, 3, 1);
    let ridge = KernelRidge::new(rbf()).lambda(1e-4);
    let auto = fit(ridge.clone(), RidgeSolver::Auto, (&x, &y));
    let direct = fit(ridge.clone(), RidgeSolver::Cholesky, (&x, &y));
    assert_eq!(auto.decision().coefficients(), direct.decision().coefficients());
    // What does not fit is iterated.
    let tight = ridge.clone().budget(MemoryBudget::bytes(300_000)).fit(&x, y.col_as_slice(0));
    let report = *tight.unwrap().report();
    assert!(report.iterations > 1 && report.status == Status::Converged, "{report}");

    let (x, y) = data::<f64>(2200, 3, 1);
    let auto = fit(ridge.clone(), RidgeSolver::Auto, (&x, &y));
    assert_eq!(auto.report().status, Status::Converged);
    assert!(relative_gap(auto.report()) <= 1e-10, "{}", auto.report());
    let plan = ridge.budget(BUDGET).plan(&x, 1).unwrap();
    assert!(plan.predictions().iter().all(|prediction| prediction.fits), "{plan}");
    let least = plan.predictions().iter().map(|p| p.seconds).fold(f64::INFINITY, f64::min);
    let chosen = plan.predictions().iter().find(|p| p.way == plan.chosen()).unwrap();
    assert!(chosen.seconds <= least);
    assert!(plan.sizes().rank <= 275 && plan.sizes().iterations >= 1.0, "{plan}");
}

#[test]
fn a_given_gram_matrix_gives_the_coefficients_of_its_points() {
    let (x, y) = data::<f64>(300, 2, 2);
    let gram = DenseGram::new(&rbf(), &x, &BUDGET).unwrap();
    let direct = KernelRidge::new(rbf()).lambda(1e-3).intercept(true).sample_weights(weights(300));
    let direct = fit(direct, RidgeSolver::Cholesky, (&x, &y));
    // Points of weight zero are not in the model of points; the values at all points are the same.
    let expected = direct.predict(&x).unwrap();
    for solver in [RidgeSolver::Auto, RidgeSolver::Cholesky, iterated(cg().rank(0))] {
        let ridge = KernelRidge::precomputed().lambda(1e-3).intercept(true).budget(BUDGET);
        let ridge = ridge.sample_weights(weights(300)).solver(solver.clone());
        let found = ridge.fit_gram(&gram, y.as_ref()).unwrap();
        let alpha = found.coefficients();
        assert_eq!((found.report().status, alpha[(3, 0)]), (Status::Converged, 0.0));
        let mut values = gram.as_mat() * alpha;
        for k in 0..2 {
            values.col_as_slice_mut(k).iter_mut().for_each(|v| *v += found.intercepts()[k]);
        }
        assert!(difference(&values, &expected) < 1e-5, "{solver:?}");
    }
    let short = KernelRidge::precomputed().fit_gram(&gram, y.subrows(0, 10));
    assert!(matches!(short, Err(Error::Length { .. })));
}
