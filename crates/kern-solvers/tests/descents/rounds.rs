//! Fits in rounds beside those that hold all samples: the same minima, by other algorithms.
#![allow(clippy::unwrap_used, reason = "a test may panic, in its helper functions, too")]

use crate::data::{two, wave};
use crate::real::claim;
use crate::standardised::standardised;
use faer::{Mat, MatRef};
use kern_approx::{FourierMap, RandomFourier, transform};
use kern_core::kernels::{Linear, Rbf};
use kern_core::{FeatureMap, Identity, Points, Samples};
use kern_gram::MemoryBudget;
use kern_solvers::components::KernelPca;
use kern_solvers::kmeans::{KMeans, Seeding};
use kern_solvers::logistic::Logistic;
use kern_solvers::ridge::Ridge;
use kern_solvers::rounds::{Block, Next, Outcome, Rounds, Sums};
use kern_solvers::sgd::Loss;
use kern_solvers::svm::Svc;
use kern_solvers::{Error, Report, Status};

const MEMORY: MemoryBudget = MemoryBudget::mebibytes(100);

/// Samples by their features.
struct Data {
    features: Mat<f64>,
    targets: Mat<f64>,
    weights: Option<Vec<f64>>,
}

impl Data {
    fn new(features: Mat<f64>, targets: &[f64]) -> Self {
        let targets = Mat::from_fn(targets.len(), 1, |i, _| targets[i]);
        Self { features, targets, weights: None }
    }

    fn weighted(self, weights: Vec<f64>) -> Self {
        Self { weights: Some(weights), ..self }
    }
}

/// The answer of all samples in parts of this length, merged from the first to the last.
fn asked(rounds: &Rounds, data: &Data, part: usize) -> Sums {
    let (query, n) = (rounds.query(), data.features.ncols());
    let mut total = query.sums(&MEMORY).unwrap();
    for start in (0..n).step_by(part) {
        let len = part.min(n - start);
        let (z, y) = (data.features.subcols(start, len), data.targets.subrows(start, len));
        let mut block = Block::new(z, y);
        if let Some(weights) = &data.weights {
            block = block.weights(&weights[start..start + len]);
        }
        let mut sums = query.sums(&MEMORY).unwrap();
        query.gather(&mut sums, &block, &MEMORY).unwrap();
        total.merge(&sums).unwrap();
    }
    total
}

/// The outcome, with everything written and read again between rounds if that is asked for.
fn ended(mut rounds: Rounds, data: &Data, (part, written): (usize, bool)) -> Outcome {
    loop {
        let mut sums = asked(&rounds, data, part);
        if written {
            rounds = postcard::from_bytes(&postcard::to_stdvec(&rounds).unwrap()).unwrap();
            sums = postcard::from_bytes(&postcard::to_stdvec(&sums).unwrap()).unwrap();
        }
        match rounds.next(sums, &MEMORY).unwrap() {
            Next::Round(next) => rounds = next,
            Next::Done(outcome) => return *outcome,
        }
    }
}

/// The weights, with the intercepts in the last row, and the report.
fn functions(rounds: Rounds, data: &Data) -> (Mat<f64>, Report) {
    let Outcome::Functions(found) = ended(rounds, data, (37, false)) else { panic!("functions") };
    let (dim, outputs) = found.weights.shape();
    let at = |i: usize, k: usize| if i < dim { found.weights[(i, k)] } else { found.intercepts[k] };
    (Mat::from_fn(dim + 1, outputs, at), found.report)
}

fn map(dim: usize) -> FourierMap {
    RandomFourier::new(Rbf::new(0.5).unwrap()).dim(40).seed(7).sample(dim).unwrap()
}

fn features<P: Points<Scalar = f64>>(map: &impl FeatureMap<P>, x: &P) -> Mat<f64> {
    let z = transform(map, x, &MEMORY).unwrap();
    Mat::from_fn(z.dim(), x.len(), |i, j| z.item(j)[i])
}

fn signs(labels: &[bool]) -> Vec<f64> {
    labels.iter().map(|&label| if label { 1.0 } else { -1.0 }).collect()
}

/// Asserts that two matrices agree relative to the greater entry.
fn close(a: MatRef<'_, f64>, b: MatRef<'_, f64>, tolerance: f64) {
    let difference = (a - b).norm_max();
    assert!(difference <= tolerance * b.norm_max(), "{difference:e} of {:e}", b.norm_max());
}

