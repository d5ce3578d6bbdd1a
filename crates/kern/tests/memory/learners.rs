//! Every learner in its spaces: how much it takes of a budget, in a process of its own.

use super::support::{growth, rbf, samples};
use kern::approx::{FourierMap, Nystrom, RandomFourier};
use kern::gram::MemoryBudget;
use kern::solvers::perceptron::{Budget, Perceptron};
use kern::solvers::svm::{OneClass, Svc, Svr};
use kern::solvers::{
    Auto, Calibrated, Data, Error, FeatureMachine, GaussianProcess, GaussianProcessClassifier,
    KMeans, KNearest, KernelHashes, Learner, Logistic, RadiusNeighbors, Ridge, Run, Sgd,
    SoftKMeans, Storage, Targets, VantageTree,
};
use kern::{Points, Samples};
use std::time::Duration;

/// Tiles, packed operands and stacks of two threads, beside 5 % of the budget.
const SLACK: u64 = 4 << 20;

/// A fit within a budget, of so many bytes; its error, if there is one.
type Fit = fn(&Samples<f64>, MemoryBudget) -> Result<(), Error>;

/// A learner on some points, with a budget in MiB.
struct Row {
    name: &'static str,
    points: usize,
    budget: u64,
    /// Tells whether the budget is too small, which is a typed error.
    refused: bool,
    fit: Fit,
}

const fn row(name: &'static str, points: usize, budget: u64, fit: Fit) -> Row {
    Row { name, points, budget, refused: false, fit }
}

const fn refused(name: &'static str, points: usize, budget: u64, fit: Fit) -> Row {
    Row { name, points, budget, refused: true, fit }
}

fn map(dim: usize) -> FourierMap {
    RandomFourier::new(rbf()).dim(dim).seed(1).sample(2).unwrap()
}

fn sides(x: &Samples<f64>) -> Vec<bool> {
    (0..x.len()).map(|i| x.item(i)[0] + x.item(i)[1] > 1.0).collect()
}

/// Classes at random: every point is a mistake for long.
fn classes(x: &Samples<f64>, count: usize) -> Vec<usize> {
    (0..x.len()).map(|i| ((i * 2_654_435_761) % 4_294_967_296 * count) >> 32).collect()
}

fn waves(x: &Samples<f64>) -> Vec<f64> {
    (0..x.len()).map(|i| (9.0 * x.item(i)[0]).sin()).collect()
}

fn learn<Y: Targets, L: Learner<Samples<f64>, Y>>(
    learner: &L,
    data: &Data<'_, Samples<f64>, Y>,
    budget: MemoryBudget,
) -> Result<(), Error> {
    let limit = Duration::from_secs(3600);
    learner.learn(data, &mut Run::new().memory(budget).time_limit(limit)).map(drop)
}

/// Learns whether the sum of the coordinates is great.
fn two<L>(learner: &L, x: &Samples<f64>, budget: MemoryBudget) -> Result<(), Error>
where
    L: Learner<Samples<f64>, kern::solvers::Labels<bool>>,
{
    learn(learner, &Data::new(x, &sides(x))?, budget)
}

fn many<L>(
    learner: &L,
    (x, count): (&Samples<f64>, usize),
    budget: MemoryBudget,
) -> Result<(), Error>
where
    L: Learner<Samples<f64>, kern::solvers::Labels<usize>>,
{
    learn(learner, &Data::new(x, &classes(x, count))?, budget)
}

fn numbers<L>(learner: &L, x: &Samples<f64>, budget: MemoryBudget) -> Result<(), Error>
where
    L: Learner<Samples<f64>, kern::solvers::Values<f64>>,
{
    learn(learner, &Data::new(x, &waves(x))?, budget)
}

fn alone<L: Learner<Samples<f64>>>(
    learner: &L,
    x: &Samples<f64>,
    budget: MemoryBudget,
) -> Result<(), Error> {
    learn(learner, &Data::unlabelled(x)?, budget)
}

fn nystrom() -> Nystrom<kern::kernels::Rbf> {
    Nystrom::new(rbf()).landmarks(100)
}

