//! The smallest ball around most points: its optimum, its promise, and the region that it is where K(x, x) is constant.
#![allow(clippy::unwrap_used, reason = "a test may panic, in its helper functions, too")]

use crate::problem::{Evidence, N, columns, data, rbf, weighted, within};
use crate::real::claim;
use crate::standardised::standardised;
use kern_core::kernels::{Linear, Polynomial, Rbf};
use kern_core::{Identity, Mercer, Points, Samples};
use kern_gram::MemoryBudget;
use kern_solvers::model::{Ball, KernelExpansion, NoveltyDetector};
use kern_solvers::svm::{OneClass, Svdd};
use kern_solvers::{Error, Status};

type Found<K> = NoveltyDetector<Ball<KernelExpansion<Samples<f64>, K>>>;

/// R² + 1/(νn) Σξᵢ of the model, by its own function.
fn objective<K: Mercer<Samples<f64>>>(model: &Found<K>, x: &Samples<f64>, nu: f64) -> f64 {
    let square = model.decision().radius().powi(2);
    let excess = |f: &f64| (-f).max(0.0);
    let values = model.decision_values(x).unwrap();
    let sum: f64 = values.col_as_slice(0).iter().map(excess).sum();
    square + sum / (nu * x.len() as f64)
}

/// The centre's coefficients sum to 1, the report has the objective of the model, and ν bounds outsiders and supports.
fn is_sound<K: Mercer<Samples<f64>>>(model: &Found<K>, x: &Samples<f64>, nu: f64) {
    let (report, n) = (model.report(), x.len() as f64);
    assert_eq!(report.status, Status::Converged, "{report}");
    let ball = model.decision();
    let alpha = ball.products().coefficients();
    assert!((alpha.col(0).iter().sum::<f64>() - 1.0).abs() < 1e-12);
    let most = if nu * n > 1.0 { 1.0 / (nu * n) } else { 1.0 };
    assert!(alpha.col(0).iter().all(|&a| a > 0.0 && a <= most));
    assert_eq!(report.details().widths, [ball.radius()]);
    assert!(report.gap() >= 0.0 && report.gap() <= 1e-6 * report.objective, "{report}");
    assert!((report.objective - report.dual() - report.gap()).abs() < 1e-12 * report.objective);
    if nu * n > 1.0 {
        let own = objective(model, x, nu);
        assert!((own / report.objective - 1.0).abs() < 1e-9, "{own} {report}");
    }
    // ‖a‖², and the distances, from kernel values.
    let kernel = ball.products().kernel();
    let centre = ball.products().points();
    let mut norm = 0.0;
    for i in 0..centre.len() {
        for j in 0..centre.len() {
            norm += alpha[(i, 0)] * alpha[(j, 0)] * kernel.eval(centre.item(i), centre.item(j));
        }
    }
    let distances = ball.distances(x).unwrap();
    let scale = report.objective + norm;
    let mut outside = 0;
    for (i, distance) in distances.iter().enumerate() {
        let terms =
            (0..centre.len()).map(|j| alpha[(j, 0)] * kernel.eval(x.item(i), centre.item(j)));
        let square = kernel.eval(x.item(i), x.item(i)) - 2.0 * terms.sum::<f64>() + norm;
        assert!((square - distance * distance).abs() < 1e-10 * scale);
        outside += usize::from(*distance > ball.radius() * (1.0 + 1e-6));
    }
    assert!(outside as f64 <= nu * n && report.supports() as f64 >= nu * n);
}

#[test]
fn with_a_constant_diagonal_it_is_the_region() {
    let (x, _) = data();
    let far = Samples::from_rows(&[[0.1, 0.4], [5.0, -3.0], [2.0, 2.0]]).unwrap();
    for nu in [0.05, 0.3, 0.8] {
        let ball = Svdd::on_kernel(rbf()).nu(nu).violation(1e-10).fit(&x).unwrap();
        is_sound(&ball, &x, nu);
        let region = OneClass::on_kernel(rbf()).nu(nu).violation(1e-10).fit(&x).unwrap();
        let scale = 2.0 / (nu * N as f64);
        for points in [&x, &far] {
            let (f, g) =
                (region.decision_values(points).unwrap(), ball.decision_values(points).unwrap());
            for i in 0..points.len() {
                assert!((scale * f[(i, 0)] - g[(i, 0)]).abs() < 1e-8, "{nu} {i}");
            }
        }
    }
}

