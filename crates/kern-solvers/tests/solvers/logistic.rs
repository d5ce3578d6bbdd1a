//! Kernel logistic regression: against independent Newton iterations and gradient descent, its
//! certificate, its laws, its probabilities and its errors.
#![allow(clippy::unwrap_used, reason = "a test may panic, in its helper functions, too")]

use super::classes::{iris, observed, overlapping, with_weights, within};
use super::golden::logistic as golden;
use kern_core::closure::AssumeMercer;
use kern_core::kernels::{FnKernel, Linear, Rbf};
use kern_core::{Kernel, Points, Samples};
use kern_gram::{
    CrossGram, DenseGram, Error as GramError, GivenPoints, MemoryBudget, Precomputed,
    PrecomputedGram,
};
use kern_solvers::MultiClass;
use kern_solvers::logistic::Logistic;
use kern_solvers::model::{KernelExpansion, Link, ProbabilisticClassifier};
use kern_solvers::space::OnKernel;
use kern_solvers::{ClassWeights, Error, Progress, Status};
use proptest::prelude::*;
use std::ops::ControlFlow;

type Model<L> = ProbabilisticClassifier<KernelExpansion<Samples<f64>, Rbf>, L>;

fn rbf() -> Rbf {
    Rbf::new(0.5).unwrap()
}

fn logistic() -> Logistic<OnKernel<Rbf>> {
    Logistic::on_kernel(rbf()).lambda(1e-3).tolerance(1e-14)
}

#[test]
fn two_classes_equal_an_independent_newton_iteration() {
    let x = iris();
    let y: Vec<bool> = (0..30).map(|i| golden::class(i) == 2).collect();
    let weights: Vec<f64> = (0..30).map(golden::weight).collect();
    let plain = logistic().fit(&x, &y).unwrap();
    let weighted = with_weights(&logistic(), (&x, &y), &weights).unwrap();
    let cases = [
        (plain, golden::BINARY, golden::BINARY_OBJECTIVE),
        (weighted, golden::WEIGHTED, golden::WEIGHTED_OBJECTIVE),
    ];
    for (model, values, objective) in cases {
        let given = model.decision_values(&x).unwrap();
        for (k, expected) in values.iter().enumerate() {
            assert!((given[(5 * k, 0)] - expected).abs() < 1e-6, "value {k}");
        }
        assert!((model.report().objective - objective).abs() < 1e-13);
        assert_eq!(model.report().status, Status::Converged);
    }
}

#[test]
fn multinomial_equals_an_independent_newton_iteration() {
    let x = iris();
    let y: Vec<usize> = (0..30).map(golden::class).collect();
    let model = logistic().lambda(golden::LAMBDA).fit(&x, &y).unwrap();
    assert_eq!(model.link(), &Link::Softmax);
    let p = model.predict_proba(&x).unwrap();
    for (k, expected) in golden::SOFTMAX.iter().enumerate() {
        for c in 0..3 {
            assert!((p[(6 * k, c)] - expected[c]).abs() < 1e-6, "point {}, class {c}", 6 * k);
        }
    }
    assert!((model.report().objective - golden::SOFTMAX_OBJECTIVE).abs() < 1e-13);
}

#[test]
fn two_classes_equal_a_long_gradient_descent() {
    let (x, labels) = overlapping(40, 2, 6.0);
    let n = 40.0;
    let lambda = 0.01;
    let gram: Vec<Vec<f64>> = (0..40)
        .map(|i| {
            (0..40).map(|j| Kernel::<Samples<f64>>::eval(&rbf(), x.item(i), x.item(j))).collect()
        })
        .collect();
    let y: Vec<f64> = labels.iter().map(|&l| if l == 1 { 1.0 } else { -1.0 }).collect();
    let times = |a: &[f64]| -> Vec<f64> {
        gram.iter().map(|row| row.iter().zip(a).map(|(k, a)| k * a).sum()).collect()
    };
    // In the RKHS: α ← α − η(g/n + λα), η below 1/(λ + ‖K‖/(4n)).
    let mut alpha = vec![0.0; 40];
    for _ in 0..20_000 {
        let f = times(&alpha);
        for i in 0..40 {
            let g = -y[i] / (1.0 + (y[i] * f[i]).exp());
            alpha[i] -= 3.0 * (g / n + lambda * alpha[i]);
        }
    }
    let f = times(&alpha);
    let model = logistic().lambda(lambda).fit(&x, &labels).unwrap();
    let given = model.decision_values(&x).unwrap();
    assert!((0..40).all(|i| (given[(i, 0)] - f[i]).abs() < 1e-6));
}

