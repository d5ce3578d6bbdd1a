//! Fits end when they are told to: large batches of SGD by their observer, other learners by the limit of time.
#![allow(clippy::unwrap_used, reason = "a test may panic, in its helper functions, too")]

use super::sgd::blobs;
use kern_core::Identity;
use kern_core::kernels::Rbf;
use kern_core::{Points, Samples};
use kern_solvers::kmeans::KMeans;
use kern_solvers::perceptron::{Budget, Perceptron};
use kern_solvers::sgd::{Schedule, Sgd, Storage};
use kern_solvers::{Data, Error, Learner, Progress, Run, Status};
use std::ops::ControlFlow;
use std::time::Duration;

fn rbf() -> Rbf {
    Rbf::new(1.0).unwrap()
}

#[test]
fn a_batch_without_end_is_ended_by_the_observer() {
    let (x, y) = blobs(40, 2);
    let data = Data::new(&x, &y).unwrap();
    let batch = usize::MAX / 2;
    let mut asked = 0;
    let mut watch = |p: &Progress| {
        asked += 1;
        assert!(p.iteration == 0 && p.loss.is_finite(), "{p:?}");
        if asked % 2 == 0 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    let mut run = Run::new().time_limit(None).observer(&mut watch);
    for storage in [Storage::Cached, Storage::OnTheFly] {
        let sgd = Sgd::on_kernel(rbf()).batch(batch).epochs(1).storage(storage);
        let report = sgd.learn(&data, &mut run).unwrap().report().clone();
        assert_eq!((report.status, report.iterations), (Status::Stopped, 0));
    }
    for schedule in [Schedule::Constant(0.1), Schedule::AdaGrad(0.1)] {
        let sgd = Sgd::on_features(Identity::new(2)).batch(batch).epochs(1).schedule(schedule);
        let report = sgd.learn(&data, &mut run).unwrap().report().clone();
        assert_eq!((report.status, report.iterations), (Status::Stopped, 0));
    }
    assert_eq!(asked, 8);
}

#[test]
fn a_batch_of_many_times_all_points_is_their_mean_gradient() {
    let (x, y) = blobs(10, 2);
    let sgd = Sgd::on_kernel(rbf()).schedule(Schedule::Constant(1.0)).iterations(1);
    let of = |batch| {
        let model = sgd.clone().batch(batch).fit(&x, &y).unwrap();
        model.decision_values(&x).unwrap()
    };
    // A mean of 2¹⁶ draws among ten points is off by some 1 % of the values.
    let difference = of(1 << 16) - of(1 << 20);
    assert!(difference.norm_max() < 0.05, "{difference:?}");
    assert!(of(1 << 16).norm_max() > 0.01);
}

#[test]
fn every_learner_has_a_limit_of_time() {
    let (x, y) = blobs(60, 2);
    let data = Data::new(&x, &y).unwrap();
    let alone = Data::unlabelled(&x).unwrap();
    let short = || Run::new().time_limit(Duration::from_nanos(1));
    let refused = |outcome: Result<(), Error>| {
        assert!(matches!(outcome, Err(Error::TooLong { .. })), "{outcome:?}");
    };
    let perceptron = Perceptron::on_kernel(rbf());
    refused(perceptron.learn(&data, &mut short()).map(drop));
    let few = perceptron.clone().budget(Budget::Random { vectors: 5 });
    refused(few.learn(&data, &mut short()).map(drop));
    refused(Perceptron::on_features(Identity::new(2)).learn(&data, &mut short()).map(drop));
    let batches = KMeans::on_kernel(rbf(), 2).batch(10);
    refused(batches.learn(&alone, &mut short()).map(drop));
    refused(KMeans::on_features(Identity::new(2), 2).learn(&alone, &mut short()).map(drop));
    assert!(perceptron.learn(&data, &mut Run::new()).is_ok());
    assert!(batches.learn(&alone, &mut Run::new()).is_ok());
}

#[test]
fn support_vectors_beyond_the_memory_are_refused() {
    let points = 20_000;
    let values = (0..2 * points).map(|k| f64::from((k * 7_919) % 100_003_u32)).collect();
    let x: Samples<f64> = Samples::from_row_major(2, values).unwrap();
    let y: Vec<usize> = (0..x.len()).map(|i| i % 2).collect();
    let budget = Budget::Oldest { vectors: usize::MAX };
    let perceptron = Perceptron::on_kernel(rbf()).budget(budget).max_iterations(1);
    let data = Data::new(&x, &y).unwrap();
    let within = |mebibytes| {
        let memory = kern_gram::MemoryBudget::mebibytes(mebibytes);
        perceptron.learn(&data, &mut Run::new().memory(memory))
    };
    let short = within(2).err().unwrap();
    let Error::Gram(kern_gram::Error::Budget { what, .. }) = short else { panic!("{short}") };
    assert_eq!(what, "the support vectors");
    assert!(within(64).is_ok());
}
