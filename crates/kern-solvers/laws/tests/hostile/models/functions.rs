//! Every kind of model on dense points.

use super::Kind;
use kern_approx::{CentredMap, Nystrom};
use kern_core::faer::Mat;
use kern_core::kernels::{Laplacian, Linear, Rbf};
use kern_core::{Identity, Samples, SparseSamples};
use kern_solvers::calibration::Calibrated;
use kern_solvers::canonical::{CanonicalCorrelations, KernelCca};
use kern_solvers::components::{Components, KernelPca};
use kern_solvers::dependence::Witness;
use kern_solvers::feature_machine::{FeatureMachine, FeatureMetric};
use kern_solvers::gaussian_process::{
    GaussianProcess, GaussianProcessClassifier, LatentPosterior, Noise, Posterior,
};
use kern_solvers::intervals::{QuantileCurves, SplitConformal};
use kern_solvers::kmeans::{KMeans, SoftKMeans};
use kern_solvers::knn::{KNearest, KernelHashes, RadiusNeighbors, VantageTree};
use kern_solvers::logistic::Logistic;
use kern_solvers::model::{
    Clusters, Decision, FeatureExpansion, KernelExpansion, ProbabilisticClassifier, Regressor,
};
use kern_solvers::perceptron::Perceptron;
use kern_solvers::ridge::Ridge;
use kern_solvers::ridge_mixture::{RegressorMixture, RidgeMixture};
use kern_solvers::sgd::Sgd;
use kern_solvers::spectral_clustering::SpectralClustering;
use kern_solvers::svm::{OneClass, Svc, Svdd, Svr};
use kern_solvers::{Data, LabelSets, Learner, Model, MultiClass, Run};

type OnKernel = KernelExpansion<Samples<f64>, Rbf>;

type Calibration = ProbabilisticClassifier<OnKernel, String>;

type Centred = Clusters<FeatureExpansion<CentredMap<Identity, f64>, f64>>;

/// The number of points.
pub(super) const N: usize = 15;

/// Positive points of the plane in three groups.
pub(super) fn points() -> Samples<f64> {
    let row =
        |i: usize| [(i % 3) as f64 + 0.1 * (i as f64).sin().abs(), 0.5 + (i % 3) as f64 * 0.3];
    Samples::from_row_major(2, (0..N).flat_map(row).collect()).unwrap()
}

/// A number for each.
pub(super) fn values() -> Vec<f64> {
    (0..N).map(|i| (i as f64).cos()).collect()
}

/// One of three classes.
fn classes() -> Vec<String> {
    (0..N).map(|i| ["red", "green", "blue"][i % 3].to_owned()).collect()
}

fn signs() -> Vec<i64> {
    (0..N).map(|i| if i % 3 == 0 { 1 } else { -1 }).collect()
}

pub(super) fn kinds() -> Vec<Kind> {
    let mut all = by_kernels();
    all.extend([process(), process_on_landmarks(), process_of_classes(), mixture()]);
    all.extend(machines());
    all.extend(clusters());
    all.extend(by_eigenvectors());
    all.extend(neighbors());
    all.extend([conformal(), curves(), witness()]);
    all
}

/// Intervals around a function that is not in their file.
fn conformal() -> Kind {
    let residuals = Mat::from_fn(N, 2, |i, j| ((i + 3 * j) as f64).sin());
    let intervals = SplitConformal::new(residuals.as_ref()).unwrap();
    Kind::of("conformal intervals", &intervals, |read: &SplitConformal<f64>| {
        read.widths(0.8).is_ok_and(|widths| !widths.is_empty())
    })
}

fn curves() -> Kind {
    let (x, y) = (points(), values());
    let svr = Svr::on_kernel(Rbf::new(0.5).unwrap());
    let data = Data::new(&x, &y).unwrap();
    let curves = QuantileCurves::learn(&svr, &[0.2, 0.8], &data, &mut Run::new()).unwrap();
    Kind::of("curves of quantiles", &curves, move |read: &QuantileCurves<OnKernel>| {
        read.predict_sorted(&x).is_ok()
    })
}

fn witness() -> Kind {
    let x = points();
    let y = Samples::from_rows(&[[0.5, 0.5], [2.0, 1.5]]).unwrap();
    let witness = Witness::new(Rbf::new(0.5).unwrap(), &x, &y).unwrap();
    Kind::of("witness", &witness, move |read: &Witness<Samples<f64>, Rbf>| read.decide(&x).is_ok())
}

