//! SGD: the ways agree, steps are those of the definition, laws, and errors.
#![allow(clippy::unwrap_used, reason = "a test may panic, in its helper functions, too")]

use super::learn::{data, within};
use super::losses::LOSSES;
use kern_approx::Nystrom;
use kern_core::closure::{AssumeMercer, Normalized};
use kern_core::faer::Mat;
use kern_core::kernels::{FnKernel, Linear, Polynomial, Rbf};
use kern_core::{Error as CoreError, Explicit, Identity, Points, Samples};
use kern_gram::{Error as GramError, MemoryBudget};
use kern_solvers::model::{Classifier, EitherFunction, FeatureExpansion, KernelExpansion};
use kern_solvers::plan::Algorithm;
use kern_solvers::sgd::{Averaging, EarlyStopping, Loss, Schedule, Sgd, SgdSpace, Storage};
use kern_solvers::space::{Auto, Features};
use kern_solvers::{
    Data, Details, Error, Labels, Learner, MultiClass, Planned, Progress, Report, Run, Status,
};
use proptest::prelude::*;
use std::ops::ControlFlow;

pub(crate) fn blobs(n: usize, classes: usize) -> (Samples<f64>, Vec<usize>) {
    let noise = |k: usize| ((k * 7919 + 13) % 1009) as f64 / 1009.0 - 0.5;
    let labels: Vec<usize> = (0..n).map(|i| i % classes).collect();
    let center = |i: usize| (i % classes) as f64;
    let values = (0..n)
        .flat_map(|i| [center(i) + 0.9 * noise(2 * i), (center(i) - 1.0).abs() + noise(2 * i + 1)]);
    (Samples::from_row_major(2, values.collect()).unwrap(), labels)
}

fn classify<S>(sgd: &Sgd<S>, x: &Samples<f64>, labels: &[usize]) -> Mat<f64>
where
    S: SgdSpace<Samples<f64>>,
{
    sgd.fit(x, labels).unwrap().decision_values(x).unwrap()
}

/// The details of the space [`Auto`].
fn planned(report: &Report) -> &Planned {
    match &report.details {
        Details::Planned(planned) => planned,
        other => panic!("{other:?}"),
    }
}

/// All that can be set beside the space and the storage.
#[derive(Clone, Debug)]
struct Settings {
    loss: Loss,
    multi_class: MultiClass,
    schedule: Schedule,
    lambda: f64,
    batch: usize,
    averaging: Averaging,
    weights: Option<Vec<f64>>,
    early_stopping: Option<EarlyStopping>,
}

impl Settings {
    fn new(loss: Loss, schedule: Schedule, lambda: f64) -> Self {
        Self {
            loss,
            multi_class: MultiClass::OneVsRest,
            schedule,
            lambda,
            batch: 1,
            averaging: Averaging::Last,
            weights: None,
            early_stopping: None,
        }
    }

    fn of<S>(&self, sgd: Sgd<S>) -> Sgd<S> {
        let sgd = sgd.loss(self.loss).multi_class(self.multi_class).lambda(self.lambda).seed(5);
        let sgd = sgd.schedule(self.schedule.clone()).batch(self.batch).averaging(self.averaging);
        match self.early_stopping {
            Some(rule) => sgd.early_stopping(rule),
            None => sgd,
        }
    }

    /// The model of these settings and weights in a space.
    fn model<S>(
        &self,
        sgd: Sgd<S>,
        (x, labels): (&Samples<f64>, &[usize]),
        run: &mut Run<'_>,
    ) -> Classifier<S::Function, usize>
    where
        S: SgdSpace<Samples<f64>>,
    {
        let data = data((x, labels), self.weights.as_deref());
        self.of(sgd).learn(&data, run).unwrap()
    }

