//! A model of each family is saved and loaded, and predicts the same bits; damaged files are refused by name.
#![allow(clippy::unwrap_used, reason = "a test may panic, in its helper functions, too")]

use kern::approx::Nystrom;
use kern::faer::Mat;
use kern::file::{Encoding, Error, to_bytes};
use kern::kernels::Linear;
use kern::prelude::*;
use kern::solvers::canonical::KernelCca;
use kern::solvers::dependence::Witness;
use kern::solvers::intervals::{QuantileCurves, SplitConformal};
use kern::solvers::pipeline::MinMax;
use kern::solvers::search::Tune;
use kern::solvers::validation::R2;
use kern::solvers::{
    Calibrated, Classifier, Expectile, GaussianProcessClassifier, KernelExpansion, KernelPca,
    MultipleKernels, OneClass, Perceptron, RadiusNeighbors, RidgeMixture, SoftKMeans,
    SpectralClustering, Svdd, Svr,
};
use std::fmt::Debug;
use std::{env, fs, process};

/// The number of points.
const N: usize = 18;

/// Points of the plane in three groups.
fn points() -> Samples<f64> {
    let row = |i: usize| {
        let group = (i % 3) as f64;
        [group + 0.1 * (i as f64).sin(), 0.3 * group + 0.05 * (i as f64).cos()]
    };
    Samples::from_row_major(2, (0..N).flat_map(row).collect()).unwrap()
}

fn values() -> Vec<f64> {
    (0..N).map(|i| (i as f64).cos()).collect()
}

fn classes() -> Vec<String> {
    (0..N).map(|i| ["red", "green", "blue"][i % 3].to_owned()).collect()
}

fn rbf() -> Rbf {
    Rbf::new(0.5).unwrap()
}

/// Saves, loads and compares; in JSON, too.
fn comes_back<M>(name: &str, model: &M)
where
    M: Model<Samples<f64>, Answer: PartialEq + Debug> + Save,
{
    let x = points();
    let expected = model.predict(&x).unwrap();
    for extension in ["kern", "json"] {
        let path = env::temp_dir().join(format!("kern-saved-{name}-{}.{extension}", process::id()));
        model.save(&path).unwrap();
        let read = M::load(&path);
        let bytes = fs::read(&path).unwrap();
        fs::remove_file(&path).unwrap();
        assert_eq!(bytes[0] == b'{', extension == "json");
        assert_eq!(read.unwrap().predict(&x).unwrap(), expected, "{name}.{extension}");
    }
    assert_eq!(again(model).report(), model.report(), "{name}");
}

fn again<M: Save>(model: &M) -> M {
    M::from_bytes(&model.to_bytes().unwrap()).unwrap()
}

#[test]
fn models_of_values_come_back() {
    let (x, y) = (points(), values());
    let ridge = || Ridge::on_kernel(rbf()).lambda(0.01);
    comes_back("ridge", &ridge().fit(&x, &y).unwrap());
    comes_back("auto", &Ridge::auto(rbf()).fit(&x, &y).unwrap());
    let two = Mat::from_fn(N, 2, |i, j| ((i + 3 * j) as f64).sin());
    comes_back("outputs", &ridge().fit(&x, &two).unwrap());
    let landmarks = Nystrom::new(rbf()).landmarks(6);
    comes_back("landmarks", &Ridge::on_landmarks(landmarks.clone()).fit(&x, &y).unwrap());
    comes_back("expectile", &Expectile::new(ridge()).level(0.8).fit(&x, &y).unwrap());
    comes_back("svr", &Svr::on_kernel(rbf()).fit(&x, &y).unwrap());
    let process = GaussianProcess::on_kernel(rbf()).max_iterations(2);
    comes_back("process", &process.fit(&x, &y).unwrap());
    let process = GaussianProcess::on_landmarks(landmarks).max_iterations(2);
    comes_back("process-landmarks", &process.fit(&x, &y).unwrap());
    let machine = FeatureMachine::on_kernel(rbf()).lambda(0.1).rounds(1);
    comes_back("feature-machine", &machine.fit(&x, &y).unwrap());
    comes_back("mixture", &RidgeMixture::on_kernel(rbf(), 2).restarts(1).fit(&x, &y).unwrap());
    let sum = 0.5 * rbf() + 0.5 * Linear;
    let weights = MultipleKernels::new(Ridge::on_kernel(sum).lambda(0.01));
    comes_back("kernels", &weights.fit(&x, &y).unwrap());
    let tune = Tune::new(ridge(), R2).over("lambda", [1e-3, 1e-1]);
    comes_back("tuned", &MinMax::new().then(tune).fit(&x, &y).unwrap());
    comes_back("neighbours", &KNearest::by_distance(rbf()).neighbors(3).fit(&x, &y).unwrap());
}

