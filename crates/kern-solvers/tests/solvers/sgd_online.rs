//! SGD on streams: the spaces agree part by part, going on is what it says, and errors lose nothing.
#![allow(clippy::unwrap_used, reason = "a test may panic, in its helper functions, too")]

use kern_core::kernels::{Linear, Rbf};
use kern_core::{Identity, Points, Samples};
use kern_solvers::ridge::Ridge;
use kern_solvers::sgd::{Averaging, Loss, Schedule, Sgd};
use kern_solvers::{Data, Error, Progress, Run};
use std::ops::ControlFlow;

/// Three classes on the plane; `from` makes the parts of a stream differ.
fn part(n: usize, from: usize) -> (Samples<f64>, Vec<usize>) {
    let noise = |k: usize| ((k * 7919 + 13) % 1009) as f64 / 1009.0 - 0.5;
    let row = |i: usize| {
        let class = i % 3;
        [class as f64 + 0.9 * noise(2 * i), (class as f64 - 1.0).abs() + noise(2 * i + 1)]
    };
    let rows: Vec<[f64; 2]> = (from..from + n).map(row).collect();
    (Samples::from_rows(&rows).unwrap(), (from..from + n).map(|i| i % 3).collect())
}

fn settings<S>(sgd: Sgd<S>, averaging: Averaging) -> Sgd<S> {
    let sgd = sgd.loss(Loss::Hinge).schedule(Schedule::Pegasos).lambda(0.05).epochs(4).seed(3);
    sgd.averaging(averaging)
}

#[test]
fn the_spaces_agree_after_every_part_of_a_stream() {
    for averaging in [Averaging::Last, Averaging::Uniform, Averaging::Tail(0.5)] {
        let classes = [0, 1, 2];
        let mut u =
            settings(Sgd::on_kernel(Linear), averaging).online_classifier(&classes).unwrap();
        let w = Sgd::on_features(Identity::new(2));
        let mut w = settings(w, averaging).online_classifier(&classes).unwrap();
        let (queries, _) = part(50, 1000);
        for from in [0, 40, 90] {
            let (x, labels) = part(40, from);
            u.partial_fit(&x, &labels).unwrap();
            w.partial_fit(&x, &labels).unwrap();
            let (u, w) = (u.model().unwrap(), w.model().unwrap());
            let (a, b) =
                (u.decision_values(&queries).unwrap(), w.decision_values(&queries).unwrap());
            assert!((&a - &b).norm_max() <= 1e-10 * (1.0 + a.norm_max()), "{averaging:?} {from}");
            assert_eq!(u.report().iterations, w.report().iterations);
            if averaging == Averaging::Last {
                let difference = (u.report().objective - w.report().objective).abs();
                assert!(difference < 1e-10, "the norm is carried along: {difference:e}");
            }
        }
    }
}

#[test]
fn a_stream_of_one_part_is_a_fit() {
    let (x, labels) = part(60, 0);
    let sgd = || settings(Sgd::on_kernel(Rbf::new(1.0).unwrap()), Averaging::Uniform);
    let mut stream = sgd().online_classifier(&[2, 0, 1, 1]).unwrap();
    stream.partial_fit(&x, &labels).unwrap();
    assert_eq!(stream.model().unwrap(), sgd().fit(&x, &labels).unwrap());
}

/// Steps are counted on: two parts of a run with decreasing steps are as long as one.
#[test]
fn steps_go_on_where_they_ended() {
    let (x, labels) = part(30, 0);
    let seen = std::sync::Mutex::new(Vec::new());
    let mut observer = |p: &Progress| {
        seen.lock().unwrap().push((p.iteration, p.total));
        ControlFlow::Continue(())
    };
    let sgd = settings(Sgd::on_kernel(Linear), Averaging::Last).epochs(2);
    let mut stream = sgd.online_classifier(&[0, 1, 2]).unwrap();
    for _ in 0..2 {
        let mut run = Run::new().observer(&mut observer);
        stream.learn(&Data::new(&x, &labels).unwrap(), &mut run).unwrap();
    }
    assert_eq!(*seen.lock().unwrap(), [(30, 60), (60, 60), (90, 120), (120, 120)]);
}

#[test]
fn going_on_with_the_points_of_the_model_adds_none() {
    let (x, labels) = part(60, 0);
    let sgd = || settings(Sgd::on_kernel(Rbf::new(1.0).unwrap()), Averaging::Last);
    let mut stream = sgd().online_classifier(&[0, 1, 2]).unwrap();
    for _ in 0..3 {
        stream.partial_fit(&x, &labels).unwrap();
        assert!(stream.model().unwrap().decision().points().len() <= 60);
    }
    let (more, labels) = part(20, 500);
    stream.partial_fit(&more, &labels).unwrap();
    let points = stream.model().unwrap().decision().points().len();
    assert!(points > 60 && points <= 80, "{points}");
}