    /// The ways, each with what it stores: all, some, nothing.
    fn decisions(&self, x: &Samples<f64>, labels: &[usize]) -> Vec<Mat<f64>> {
        let storages = [Storage::Cached, Storage::Partial, Storage::OnTheFly];
        // Columns of the Gram matrix, or features of half of the points; with three classes other
        // things have to fit, too.
        let classes = labels.iter().max().unwrap() + 1;
        let (columns, features) =
            if classes == 2 { (7 * x.len(), x.len()) } else { (24 * x.len(), 24 * x.len()) };
        let run = |storage, numbers: usize| match storage {
            Storage::Partial => Run::new().memory(MemoryBudget::bytes(numbers as u64 * 8)),
            _ => Run::new(),
        };
        let u = storages.map(|storage| {
            let sgd = Sgd::on_kernel(Linear).storage(storage);
            let model = self.model(sgd, (x, labels), &mut run(storage, columns));
            model.decision_values(x).unwrap()
        });
        let w = storages.map(|storage| {
            let sgd = Sgd::on_features(Identity::new(2)).storage(storage);
            let model = self.model(sgd, (x, labels), &mut run(storage, features));
            model.decision_values(x).unwrap()
        });
        u.into_iter().chain(w).collect()
    }

    fn assert_ways_agree(&self, x: &Samples<f64>, labels: &[usize]) {
        let decisions = self.decisions(x, labels);
        for other in &decisions {
            let difference = (&decisions[0] - other).norm_max();
            let allowed = 1e-10 * (1.0 + decisions[0].norm_max());
            assert!(difference <= allowed, "{self:?}: {difference:e}");
        }
    }
}

/// The four exact ways, and those that store a part, with a linear kernel and two classes or more,
/// for all losses, schedules and penalties.
#[test]
fn exact_ways_agree_for_every_loss_schedule_and_penalty() {
    let schedules = [Schedule::Constant(0.05), Schedule::InverseSqrt(0.2), Schedule::Pegasos];
    for classes in [2, 3] {
        let (x, labels) = blobs(90, classes);
        for loss in LOSSES {
            for schedule in &schedules {
                for lambda in [0.0, 0.1] {
                    if *schedule == Schedule::Pegasos && lambda <= 0.0 {
                        continue;
                    }
                    Settings::new(loss, schedule.clone(), lambda).assert_ways_agree(&x, &labels);
                }
            }
        }
    }
}

/// The same with batches (smaller than a block of samples that are looked at together, and larger
/// than it in one space or in both), averages, weights, softmax and early stopping.
#[test]
fn exact_ways_agree_with_everything_else() {
    let weights: Vec<f64> = (0..90).map(|i| f64::from(i % 4)).collect();
    let losses = [
        (Loss::Logistic, Schedule::Constant(0.3), 0.01),
        (Loss::Hinge, Schedule::Pegasos, 0.05),
        (Loss::Squared, Schedule::InverseSqrt(0.1), 0.0),
    ];
    for classes in [2, 3] {
        let (x, labels) = blobs(90, classes);
        for batch in [1, 7, 40, 300] {
            for averaging in [Averaging::Last, Averaging::Uniform, Averaging::Tail(0.3)] {
                for (loss, schedule, lambda) in losses.clone() {
                    let mut settings = Settings::new(loss, schedule, lambda);
                    (settings.batch, settings.averaging) = (batch, averaging);
                    settings.assert_ways_agree(&x, &labels);
                    settings.weights = Some(weights.clone());
                    settings.early_stopping = Some(EarlyStopping::default());
                    settings.assert_ways_agree(&x, &labels);
                    if loss == Loss::Logistic {
                        settings.multi_class = MultiClass::Softmax;
                        settings.assert_ways_agree(&x, &labels);
                    }
                }
            }
        }
    }
}

#[test]
fn exact_features_of_an_rbf_kernel_give_the_same_model() {
    let (x, labels) = blobs(120, 2);
    let kernel = Rbf::new(1.0).unwrap();
    let map = Nystrom::new(kernel).fit_landmarks(x.clone(), &MemoryBudget::mebibytes(1)).unwrap();
    let u = classify(&Sgd::on_kernel(kernel).seed(1), &x, &labels);
    let w = classify(&Sgd::on_features(map).seed(1), &x, &labels);
    assert!((u - w).norm_max() < 1e-8);
}

