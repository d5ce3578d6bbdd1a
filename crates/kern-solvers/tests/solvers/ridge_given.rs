//! Ridge regression on kernel values that are given: the numbers are those of the points.
#![allow(clippy::unwrap_used, reason = "a test may panic, in its helper functions, too")]

use super::learn::{data, learn, within};
use kern_core::faer::Mat;
use kern_core::kernels::Rbf;
use kern_core::{Error as CoreError, Mercer, Points, Samples, Scalar};
use kern_gram::{
    CrossGram, DenseGram, Error as GramError, GivenPoints, LowRankGram, MemoryBudget, Precomputed,
    PrecomputedGram,
};
use kern_solvers::model::{Classifier, KernelExpansion, Regressor};
use kern_solvers::ridge::{Criterion, Ridge, RidgeSolver};
use kern_solvers::space::OnKernel;
use kern_solvers::{ClassWeights, Error, Run, Status};

const BUDGET: MemoryBudget = MemoryBudget::mebibytes(256);
const N: usize = 300;

fn rbf() -> Rbf {
    Rbf::new(2.0).unwrap()
}

/// Points of a square, and two waves of them.
fn problem<T: Scalar>() -> (Samples<T>, Mat<T>) {
    let unit = |k: usize| (((k as f64 + 0.5) * 12.9898).sin() * 43_758.545_3).rem_euclid(1.0);
    let x: Vec<f64> = (0..2 * N).map(unit).collect();
    let y = Mat::from_fn(N, 2, |i, k| {
        let noise = 0.1 * ((i * (k + 7)) as f64).sin();
        T::from_f64((3.0 * (x[2 * i] + x[2 * i + 1]) + k as f64).sin() + k as f64 + noise)
    });
    (Samples::from_row_major(2, x.into_iter().map(T::from_f64).collect()).unwrap(), y)
}

/// Weights of which every seventh is zero.
fn weights() -> Vec<f64> {
    (0..N).map(|i| if i % 7 == 3 { 0.0 } else { 0.25 + (i % 5) as f64 }).collect()
}

/// The points of which the kernel values are those of `x`, and queries with their values.
fn given<T: Scalar>(x: &Samples<T>, queries: &Samples<T>) -> (GivenPoints<T>, GivenPoints<T>)
where
    Rbf: Mercer<Samples<T>>,
{
    let gram = DenseGram::new(&rbf(), x, &BUDGET).unwrap();
    let cross = CrossGram::new(&rbf(), queries, x).unwrap().to_dense(&BUDGET).unwrap();
    (GivenPoints::of_gram(gram), GivenPoints::of_cross(cross).unwrap())
}

/// Ten queries.
fn queries<T: Scalar>() -> Samples<T> {
    let values = (0..20).map(|k| T::from_f64(0.05 * f64::from(k)));
    Samples::from_row_major(2, values.collect()).unwrap()
}

fn on_points() -> Ridge<OnKernel<Rbf>> {
    Ridge::on_kernel(rbf()).lambda(1e-3).intercept(true)
}

fn on_given() -> Ridge<OnKernel<Precomputed>> {
    Ridge::on_kernel(Precomputed).lambda(1e-3).intercept(true)
}

/// The greatest difference, relative to the greatest entry of the second.
fn difference<T: Scalar>(a: &Mat<T>, b: &Mat<T>) -> f64 {
    ((a - b).norm_max().to_f64()) / b.norm_max().to_f64()
}

fn coefficients_are_those_of_points<T: Scalar>(allowed: f64)
where
    Rbf: Mercer<Samples<T>>,
{
    let ((x, y), queries, weights) = (problem::<T>(), queries::<T>(), weights());
    let (points, asked) = given(&x, &queries);
    for weights in [None, Some(&weights[..])] {
        for solver in [RidgeSolver::Auto, RidgeSolver::Cholesky, RidgeSolver::ConjugateGradients] {
            let direct = learn(&on_points().solver(solver), &data((&x, &y), weights));
            let found = learn(&on_given().solver(solver), &data((&points, &y), weights));
            // A factor is of the same numbers; gradients are of products with tiles of other sizes.
            let (a, b) = (found.decision().coefficients(), direct.decision().coefficients());
            let (a, b) = (a.to_owned(), b.to_owned());
            if solver == RidgeSolver::ConjugateGradients {
                assert!(difference(&a, &b) < 1e3 * allowed, "{weights:?}");
            } else {
                assert!(a == b, "{solver:?} {weights:?}");
                assert_eq!(found.decision().intercepts(), direct.decision().intercepts());
                assert_eq!(found.report(), direct.report());
            }
            let (a, b) = (found.predict(&points).unwrap(), direct.predict(&x).unwrap());
            assert!(difference(&a, &b) < 1e3 * allowed, "{solver:?}: {:e}", difference(&a, &b));
            let (a, b) = (found.predict(&asked).unwrap(), direct.predict(&queries).unwrap());
            assert!(difference(&a, &b) < 1e3 * allowed, "{solver:?}: {:e}", difference(&a, &b));
        }
    }
}