#[test]
fn ridge_regression_is_that_of_normal_equations() {
    let (x, labels) = two(150);
    let (map, y) = (map(2), signs(&labels));
    let weights: Vec<f64> = (0..150).map(|i| f64::from(i % 3)).collect();
    let data = Data::new(features(&map, &x), &y).weighted(weights.clone());
    let rounds = Rounds::ridge(40, 1, 1e-3, true).unwrap();
    let (found, report) = functions(rounds, &data);
    let points = kern_solvers::Data::new(&x, kern_solvers::Values::new(y)).unwrap();
    let points = points.weights(&weights).unwrap();
    let ridge = Ridge::on_features(map).lambda(1e-3).intercept(true);
    let model = kern_solvers::Learner::learn(&ridge, &points, &mut kern_solvers::Run::new());
    let model = model.unwrap();
    close(found.subrows(0, 40), model.decision().weights(), 1e-9);
    assert!((found[(40, 0)] - model.decision().intercepts()[0]).abs() < 1e-9);
    assert!((report.objective - model.report().objective).abs() < 1e-12);
}

#[test]
fn logistic_regression_is_that_of_newtons_method() {
    let (x, labels) = two(150);
    let map = map(2);
    let data = Data::new(features(&map, &x), &signs(&labels));
    for (lambda, intercept) in [(1e-1, false), (1e-3, true), (1e-5, true)] {
        let rounds = Rounds::descent(40, 1, Some(Loss::Logistic), lambda, intercept).unwrap();
        let (found, report) = functions(rounds.tolerance(1e-9).unwrap(), &data);
        let logistic = Logistic::on_features(map.clone()).lambda(lambda).intercept(intercept);
        let model = logistic.tolerance(1e-12).fit(&x, &labels).unwrap();
        assert_eq!(report.status, Status::Converged, "{report}");
        let (gap, optimum) = (report.gap.unwrap(), model.report().objective);
        assert!(gap <= 1e-9 * report.objective, "{report}");
        assert!(report.objective - optimum <= gap + 1e-13, "{report}, not {optimum}");
        assert!(report.iterations < 150, "{report}");
        close(found.subrows(0, 40), model.decision().weights(), 1e-3);
    }
}

#[test]
fn softmax_regression_is_that_of_newtons_method() {
    let (x, labels) = two(150);
    let map = map(2);
    let classes: Vec<usize> = (0..150).map(|i| usize::from(labels[i]) + i % 7 / 5).collect();
    let numbers: Vec<f64> = classes.iter().map(|&class| class as f64).collect();
    let data = Data::new(features(&map, &x), &numbers);
    let z = transform(&map, &x, &MEMORY).unwrap();
    for intercept in [false, true] {
        let rounds = Rounds::descent(40, 3, None, 1e-3, intercept).unwrap();
        let (_, report) = functions(rounds.tolerance(1e-8).unwrap(), &data);
        let logistic = Logistic::on_kernel(Linear).lambda(1e-3).intercept(intercept);
        let model = logistic.tolerance(1e-11).fit(&z, &classes).unwrap();
        let (gap, optimum) = (report.gap.unwrap(), model.report().objective);
        assert_eq!(report.status, Status::Converged, "{report}");
        assert!(gap <= 1e-8 * report.objective, "{report}");
        let off = report.objective - optimum;
        assert!(off.abs() <= gap + 1e-11 * optimum, "{report}, off by {off:e}");
    }
}

/// (λ/2)‖w‖² + (1/n)Σ½ξ² is λ times ½‖w‖² + CΣξ² with C = 1/(2nλ).
#[test]
fn squared_hinge_is_that_of_dual_coordinate_descent() {
    let (x, labels) = two(150);
    let (map, lambda) = (map(2), 1e-3);
    let data = Data::new(features(&map, &x), &signs(&labels));
    let rounds = Rounds::descent(40, 1, Some(Loss::SquaredHinge), lambda, true).unwrap();
    let (found, report) = functions(rounds.tolerance(1e-9).unwrap(), &data);
    let c = 1.0 / (2.0 * 150.0 * lambda);
    let machine = Svc::on_features(map).c(c).squared(true).tolerance(1e-10);
    let model = machine.fit(&x, &labels).unwrap();
    assert_eq!(report.status, Status::Converged, "{report}");
    let optimum = lambda * model.report().objective;
    assert!((report.objective - optimum).abs() < 1e-7 * optimum, "{report}, not {optimum}");
    close(found.subrows(0, 40), model.decision().weights(), 1e-3);
}

