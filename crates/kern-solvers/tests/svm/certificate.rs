//! The certificates of reports belong to the functions of models: objective and gap are computed once more from support
//! vectors, coefficients, intercepts and kernel values alone, in double precision, one by one.
#![allow(clippy::unwrap_used, reason = "a test may panic, in its helper functions, too")]

use super::problem::{Evidence, N, data, weighted};
use faer::Mat;
use kern_approx::Nystrom;
use kern_core::kernels::Rbf;
use kern_core::{Identity, Kernel, Points, Samples, Scalar};
use kern_gram::{CrossGram, MemoryBudget};
use kern_solvers::model::{FeatureExpansion, KernelExpansion};
use kern_solvers::svm::{OneClass, Svc, Svr};
use kern_solvers::{MultiClass, Report, Run, Status};
use std::ops::ControlFlow;

/// ½‖f‖² of each function, and its values with the intercept at all points.
type Function = (Vec<f64>, Vec<Vec<f64>>);

fn rbf() -> Rbf {
    Rbf::new(0.5).unwrap()
}

/// Kernel values are those of the type of the points: in double precision one by one, in single precision in blocks, whose
/// values differ from single ones by a rounding. Sums are in double precision.
fn of_kernel<T: Scalar>(f: &KernelExpansion<Samples<T>, Rbf>, x: &Samples<T>) -> Function {
    let (beta, support) = (f.coefficients(), f.points());
    let budget = MemoryBudget::mebibytes(1);
    let values = |a: &Samples<T>| {
        let blocks = CrossGram::new(f.kernel(), a, support).unwrap().to_dense(&budget).unwrap();
        let one = |i, j| Kernel::<Samples<T>>::eval(f.kernel(), a.item(i), support.item(j));
        let double = size_of::<T>() == size_of::<f64>();
        let value = |i, j| if double { one(i, j) } else { blocks[(i, j)] };
        Mat::from_fn(a.len(), support.len(), |i, j| value(i, j).to_f64())
    };
    let (all, own) = (values(x), values(support));
    let value = |k: &Mat<f64>, i: usize, output: usize| -> f64 {
        (0..support.len()).map(|j| beta[(j, output)].to_f64() * k[(i, j)]).sum()
    };
    let energy = |output: usize| -> f64 {
        let term = |i| 0.5 * beta[(i, output)].to_f64() * value(&own, i, output);
        (0..support.len()).map(term).sum()
    };
    let with = |output: usize| {
        let b = f.intercepts()[output].to_f64();
        (0..x.len()).map(|i| value(&all, i, output) + b).collect()
    };
    let outputs = 0..beta.ncols();
    (outputs.clone().map(energy).collect(), outputs.map(with).collect())
}

fn of_features<T: Scalar>(f: &FeatureExpansion<Identity, T>, x: &Samples<T>) -> Function {
    let w = f.weights();
    let energy = |k: usize| w.col(k).iter().map(|w| 0.5 * w.to_f64() * w.to_f64()).sum();
    let value = |i: usize, k: usize| -> f64 {
        let terms = w.col(k).iter().zip(x.item(i)).map(|(w, x)| w.to_f64() * x.to_f64());
        terms.sum::<f64>() + f.intercepts()[k].to_f64()
    };
    let with = |k: usize| (0..x.len()).map(|i| value(i, k)).collect();
    ((0..w.ncols()).map(energy).collect(), (0..w.ncols()).map(with).collect())
}

fn single(x: &Samples<f64>) -> Samples<f32> {
    let rows: Vec<Vec<f32>> =
        (0..x.len()).map(|i| x.item(i).iter().map(|&v| v as f32).collect()).collect();
    Samples::from_rows(&rows).unwrap()
}

fn weights() -> Vec<f64> {
    (0..N).map(|i| 0.3 + (i % 4) as f64 * 0.7).collect()
}

fn classes() -> Vec<usize> {
    data().1.into_iter().map(|v| ((v + 6.0) / 12.0 * 6.0 - 1.5).clamp(0.0, 2.5) as usize).collect()
}

/// Report and recomputed objective agree, and so do the gaps, to the rounding of double precision at this scale and to
/// `slack`.
fn agrees(report: &Report, objective: f64, (scale, slack): (f64, f64), what: &str) {
    let rounding = 1e-11 * scale + slack;
    let off = report.objective - objective;
    assert!(off.abs() <= rounding, "{what}: {off:e}, not {rounding:e}: {report}");
    let off = report.gap() - (objective - report.dual());
    assert!(off.abs() <= rounding, "{what}: {off:e}, not {rounding:e}: {report}");
    assert!(report.gap() >= 0.0, "{what}: {report}");
}

