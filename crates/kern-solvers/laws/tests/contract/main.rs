//! The contract of learners, for every learner of the library on every kind of points: this is the table that a new learner
//! joins.
#![allow(clippy::unwrap_used, reason = "a test may panic, in its helper functions, too")]

mod instruction_sets;
mod kinds;
mod laws;

use kern_approx::{Nystrom, NystromMap};
use kern_core::closure::{Scaled, Sum};
use kern_core::faer::Mat;
use kern_core::kernels::{Linear, Rbf};
use kern_core::{Identity, Named, Points, Samples, Scalar, SparseMap, SparseTransform};
use kern_gram::MemoryBudget;
use kern_solvers::calibration::Calibrated;
use kern_solvers::canonical::{KernelCca, SecondView};
use kern_solvers::components::KernelPca;
use kern_solvers::contract::{self, Contract};
use kern_solvers::feature_machine::{FeatureMachine, FeatureMetric};
use kern_solvers::gaussian_process::{Fixed, GaussianProcess, GaussianProcessClassifier};
use kern_solvers::kmeans::{KMeans, SoftKMeans};
use kern_solvers::knn::{KNearest, RadiusNeighbors, VantageTree};
use kern_solvers::logistic::{Logistic, LogisticSolver};
use kern_solvers::multiple_kernels::MultipleKernels;
use kern_solvers::perceptron::Perceptron;
use kern_solvers::pipeline::{Featurize, Pipeline};
use kern_solvers::ridge::{Expectile, Ridge, RidgeSolver};
use kern_solvers::ridge_mixture::RidgeMixture;
use kern_solvers::search::Tune;
use kern_solvers::sgd::Sgd;
use kern_solvers::spectral_clustering::SpectralClustering;
use kern_solvers::svm::{OneClass, Svc, Svdd, Svr};
use kern_solvers::validation::{RootMeanSquaredError, Split};
use kern_solvers::{LabelSets, Labels, MultiClass, Outputs, Traced, Values};
use kinds::{Double, Kind, N, Single, Sparse, Strings, Structs, three, two, values};
use laws::Table;
use serde::Serialize;
use serde::de::DeserializeOwned;

/// The number of points with weights 1 and 2 relative to that without: what a penalty per point has to be divided by.
const REPEATED: f64 = 4.0 / 3.0;

/// All learners on one kind of points.
macro_rules! table {
    ($test:ident, $kind:ty) => {
        #[test]
        fn $test() {
            let mut table = Table::<$kind>::new();
            regressors(&mut table);
            processes(&mut table);
            classifiers(&mut table);
            machines(&mut table);
            by_steps(&mut table);
            clusters(&mut table);
            neighbors(&mut table);
            views(&mut table);
            table.finish();
        }
    };
}

/// Learners of dense vectors alone.
fn on_vectors<K, T>(table: &mut Table<K>)
where
    T: contract::Entry + Scalar,
    K: Kind<Points = Samples<T>, Kernel = Rbf>,
{
    // Folds are drawn by places.
    let crossed = FeatureMachine::on_kernel(K::kernel()).rounds(1).folds(3);
    table.check("feature machine, folds", &crossed, &number::<K>(), &ordered());
    let machine = FeatureMachine::on_kernel(K::kernel()).rounds(2).folds(0);
    let machine = machine.metric(FeatureMetric::Full);
    let contract = || Contract::new().tolerance(rounding::<K>().max(1e-6));
    table.check("feature machine", &machine, &number::<K>(), &contract());
    let diagonal = machine.clone().metric(FeatureMetric::Diagonal).lambda(1e-2).spread(1.0);
    table.check("feature machine, diagonal", &diagonal, &Labels::new(three()), &contract());
    let tree = machine.lambda(1e-2).leaf(20);
    table.check("feature machine, tree", &tree, &Labels::new(two()), &ordered());
}

/// The table of dense vectors.
macro_rules! vectors {
    ($test:ident, $kind:ty) => {
        #[test]
        fn $test() {
            let mut table = Table::<$kind>::new();
            on_vectors(&mut table);
            table.finish();
        }
    };
}

/// Learners of sparse features.
fn on_sparse<K: Kind, M>(table: &mut Table<K>, map: &M)
where
    M: SparseTransform<K::Points> + Named + Clone + PartialEq + Serialize + DeserializeOwned,
{
    let svc = Svc::on_sparse(map.clone());
    table.check("svc, sparse", &svc, &Labels::new(three()), &Contract::new());
    let squared = svc.squared(true).intercept(false);
    table.check("svc, sparse, squared", &squared, &Labels::new(two()), &Contract::new());
    let svr = Svr::on_sparse(map.clone()).epsilon(0.05);
    table.check("svr, sparse", &svr, &number::<K>(), &near());
    let one = OneClass::on_sparse(map.clone()).nu(0.3);
    table.check("one-class, sparse", &one, &(), &ordered());
}

