//! Quantile regression against a general solver of quadratic programs, its gap, and curves of several levels.
#![allow(clippy::unwrap_used, reason = "a test may panic, in its helper functions, too")]

use super::problem::{Evidence, N, data, rbf};
use kern_approx::Nystrom;
use kern_core::faer::Mat;
use kern_core::kernels::Rbf;
use kern_core::{Points, Samples};
use kern_solvers::intervals::QuantileCurves;
use kern_solvers::svm::Svr;
use kern_solvers::{Data, Error, Run, Status};

const C: f64 = 3.0;

/// By `cvxopt.solvers.qp` 1.3 with all tolerances 1e-13, for the points and values of `data`, gamma = 0.5, C = 3:
/// minimise ½βᵀKβ − yᵀβ, Σβ = 0, C(τ − 1) ≤ β ≤ Cτ. The level, yᵀβ − ½βᵀKβ, and Kβ + b at every 17th point, where b is the
/// mean of y − Kβ over coefficients between their bounds.
const GOLDEN: [(f64, f64, [f64; 8]); 3] = [
    (
        0.1,
        73.981_213_541_684_04,
        [
            -1.409_081_390_517,
            -1.477_553_199_502,
            -0.085_443_472_965,
            -2.315_315_017_162,
            0.521_622_796_468,
            -3.334_209_914_128,
            1.467_508_843_853,
            -4.102_589_929_079,
        ],
    ),
    (
        0.5,
        178.602_818_790_858_75,
        [
            0.0,
            0.325_664_377_044,
            1.483_522_994_395,
            -0.999_592_719_581,
            1.927_299_146_845,
            -1.961_503_408_510,
            2.777_225_733_046,
            -3.300_283_046_989,
        ],
    ),
    (
        0.9,
        79.748_962_107_241_54,
        [
            0.911_658_876_351,
            1.207_489_765_504,
            2.447_237_078_518,
            -0.622_344_140_216,
            3.045_544_984_194,
            -0.816_189_980_420,
            3.676_382_351_956,
            -1.659_478_202_392,
        ],
    ),
];

/// Σ max(τr, (τ − 1)r).
fn losses(level: f64, y: &[f64], f: &[f64]) -> f64 {
    y.iter().zip(f).map(|(y, f)| (level * (y - f)).max((level - 1.0) * (y - f))).sum()
}

fn machine(level: f64) -> Svr<kern_solvers::space::OnKernel<Rbf>> {
    Svr::on_kernel(rbf()).c(C).quantile(level).violation(1e-10)
}

#[test]
fn quantiles_are_those_of_a_general_solver() {
    let (x, y) = data();
    for (level, dual, values) in GOLDEN {
        let model = machine(level).fit(&x, &y).unwrap();
        let report = model.report();
        assert_eq!(report.status, Status::Converged, "{report}");
        assert!((report.dual() - dual).abs() < 1e-8 * dual, "{report} {dual}");
        let f = model.predict(&x).unwrap();
        for (k, value) in values.iter().enumerate() {
            assert!((f[17 * k] - value).abs() < 1e-7, "{level} {k}: {} {value}", f[17 * k]);
        }
        // The shares on both sides.
        let share = |side: &dyn Fn(f64) -> bool| {
            y.iter().zip(&f).filter(|(y, f)| side(*y - *f)).count() as f64 / N as f64
        };
        assert!(share(&|r| r < -1e-6) <= level && share(&|r| r > 1e-6) <= 1.0 - level);
    }
}

