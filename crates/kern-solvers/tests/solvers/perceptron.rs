//! The perceptron: against a naive implementation to the bit, scikit-learn, the bound on mistakes, and every error.
//!
//! Notation: α the coefficients, K the kernel matrix, R² its greatest diagonal entry.
#![allow(clippy::unwrap_used, reason = "a test may panic, in its helper functions, too")]
#![allow(clippy::float_cmp, reason = "exact results are compared exactly")]

use super::classes::{iris, observed, overlapping, within};
use faer::Mat;
use kern_core::kernels::{FnKernel, Linear, Rbf};
use kern_core::{Kernel, Mercer, Points, Samples};
use kern_gram::MemoryBudget;
use kern_solvers::model::{Classifier, KernelExpansion};
use kern_solvers::perceptron::{Budget, Order, Perceptron};
use kern_solvers::svm::Svc;
use kern_solvers::{Details, Error, PerceptronDetails, Progress, Report, Status};
use proptest::prelude::*;
use std::ops::ControlFlow;

/// The outcome of a naive perceptron.
pub(crate) struct Naive {
    pub(crate) alpha: Vec<Vec<f64>>,
    /// The sum of α after every step.
    pub(crate) sum: Vec<Vec<f64>>,
    pub(crate) mistakes: Vec<usize>,
    pub(crate) steps: usize,
}

/// The definition, with f(xᵢ) summed anew at each visit. The order of a pass is that of the points.
pub(crate) fn naive(
    n: usize,
    k: impl Fn(usize, usize) -> f64,
    y: &[usize],
    passes: usize,
) -> Naive {
    let classes = y.iter().max().unwrap() + 1;
    let outputs = if classes == 2 { 1 } else { classes };
    let zeros = vec![vec![0.0; outputs]; n];
    let mut naive = Naive { alpha: zeros.clone(), sum: zeros, mistakes: Vec::new(), steps: 0 };
    while naive.mistakes.len() < passes && naive.mistakes.last() != Some(&0) {
        let mut mistakes = 0;
        for i in 0..n {
            let value = |c| (0..n).map(|j| naive.alpha[j][c] * k(j, i)).sum::<f64>();
            let f: Vec<f64> = (0..outputs).map(value).collect();
            if outputs == 1 {
                let sign = if y[i] == 1 { 1.0 } else { -1.0 };
                if sign * f[0] <= 0.0 {
                    naive.alpha[i][0] += sign;
                    mistakes += 1;
                }
            } else {
                let others = (0..classes).filter(|&c| c != y[i]);
                let rival = others.reduce(|a, b| if f[b] > f[a] { b } else { a }).unwrap();
                if f[y[i]] <= f[rival] {
                    naive.alpha[i][y[i]] += 1.0;
                    naive.alpha[i][rival] -= 1.0;
                    mistakes += 1;
                }
            }
            let terms = naive.sum.iter_mut().flatten().zip(naive.alpha.iter().flatten());
            terms.for_each(|(sum, a)| *sum += a);
            naive.steps += 1;
        }
        naive.mistakes.push(mistakes);
    }
    naive
}

/// The details of perceptrons.
pub(crate) fn details(report: &Report) -> &PerceptronDetails {
    match &report.details {
        Details::Perceptron(details) => details,
        other => panic!("not a perceptron: {other:?}"),
    }
}

/// The coefficients of all n points.
pub(crate) fn all<P: Points<Scalar = f64>, K: Kernel<P>, L: kern_solvers::Label>(
    model: &Classifier<KernelExpansion<P, K>, L>,
    n: usize,
) -> Vec<Vec<f64>> {
    let a = model.decision().coefficients();
    let mut alpha = vec![vec![0.0; a.ncols()]; n];
    for (row, &i) in details(model.report()).support.iter().enumerate() {
        (0..a.ncols()).for_each(|k| alpha[i][k] += a[(row, k)]);
    }
    alpha
}