/// A warm start from another solver's model: steps that are next to nothing leave it as it is, and
/// good ones improve the objective from there.
#[test]
fn a_warm_start_begins_at_the_model() {
    let (x, labels) = part(60, 0);
    let kernel = Rbf::new(1.0).unwrap();
    let ridge = Ridge::on_kernel(kernel).lambda(1e-3).fit(&x, &labels).unwrap();
    let still = Sgd::on_kernel(kernel).schedule(Schedule::Constant(1e-12));
    let mut stream = still.resume_classifier(&ridge).unwrap();
    assert_eq!(stream.model().unwrap_err(), Error::Empty);
    stream.partial_fit(&x, &labels).unwrap();
    let (before, after) =
        (ridge.decision_values(&x).unwrap(), stream.model().unwrap().decision_values(&x).unwrap());
    assert!((before - after).norm_max() < 1e-8);

    let y: Vec<f64> = (0..60).map(|i| (x.item(i)[0] * 2.0).sin()).collect();
    let sgd = || Sgd::on_kernel(kernel).schedule(Schedule::Constant(0.3)).epochs(20).seed(1);
    let cold = sgd().fit(&x, &y).unwrap();
    let mut stream = sgd().resume_regressor(&cold).unwrap();
    stream.partial_fit(&x, &y).unwrap();
    assert!(stream.model().unwrap().report().objective < 0.9 * cold.report().objective);
}

#[test]
fn a_model_with_an_intercept_is_refused() {
    let (x, labels) = part(30, 0);
    let ridge = Ridge::on_kernel(Linear).lambda(0.1).intercept(true);
    let model = ridge.fit(&x, &labels).unwrap();
    let refused = Sgd::on_kernel(Linear).resume_classifier(&model).unwrap_err();
    let given = model.decision().intercepts()[0];
    assert_eq!(refused, Error::Intercept { given });
    let y: Vec<f64> = labels.iter().map(|&l| l as f64).collect();
    let ridge = Ridge::on_features(Identity::new(2)).lambda(0.1).intercept(true);
    let model = ridge.fit(&x, &y).unwrap();
    let refused = Sgd::on_features(Identity::new(2)).resume_regressor(&model).unwrap_err();
    assert!(matches!(refused, Error::Intercept { .. }), "{refused}");
}

#[test]
fn an_error_leaves_the_stream_as_it_was() {
    let (x, labels) = part(30, 0);
    let mut stream = Sgd::on_kernel(Linear).online_classifier(&[0, 1, 2]).unwrap();
    assert_eq!(stream.model().unwrap_err(), Error::Empty);
    stream.partial_fit(&x, &labels).unwrap();
    let before = stream.model().unwrap();
    let unknown = stream.partial_fit(&x.select(&[0, 1]).unwrap(), &[0, 7]).unwrap_err();
    assert_eq!(unknown, Error::UnknownLabel { point: 1 });
    assert!(matches!(stream.partial_fit(&x, &labels[1..]), Err(Error::Length { .. })));
    let other = Samples::from_rows(&[[1.0]]).unwrap();
    assert!(stream.partial_fit(&other, &[0]).is_err());
    assert_eq!(stream.model().unwrap(), before);
    let one = Sgd::on_kernel(Linear).online_classifier::<Samples<f64>, _>(&[1, 1]).unwrap_err();
    assert_eq!(one, Error::OneClass { points: 2 });

    // A stream that diverges in its second part still has the first.
    let schedule = Schedule::function(|t| if t > 30 { 1e300 } else { 0.1 });
    let y: Vec<f64> = (0..30).map(f64::from).collect();
    let sgd = Sgd::on_features(Identity::new(2)).schedule(schedule).epochs(1);
    let mut stream = sgd.online_regressor();
    stream.partial_fit(&x, &y).unwrap();
    let before = stream.model().unwrap();
    assert!(matches!(stream.partial_fit(&x, &y), Err(Error::Diverged { .. })));
    assert_eq!(stream.model().unwrap(), before);
}

/// Points that are words, parts of a stream with one class only.
#[test]
fn any_points_can_be_a_stream() {
    use kern_core::kernels::Spectrum;
    let kernel = Spectrum::new(2).unwrap();
    let mut stream = Sgd::on_kernel(kernel).epochs(10).online_classifier(&["a", "b"]).unwrap();
    let words = |list: &[&str]| list.iter().map(|w| (*w).to_owned()).collect::<Vec<String>>();
    stream.partial_fit(&words(&["aaab", "aaaa"]), &["a", "a"]).unwrap();
    stream.partial_fit(&words(&["bbbb", "bbba"]), &["b", "b"]).unwrap();
    let model = stream.model().unwrap();
    assert_eq!(model.predict(&words(&["aaaaa", "bbb"])).unwrap(), ["a", "b"]);
}