#[test]
fn the_gap_is_that_of_the_loss_as_it_is_defined() {
    let (x, y) = data();
    for level in [0.02, 0.3, 0.75] {
        for most in [5, 40, 100_000] {
            let model = machine(level).max_iterations(most).fit(&x, &y).unwrap();
            let (report, decision) = (model.report(), model.decision());
            let f = model.predict(&x).unwrap();
            let (alpha, centred) =
                (decision.coefficients(), f.iter().map(|f| f - decision.intercepts()[0]));
            let at = decision.points();
            let place = |i: usize| (0..x.len()).find(|&k| x.item(k) == at.item(i)).unwrap();
            let centred: Vec<f64> = centred.collect();
            let energy: f64 = (0..at.len()).map(|i| 0.5 * alpha[(i, 0)] * centred[place(i)]).sum();
            let primal = energy + C * losses(level, &y, &f);
            assert!((primal - report.objective).abs() < 1e-9 * primal, "{primal} {report}");
            assert!(primal - report.dual() <= report.gap() + 1e-9 * primal, "{report}");
            assert!(most < 100_000 || report.gap() < 1e-6 * primal, "{report}");
        }
    }
}

#[test]
fn half_is_the_machine_without_a_tube() {
    let (x, y) = data();
    let median = machine(0.5).fit(&x, &y).unwrap();
    let absolute =
        Svr::on_kernel(rbf()).c(0.5 * C).epsilon(0.0).violation(1e-10).fit(&x, &y).unwrap();
    assert!((median.report().objective - absolute.report().objective).abs() < 1e-9);
}

#[test]
fn landmarks_and_features_find_the_same_quantile() {
    let (x, y) = data();
    let exact = machine(0.8).fit(&x, &y).unwrap();
    let map = Nystrom::new(rbf()).landmarks(N).seed(1);
    let svr = Svr::on_landmarks(map).c(C).quantile(0.8).violation(1e-8);
    let on = svr.fit(&x, &y).unwrap();
    let (a, b) = (exact.report().objective, on.report().objective);
    assert!((a - b).abs() < 1e-4 * a, "{a} {b}");
    let refused = svr.squared(true).fit(&x, &y).unwrap_err();
    assert!(matches!(refused, Error::Unsupported { .. }), "{refused}");
}

#[test]
fn curves_share_a_path_and_are_the_machines_one_by_one() {
    let (x, y) = data();
    let levels = [0.1, 0.5, 0.9];
    let data = Data::new(&x, &y).unwrap();
    let svr = Svr::on_kernel(rbf()).c(C).violation(1e-10);
    let curves = QuantileCurves::learn(&svr, &levels, &data, &mut Run::new()).unwrap();
    let values = curves.predict(&x).unwrap();
    for (j, &level) in levels.iter().enumerate() {
        let alone = machine(level).fit(&x, &y).unwrap().predict(&x).unwrap();
        let off = (0..N).map(|i| (values[(i, j)] - alone[i]).abs()).fold(0.0, f64::max);
        assert!(off < 1e-6, "{level}: {off}");
    }
    // Far from the points nothing keeps curves apart, and close levels cross.
    let close: Vec<f64> = (1..20).map(|k| 0.05 * f64::from(k)).collect();
    let curves = QuantileCurves::learn(&svr, &close, &data, &mut Run::new()).unwrap();
    let far =
        Samples::from_rows(&(0..200).map(|i| [0.05 * f64::from(i) - 5.0, 2.5]).collect::<Vec<_>>());
    let far = far.unwrap();
    let crossings = |values: Mat<f64>| {
        let row =
            |i: usize| (1..values.ncols()).filter(|&j| values[(i, j)] < values[(i, j - 1)]).count();
        (0..values.nrows()).map(row).sum::<usize>()
    };
    assert!(crossings(curves.predict(&far).unwrap()) > 0);
    assert_eq!(crossings(curves.predict_sorted(&far).unwrap()), 0);
}

#[test]
fn levels_that_are_none_are_refused() {
    let (x, y) = data();
    for level in [0.0, 1.0, -0.5, f64::NAN] {
        let refused = machine(level).fit(&x, &y).unwrap_err();
        assert!(refused.to_string().contains("quantile must be a number > 0"), "{refused}");
    }
    let data = Data::new(&x, &y).unwrap();
    for levels in [&[][..], &[0.5, 0.5], &[0.9, 0.1]] {
        let refused = QuantileCurves::learn(&machine(0.5), levels, &data, &mut Run::new());
        assert!(matches!(refused, Err(Error::Count { name: "levels", .. })));
    }
}
