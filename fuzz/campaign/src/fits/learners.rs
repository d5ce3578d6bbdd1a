//! Every learner in every space, with the choices that have no name.

use super::Formula;
use super::certificate::{self, Losses};
use super::features::{self, Map};
use super::trial::Trial;
use kern_approx::Nystrom;
use kern_core::Scalar;
use kern_core::faer::Mat;
use kern_solvers::calibration::Calibrated;
use kern_solvers::kmeans::{KMeans, SoftKMeans};
use kern_solvers::knn::{KNearest, KernelHashes, RadiusNeighbors, SearchAlgorithm, VantageTree};
use kern_solvers::logistic::Logistic;
use kern_solvers::perceptron::{Budget, Perceptron};
use kern_solvers::ridge::Ridge;
use kern_solvers::sgd::{EarlyStopping, Loss, Schedule, Sgd};
use kern_solvers::space::{OnFeatures, OnKernel, OnLandmarks};
use kern_solvers::svm::{OneClass, Svc, Svr};
use kern_solvers::{Labels, Outputs, Values};

/// A learner of one case.
pub(super) fn fit<T: Scalar>(trial: &mut Trial<'_, '_, T>, kernel: Formula<T>) {
    match trial.draws.below(8) {
        0 => ridge(trial, kernel),
        1 => logistic(trial, kernel),
        2 | 3 => machines(trial, kernel),
        4 => sgd(trial, kernel),
        5 => clusters(trial, kernel),
        6 => neighbors(trial, kernel),
        _ => perceptron(trial, kernel),
    }
}

fn labels<T: Scalar>(trial: &Trial<'_, '_, T>) -> Labels<u8> {
    Labels::new(trial.problem.labels.clone())
}

fn values<T: Scalar>(trial: &Trial<'_, '_, T>) -> Values<T> {
    Values::new(trial.problem.values.clone())
}

/// The values, and others.
fn outputs<T: Scalar>(trial: &Trial<'_, '_, T>) -> Outputs<T> {
    let values = &trial.problem.values;
    let other = |i: usize| T::from_f64((i % 3) as f64);
    Outputs::new(Mat::from_fn(values.len(), 2, |i, j| if j == 0 { values[i] } else { other(i) }))
}

/// Features of a kernel; identical ones where those that were drawn cannot be.
fn map<T: Scalar>(trial: &mut Trial<'_, '_, T>, kernel: &Formula<T>) -> Option<Map<T>> {
    features::draw(kernel, &trial.problem.x, trial.draws, trial.case)
}

fn landmarks<T: Scalar>(trial: &mut Trial<'_, '_, T>, kernel: Formula<T>) -> Nystrom<Formula<T>> {
    Nystrom::new(kernel).landmarks(trial.draws.one_of(&[1, 2, 5, 12, 40]))
}

fn ridge<T: Scalar>(trial: &mut Trial<'_, '_, T>, kernel: Formula<T>) {
    let (y, classes) = (values(trial), labels(trial));
    match trial.draws.below(8) {
        0..=2 => {
            let fitted = trial.fit("ridge on a kernel", Ridge::on_kernel(kernel), y);
            certificate::check(trial, Losses::Squares, fitted);
        }
        3 => drop(trial.fit("ridge classifier", Ridge::on_kernel(kernel), classes)),
        4 => {
            let y = outputs(trial);
            drop(trial.fit("ridge of outputs", Ridge::on_kernel(kernel), y));
        }
        5 => drop(trial.fit("ridge, auto", Ridge::auto(kernel), y)),
        6 => {
            let landmarks = landmarks(trial, kernel);
            drop(trial.fit("ridge on landmarks", Ridge::on_landmarks(landmarks), y));
        }
        _ => {
            let Some(map) = map(trial, &kernel) else { return };
            drop(trial.fit("ridge on features", Ridge::on_features(map), y));
        }
    }
}

fn logistic<T: Scalar>(trial: &mut Trial<'_, '_, T>, kernel: Formula<T>) {
    let classes = labels(trial);
    match trial.draws.below(4) {
        0 | 1 => {
            let fitted = trial.fit("logistic on a kernel", Logistic::on_kernel(kernel), classes);
            certificate::check(trial, Losses::Logistic, fitted);
        }
        2 => {
            let landmarks = landmarks(trial, kernel);
            drop(trial.fit("logistic on landmarks", Logistic::on_landmarks(landmarks), classes));
        }
        _ => {
            let Some(map) = map(trial, &kernel) else { return };
            drop(trial.fit("logistic on features", Logistic::on_features(map), classes));
        }
    }
}

