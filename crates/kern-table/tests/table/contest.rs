//! Contests of kernels and methods: the winner, the leaderboard, the honest score, and their limits.

use kern_data::{Format, Source, Table};
use kern_solvers::file::Save;
use kern_solvers::{Progress, Run};
use kern_table::{Answers, Entry, Error, Method, Metric, TableModel, Task, Training};
use std::ops::ControlFlow;
use std::time::Duration;

const BUDGET: Duration = Duration::from_secs(20);

/// A number in [0, 1) that depends on the seed and the place in no simple way.
fn noise(seed: u64, place: usize) -> f64 {
    let mixed = (seed ^ 0x9E37_79B9_7F4A_7C15).wrapping_mul(place as u64 + 1);
    let mixed = (mixed ^ (mixed >> 29)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    ((mixed ^ (mixed >> 32)) >> 11) as f64 / (1_u64 << 53) as f64
}

/// Rows with five numbers, of which two matter, a category, a value and its class.
fn table(rows: std::ops::Range<usize>) -> Table {
    let mut text = "a,b,c,d,e,kind,value,class\n".to_string();
    for i in rows {
        let x: Vec<f64> = (0..5).map(|k| noise(7, 11 * i + k)).collect();
        let kind = if i % 3 == 0 { "old" } else { "new" };
        let shift = if kind == "old" { 0.5 } else { 0.0 };
        let value = (6.0 * x[0]).sin() + x[1] * x[1] + shift + 0.1 * noise(9, i);
        let class = if value > 0.8 { "high" } else { "low" };
        let numbers = x.iter().map(|x| format!("{x:.6},")).collect::<String>();
        text.push_str(&format!("{numbers}{kind},{value:.6},{class}\n"));
    }
    Source::new(Format::Csv, text.as_bytes()).read().unwrap()
}

fn numbers() -> Training {
    Training::new(Task::Regress).target("value").ignore("class")
}

fn classes() -> Training {
    Training::new(Task::Classify).target("class").ignore("value")
}

/// R² or accuracy of predictions.
fn score(model: &TableModel, table: &Table, column: &str) -> f64 {
    let truth = table.column(column).unwrap();
    match model.predict(table).unwrap() {
        Answers::Numbers(found) => {
            let truth = truth.numbers().unwrap();
            let mean = truth.iter().sum::<f64>() / truth.len() as f64;
            let left: f64 = truth.iter().zip(&found).map(|(y, f)| (y - f).powi(2)).sum();
            1.0 - left / truth.iter().map(|y| (y - mean).powi(2)).sum::<f64>()
        }
        Answers::Classes(found) => {
            let truth = truth.labels().unwrap();
            let right = truth.iter().zip(&found).filter(|(y, f)| y == f).count();
            right as f64 / truth.len() as f64
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn the_winner_is_better_than_the_default_and_its_score_is_honest() {
    let (learned, new) = (table(0..300), table(300..600));
    for (training, column) in [(numbers(), "value"), (classes(), "class")] {
        let winner = training.clone().contest(BUDGET).fit(&learned).unwrap();
        let default = training.fit(&learned).unwrap();
        let (found, plain) = (score(&winner, &new, column), score(&default, &new, column));
        assert!(found > plain, "{column}: {found} by the contest, {plain} by the default");
        let told = winner.evidence().unwrap().value;
        assert!((told - found).abs() < 0.06, "{column}: told {told}, found {found}");

        let leaderboard = winner.leaderboard().unwrap();
        let total: f64 = leaderboard.entries.iter().map(|entry| entry.weight).sum();
        assert!((total - 1.0).abs() < 1e-12, "{total}");
        let last: Vec<_> = leaderboard.entries.iter().filter(|entry| entry.rows == 240).collect();
        assert!(last.len() > 1 && leaderboard.entries.len() > 20);
        assert_eq!(format!("{leaderboard:#}").lines().count(), leaderboard.entries.len() + 2);
        assert!(leaderboard.to_string().lines().count() <= 2 + 8 + 5);
        // Two of the columns matter, so a learned metric is among the best.
        assert!(last.iter().any(|entry| entry.method.contains("metric")), "{leaderboard:?}");

        let read = TableModel::from_bytes(&winner.to_bytes().unwrap()).unwrap();
        assert_eq!(read.predict(&new).unwrap(), winner.predict(&new).unwrap());
        assert_eq!(read.leaderboard(), Some(leaderboard));
    }
}

#[test]
fn nothing_is_learned_from_noise_and_the_score_says_so() {
    let rows = |i: usize| format!("{:.5},{:.5},{:.5}\n", noise(1, i), noise(2, i), noise(3, i));
    let text = ["x,z,y\n".to_string()].into_iter().chain((0..200).map(rows)).collect::<String>();
    let table = Source::new(Format::Csv, text.as_bytes()).read().unwrap();
    let training = Training::new(Task::Regress).target("y").contest(BUDGET);
    let model = training.fit(&table).unwrap();
    let told = model.evidence().unwrap().value;
    assert!(told < 0.03, "R² {told} of noise");
}

#[test]
fn probabilities_of_an_ensemble_sum_to_one() {
    let learned = table(0..200);
    let model = classes().method(Method::Logistic).contest(BUDGET).fit(&learned).unwrap();
    let found = model.probabilities(&table(200..220)).unwrap().unwrap();
    assert_eq!(found.classes, ["high", "low"]);
    for row in &found.rows {
        assert!((row.iter().sum::<f64>() - 1.0).abs() < 1e-12, "{row:?}");
    }
    let leaderboard = model.leaderboard().unwrap();
    assert!(leaderboard.entries.iter().all(|entry| entry.method.starts_with("logistic")));
}

#[test]
fn without_time_there_is_a_model_nevertheless() {
    let learned = table(0..700);
    let hurried = numbers().contest(Duration::from_millis(1)).fit(&learned).unwrap();
    assert!(hurried.notes().iter().any(|note| note.to_string().contains("search was ended")));
    assert_eq!(hurried.leaderboard().unwrap().entries.iter().filter(|e| e.weight > 0.0).count(), 1);

    let mut calls = 0;
    let mut stop = |progress: &Progress| {
        calls += 1;
        assert!((0.0..=1.0).contains(&progress.fraction().unwrap()));
        if calls < 3 { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    };
    let training = numbers().contest(BUDGET);
    let stopped = training.learn(&learned, &mut Run::new().observer(&mut stop)).unwrap();
    assert!(score(&stopped, &learned, "value") > 0.3);
}

#[test]
fn groups_stay_together_and_weights_count() {
    let rows = |i: usize| {
        let x = noise(5, i / 10);
        format!("{x:.6},{:.6},{:.6},g{},{}\n", noise(6, i), x + 0.01 * noise(4, i), i / 10, i % 2)
    };
    let head = ["x,z,y,group,weight\n".to_string()];
    let text = head.into_iter().chain((0..200).map(rows)).collect::<String>();
    let table = Source::new(Format::Csv, text.as_bytes()).read().unwrap();
    let training = Training::new(Task::Regress).target("y").groups("group").weights("weight");
    let model = training.contest(BUDGET).fit(&table).unwrap();
    assert_eq!(model.rows(), 100);
    assert!(model.evidence().unwrap().value > 0.9);
}

fn read(text: &str) -> Table {
    Source::new(Format::Csv, text.as_bytes()).read().unwrap()
}

#[test]
fn every_metric_is_told_by_its_name() {
    let learned = table(0..150);
    for name in ["balanced_accuracy", "f1", "auc", "logloss", "rmse", "mae", "r2"] {
        let metric: Metric = name.parse().unwrap();
        let training = if metric.task() == Task::Classify { classes() } else { numbers() };
        let training = training.contest(Duration::from_secs(2)).metric(metric);
        let model = training.fit(&learned).unwrap();
        let evidence = model.evidence().unwrap();
        assert_eq!(evidence.score, metric.name());
        let gain = evidence.value - evidence.constant;
        assert!(if metric.is_loss() { gain < 0.0 } else { gain > 0.0 }, "{evidence}");
        assert!(evidence.standard_error.unwrap() > 0.0, "{evidence}");
    }
    let refused = |training: Training| training.fit(&learned).unwrap_err().to_string();
    assert!(refused(classes().metric(Metric::Auc)).contains("budget"));
    let of_numbers = classes().contest(BUDGET).metric(Metric::Mae);
    assert!(refused(of_numbers).contains("log_loss"), "a metric of numbers for classes");
}

#[test]
fn balanced_accuracy_finds_the_rare_class() {
    let row = |i: usize| {
        let x = noise(21, i);
        let is_rare = x > 0.8 && noise(22, i) < 0.4;
        format!("{x:.5},{:.5},{}\n", noise(23, i), if is_rare { "rare" } else { "usual" })
    };
    let text = |rows: std::ops::Range<usize>| {
        read(&["x,z,class\n".to_string()].into_iter().chain(rows.map(row)).collect::<String>())
    };
    let (learned, new) = (text(0..300), text(300..1300));
    let truth = new.column("class").unwrap().labels().unwrap();
    let recall = |training: Training| {
        let model = training.contest(Duration::from_secs(3)).fit(&learned).unwrap();
        let Answers::Classes(found) = model.predict(&new).unwrap() else { panic!() };
        let rare = || truth.iter().zip(&found).filter(|(class, _)| *class == "rare");
        rare().filter(|(_, found)| *found == "rare").count() as f64 / rare().count() as f64
    };
    let training = || Training::new(Task::Classify).target("class");
    let plain = recall(training());
    let balanced = recall(training().metric(Metric::BalancedAccuracy));
    assert!(balanced > 0.8 && balanced > plain + 0.3, "{balanced} {plain}");
}

#[test]
fn heavy_tails_skewed_targets_and_missing_values_are_no_obstacle() {
    // The target depends on the logarithm of a column, and on whether another is missing.
    let row = |i: usize| {
        let (u, v) = (noise(31, i), noise(32, i));
        let is_missing = v < 0.3;
        let y = (2.0 * (9.0 * u).sin() + f64::from(is_missing) + 0.1 * noise(33, i)).exp();
        let v = if is_missing { String::new() } else { format!("{v:.5}") };
        format!("{:.6e},{v},{y:.6e}\n", (25.0 * u).exp())
    };
    let text = |rows: std::ops::Range<usize>| {
        read(&["x,v,y\n".to_string()].into_iter().chain(rows.map(row)).collect::<String>())
    };
    let (learned, new) = (text(0..300), text(300..900));
    let training = Training::new(Task::Regress).target("y");
    let model = training.contest(Duration::from_secs(6)).fit(&learned).unwrap();
    let found = score(&model, &new, "y");
    assert!(found > 0.85, "R² {found}");
    let entries = &model.leaderboard().unwrap().entries;
    assert!(entries[0].method.contains("ranks"), "{:?}", entries[0]);
    let has_logarithms = |entry: &&Entry| entry.method.contains("logarithms");
    assert!(entries.iter().filter(has_logarithms).any(|entry| entry.score.is_some()));
    let read = TableModel::from_bytes(&model.to_bytes().unwrap()).unwrap();
    assert_eq!(read.predict(&new).unwrap(), model.predict(&new).unwrap());
}

#[test]
fn what_a_contest_chooses_itself_is_refused() {
    let learned = table(0..50);
    let refused = |training: Training| match training.contest(BUDGET).fit(&learned) {
        Err(Error::NotHere(reason)) => reason,
        other => panic!("{other:?}"),
    };
    assert!(refused(numbers().tune(3)).contains("folds"));
    assert!(refused(numbers().landmarks(10)).contains("landmarks"));
    assert!(refused(classes().set("c", 1.0)).contains("method"));
    assert!(refused(Training::new(Task::Detect)).contains("targets"));
    let only = classes().method(Method::Svm).set("c", 1.0).contest(BUDGET).fit(&learned).unwrap();
    let entries = &only.leaderboard().unwrap().entries;
    assert!(!entries.is_empty() && entries.iter().all(|entry| entry.method.starts_with("svm")));
    let kernel = numbers().kernel("matern52 * hamming_rbf").contest(BUDGET).fit(&learned).unwrap();
    assert!(kernel.kernel().starts_with("matern52"), "{}", kernel.kernel());
}
