//! Perceptrons on a budget and in a stream: against naive implementations, and updates against fits.
#![allow(clippy::unwrap_used, reason = "a test may panic, in its helper functions, too")]
#![allow(clippy::float_cmp, reason = "exact results are compared exactly")]

use super::classes::overlapping;
use super::perceptron::{all, details, eval, lattice};
use faer::linalg::solvers::Solve;
use faer::{Mat, Side};
use kern_core::kernels::{FnKernel, Linear, Rbf};
use kern_core::{Kernel, Points, Samples};
use kern_solvers::model::{Classifier, KernelExpansion};
use kern_solvers::perceptron::{Budget, Perceptron};
use kern_solvers::space::OnKernel;
use kern_solvers::{ClassWeights, Data, Error, Learner, Run};

/// Budgets of so many support vectors, of every kind.
fn budgets(vectors: usize) -> [Budget; 4] {
    [
        Budget::Random { vectors },
        Budget::Oldest { vectors },
        Budget::Projection { vectors, distance: 0.2 },
        Budget::ProjectionPlus { vectors, distance: 0.2 },
    ]
}

fn squared_norm<P: Points<Scalar = f64>, K: Kernel<P>>(
    model: &Classifier<KernelExpansion<P, K>, usize>,
    bias: bool,
) -> f64 {
    let (f, a) = (model.decision(), model.decision().coefficients());
    let value = |i: usize, j: usize| f.kernel().eval(f.points().item(i), f.points().item(j));
    let offset = if bias { 1.0 } else { 0.0 };
    let k = Mat::from_fn(a.nrows(), a.nrows(), |i, j| value(i, j) + offset);
    let product = &k * a;
    (0..a.ncols()).map(|c| a.col(c).transpose() * product.col(c)).sum()
}

#[test]
fn budgets_hold_and_norms_are_true_with_every_kind() {
    for classes in [2, 4] {
        let (x, y) = overlapping(200, classes, 6.0);
        let k = Rbf::new(0.7).unwrap();
        for vectors in [1, 7, 30, 1000] {
            for (budget, bias) in budgets(vectors).into_iter().zip([true, false, true, false]) {
                let perceptron =
                    Perceptron::on_kernel(k).max_iterations(4).budget(budget).intercept(bias);
                let model = perceptron.fit(&x, &y).unwrap();
                let report = details(model.report());
                let what = format!("{budget:?}, {classes} classes: {report:?}");
                assert!(report.support.len() <= vectors, "{what}");
                assert_eq!(report.support.len(), model.decision().points().len());
                let removes = matches!(budget, Budget::Random { .. } | Budget::Oldest { .. });
                let removed = if removes { report.mistakes.saturating_sub(vectors) } else { 0 };
                assert_eq!(report.removed, removed, "{what}");
                assert_eq!(report.projected > 0, !removes, "{what}");
                let norm = squared_norm(&model, bias);
                assert!((report.squared_norm - norm).abs() < 1e-9 * (1.0 + norm), "{norm} {what}");
            }
        }
    }
}

/// The outcome of a Forgetron.
pub(crate) struct Forgetron {
    /// Points and their coefficients, the oldest first.
    pub(crate) list: Vec<(usize, f64)>,
    pub(crate) mistakes: usize,
    /// φ at each removal.
    pub(crate) shrunk: Vec<f64>,
}