/// Without a constant diagonal the two differ: the ball of a linear kernel is a disc, the region a half-plane.
#[test]
fn elsewhere_it_is_another() {
    let (x, _) = data();
    let x = Samples::from_row_major(2, x.as_slice().iter().map(|v| v + 5.0).collect()).unwrap();
    let ball = Svdd::on_kernel(Linear).nu(0.2).violation(1e-9).fit(&x).unwrap();
    let region = OneClass::on_kernel(Linear).nu(0.2).violation(1e-9).fit(&x).unwrap();
    let far = Samples::from_rows(&[[1e3, 1e3]]).unwrap();
    assert_eq!((ball.predict(&far).unwrap()[0], region.predict(&far).unwrap()[0]), (false, true));
}

#[test]
fn few_columns_and_all_of_them_find_the_same_ball() {
    let (x, _) = data();
    let svdd = Svdd::on_kernel(Polynomial::new(1.0, 1.0, 2).unwrap()).nu(0.2).violation(1e-9);
    let whole = within(&svdd, (&x, ()), (MemoryBudget::mebibytes(64), None)).unwrap();
    let some = within(&svdd, (&x, ()), (columns(16), None)).unwrap();
    is_sound(&whole, &x, 0.2);
    is_sound(&some, &x, 0.2);
    assert!((whole.decision().radius() - some.decision().radius()).abs() < 1e-6);
}

/// A circle through the corners of a triangle with acute angles, and on the longest side of another.
#[test]
fn the_hard_ball_of_few_points_is_known() {
    let acute = Samples::from_rows(&[[0.0, 0.0], [4.0, 0.0], [2.0, 3.0], [2.0, 1.0]]).unwrap();
    let obtuse = Samples::from_rows(&[[0.0, 0.0], [4.0, 0.0], [2.0, 1.0]]).unwrap();
    for nu in [1e-300, 1e-9, 0.1, 0.24] {
        let model = Svdd::on_kernel(Linear).nu(nu).violation(1e-10).fit(&acute).unwrap();
        is_sound(&model, &acute, nu);
        // (0, 0), (4, 0), (2, 3): abc/(4·area).
        assert!((model.decision().radius() - 4.0 * 13.0 / 24.0).abs() < 1e-8, "{nu}");
        let model = Svdd::on_kernel(Linear).nu(nu).violation(1e-10).fit(&obtuse).unwrap();
        assert!((model.decision().radius() - 2.0).abs() < 1e-8, "{nu}");
    }
    let one = Samples::from_rows(&[[3.0, -1.0]]).unwrap();
    let same = Samples::from_rows(&[[3.1, -1.7]; 7]).unwrap();
    let zero = Samples::from_rows(&[[0.0, 0.0]; 3]).unwrap();
    for nu in [0.01, 0.3, 1.0] {
        for points in [&one, &same, &zero] {
            let model = Svdd::on_kernel(Linear).nu(nu).fit(points).unwrap();
            assert_eq!(model.report().status, Status::Converged, "{}", model.report());
            assert!(model.decision().radius() < 1e-6);
            assert!(model.decision().distances(points).unwrap().iter().all(|&d| d < 1e-6));
        }
    }
    let nothing = one.select(&[]).unwrap();
    assert!(matches!(Svdd::on_kernel(Linear).fit(&nothing), Err(Error::Empty)));
    for nu in [0.0, 1.5, f64::NAN] {
        assert!(matches!(Svdd::on_kernel(Linear).nu(nu).fit(&acute), Err(Error::Core(_))));
    }
}