#[test]
fn sparse_features_of_sparse_vectors() {
    let mut table = Table::<Sparse>::new();
    on_sparse(&mut table, &Identity::new(6));
    table.finish();
}

#[test]
fn sparse_features_of_strings() {
    let mut table = Table::<Strings>::new();
    let map = SparseMap::learn(Strings::kernel(), &Strings::points()).unwrap();
    on_sparse(&mut table, &map);
    table.finish();
}

vectors!(vectors_f64, Double);
vectors!(vectors_f32, Single);
table!(dense_f64, Double);
table!(dense_f32, Single);
table!(sparse, Sparse);
table!(strings, Strings);
table!(a_struct_of_the_user, Structs);

/// Parameters of landmarks.
fn nystrom<K: Kind>() -> Nystrom<K::Kernel> {
    Nystrom::new(K::kernel()).landmarks(12).seed(1)
}

/// Features of a kind of points.
fn map<K: Kind>() -> NystromMap<K::Points, K::Kernel> {
    nystrom::<K>().fit(&K::points(), &MemoryBudget::mebibytes(8)).unwrap()
}

fn number<K: Kind>() -> Values<<K::Points as Points>::Scalar> {
    Values::new(values())
}

/// The difference that the type of the numbers allows.
fn rounding<K: Kind>() -> f64 {
    <K::Points as Points>::Scalar::UNIT_ROUNDOFF.sqrt()
}

/// The contract of a method that has an order.
fn ordered<A>() -> Contract<A> {
    Contract::new().ordered()
}

/// The contract of a method without iterations.
fn direct<K: Kind, A>() -> Contract<A> {
    Contract::new().direct().tolerance(rounding::<K>())
}

/// The contract of a machine, which stops at a violation of 1e-3.
fn near<A>() -> Contract<A> {
    Contract::new().tolerance(2e-2)
}

fn regressors<K: Kind>(table: &mut Table<K>) {
    let (lambda, less) = (1e-2, 1e-2 / REPEATED);
    let outputs = Mat::from_fn(N, 2, |i, j| {
        <K::Points as Points>::Scalar::from_f64((i % 3) as f64 - 2.0 * j as f64)
    });
    let ridge = Ridge::on_kernel(K::kernel()).lambda(lambda).intercept(true);
    let repeated = direct::<K, _>().repeats(ridge.clone().lambda(less));
    table.check("ridge", &ridge, &number::<K>(), &repeated);
    table.check("ridge, outputs", &ridge, &Outputs::new(outputs), &repeated);
    table.check("ridge, classes", &ridge, &Labels::new(three()), &repeated);
    let iterated = ridge.solver(RidgeSolver::ConjugateGradients);
    // A relative gap of 1e-10 lets values differ by its root.
    let contract = Contract::new().tolerance(rounding::<K>().max(1e-5));
    let repeated = contract.repeats(iterated.clone().lambda(less));
    table.check("ridge, iterated", &iterated, &number::<K>(), &repeated);
    // Landmarks are drawn from the points in their order.
    let landmarks = Ridge::on_landmarks(nystrom::<K>()).lambda(lambda);
    table.check("ridge, landmarks", &landmarks, &number::<K>(), &ordered());
    let features = Ridge::on_features(map::<K>()).lambda(lambda);
    let repeated = direct::<K, _>().repeats(features.clone().lambda(less));
    table.check("ridge, features", &features, &number::<K>(), &repeated);
    let linear = |lambda| Ridge::on_kernel(Linear).lambda(lambda);
    let behind = |lambda| Pipeline::new(Featurize::new(map::<K>()), linear(lambda));
    let repeated = direct::<K, _>().repeats(behind(less));
    table.check("pipeline", &behind(lambda), &number::<K>(), &repeated);
    let components = Pipeline::new(KernelPca::on_kernel(K::kernel(), 2), linear(lambda));
    let sum = |lambda| {
        let term = |weight| Scaled::new(weight, K::kernel()).unwrap();
        let kernel = Sum::new(term(0.4), term(0.6));
        MultipleKernels::new(Ridge::on_kernel(kernel).lambda(lambda))
    };
    let repeated = direct::<K, _>().repeats(sum(less));
    table.check("multiple kernels", &sum(lambda), &number::<K>(), &repeated);
    table.check("components", &components, &number::<K>(), &near().direct());
    let expectile =
        |lambda| Expectile::new(Ridge::on_kernel(K::kernel()).lambda(lambda)).level(0.8);
    let repeated = Contract::new().tolerance(rounding::<K>().max(1e-5)).repeats(expectile(less));
    table.check("expectile", &expectile(lambda), &number::<K>(), &repeated);
    // Starts are drawn by places.
    let mixture = RidgeMixture::on_kernel(K::kernel(), 2).restarts(2);
    table.check("mixture", &mixture, &number::<K>(), &ordered());
    let search = Tune::new(Ridge::on_kernel(K::kernel()), RootMeanSquaredError);
    // Folds are drawn from the points in their order.
    let search = search.over("lambda", [lambda, less]).split(Split::k_fold(2));
    table.check("search", &search, &number::<K>(), &ordered());
    let traced = |lambda| Traced::new(Ridge::on_kernel(K::kernel()).lambda(lambda));
    let repeated = direct::<K, _>().repeats(traced(less));
    table.check("traced", &traced(lambda), &number::<K>(), &repeated);
}

