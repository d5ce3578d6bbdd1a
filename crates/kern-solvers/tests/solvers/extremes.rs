//! Numbers at the ends of their range: an answer is finite, or there is an error that says what is not.
#![allow(clippy::unwrap_used, reason = "a test may panic, in its helper functions, too")]

use kern_core::closure::Normalized;
use kern_core::kernels::{Linear, Polynomial, Rbf};
use kern_core::{Identity, Points, Samples};
use kern_solvers::components::KernelPca;
use kern_solvers::kmeans::{KMeans, SoftKMeans};
use kern_solvers::knn::RadiusNeighbors;
use kern_solvers::logistic::Logistic;
use kern_solvers::ridge::Ridge;
use kern_solvers::sgd::Sgd;
use kern_solvers::space::Auto;
use kern_solvers::svm::OneClass;
use kern_solvers::{Data, Error, Learner, Progress, Run, Status};
use std::ops::ControlFlow;
use std::time::Duration;

fn line() -> Samples<f64> {
    Samples::from_rows(&[[0.0], [1.0], [2.0], [3.0]]).unwrap()
}

fn rbf() -> Rbf {
    Rbf::new(0.5).unwrap()
}

#[test]
fn predictions_that_overflow_are_errors() {
    let far = Samples::from_rows(&[[1e300]]).unwrap();
    let y = [0.0_f64, 1e10, 2e10, 3e10];
    let ridge = Ridge::on_features(Identity::new(1)).fit(&line(), &y).unwrap();
    let error = ridge.predict(&far).unwrap_err();
    let product =
        matches!(error, Error::Gram(kern_gram::Error::ProductNotFinite { row: 0, col: 0, .. }));
    assert!(product, "{error:?}");
    let further = Samples::from_rows(&[[f64::MAX]]).unwrap();
    let means = SoftKMeans::on_kernel(Linear, 2).fit(&line()).unwrap();
    let error = means.predict_memberships(&further).unwrap_err();
    let value = matches!(error, Error::Gram(kern_gram::Error::NotFinite { row: 0, .. }));
    assert!(value, "{error:?}");
}

/// A fit by differences never looks at values that overflow, and its model would have to.
#[test]
fn what_is_learned_answers_for_each_of_its_points() {
    let one = Samples::from_rows(&[[f32::MAX; 3]]).unwrap();
    let cube = Polynomial::new(1.0, 1.0, 3).unwrap();
    let not_finite = |error: Option<Error>| {
        matches!(error, Some(Error::Gram(kern_gram::Error::NotFinite { row: 0, .. })))
    };
    assert!(not_finite(KMeans::on_kernel(cube, 1).fit(&one).err()));
    assert!(not_finite(SoftKMeans::on_kernel(cube, 1).fit(&one).err()));
    let cosine = Normalized::new(Linear);
    let norm = |error: Option<Error>| {
        matches!(error, Some(Error::Core(kern_core::Error::Norm { sample: 0, .. })))
    };
    assert!(norm(KMeans::on_kernel(cosine, 1).fit(&one).err()));
    assert!(norm(KernelPca::on_kernel(cosine, 1).fit(&one).err()));
}

/// Sums over points that overflow: weights and losses are finite, and their products are not.
#[test]
fn objectives_that_overflow_are_errors() {
    let (x, y) = (line(), [1e200_f64, -1e200, 1e200, 0.0]);
    let range = |error: Option<Error>| matches!(error, Some(Error::Range { .. }));
    assert!(range(Ridge::on_kernel(rbf()).fit(&x, &y).err()));
    let sgd = Sgd::on_features(Identity::new(1)).iterations(1);
    assert!(range(sgd.fit(&x, &y).err()));
    let huge = [f64::MAX; 4];
    let labels = Data::new(&x, &[0, 0, 1, 1]).unwrap().weights(&huge).unwrap();
    let logistic = Logistic::on_features(Identity::new(1));
    assert!(logistic.learn(&labels, &mut Run::new()).is_err());
    let unlabelled = Data::unlabelled(&x).unwrap().weights(&huge).unwrap();
    let one = OneClass::on_features(Identity::new(1));
    assert!(one.learn(&unlabelled, &mut Run::new()).is_err());
}

#[test]
fn more_restarts_than_anybody_lists_can_be_stopped() {
    let x = line();
    let mut stop = |_: &Progress| ControlFlow::Break(());
    let means = KMeans::on_features(Identity::new(1), 2).restarts(usize::MAX);
    let data = Data::unlabelled(&x).unwrap();
    let mut short = Run::new().time_limit(Duration::from_secs(60));
    assert!(matches!(means.learn(&data, &mut short), Err(Error::TooLong { .. })));
    let mut run = Run::new().observer(&mut stop);
    let model = means.learn(&data, &mut run).unwrap();
    assert_eq!(model.report().status, Status::Stopped);
    assert_eq!(model.labels().len(), x.len());
}

#[test]
fn more_draws_of_a_seed_than_a_list_holds() {
    let means = KMeans::on_kernel(rbf(), 2).trials(1024);
    assert_eq!(means.fit(&line()).unwrap().labels().len(), 4);
    for beyond in [1025, usize::MAX] {
        let refused = means.clone().trials(beyond).fit(&line()).unwrap_err().to_string();
        assert!(refused.contains("trials") && refused.contains("1024"), "{refused}");
    }
}

#[test]
fn means_of_the_greatest_numbers_are_finite() {
    let near = RadiusNeighbors::by_distance(rbf(), 10.0);
    let model = near.fit(&line(), &[f64::MAX; 4]).unwrap();
    let means: Vec<f64> = model.predict(&line()).unwrap().into_iter().flatten().collect();
    assert!(means.len() == 4 && means.iter().all(|mean| mean.is_finite()));
}

#[test]
fn plans_of_few_points_and_all_landmarks_that_can_be_asked_for() {
    let space = Auto::new(rbf()).landmarks(usize::MAX);
    for n in 1..4 {
        let x = line().select(&Vec::from_iter(0..n)).unwrap();
        let mut run = Run::new().time_limit(Duration::from_nanos(1));
        let y = vec![1.0_f64; n];
        drop(Ridge::on(space).learn(&Data::new(&x, &y).unwrap(), &mut run));
        drop(Sgd::on(space).learn(&Data::new(&x, &y).unwrap(), &mut run));
    }
}