fn by_kernels() -> Vec<Kind> {
    let (x, rbf) = (points(), Rbf::new(0.5).unwrap());
    let single = Samples::from_row_major(2, x.as_slice().iter().map(|&v| v as f32).collect());
    let (single, sparse) = (single.unwrap(), SparseSamples::from_dense(&x).unwrap());
    let outputs = Mat::from_fn(N, 2, |i, j| ((i + 3 * j) as f32).sin());
    let several = Ridge::on_kernel(rbf + 0.5 * Linear).lambda(0.1).fit(&single, &outputs);
    let nystrom = Nystrom::new(rbf).landmarks(5);
    vec![
        Kind::model("ridge", &Ridge::on_kernel(rbf).lambda(0.1).fit(&x, &values()).unwrap(), &x),
        Kind::model("ridge, several outputs in f32", &several.unwrap(), &single),
        Kind::model("ridge by a plan", &Ridge::auto(rbf).fit(&x, &values()).unwrap(), &x),
        Kind::model(
            "ridge on landmarks",
            &Ridge::on_landmarks(nystrom).lambda(0.1).fit(&x, &values()).unwrap(),
            &x,
        ),
        Kind::model(
            "ridge of classes on sparse points",
            &Ridge::on_kernel(Laplacian::new(0.5).unwrap()).fit(&sparse, &classes()).unwrap(),
            &sparse,
        ),
        Kind::model(
            "logistic",
            &Logistic::on_kernel(rbf).lambda(0.1).fit(&x, &signs()).unwrap(),
            &x,
        ),
        Kind::model(
            "logistic of several classes",
            &Logistic::on_kernel(rbf).lambda(0.1).fit(&x, &classes()).unwrap(),
            &x,
        ),
        Kind::model(
            "feature machine",
            &FeatureMachine::on_kernel(rbf).lambda(0.1).rounds(1).fit(&x, &values()).unwrap(),
            &x,
        ),
        Kind::model(
            "feature machine, a tree of diagonals",
            &FeatureMachine::on_kernel(rbf)
                .lambda(0.1)
                .metric(FeatureMetric::Diagonal)
                .folds(0)
                .leaf(8)
                .fit(&x, &classes())
                .unwrap(),
            &x,
        ),
        Kind::model("perceptron", &Perceptron::on_kernel(rbf).fit(&x, &classes()).unwrap(), &x),
        Kind::model("SGD", &Sgd::on_kernel(rbf).iterations(200).fit(&x, &signs()).unwrap(), &x),
    ]
}

/// The posterior of a process, with weights.
fn process() -> Kind {
    let (x, y) = (points(), values());
    let weights: Vec<f64> = (0..N).map(|i| (i % 4) as f64).collect();
    let data = Data::new(&x, &y).unwrap().weights(&weights).unwrap();
    let process = GaussianProcess::on_kernel(Rbf::new(0.5).unwrap()).max_iterations(2);
    let model = process.learn(&data, &mut Run::new()).unwrap();
    Kind::of("process", &model, move |model: &Regressor<Posterior<Samples<f64>, Rbf>>| {
        model.predict(&x).is_ok() && model.variance(&x, Noise::With).is_ok()
    })
}

/// The posterior of a process on landmarks.
fn process_on_landmarks() -> Kind {
    let x = points();
    let few = Nystrom::new(Rbf::new(0.5).unwrap()).landmarks(6);
    let process = GaussianProcess::on_landmarks(few).max_iterations(2);
    let model = process.fit(&x, &values()).unwrap();
    Kind::of(
        "process, landmarks",
        &model,
        move |model: &Regressor<Posterior<Samples<f64>, Rbf>>| {
            model.predict(&x).is_ok() && model.variance(&x, Noise::With).is_ok()
        },
    )
}

/// A mixture, and what it says of targets.
fn mixture() -> Kind {
    let (x, y) = (points(), values());
    let model = RidgeMixture::on_kernel(Rbf::new(0.5).unwrap(), 2).restarts(1).fit(&x, &y).unwrap();
    Kind::of(
        "mixture",
        &model,
        move |model: &RegressorMixture<KernelExpansion<Samples<f64>, Rbf>>| {
            model.predict(&x).is_ok() && model.predict_responsibilities(&x, &y).is_ok()
        },
    )
}

fn process_of_classes() -> Kind {
    let x = points();
    let process = GaussianProcessClassifier::on_kernel(Rbf::new(0.5).unwrap()).fixed(true);
    let model = process.fit(&x, &classes()).unwrap();
    Kind::of(
        "process, classes",
        &model,
        move |model: &ProbabilisticClassifier<LatentPosterior<Samples<f64>, Rbf>, String>| {
            model.predict_proba(&x).is_ok()
        },
    )
}

