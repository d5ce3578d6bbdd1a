//! Recursive feature machines against gradients one by one, and what they promise.
//!
//! The golden values are from NumPy 2.4.6, with a full array of differences and the bordered matrix inverted:
//!
//! ```python
//! n, d = 60, 3; i = np.arange(n)[:, None]; k = np.arange(d)[None]
//! X = np.sin(1.3*i + 2.1*k + 0.7*i*k)*(1 + k)
//! y = np.sin(2*X[:, 0]) + 0.3*X[:, 1]**2 + 0.01*np.cos(5.0*np.arange(n))
//! def distances(Z): return ((Z[:, None] - Z[None])**2).sum(-1)
//! M = np.eye(d); q = np.array([0.3, -0.5, 1.0])
//! for r in range(3):
//!     w, V = np.linalg.eigh(M); R = (V*np.sqrt(w)) @ V.T
//!     R *= np.sqrt(distances(X).sum()/distances(X @ R).sum()); Z = X @ R
//!     A = np.zeros((n + 1, n + 1)); A[:n, :n] = np.exp(-0.8*np.sqrt(distances(Z))) + n*1e-3*np.eye(n)
//!     A[:n, n] = A[n, :n] = 1; a = np.linalg.solve(A, np.r_[y, 0]); loo = a[:n]/np.diag(np.linalg.inv(A))[:n]
//!     np.sqrt((loo**2).mean()), a[n] + np.exp(-0.8*np.sqrt(((Z - q @ R)**2).sum(1))) @ a[:n], R @ R/(R @ R).max()
//!     G = np.zeros((n, d))
//!     for j in range(n):
//!         for t in set(range(n)) - {j}:
//!             s = np.linalg.norm(Z[j] - Z[t]); G[j] += a[t]*(-0.8*np.exp(-0.8*s)/s)*(R @ (Z[j] - Z[t]))
//!     M = G.T @ G/n  # np.diag(np.diag(M)) for a diagonal one
//!     M += 0.05*np.trace(M)/d*np.eye(d)
//! ```
#![allow(clippy::unwrap_used, reason = "a test may panic, in its helper functions, too")]

use kern_core::faer::Mat;
use kern_core::gradient::MetricKernel;
use kern_core::kernels::{Exponential, Laplacian, Matern32, Rbf};
use kern_core::{Points, Row, Samples};
use kern_gram::{MemoryBudget, parallel::sequentially};
use kern_solvers::feature_machine::{FeatureMachine, FeatureMetric, MetricExpansion};
use kern_solvers::model::Regressor;
use kern_solvers::pipeline::Encode;
use kern_solvers::ridge::Ridge;
use kern_solvers::space::OnKernel;
use kern_solvers::{
    Data, Details, Error, FeatureRound, LeafRounds, Learner, Progress, Run, Status,
};
use std::ops::ControlFlow;

const N: usize = 60;

fn points(n: usize) -> Samples<f64> {
    let row = |i: usize| {
        let i = i as f64;
        [0.0, 1.0, 2.0].map(|k| (1.3 * i + 2.1 * k + 0.7 * i * k).sin() * (1.0 + k))
    };
    Samples::from_rows(&(0..n).map(row).collect::<Vec<_>>()).unwrap()
}

fn targets(x: &Samples<f64>) -> Vec<f64> {
    let value = |i: usize| {
        let x = x.item(i);
        (2.0 * x[0]).sin() + 0.3 * x[1] * x[1] + 0.01 * (5.0 * i as f64).cos()
    };
    (0..x.len()).map(value).collect()
}

fn machine() -> FeatureMachine<OnKernel<Exponential>> {
    let machine = FeatureMachine::on_kernel(Exponential::new(0.8).unwrap());
    machine.lambda(1e-3).spread(1.0).rounds(2).metric(FeatureMetric::Full).folds(0)
}

fn leaves(report: &kern_solvers::Report) -> Vec<LeafRounds> {
    let Details::FeatureMachine(details) = &report.details else { unreachable!() };
    details.leaves.clone()
}