#[test]
fn exact_features_of_composites_give_the_same_model() {
    let (x, labels) = blobs(120, 3);
    let kernel = 0.5 * Polynomial::new(0.5, 1.0, 2).unwrap() + Normalized::new(Linear);
    let map = kernel.feature_map(&x).unwrap();
    let u = classify(&Sgd::on_kernel(kernel).loss(Loss::Hinge).seed(3), &x, &labels);
    let w = classify(&Sgd::on_features(map).loss(Loss::Hinge).seed(3), &x, &labels);
    assert!((&u - w).norm_max() <= 1e-10 * (1.0 + u.norm_max()));
}

/// The definition, step by step, in the plainest code: the weights of all iterates.
fn plain_iterates(settings: &Settings, x: &Samples<f64>, labels: &[usize]) -> Vec<[[f64; 2]; 3]> {
    use rand::{RngExt, SeedableRng};
    // A point of weight 0 is not drawn.
    let weighs = |&i: &usize| settings.weights.as_ref().is_none_or(|weights| weights[i] > 0.0);
    let drawn: Vec<usize> = (0..x.len()).filter(weighs).collect();
    let n = drawn.len();
    let mut rng = rand_chacha::ChaCha8Rng::seed_from_u64(5);
    let mut w = [[0.0; 2]; 3];
    let mut iterates = Vec::new();
    for t in 1..=(20 * n).div_ceil(settings.batch) {
        let alpha = settings.schedule.at(t, settings.lambda);
        let mut gradient = [[0.0; 2]; 3];
        for _ in 0..settings.batch {
            let i = drawn[rng.random_range(0..n)];
            let beta = settings.weights.as_ref().map_or(1.0, |weights| weights[i]);
            let z = x.item(i);
            let m = w.map(|w: [f64; 2]| w[0] * z[0] + w[1] * z[1]);
            let total: f64 = m.iter().map(|m| m.exp()).sum();
            for k in 0..3 {
                let slope = if settings.multi_class == MultiClass::Softmax {
                    m[k].exp() / total - if labels[i] == k { 1.0 } else { 0.0 }
                } else {
                    settings.loss.derivative(m[k], if labels[i] == k { 1.0 } else { -1.0 })
                };
                for j in 0..2 {
                    gradient[k][j] += beta * slope * z[j] / settings.batch as f64;
                }
            }
        }
        for k in 0..3 {
            for j in 0..2 {
                w[k][j] = (1.0 - alpha * settings.lambda) * w[k][j] - alpha * gradient[k][j];
            }
        }
        iterates.push(w);
    }
    iterates
}

#[test]
fn steps_are_those_of_the_definition() {
    let (x, labels) = blobs(30, 3);
    let weights: Vec<f64> = (0..30).map(|i| 0.5 * f64::from(i % 3)).collect();
    for (batch, multi_class, weights) in [
        (1, MultiClass::OneVsRest, None),
        (1, MultiClass::Softmax, Some(weights.clone())),
        (4, MultiClass::OneVsRest, Some(weights)),
        (4, MultiClass::Softmax, None),
    ] {
        for (averaging, first) in
            [(Averaging::Last, 1.0), (Averaging::Uniform, 0.0), (Averaging::Tail(0.25), 0.75)]
        {
            let mut settings = Settings::new(Loss::Logistic, Schedule::InverseSqrt(0.7), 0.05);
            (settings.batch, settings.multi_class) = (batch, multi_class);
            (settings.averaging, settings.weights) = (averaging, weights.clone());
            let iterates = plain_iterates(&settings, &x, &labels);
            let first = ((first * iterates.len() as f64) as usize).min(iterates.len() - 1);
            let tail = &iterates[first..];
            let sgd = Sgd::on_features(Identity::new(2));
            let model = settings.model(sgd, (&x, &labels), &mut Run::new());
            assert_eq!(model.report().iterations, iterates.len());
            for k in 0..3 {
                for j in 0..2 {
                    let mean = tail.iter().map(|w| w[k][j]).sum::<f64>() / tail.len() as f64;
                    let given = model.decision().weights()[(j, k)];
                    assert!((given - mean).abs() < 1e-12, "{settings:?}: {given} {mean}");
                }
            }
        }
    }
}

