//! Hyper-parameters of learners by name, in every space: what a learner lists, and that what is set is what a fit sees.
#![allow(clippy::unwrap_used, reason = "a test may panic, in its helper functions, too")]

use super::golden::knn as iris;
use super::learn::data;
use kern_approx::{Nystrom, Selection};
use kern_core::kernels::Rbf;
use kern_core::parameters::{Domain, Parameters, Setting, verify_parameters};
use kern_core::{Error, Identity, Mercer, Samples};
use kern_solvers::calibration::Calibrated;
use kern_solvers::feature_machine::FeatureMachine;
use kern_solvers::gaussian_process::{GaussianProcess, GaussianProcessClassifier};
use kern_solvers::kmeans::{KMeans, Seeding, SoftKMeans};
use kern_solvers::knn::{KNearest, KernelHashes, RadiusNeighbors, VantageTree, Weighting};
use kern_solvers::logistic::Logistic;
use kern_solvers::perceptron::{Budget, Perceptron};
use kern_solvers::ridge::{Ridge, RidgeSolver};
use kern_solvers::ridge_mixture::{MixtureStart, RidgeMixture};
use kern_solvers::sgd::{Averaging, EarlyStopping, Loss, Schedule, Sgd};
use kern_solvers::svm::{OneClass, Svc, Svdd, Svr};
use kern_solvers::validation::{Accuracy, R2, Split, cross_validate};
use kern_solvers::{ClassWeights, MultiClass};

fn rbf() -> Rbf {
    Rbf::new(0.5).unwrap()
}

fn nystrom() -> Nystrom<Rbf> {
    Nystrom::new(rbf()).landmarks(12).seed(1)
}

/// The names of those of landmarks, behind those of the learner.
const NYSTROM: &str = "landmarks landmarks.rank landmarks.selection landmarks.seed kernel.gamma";

/// Checks the law, and that these are the names.
fn lists<A: Parameters + Clone + PartialEq>(learner: &A, names: &str) {
    assert_eq!(verify_parameters(learner), Ok(()), "{names}");
    let found: Vec<_> = learner.parameters().into_iter().map(|p| p.name).collect();
    assert_eq!(found.join(" "), names);
}

#[test]
fn regressors_and_classifiers_list_what_has_an_effect_in_their_space() {
    let own = "lambda intercept class_weights tolerance max_iterations seed";
    let ridge = Ridge::on_kernel(rbf()).class_weights(ClassWeights::Each(vec![1.0, 2.0]));
    lists(&ridge, &format!("{own} solver rank stored kernel.gamma"));
    lists(
        &ridge.tolerance(1e-3).rank(4).stored(true),
        &format!("{own} solver rank stored kernel.gamma"),
    );
    lists(&Ridge::on_landmarks(nystrom().rank(3)), &format!("{own} sampled {NYSTROM}"));
    lists(&Ridge::on_features(Identity::new(3)), own);
    lists(&Ridge::auto(rbf()), &format!("{own} landmarks kernel.gamma"));
    let own = "lambda intercept class_weights tolerance max_iterations";
    lists(&Logistic::on_kernel(rbf()), &format!("{own} multi_class solver kernel.gamma"));
    lists(&Logistic::on_landmarks(nystrom()), &format!("{own} sampled seed {NYSTROM}"));
    lists(&Logistic::on_features(Identity::new(3)), own);
    let own = "max_iterations averaged intercept class_weights order seed";
    let perceptron = Perceptron::on_kernel(rbf());
    lists(&perceptron, &format!("{own} kernel.gamma"));
    let projected = perceptron.clone().budget(Budget::Projection { vectors: 5, distance: 0.1 });
    lists(&projected, &format!("{own} budget.vectors budget.distance kernel.gamma"));
    let removed = perceptron.budget(Budget::Oldest { vectors: 5 });
    lists(&removed, &format!("{own} budget.vectors kernel.gamma"));
    lists(&Perceptron::on_features(Identity::new(3)), own);
}