/// The objective may be off by that, since rounding of the coefficients of a model to single precision is left out of account
/// if it moves values by less than a thousandth of the violation that is allowed.
fn slack<T: Scalar>(_: &Samples<T>, c: f64, violation: f64) -> f64 {
    let double = size_of::<T>() == size_of::<f64>();
    if double { 0.0 } else { 1e-3 * violation * c * weights().iter().sum::<f64>() }
}

/// The signs of the points in each binary problem; 0 for points that are not in it.
fn problems(y: &[usize], pairs: bool) -> Vec<Vec<f64>> {
    let binary = |first: Option<usize>, second: usize| -> Vec<f64> {
        let sign = |&y: &usize| match first {
            _ if y == second => 1.0,
            Some(first) if y != first => 0.0,
            _ => -1.0,
        };
        y.iter().map(sign).collect()
    };
    let count = y.iter().max().unwrap() + 1;
    match (count, pairs) {
        (2, _) => vec![binary(None, 1)],
        (_, false) => (0..count).map(|c| binary(None, c)).collect(),
        (_, true) => (0..count)
            .flat_map(|a| (a + 1..count).map(move |b| (a, b)))
            .map(|(a, b)| binary(Some(a), b))
            .collect(),
    }
}

/// ½‖f‖² + Σ Cwᵢ max(0, 1 − yᵢf(xᵢ)), or of the squares, summed over problems.
fn hinge((energies, values): &Function, signs: &[Vec<f64>], c: f64, squared: bool) -> f64 {
    let of = |((energy, f), signs): ((&f64, &Vec<f64>), &Vec<f64>)| -> f64 {
        let loss = |((f, &y), w): ((&f64, &f64), f64)| {
            let xi = if y == 0.0 { 0.0 } else { (1.0 - y * f).max(0.0) };
            c * w * if squared { xi * xi } else { xi }
        };
        energy + f.iter().zip(signs).zip(weights()).map(loss).sum::<f64>()
    };
    energies.iter().zip(values).zip(signs).map(of).sum()
}

/// Violations of the default, of a fine one, and steps that are cut off.
const STOPS: [(f64, usize); 3] = [(1e-3, usize::MAX), (1e-7, usize::MAX), (1e-9, 30)];

macro_rules! classification {
    ($x:expr, $what:expr) => {{
        let x = $x;
        for y in [classes(), classes().iter().map(|&c| usize::from(c > 1)).collect()] {
            for (violation, most) in STOPS {
                for multi in [MultiClass::OneVsOne, MultiClass::OneVsRest] {
                    for (c, intercept) in [(0.1, true), (7.0, true), (7.0, false)] {
                        let what =
                            format!("{}, {multi:?}, C = {c}, {violation} {intercept}", $what);
                        let svc =
                            Svc::on_kernel(rbf()).c(c).multi_class(multi).intercept(intercept);
                        let svc = svc.violation(violation).max_iterations(most);
                        let model = weighted(&svc, (x, &y), &weights()).unwrap();
                        let signs = problems(&y, multi == MultiClass::OneVsOne);
                        let objective = hinge(&of_kernel(model.decision(), x), &signs, c, false);
                        let slack = signs.len() as f64 * slack(x, c, violation);
                        agrees(model.report(), objective, (objective, slack), &what);
                        for squared in [false, true] {
                            let svc = Svc::on_features(Identity::new(2)).c(c).multi_class(multi);
                            let svc = svc.intercept(intercept).squared(squared);
                            let svc = svc.violation(violation).max_iterations(most);
                            let model = weighted(&svc, (x, &y), &weights()).unwrap();
                            let function = of_features(model.decision(), x);
                            let objective = hinge(&function, &signs, c, squared);
                            agrees(
                                model.report(),
                                objective,
                                (objective, 0.0),
                                &format!("{what} {squared}"),
                            );
                        }
                    }
                }
            }
        }
    }};
}

#[test]
fn of_classification() {
    let (x, _) = data();
    classification!(&x, "double");
    classification!(&single(&x), "single");
}

/// ½‖f‖² + Σ Cwᵢ max(0, |yᵢ − f(xᵢ)| − ε), or of the squares.
fn tube((energies, values): &Function, y: &[f64], (c, epsilon): (f64, f64), squared: bool) -> f64 {
    let loss = |((f, y), w): ((&f64, &f64), f64)| {
        let xi = ((f - y).abs() - epsilon).max(0.0);
        c * w * if squared { xi * xi } else { xi }
    };
    energies[0] + values[0].iter().zip(y).zip(weights()).map(loss).sum::<f64>()
}