fn processes<K: Kind>(table: &mut Table<K>) {
    let known = GaussianProcess::on_kernel(K::kernel()).noise(0.5).fixed(Fixed::All);
    let repeated = direct::<K, _>().repeats(known.clone());
    table.check("process, known", &known, &number::<K>(), &repeated);
    // The likelihood is flat at its maximum: parameters are found to the root of its accuracy.
    let learned = GaussianProcess::on_kernel(K::kernel()).normalize(true);
    table.check("process", &learned, &number::<K>(), &near());
    let outputs = Mat::from_fn(N, 2, |i, j| {
        <K::Points as Points>::Scalar::from_f64((i % 3) as f64 - 2.0 * j as f64)
    });
    table.check("process, outputs", &known, &Outputs::new(outputs), &repeated);
    let landmarks = GaussianProcess::on_landmarks(nystrom::<K>()).noise(0.5).fixed(Fixed::All);
    table.check("process, landmarks", &landmarks, &number::<K>(), &ordered().direct());
    let classes = GaussianProcessClassifier::on_kernel(K::kernel()).fixed(true);
    let contract = Contract::new().direct().tolerance(rounding::<K>().max(1e-5));
    let repeated = contract.repeats(classes.clone());
    table.check("process, two classes", &classes, &Labels::new(two()), &repeated);
    // A weight is free in every kernel.
    let weighted = Scaled::new(1.0, K::kernel()).unwrap();
    let learned = GaussianProcessClassifier::on_kernel(weighted);
    table.check("process, classes", &learned, &Labels::new(three()), &near());
}

fn classifiers<K: Kind>(table: &mut Table<K>) {
    let (lambda, less) = (1e-2, 1e-2 / REPEATED);
    let logistic = Logistic::on_kernel(K::kernel()).lambda(lambda).intercept(true);
    let repeated = Contract::new().repeats(logistic.clone().lambda(less));
    table.check("logistic", &logistic, &Labels::new(two()), &repeated);
    let descent = logistic.clone().solver(LogisticSolver::GradientDescent).max_iterations(5000);
    table.check("logistic, descent", &descent, &Labels::new(two()), &near());
    let softmax = logistic.multi_class(MultiClass::Softmax);
    let repeated = Contract::new().repeats(softmax.clone().lambda(less));
    table.check("logistic, softmax", &softmax, &Labels::new(three()), &repeated);
    let landmarks = Logistic::on_landmarks(nystrom::<K>()).lambda(lambda);
    table.check("logistic, landmarks", &landmarks, &Labels::new(two()), &ordered());
    let features = Logistic::on_features(map::<K>()).lambda(lambda);
    let repeated = Contract::new().repeats(features.clone().lambda(less));
    table.check("logistic, features", &features, &Labels::new(three()), &repeated);
    let calibrated = Calibrated::new(Svc::on_kernel(K::kernel())).folds(3);
    table.check("calibrated", &calibrated, &Labels::new(three()), &ordered());
}