/// No minimum is lower, by any step from the one that was found; the gap says so, too.
#[test]
fn residual_losses_end_in_their_minima() {
    let (x, y) = standardised("diabetes").unwrap();
    let dim = x.dim();
    let data = Data::new(features(&Identity::new(dim), &x), &y);
    for loss in [Loss::SquaredEpsilonInsensitive(0.2), Loss::Huber(0.5), Loss::Squared] {
        let rounds = Rounds::descent(dim, 1, Some(loss), 1e-2, true).unwrap();
        let (found, report) = functions(rounds.tolerance(1e-10).unwrap(), &data);
        assert_eq!(report.status, Status::Converged, "{loss:?}: {report}");
        let objective = |at: MatRef<'_, f64>| {
            let f = |i: usize| {
                (0..dim).map(|k| at[(k, 0)] * data.features[(k, i)]).sum::<f64>() + at[(dim, 0)]
            };
            let losses: f64 = (0..y.len()).map(|i| loss.value(f(i), y[i])).sum();
            let norm: f64 = (0..dim).map(|k| at[(k, 0)].powi(2)).sum();
            losses / y.len() as f64 + 0.5 * 1e-2 * norm
        };
        let least = objective(found.as_ref());
        assert!((least - report.objective).abs() < 1e-12);
        let near = |step: usize| {
            Mat::from_fn(dim + 1, 1, |k, _| found[(k, 0)] + 1e-3 * wave(step * 13 + k, 2.3))
        };
        let others = (0..40).map(|step| objective(near(step).as_ref()));
        let others = others.fold(f64::INFINITY, f64::min);
        let what = format!(
            "rounds of {loss:?}: of 40 points around the end, none has an objective lower by more than the gap"
        );
        let measured = format_args!("{least:.6e}, around it at least {others:.6e}");
        claim(others >= least - report.gap.unwrap(), "diabetes", what, measured);
    }
}

#[test]
fn several_outputs_are_problems_of_their_own() {
    let (x, labels) = two(150);
    let z = features(&map(2), &x);
    let second: Vec<f64> = (0..150).map(|i| if i % 5 == 0 { 1.0 } else { -1.0 }).collect();
    let pair = [signs(&labels), second];
    let fit = |outputs: usize, targets: Mat<f64>| {
        let data = Data { features: z.clone(), targets, weights: None };
        let rounds = Rounds::descent(40, outputs, Some(Loss::Logistic), 1e-3, true).unwrap();
        functions(rounds.tolerance(1e-10).unwrap(), &data).0
    };
    let both = fit(2, Mat::from_fn(150, 2, |i, k| pair[k][i]));
    for (k, targets) in pair.iter().enumerate() {
        let alone = fit(1, Mat::from_fn(150, 1, |i, _| targets[i]));
        close(both.as_ref().subcols(k, 1), alone.as_ref(), 1e-3);
    }
}

#[test]
fn components_are_those_of_the_covariance() {
    let (x, _) = two(150);
    let map = map(2);
    let data = Data { features: features(&map, &x), targets: Mat::zeros(150, 0), weights: None };
    let rounds = Rounds::components(40, 3).unwrap();
    let Outcome::Components(axes) = ended(rounds, &data, (37, false)) else { panic!("axes") };
    let (found, model) = (axes.components(map.clone()), KernelPca::on_features(map, 3));
    let model = model.fit(&x).unwrap();
    for (a, b) in found.eigenvalues().iter().zip(model.eigenvalues()) {
        assert!((a - b).abs() < 1e-9 * b, "{a} {b}");
    }
    let values = kern_solvers::Model::predict(&found, &x).unwrap();
    close(values.as_ref(), kern_solvers::Model::predict(&model, &x).unwrap().as_ref(), 1e-6);
}

#[test]
fn k_means_ends_where_lloyds_algorithm_does() {
    let rows: Vec<[f64; 2]> =
        (0..200).map(|i| [3.0 * (i % 4) as f64 + 0.4 * wave(i, 1.7), 0.5 * wave(i, 3.1)]).collect();
    let x = Samples::from_rows(&rows).unwrap();
    let z = features(&Identity::new(2), &x);
    let seeds = vec![0, 1, 2, 7];
    let centres = Mat::from_fn(2, 4, |k, c| z[(k, seeds[c])]);
    let data = Data { features: z, targets: Mat::zeros(200, 0), weights: None };
    let rounds = Rounds::k_means(centres).unwrap().tolerance(1e-12).unwrap();
    let Outcome::Centroids(found) = ended(rounds, &data, (37, false)) else { panic!("centres") };
    let k_means = KMeans::on_features(Identity::new(2), 4).seeding(Seeding::Given(seeds));
    let model = k_means.fit(&x).unwrap();
    assert!((found.report.objective - model.report().objective).abs() < 1e-9);
    assert_eq!(found.masses, model.sizes().iter().map(|&n| n as f64).collect::<Vec<_>>());
    assert_eq!(found.report.status, Status::Converged);
    let clusters = found.clusters(Identity::new(2));
    assert_eq!(clusters.predict(&x).unwrap(), model.predict(&x).unwrap());
}