#[test]
fn machines_list_the_numbers_of_their_formulation() {
    let classes = "class_weights multi_class violation tolerance max_iterations intercept";
    let svc = Svc::on_kernel(rbf());
    lists(&svc, &format!("c {classes} kernel.gamma"));
    lists(&svc.clone().c(f64::INFINITY), &format!("c {classes} kernel.gamma"));
    lists(&svc.nu(0.3), &format!("nu {classes} kernel.gamma"));
    lists(&Svc::on_landmarks(nystrom()), &format!("c {classes} squared seed {NYSTROM}"));
    lists(&Svc::on_features(Identity::new(3)), &format!("c {classes} squared seed"));
    let values = "violation tolerance max_iterations intercept";
    lists(&Svr::on_kernel(rbf()), &format!("c epsilon {values} kernel.gamma"));
    lists(&Svr::on_kernel(rbf()).nu(0.3), &format!("c nu {values} kernel.gamma"));
    lists(&Svr::on_landmarks(nystrom()), &format!("c epsilon {values} squared seed {NYSTROM}"));
    lists(&Svr::on_features(Identity::new(3)), &format!("c epsilon {values} squared seed"));
    let region = "nu violation tolerance max_iterations";
    lists(&OneClass::on_kernel(rbf()), &format!("{region} kernel.gamma"));
    lists(&Svdd::on_kernel(rbf()), &format!("{region} kernel.gamma"));
    lists(&Svdd::on_features(Identity::new(3)), &format!("{region} seed"));
    lists(&OneClass::on_landmarks(nystrom()), &format!("{region} seed {NYSTROM}"));
    lists(&OneClass::on_features(Identity::new(3)), &format!("{region} seed"));
    let calibrated = format!("calibration.folds calibration.seed c {classes} kernel.gamma");
    lists(&Calibrated::new(Svc::on_kernel(rbf())), &calibrated);
}

#[test]
fn mixtures_list_their_numbers() {
    let rest = "restarts seed max_iterations tolerance kernel.gamma";
    let own = "components lambda shared_noise noise_floor";
    lists(&RidgeMixture::on_kernel(rbf(), 2), &format!("{own} start {rest}"));
    let given = RidgeMixture::on_kernel(rbf(), 2).start(MixtureStart::Given(vec![0, 1]));
    lists(&given, &format!("{own} {rest}"));
}

#[test]
fn sgd_lists_the_numbers_of_its_rules() {
    let own = |loss: &str, schedule: &str, stopping: &str, length: &str| {
        let rest = "lambda intercept project class_weights seed storage";
        format!("{loss} multi_class{schedule} batch averaging{stopping} {rest} {length}")
    };
    let plain = own("loss", " step_size", "", "epochs");
    let sgd = Sgd::on_kernel(rbf());
    lists(&sgd, &format!("{plain} kernel.gamma"));
    lists(&Sgd::on_landmarks(nystrom()), &format!("{plain} {NYSTROM}"));
    lists(&Sgd::on_features(Identity::new(3)), &plain);
    lists(&Sgd::auto(rbf()), &format!("{plain} landmarks kernel.gamma"));
    lists(
        &sgd.clone().loss(Loss::Hinge).averaging(Averaging::Tail(0.5)),
        &format!("{plain} kernel.gamma"),
    );
    let ruled = sgd.clone().loss(Loss::Huber(0.5)).schedule(Schedule::Pegasos).iterations(7);
    let names = own("loss.delta", "", "", "iterations");
    lists(&ruled, &format!("{names} kernel.gamma"));
    let stopped = sgd.loss(Loss::EpsilonInsensitive(0.1)).early_stopping(EarlyStopping::default());
    let rule = " early_stopping.fraction early_stopping.patience early_stopping.tolerance";
    let names = own("loss.epsilon", " step_size", rule, "epochs");
    lists(&stopped, &format!("{names} kernel.gamma"));
}

