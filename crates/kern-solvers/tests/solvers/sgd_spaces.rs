//! SGD in all spaces: landmarks, weights of classes, and learners in files.
#![allow(clippy::unwrap_used, reason = "a test may panic, in its helper functions, too")]

use super::sgd::blobs;
use kern_approx::Nystrom;
use kern_core::Points;
use kern_core::kernels::{Linear, Rbf};
use kern_gram::MemoryBudget;
use kern_solvers::sgd::{Loss, Schedule, Sgd, Storage};
use kern_solvers::{ClassWeights, Data, Learner, Run};

/// On landmarks SGD makes the steps that it makes on their features.
#[test]
fn landmarks_are_their_features() {
    let (x, labels) = blobs(120, 3);
    let nystrom = Nystrom::new(Rbf::new(1.0).unwrap()).landmarks(15).seed(4);
    let map = nystrom.clone().fit(&x, &MemoryBudget::mebibytes(1)).unwrap();
    let sgd = |storage| Sgd::on_landmarks(nystrom.clone()).storage(storage).lambda(1e-3);
    let features = Sgd::on_features(map).lambda(1e-3).fit(&x, &labels).unwrap();
    for storage in [Storage::Cached, Storage::Partial, Storage::OnTheFly, Storage::Auto] {
        let model = sgd(storage).fit(&x, &labels).unwrap();
        assert_eq!(model.decision().points().len(), 15);
        let difference = model.decision_values(&x).unwrap() - features.decision_values(&x).unwrap();
        assert!(difference.norm_max() < 1e-9, "{storage:?}");
        let objectives = (model.report().objective, features.report().objective);
        assert!((objectives.0 - objectives.1).abs() < 1e-12);
    }
}

/// A weight of a class multiplies those of its points, in a fit and in a stream.
#[test]
fn class_weights_are_weights_of_their_points() {
    let (x, labels) = blobs(60, 3);
    let own: Vec<f64> = (0..60).map(|i| 1.0 + f64::from(i % 2)).collect();
    let each = [0.5, 2.0, 1.0];
    let products: Vec<f64> = own.iter().zip(&labels).map(|(w, &l)| w * each[l]).collect();
    let data = || Data::new(&x, &labels).unwrap();
    let sgd = Sgd::on_kernel(Linear).epochs(3);
    let weighted = sgd.clone().class_weights(ClassWeights::Each(each.to_vec()));
    let run = &mut Run::new();
    let model = weighted.learn(&data().weights(&own).unwrap(), run).unwrap();
    assert_eq!(model, sgd.learn(&data().weights(&products).unwrap(), run).unwrap());
    let mut stream = weighted.online_classifier(&[0, 1, 2]).unwrap();
    stream.learn(&data().weights(&own).unwrap(), run).unwrap();
    assert_eq!(stream.model().unwrap(), model);
    // Classes of one size are balanced as they are.
    let balanced = sgd.clone().class_weights(ClassWeights::Balanced).fit(&x, &labels).unwrap();
    assert_eq!(balanced, sgd.fit(&x, &labels).unwrap());
}

#[test]
fn learners_are_read_as_they_were_written() {
    let sgd = Sgd::on_kernel(Rbf::new(1.0).unwrap()).loss(Loss::Huber(0.5)).lambda(0.1).epochs(3);
    let text = serde_json::to_string(&sgd).unwrap();
    assert_eq!(serde_json::from_str::<Sgd<_>>(&text).unwrap(), sgd);
    let auto = Sgd::auto(Rbf::new(1.0).unwrap()).schedule(Schedule::Pegasos);
    let text = serde_json::to_string(&auto).unwrap();
    assert_eq!(serde_json::from_str::<Sgd<_>>(&text).unwrap(), auto);
}