/// Features of the points themselves are the linear kernel's, and so is the ball, from coordinate descent.
#[test]
fn on_features_it_is_the_ball_of_their_kernel() {
    let (x, _) = data();
    let moved = |shift: f64, scale: f64| {
        let values = x.as_slice().iter().map(|v| scale * v + shift).collect();
        Samples::from_row_major(2, values).unwrap()
    };
    let weights: Vec<f64> = (0..N).map(|i| 0.5 + (i % 3) as f64).collect();
    for (points, nu) in [(moved(0.0, 1.0), 0.1), (moved(3.0, 1.0), 0.4), (moved(0.0, 1e4), 0.001)] {
        let exact = Svdd::on_kernel(Linear).nu(nu).violation(1e-9);
        let exact = weighted(&exact, (&points, ()), &weights).unwrap();
        let on = Svdd::on_features(Identity::new(2)).nu(nu).violation(1e-7).seed(3);
        let on = weighted(&on, (&points, ()), &weights).unwrap();
        let (report, expected) = (on.report(), exact.report());
        assert_eq!(report.status, Status::Converged, "{nu}: {report}");
        assert!((report.objective / expected.objective - 1.0).abs() < 1e-5, "{nu}: {report}");
        assert!(report.gap() <= 1e-5 * report.objective);
        let (found, radius) = (on.decision().radius(), exact.decision().radius());
        assert!((found / radius - 1.0).abs() < 1e-4, "{nu}: {found} {radius}");
        let apart = on.decision_values(&points).unwrap() - exact.decision_values(&points).unwrap();
        assert!(apart.norm_max() < 1e-3 * radius * radius, "{nu}");
        assert_eq!(report.details().widths, [found]);
    }
    let same = Samples::from_rows(&[[3.1, -1.7]; 7]).unwrap();
    let model = Svdd::on_features(Identity::new(2)).nu(0.3).fit(&same).unwrap();
    assert!(model.decision().radius() < 1e-5, "{}", model.report());
}

/// With ν = 1 the centre is the mean, and R may be anything up to the least distance.
#[test]
fn all_bounded_the_centre_is_the_mean() {
    let x = Samples::from_rows(&[[1.0, 0.0], [3.0, 0.0], [2.0, 6.0], [-2.0, 2.0]]).unwrap();
    let model = Svdd::on_kernel(Linear).nu(1.0).fit(&x).unwrap();
    let distances = model.decision().distances(&x).unwrap();
    let expected = [(1.0, 0.0), (3.0, 0.0), (2.0, 6.0), (-2.0, 2.0)]
        .map(|(a, b): (f64, f64)| (a - 1.0).hypot(b - 2.0));
    assert!(distances.iter().zip(expected).all(|(d, e)| (d - e).abs() < 1e-12));
    assert!((model.decision().radius() - 2.0).abs() < 1e-12, "{}", model.decision().radius());
    assert_eq!((model.report().bounded(), model.report().supports()), (4, 4));
}

/// Weights are repeated points, and zeros points that are not there.
#[test]
fn weights_are_repetitions() {
    let (x, _) = data();
    let weights: Vec<f64> = (0..N).map(|i| (i % 3) as f64).collect();
    let repeated: Vec<usize> =
        (0..N).flat_map(|i| std::iter::repeat_n(i, weights[i] as usize)).collect();
    let kernel = Polynomial::new(1.0, 1.0, 2).unwrap();
    let svdd = Svdd::on_kernel(kernel).nu(0.3).violation(1e-10);
    let by_weights = weighted(&svdd, (&x, ()), &weights).unwrap();
    let by_points = svdd.fit(&x.select(&repeated).unwrap()).unwrap();
    let (a, b) = (by_weights.report(), by_points.report());
    assert!((a.objective / b.objective - 1.0).abs() < 1e-8);
    let (f, g) = (by_weights.decision_values(&x).unwrap(), by_points.decision_values(&x).unwrap());
    assert!((&f - &g).norm_max() < 1e-6 * b.objective);
}

/// Distances do not depend on the origin, nor does the ball, and its violation is relative to the radius.
#[test]
fn the_ball_moves_and_grows_with_the_points() {
    let (x, _) = data();
    let fit = |shift: f64, scale: f64| {
        let moved = x.as_slice().iter().map(|v| scale * v + shift).collect();
        let moved = Samples::from_row_major(2, moved).unwrap();
        let model = Svdd::on_kernel(Linear).nu(0.1).violation(1e-6).fit(&moved).unwrap();
        assert_eq!(model.report().status, Status::Converged, "{}", model.report());
        (model.decision().radius() / scale, model.report().svm().unwrap().support.len())
    };
    let (radius, supports) = fit(0.0, 1.0);
    for (shift, scale) in [(0.0, 1e-6), (0.0, 1e6), (30.0, 1.0)] {
        let (other, count) = fit(shift, scale);
        assert!((other / radius - 1.0).abs() < 1e-5, "{shift} {scale} {other} {radius}");
        assert!(count.abs_diff(supports) <= 2);
    }
}

