//! Columns that are no points: weights and groups; and searches on a part of the rows.
#![allow(clippy::float_cmp, reason = "scores are numbers of right answers")]

use super::table;
use kern_data::{Column, Table, Values};
use kern_gram::MemoryBudget;
use kern_table::{Answers, Error, Task, Training};
use std::ops::ControlFlow;

/// The table with a column of numbers more.
fn with(table: &Table, name: &str, values: Vec<f64>) -> Table {
    let column = Column { name: name.into(), values: Values::Numbers(values) };
    Table::new(table.columns().iter().cloned().chain([column]).collect()).unwrap()
}

fn training() -> Training {
    Training::new(Task::Regress).target("x").kernel("rbf(gamma=0.5)").set("lambda", 1e-3)
}

fn numbers(answers: Answers) -> Vec<f64> {
    match answers {
        Answers::Numbers(numbers) => numbers,
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_weight_of_two_is_the_row_twice() {
    let all = table(0..60);
    let twice: Vec<usize> = (0..60).chain(0..20).collect();
    let weights = (0..60).map(|i| if i < 20 { 2.0 } else { 1.0 }).collect();
    let weighted = with(&all, "weight", weights);
    // Means, deviations and what is missing are those of the rows as they are.
    let raw = || training().standardized(false).ignore("side");
    let expected = numbers(raw().fit(&all.select(&twice).unwrap()).unwrap().predict(&all).unwrap());
    let close = |found: &[f64]| found.iter().zip(&expected).all(|(a, b)| (a - b).abs() < 1e-6);
    let model = raw().weights("weight").fit(&weighted).unwrap();
    // The column is not needed for an answer.
    assert!(close(&numbers(model.predict(&all).unwrap())));
    assert!(model.schema().fields.iter().all(|field| field.name != "weight"));
    let stream = |training: Training, table: &Table| {
        let batches = [Ok(table.clone())];
        let memory = MemoryBudget::mebibytes(64);
        let training = training.landmarks(60);
        training.learn_batches(batches, memory, |_| ControlFlow::Continue(())).unwrap()
    };
    // There the penalty is nλ, and n the number of rows, whatever their weights.
    let heavier = raw().set("lambda", 1e-3 * 80.0 / 60.0).weights("weight");
    let streamed = stream(heavier, &weighted);
    assert!(close(&numbers(streamed.predict(&all).unwrap())));
    let negative = with(&all, "weight", vec![-1.0; 60]);
    assert!(matches!(raw().weights("weight").fit(&negative), Err(Error::Solvers(_))));
    assert!(matches!(raw().weights("gone").fit(&all), Err(Error::Data(_))));
}

#[test]
fn groups_stay_together_in_a_search() {
    let all = table(0..60);
    // Each row three times: a search that tears them apart finds what it has seen.
    let thrice: Vec<usize> = (0..180).map(|i| i % 60).collect();
    let copies = all.select(&thrice).unwrap();
    let grouped = with(&copies, "row", thrice.iter().map(|&i| i as f64).collect());
    let search = |training: Training, table: &Table| {
        let model = training
            .target("class")
            .kernel("rbf(gamma=100)")
            .set("c", 1000.0)
            .tune(5)
            .fit(table)
            .unwrap();
        let search = model.search().unwrap();
        search.trials[search.best.unwrap()].mean().unwrap()
    };
    let classify = || Training::new(Task::Classify).set("kernel.gamma", 100.0);
    assert!(search(classify(), &copies) > 0.9);
    assert!(search(classify().groups("row"), &grouped) < 0.8);
}

#[test]
fn halving_leaves_candidates_behind() {
    let all = table(0..800);
    let tuned = Training::new(Task::Classify)
        .target("class")
        .kernel("rbf")
        .tune(3)
        .halving()
        .fit(&all)
        .unwrap();
    let search = tuned.search().unwrap();
    let whole = search.trials.iter().filter(|trial| trial.fraction == 1.0).count();
    assert!(whole >= 1 && whole < search.trials.len() / 2, "{whole} of {}", search.trials.len());
    assert_eq!(search.trials[search.best.unwrap()].fraction, 1.0);
}