#[test]
fn a_given_gram_matrix_gives_the_coefficients_of_its_points() {
    coefficients_are_those_of_points::<f64>(1e-12);
    coefficients_are_those_of_points::<f32>(1e-6);
}

/// The direct formula for the values at all points, those of weight zero among them.
#[test]
fn all_solvers_find_the_values_that_the_coefficients_stand_for() {
    let (x, y) = problem::<f64>();
    let gram = DenseGram::new(&rbf(), &x, &BUDGET).unwrap();
    let weights = weights();
    let direct = on_points().solver(RidgeSolver::Cholesky);
    let expected = learn(&direct, &data((&x, &y), Some(&weights))).predict(&x).unwrap();
    let points = GivenPoints::of_gram(gram.clone());
    for solver in [RidgeSolver::Auto, RidgeSolver::Cholesky, RidgeSolver::ConjugateGradients] {
        let ridge = on_given().solver(solver).rank(0);
        let found = learn(&ridge, &data((&points, &y), Some(&weights)));
        assert_eq!(found.report().status, Status::Converged);
        // Points of weight zero are not in the model.
        let used: Vec<usize> = (0..N).filter(|&i| weights[i] > 0.0).collect();
        assert_eq!(found.decision().points(), &points.keep(&used).unwrap());
        let alpha = found.decision().coefficients();
        let row = |i: usize, k: usize| {
            let terms = used.iter().enumerate();
            let sum: f64 = terms.map(|(a, &j)| gram.as_mat()[(i, j)] * alpha[(a, k)]).sum();
            sum + found.decision().intercepts()[k]
        };
        let values = Mat::from_fn(N, 2, row);
        assert!(difference(&values, &expected) < 1e-5, "{solver:?}");
        assert!(difference(&found.predict(&points).unwrap(), &values) < 1e-12, "{solver:?}");
    }
}

#[test]
fn what_the_inverse_tells_is_the_same() {
    let ((x, y), weights) = (problem::<f64>(), weights());
    let (points, asked) = given(&x, &queries());
    let (of_x, of_points) = (data((&x, ()), Some(&weights)), data((&points, ()), Some(&weights)));
    let run = Run::new();
    let a = on_points().factor(&of_x, &run).unwrap();
    let b = on_given().factor(&of_points, &run).unwrap();
    assert!(a.leave_one_out(y.as_ref()).unwrap() == b.leave_one_out(y.as_ref()).unwrap());
    // A variance takes K(x, x) of queries, which is not among their values with the points.
    let unknown = b.variance(&asked).unwrap_err();
    assert!(matches!(unknown, Error::Gram(GramError::NotFinite { row: 0, col: 0, .. })));
    let asked = asked.with_diag(&[1.0; 10]).unwrap();
    let (a, b) = (a.variance(&queries()).unwrap(), b.variance(&asked).unwrap());
    assert!(a.iter().zip(&b).all(|(a, b)| (a - b).abs() < 1e-12));

    let a = on_points().decompose(&of_x, &run).unwrap();
    let b = on_given().decompose(&of_points, &run).unwrap();
    assert_eq!(a.eigenvalues(), b.eigenvalues());
    let grid = [1e-6, 1e-3, 1.0];
    let choose = |criterion| {
        let a = a.choose(&grid, y.as_ref(), criterion).unwrap();
        (a, b.choose(&grid, y.as_ref(), criterion).unwrap())
    };
    for (a, b) in [choose(Criterion::LeaveOneOut), choose(Criterion::Gcv)] {
        assert_eq!(a, b);
    }
}