fn machines() -> Vec<Kind> {
    let (x, rbf) = (points(), Rbf::new(0.5).unwrap());
    let svc = Svc::on_kernel(rbf);
    let calibrated = Calibrated::new(svc.clone()).folds(3).fit(&x, &classes()).unwrap();
    let rest = svc.clone().multi_class(MultiClass::OneVsRest);
    let rest = Calibrated::new(rest).folds(3).fit(&x, &classes()).unwrap();
    let queries = x.clone();
    let probabilities = Kind::of("calibrated", &calibrated, move |model: &Calibration| {
        model.predict_proba(&queries).is_ok() && model.disagreement(&queries).is_ok()
    });
    vec![
        Kind::model("SVC", &svc.fit(&x, &signs()).unwrap(), &x),
        Kind::model("SVC of pairs", &svc.fit(&x, &classes()).unwrap(), &x),
        Kind::model("SVR", &Svr::on_kernel(rbf).fit(&x, &values()).unwrap(), &x),
        Kind::model("one class", &OneClass::on_kernel(rbf).nu(0.5).fit(&x).unwrap(), &x),
        Kind::model("ball", &Svdd::on_kernel(rbf).nu(0.5).fit(&x).unwrap(), &x),
        probabilities,
        Kind::model("calibrated against the rest", &rest, &x),
    ]
}

fn clusters() -> Vec<Kind> {
    let (x, rbf) = (points(), Rbf::new(0.5).unwrap());
    let map = Identity::new(2);
    let queries = x.clone();
    let on_features = KMeans::on_features(map, 3).fit(&x).unwrap();
    let distances = move |model: &Centred| {
        model.distances(&queries).is_ok()
            && model.predict(&queries).is_ok()
            && !model.sizes().is_empty()
    };
    vec![
        Kind::model("k-means", &KMeans::on_kernel(rbf, 3).fit(&x).unwrap(), &x),
        Kind::of("k-means on features", &on_features, distances),
        Kind::model("soft k-means", &SoftKMeans::on_kernel(rbf, 3).beta(2.0).fit(&x).unwrap(), &x),
        Kind::model(
            "soft k-means on features",
            &SoftKMeans::on_features(map, 3).beta(2.0).fit(&x).unwrap(),
            &x,
        ),
    ]
}

/// Components, spectral clusters and canonical correlations.
fn by_eigenvectors() -> Vec<Kind> {
    let (x, rbf) = (points(), Rbf::new(0.5).unwrap());
    let components = KernelPca::on_kernel(rbf, 2).fit(&x).unwrap();
    let queries = x.clone();
    let errors = move |model: &Components<OnKernel>| {
        model.predict(&queries).is_ok()
            && model.reconstruction_errors(&queries).is_ok()
            && !model.explained_ratio().is_empty()
    };
    let clusters = SpectralClustering::on_kernel(rbf, 3).fit(&x).unwrap();
    let landmarks = || Nystrom::new(rbf).landmarks(5);
    let views = KernelCca::on_landmarks(landmarks(), landmarks(), 2).fit(&x, &x).unwrap();
    let queries = x.clone();
    let both = move |model: &CanonicalCorrelations<OnKernel, OnKernel>| {
        model.first(&queries).is_ok() && model.second(&queries).is_ok()
    };
    vec![
        Kind::of("components", &components, errors),
        Kind::model("spectral clusters", &clusters, &x),
        Kind::of("canonical correlations", &views, both),
    ]
}

fn neighbors() -> Vec<Kind> {
    let (x, rbf) = (points(), Rbf::new(0.5).unwrap());
    let near = KNearest::by_distance(rbf).neighbors(3);
    let tree = near.clone().search(VantageTree::new().leaf(2));
    let hashes = near.clone().search(KernelHashes::new().tables(2).bits(4).probes(2).landmarks(5));
    let outputs = Mat::from_fn(N, 2, |i, j| ((i + 3 * j) as f64).sin());
    let rows: Vec<[bool; 2]> = (0..N).map(|i| [i % 2 == 0, i % 3 == 0]).collect();
    let sets = LabelSets::new(&rows).unwrap();
    let within = RadiusNeighbors::by_similarity(rbf, 0.5).fit(&x, ()).unwrap();
    vec![
        Kind::model("neighbours", &near.fit(&x, &classes()).unwrap(), &x),
        Kind::model("neighbours by a tree", &tree.fit(&x, &values()).unwrap(), &x),
        Kind::model("neighbours by hashes", &hashes.fit(&x, &outputs).unwrap(), &x),
        Kind::model("neighbours with sets of labels", &near.fit(&x, sets).unwrap(), &x),
        Kind::model("neighbours within a threshold", &within, &x),
    ]
}