/// AdaGrad in the plainest code, with a penalty, a batch (also one larger than is looked at together)
/// and an average; on a kernel it is refused.
#[test]
fn adagrad_is_that_of_its_definition() {
    use rand::{RngExt, SeedableRng};
    let (x, labels) = blobs(30, 2);
    for (batch, storage) in [(1, Storage::Cached), (3, Storage::OnTheFly), (300, Storage::Cached)] {
        let (alpha, lambda, steps) = (0.3, 0.05, 25);
        let mut rng = rand_chacha::ChaCha8Rng::seed_from_u64(5);
        let (mut w, mut squares, mut mean) = ([0.0; 2], [0.0; 2], [0.0; 2]);
        for _ in 0..steps {
            let mut g = [lambda * w[0], lambda * w[1]];
            for _ in 0..batch {
                let i = rng.random_range(0..30_usize);
                let y = if labels[i] == 1 { 1.0 } else { -1.0 };
                let m = w[0] * x.item(i)[0] + w[1] * x.item(i)[1];
                let slope = Loss::Logistic.derivative(m, y) / f64::from(batch);
                g.iter_mut().zip(x.item(i)).for_each(|(g, x)| *g += slope * x);
            }
            for j in 0..2 {
                squares[j] += g[j] * g[j];
                w[j] -= alpha * g[j] / f64::sqrt(squares[j]);
                mean[j] += w[j] / f64::from(steps);
            }
        }
        let sgd =
            Sgd::on_features(Identity::new(2)).schedule(Schedule::AdaGrad(alpha)).lambda(lambda);
        let sgd = sgd.batch(batch as usize).iterations(steps as usize).seed(5).storage(storage);
        let model = sgd.clone().fit(&x, &labels).unwrap();
        let averaged = sgd.averaging(Averaging::Uniform).fit(&x, &labels).unwrap();
        for j in 0..2 {
            assert!((model.decision().weights()[(j, 0)] - w[j]).abs() < 1e-12);
            assert!((averaged.decision().weights()[(j, 0)] - mean[j]).abs() < 1e-12);
        }
    }
    let refused = Sgd::on_kernel(Linear).schedule(Schedule::AdaGrad(0.1));
    assert_eq!(refused.fit(&x, &labels).unwrap_err(), Error::AdaptiveKernel);
}

/// (1/n) Σ β·ℓ + (λ/2)‖w‖² over the points that weigh something, from the model alone.
#[test]
fn the_objective_is_that_of_the_model() {
    let (x, labels) = blobs(60, 2);
    let weights: Vec<f64> = (0..60).map(|i| f64::from(i % 3)).collect();
    for averaging in [Averaging::Last, Averaging::Uniform] {
        let mut settings = Settings::new(Loss::Logistic, Schedule::Constant(0.3), 0.05);
        (settings.averaging, settings.weights) = (averaging, Some(weights.clone()));
        let (data, run) = ((&x, &labels[..]), &mut Run::new());
        let model = settings.model(Sgd::on_kernel(Linear), data, run);
        let other = settings.model(Sgd::on_features(Identity::new(2)), data, run);
        let w = other.decision().weights();
        let loss = |i: usize| {
            let y = if labels[i] == 1 { 1.0 } else { -1.0 };
            let m = w[(0, 0)] * x.item(i)[0] + w[(1, 0)] * x.item(i)[1];
            weights[i] * f64::ln_1p(f64::exp(-y * m))
        };
        let norm = w[(0, 0)].powi(2) + w[(1, 0)].powi(2);
        let objective = (0..60).map(loss).sum::<f64>() / 40.0 + 0.5 * 0.05 * norm;
        assert!((model.report().objective - objective).abs() < 1e-12);
        assert!((other.report().objective - objective).abs() < 1e-12);
    }
}