type Fitted = Regressor<MetricExpansion<f64, Exponential>>;

#[test]
fn rounds_are_those_of_gradients_one_by_one() {
    let x = points(N);
    let query = Samples::from_rows(&[[0.3, -0.5, 1.0]]).unwrap();
    let errors = [0.356_069_285_651_217_4, 0.212_465_081_835_823_36, 0.182_402_141_188_149_32];
    let m = [
        [1.0, -0.007_897_428_231_183_909, -0.003_533_864_930_145_710_7],
        [-0.007_897_428_231_183_909, 0.284_552_602_375_388_3, 0.007_676_793_609_412_059],
        [-0.003_533_864_930_145_710_7, 0.007_676_793_609_412_059, 0.037_188_828_132_453_24],
    ];
    let model: Fitted = machine().fit(&x, &targets(&x)).unwrap();
    let rounds = &leaves(model.report())[0];
    assert_eq!((rounds.best, rounds.rounds.len()), (2, 3));
    for (round, error) in rounds.rounds.iter().zip(errors) {
        assert!((round.error - error).abs() < 1e-11, "{round:?}");
    }
    let found = model.decision().feature_matrix();
    let close = |i: usize, j: usize| (found[(i, j)] - m[i][j]).abs() < 1e-10;
    assert!((0..3).all(|i| (0..3).all(|j| close(i, j))), "{found:?}");
    assert!((model.predict(&query).unwrap()[0] - 0.654_851_115_303_871_4).abs() < 1e-10);

    let diagonal = machine().metric(FeatureMetric::Diagonal).fit(&x, &targets(&x)).unwrap();
    let found = diagonal.decision().feature_matrix();
    for (i, expected) in [1.0, 0.283_338_384_857_981_6, 0.037_041_058_034_482_67].iter().enumerate()
    {
        assert!((found[(i, i)] - expected).abs() < 1e-10, "{found:?}");
    }
    assert!(found[(0, 1)].abs() < f64::MIN_POSITIVE);
    assert!((diagonal.predict(&query).unwrap()[0] - 0.655_934_928_525_476_3).abs() < 1e-10);
}

/// By the same program, with np.exp(-0.8*np.abs(Z[:, None] - Z[None]).sum(-1)), S = np.sign(Z[:, None] - Z[None]) and
/// G = np.einsum('t,jt,jtk->jk', a[:n], -0.8*K, S) @ R.
#[test]
fn rounds_of_a_kernel_that_sees_rotations() {
    let x = points(N);
    let query = Samples::from_rows(&[[0.3, -0.5, 1.0]]).unwrap();
    let kernel = Laplacian::new(0.8).unwrap();
    let machine = FeatureMachine::on_kernel(kernel).lambda(1e-3).spread(1.0).rounds(2).folds(0);
    let errors = [0.367_918_406_734_365_27, 0.298_606_126_799_238_76, 0.270_309_933_862_321_05];
    let diagonal_errors =
        [0.367_918_406_734_365_27, 0.297_287_830_946_264_65, 0.267_312_548_506_586_8];
    for (metric, errors, value) in [
        (FeatureMetric::Full, errors, 0.682_162_578_608_515_8),
        (FeatureMetric::Diagonal, diagonal_errors, 0.663_583_854_513_526_5),
    ] {
        let model = machine.clone().metric(metric).fit(&x, &targets(&x)).unwrap();
        let rounds = &leaves(model.report())[0];
        for (round, error) in rounds.rounds.iter().zip(errors) {
            assert!((round.error - error).abs() < 1e-10, "{round:?}");
        }
        assert_eq!((rounds.best, rounds.rounds.len()), (2, 3));
        assert!((model.predict(&query).unwrap()[0] - value).abs() < 1e-9, "{metric:?}");
    }
}

