//! Scores and notes of fits: λ, novelties, rare classes, weights, limits of time.
#![allow(clippy::float_cmp, reason = "equal bits are asked for")]

use super::table;
use kern_data::{Column, Format, Kind, Source, Table, Values};
use kern_gram::MemoryBudget;
use kern_solvers::{Progress, Run};
use kern_table::rounds::{Features, Order, RoundsFit};
use kern_table::{Answers, Error, Method, Note, Scored, TableModel, Task, Training};
use proptest::prelude::*;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

fn example(name: &str) -> Table {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/data");
    Source::open(folder.join(name)).unwrap().read().unwrap()
}

/// The table with a column of numbers more.
fn with(table: &Table, name: &str, values: Vec<f64>) -> Table {
    let column = Column { name: name.into(), values: Values::Numbers(values) };
    Table::new(table.columns().iter().cloned().chain([column]).collect()).unwrap()
}

/// Classes of which few rows, at random, are of the second one.
fn rare(rows: u32, every: u32) -> Table {
    let mut text = "x,y,class\n".to_string();
    for i in 0..rows {
        let (x, y) = (f64::from(i * 37 % 101) / 10.0, f64::from(i * 53 % 103) / 10.0);
        text += &format!("{x},{y},{}\n", if i % every == 0 { "yes" } else { "no" });
    }
    Source::new(Format::Csv, text.as_bytes()).read().unwrap()
}

/// With the λ of 1e-6 that it once was, R² of rows that were left out is −1.1.
#[test]
fn ridge_regression_chooses_its_penalty() {
    let table = example("diabetes.csv.gz");
    let training = || Training::new(Task::Regress).target("target");
    let model = training().fit(&table).unwrap();
    let evidence = model.evidence().unwrap();
    assert_eq!(evidence.scored, Scored::LeaveOneOut);
    assert!((0.45..0.55).contains(&evidence.value), "{evidence}");
    assert!(model.notes().is_empty(), "{:?}", model.notes());
    // Half of the rows for the other half.
    let half = |odd: usize| (0..table.len()).filter(|i| i % 2 == odd).collect::<Vec<_>>();
    let (learned, others) = (table.select(&half(0)).unwrap(), table.select(&half(1)).unwrap());
    let model = training().fit(&learned).unwrap();
    let Answers::Numbers(answers) = model.predict(&others).unwrap() else { panic!() };
    let truth = others.column("target").unwrap().numbers().unwrap().to_vec();
    let mean = truth.iter().sum::<f64>() / truth.len() as f64;
    let spread: f64 = truth.iter().map(|y| (y - mean).powi(2)).sum();
    let squares: f64 = truth.iter().zip(&answers).map(|(y, f)| (y - f).powi(2)).sum();
    assert!(1.0 - squares / spread > 0.4, "{}", 1.0 - squares / spread);
    let set = training().set("lambda", 1e-6).fit(&table).unwrap();
    assert_eq!(set.evidence().unwrap().scored, Scored::TrainingRows);
}

#[test]
fn novelties_are_the_share_that_is_asked_for() {
    for name in ["iris.csv.gz", "wine.csv.gz", "breast_cancer.csv.gz"] {
        let table = example(name);
        let outside = |training: Training| {
            let model = training.ignore("target").fit(&table).unwrap();
            let Answers::Known(known) = model.predict(&table).unwrap() else { panic!() };
            known.iter().filter(|known| !**known).count() as f64 / known.len() as f64
        };
        for (nu, share) in [
            (0.05, outside(Training::new(Task::Detect))),
            (0.2, outside(Training::new(Task::Detect).set("nu", 0.2))),
        ] {
            assert!(share <= nu && share > nu - 0.02, "{name}: {share} for {nu}");
        }
    }
}

#[test]
fn rare_classes_and_idle_models_are_told() {
    let table = rare(1500, 50);
    let training = || Training::new(Task::Classify).target("class");
    let model = training().fit(&table).unwrap();
    let notes = model.notes();
    let same = |note: &Note| matches!(note, Note::SameClass { class } if class == "no");
    assert!(notes.iter().any(same), "{notes:?}");
    let few = |note: &Note| matches!(note, Note::RareClass { class, rows: 30, of: 1500, .. } if class == "yes");
    assert!(notes.iter().any(few), "{notes:?}");
    assert!(notes.iter().any(|note| note.to_string().contains("--class-weights balanced")));
    let balanced = training().set("class_weights", "balanced").fit(&table).unwrap();
    assert!(!balanced.notes().iter().any(few), "{:?}", balanced.notes());
    // Numbers without any law.
    let noise = (0..200_u64).map(|i| (i * i * 7919 % 997) as f64).collect();
    let noise = with(&rare(200, 2), "z", noise);
    let idle = Training::new(Task::Regress).target("z").ignore("class").fit(&noise).unwrap();
    let evidence = idle.evidence().unwrap();
    assert!(evidence.value < 0.1, "{evidence}");
    assert_eq!(evidence.value <= 0.0, matches!(idle.notes(), [Note::NoBetter(_)]));
}