#[test]
fn a_function_is_a_schedule_and_is_checked_as_it_goes() {
    let (x, labels) = blobs(30, 2);
    let fit = |schedule| Sgd::on_kernel(Linear).schedule(schedule).fit(&x, &labels);
    let constant = fit(Schedule::Constant(0.2)).unwrap();
    assert_eq!(fit(Schedule::function(|_| 0.2)).unwrap(), constant);
    let error = fit(Schedule::function(|t| if t == 9 { f64::NAN } else { 0.2 })).unwrap_err();
    assert!(matches!(error, Error::StepSize { iteration: 9, .. }), "{error}");
    let function = Schedule::function(|_| 0.2);
    assert_eq!(function, function.clone());
    assert!(serde_json::to_string(&function).is_err());
}

/// The model is the best of all epochs by the loss of the held-out points: so with more of them to
/// choose from it gets no worse, and when patience is over it is what it was.
#[test]
fn early_stopping_returns_the_epoch_of_least_held_out_loss() {
    let (x, labels) = blobs(80, 2);
    // Labels of a fifth of the points are wrong, so a narrow kernel learns noise after a while.
    let noisy: Vec<usize> =
        labels.iter().enumerate().map(|(i, &l)| if i % 5 == 0 { 1 - l } else { l }).collect();
    let rule = EarlyStopping { fraction: 0.25, patience: 4, tolerance: 0.0 };
    let fit = |epochs, rule| {
        let sgd = Sgd::on_kernel(Rbf::new(30.0).unwrap()).schedule(Schedule::Constant(0.5));
        sgd.epochs(epochs).early_stopping(rule).fit(&x, &noisy).unwrap()
    };
    let stopped = fit(500, rule);
    assert_eq!(stopped.report().status, Status::EarlyStopped);
    let epochs = stopped.report().iterations / 60;
    assert!(epochs > rule.patience && epochs < 100, "{epochs}");
    // Four epochs less, and it was the best one that was reached last.
    let best = fit(epochs - rule.patience, EarlyStopping { patience: 1000, ..rule });
    assert_eq!(best.report().status, Status::IterationsDone);
    assert_eq!(best.decision(), stopped.decision());
    assert_ne!(fit(epochs - rule.patience - 1, rule).decision(), stopped.decision());
}

/// A step of the hinge loss on a point beyond the margin costs no kernel value.
#[test]
fn points_beyond_the_margin_cost_no_kernel_values() {
    use std::sync::atomic::{AtomicUsize, Ordering};
    let rows: Vec<f64> = (0..400).map(|i| if i % 2 == 0 { 1.0 } else { -1.0 }).collect();
    let labels: Vec<usize> = (0..400).map(|i| i % 2).collect();
    let evaluations = |loss| {
        let count = AtomicUsize::new(0);
        let kernel = AssumeMercer(FnKernel::new(|x: &f64, y: &f64| {
            count.fetch_add(1, Ordering::Relaxed);
            x * y
        }));
        let sgd = Sgd::on_kernel(&kernel).loss(loss).schedule(Schedule::Constant(1.0));
        // A limit of time looks at a few values beside.
        let (data, mut run) = (Data::new(&rows, &labels).unwrap(), Run::new().time_limit(None));
        let model = sgd.storage(Storage::OnTheFly).epochs(5).learn(&data, &mut run).unwrap();
        assert!(model.accuracy(&rows, &labels).unwrap() >= 1.0);
        count.load(Ordering::Relaxed)
    };
    let (hinge, logistic) = (evaluations(Loss::Hinge), evaluations(Loss::Logistic));
    assert!(logistic >= 5 * 400 * 400, "{logistic}");
    // One step, and the pairs of the blocks of 50 samples; then the bound of the model's values, and its accuracy. The
    // first values are measured for their cost, and compared with their mirror images.
    assert!(hinge <= 400 + 5 * 400 * 50 + 3 * 400 + 8, "{hinge}");
}