/// With a fold for each point, the errors are those of machines that are learned without it.
#[test]
fn folds_judge_by_targets_that_the_metric_has_not_seen() {
    let x = points(N);
    let y = targets(&x);
    let mut wanted = [0.0; 3];
    for i in 0..N {
        let others: Vec<usize> = (0..N).filter(|&k| k != i).collect();
        let part = x.select(&others).unwrap();
        let known: Vec<f64> = others.iter().map(|&k| y[k]).collect();
        let query = x.select(&[i]).unwrap();
        for (round, wanted) in wanted.iter_mut().enumerate() {
            let model = machine().rounds(round).fit(&part, &known).unwrap();
            assert_eq!(leaves(model.report())[0].best, round);
            *wanted += (model.predict(&query).unwrap()[0] - y[i]).powi(2) / N as f64;
        }
    }
    let model = machine().folds(N).fit(&x, &y).unwrap();
    let leaf = &leaves(model.report())[0];
    for (round, wanted) in leaf.rounds.iter().zip(wanted) {
        let wanted = wanted.sqrt();
        assert!((round.validation_error - wanted).abs() < 1e-9 * wanted, "{round:?}, not {wanted}");
    }
    // Only the first round has not seen the targets by which leave-one-out judges it.
    assert!((leaf.rounds[0].validation_error / leaf.rounds[0].error - 1.0).abs() < 0.01);
    assert!((1..3).all(|round| leaf.rounds[round].validation_error > leaf.rounds[round].error));
}

#[test]
fn both_kinds_are_tried_and_the_better_one_is_taken() {
    let x = points(N);
    let y = targets(&x);
    for folds in [0, 4] {
        let machine = machine().folds(folds);
        let alone = |metric| {
            let model = machine.clone().metric(metric).fit(&x, &y).unwrap();
            leaves(model.report())[0].clone()
        };
        let (full, diagonal) = (alone(FeatureMetric::Full), alone(FeatureMetric::Diagonal));
        let model = machine.clone().metric(FeatureMetric::Either).fit(&x, &y).unwrap();
        let either = &leaves(model.report())[0];
        let apart = full.rounds.iter().chain(&diagonal.rounds[1..]);
        // The weight is that of the choice.
        let of = |round: &FeatureRound| {
            let mut round = round.clone();
            round.weight = 0.0;
            round
        };
        assert!(either.rounds.iter().map(of).eq(apart.map(of)), "{:?}", either.rounds);
        let weights: f64 = either.rounds.iter().map(|round| round.weight).sum();
        assert!(either.rounds[either.best].weight.total_cmp(&weights).is_eq());
        let chosen = &either.rounds[either.best];
        let smallest = full.rounds[full.best]
            .validation_error
            .min(diagonal.rounds[diagonal.best].validation_error);
        assert!(chosen.validation_error <= smallest && smallest <= chosen.validation_error);
    }
}