/// One pass of the self-tuned Forgetron on two classes; φ by bisection.
pub(crate) fn forgetron(k: impl Fn(usize, usize) -> f64, y: &[usize], vectors: usize) -> Forgetron {
    let (mut list, mut spent, mut mistakes): (Vec<(usize, f64)>, f64, usize) = (vec![], 0.0, 0);
    let mut shrunk = Vec::new();
    for (i, &class) in y.iter().enumerate() {
        let sign = if class == 1 { 1.0 } else { -1.0 };
        let f: f64 = list.iter().map(|&(j, a)| a * k(i, j)).sum();
        if sign * f > 0.0 {
            continue;
        }
        mistakes += 1;
        list.push((i, sign));
        if list.len() <= vectors {
            continue;
        }
        let (old, a) = list[0];
        let sigma = a.abs();
        let mu = a.signum() * list.iter().map(|&(j, a)| a * k(old, j)).sum::<f64>();
        let cost = |phi: f64| {
            let lambda = sigma * phi;
            spent + lambda * lambda + 2.0 * lambda - 2.0 * lambda * phi * mu
        };
        let allowed = 15.0 / 32.0 * mistakes as f64;
        let (mut low, mut high) = (0.0, 1.0);
        if cost(1.0) <= allowed {
            low = 1.0;
        }
        for _ in 0..100 {
            let middle = 0.5 * (low + high);
            if cost(middle) <= allowed { low = middle } else { high = middle }
        }
        spent = cost(low);
        list.iter_mut().for_each(|(_, a)| *a *= low);
        list.remove(0);
        shrunk.push(low);
    }
    Forgetron { list, mistakes, shrunk }
}

#[test]
fn the_forgetron_is_that_of_the_paper() {
    let (x, y) = overlapping(250, 2, 6.0);
    let k = Rbf::new(0.7).unwrap();
    for vectors in [1, 5, 12] {
        let list = forgetron(eval(&k, &x), &y, vectors).list;
        // The scale of the kernel does not matter.
        let scaled = kern_core::closure::Scaled::new(9.0, k).unwrap();
        let budget = Budget::Oldest { vectors };
        let model = Perceptron::on_kernel(k).budget(budget).max_iterations(1).fit(&x, &y).unwrap();
        let other =
            Perceptron::on_kernel(scaled).budget(budget).max_iterations(1).fit(&x, &y).unwrap();
        let mut expected = vec![0.0; 250];
        list.iter().for_each(|&(i, a)| expected[i] = a);
        for ((a, b), e) in all(&model, 250).iter().zip(&all(&other, 250)).zip(&expected) {
            assert!((a[0] - e).abs() < 1e-10 && (b[0] - e).abs() < 1e-10, "{a:?} {b:?} {e}");
        }
        assert!(expected.iter().any(|a| a.abs() > 0.0 && a.abs() < 0.999), "it shrinks");
    }
}

/// One pass of Projectron (++) on two classes, by a dense solve per step: the support set and its coefficients.
fn projectron(
    k: impl Fn(usize, usize) -> f64,
    y: &[usize],
    (vectors, distance): (usize, f64),
    plus: bool,
) -> (Vec<usize>, Vec<f64>) {
    let (mut set, mut a): (Vec<usize>, Vec<f64>) = (vec![], vec![]);
    for (i, &class) in y.iter().enumerate() {
        let sign = if class == 1 { 1.0 } else { -1.0 };
        let values = Mat::from_fn(set.len(), 1, |s, _| k(set[s], i));
        let margin = sign * a.iter().zip(values.col(0).iter()).map(|(a, k)| a * k).sum::<f64>();
        if margin > 1.0 || (margin > 0.0 && !plus) {
            continue;
        }
        let gram = Mat::from_fn(set.len(), set.len(), |s, t| k(set[s], set[t]));
        let d = match set.len() {
            0 => Mat::zeros(0, 1),
            _ => gram.llt(Side::Lower).unwrap().solve(&values),
        };
        let own: f64 = d.col(0).iter().zip(values.col(0).iter()).map(|(d, k)| d * k).sum();
        let delta = (k(i, i) - own).max(0.0).sqrt();
        let size = if margin <= 0.0 {
            if delta > distance && set.len() < vectors {
                set.push(i);
                a.push(sign);
                continue;
            }
            1.0
        } else {
            let room = 1.0 - margin - delta / distance;
            if room <= 0.0 {
                continue;
            }
            ((1.0 - margin) / own).min(2.0 * room / own).min(1.0)
        };
        a.iter_mut().zip(d.col(0).iter()).for_each(|(a, d)| *a += sign * size * d);
    }
    (set, a)
}