/// J(α) and its gradient in the RKHS, from pointwise evaluations.
fn judge(x: &Samples<f64>, y: &[f64], model: &Model<usize>, lambda: f64) -> (f64, f64) {
    let f = model.decision_values(x).unwrap();
    let n = y.len() as f64;
    let alpha = model.decision().coefficients();
    assert_eq!(alpha.nrows(), y.len());
    let loss: f64 = (0..y.len()).map(|i| (-y[i] * f[(i, 0)]).exp().ln_1p()).sum();
    let norm: f64 = (0..y.len()).map(|i| alpha[(i, 0)] * f[(i, 0)]).sum();
    let r: Vec<f64> = (0..y.len())
        .map(|i| lambda * alpha[(i, 0)] - y[i] / (1.0 + (y[i] * f[(i, 0)]).exp()) / n)
        .collect();
    let k = |i: usize, j: usize| Kernel::<Samples<f64>>::eval(&rbf(), x.item(i), x.item(j));
    let square: f64 =
        (0..y.len()).map(|i| (0..y.len()).map(|j| r[i] * k(i, j) * r[j]).sum::<f64>()).sum();
    (loss / n + 0.5 * lambda * norm, square.max(0.0).sqrt())
}

#[test]
fn objective_falls_and_the_certificate_is_the_one_documented() {
    let (x, labels) = overlapping(60, 2, 6.0);
    let y: Vec<f64> = labels.iter().map(|&l| if l == 1 { 1.0 } else { -1.0 }).collect();
    for (lambda, tolerance) in [(1e-1, 1e-3), (1e-3, 1e-6), (1e-6, 1e-10)] {
        let mut trace = Vec::new();
        let mut observer = |p: &Progress| {
            trace.push(p.loss);
            ControlFlow::Continue(())
        };
        let model = logistic().lambda(lambda).tolerance(tolerance);
        let model = observed(&model, (&x, &labels), &mut observer).unwrap();
        let report = model.report();
        assert!((trace[0] - 2.0_f64.ln()).abs() < 1e-15);
        assert!(trace.windows(2).all(|pair| pair[1] <= pair[0]), "{trace:?}");
        assert_eq!((report.status, report.iterations), (Status::Converged, trace.len() - 1));
        let gap = report.gap.unwrap();
        assert!((0.0..=tolerance * report.objective).contains(&gap), "{report}");
        let (objective, gradient) = judge(&x, &y, &model, lambda);
        assert!((report.objective - objective).abs() < 1e-12 * objective);
        // gap = ‖∇J‖²/(2λ): loosely where rounding is all that is left of it.
        let expected = gradient * gradient / (2.0 * lambda);
        assert!((gap - expected).abs() <= 1e-3 * gap + 1e-20 / lambda, "{gap} {expected}");
        // The gap bounds the distance from the minimum.
        let best = logistic().lambda(lambda).tolerance(1e-15).fit(&x, &labels).unwrap();
        let excess = report.objective - best.report().objective;
        assert!(excess <= gap + 1e-15 && excess >= -1e-14, "{excess} {gap}");
    }
}

#[test]
fn separable_classes_and_a_tiny_lambda() {
    let x = Samples::from_rows(&[[0.0], [0.2], [0.4], [3.0], [3.3], [9.0]]).unwrap();
    let y = ["a", "a", "a", "b", "b", "b"];
    for lambda in [1e-6, 1e-10] {
        let model = Logistic::on_kernel(rbf()).lambda(lambda).fit(&x, &y).unwrap();
        assert_eq!(model.report().status, Status::Converged, "{}", model.report());
        assert!(model.report().iterations <= 60, "{}", model.report());
        let p = model.predict_proba(&x).unwrap();
        assert!((0..6).all(|i| p[(i, usize::from(i > 2))] > 1.0 - 10.0 * lambda.sqrt()));
    }
    let many = ["a", "a", "a", "b", "b", "c"];
    for multi_class in [MultiClass::Softmax, MultiClass::OneVsRest] {
        let model = Logistic::on_kernel(rbf()).lambda(1e-10).multi_class(multi_class);
        let model = model.fit(&x, &many).unwrap();
        assert_eq!(model.report().status, Status::Converged, "{}", model.report());
        assert_eq!(model.predict(&x).unwrap(), many);
    }
}