fn machines<K: Kind>(table: &mut Table<K>) {
    let svc = Svc::on_kernel(K::kernel());
    let repeated = Contract::new().repeats(svc.clone());
    table.check("svc", &svc, &Labels::new(three()), &repeated);
    let nu = Svc::on_kernel(K::kernel()).nu(0.2);
    table.check("svc, nu", &nu, &Labels::new(two()), &Contract::new());
    let landmarks = Svc::on_landmarks(nystrom::<K>());
    table.check("svc, landmarks", &landmarks, &Labels::new(two()), &ordered());
    let features = Svc::on_features(map::<K>());
    table.check("svc, features", &features, &Labels::new(three()), &Contract::new());
    let svr = Svr::on_kernel(K::kernel()).epsilon(0.05);
    table.check("svr", &svr, &number::<K>(), &near().repeats(svr.clone()));
    let quantile = Svr::on_kernel(K::kernel()).quantile(0.7);
    table.check("svr, quantile", &quantile, &number::<K>(), &near().repeats(quantile.clone()));
    let features = Svr::on_features(map::<K>()).epsilon(0.05);
    table.check("svr, features", &features, &number::<K>(), &near());
    let one = OneClass::on_kernel(K::kernel()).nu(0.3);
    table.check("one-class", &one, &(), &ordered());
    table.check("svdd", &Svdd::on_kernel(K::kernel()).nu(0.3), &(), &ordered());
    let features = Svdd::on_features(map::<K>()).nu(0.3);
    table.check("svdd, features", &features, &(), &ordered());
}

fn by_steps<K: Kind>(table: &mut Table<K>) {
    let perceptron = Perceptron::on_kernel(K::kernel());
    table.check("perceptron", &perceptron, &Labels::new(three()), &ordered());
    let features = Perceptron::on_features(map::<K>());
    table.check("perceptron, features", &features, &Labels::new(two()), &ordered());
    let sgd = Sgd::on_kernel(K::kernel()).epochs(5);
    table.check("sgd", &sgd, &Labels::new(three()), &ordered());
    table.check("sgd, numbers", &sgd, &number::<K>(), &ordered());
    let kept = Sgd::on_kernel(K::kernel()).epochs(5).lambda(0.1).project(true).intercept(true);
    table.check("sgd in its ball", &kept, &Labels::new(two()), &ordered());
    let features = Sgd::on_features(map::<K>()).epochs(5).intercept(true);
    table.check("sgd, features", &features, &Labels::new(two()), &ordered());
}

fn clusters<K: Kind>(table: &mut Table<K>) {
    table.check("k-means", &KMeans::on_kernel(K::kernel(), 3), &(), &ordered());
    let batches = KMeans::on_kernel(K::kernel(), 3).batch(16);
    table.check("k-means, batches", &batches, &(), &ordered());
    table.check("k-means, features", &KMeans::on_features(map::<K>(), 3), &(), &ordered());
    let landmarks = KMeans::on_landmarks(nystrom::<K>(), 3);
    table.check("k-means, landmarks", &landmarks, &(), &ordered());
    table.check("soft k-means", &SoftKMeans::on_kernel(K::kernel(), 3), &(), &ordered());
    // Seeds of k-means are drawn from the points in their order.
    let spectral = SpectralClustering::on_kernel(K::kernel(), 3);
    table.check("spectral", &spectral, &(), &ordered());
    let features = SpectralClustering::on_features(map::<K>(), 3);
    table.check("spectral, features", &features, &(), &ordered());
}

fn neighbors<K: Kind>(table: &mut Table<K>) {
    let sets = LabelSets::new(&two().iter().map(|&b| [b, !b]).collect::<Vec<_>>()).unwrap();
    let near = KNearest::by_distance(K::kernel()).neighbors(3);
    table.check("k-NN", &near, &Labels::new(three()), &direct::<K, _>());
    table.check("k-NN, numbers", &near, &number::<K>(), &direct::<K, _>());
    table.check("k-NN, label sets", &near, &sets, &direct::<K, _>());
    let tree = KNearest::by_distance(K::kernel()).neighbors(3).search(VantageTree::new());
    table.check("k-NN, tree", &tree, &number::<K>(), &direct::<K, _>());
    let similar = KNearest::by_similarity(K::kernel()).neighbors(3);
    table.check("k-NN, similarity", &similar, &Labels::new(two()), &direct::<K, _>());
    let within = RadiusNeighbors::by_distance(K::kernel(), 0.7);
    table.check("radius", &within, &Labels::new(three()), &direct::<K, _>());
    table.check("radius, numbers", &within, &number::<K>(), &direct::<K, _>());
}

fn views<K: Kind>(table: &mut Table<K>) {
    let points = K::points();
    let second = SecondView::new(&points);
    // Landmarks are drawn from the points in their order.
    let landmarks = KernelCca::on_landmarks(nystrom::<K>(), nystrom::<K>(), 2);
    table.check("cca, landmarks", &landmarks, &second, &ordered().direct());
    let features = KernelCca::on_features(map::<K>(), map::<K>(), 2);
    let repeated = direct::<K, _>().repeats(features.clone());
    table.check("cca, features", &features, &second, &repeated);
}