macro_rules! regression {
    ($x:expr, $y:expr, $what:expr) => {{
        let (x, y) = ($x, $y);
        let wide: Vec<f64> = y.iter().map(|y| y.to_f64()).collect();
        let total: f64 = weights().iter().sum();
        for (violation, most) in STOPS {
            for (c, epsilon) in [(0.1, 0.1), (7.0, 0.3), (7.0, 0.0)] {
                let what = format!("{}, C = {c}, {epsilon}, {violation}", $what);
                let svr = Svr::on_kernel(rbf()).c(c).violation(violation).max_iterations(most);
                let model = weighted(&svr.clone().epsilon(epsilon), (x, y), &weights()).unwrap();
                let function = of_kernel(model.decision(), x);
                let objective = tube(&function, &wide, (c, epsilon), false);
                let off = slack(x, c, violation);
                agrees(model.report(), objective, (objective, off), &what);
                let model = weighted(&svr.nu(0.3), (x, y), &weights()).unwrap();
                let width = model.report().details().widths[0];
                let function = of_kernel(model.decision(), x);
                // The least the tube may be is 0, of which the dual knows nothing.
                let objective = c * 0.3 * total * width + tube(&function, &wide, (c, width), false);
                if width >= 0.0 {
                    agrees(model.report(), objective, (objective, off), &format!("{what}, nu"));
                }
                for squared in [false, true] {
                    let svr = Svr::on_features(Identity::new(2)).c(c).epsilon(epsilon);
                    let svr = svr.squared(squared).violation(violation).max_iterations(most);
                    let model = weighted(&svr, (x, y), &weights()).unwrap();
                    let function = of_features(model.decision(), x);
                    let objective = tube(&function, &wide, (c, epsilon), squared);
                    agrees(
                        model.report(),
                        objective,
                        (objective, 0.0),
                        &format!("{what} {squared}"),
                    );
                }
            }
        }
    }};
}

#[test]
fn of_regression() {
    let (x, y) = data();
    regression!(&x, &y, "double");
    let narrow: Vec<f32> = y.iter().map(|&y| y as f32).collect();
    regression!(&single(&x), &narrow, "single");
}

/// ½‖ρf‖² − νρΣw + Σ wᵢ max(0, ρ − yᵢρ'f(xᵢ)) of ν-classification: ρ' is the scale of the function of the model, which
/// Σ|β| = νΣw tells.
fn nu_objective<T: Scalar>(
    model: &KernelExpansion<Samples<T>, Rbf>,
    (x, signs): (&Samples<T>, &[f64]),
    (nu, rho): (f64, f64),
) -> f64 {
    let total: f64 = weights().iter().sum();
    let sum: f64 = model.coefficients().col(0).iter().map(|b| b.to_f64().abs()).sum();
    let scale = nu * total / sum;
    let (energies, values) = of_kernel(model, x);
    let loss = |((f, y), w): ((&f64, &f64), f64)| w * (rho - y * scale * f).max(0.0);
    let losses: f64 = values[0].iter().zip(signs).zip(weights()).map(loss).sum();
    scale * scale * energies[0] - nu * rho * total + losses
}

macro_rules! shares {
    ($x:expr, $what:expr, $rounding:expr) => {{
        let x = $x;
        let total: f64 = weights().iter().sum();
        let y: Vec<usize> = classes().iter().map(|&c| usize::from(c > 1)).collect();
        for (violation, most) in STOPS {
            for nu in [0.1, 0.3] {
                let what = format!("{}, nu = {nu}, {violation}", $what);
                let off = slack(x, 1.0, violation);
                let svc = Svc::on_kernel(rbf()).nu(nu).violation(violation).max_iterations(most);
                let model = weighted(&svc, (x, &y), &weights()).unwrap();
                let rho = model.report().details().widths[0];
                if rho > 0.0 {
                    let on = (x, &*problems(&y, true)[0]);
                    let objective = nu_objective(model.decision(), on, (nu, rho));
                    // What is lost in a sum of coefficients of single precision, the scale has lost.
                    agrees(model.report(), objective, ($rounding * (1.0 + nu * total), off), &what);
                }
                let one = OneClass::on_kernel(rbf()).nu(nu).violation(violation).max_iterations(most);
                let model = weighted(&one, (x, ()), &weights()).unwrap();
                let (energies, values) = of_kernel(model.decision(), x);
                let rho = -model.decision().intercepts()[0].to_f64();
                let losses: f64 = values[0].iter().zip(weights()).map(|(f, w)| w * (-f).max(0.0)).sum();
                let objective = energies[0] - nu * total * rho + losses;
                agrees(model.report(), objective, (1.0 + objective.abs() + nu * total, off), &what);
            }
        }
    }};
}