#[test]
fn points_on_the_wrong_side_by_far_do_no_harm() {
    // Two points at one place with different classes beside strong evidence: curvature vanishes.
    let mut rows = vec![[0.0_f64]; 300];
    rows.extend([[0.001]; 2]);
    rows.extend([[5.0]; 300]);
    let labels: Vec<bool> = (0..602).map(|i| i >= 300).collect();
    let x = Samples::from_rows(&rows).unwrap();
    let model = Logistic::on_kernel(rbf()).lambda(1e-9).fit(&x, &labels).unwrap();
    assert_eq!(model.report().status, Status::Converged, "{}", model.report());
    let p = model.predict_proba(&Samples::from_rows(&[[0.0]]).unwrap()).unwrap();
    let share: f64 = p[(0, 1)];
    assert!((share - 2.0 / 302.0).abs() < 5e-3, "{share}");
}

#[test]
fn probabilities_sum_to_one_and_agree_with_predictions() {
    let (x, labels) = overlapping(80, 4, 6.0);
    let queries = Samples::from_rows(&[[0.0, 0.0], [50.0, -50.0], [1.0, 1.0]]).unwrap();
    for multi_class in [MultiClass::Softmax, MultiClass::OneVsRest] {
        let model = logistic().multi_class(multi_class).fit(&x, &labels).unwrap();
        for points in [&x, &queries] {
            let p = model.predict_proba(points).unwrap();
            let predicted = model.predict(points).unwrap();
            for (i, predicted) in predicted.iter().enumerate() {
                let row: Vec<f64> = p.row(i).iter().copied().collect();
                assert!((row.iter().sum::<f64>() - 1.0).abs() < 1e-14);
                let class = model.classes().binary_search(predicted).unwrap();
                assert!(row.iter().all(|&q| q <= row[class]), "{row:?} {class}");
            }
        }
    }
    let two = logistic().fit(&x, &labels.iter().map(|&l| l > 1).collect::<Vec<_>>()).unwrap();
    let p = two.predict_proba(&x).unwrap();
    for (i, label) in two.predict(&x).unwrap().into_iter().enumerate() {
        assert!((p[(i, 0)] + p[(i, 1)] - 1.0).abs() < 1e-15);
        assert_eq!(label, p[(i, 1)] > p[(i, 0)]);
    }
}

#[test]
fn multinomial_is_certified_and_its_functions_sum_to_zero() {
    let (x, labels) = overlapping(90, 3, 6.0);
    let mut trace = Vec::new();
    let mut observer = |p: &Progress| {
        trace.push(p.loss);
        ControlFlow::Continue(())
    };
    let logistic = logistic().tolerance(1e-10);
    let model = observed(&logistic, (&x, &labels), &mut observer).unwrap();
    assert!((trace[0] - 3.0_f64.ln()).abs() < 1e-14);
    assert!(trace.windows(2).all(|pair| pair[1] <= pair[0]));
    let report = model.report();
    assert_eq!(report.status, Status::Converged);
    assert!((0.0..=1e-10 * report.objective).contains(&report.gap.unwrap()));
    // At the optimum nλα_c = −g_c, and the gradients sum to zero over classes.
    let alpha = model.decision().coefficients();
    let largest = alpha.norm_max();
    assert!((0..90).all(|i| alpha.row(i).iter().sum::<f64>().abs() < 1e-12 * largest));
    // And they are what the likelihood says: α_ic = β(1[y = c] − p_c)/(nλ).
    let p = model.predict_proba(&x).unwrap();
    for i in 0..90 {
        for c in 0..3 {
            let expected = (f64::from(u8::from(labels[i] == c)) - p[(i, c)]) / (90.0 * 1e-3);
            assert!((alpha[(i, c)] - expected).abs() < 1e-3, "point {i}, class {c}");
        }
    }
}

#[test]
fn one_against_the_rest_is_that() {
    let (x, labels) = overlapping(60, 3, 6.0);
    let all = logistic().multi_class(MultiClass::OneVsRest).fit(&x, &labels).unwrap();
    let values = all.decision_values(&x).unwrap();
    let mut objectives = 0.0;
    for c in 0..3 {
        let is: Vec<bool> = labels.iter().map(|&l| l == c).collect();
        let one = logistic().fit(&x, &is).unwrap();
        let given = one.decision_values(&x).unwrap();
        assert!((0..60).all(|i| (given[(i, 0)] - values[(i, c)]).abs() < 1e-4));
        objectives += one.report().objective;
    }
    assert!((all.report().objective - objectives).abs() < 1e-12);
}