#[test]
fn a_saved_model_has_no_kernel_values_and_predicts_from_those_of_queries() {
    let (x, y) = problem::<f64>();
    let (points, asked) = given(&x, &queries());
    let y = y.col_as_slice(0);
    let model = on_given().fit(&points, y).unwrap();
    let bytes = postcard::to_stdvec(&model).unwrap();
    assert!(bytes.len() < 32 * N, "{} bytes", bytes.len());
    type Model = Regressor<KernelExpansion<GivenPoints<f64>, Precomputed>>;
    let read: Model = postcard::from_bytes(&bytes).unwrap();
    assert!(read == model);
    assert_eq!(read.predict(&asked).unwrap(), model.predict(&asked).unwrap());
    assert_eq!(read.predict(&points).unwrap(), model.predict(&points).unwrap());
    // The points of the model have no values of their own.
    let kept = read.decision().points();
    let error = read.predict(kept).unwrap_err();
    assert!(matches!(error, Error::Gram(GramError::Core(CoreError::Dimension { .. }))), "{error}");
}

#[test]
fn labels_are_learned_with_weights_of_classes() {
    let (x, y) = problem::<f64>();
    let (points, asked) = given(&x, &queries());
    let label = |i: usize| {
        if y[(i, 0)] < -0.5 {
            "low"
        } else if y[(i, 0)] < 0.9 {
            "middle"
        } else {
            "high"
        }
    };
    let labels: Vec<&str> = (0..N).map(label).collect();
    let direct = on_points().class_weights(ClassWeights::Balanced).fit(&x, &labels).unwrap();
    let found = on_given().class_weights(ClassWeights::Balanced).fit(&points, &labels).unwrap();
    assert_eq!(found.decision().coefficients(), direct.decision().coefficients());
    assert_eq!(found.predict(&asked).unwrap(), direct.predict(&queries()).unwrap());
    assert_eq!(found.predict(&points).unwrap(), direct.predict(&x).unwrap());
    assert!(found.accuracy(&points, &labels).unwrap() > 0.5);
    let text = serde_json::to_string(&found).unwrap();
    type Model<'l> = Classifier<KernelExpansion<GivenPoints<f64>, Precomputed>, &'l str>;
    assert!(serde_json::from_str::<Model<'_>>(&text).unwrap() == found);
}

#[test]
fn operators_that_are_not_stored_are_matrices_as_well() {
    let (_, y) = problem::<f64>();
    let z = Mat::from_fn(N, 6, |i, k| ((i * (k + 2)) as f64 * 0.37).sin());
    let features = GivenPoints::of_gram(LowRankGram::new(z.clone()).unwrap());
    let product = PrecomputedGram::symmetrized(&z * z.transpose()).unwrap();
    let stored = GivenPoints::of_gram(product);
    for solver in [RidgeSolver::Cholesky, RidgeSolver::ConjugateGradients] {
        let ridge = on_given().solver(solver).tolerance(1e-24);
        let (a, b) = (ridge.fit(&features, &y).unwrap(), ridge.fit(&stored, &y).unwrap());
        let (a, b) = (a.predict(&features).unwrap(), b.predict(&stored).unwrap());
        assert!(difference(&a, &b) < 1e-10, "{solver:?}: {:e}", difference(&a, &b));
    }
}

#[test]
fn errors_say_what_is_wrong() {
    let (x, y) = problem::<f64>();
    let (points, asked) = given(&x, &queries());
    let short = on_given().fit(&points, y.subrows(0, 10)).unwrap_err();
    assert_eq!(short, Error::Length { what: "targets", expected: N, given: 10 });
    let queries = on_given().fit(&asked, y.subrows(0, 10)).unwrap_err();
    assert!(matches!(queries, Error::Gram(GramError::NotFinite { .. })), "{queries}");
    let cholesky = on_given().solver(RidgeSolver::Cholesky);
    let small = within(&cholesky, (&points, &y), MemoryBudget::mebibytes(0)).unwrap_err();
    assert!(matches!(small, Error::Gram(GramError::Budget { .. })), "{small}");
    let narrow = GivenPoints::of_cross(Mat::<f64>::zeros(2, N - 1)).unwrap();
    let error = on_given().fit(&points, &y).unwrap().predict(&narrow).unwrap_err();
    let what = "kernel values per point";
    let dimension = CoreError::Dimension { what, expected: N, given: N - 1 };
    assert_eq!(error, Error::Gram(GramError::Core(dimension)));
    let indefinite = PrecomputedGram::new(kern_core::faer::mat![[1.0, 2.0], [2.0, 1.0]]).unwrap();
    let indefinite = GivenPoints::of_gram(indefinite);
    let error =
        Ridge::on_kernel(Precomputed).lambda(0.01).fit(&indefinite, &[1.0_f64, 2.0]).unwrap_err();
    assert_eq!(error, Error::NotPositiveDefinite { shift: 0.02, pivot: 1 });
}