#[test]
fn regression_reaches_the_least_squares_solution() {
    let (x, _) = blobs(200, 3);
    let y: Vec<f64> = (0..200).map(|i| 2.0 * x.item(i)[0] - x.item(i)[1]).collect();
    let sgd = Sgd::on_features(Identity::new(2)).schedule(Schedule::Constant(0.1)).epochs(200);
    let model = sgd.fit(&x, &y).unwrap();
    let w = model.decision().weights();
    assert!((w[(0, 0)] - 2.0).abs() < 1e-6 && (w[(1, 0)] + 1.0).abs() < 1e-6);
    assert!(model.report().objective < 1e-10);
}

/// As planned, and by every way that can be fixed: one model, and the way that was gone is told.
#[test]
fn every_way_and_auto_give_one_model() {
    let (x, labels) = blobs(120, 3);
    let kernel = Polynomial::new(0.5, 1.0, 2).unwrap();
    let map = kernel.feature_map(&x).unwrap();
    let reference = classify(&Sgd::on_kernel(kernel).seed(3), &x, &labels);
    let space = Auto::new(kernel).features(Features::Exact(map.clone()));
    for algorithm in [None].into_iter().chain(Algorithm::SGD.map(Some)) {
        let space = algorithm.map_or(space.clone(), |algorithm| space.clone().algorithm(algorithm));
        let fitted = Sgd::on(space).seed(3).fit(&x, &labels);
        if let Some(algorithm @ (Algorithm::ApproximateOnTheFly | Algorithm::ApproximateCached)) =
            algorithm
        {
            assert_eq!(fitted.unwrap_err(), Error::NoSuchAlgorithm { algorithm: algorithm.name() });
            continue;
        }
        let model = fitted.unwrap();
        let taken = planned(model.report()).algorithm;
        match algorithm {
            None => assert!(taken.is_exact()),
            Some(algorithm) => assert_eq!(taken, algorithm),
        }
        let difference = (&reference - model.decision_values(&x).unwrap()).norm_max();
        assert!(difference <= 1e-10 * (1.0 + reference.norm_max()), "{taken}: {difference:e}");
        let in_u_space = matches!(model.decision(), EitherFunction::Kernel(_));
        assert_eq!(in_u_space, matches!(taken, Algorithm::KernelOnTheFly | Algorithm::GramCached));
    }
    let space = Auto::new(kernel).features(Features::Approximate(map));
    assert!(Sgd::on(space.algorithm(Algorithm::ApproximateCached)).fit(&x, &labels).is_ok());
    let space = Auto::new(Linear).features(Features::Exact(Identity::new(2)));
    for algorithm in [Algorithm::GramCached, Algorithm::FeaturesCached] {
        let model = Sgd::on(space.algorithm(algorithm)).fit(&x, &labels).unwrap();
        let text = serde_json::to_string(&model).unwrap();
        let reloaded: Classifier<EitherFunction<Samples<f64>, Linear, Identity>, usize> =
            serde_json::from_str(&text).unwrap();
        assert_eq!(reloaded, model);
    }
    for storage in [Storage::Auto, Storage::Partial] {
        let u = classify(&Sgd::on_kernel(kernel).seed(3).storage(storage), &x, &labels);
        assert!((&reference - u).norm_max() <= 1e-10 * (1.0 + reference.norm_max()));
        let map = kernel.feature_map(&x).unwrap();
        let w = classify(&Sgd::on_features(map).seed(3).storage(storage), &x, &labels);
        assert!((&reference - w).norm_max() <= 1e-10 * (1.0 + reference.norm_max()));
    }
}