fn machines<T: Scalar>(trial: &mut Trial<'_, '_, T>, kernel: Formula<T>) {
    match trial.draws.below(4) {
        0 | 1 => machine(trial, kernel),
        2 => {
            let (classes, y) = (labels(trial), values(trial));
            let landmarks = landmarks(trial, kernel);
            match trial.draws.below(3) {
                0 => {
                    let svc = with_c(trial, Svc::on_landmarks(landmarks));
                    drop(trial.fit("SVC on landmarks", svc, classes));
                }
                1 => drop(trial.fit("SVR on landmarks", Svr::on_landmarks(landmarks), y)),
                _ => {
                    drop(trial.fit(
                        "one class on landmarks",
                        OneClass::on_landmarks(landmarks),
                        (),
                    ));
                }
            }
        }
        _ => {
            let (classes, y) = (labels(trial), values(trial));
            let Some(map) = map(trial, &kernel) else { return };
            match trial.draws.below(3) {
                0 => drop(trial.fit("SVC on features", Svc::on_features(map), classes)),
                1 => drop(trial.fit("SVR on features", Svr::on_features(map), y)),
                _ => drop(trial.fit("one class on features", OneClass::on_features(map), ())),
            }
        }
    }
}

/// A machine on a kernel.
fn machine<T: Scalar>(trial: &mut Trial<'_, '_, T>, kernel: Formula<T>) {
    let (classes, y) = (labels(trial), values(trial));
    let nu = trial.draws.unit();
    match trial.draws.below(8) {
        0..=2 => {
            let svc = with_c(trial, Svc::on_kernel(kernel));
            let fitted = trial.fit("SVC on a kernel", svc, classes);
            certificate::check(trial, Losses::Hinges, fitted);
        }
        3 => drop(trial.fit("nu-SVC", Svc::on_kernel(kernel).nu(nu), classes)),
        4 | 5 => {
            let svr = Svr::on_kernel(kernel);
            let fitted = trial.fit("SVR on a kernel", svr, y);
            certificate::check(trial, Losses::Tube, fitted);
        }
        6 => drop(trial.fit("nu-SVR", Svr::on_kernel(kernel).nu(nu), y)),
        _ => match trial.draws.once_in(3) {
            true => {
                let calibrated = Calibrated::new(Svc::on_kernel(kernel)).folds(2);
                drop(trial.fit("calibrated SVC", calibrated, classes));
            }
            false => {
                let fitted = trial.fit("one class on a kernel", OneClass::on_kernel(kernel), ());
                certificate::check(trial, Losses::Region, fitted);
            }
        },
    }
}

/// The penalties at the ends of what there is, more often than names are drawn.
fn with_c<T: Scalar, S>(trial: &mut Trial<'_, '_, T>, svc: Svc<S>) -> Svc<S> {
    let c = trial.draws.one_of(&[1.0, 1.0, 1.0, 1e-300, 1e300, f64::INFINITY, 1e10, 1e-10]);
    trial.case.note(format!("C = {c:e}"));
    svc.c(c)
}

fn perceptron<T: Scalar>(trial: &mut Trial<'_, '_, T>, kernel: Formula<T>) {
    let classes = labels(trial);
    let vectors = trial.draws.one_of(&[1, 2, 5, 30, usize::MAX]);
    let distance = trial.draws.one_of(&[0.0, 0.1, 1e300]);
    let budget = trial.draws.one_of(&[
        Budget::None,
        Budget::None,
        Budget::Random { vectors },
        Budget::Oldest { vectors },
        Budget::Projection { vectors, distance },
        Budget::ProjectionPlus { vectors, distance },
    ]);
    trial.case.note(format!("{budget:?}"));
    if trial.draws.once_in(3) {
        let Some(map) = map(trial, &kernel) else { return };
        drop(trial.fit("perceptron on features", Perceptron::on_features(map), classes));
    } else {
        let perceptron = Perceptron::on_kernel(kernel).budget(budget);
        drop(trial.fit("perceptron on a kernel", perceptron, classes));
    }
}

fn sgd<T: Scalar>(trial: &mut Trial<'_, '_, T>, kernel: Formula<T>) {
    let (classes, y) = (labels(trial), values(trial));
    match trial.draws.below(6) {
        0 => {
            let sgd = with_rules(trial, Sgd::on_kernel(kernel), true);
            drop(trial.fit("SGD on a kernel, classes", sgd, classes));
        }
        1 => {
            let sgd = with_rules(trial, Sgd::on_kernel(kernel), false);
            drop(trial.fit("SGD on a kernel, values", sgd, y));
        }
        2 => {
            let Some(map) = map(trial, &kernel) else { return };
            let sgd = with_rules(trial, Sgd::on_features(map), true);
            drop(trial.fit("SGD on features, classes", sgd, classes));
        }
        3 => {
            let Some(map) = map(trial, &kernel) else { return };
            let sgd = with_rules(trial, Sgd::on_features(map), false);
            drop(trial.fit("SGD on features, values", sgd, y));
        }
        4 => {
            let landmarks = landmarks(trial, kernel);
            let sgd = with_rules(trial, Sgd::on_landmarks(landmarks), false);
            drop(trial.fit("SGD on landmarks", sgd, y));
        }
        _ => {
            let sgd = with_rules(trial, Sgd::auto(kernel), false);
            drop(trial.fit("SGD, auto", sgd, y));
        }
    }
}