/// A stacked machine is the mean of its rounds by weights that no other mean betters on the targets that are left out. The weights
/// are those of scipy.optimize.nnls on the residuals of the same program with γ = 0.1, whose optimum has two of them:
/// D = E[:, 1] - E[:, 3]; -(E[:, 3] @ D)/(D @ D).
#[test]
fn stacked_machines_are_means_of_rounds() {
    let x = points(N);
    let target = |i: usize| {
        let row = x.item(i);
        row[0].abs() + 0.5 * (3.0 * row[1]).sin() + (7.0 * i as f64).sin()
    };
    let y: Vec<f64> = (0..N).map(target).collect();
    let query = Samples::from_rows(&[[0.3, -0.5, 1.0], [1.0, 0.2, 0.1]]).unwrap();
    let kernels: [MetricKernel; 2] =
        [Laplacian::new(0.1).unwrap().into(), Rbf::new(0.1).unwrap().into()];
    let of = |kernels: &[MetricKernel]| {
        let machine = FeatureMachine::on_kernels(kernels).lambda(1e-2).spread(1.0).folds(0);
        machine.rounds(1).metric(FeatureMetric::Full)
    };
    let model = of(&kernels).stacked(true).fit(&x, &y).unwrap();
    let leaf = &leaves(model.report())[0];
    let weights: Vec<f64> = leaf.rounds.iter().map(|round| round.weight).collect();
    let wanted = [0.0, 0.300_523_533_582_248_4, 0.0, 1.0 - 0.300_523_533_582_248_4];
    assert!(weights.iter().zip(wanted).all(|(a, b)| (a - b).abs() < 1e-6), "{weights:?}");
    assert_eq!(model.decision().expansions(0).len(), 2);
    assert_eq!([0, 1, 2, 3].map(|k| leaf.rounds[k].kernel), [0, 0, 1, 1]);

    let mut mean = [0.0; 2];
    for (kernel, weights) in kernels.iter().zip(weights.chunks(2)) {
        let alone = of(std::slice::from_ref(kernel)).fit(&x, &y).unwrap();
        assert_eq!(leaves(alone.report())[0].best, 1);
        let values = alone.predict(&query).unwrap();
        mean.iter_mut().zip(values).for_each(|(mean, value)| *mean += weights[1] * value);
    }
    let found = model.predict(&query).unwrap();
    assert!(found.iter().zip(mean).all(|(a, b)| (a - b).abs() < 1e-12), "{found:?}, {mean:?}");
    let text = serde_json::to_string(&model).unwrap();
    let read: Regressor<MetricExpansion<f64, MetricKernel>> = serde_json::from_str(&text).unwrap();
    assert_eq!(read, model);
    let best = of(&kernels).fit(&x, &y).unwrap();
    assert_eq!(best.decision().expansions(0).len(), 1);
}

#[test]
fn without_rounds_it_is_ridge() {
    let (x, kernel) = (points(N), Exponential::new(0.8).unwrap());
    let y = targets(&x);
    let model = machine().rounds(0).fit(&x, &y).unwrap();
    let ridge = Ridge::on_kernel(kernel).lambda(1e-3).intercept(true).fit(&x, &y).unwrap();
    let pairs = model.predict(&x).unwrap().into_iter().zip(ridge.predict(&x).unwrap());
    pairs.for_each(|(a, b)| assert!((a - b).abs() < 1e-12));
    assert!(model.report().gap.is_some_and(|gap| gap < 1e-20));
}

/// A weight of two is a point that is there twice, and of zero one that is not; λ is per point.
#[test]
fn weights_repeat_and_drop_points() {
    let x = points(20);
    let y = targets(&x);
    let weights: Vec<f64> = (0..20).map(|i| [1.0, 2.0, 0.0][i % 3]).collect();
    let indices: Vec<usize> =
        (0..20).flat_map(|i| std::iter::repeat_n(i, weights[i] as usize)).collect();
    let repeated = x.select(&indices).unwrap();
    let twice: Vec<f64> = indices.iter().map(|&i| y[i]).collect();
    for metric in [FeatureMetric::Full, FeatureMetric::Diagonal] {
        let machine = machine().rounds(1).metric(metric);
        let data = Data::new(&x, &y).unwrap();
        let weighted = data.weights(&weights).unwrap();
        let weighted = machine.learn(&weighted, &mut Run::new()).unwrap();
        let lambda = 1e-3 * 20.0 / indices.len() as f64;
        let other = machine.lambda(lambda).fit(&repeated, &twice).unwrap();
        // Leave-one-out errors are of other points, but both find the second round better.
        let chosen = |report| leaves(report)[0].best;
        assert_eq!((chosen(weighted.report()), chosen(other.report())), (1, 1));
        let pairs = weighted.predict(&x).unwrap().into_iter().zip(other.predict(&x).unwrap());
        pairs.for_each(|(a, b)| assert!((a - b).abs() < 1e-9, "{a}, {b}"));
    }
}