/// The planner goes on the fly where the Gram matrix does not fit.
#[test]
fn auto_keeps_to_the_budget() {
    let (x, labels) = blobs(300, 2);
    let sgd = Sgd::on_kernel(Rbf::new(1.0).unwrap()).epochs(1).storage(Storage::Auto);
    let fly = sgd.clone().storage(Storage::OnTheFly).fit(&x, &labels).unwrap();
    assert_eq!(within(&sgd, (&x, &labels), MemoryBudget::bytes(300 * 299 * 8)).unwrap(), fly);
}

#[test]
fn a_point_that_was_never_drawn_is_not_kept() {
    let (x, labels) = blobs(50, 2);
    let model = Sgd::on_kernel(Linear).iterations(5).fit(&x, &labels).unwrap();
    assert!(model.decision().points().len() <= 5);
    assert_eq!(model.report().iterations, 5);
}

#[test]
fn observer_sees_every_epoch_and_may_stop() {
    let (x, labels) = blobs(40, 2);
    let mut seen = Vec::new();
    let mut watch = |p: &Progress| {
        seen.push((p.iteration, p.loss));
        if seen.len() == 3 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    let sgd = Sgd::on_kernel(Rbf::new(1.0).unwrap()).epochs(10);
    let mut run = Run::new().observer(&mut watch);
    let model = sgd.learn(&Data::new(&x, &labels).unwrap(), &mut run).unwrap();
    assert_eq!(model.report().status, Status::Stopped);
    assert_eq!(model.report().iterations, 120);
    assert_eq!(seen.iter().map(|s| s.0).collect::<Vec<_>>(), [40, 80, 120]);
    assert!(seen[2].1 < seen[0].1, "the loss falls: {seen:?}");
    // What was reached is what three epochs give.
    let sgd = Sgd::on_kernel(Rbf::new(1.0).unwrap()).epochs(3);
    assert_eq!(sgd.fit(&x, &labels).unwrap().decision(), model.decision());
}

#[test]
fn fits_have_the_same_bits_for_any_number_of_threads() {
    let (x, labels) = blobs(400, 3);
    let run = |threads, storage| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let sgd = Sgd::on_kernel(Rbf::new(1.0).unwrap()).epochs(2).storage(storage);
            sgd.fit(&x, &labels).unwrap()
        })
    };
    for storage in [Storage::Cached, Storage::OnTheFly] {
        let one = run(1, storage);
        assert!(one == run(2, storage) && one == run(8, storage));
    }
}

#[test]
fn other_seed_gives_another_model() {
    let (x, labels) = blobs(50, 2);
    let fit = |seed| classify(&Sgd::on_kernel(Linear).seed(seed), &x, &labels);
    assert_eq!(fit(1), fit(1));
    assert_ne!(fit(1), fit(2));
}