#[test]
fn a_cluster_without_samples_is_given_the_farthest() {
    let z = Mat::from_fn(1, 6, |_, i| [0.0, 0.1, 0.2, 9.0, 9.1, 9.2][i]);
    let data = Data { features: z, targets: Mat::zeros(6, 0), weights: None };
    let centres = Mat::from_fn(1, 2, |_, c| [4.0, 1000.0][c]);
    let rounds = Rounds::k_means(centres).unwrap();
    let Outcome::Centroids(found) = ended(rounds, &data, (2, false)) else { panic!("centres") };
    assert_eq!(found.masses, [3.0, 3.0]);
    assert!((found.report.objective - 0.04).abs() < 1e-12, "{}", found.report);
    assert_eq!(found.report.details.k_means().unwrap().reseeded, 1);
}

/// Rounds that were written and read have the same bits; so have all threads.
#[test]
fn a_checkpoint_goes_on_with_the_same_bits() {
    let (x, labels) = two(150);
    let z = features(&map(2), &x);
    let data = Data::new(z.clone(), &signs(&labels));
    let bare = Data { features: z.clone(), targets: Mat::zeros(150, 0), weights: None };
    let start = Mat::from_fn(40, 3, |i, c| z[(i, 5 * c)]);
    let cases = [
        (Rounds::ridge(40, 1, 1e-3, true).unwrap(), &data),
        (Rounds::descent(40, 1, Some(Loss::Logistic), 1e-4, true).unwrap(), &data),
        (Rounds::k_means(start).unwrap(), &bare),
        (Rounds::components(40, 2).unwrap(), &bare),
    ];
    for (rounds, data) in cases {
        let outcome = |written| format!("{:?}", ended(rounds.clone(), data, (37, written)));
        let threads = |count: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(count).build().unwrap();
            pool.install(|| outcome(false))
        };
        assert_eq!(outcome(true), threads(1));
        assert_eq!(threads(1), threads(3));
    }
}

#[test]
fn wrong_answers_are_refused() {
    let rounds = Rounds::ridge(2, 1, 1.0, true).unwrap();
    let descent = Rounds::descent(2, 1, Some(Loss::Logistic), 1.0, true).unwrap();
    let query = rounds.query();
    let mut sums = query.sums(&MEMORY).unwrap();
    let nothing = rounds.clone().next(sums.clone(), &MEMORY);
    assert!(matches!(nothing, Err(Error::Empty)));
    let z = Mat::from_fn(3, 1, |_, _| 1.0);
    let y = Mat::from_fn(1, 1, |_, _| 1.0);
    let wrong = query.gather(&mut sums, &Block::new(z.as_ref(), y.as_ref()), &MEMORY);
    assert_eq!(wrong.unwrap_err().to_string(), "the statistics are of 2 features, not of 3");
    let z = Mat::from_fn(2, 1, |i, _| [1.0, f64::NAN][i]);
    let wrong = query.gather(&mut sums, &Block::new(z.as_ref(), y.as_ref()), &MEMORY);
    assert!(matches!(wrong, Err(Error::Core(kern_core::Error::FeatureNotFinite { .. }))));
    let z = Mat::from_fn(2, 1, |_, _| 1.0);
    query.gather(&mut sums, &Block::new(z.as_ref(), y.as_ref()), &MEMORY).unwrap();
    let Next::Round(descent) = descent.next(sums.clone(), &MEMORY).unwrap() else {
        panic!("moments are the first round")
    };
    assert!(matches!(descent.next(sums, &MEMORY), Err(Error::OtherQuery)));
    assert!(Rounds::descent(2, 1, Some(Loss::Hinge), 1.0, true).is_err());
    assert!(Rounds::ridge(2, 1, 0.0, true).is_err());
    assert!(Rounds::components(2, 3).is_err());
    assert!(Rounds::k_means(Mat::new()).is_err());
}