const ROWS: &[Row] = &[
    row("ridge, kernel", 2_000, 64, |x, m| numbers(&Ridge::on_kernel(rbf()), x, m)),
    row("ridge, landmarks", 60_000, 16, |x, m| numbers(&Ridge::on_landmarks(nystrom()), x, m)),
    row("ridge, features", 60_000, 16, |x, m| numbers(&Ridge::on_features(map(200)), x, m)),
    row("ridge, auto", 8_000, 64, |x, m| numbers(&Ridge::on(Auto::new(rbf())), x, m)),
    row("process, kernel", 1_500, 64, |x, m| {
        numbers(&GaussianProcess::on_kernel(rbf()).max_iterations(2), x, m)
    }),
    row("process, landmarks", 60_000, 16, |x, m| {
        numbers(&GaussianProcess::on_landmarks(nystrom()).max_iterations(1), x, m)
    }),
    row("process, classes", 1_000, 64, |x, m| {
        two(&GaussianProcessClassifier::on_kernel(rbf()).max_iterations(2), x, m)
    }),
    row("feature machine", 1_000, 26, |x, m| {
        numbers(&FeatureMachine::on_kernel(rbf()).rounds(2), x, m)
    }),
    row("feature machine, stacked", 1_000, 26, |x, m| {
        numbers(&FeatureMachine::on_kernel(rbf()).rounds(1).stacked(true), x, m)
    }),
    refused("feature machine, small", 1_500, 16, |x, m| {
        numbers(&FeatureMachine::on_kernel(rbf()).rounds(1), x, m)
    }),
    row("logistic, kernel", 1_000, 64, |x, m| two(&Logistic::on_kernel(rbf()).lambda(1e-1), x, m)),
    row("logistic, landmarks", 30_000, 16, |x, m| {
        two(&Logistic::on_landmarks(nystrom()).lambda(1e-2), x, m)
    }),
    row("logistic, features", 30_000, 16, |x, m| {
        two(&Logistic::on_features(map(100)).lambda(1e-2), x, m)
    }),
    row("svc, landmarks", 60_000, 32, |x, m| {
        two(&Svc::on_landmarks(nystrom()).max_iterations(5), x, m)
    }),
    row("svc, features", 100_000, 64, |x, m| {
        two(&Svc::on_features(map(64)).max_iterations(5), x, m)
    }),
    row("svc, features, classes", 20_000, 64, |x, m| {
        many(&Svc::on_features(map(64)).max_iterations(5), (x, 8), m)
    }),
    row("svc, features, many points", 400_000, 256, |x, m| {
        two(&Svc::on_features(map(16)).max_iterations(2), x, m)
    }),
    row("svr, features", 100_000, 64, |x, m| {
        numbers(&Svr::on_features(map(64)).max_iterations(5), x, m)
    }),
    row("one-class, features", 100_000, 64, |x, m| {
        alone(&OneClass::on_features(map(64)).max_iterations(5), x, m)
    }),
    row("calibrated", 20_000, 64, |x, m| {
        two(&Calibrated::new(Svc::on_kernel(rbf()).max_iterations(100)).folds(2), x, m)
    }),
    row("perceptron, kernel", 100_000, 16, |x, m| {
        two(&Perceptron::on_kernel(rbf()).max_iterations(1), x, m)
    }),
    row("perceptron, columns", 20_000, 64, |x, m| {
        two(&Perceptron::on_kernel(rbf()).max_iterations(3), x, m)
    }),
    row("perceptron, matrix", 2_700, 64, |x, m| {
        many(&Perceptron::on_kernel(rbf()).max_iterations(3), (x, 2), m)
    }),
    row("perceptron, 200 classes", 10_000, 64, |x, m| {
        many(&Perceptron::on_kernel(rbf()).max_iterations(1).averaged(true), (x, 200), m)
    }),
    row("perceptron, random", 20_000, 16, |x, m| {
        let budget = Budget::Random { vectors: 200 };
        many(&Perceptron::on_kernel(rbf()).budget(budget).max_iterations(1), (x, 2), m)
    }),
    refused("perceptron, oldest without end", 3_000, 16, |x, m| {
        let budget = Budget::Oldest { vectors: usize::MAX };
        many(&Perceptron::on_kernel(rbf()).budget(budget).max_iterations(3), (x, 100), m)
    }),
    row("perceptron, projections", 10_000, 16, |x, m| {
        let budget = Budget::Projection { vectors: 300, distance: 0.01 };
        many(&Perceptron::on_kernel(rbf()).budget(budget).max_iterations(1), (x, 2), m)
    }),
    row("perceptron, features", 100_000, 16, |x, m| {
        two(&Perceptron::on_features(map(100)).max_iterations(2), x, m)
    }),
    row("sgd, kernel", 30_000, 32, |x, m| {
        two(&Sgd::on_kernel(rbf()).storage(Storage::OnTheFly).iterations(500), x, m)
    }),
    row("sgd, kernel, partial", 20_000, 64, |x, m| {
        two(&Sgd::on_kernel(rbf()).storage(Storage::Partial).iterations(500), x, m)
    }),
    row("sgd, kernel, large batch", 2_000, 16, |x, m| {
        two(&Sgd::on_kernel(rbf()).storage(Storage::OnTheFly).batch(20_000_000).iterations(1), x, m)
    }),
    row("sgd, landmarks", 100_000, 64, |x, m| {
        two(&Sgd::on_landmarks(nystrom()).iterations(20_000), x, m)
    }),
    row("sgd, features", 100_000, 64, |x, m| {
        two(&Sgd::on_features(map(100)).storage(Storage::OnTheFly).iterations(20_000), x, m)
    }),
    row("sgd, features, partial", 100_000, 64, |x, m| {
        two(&Sgd::on_features(map(100)).storage(Storage::Partial).iterations(20_000), x, m)
    }),
    row("sgd, auto", 20_000, 64, |x, m| two(&Sgd::on(Auto::new(rbf())).iterations(2_000), x, m)),
    row("k-means, kernel, columns", 10_000, 16, |x, m| {
        alone(&KMeans::on_kernel(rbf(), 4).max_iterations(1), x, m)
    }),
    refused("k-means, kernel, sums", 100_000, 32, |x, m| {
        alone(&KMeans::on_kernel(rbf(), 50).max_iterations(1), x, m)
    }),
    row("k-means, kernel, matrix", 2_500, 64, |x, m| {
        alone(&KMeans::on_kernel(rbf(), 8).restarts(8), x, m)
    }),
    row("k-means, kernel, seeds", 100_000, 32, |x, m| {
        alone(&KMeans::on_kernel(rbf(), 2).batch(200).truncation(50).trials(64), x, m)
    }),
    row("k-means, batches", 100_000, 32, |x, m| {
        alone(&KMeans::on_kernel(rbf(), 8).batch(500).truncation(100), x, m)
    }),
    refused("k-means, large batches", 10_000, 32, |x, m| {
        alone(&KMeans::on_kernel(rbf(), 8).batch(1_000_000), x, m)
    }),
    row("k-means, landmarks", 60_000, 32, |x, m| {
        alone(&KMeans::on_landmarks(nystrom(), 8).max_iterations(3), x, m)
    }),
    row("k-means, features", 100_000, 64, |x, m| {
        alone(&KMeans::on_features(map(100), 8).max_iterations(3), x, m)
    }),
    row("soft k-means, kernel", 2_000, 64, |x, m| {
        alone(&SoftKMeans::on_kernel(rbf(), 4).max_iterations(5), x, m)
    }),
    row("soft k-means, features", 50_000, 64, |x, m| {
        alone(&SoftKMeans::on_features(map(50), 4).max_iterations(3), x, m)
    }),
    row("neighbours", 100_000, 16, |x, m| numbers(&KNearest::by_distance(rbf()), x, m)),
    row("neighbours, tree", 60_000, 32, |x, m| {
        numbers(&KNearest::by_distance(rbf()).search(VantageTree::new()), x, m)
    }),
    refused("neighbours, hashes", 60_000, 16, |x, m| {
        numbers(&KNearest::by_distance(rbf()).search(KernelHashes::new()), x, m)
    }),
    row("neighbours, hashes that fit", 20_000, 32, |x, m| {
        let hashes = KernelHashes::new().landmarks(64);
        numbers(&KNearest::by_distance(rbf()).search(hashes), x, m)
    }),
    row("neighbours in a radius, hashes", 60_000, 64, |x, m| {
        let hashes = KernelHashes::new().tables(16).landmarks(64);
        numbers(&RadiusNeighbors::by_distance(rbf(), 0.1).search(hashes), x, m)
    }),
];

#[test]
fn every_learner_keeps_its_budget() {
    let test = "learners::every_learner_keeps_its_budget";
    let mut beyond = Vec::new();
    for (number, row) in ROWS.iter().enumerate() {
        let budget = MemoryBudget::mebibytes(row.budget);
        // The child looks its row up by its number.
        let grown = growth(test, number, |number| {
            let Row { points, budget, fit, refused, .. } = ROWS[number];
            let x = samples(points, 2);
            move || {
                let outcome = fit(&x, MemoryBudget::mebibytes(budget));
                match outcome {
                    Err(Error::Gram(kern::gram::Error::Budget { .. })) => assert!(refused),
                    other => assert!(other.is_ok() && !refused, "{other:?}"),
                }
            }
        });
        let Some(grown) = grown else { return };
        if grown > budget.as_bytes() / 20 * 21 + SLACK {
            beyond.push(format!("{}: {} KiB in {} MiB", row.name, grown >> 10, row.budget));
        }
    }
    assert!(beyond.is_empty(), "{beyond:#?}");
}