/// A class of fewer rows than folds is searched with the others, and named.
#[test]
fn classes_of_few_rows_are_searched_with_a_note() {
    let mut all: Vec<usize> = (0..90).collect();
    all.retain(|i| i % 3 != 0 || *i < 9);
    let names = |i: &usize| ["rare", "a", "b"][i % 3];
    let text: String =
        all.iter().map(|i| format!("{},{}\n", (i % 3) * 5 + i % 2, names(i))).collect();
    let table = Source::new(Format::Csv, format!("x,class\n{text}").as_bytes()).read().unwrap();
    let model = Training::new(Task::Classify).target("class").tune(5).fit(&table).unwrap();
    let named = Note::FewRows { class: "rare".into(), rows: 3, folds: 5 };
    assert!(model.notes().contains(&named), "{:?}", model.notes());
    assert!(model.evidence().unwrap().value > 0.9);
}

fn answers(model: &kern_table::TableModel, table: &Table) -> Vec<String> {
    let answers = model.predict(table).unwrap();
    (0..answers.len()).map(|i| answers.text(i).unwrap()).collect()
}

/// Rows of weight 0 change no bit, wherever they are, whatever they have: γ, means, categories, λ, folds, novelties.
#[test]
fn rows_of_weight_zero_change_no_bit() {
    let few = table(0..70);
    let strange = "x,y,side,note,class\n1e4,-1e6,up,other words,minus\n-1e9,3,,none,neither\n";
    let mut text = "x,y,side,note,class,weight\n".to_string();
    let row = |i: usize| few.columns().iter().map(move |c| c.values.text(i).unwrap_or_default());
    let line =
        |i: usize, weight: u8| format!("{},{weight}\n", row(i).collect::<Vec<_>>().join(","));
    for i in 0..70 {
        if i % 35 == 10 {
            let other: Vec<&str> = strange.lines().skip(1).collect();
            text += &format!("{},0\n", other[i / 35]);
        }
        text += &line(i, 1);
    }
    let heavy = Source::new(Format::Csv, text.as_bytes()).kind("note", Kind::Text).read().unwrap();
    let ones = with(&few, "weight", vec![1.0; 70]);
    for (task, target, method) in [
        (Task::Classify, "class", Some(Method::Svm)),
        (Task::Classify, "class", Some(Method::Logistic)),
        (Task::Classify, "class", Some(Method::Neighbors)),
        (Task::Regress, "x", Some(Method::Ridge)),
        (Task::Regress, "x", Some(Method::Svm)),
        (Task::Detect, "", None),
        (Task::Cluster(3), "", None),
        (Task::Components(2), "", None),
    ] {
        let fit = |table: &Table, folds: Option<usize>| {
            let mut training = Training::new(task).weights("weight");
            if !target.is_empty() {
                training = training.target(target);
            }
            if let Some(method) = method {
                training = training.method(method);
            }
            if let Some(folds) = folds {
                training = training.tune(folds).set("kernel.1.1.gamma", 0.1);
            }
            training.fit(table).unwrap()
        };
        let (found, expected) = (fit(&heavy, None), fit(&ones, None));
        assert_eq!(found.kernel(), expected.kernel(), "{task:?} {method:?}");
        assert_eq!(answers(&found, &few), answers(&expected, &few), "{task:?} {method:?}");
        assert_eq!(found.rows(), 70);
        assert_eq!(found.evidence(), expected.evidence());
        if method == Some(Method::Ridge) {
            let trials = |table| fit(table, Some(4)).search().unwrap().trials.clone();
            assert_eq!(trials(&heavy), trials(&ones));
        }
    }
}

/// A stream and rounds of these tables.
fn gathered(training: &Training, tables: &[Table]) -> [TableModel; 2] {
    let memory = MemoryBudget::mebibytes(64);
    let flow = |_| ControlFlow::Continue(());
    let stream = training.clone().landmarks(50);
    let stream = stream.learn_batches(tables.iter().cloned().map(Ok), memory, flow).unwrap();
    let order = Order::new(training.clone(), Features::Landmarks(50)).unwrap().fill(true);
    let mut fit = RoundsFit::start_partitions(order, tables.len(), &tables[0]).unwrap();
    while let Some(job) = fit.job().unwrap() {
        let gather = |group| job.gather_tables(group, &tables[job.group(group)], &memory).unwrap();
        let sums = (1..job.groups()).fold(gather(0), |mut sums, group| {
            sums.merge(&gather(group)).unwrap();
            sums
        });
        fit.next(sums, &memory).unwrap();
    }
    [stream, Arc::into_inner(fit.into_model().unwrap()).unwrap()]
}