/// Points of the lattice, whose linear kernel is exact in floating-point arithmetic.
pub(crate) fn lattice(n: usize, classes: usize) -> (Samples<f64>, Vec<usize>) {
    let (x, y) = overlapping(n, classes, 6.0);
    let rows = (0..n).map(|i| [1.0, (8.0 * x.item(i)[0]).round(), (8.0 * x.item(i)[1]).round()]);
    (Samples::from_rows(&rows.collect::<Vec<_>>()).unwrap(), y)
}

pub(crate) fn eval<P: Points<Scalar = f64>>(
    k: &impl Kernel<P>,
    x: &P,
) -> impl Fn(usize, usize) -> f64 {
    move |i, j| k.eval(x.item(i), x.item(j))
}

#[test]
fn alpha_is_that_of_the_definition_to_the_bit() {
    for classes in [2, 3, 5] {
        let (x, y) = lattice(90, classes);
        for (passes, bias) in [(1, false), (2, true), (7, false)] {
            let offset = if bias { 1.0 } else { 0.0 };
            let naive = naive(90, |i, j| offset + eval(&Linear, &x)(i, j), &y, passes);
            for memory in [MemoryBudget::mebibytes(4), MemoryBudget::bytes(3 * 90 * 8)] {
                let memory = if classes == 2 { memory } else { MemoryBudget::mebibytes(4) };
                let perceptron = Perceptron::on_kernel(Linear).max_iterations(passes);
                let perceptron = perceptron.intercept(bias);
                let model = within(&perceptron, (&x, &y), memory).unwrap();
                assert_eq!(all(&model, 90), naive.alpha, "{classes} {passes}");
                let told = details(model.report());
                assert_eq!(told.mistakes_per_pass, naive.mistakes);
                assert_eq!(told.mistakes, naive.mistakes.iter().sum::<usize>());
                let passes = model.report().iterations;
                assert_eq!((told.steps, passes), (naive.steps, naive.mistakes.len()));
                for (k, &b) in model.decision().intercepts().iter().enumerate() {
                    assert_eq!(b, offset * naive.alpha.iter().map(|a| a[k]).sum::<f64>());
                }
                let mean = within(&perceptron.averaged(true), (&x, &y), memory).unwrap();
                for (a, sum) in all(&mean, 90).iter().flatten().zip(naive.sum.iter().flatten()) {
                    let expected = sum / naive.steps as f64;
                    assert!((a - expected).abs() <= 1e-15 * expected.abs(), "{a} {expected}");
                }
                let mistakes = details(mean.report()).mistakes;
                assert_eq!(mistakes, told.mistakes, "the mean does not steer");
            }
        }
    }
}

#[test]
fn reported_norms_and_radii_are_those_of_the_function() {
    let (x, y) = overlapping(80, 3, 6.0);
    let k = Rbf::new(0.7).unwrap();
    let model = Perceptron::on_kernel(k).max_iterations(5).intercept(true).fit(&x, &y).unwrap();
    let alpha = all(&model, 80);
    let mut norm = 0.0;
    for (i, a) in alpha.iter().enumerate() {
        for (j, b) in alpha.iter().enumerate() {
            let k = 1.0 + eval(&k, &x)(i, j);
            norm += k * a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
        }
    }
    assert!((details(model.report()).squared_norm / norm - 1.0).abs() < 1e-12);
    assert_eq!(details(model.report()).squared_radius, 2.0);
}