/// All 569 rows of breast_cancer with columns of mean 0 and deviation 1.
#[test]
fn it_is_that_of_an_interior_point_method() {
    let (x, _) = standardised("breast_cancer").unwrap();
    fn check<K: Mercer<Samples<f64>> + Clone + std::fmt::Display>(
        kernel: K,
        x: &Samples<f64>,
        golden: &[(f64, f64, f64)],
    ) {
        for &(nu, objective, square) in golden {
            let model = Svdd::on_kernel(kernel.clone()).nu(nu).violation(1e-9).fit(x).unwrap();
            is_sound(&model, x, nu);
            let found = (model.report().objective, model.decision().radius().powi(2));
            let apart = ((found.0 / objective - 1.0).abs(), (found.1 / square - 1.0).abs());
            let what = format!(
                "smallest ball of {kernel}, nu {nu}: cvxopt's objective, {objective}, to 1e-8 of it, and squared radius to 1e-6"
            );
            let measured = format_args!("{}, off by {:.1e} and {:.1e}", found.0, apart.0, apart.1);
            claim(apart.0 < 1e-8 && apart.1 < 1e-6, "breast_cancer", what, measured);
        }
    }
    check(Rbf::new(1.0 / 30.0).unwrap(), &x, &GAUSSIAN);
    check(Linear, &x, &LINEAR);
}

/// ν, the objective and R² by the interior points of cvxopt 1.3.3, for γ = 1/30 and for the linear kernel. They are printed by this
/// program, whose argument is the folder of the data.
const GAUSSIAN: [(f64, f64, f64); 3] = [
    (0.001, 0.9553796451442725, 0.9553796451399855),
    (0.05, 0.9551631259912727, 0.9523462538775441),
    (0.4, 0.8639737650871963, 0.756353134016748),
];
const LINEAR: [(f64, f64, f64); 3] = [
    (0.001, 211.70580475428898, 211.70580475429585),
    (0.05, 125.04924611595013, 82.58486938286602),
    (0.4, 52.70451060037199, 26.49322163847032),
];
//
// import gzip
// import sys
//
// import cvxopt
// import numpy as np
//
// cvxopt.solvers.options.update(abstol=1e-14, reltol=1e-13, feastol=1e-13, show_progress=False, maxiters=300)
//
// with gzip.open(f"{sys.argv[1]}/breast_cancer.csv.gz", "rt") as file:
//     rows = np.loadtxt(file, delimiter=",", skiprows=1)
// x = rows[:, :-1]
// x = (x - x.mean(0)) / x.std(0)
// n = len(x)
// square = ((x[:, None, :] - x[None, :, :]) ** 2).sum(-1)
//
// for name, k in [("GAUSSIAN", np.exp(-square / 30.0)), ("LINEAR", x @ x.T)]:
//     for nu in [1e-3, 0.05, 0.4]:
//         # Hard if nu n is at most 1; a bound of 1 is then none.
//         c = min(1.0, 1.0 / (nu * n))
//         own = np.diag(k).copy()
//         constraints = np.vstack([-np.eye(n), np.eye(n)])
//         bounds = np.concatenate([np.zeros(n), np.full(n, c)])
//         matrices = [2.0 * k, -own, constraints, bounds, np.ones((1, n)), np.ones(1)]
//         found = cvxopt.solvers.qp(*(cvxopt.matrix(m) for m in matrices))
//         alpha = np.array(found["x"]).ravel()
//         distances = own - 2.0 * k @ alpha + alpha @ k @ alpha
//         free = (alpha > 1e-6 * c) & (alpha < (1.0 - 1e-6) * c)
//         print(f"{name} ({nu}, {-found['primal objective']!r}, {distances[free].mean()!r}),",
//               f"// {free.sum()} free, apart by {np.ptp(distances[free]):.1e}, {found['status']}")