#[test]
fn models_of_classes_come_back() {
    let (x, y) = (points(), classes());
    let svc = || Svc::on_kernel(rbf());
    comes_back("svc", &svc().fit(&x, &y).unwrap());
    comes_back("svc-calibrated", &Calibrated::new(svc()).folds(3).fit(&x, &y).unwrap());
    comes_back("svc-scaled", &Standardize::new().then(svc()).fit(&x, &y).unwrap());
    comes_back("logistic", &Logistic::on_kernel(rbf()).lambda(0.1).fit(&x, &y).unwrap());
    comes_back("perceptron", &Perceptron::on_kernel(rbf()).fit(&x, &y).unwrap());
    comes_back("sgd", &Sgd::on_kernel(rbf()).iterations(200).fit(&x, &y).unwrap());
    let process = GaussianProcessClassifier::on_kernel(rbf()).fixed(true);
    comes_back("process-classes", &process.fit(&x, &y).unwrap());
    comes_back("votes", &KNearest::by_distance(rbf()).neighbors(3).fit(&x, &y).unwrap());
}

#[test]
fn models_without_targets_come_back() {
    let x = points();
    comes_back("one-class", &OneClass::on_kernel(rbf()).nu(0.5).fit(&x).unwrap());
    comes_back("ball", &Svdd::on_kernel(rbf()).nu(0.5).fit(&x).unwrap());
    comes_back("k-means", &KMeans::on_kernel(rbf(), 3).fit(&x).unwrap());
    comes_back("soft-k-means", &SoftKMeans::on_kernel(rbf(), 3).beta(2.0).fit(&x).unwrap());
    comes_back("spectral", &SpectralClustering::on_kernel(rbf(), 3).fit(&x).unwrap());
    comes_back("components", &KernelPca::on_kernel(rbf(), 2).fit(&x).unwrap());
    comes_back("radius", &RadiusNeighbors::by_similarity(rbf(), 0.5).fit(&x, ()).unwrap());
    let landmarks = || Nystrom::new(rbf()).landmarks(5);
    let views = KernelCca::on_landmarks(landmarks(), landmarks(), 2);
    comes_back("views", &views.fit(&x, &x).unwrap());
}

#[test]
fn what_is_no_learner_by_itself_comes_back() {
    let (x, y) = (points(), values());
    let data = Data::new(&x, &y).unwrap();
    let levels = [0.2, 0.8];
    let svr = Svr::on_kernel(rbf());
    let curves = QuantileCurves::learn(&svr, &levels, &data, &mut Run::new()).unwrap();
    assert_eq!(again(&curves), curves);
    let witness = Witness::new(rbf(), &x, &Samples::from_rows(&[[0.5, 0.5]]).unwrap()).unwrap();
    assert_eq!(again(&witness), witness);
    let residuals = Mat::from_fn(N, 1, |i, _| y[i]);
    let intervals = SplitConformal::new(residuals.as_ref()).unwrap();
    assert_eq!(again(&intervals), intervals);
}

#[test]
fn damaged_files_are_refused_by_name() {
    type Saved = Classifier<KernelExpansion<Samples<f64>, Rbf>, String>;
    let x = points();
    let model: Saved = Svc::on_kernel(rbf()).fit(&x, &classes()).unwrap();
    let bytes = model.to_bytes().unwrap();
    let refused = |bytes: &[u8]| Saved::from_bytes(bytes).err().unwrap();
    for end in 0..bytes.len() {
        let error = refused(&bytes[..end]);
        assert!(matches!(error, Error::NoModel | Error::Length), "{end}: {error}");
    }
    for at in 0..bytes.len() {
        let mut flipped = bytes.clone();
        flipped[at] ^= 0x10;
        let error = refused(&flipped);
        assert!(!matches!(error, Error::Model { .. } | Error::Io { .. }), "{at}: {error}");
    }
    assert!(matches!(refused(&[&bytes[..], &[0]].concat()), Error::Length));
    let text = String::from_utf8(to_bytes(&model, Encoding::Json).unwrap()).unwrap();
    let edited = text.replacen("\"gamma\":0.5", "\"gamma\":0.6", 1);
    assert!(matches!(refused(edited.as_bytes()), Error::Checksum { .. }));
    let regressor = Ridge::on_kernel(rbf()).fit(&x, &values()).unwrap();
    let error = refused(&regressor.to_bytes().unwrap());
    assert!(matches!(error, Error::Kind { given, .. } if given == "regressor"));
    assert!(matches!(Saved::load("no/such/file.kern"), Err(Error::Io { .. })));
}
