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
        assert_eq!(probabilities.is_some(), method != Method::Svm);
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

#[test]
fn kernels_need_columns_and_columns_need_values() {
    let csv = |text: &str| Source::new(Format::Csv, text.as_bytes()).read().unwrap();
    let mut text = "x,empty,y\n".to_string();
    (0..40).for_each(|i| text += &format!("{}.5,,{}.25\n", i % 7, i % 5));
    let numbers = csv(&text);
    let training = || Training::new(Task::Regress).target("y");
    for kernel in ["spectrum(k=3)", "hamming_rbf(gamma=1)", "rbf + delta", "rbf * bag_of_words"] {
        let refused = training().kernel(kernel).fit(&numbers).unwrap_err();
        assert!(matches!(refused, Error::NoColumnFor { .. }), "{kernel}: {refused}");
        assert!(refused.to_string().ends_with("the table has numbers (x)"), "{refused}");
    }
    let model = training().kernel("rbf + white(noise=0.5) + gaussian").fit(&numbers).unwrap();
    assert_eq!(model.schema().fields.len(), 1);
    let with = csv("x,empty\n1,100000\n2,-7\n");
    let without = csv("x\n1\n2\n");
    assert_eq!(model.predict(&with).unwrap(), model.predict(&without).unwrap());
    let words = csv("c,y\na,1\nb,2\na,3\nb,4\na,5\na,6\na,7\nb,8\n");
    let refused = training().kernel("rbf").fit(&words).unwrap_err().to_string();
    let expected = "the kernel `rbf` needs a column of numbers, and the table has categories (c)";
    assert_eq!(refused, expected);
}

/// Times are features in seconds, whatever the format in which a model is asked.
#[test]
fn times_are_features() {
    let day = |i: u32| format!("2024-{:02}-{:02}", i / 28 + 1, i % 28 + 1);
    let (mut text, mut json) = ("day,y\n".to_string(), String::new());
    for i in 0..80 {
        text += &format!("{},{}.5\n", day(i), i % 10);
        json += &format!("{{\"day\":\"{}T00:00:00+00:00\"}}\n", day(i));
    }
    let table = Source::new(Format::Csv, text.as_bytes()).read().unwrap();
    let model = Training::new(Task::Regress).target("y").fit(&table).unwrap();
    let asked = Source::new(Format::JsonLines, json.as_bytes()).schema(model.schema()).read();
    assert_eq!(model.predict(&asked.unwrap()).unwrap(), model.predict(&table).unwrap());
    let numbers = Source::new(Format::Csv, "day\n1704067200\n".as_bytes()).read().unwrap();
    assert!(matches!(model.predict(&numbers), Err(Error::Data(kern_data::Error::Kind { .. }))));
}