/// The choice is better for rows that were left out than a λ that suits few tables.
#[test]
fn sums_over_rows_choose_their_penalty() {
    let table = example("diabetes.csv.gz");
    let half = |odd: usize| (0..table.len()).filter(|i| i % 2 == odd).collect::<Vec<_>>();
    let (learned, others) = (table.select(&half(0)).unwrap(), table.select(&half(1)).unwrap());
    let truth = others.column("target").unwrap().numbers().unwrap().to_vec();
    let mean = truth.iter().sum::<f64>() / truth.len() as f64;
    let spread: f64 = truth.iter().map(|y| (y - mean).powi(2)).sum();
    let training = || Training::new(Task::Regress).target("target");
    let r2 = |model: &TableModel| {
        let Answers::Numbers(answers) = model.predict(&others).unwrap() else { panic!() };
        let squares: f64 = truth.iter().zip(&answers).map(|(y, f)| (y - f).powi(2)).sum();
        1.0 - squares / spread
    };
    let chosen = gathered(&training(), std::slice::from_ref(&learned));
    for model in &chosen {
        let evidence = model.evidence().unwrap();
        assert_eq!(evidence.scored, Scored::Gcv);
        assert!((0.4..0.6).contains(&evidence.value), "{evidence}");
        assert!(r2(model) > 0.4, "{}", r2(model));
    }
    let set = gathered(&training().set("lambda", 1e-6), std::slice::from_ref(&learned));
    for (set, chosen) in set.iter().zip(&chosen) {
        assert_eq!(set.evidence(), None);
        assert!(r2(set) < r2(chosen), "{} {}", r2(set), r2(chosen));
    }
    // Of what says nothing, the mean is learned, and that is said.
    let noise = (0..400).map(|i| f64::from((i * 7919 + i * i * 31) % 1009)).collect();
    let noisy = with(&self::table(0..400), "noise", noise);
    for model in gathered(&Training::new(Task::Regress).target("noise").ignore("note"), &[noisy]) {
        assert!(model.evidence().unwrap().value < 0.05, "{:?}", model.evidence());
    }
}

/// Classifiers of streams and rounds are judged by a sample: all rows of a small table, 10 000 of a large one.
#[test]
fn classifiers_of_sums_are_judged_by_a_sample() {
    let (table, large) = (rare(1500, 50), rare(12_000, 50));
    for training in [
        Training::new(Task::Classify).target("class").method(Method::Ridge),
        Training::new(Task::Classify).target("class").method(Method::Ridge).set("lambda", 1.0),
    ] {
        for model in gathered(&training, std::slice::from_ref(&table)) {
            let notes = model.notes();
            let evidence = model.evidence().unwrap();
            assert_eq!(
                (evidence.score.as_str(), evidence.scored),
                ("accuracy", Scored::TrainingRows)
            );
            let same = |note: &Note| matches!(note, Note::SameClass { class } if class == "no");
            assert!(notes.iter().any(same), "{notes:?}");
            let few = |note: &Note| {
                matches!(note, Note::RareClass { rows: 30, of: 1500, is_sample: false, .. })
            };
            assert!(notes.iter().any(few), "{notes:?}");
        }
        let halves =
            [0..6000, 6000..12_000].map(|half| large.select(&half.collect::<Vec<_>>()).unwrap());
        let [_, rounds] = gathered(&training, &halves);
        let few =
            |note: &&Note| matches!(note, Note::RareClass { of: 10_000, is_sample: true, .. });
        let note = rounds.notes().iter().find(few).unwrap();
        assert!(note.to_string().contains("of 10000 sampled rows"), "{note}");
    }
    // What is found is not complained of, and the score is that of the rows.
    let wine = example("wine.csv.gz");
    let training = Training::new(Task::Classify).target("target").method(Method::Ridge);
    for model in gathered(&training, std::slice::from_ref(&wine)) {
        let Answers::Classes(answers) = model.predict(&wine).unwrap() else { panic!() };
        let truth = wine.column("target").unwrap().labels().unwrap();
        let right = answers.iter().zip(&truth).filter(|(a, b)| a == b).count();
        assert_eq!(model.evidence().unwrap().value, right as f64 / wine.len() as f64);
        assert!(model.notes().is_empty(), "{:?}", model.notes());
    }
}