#[test]
fn bad_input_is_a_typed_error() {
    let (x, labels) = blobs(6, 2);
    let sgd = || Sgd::on_kernel(Linear);
    for step in [0.0, -1.0, f64::NAN] {
        let error = sgd().schedule(Schedule::Constant(step)).fit(&x, &labels).unwrap_err();
        assert!(matches!(error, Error::Core(CoreError::Parameter { name: "the step size", .. })));
    }
    let error = sgd().lambda(-1.0).fit(&x, &labels).unwrap_err();
    assert!(matches!(error, Error::Core(CoreError::Parameter { name: "lambda", .. })));
    let error = sgd().schedule(Schedule::Pegasos).fit(&x, &labels).unwrap_err();
    assert!(matches!(error, Error::Core(CoreError::Parameter { .. })), "{error}");
    let error = sgd().epochs(0).fit(&x, &labels).unwrap_err();
    assert!(matches!(error, Error::Count { given: 0, .. }));
    let error = sgd().fit(&x, &labels[1..]).unwrap_err();
    assert_eq!(error, Error::Length { what: "labels", expected: 6, given: 5 });
    assert_eq!(sgd().fit(&x, &[0; 6]).unwrap_err(), Error::OneClass { points: 6 });
    let none = x.select(&[]).unwrap();
    assert_eq!(sgd().fit(&none, Labels::<u8>::new([])).unwrap_err(), Error::Empty);
    for loss in [Loss::Huber(0.0), Loss::Huber(f64::NAN), Loss::EpsilonInsensitive(-0.1)] {
        let error = sgd().loss(loss).fit(&x, &[0.5; 6]).unwrap_err();
        assert!(matches!(error, Error::Core(CoreError::Parameter { .. })), "{error}");
    }
    let error = sgd().loss(Loss::Hinge).fit(&x, &[0.5; 6]).unwrap_err();
    assert_eq!(error, Error::MarginLoss { loss: "Hinge".to_owned() });
    let error = sgd().fit(&x, &[f64::NAN; 6]).unwrap_err();
    assert!(matches!(error, Error::NotFinite { point: 0, .. }));
    let tight = |sgd| within(&sgd, (&x, &labels), MemoryBudget::bytes(10));
    let error = tight(sgd()).unwrap_err();
    assert!(matches!(error, Error::Gram(GramError::Budget { .. })));
    assert!(tight(sgd().storage(Storage::OnTheFly)).is_ok());
    assert!(Sgd::on_features(Identity::new(3)).fit(&x, &labels).is_err());
}

#[test]
fn divergence_is_an_error_with_the_step_that_caused_it() {
    let (x, _) = blobs(20, 2);
    let y: Vec<f64> = (0..20).map(f64::from).collect();
    let sgd = Sgd::on_features(Identity::new(2)).schedule(Schedule::Constant(1e6)).epochs(1000);
    match sgd.fit(&x, &y).unwrap_err() {
        Error::Diverged { iteration, step } => assert!(iteration > 1 && step > 1e5),
        other => panic!("{other}"),
    }
}

#[test]
fn reloaded_models_predict_the_same_bits() {
    let (x, labels) = blobs(30, 3);
    let labels: Vec<String> = labels.iter().map(|l| format!("class {l}")).collect();
    let kernel = Rbf::new(1.0).unwrap();
    let u = Sgd::on_kernel(kernel).fit(&x, &labels).unwrap();
    let text = serde_json::to_string(&u).unwrap();
    let reloaded: Classifier<KernelExpansion<Samples<f64>, Rbf>, String> =
        serde_json::from_str(&text).unwrap();
    assert_eq!(reloaded.decision_values(&x).unwrap(), u.decision_values(&x).unwrap());
    assert_eq!(reloaded, u);
    let w = Sgd::on_features(Identity::new(2)).fit(&x, &labels).unwrap();
    let bytes = postcard::to_stdvec(&w).unwrap();
    let reloaded: Classifier<FeatureExpansion<Identity, f64>, String> =
        postcard::from_bytes(&bytes).unwrap();
    assert_eq!(reloaded, w);
}

proptest! {
    /// u-space with a kernel and w-space with its features are the same steps, on arbitrary data.
    #[test]
    fn spaces_agree_on_arbitrary_data(
        rows in proptest::collection::vec([-2.0..2.0_f64, -2.0..2.0, -2.0..2.0], 2..40),
        seed in 0_u64..1000,
        lambda in 0.0..0.5_f64,
    ) {
        let labels: Vec<usize> = (0..rows.len()).map(|i| i % 2).collect();
        let x = Samples::from_rows(&rows).unwrap();
        let u = classify(&Sgd::on_kernel(Linear).seed(seed).lambda(lambda), &x, &labels);
        let w = classify(&Sgd::on_features(Identity::new(3)).seed(seed).lambda(lambda), &x, &labels);
        let allowed = 1e-10 * (1.0 + u.norm_max());
        prop_assert!((u - w).norm_max() <= allowed);
    }
}