#[test]
fn outputs_share_the_sum_of_their_matrices() {
    let x = points(N);
    let y = targets(&x);
    // Twice the same output: the same M, and the same function.
    let two = Mat::from_fn(N, 2, |i, _| y[i]);
    let (one, both) = (machine().fit(&x, &y).unwrap(), machine().fit(&x, &two).unwrap());
    let (a, b) = (one.decision().feature_matrix(), both.decision().feature_matrix());
    assert!((a - b).norm_max() < 1e-12);
    let (a, b) = (one.predict(&x).unwrap(), both.predict(&x).unwrap());
    assert!((0..N).all(|i| (a[i] - b[(i, 1)]).abs() < 1e-10));
}

#[test]
fn lambda_and_spread_are_of_the_least_error_nearby() {
    let x = points(N);
    let y = targets(&x);
    let free = FeatureMachine::on_kernel(Matern32::new(2.0).unwrap()).rounds(0);
    let chosen = leaves(free.fit(&x, &y).unwrap().report())[0].rounds[0].clone();
    for (lambda, spread) in [(10.0_f64.sqrt(), 1.0), (0.1_f64.sqrt(), 1.0), (1.0, 2.0), (1.0, 0.5)]
    {
        let near = free.clone().lambda(chosen.lambda * lambda).spread(chosen.spread * spread);
        let other = leaves(near.fit(&x, &y).unwrap().report())[0].rounds[0].error;
        assert!(other >= 0.999 * chosen.error, "{other} at {lambda}, {spread}");
    }
}

#[test]
fn trees_halve_at_the_median_and_are_the_same_on_any_number_of_threads() {
    let x = points(300);
    let y = targets(&x);
    let tree = machine().leaf(80);
    let model = tree.fit(&x, &y).unwrap();
    let sizes: Vec<usize> = leaves(model.report()).iter().map(|leaf| leaf.points).collect();
    assert_eq!(sizes, [75; 4]);
    assert_eq!(model.decision().leaves(), 4);
    let alone = sequentially(|| tree.fit(&x, &y)).unwrap();
    assert_eq!(alone, model);
    let answers = model.predict(&x).unwrap();
    let error: f64 = answers.iter().zip(&y).map(|(a, b)| (a - b).powi(2)).sum::<f64>() / 300.0;
    assert!(error < 0.01, "{error}");
    let text = serde_json::to_string(&model).unwrap();
    assert_eq!(serde_json::from_str::<Fitted>(&text).unwrap(), model);
    // Points that cannot be told apart stay together.
    let same = Samples::from_rows(&[[1.0, 2.0]; 12]).unwrap();
    let model: Fitted = machine().leaf(4).fit(&same, &[0.5; 12]).unwrap();
    assert_eq!((model.decision().leaves(), model.predict(&same).unwrap()[3]), (1, 0.5));
}

#[test]
fn classes_of_any_label_are_told_by_features_that_matter() {
    let x = points(150);
    let y: Vec<&str> = (0..150)
        .map(|i| match x.item(i)[1] {
            v if v < -0.7 => "low",
            v if v < 0.7 => "middle",
            _ => "high",
        })
        .collect();
    let model = FeatureMachine::on_kernel(Exponential::new(0.5).unwrap()).fit(&x, &y).unwrap();
    let m = model.decision().feature_matrix();
    assert!(m[(1, 1)] > 0.999 && m[(0, 0)] < 0.5 && m[(2, 2)] < 0.5, "{m:?}");
    let answers = model.predict(&x).unwrap();
    assert!(answers.iter().zip(&y).filter(|(a, b)| a == b).count() > 140);
}