#[test]
fn integer_weights_are_repeated_points_and_zero_drops_one() {
    let (x, labels) = overlapping(30, 3, 6.0);
    let weights: Vec<usize> = (0..30).map(|i| [1, 2, 0, 3, 1][i % 5]).collect();
    let repeated: Vec<usize> = (0..30).flat_map(|i| std::iter::repeat_n(i, weights[i])).collect();
    let many = x.select(&repeated).unwrap();
    let many_labels: Vec<usize> = repeated.iter().map(|&i| labels[i]).collect();
    let ratio = 30.0 / repeated.len() as f64;
    let betas: Vec<f64> = weights.iter().map(|&w| w as f64).collect();
    for multi_class in [MultiClass::Softmax, MultiClass::OneVsRest] {
        let weighted = with_weights(&logistic().multi_class(multi_class), (&x, &labels), &betas);
        let weighted = weighted.unwrap();
        let copies = logistic().lambda(1e-3 * ratio).multi_class(multi_class);
        let copies = copies.fit(&many, &many_labels).unwrap();
        let (a, b) = (weighted.predict_proba(&x).unwrap(), copies.predict_proba(&x).unwrap());
        assert!((a - b).norm_max() < 1e-6);
        let (a, b) = (weighted.report().objective, copies.report().objective);
        assert!((a * ratio - b).abs() < 1e-12);
    }
}

#[test]
fn class_weights_are_sample_weights() {
    let (x, labels) = overlapping(50, 3, 6.0);
    let count = |c| labels.iter().filter(|&&l| l == c).count() as f64;
    let each = |of: [f64; 3]| labels.iter().map(|&l| of[l]).collect::<Vec<f64>>();
    let balanced = [0, 1, 2].map(|c| 50.0 / (3.0 * count(c)));
    let cases = [
        (ClassWeights::Balanced, each(balanced)),
        (ClassWeights::Each(vec![1.0, 2.0, 0.25]), each([1.0, 2.0, 0.25])),
    ];
    for (class_weights, weights) in cases {
        let by_class = logistic().class_weights(class_weights).fit(&x, &labels).unwrap();
        let by_point = with_weights(&logistic(), (&x, &labels), &weights).unwrap();
        let difference = by_class.predict_proba(&x).unwrap() - by_point.predict_proba(&x).unwrap();
        assert!(difference.norm_max() < 1e-9);
    }
}