#[test]
fn projections_are_those_of_dense_solves() {
    let (x, y) = overlapping(250, 2, 6.0);
    let k = Rbf::new(0.7).unwrap();
    for (vectors, distance) in [(1000, 0.3), (6, 0.1), (1, 0.5)] {
        for plus in [false, true] {
            let value = eval(&k, &x);
            let (set, a) = projectron(value, &y, (vectors, distance), plus);
            let budget = if plus {
                Budget::ProjectionPlus { vectors, distance }
            } else {
                Budget::Projection { vectors, distance }
            };
            let model =
                Perceptron::on_kernel(k).budget(budget).max_iterations(1).fit(&x, &y).unwrap();
            assert_eq!(details(model.report()).support, set, "{budget:?}");
            for (row, a) in a.iter().enumerate() {
                let learned = model.decision().coefficients()[(row, 0)];
                assert!((learned - a).abs() < 1e-9 * (1.0 + a.abs()), "{budget:?} {learned} {a}");
            }
        }
    }
}

#[test]
fn a_projection_of_distance_zero_is_no_projection() {
    // Full rank: one pass takes every mistake, to the bit.
    let (x, y) = overlapping(60, 3, 6.0);
    let k = Rbf::new(5.0).unwrap();
    let exact = Budget::Projection { vectors: 60, distance: 0.0 };
    let plain = Perceptron::on_kernel(k).max_iterations(1).fit(&x, &y).unwrap();
    let projected = Perceptron::on_kernel(k).max_iterations(1).budget(exact).fit(&x, &y).unwrap();
    assert_eq!(plain.decision(), projected.decision());
    // Rank 3, and many more mistakes: the same function of three support vectors.
    let (x, y) = lattice(80, 3);
    for passes in [1, 3] {
        let exact = Budget::Projection { vectors: 80, distance: 0.0 };
        let plain = Perceptron::on_kernel(Linear).max_iterations(passes).fit(&x, &y).unwrap();
        let few =
            Perceptron::on_kernel(Linear).max_iterations(passes).budget(exact).fit(&x, &y).unwrap();
        assert_eq!(few.decision().points().len(), 3);
        let [a, b] = [&few, &plain].map(|model| &details(model.report()).mistakes_per_pass);
        assert_eq!(a, b);
        let (a, b) = (plain.decision_values(&x).unwrap(), few.decision_values(&x).unwrap());
        assert!((&a - &b).norm_max() < 1e-9 * a.norm_max(), "{}", (&a - &b).norm_max());
    }
}

#[test]
fn a_stream_in_any_parts_is_one_pass_of_a_fit_to_the_bit() {
    for classes in [2, 3] {
        let (x, y) = overlapping(150, classes, 6.0);
        let part = |range: std::ops::Range<usize>| x.select(&range.collect::<Vec<_>>()).unwrap();
        let k = Rbf::new(0.7).unwrap();
        let plain = Perceptron::on_kernel(k).max_iterations(1).seed(5);
        let one = || plain.clone();
        let mut cases = vec![one(), one().intercept(true), one().averaged(true)];
        cases.extend(budgets(12).map(|budget| one().budget(budget)));
        cases.push(one().averaged(true).budget(budgets(12)[2]));
        for perceptron in cases {
            let fit = perceptron.fit(&x, &y).unwrap();
            for size in [1, 40, 150] {
                let mut stream = perceptron.online(&y).unwrap();
                let mut mistakes = 0;
                for from in (0..150).step_by(size) {
                    let range = from..(from + size).min(150);
                    mistakes += stream.update(&part(range.clone()), &y[range]).unwrap();
                }
                let model = stream.model().unwrap();
                assert_eq!(model.decision(), fit.decision(), "{perceptron:?}, parts of {size}");
                let (a, b) = (details(model.report()), details(fit.report()));
                assert_eq!(a.support, b.support);
                assert_eq!((a.mistakes, a.steps, a.removed), (b.mistakes, b.steps, b.removed));
                assert_eq!(mistakes, a.mistakes);
                assert_eq!((a.squared_norm, a.squared_radius), (b.squared_norm, b.squared_radius));
            }
        }
    }
}