/// Losses, schedules and early stopping of all kinds.
fn with_rules<T: Scalar, S>(trial: &mut Trial<'_, '_, T>, sgd: Sgd<S>, classes: bool) -> Sgd<S> {
    let draws = &mut *trial.draws;
    let step = match draws.below(4) {
        0 => draws.power(-300.0, 300.0),
        1 => draws.power(-3.0, 3.0),
        _ => 0.1,
    };
    let (inverse, ada) = (Schedule::InverseSqrt(step), Schedule::AdaGrad(step));
    let schedule = draws.one_of(&[Schedule::Constant(step), inverse, Schedule::Pegasos, ada]);
    let margin = [Loss::Logistic, Loss::Hinge, Loss::SquaredHinge, Loss::Perceptron];
    let others = [Loss::Squared, Loss::Huber(step), Loss::EpsilonInsensitive(step)];
    let loss = draws.one_of(if classes { &margin[..] } else { &others[..] });
    let mut sgd = sgd.schedule(schedule.clone()).loss(loss);
    if schedule == Schedule::Pegasos || draws.once_in(2) {
        sgd = sgd.lambda(draws.power(-8.0, 0.0));
    }
    if draws.once_in(3) {
        sgd = sgd.early_stopping(EarlyStopping::default());
    }
    if draws.once_in(3) {
        sgd = sgd.iterations(draws.one_of(&[1, 7, 1000, usize::MAX]));
    }
    trial.case.note(format!("{schedule:?}, {loss:?}"));
    sgd
}

fn clusters<T: Scalar>(trial: &mut Trial<'_, '_, T>, kernel: Formula<T>) {
    let k = 1 + trial.draws.below(trial.problem.x.dim().max(trial.problem.labels.len()).min(5));
    match trial.draws.below(7) {
        0 => drop(trial.fit("k-means", KMeans::on(OnKernel::new(kernel), k), ())),
        1 | 2 => {
            let batch = trial.draws.one_of(&[1, 3, 16, usize::MAX, 1 << 40]);
            let truncation = trial.draws.one_of(&[1, 3, 256, usize::MAX]);
            trial.case.note(format!("batch {batch}, truncation {truncation}"));
            let means = KMeans::on_kernel(kernel, k).batch(batch).truncation(truncation);
            drop(trial.fit("k-means by batches", means, ()));
        }
        3 => {
            let space = OnLandmarks::new(landmarks(trial, kernel));
            drop(trial.fit("k-means on landmarks", KMeans::on(space, k), ()));
        }
        4 => {
            let Some(map) = map(trial, &kernel) else { return };
            drop(trial.fit("k-means on features", KMeans::on(OnFeatures::new(map), k), ()));
        }
        5 => {
            let Some(map) = map(trial, &kernel) else { return };
            let soft = SoftKMeans::on(OnFeatures::new(map), k);
            drop(trial.fit("soft k-means on features", soft, ()));
        }
        _ => drop(trial.fit("soft k-means", SoftKMeans::on(OnKernel::new(kernel), k), ())),
    }
}

fn neighbors<T: Scalar>(trial: &mut Trial<'_, '_, T>, kernel: Formula<T>) {
    let (classes, y) = (labels(trial), values(trial));
    let leaf = trial.draws.one_of(&[2, 3, 64, usize::MAX]);
    let tables = trial.draws.one_of(&[1, 4, 32, usize::MAX, 1 << 40]);
    let bits = trial.draws.one_of(&[1, 8, 64]);
    let search = trial.draws.one_of(&[
        SearchAlgorithm::Brute,
        VantageTree::new().leaf(leaf).into(),
        KernelHashes::new().tables(tables).bits(bits).probes(bits.min(4)).into(),
    ]);
    trial.case.note(format!("{search:?}"));
    let most = trial.problem.labels.len();
    let k = 1 + trial.draws.below(most);
    let radius =
        if trial.draws.once_in(3) { trial.draws.hostile() } else { trial.draws.power(-2.0, 1.0) };
    let near = KNearest::by_distance(kernel.clone()).neighbors(k).search(search);
    match trial.draws.below(7) {
        0 => drop(trial.fit("k-NN, classes", near, classes)),
        1 => drop(trial.fit("k-NN, values", near, y)),
        2 => drop(trial.fit("k-NN", near, ())),
        3 => {
            let similar = KNearest::by_similarity(kernel).neighbors(k);
            drop(trial.fit("k-NN by similarity", similar, classes));
        }
        4 => {
            let within = RadiusNeighbors::by_distance(kernel, radius).search(search);
            drop(trial.fit("radius, classes", within, classes));
        }
        5 => {
            let within = RadiusNeighbors::by_distance(kernel, radius).search(search);
            drop(trial.fit("radius, values", within, y));
        }
        _ => {
            let similar = RadiusNeighbors::by_similarity(kernel, radius);
            drop(trial.fit("radius by similarity", similar, y));
        }
    }
}