#[test]
fn too_few_iterations_and_an_observer_that_stops_are_not_silent() {
    let (x, labels) = overlapping(60, 2, 6.0);
    let few = logistic().lambda(1e-7).max_iterations(1).fit(&x, &labels).unwrap();
    let report = few.report();
    assert_eq!((report.status, report.iterations), (Status::IterationsDone, 1));
    assert!(report.gap.unwrap() > 1e-14 * report.objective);
    let none = logistic().max_iterations(0).fit(&x, &labels).unwrap();
    assert!((none.report().objective - 2.0_f64.ln()).abs() < 1e-15);
    let mut stop = |p: &Progress| {
        if p.iteration == 2 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    let stopped = observed(&logistic().lambda(1e-7), (&x, &labels), &mut stop).unwrap();
    assert_eq!((stopped.report().status, stopped.report().iterations), (Status::Stopped, 2));
}

#[test]
fn classes_after_one_that_was_stopped_are_not_begun() {
    let (x, labels) = overlapping(60, 3, 6.0);
    let mut seen = 0;
    let mut stop = |p: &Progress| {
        seen += 1;
        if p.iteration == 2 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    let logistic = logistic().lambda(1e-7).multi_class(MultiClass::OneVsRest);
    let model = observed(&logistic, (&x, &labels), &mut stop).unwrap();
    let report = model.report();
    assert_eq!((report.status, report.iterations, seen), (Status::Stopped, 2, 3));
    let values = model.decision_values(&x).unwrap();
    assert!(values.col(0).norm_max() > 0.1 && values.subcols(1, 2).norm_max() <= 0.0);
    // The evidence is that of all three functions.
    assert!(report.objective > 2.0 * 2.0_f64.ln(), "{report}");
}

#[test]
fn a_given_matrix_gives_what_its_kernel_gives() {
    let (points, labels) = overlapping(70, 3, 6.0);
    let x = points.select(&(0..50).collect::<Vec<_>>()).unwrap();
    let queries = points.select(&(50..70).collect::<Vec<_>>()).unwrap();
    let budget = MemoryBudget::mebibytes(1);
    let gram = DenseGram::new(&rbf(), &x, &budget).unwrap();
    let given = PrecomputedGram::new(gram.as_mat().to_owned()).unwrap();
    let cross = CrossGram::new(&rbf(), &queries, &x).unwrap().to_dense(&budget).unwrap();
    let cross = GivenPoints::of_cross(cross.as_ref().to_owned()).unwrap();
    let weights: Vec<f64> = (0..50).map(|i| f64::from(i % 4)).collect();
    let direct = logistic().intercept(true);
    let direct = with_weights(&direct, (&x, &labels[..50]), &weights).unwrap();
    let from = Logistic::on_kernel(Precomputed).lambda(1e-3).tolerance(1e-14).intercept(true);
    let known = GivenPoints::of_gram(given);
    let from = with_weights(&from, (&known, &labels[..50]), &weights).unwrap();
    assert_eq!(from.report(), direct.report());
    assert_eq!(from.decision().coefficients(), direct.decision().coefficients());
    let expected = direct.predict_proba(&queries).unwrap();
    assert!((from.predict_proba(&cross).unwrap() - expected).norm_max() < 1e-12);
    let text = serde_json::to_string(&from).unwrap();
    let read: ProbabilisticClassifier<KernelExpansion<GivenPoints<f64>, Precomputed>, usize> =
        serde_json::from_str(&text).unwrap();
    assert_eq!(read.predict_proba(&cross).unwrap(), from.predict_proba(&cross).unwrap());
}

#[test]
fn learners_survive_being_written_and_read() {
    let learner = logistic().intercept(true).class_weights(ClassWeights::Each(vec![1.0, 0.1]));
    let text = serde_json::to_string(&learner).unwrap();
    assert_eq!(serde_json::from_str::<Logistic<OnKernel<Rbf>>>(&text).unwrap(), learner);
}

#[test]
fn a_tolerance_beyond_rounding_is_said_to_be_missed() {
    let (x, labels) = overlapping(60, 2, 6.0);
    let model = logistic().tolerance(0.0).fit(&x, &labels).unwrap();
    assert_ne!(model.report().status, Status::Converged);
    assert!(model.report().gap.unwrap() < 1e-25, "{}", model.report());
}

#[test]
fn bad_input_is_a_typed_error() {
    let (x, mut labels) = overlapping(6, 2, 6.0);
    labels[..2].copy_from_slice(&[0, 1]);
    let labels = {
        let mut l = labels;
        l[0] = 0;
        l[1] = 1;
        l
    };
    let fit = |l: Logistic<OnKernel<Rbf>>| l.fit(&x, &labels).unwrap_err();
    for lambda in [0.0, -1.0, f64::NAN] {
        assert!(matches!(fit(logistic().lambda(lambda)), Error::Core(_)));
    }
    assert!(matches!(fit(logistic().tolerance(-1.0)), Error::Core(_)));
    assert_eq!(logistic().fit(&x, &[1; 6]).unwrap_err(), Error::OneClass { points: 6 });
    let short = logistic().fit(&x, &[1, 2]).unwrap_err();
    assert_eq!(short, Error::Length { what: "labels", expected: 6, given: 2 });
    let weights = |w: [f64; 6]| with_weights(&logistic(), (&x, &labels), &w).unwrap_err();
    assert_eq!(weights([1.0, -1.0, 1.0, 1.0, 1.0, 1.0]), Error::Weight { point: 1, given: -1.0 });
    assert_eq!(weights([0.0; 6]), Error::NoWeight { points: 6 });
    let of_one: [f64; 6] = std::array::from_fn(|i| labels[i] as f64);
    assert_eq!(weights(of_one), Error::NoClassWeight { class: 0 });
    let each = |w: &[f64]| fit(logistic().class_weights(ClassWeights::Each(w.to_vec())));
    assert_eq!(each(&[1.0]), Error::ClassWeights { expected: 2, given: 1 });
    assert_eq!(each(&[1.0, 0.0]), Error::ClassWeight { class: 1, given: 0.0 });
    let small = within(&logistic(), (&x, &labels), MemoryBudget::bytes(100)).unwrap_err();
    assert!(matches!(small, Error::Gram(GramError::Budget { .. })));
    let swap = AssumeMercer(FnKernel::new(|x: &u8, y: &u8| 9.0 * f64::from(u8::from(x != y))));
    let error = Logistic::on_kernel(swap).lambda(0.01).fit(&vec![0_u8, 1], &[0, 1]).unwrap_err();
    assert!(matches!(error, Error::NotPositiveDefinite { .. }), "{error}");
}

#[test]
fn same_bits_for_any_number_of_threads() {
    let (x, labels) = overlapping(600, 3, 6.0);
    let run = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let fit = |multi_class| {
                let logistic = Logistic::on_kernel(rbf()).lambda(1e-4).multi_class(multi_class);
                let model = logistic.fit(&x, &labels).unwrap();
                (model.predict_proba(&x).unwrap(), model)
            };
            (fit(MultiClass::Softmax), fit(MultiClass::OneVsRest))
        })
    };
    let one = run(1);
    assert!(one == run(2) && one == run(8));
}