/// Categories are columns of 0 and 1 when the machine sees them; what they do is a block of M.
#[test]
fn categories_are_a_block_of_the_matrix() {
    let x = points(N);
    let row = |i: usize| Row {
        numbers: x.item(i)[..1].to_vec(),
        categories: Row::letter(i as u32 % 3).into_iter().collect(),
        text: String::new(),
    };
    let rows: Vec<Row> = (0..N).map(row).collect();
    let y: Vec<f64> = (0..N).map(|i| 0.2 * x.item(i)[0] + [0.0, 2.0, -1.0][i % 3]).collect();
    let machine = FeatureMachine::on_kernel(Exponential::new(0.5).unwrap());
    let model = Encode::one_hot().then(machine).fit(&rows, &y).unwrap();
    let answers = model.predict(&rows).unwrap();
    let error: f64 = answers.iter().zip(&y).map(|(a, b)| (a - b).powi(2)).sum::<f64>() / N as f64;
    assert!(error < 1e-2, "{error}");
    let m = model.model().decision().feature_matrix();
    assert!(m[(2, 2)] > 2.0 * m[(0, 0)] && m[(1, 2)] < 0.0, "{m:?}");
}

#[test]
fn runs_are_seen_stopped_and_kept_within_memory() {
    let x = points(N);
    let y = targets(&x);
    let data = Data::new(&x, &y).unwrap();
    let mut losses = Vec::new();
    let mut watch = |p: &Progress| {
        losses.push(p.loss);
        if p.iteration == 2 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    let model = machine().learn(&data, &mut Run::new().observer(&mut watch)).unwrap();
    assert_eq!(model.report().status, Status::Stopped);
    let errors: Vec<f64> = leaves(model.report())[0].rounds.iter().map(|r| r.error).collect();
    assert_eq!(losses, errors);
    // Rounds are kept as far as they were judged when somebody stops the folds: by leave-one-out.
    let mut watch = |p: &Progress| {
        assert_eq!(p.total, 7);
        if p.iteration == 5 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    let judged = machine().folds(4).learn(&data, &mut Run::new().observer(&mut watch)).unwrap();
    assert_eq!(judged.report().status, Status::Stopped);
    let rounds = leaves(judged.report())[0].rounds.clone();
    assert!(
        rounds.len() == 3 && rounds.iter().all(|r| r.validation_error.total_cmp(&r.error).is_eq())
    );
    let small = machine().learn(&data, &mut Run::new().memory(MemoryBudget::bytes(1000)));
    assert!(matches!(small, Err(Error::Gram(_))), "{small:?}");
}

#[test]
fn bad_input_is_a_typed_error() {
    let x = points(12);
    let y = targets(&x);
    for machine in [machine().lambda(0.0), machine().spread(f64::NAN), machine().shrinkage(-1.0)] {
        let error = machine.fit(&x, &y).unwrap_err();
        assert!(matches!(error, Error::Core(kern_core::Error::Parameter { .. })), "{error}");
    }
    let none = FeatureMachine::on_kernels(Vec::<Exponential>::new()).fit(&x, &y).unwrap_err();
    assert!(matches!(none, Error::Count { given: 0, .. }), "{none}");
    let error = machine().folds(1).fit(&x, &y).unwrap_err();
    assert!(matches!(error, Error::Count { name: "folds", given: 1, .. }), "{error}");
    let error = machine().leaf(1).fit(&x, &y).unwrap_err();
    assert!(matches!(error, Error::Core(_) | Error::Count { .. }), "{error}");
    let huge = Samples::from_rows(&[[1e300], [-1e300], [0.0]]).unwrap();
    let error = FeatureMachine::on_kernel(Rbf::new(1.0).unwrap()).fit(&huge, &[1.0, 2.0, 3.0]);
    assert!(matches!(error, Err(Error::Range { .. })), "{error:?}");
    let one = Samples::from_rows(&[[1.0]]).unwrap();
    assert!(matches!(machine().fit(&one, &[1.0]), Err(Error::NothingLeft { .. })));
    assert!(machine().intercept(false).fit(&one, &[1.0]).is_ok());
    let model = machine().fit(&x, &y).unwrap();
    let error = model.predict(&Samples::from_rows(&[[1.0]]).unwrap()).unwrap_err();
    assert!(matches!(error, Error::Core(kern_core::Error::Dimension { .. })), "{error}");
}