#[test]
fn a_fit_goes_on_with_other_points_and_an_error_loses_nothing() {
    let (x, y) = overlapping(100, 2, 6.0);
    let first = x.select(&(0..60).collect::<Vec<_>>()).unwrap();
    let rest = x.select(&(60..100).collect::<Vec<_>>()).unwrap();
    for budget in [Budget::None, budgets(9)[0], budgets(9)[1], budgets(9)[2], budgets(9)[3]] {
        let perceptron =
            Perceptron::on_kernel(Rbf::new(0.7).unwrap()).max_iterations(3).budget(budget);
        let data = Data::new(&first, &y[..60]).unwrap();
        let mut stream = perceptron.start(&data, &mut Run::new()).unwrap();
        assert_eq!(stream.model().unwrap(), perceptron.fit(&first, &y[..60]).unwrap());
        let mut twin = stream.clone();
        assert_eq!(stream.update(&rest, &[7; 40]).unwrap_err(), Error::UnknownLabel { point: 0 });
        let narrow = Samples::from_rows(&[[1.0]]).unwrap();
        assert!(matches!(stream.update(&narrow, &[1]).unwrap_err(), Error::Core(_)));
        let made = stream.update(&rest, &y[60..]).unwrap();
        assert_eq!(made, twin.update(&rest, &y[60..]).unwrap());
        assert_eq!(stream.model().unwrap(), twin.model().unwrap(), "{budget:?}");
        let model = stream.model().unwrap();
        let support = &details(model.report()).support;
        assert!(support.iter().all(|&i| i < 100));
        // They are where `support` says, in the order in which they were seen.
        for (row, &i) in support.iter().enumerate() {
            assert_eq!(model.decision().points().item(row), x.item(i), "{budget:?}");
        }
    }
}

#[test]
fn a_stream_that_meets_a_bad_value_goes_on_as_if_it_had_not() {
    let k = kern_core::closure::AssumeMercer(FnKernel::new(|a: &f64, b: &f64| {
        if *a < 0.0 && *b < 0.0 && a != b { f64::NAN } else { (-(a - b) * (a - b)).exp() }
    }));
    let labels = [true, false];
    for budget in [Budget::None, Budget::Projection { vectors: 8, distance: 0.0 }] {
        let mut stream = Perceptron::on_kernel(&k).budget(budget).online(&labels).unwrap();
        stream.update(&vec![-1.0, 1.0], &labels).unwrap();
        let mut twin = stream.clone();
        let before = stream.model().unwrap();
        // 3 is learned before −2 is met, 32 points further.
        let far: Vec<f64> = (3..40).map(f64::from).chain([-2.0]).collect();
        let many: Vec<bool> = (3..41).map(|i| i % 2 == 0).collect();
        assert!(matches!(stream.update(&far, &many).unwrap_err(), Error::Gram(_)));
        let after = stream.model().unwrap();
        assert_eq!(before.decision().coefficients(), after.decision().coefficients());
        assert_eq!(before.report(), after.report());
        let next = vec![0.5, 2.0, 0.7];
        stream.update(&next, &[true, false, false]).unwrap();
        twin.update(&next, &[true, false, false]).unwrap();
        let (a, b) = (stream.model().unwrap(), twin.model().unwrap());
        assert_eq!(a.decision().coefficients(), b.decision().coefficients());
    }
}

/// Weights that are integers, of which every fifth is zero.
fn weights(n: usize) -> Vec<f64> {
    (0..n).map(|i| [1.0, 3.0, 0.0, 2.0, 5.0][i % 5]).collect()
}

