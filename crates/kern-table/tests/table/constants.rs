//! Constant columns are shifted and not scaled, whatever their value and their length.
#![allow(clippy::cast_precision_loss, reason = "few rows")]

use kern_core::Row;
use kern_data::{Column, Table, Values};
use kern_gram::MemoryBudget;
use kern_solvers::{Data, Learner, Run, Transformer};
use kern_table::rounds::{Features, Order, RoundsFit};
use kern_table::{Answers, Prepare, TableModel, Task, Training};
use proptest::prelude::*;
use std::ops::ControlFlow;

const MEMORY: MemoryBudget = MemoryBudget::mebibytes(64);

fn table(rows: usize, year: f64) -> Table {
    let column = |name: &str, values| Column { name: name.into(), values: Values::Numbers(values) };
    let x: Vec<f64> = (0..rows).map(|i| (i % 17) as f64).collect();
    let y = x.iter().map(|x| x * x).collect();
    Table::new(vec![column("x", x), column("year", vec![year; rows]), column("y", y)]).unwrap()
}

/// A later year moves a point by less than a length scale, so the answers still follow `x`.
fn follows_x(model: &TableModel, year: f64) -> bool {
    let Answers::Numbers(answers) = model.predict(&table(17, year)).unwrap() else { panic!() };
    (answers[0] - answers[16]).abs() > 10.0
}

proptest! {
    #[test]
    fn prepared_constants_have_the_factor_1(
        value in prop_oneof![Just(2024.0), -1e6..1e6_f64, 1e-9..1e-3_f64],
        n in 1_usize..400,
        weighted: bool,
    ) {
        let row = |number: f64| Row { numbers: vec![number], ..Row::default() };
        let rows = vec![row(value); n];
        let weights: Vec<f64> = (0..n).map(|i| 0.1 + (i % 7) as f64).collect();
        let data = Data::unlabelled(&rows).unwrap();
        let data = if weighted { data.weights(&weights).unwrap() } else { data };
        let prepared = Prepare::new().learn(&data, &mut Run::new()).unwrap();
        let other = prepared.transform(&vec![row(2.0 * value)]).unwrap();
        prop_assert!((other[0].numbers[0] / value - 1.0).abs() < 1e-9, "{other:?}");
    }
}

#[test]
fn every_way_to_learn_keeps_them() {
    let training = || Training::new(Task::Regress).target("y").kernel("rbf(gamma=0.5)");
    let order = || Order::new(training().set("lambda", 1e-6), Features::Landmarks(17)).unwrap();
    for (rows, year) in [(53, 2024.0), (107, 2024.0), (170, 1999.0), (59, 0.1), (3 * 17, 19.99)] {
        let table = table(rows, year);
        let later = year + 0.5;
        assert!(follows_x(&training().set("lambda", 1e-6).fit(&table).unwrap(), later));
        let batches = [Ok(table.clone()), Ok(table.clone())];
        let streamed = training().landmarks(17).set("lambda", 1e-6);
        let flow = |_| ControlFlow::Continue(());
        assert!(follows_x(&streamed.learn_batches(batches, MEMORY, flow).unwrap(), later));
        let mut fit = RoundsFit::start_partitions(order(), 2, &table).unwrap();
        while let Some(job) = fit.job().unwrap() {
            let gather = |k| job.gather_tables(k, std::slice::from_ref(&table), &MEMORY).unwrap();
            let mut sums = gather(0);
            sums.merge(&gather(1)).unwrap();
            fit.next(sums, &MEMORY).unwrap();
        }
        assert!(follows_x(&fit.into_model().unwrap(), later), "{rows} rows of {year}");
    }
}
