//! A training is what its parts are by hand; what cannot be is a typed error.

use super::table;
use kern_core::{KernelSpec, Row};
use kern_data::{Format, Source};
use kern_gram::MemoryBudget;
use kern_solvers::pipeline::Pipeline;
use kern_solvers::search::{Axis, Tune};
use kern_solvers::svm::Svc;
use kern_solvers::validation::{Accuracy, Split};
use kern_table::{Answers, Error, Method, Prepare, Task, Training};
use std::ops::ControlFlow;

const KERNEL: &str = "rbf(gamma=0.5) * hamming_rbf(gamma=0.25) + 0.1*spectrum(k=2)";

fn training() -> Training {
    Training::new(Task::Classify).target("class").kernel(KERNEL)
}

#[test]
fn a_training_is_a_pipeline() {
    let all = table(0..120);
    let model = training().set("c", 10.0).fit(&all).unwrap();
    let (target, points) = all.clone().split("class").unwrap();
    let rows = points.rows(&points.schema()).unwrap();
    let kernel = KERNEL.parse::<KernelSpec>().unwrap().build_mercer::<Vec<Row>>().unwrap();
    let labels = target.labels().unwrap();
    let by_hand = Pipeline::new(Prepare::new(), Svc::on_kernel(kernel.clone()).c(10.0));
    let expected = by_hand.fit(&rows, &labels).unwrap().predict(&rows).unwrap();
    assert_eq!(model.predict(&all).unwrap(), Answers::Classes(expected));
    assert_eq!((model.rows(), model.kernel()), (120, kernel.to_string().as_str()));

    let tuned = training().tune(3).seed(5).fit(&all).unwrap();
    let search = tuned.search().unwrap();
    assert_eq!(search.names[0], "c");
    let by_hand = Pipeline::new(Prepare::new(), Svc::on_kernel(kernel));
    let split = Split::stratified(3).shuffle(5);
    let best = search.trials[search.best.unwrap()].clone();
    let mut same = Tune::new(by_hand, Accuracy).split(split);
    for (name, setting) in search.names.iter().zip(&best.settings) {
        same = same.over(name, Axis::List(vec![setting.clone()]));
    }
    assert_eq!(same.fit(&rows, &labels).unwrap().trials()[0].scores, best.scores);
}

#[test]
fn every_method_learns() {
    let (learned, new) = (table(0..200), table(200..260));
    let truth = new.column("class").unwrap().labels().unwrap();
    for (method, landmarks) in [
        (Method::Svm, 0),
        (Method::Svm, 100),
        (Method::Logistic, 0),
        (Method::Logistic, 100),
        (Method::Neighbors, 0),
    ] {
        let training = Training::new(Task::Classify).target("class").kernel("rbf(gamma=2)");
        let training = training.method(method).landmarks(landmarks).ignore("note").ignore("side");
        let training = if method == Method::Svm { training.set("c", 10.0) } else { training };
        let training =
            if method == Method::Logistic { training.set("lambda", 1e-4) } else { training };
        let model = training.fit(&learned).unwrap();
        let Answers::Classes(answers) = model.predict(&new).unwrap() else { panic!() };
        let right = answers.iter().zip(&truth).filter(|(a, b)| a == b).count();
        assert!(right * 10 > truth.len() * 8, "{}: {right} of {}", model.method(), truth.len());
        let probabilities = model.probabilities(&new).unwrap();
        assert_eq!(probabilities.is_some(), method == Method::Logistic);
    }
    for (method, landmarks) in
        [(Method::Ridge, 0), (Method::Ridge, 100), (Method::Svm, 0), (Method::Neighbors, 0)]
    {
        let training = Training::new(Task::Regress).target("x").method(method).landmarks(landmarks);
        let model = training.ignore("note").fit(&learned).unwrap();
        assert!(matches!(model.predict(&new).unwrap(), Answers::Numbers(x) if x.len() == 60));
    }
    let clusters = Training::new(Task::Cluster(3)).ignore("class").fit(&learned).unwrap();
    assert!(
        matches!(clusters.predict(&new).unwrap(), Answers::Clusters(k) if k.iter().all(|&k| k < 3))
    );
    let known = Training::new(Task::Detect).ignore("class").fit(&learned).unwrap();
    let Answers::Known(known) = known.predict(&new).unwrap() else { panic!() };
    assert!(known.iter().filter(|known| **known).count() > 20);
}

#[test]
fn what_cannot_be_is_a_typed_error() {
    let all = table(0..30);
    let fit = |training: Training| training.fit(&all).unwrap_err();
    assert!(
        matches!(fit(Training::new(Task::Classify)), Error::NoTarget { known } if known.len() == 5)
    );
    assert!(matches!(
        fit(training().method(Method::KMeans)),
        Error::Method { task: "classify", .. }
    ));
    assert!(matches!(
        fit(training().ignore("z")),
        Error::Data(kern_data::Error::UnknownColumn { .. })
    ));
    assert!(matches!(fit(Training::new(Task::Detect).tune(3)), Error::NotHere(_)));
    assert!(matches!(
        fit(training().kernel("rbf +")),
        Error::Core(kern_core::Error::Syntax { .. })
    ));
    let words = Training::new(Task::Regress).target("class");
    assert!(matches!(fit(words), Error::Data(kern_data::Error::Kind { .. })));
    let lonely = Source::new(Format::Csv, "y\n1\n2\n".as_bytes()).read().unwrap();
    let nothing = Training::new(Task::Regress).target("y").fit(&lonely);
    assert!(matches!(nothing, Err(Error::NoColumns)));
}

#[test]
fn streams_end_where_they_are_told_to_and_name_new_classes() {
    let memory = MemoryBudget::mebibytes(64);
    let learn = |tables: Vec<kern_data::Table>, most: u64| {
        let flow =
            |rows| if rows < most { ControlFlow::Continue(()) } else { ControlFlow::Break(()) };
        training().landmarks(20).learn_batches(tables.into_iter().map(Ok), memory, flow)
    };
    let parts = || (0..5).map(|k| table(k * 40..(k + 1) * 40)).collect::<Vec<_>>();
    assert_eq!(learn(parts(), u64::MAX).unwrap().rows(), 200);
    assert_eq!(learn(parts(), 80).unwrap().rows(), 80);
    let other = "x,y,side,note,class\n1,2,left,note,other\n";
    let other = Source::new(Format::Csv, other.as_bytes()).kind("note", kern_data::Kind::Text);
    let new = vec![table(0..40), other.read().unwrap()];
    let refused = learn(new, u64::MAX).unwrap_err();
    assert!(matches!(&refused, Error::NewClass { given, .. } if given == "other"), "{refused}");
}