#[test]
fn processes_list_theirs() {
    let rules = "lower upper restarts spread seed max_iterations tolerance";
    let own = format!("noise normalize objective fixed {rules}");
    lists(&GaussianProcess::on_kernel(rbf()), &format!("{own} kernel.gamma"));
    let landmarks = GaussianProcess::on_landmarks(Nystrom::new(rbf()));
    lists(
        &landmarks,
        &format!("{own} landmarks landmarks.rank landmarks.selection landmarks.seed kernel.gamma"),
    );
    let classes = GaussianProcessClassifier::on_kernel(rbf());
    lists(&classes, &format!("fixed class_weights {rules} kernel.gamma"));
}

#[test]
fn clusters_feature_machines_and_neighbours_list_theirs() {
    let runs = "clusters seeding trials restarts seed max_iterations";
    let batches = "batch truncation patience progress lower_bound";
    let clusters = KMeans::on_kernel(rbf(), 3);
    lists(&clusters, &format!("{runs} {batches} kernel.gamma"));
    let given = runs.replace("seeding ", "");
    let seeded = clusters.seeding(Seeding::Given(vec![0, 1, 2]));
    lists(&seeded, &format!("{given} {batches} kernel.gamma"));
    lists(&KMeans::on_features(Identity::new(3), 3), &format!("{runs} bounds"));
    lists(&KMeans::on_landmarks(nystrom(), 3), &format!("{runs} bounds {NYSTROM}"));
    lists(&SoftKMeans::on_kernel(rbf(), 3), &format!("{runs} beta progress kernel.gamma"));
    lists(&SoftKMeans::on_features(Identity::new(3), 3), &format!("{runs} beta progress"));
    lists(&SoftKMeans::on_landmarks(nystrom(), 3), &format!("{runs} beta progress {NYSTROM}"));
    let machine = FeatureMachine::on_kernel(rbf());
    lists(
        &machine,
        "lambda spread rounds metric folds stacked shrinkage intercept class_weights leaf seed kernel.gamma",
    );
    let near = KNearest::by_distance(rbf());
    lists(&near, "neighbors weighting class_weights kernel.gamma");
    lists(&KNearest::by_similarity(rbf()), "neighbors weighting class_weights kernel.gamma");
    let tree = near.clone().search(VantageTree::new());
    let names = "neighbors weighting class_weights search.leaf search.seed kernel.gamma";
    lists(&tree, names);
    let index = "search.tables search.bits search.probes search.landmarks search.seed";
    let hashes = near.clone().search(KernelHashes::new());
    lists(&hashes, &format!("neighbors weighting class_weights {index} kernel.gamma"));
    // A function of the user's has no name.
    let mut own = near.weighting(|distance: f64| -distance);
    let names: Vec<_> = own.parameters().into_iter().map(|p| p.name).collect();
    assert_eq!(names, ["neighbors", "class_weights", "kernel.gamma"]);
    own.set_parameter("neighbors", &3.0.into()).unwrap();
    assert_eq!(own.parameter("neighbors"), Some(Setting::Count(3)));
    let within = "weighting class_weights kernel.gamma";
    lists(&RadiusNeighbors::by_distance(rbf(), 0.5), &format!("radius {within}"));
    lists(&RadiusNeighbors::by_similarity(rbf(), -0.5), &format!("threshold {within}"));
}

/// The learner after these values are set.
fn with<A: Parameters>(mut learner: A, values: &[(&str, Setting)]) -> A {
    for (name, value) in values {
        learner.set_parameter(name, value).unwrap();
    }
    learner
}