#[test]
fn reloaded_model_gives_the_same_bits() {
    let (x, labels) = overlapping(30, 3, 6.0);
    let model: Model<usize> = logistic().fit(&x, &labels).unwrap();
    let text = serde_json::to_string(&model).unwrap();
    let reloaded: Model<usize> = serde_json::from_str(&text).unwrap();
    assert_eq!(reloaded, model);
    assert_eq!(reloaded.predict_proba(&x).unwrap(), model.predict_proba(&x).unwrap());
    let bytes = postcard::to_stdvec(&model).unwrap();
    assert_eq!(postcard::from_bytes::<Model<usize>>(&bytes).unwrap(), model);
    let other = text.replacen("\"format\":[3", "\"format\":[4", 1);
    assert!(serde_json::from_str::<Model<usize>>(&other).is_err());
}

#[test]
fn single_precision_converges_and_is_close_to_double() {
    let (x, labels) = overlapping(100, 3, 6.0);
    let narrow = x.as_slice().iter().map(|&v| v as f32).collect();
    let x32 = Samples::from_row_major(2, narrow).unwrap();
    let wide = Logistic::on_kernel(rbf()).lambda(1e-3).fit(&x, &labels).unwrap();
    let single = Logistic::on_kernel(rbf()).lambda(1e-3).fit(&x32, &labels).unwrap();
    assert_eq!(single.report().status, Status::Converged, "{}", single.report());
    let (a, b) = (wide.predict_proba(&x).unwrap(), single.predict_proba(&x32).unwrap());
    // Both are within √(2·1e-8·J/λ) < 5e-3 of the optimum in every decision value, and probabilities
    // have a slope of at most 1/4 in each of three.
    for i in 0..100 {
        for c in 0..3 {
            assert!((a[(i, c)] - f64::from(b[(i, c)])).abs() < 1e-2);
        }
    }
}

#[test]
fn a_kernel_on_the_line_is_ordinary_logistic_regression() {
    // min ln(1 + e^{−w}) + ln(1 + e^{−w}) … on x = ±1: σ(−w) = λw by hand.
    let x = Samples::from_rows(&[[1.0], [-1.0]]).unwrap();
    let model = Logistic::on_kernel(Linear).lambda(0.1).tolerance(1e-15).fit(&x, &[1, 0]).unwrap();
    let w: f64 = model.decision_values(&x).unwrap()[(0, 0)];
    assert!((1.0 / (1.0 + w.exp()) - 0.1 * w).abs() < 1e-9, "{w}");
}

proptest! {
    #[test]
    fn gaps_close_on_arbitrary_data(
        rows in proptest::collection::vec(([-3.0..3.0_f64, -3.0..3.0], 0_usize..3, 0.0..3.0_f64), 4..30),
        log_lambda in -8.0..1.0_f64,
        one_vs_rest in proptest::bool::ANY,
    ) {
        let points: Vec<[f64; 2]> = rows.iter().map(|row| row.0).collect();
        let labels: Vec<usize> = rows.iter().map(|row| row.1).collect();
        let weights: Vec<f64> = rows.iter().map(|row| row.2 + 0.01).collect();
        prop_assume!(labels.iter().any(|&l| l != labels[0]));
        let x = Samples::from_rows(&points).unwrap();
        let multi = if one_vs_rest { MultiClass::OneVsRest } else { MultiClass::Softmax };
        let model = Logistic::on_kernel(rbf()).lambda(10.0_f64.powf(log_lambda)).multi_class(multi);
        let model = with_weights(&model, (&x, &labels), &weights).unwrap();
        let report = model.report();
        prop_assert_eq!(report.status, Status::Converged, "{}", report);
        let gap = report.gap.unwrap();
        prop_assert!((0.0..=1e-8 * report.objective).contains(&gap), "{}", report);
    }
}