#[test]
fn a_stream_of_weighted_points_is_one_pass_of_a_weighted_fit_to_the_bit() {
    let (x, y) = overlapping(150, 3, 6.0);
    let part = |range: std::ops::Range<usize>| x.select(&range.collect::<Vec<_>>()).unwrap();
    let weights = weights(150);
    let each = ClassWeights::Each(vec![1.0, 0.7, 3.0]);
    let plain = Perceptron::on_kernel(Rbf::new(0.7).unwrap()).max_iterations(1).seed(5);
    let plain = plain.class_weights(each);
    let mut cases = vec![plain.clone(), plain.clone().intercept(true).averaged(true)];
    cases.extend(budgets(12).map(|budget| plain.clone().budget(budget)));
    for perceptron in cases {
        let data = Data::new(&x, &y).unwrap().weights(&weights).unwrap();
        let fit = perceptron.learn(&data, &mut Run::new()).unwrap();
        let first = part(0..50);
        let data = Data::new(&first, &y[..50]).unwrap().weights(&weights[..50]).unwrap();
        // Points that are in classes of the stream, of which a part need not have all.
        let mut streams =
            [perceptron.online(&y).unwrap(), perceptron.start(&data, &mut Run::new()).unwrap()];
        streams[0].learn(&data, &mut Run::new()).unwrap();
        for mut stream in streams {
            for from in [50, 51, 90] {
                let range = from..[51, 90, 150].into_iter().find(|&to| to > from).unwrap();
                let next = part(range.clone());
                let data = Data::new(&next, &y[range.clone()]).unwrap();
                let weights = &weights[range];
                if weights.iter().all(|&w| w <= 0.0) {
                    continue;
                }
                stream.learn(&data.weights(weights).unwrap(), &mut Run::new()).unwrap();
            }
            let model = stream.model().unwrap();
            assert_eq!(model.decision(), fit.decision(), "{perceptron:?}");
            let (a, b) = (details(model.report()), details(fit.report()));
            assert_eq!(a.support, b.support);
            assert_eq!((a.squared_norm, a.squared_radius), (b.squared_norm, b.squared_radius));
        }
    }
}

#[test]
fn a_stream_cannot_be_balanced() {
    let (x, y) = overlapping(20, 2, 6.0);
    let perceptron = Perceptron::on_kernel(Linear).class_weights(ClassWeights::Balanced);
    assert!(perceptron.fit(&x, &y).is_ok());
    let error = perceptron.online::<Samples<f64>, _>(&y).unwrap_err();
    assert_eq!(error, Error::BalancedStream);
    let data = Data::new(&x, &y).unwrap();
    assert_eq!(perceptron.start(&data, &mut Run::new()).unwrap_err(), Error::BalancedStream);
}

/// The number of letters that two words share.
fn letters(a: &str, b: &str) -> f64 {
    ('a'..='z').filter(|&c| a.contains(c) && b.contains(c)).count() as f64
}

#[test]
fn words_are_learned_one_at_a_time() {
    let k = kern_core::closure::AssumeMercer(FnKernel::new(|a: &String, b: &String| letters(a, b)));
    let words: Vec<String> =
        ["gram", "graph", "quota", "grab", "quiz", "quick"].map(String::from).to_vec();
    let y = ["g", "g", "q", "g", "q", "q"];
    let mut stream = Perceptron::on_kernel(k).online(&["g", "q"]).unwrap();
    for _ in 0..10 {
        for (word, label) in words.iter().zip(y) {
            stream.update(&vec![word.clone()], &[label]).unwrap();
        }
    }
    assert_eq!(stream.model().unwrap().predict(&words).unwrap(), y);
}

#[test]
fn models_survive_being_written_and_read() {
    for classes in [2, 3] {
        let (x, y) = overlapping(60, classes, 6.0);
        let perceptron =
            Perceptron::on_kernel(Rbf::new(0.7).unwrap()).intercept(true).averaged(true);
        let model = perceptron.fit(&x, &y).unwrap();
        let text = serde_json::to_string(&model).unwrap();
        let read: Classifier<KernelExpansion<Samples<f64>, Rbf>, usize> =
            serde_json::from_str(&text).unwrap();
        assert_eq!(read, model);
        let other = text.replacen("\"format\":[3", "\"format\":[999", 1);
        assert_ne!(other, text);
        let refused: Result<Classifier<KernelExpansion<Samples<f64>, Rbf>, usize>, _> =
            serde_json::from_str(&other);
        assert!(refused.is_err());
        let text = serde_json::to_string(&perceptron).unwrap();
        assert_eq!(serde_json::from_str::<Perceptron<OnKernel<Rbf>>>(&text).unwrap(), perceptron);
    }
}