#[test]
fn names_do_what_builders_do() {
    let kernel = Rbf::new(0.25).unwrap();
    let set = with(
        Ridge::on_kernel(rbf()),
        &[
            ("kernel.gamma", 0.25.into()),
            ("lambda", 1e-3.into()),
            ("intercept", true.into()),
            ("class_weights", vec![1.0, 3.0].into()),
            ("solver", "conjugate_gradients".into()),
            ("rank", 7.0.into()),
            ("stored", false.into()),
            ("tolerance", 1e-9.into()),
            ("max_iterations", 50.0.into()),
            ("seed", 3.0.into()),
        ],
    );
    let built = Ridge::on_kernel(kernel).lambda(1e-3).intercept(true).rank(7).stored(false);
    let built = built.class_weights(ClassWeights::Each(vec![1.0, 3.0])).tolerance(1e-9);
    assert_eq!(set, built.solver(RidgeSolver::ConjugateGradients).max_iterations(50).seed(3));
    let auto = [("rank", "auto".into()), ("stored", "auto".into()), ("tolerance", "auto".into())];
    let plain = Ridge::on_kernel(rbf());
    assert_eq!(with(plain.clone().rank(7).stored(true).tolerance(1e-3), &auto), plain);

    let set = with(
        Svc::on_landmarks(nystrom()),
        &[
            ("c", 10.0.into()),
            ("multi_class", "one_vs_one".into()),
            ("class_weights", "balanced".into()),
            ("squared", true.into()),
            ("landmarks", 5.0.into()),
            ("landmarks.selection", "random_pivots".into()),
            ("kernel.gamma", 0.25.into()),
        ],
    );
    let nystrom = Nystrom::new(kernel).landmarks(5).seed(1).selection(Selection::RandomPivots);
    let built = Svc::on_landmarks(nystrom).c(10.0).multi_class(MultiClass::OneVsOne);
    assert_eq!(set, built.class_weights(ClassWeights::Balanced).squared(true));
    let hard = with(Svc::on_kernel(rbf()), &[("c", "infinite".into())]);
    assert_eq!(hard, Svc::on_kernel(rbf()).c(f64::INFINITY));
    assert_eq!(with(hard, &[("c", 2.0.into())]), Svc::on_kernel(rbf()).c(2.0));

    let sgd = || Sgd::on_kernel(rbf());
    let set = with(sgd(), &[("loss", "huber".into()), ("averaging", 0.5.into())]);
    assert_eq!(set, sgd().loss(Loss::Huber(1.0)).averaging(Averaging::Tail(0.5)));
    let set = with(set, &[("loss.delta", 0.1.into()), ("epochs", 3.0.into())]);
    assert_eq!(set, sgd().loss(Loss::Huber(0.1)).averaging(Averaging::Tail(0.5)).epochs(3));
    let clusters = with(KMeans::on_kernel(rbf(), 3), &[("clusters", 2.0.into())]);
    assert_eq!(clusters, KMeans::on_kernel(rbf(), 2));
    let near = with(KNearest::by_distance(rbf()), &[("weighting", "weighted".into())]);
    assert_eq!(near, KNearest::by_distance(rbf()).weighting(Weighting::Weighted));
}

#[test]
fn domains_and_scales_are_those_of_the_literature() {
    let domain = |learner: &dyn Parameters, name: &str| {
        learner.parameters().into_iter().find(|p| p.name == name).unwrap().domain
    };
    let (ridge, svr) = (Ridge::on_kernel(rbf()), Svr::on_kernel(rbf()).nu(0.5));
    assert_eq!(domain(&ridge, "lambda"), Domain::positive());
    assert_eq!(domain(&ridge, "kernel.gamma"), Domain::positive());
    assert_eq!(domain(&ridge, "rank"), Domain::NameOr(&["auto"], const { &Domain::count(0) }));
    assert_eq!(domain(&ridge, "intercept"), Domain::Flag);
    assert_eq!(domain(&svr, "c"), Domain::positive());
    assert_eq!(domain(&svr, "nu"), Domain::fraction());
    assert_eq!(domain(&Svr::on_kernel(rbf()), "epsilon"), Domain::non_negative());
    let solvers = "one of auto, cholesky, conjugate_gradients";
    assert_eq!(domain(&ridge, "solver").to_string(), solvers);
    let weights = "equal, balanced, or a list of finite numbers >= 0, at least one";
    assert_eq!(domain(&ridge, "class_weights").to_string(), weights);
}