#[test]
fn the_linear_kernel_is_the_perceptron_on_weights() {
    let (x, y) = lattice(70, 2);
    let model = Perceptron::on_kernel(Linear).max_iterations(6).fit(&x, &y).unwrap();
    let mut w = [0.0; 3];
    for i in (0..6).flat_map(|_| 0..70) {
        let sign = if y[i] == 1 { 1.0 } else { -1.0 };
        let f: f64 = w.iter().zip(x.item(i)).map(|(w, x)| w * x).sum();
        if sign * f <= 0.0 {
            w.iter_mut().zip(x.item(i)).for_each(|(w, x)| *w += sign * x);
        }
    }
    let basis = Samples::from_rows(&[[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]).unwrap();
    let learned = model.decision_values(&basis).unwrap();
    assert_eq!([0, 1, 2].map(|j| learned[(j, 0)]), w);
}

/// scikit-learn 1.9.1, `d = load_iris(); X = d.data[1::5][:, :3]; t = d.target[1::5]`,
/// `Perceptron(shuffle=False, fit_intercept=b, eta0=1, max_iter=m, tol=None).fit(X, t == c)`: its rule is y·f ≤ 0, too.
#[test]
fn weights_are_those_of_scikit_learn() {
    let golden = [
        (0, 100, false, [1.9, 2.6, -4.8], 0.0),
        (0, 100, true, [0.7, 2.8, -7.4], 1.0),
        (2, 7, false, [-4.2, -5.8, 11.8], 0.0),
        (2, 7, true, [-4.2, -5.8, 11.8], -1.0),
        (1, 5, false, [-1.9, -0.5, -4.4], 0.0),
        (1, 5, true, [-1.9, -0.5, -4.4], -1.0),
    ];
    let x = iris();
    let basis = Samples::from_rows(&[[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]).unwrap();
    for (class, passes, bias, weights, intercept) in golden {
        let y: Vec<bool> = (0..30).map(|i| i / 10 == class).collect();
        let perceptron = Perceptron::on_kernel(Linear).max_iterations(passes).intercept(bias);
        let model = perceptron.fit(&x, &y).unwrap();
        let b = model.decision().intercepts()[0];
        let values = model.decision_values(&basis).unwrap();
        assert_eq!(b, intercept, "class {class}");
        for (j, w) in weights.into_iter().enumerate() {
            assert!(
                (values[(j, 0)] - b - w).abs() < 1e-12,
                "class {class}: {}",
                values[(j, 0)] - b
            );
        }
    }
}

/// R²‖f*‖² for an f* with y·f* ≥ 1: the hard-margin support vector machine without a bias, divided by its least margin,
/// which makes up for what its tolerance leaves. Also R²Σα.
pub(crate) fn bounds<K: Mercer<Samples<f64>> + Clone>(
    k: &K,
    x: &Samples<f64>,
    y: &[bool],
) -> [f64; 2] {
    let svm = Svc::on_kernel(k.clone()).c(f64::INFINITY).intercept(false).violation(1e-6);
    let svm = svm.fit(x, y).unwrap();
    let f = svm.decision_values(x).unwrap();
    let margin = |i: usize| if y[i] { f[(i, 0)] } else { -f[(i, 0)] };
    let smallest = (0..x.len()).map(margin).fold(f64::INFINITY, f64::min);
    assert!(smallest > 0.999, "{smallest}");
    let support = svm.decision_values(svm.decision().points()).unwrap();
    let alpha = svm.decision().coefficients();
    let squared_norm: f64 = (0..support.nrows()).map(|i| support[(i, 0)] * alpha[(i, 0)]).sum();
    let sum: f64 = (0..support.nrows()).map(|i| alpha[(i, 0)].abs()).sum();
    let radius = (0..x.len()).map(|i| k.eval(x.item(i), x.item(i))).fold(0.0, f64::max);
    [radius * squared_norm / (smallest * smallest), radius * sum]
}

#[test]
fn mistakes_on_iris_are_within_the_bound_of_novikoff() {
    let x = iris();
    let y: Vec<bool> = (0..30).map(|i| i < 10).collect();
    let rbf = Rbf::new(0.5).unwrap();
    let limits = [bounds(&Linear, &x, &y), bounds(&rbf, &x, &y)].map(|[limit, of_alpha]| {
        assert!((limit / of_alpha - 1.0).abs() < 1e-4, "{limit} {of_alpha}");
        limit
    });
    for seed in 0..10 {
        let order = if seed == 0 { Order::AsGiven } else { Order::Shuffled };
        let linear = Perceptron::on_kernel(Linear).order(order).seed(seed).fit(&x, &y).unwrap();
        let curved = Perceptron::on_kernel(rbf).order(order).seed(seed).fit(&x, &y).unwrap();
        for (report, limit) in [linear.report(), curved.report()].into_iter().zip(limits) {
            assert_eq!(report.status, Status::Converged, "{report}");
            let told = details(report);
            assert_eq!(told.mistakes_per_pass.last(), Some(&0));
            assert!(told.mistakes as f64 <= limit, "{told:?}, at most {limit}");
            // The other half of the proof: ‖f‖² ≤ R²M.
            let most = told.squared_radius * told.mistakes as f64;
            assert!(told.squared_norm <= most * (1.0 + 1e-12));
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]
    #[test]
    fn mistakes_on_separable_points_are_within_the_bound(
        rows in prop::collection::vec(prop::array::uniform3(-1.0..1.0_f64), 4..40),
        normal in prop::array::uniform3(-1.0..1.0_f64),
        seed in 0..1000_u64,
    ) {
        let side = |x: &[f64; 3]| x.iter().zip(&normal).map(|(x, w)| x * w).sum::<f64>();
        let rows: Vec<_> = rows.into_iter().filter(|x| side(x).abs() > 0.1).collect();
        let y: Vec<bool> = rows.iter().map(|x| side(x) > 0.0).collect();
        prop_assume!(y.contains(&true) && y.contains(&false));
        let x = Samples::from_rows(&rows).unwrap();
        let perceptron = Perceptron::on_kernel(Linear).order(Order::Shuffled).seed(seed);
        // R²‖w‖²/0.1² ≤ 3·3·100 mistakes, at least one in each pass but the last.
        let model = perceptron.max_iterations(901).fit(&x, &y).unwrap();
        let report = model.report();
        prop_assert_eq!(report.status, Status::Converged);
        prop_assert!(details(report).mistakes as f64 <= bounds(&Linear, &x, &y)[0]);
        prop_assert_eq!(model.accuracy(&x, &y).unwrap(), 1.0);
    }
}

#[test]
fn what_no_function_separates_ends_with_the_last_pass() {
    // Equal points in different classes.
    let x = Samples::from_rows(&[[1.0], [1.0], [2.0]]).unwrap();
    let model =
        Perceptron::on_kernel(Linear).max_iterations(17).fit(&x, &[true, false, true]).unwrap();
    let report = model.report();
    let told = details(report);
    assert_eq!((report.status, report.iterations, told.steps), (Status::IterationsDone, 17, 51));
    assert!(told.mistakes_per_pass.iter().all(|&made| made > 0), "{told:?}");
    assert_eq!(told.mistakes, told.mistakes_per_pass.iter().sum::<usize>());
    assert_eq!(report.objective, told.mistakes_per_pass[16] as f64 / 3.0);
    // A point that is zero in the feature space is a mistake for ever, and changes nothing.
    let x = Samples::from_rows(&[[0.0], [1.0]]).unwrap();
    for budget in [Budget::None, Budget::Projection { vectors: 2, distance: 0.0 }] {
        let perceptron = Perceptron::on_kernel(Linear).max_iterations(3).budget(budget);
        let model = perceptron.fit(&x, &[true, false]).unwrap();
        assert_eq!(details(model.report()).mistakes_per_pass, [2, 1, 1], "{budget:?}");
        assert_eq!(model.decision_values(&x).unwrap()[(1, 0)], -1.0);
    }
}

#[test]
fn two_classes_are_half_of_the_problem_of_several() {
    let (x, y) = lattice(60, 2);
    let only = Perceptron::on_kernel(Linear).max_iterations(3).fit(&x, &y).unwrap();
    let k = eval(&Linear, &x);
    let mut alpha = vec![[0.0; 2]; 60];
    for i in (0..3).flat_map(|_| 0..60) {
        let f = [0, 1].map(|c| (0..60).map(|j| alpha[j][c] * k(j, i)).sum::<f64>());
        if f[y[i]] <= f[1 - y[i]] {
            alpha[i][y[i]] += 1.0;
            alpha[i][1 - y[i]] -= 1.0;
        }
    }
    let binary = all(&only, 60);
    assert!(alpha.iter().zip(&binary).all(|(both, one)| *both == [-one[0], one[0]]));
}

#[test]
fn three_kinds_of_iris_are_told_apart() {
    let x = iris();
    let y: Vec<&str> = (0..30).map(|i| ["setosa", "versicolor", "virginica"][i / 10]).collect();
    let k = Rbf::new(0.5).unwrap();
    let last = Perceptron::on_kernel(k).max_iterations(1000).fit(&x, &y).unwrap();
    let mean = Perceptron::on_kernel(k).max_iterations(20).averaged(true).fit(&x, &y).unwrap();
    assert_eq!(last.accuracy(&x, &y).unwrap(), 1.0, "{}", last.report());
    assert!(mean.accuracy(&x, &y).unwrap() >= 0.9, "{}", mean.accuracy(&x, &y).unwrap());
    assert_eq!(mean.classes(), ["setosa", "versicolor", "virginica"]);
}

#[test]
fn the_observer_sees_every_pass_and_stops_the_fit() {
    let (x, y) = overlapping(60, 2, 6.0);
    let mut seen = Vec::new();
    let mut observer = |p: &Progress| {
        seen.push((p.iteration, p.loss));
        if p.iteration == 4 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    let perceptron = Perceptron::on_kernel(Linear).max_iterations(9);
    let model = observed(&perceptron, (&x, &y), &mut observer).unwrap();
    assert_eq!(model.report().status, Status::Stopped);
    let told = details(model.report());
    let shares = told.mistakes_per_pass.iter().map(|&made| made as f64 / 60.0);
    assert_eq!(seen, (1..=4).zip(shares).collect::<Vec<_>>());
}

#[test]
fn shuffles_are_those_of_the_seed_and_the_bits_those_of_one_thread() {
    let (x, y) = overlapping(300, 4, 6.0);
    let x = Samples::from_rows(&(0..300).map(|i| [x.item(i)[0], x.item(i)[1]]).collect::<Vec<_>>());
    let x: Samples<f64> = x.unwrap();
    let k = Rbf::new(0.6).unwrap();
    let budgets = [
        Budget::None,
        Budget::Random { vectors: 40 },
        Budget::Oldest { vectors: 40 },
        Budget::ProjectionPlus { vectors: 40, distance: 0.1 },
    ];
    for budget in budgets {
        let fit = |seed: u64, threads: usize| {
            let perceptron =
                Perceptron::on_kernel(k).order(Order::Shuffled).seed(seed).max_iterations(5);
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| perceptron.budget(budget).fit(&x, &y).unwrap())
        };
        let one = fit(1, 1);
        assert_eq!(one, fit(1, 2), "{budget:?}");
        assert_eq!(one, fit(1, 8), "{budget:?}");
        let other = fit(2, 1);
        let [a, b] = [&one, &other].map(|model| &details(model.report()).support);
        assert_ne!(a, b, "{budget:?}");
    }
}

#[test]
fn every_error_says_what_is_wrong() {
    let x = Samples::from_rows(&[[0.0], [1.0], [2.0]]).unwrap();
    let y = [0, 1, 1];
    let new = || Perceptron::on_kernel(Linear);
    let count = |name| Error::Count { name, given: 0, allowed: "at least 1" };
    assert_eq!(new().fit(&x, &[1, 1, 1]).unwrap_err(), Error::OneClass { points: 3 });
    let length = Error::Length { what: "labels", expected: 3, given: 2 };
    assert_eq!(new().fit(&x, &y[..2]).unwrap_err(), length);
    assert_eq!(new().max_iterations(0).fit(&x, &y).unwrap_err(), count("max_iterations"));
    for budget in [Budget::Random { vectors: 0 }, Budget::Projection { vectors: 0, distance: 0.0 }]
    {
        let error = new().budget(budget).fit(&x, &y).unwrap_err();
        assert_eq!(error, count("the budget of support vectors"));
    }
    for distance in [-0.1, f64::NAN, f64::INFINITY] {
        let budget = Budget::ProjectionPlus { vectors: 3, distance };
        assert!(matches!(new().budget(budget).fit(&x, &y), Err(Error::Core(_))));
    }
    let averaged = new().averaged(true).budget(Budget::Oldest { vectors: 2 });
    assert_eq!(averaged.fit(&x, &y).unwrap_err(), Error::AveragedRemoval);
    assert_eq!(averaged.online::<Samples<f64>, _>(&y).unwrap_err(), Error::AveragedRemoval);
    assert_eq!(new().online::<Samples<f64>, _>(&[3]).unwrap_err(), Error::OneClass { points: 1 });
    assert_eq!(new().online::<Samples<f64>, _>(&y).unwrap().model().unwrap_err(), Error::Empty);
    let many: Vec<usize> = (0..3).collect();
    let short = within(&new(), (&x, &many), MemoryBudget::bytes(50)).unwrap_err();
    assert!(matches!(short, Error::Gram(kern_gram::Error::Budget { .. })), "{short}");
}

#[test]
fn kernel_values_that_are_not_finite_are_errors_wherever_they_are() {
    let words: Vec<f64> = vec![1.0, 2.0, 3.0, 4.0];
    let y = [true, false, true, false];
    for bad in [(2.0, 2.0), (1.0, 3.0)] {
        for value in [f64::NAN, f64::INFINITY] {
            let k = FnKernel::new(move |a: &f64, b: &f64| {
                if (a.min(*b), a.max(*b)) == bad { value } else { f64::from(u8::from(a == b)) }
            });
            let k = kern_core::closure::AssumeMercer(k);
            for budget in [Budget::None, Budget::Oldest { vectors: 3 }] {
                let error = Perceptron::on_kernel(&k).budget(budget).fit(&words, &y).unwrap_err();
                let not_finite = matches!(error, Error::Gram(kern_gram::Error::NotFinite { .. }));
                assert!(not_finite, "{bad:?} {budget:?}: {error}");
            }
        }
    }
    // Finite values, of which a difference is not.
    let x = Samples::from_rows(&[[1e154], [1.2e154], [0.9e154]]).unwrap();
    let error = Perceptron::on_kernel(Linear).fit(&x, &[0, 1, 2]).unwrap_err();
    let overflow = matches!(error, Error::Gram(kern_gram::Error::ProductNotFinite { .. }));
    assert!(overflow, "{error}");
}

#[test]
fn single_precision_learns_the_same_integers() {
    let (x, y) = lattice(60, 3);
    let values = x.as_slice().iter().map(|&v| v as f32).collect();
    let single = Samples::from_row_major(3, values).unwrap();
    let model = Perceptron::on_kernel(Linear).max_iterations(4).fit(&x, &y).unwrap();
    let other = Perceptron::on_kernel(Linear).max_iterations(4).fit(&single, &y).unwrap();
    assert_eq!(model.report(), other.report());
    let (a, b) = (model.decision().coefficients(), other.decision().coefficients());
    let b = Mat::from_fn(b.nrows(), b.ncols(), |i, j| f64::from(b[(i, j)]));
    assert_eq!(a, b);
}