#[test]
fn of_shares() {
    let (x, _) = data();
    shares!(&x, "double", 1.0);
    shares!(&single(&x), "single", 1e4);
}

#[test]
fn of_hard_margins() {
    let (x, y) = (data().0, classes());
    let y: Vec<usize> = y.iter().map(|&c| usize::from(c > 1)).collect();
    for violation in [1e-1, 1e-3, 1e-7] {
        for intercept in [true, false] {
            let svc = Svc::on_kernel(Rbf::new(20.0).unwrap()).c(f64::INFINITY).violation(violation);
            let model = svc.intercept(intercept).fit(&x, &y).unwrap();
            let report = model.report();
            assert!(report.status.has_converged(), "{report}");
            let is_closed = report.gap() <= violation * report.objective;
            assert_eq!(report.status == Status::Converged, is_closed, "{report}");
            let (energies, values) = of_kernel(model.decision(), &x);
            agrees(report, energies[0], (energies[0], 0.0), "hard");
            let signs = &problems(&y, true)[0];
            let smallest = values[0].iter().zip(signs).map(|(f, y)| f * y);
            assert!((smallest.fold(f64::INFINITY, f64::min) - 1.0).abs() < 1e-12);
        }
    }
}

#[test]
fn of_a_fit_that_is_stopped() {
    let (x, y) = (data().0, classes());
    let mut looks = 0;
    let mut stop = |_: &kern_solvers::Progress| {
        looks += 1;
        if looks < 2 { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    };
    let data = kern_solvers::Data::new(&x, &y).unwrap();
    let run = &mut Run::new().observer(&mut stop);
    let svc = Svc::on_kernel(rbf()).violation(1e-12).max_iterations(5);
    let model = kern_solvers::Learner::learn(&svc, &data, run).unwrap();
    // The others of the three problems stop where they start.
    assert_eq!(model.report().status, Status::Stopped);
    assert_eq!((model.report().rounds(), looks), (1, 2));
    let ones = Function::from(of_kernel(model.decision(), &x));
    let signs = problems(&y, true);
    let objective: f64 = ones
        .0
        .iter()
        .zip(&ones.1)
        .zip(&signs)
        .map(|((energy, f), signs)| {
            let loss = |(f, y): (&f64, &f64)| if *y == 0.0 { 0.0 } else { (1.0 - y * f).max(0.0) };
            energy + f.iter().zip(signs).map(loss).sum::<f64>()
        })
        .sum();
    agrees(model.report(), objective, (objective, 0.0), "stopped");
}

#[test]
fn of_landmarks() {
    let (x, y) = data();
    let (total, classes) = (weights().iter().sum::<f64>(), classes());
    let nystrom = || Nystrom::new(rbf()).landmarks(25);
    for (violation, most) in STOPS {
        for squared in [false, true] {
            let svc = Svc::on_landmarks(nystrom()).c(7.0).squared(squared).violation(violation);
            let model = weighted(&svc.max_iterations(most), (&x, &classes), &weights()).unwrap();
            let function = of_kernel(model.decision(), &x);
            let objective = hinge(&function, &problems(&classes, false), 7.0, squared);
            agrees(model.report(), objective, (1e3 * objective, 0.0), "classes on landmarks");
            let svr = Svr::on_landmarks(nystrom()).squared(squared).violation(violation);
            let model = weighted(&svr.max_iterations(most), (&x, &y), &weights()).unwrap();
            let objective = tube(&of_kernel(model.decision(), &x), &y, (1.0, 0.1), squared);
            agrees(model.report(), objective, (1e3 * objective, 0.0), "values on landmarks");
        }
        let one = OneClass::on_landmarks(nystrom()).nu(0.3).violation(violation);
        let model = weighted(&one.max_iterations(most), (&x, ()), &weights()).unwrap();
        let (energies, values) = of_kernel(model.decision(), &x);
        let rho = -model.decision().intercepts()[0];
        let losses: f64 = values[0].iter().zip(weights()).map(|(f, w)| w * (-f).max(0.0)).sum();
        let objective = energies[0] - 0.3 * total * rho + losses;
        agrees(model.report(), objective, (1e3 * (1.0 + total), 0.0), "region on landmarks");
    }
}