#[test]
fn what_is_not_allowed_or_not_known_is_an_error_that_says_so() {
    let mut ridge = Ridge::on_features(Identity::new(2));
    let refused = ridge.set_parameter("lambda", &0.0.into()).unwrap_err();
    assert_eq!(refused.to_string(), "lambda must be a finite number > 0, got 0");
    let refused = ridge.set_parameter("tolerance", &(-1.0).into()).unwrap_err();
    assert_eq!(refused.to_string(), "tolerance must be auto, or a finite number > 0, got -1");
    // Of another space.
    let Err(Error::UnknownName { given, known, .. }) = ridge.set_parameter("rank", &1.0.into())
    else {
        panic!("`rank` has no effect on features")
    };
    assert_eq!((given.as_str(), known[0].as_ref(), known.len()), ("rank", "lambda", 6));
    assert_eq!(ridge, Ridge::on_features(Identity::new(2)));
}

#[test]
fn a_grid_by_names_is_the_grid_of_builders() {
    let x = Samples::from_rows(&iris::X).unwrap();
    let classes = iris::SPECIES;
    let lengths: Vec<f64> = iris::X.iter().map(|row| row[2]).collect();
    let (of_classes, of_lengths) = (data((&x, &classes), None), data((&x, &lengths), None));
    let split = Split::k_fold(3).shuffle(1);
    let (mut svc, mut ridge) = (Svc::on_kernel(rbf()), Ridge::on_kernel(rbf()));
    for gamma in [0.1, 1.0, 10.0] {
        for number in [0.01, 1.0, 100.0] {
            for learner in [&mut svc as &mut dyn Parameters, &mut ridge] {
                learner.set_parameter("kernel.gamma", &gamma.into()).unwrap();
            }
            svc.set_parameter("c", &number.into()).unwrap();
            ridge.set_parameter("lambda", &number.into()).unwrap();
            let kernel = Rbf::new(gamma).unwrap();
            let named = cross_validate(&svc, &of_classes, &split, &Accuracy).unwrap();
            let built = Svc::on_kernel(kernel).c(number);
            let built = cross_validate(&built, &of_classes, &split, &Accuracy).unwrap();
            assert_eq!(named.mean().to_bits(), built.mean().to_bits());
            let named = cross_validate(&ridge, &of_lengths, &split, &R2).unwrap();
            let built = Ridge::on_kernel(kernel).lambda(number);
            let built = cross_validate(&built, &of_lengths, &split, &R2).unwrap();
            let bits = |scores: &kern_solvers::validation::CrossValidation| {
                scores.folds().iter().map(|fold| fold.score.to_bits()).collect::<Vec<_>>()
            };
            assert_eq!(bits(&named), bits(&built));
        }
    }
    let models = [ridge.fit(&x, &lengths), {
        Ridge::on_kernel(Rbf::new(10.0).unwrap()).lambda(100.0).fit(&x, &lengths)
    }];
    let [named, built] = models.map(|model| model.unwrap().decision().coefficients().to_owned());
    assert_eq!(named, built);
}

/// A kernel behind a formula is searched by the names of the formula.
#[test]
fn formulas_keep_their_names() {
    let kernel = "0.5*rbf(gamma=1) + linear".parse::<kern_core::KernelSpec>().unwrap();
    let kernel = kernel.build_mercer::<Samples<f64>>().unwrap();
    fn known<K: Mercer<Samples<f64>> + Parameters>(kernel: K) -> Vec<String> {
        let all = Ridge::on_kernel(kernel).parameters();
        all.into_iter().map(|p| p.name.into_owned()).filter(|n| n.starts_with("kernel.")).collect()
    }
    assert_eq!(known(kernel), ["kernel.1.weight", "kernel.1.gamma"]);
}