/// Rows of weight 0 are no rows of a stream and of rounds; whole weights are repeated rows.
#[test]
fn sums_over_rows_go_by_their_weights() {
    let all = table(0..90);
    let points = |rows: std::ops::Range<usize>| all.select(&rows.collect::<Vec<_>>()).unwrap();
    let numbers = |table: &Table, far: f64| {
        let x: Vec<f64> = (0..table.len()).map(|i| (i as f64 * 0.7).sin()).collect();
        let columns = ["a", "b"].map(|name| Column {
            name: name.into(),
            values: Values::Numbers(
                x.iter().map(|v| far + v * (1.0 + f64::from(name == "b"))).collect(),
            ),
        });
        let y = Column {
            name: "y".into(),
            values: Values::Numbers(x.iter().map(|v| v * v + far).collect()),
        };
        Table::new(columns.into_iter().chain([y]).collect()).unwrap()
    };
    let few = numbers(&points(0..60), 0.0);
    let ones = with(&few, "w", vec![1.0; 60]);
    let idle = with(&numbers(&points(60..90), 1e6), "w", vec![0.0; 30]);
    let training = Training::new(Task::Regress).target("y").weights("w").kernel("rbf(gamma=0.5)");
    let expected = gathered(&training, std::slice::from_ref(&ones));
    let found = gathered(&training, &[ones, idle]);
    for (found, expected) in found.iter().zip(&expected) {
        assert_eq!(found.predict(&few).unwrap(), expected.predict(&few).unwrap());
        assert_eq!((found.rows(), found.evidence()), (expected.rows(), expected.evidence()));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    /// A weight of 2 is the row twice: standardised, with γ of the data, and the penalty of one row.
    #[test]
    fn a_weight_of_two_is_the_row_twice(weights in proptest::collection::vec(0_u8..4, 40)) {
        prop_assume!(weights.iter().filter(|&&weight| weight > 0).count() > 10);
        prop_assume!(weights.iter().map(|&weight| usize::from(weight)).sum::<usize>() <= 90);
        let all = table(0..40);
        let repeated: Vec<usize> = (0..40)
            .flat_map(|i| std::iter::repeat_n(i, usize::from(weights[i])))
            .collect();
        let twice = all.select(&repeated).unwrap();
        let weighted = with(&all, "weight", weights.iter().map(|&w| f64::from(w)).collect());
        let ridge = || Training::new(Task::Regress).target("x").ignore("note").set("lambda", 1e-3);
        let expected = ridge().fit(&twice).unwrap().predict(&all).unwrap();
        let found = ridge().weights("weight").fit(&weighted).unwrap().predict(&all).unwrap();
        let (Answers::Numbers(expected), Answers::Numbers(found)) = (expected, found) else { panic!() };
        for (a, b) in found.iter().zip(&expected) {
            prop_assert!((a - b).abs() < 1e-6 * (1.0 + b.abs()), "{} {}", a, b);
        }
    }
}

/// Wherever an observer ends a training, there is a model that is better than a constant answer, or an error.
#[test]
fn a_training_that_is_ended_has_a_model_or_an_error() {
    let table = table(0..150);
    let (mut models, mut errors) = (0, 0);
    for folds in [None, Some(3)] {
        for last in [0, 1, 2, 5, 20, 100, 400] {
            let mut training = Training::new(Task::Classify).target("class").kernel("rbf");
            training = training.set("c", 10.0);
            if let Some(folds) = folds {
                training = training.tune(folds);
            }
            let mut seen = 0;
            let mut stop = |_: &Progress| {
                seen += 1;
                if seen > last { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
            };
            match training.learn(&table, &mut Run::new().observer(&mut stop)) {
                Ok(model) => {
                    models += 1;
                    let answers = answers(&model, &table);
                    assert!(answers.iter().any(|answer| *answer != answers[0]), "{folds:?} {last}");
                }
                Err(error) => {
                    errors += 1;
                    let is_typed = matches!(
                        error,
                        Error::NothingReached { .. }
                            | Error::Solvers(kern_solvers::Error::NoCandidate { .. })
                    );
                    assert!(is_typed, "{error}");
                }
            }
        }
    }
    assert!(models > 2 && errors > 2, "{models} {errors}");
}

#[test]
fn a_deadline_ends_a_search_and_the_notes_tell() {
    let table = table(0..400);
    let training = Training::new(Task::Classify).target("class").tune(5);
    let start = Instant::now();
    let limit = Duration::from_secs(4);
    let mut run = Run::new().deadline(start + limit);
    let model = training.learn(&table, &mut run).unwrap();
    let took = start.elapsed();
    assert!(took < limit.mul_f64(1.2) + Duration::from_secs(4), "{took:?}");
    let ended = model.notes().iter().any(|note| matches!(note, Note::SearchEnded { .. }));
    assert_eq!(ended, model.search().unwrap().trials.len() < 60);
}
