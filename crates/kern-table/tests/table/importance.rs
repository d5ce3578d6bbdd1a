//! Permutation importance: what matters, what does not, and how certain that is.

use super::table;
use kern_data::{Column, Error as DataError, Format, Source, Table, Values};
use kern_table::{Error, Importance, Method, TableModel, Task, Training};

/// A number in [0, 1) that depends on the seed and the row in no simple way.
fn noise(seed: u64, row: usize) -> f64 {
    let mixed = (seed ^ 0x9E37_79B9_7F4A_7C15).wrapping_mul(row as u64 + 1);
    let mixed = (mixed ^ (mixed >> 29)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    ((mixed ^ (mixed >> 32)) >> 11) as f64 / (1_u64 << 53) as f64
}

/// A value that depends much on `a`, little on `b`, and not on `c`.
fn sums(rows: std::ops::Range<usize>) -> Table {
    let column = |name: &str, value: &dyn Fn(usize) -> f64| Column {
        name: name.to_string(),
        values: Values::Numbers(rows.clone().map(value).collect()),
    };
    let value = |i: usize| 3.0 * noise(1, i) + noise(2, i) + 0.3 * noise(4, i);
    Table::new(vec![
        column("c", &|i| noise(3, i)),
        column("b", &|i| noise(2, i)),
        column("a", &|i| noise(1, i)),
        column("value", &value),
    ])
    .unwrap()
}

fn of_sums() -> TableModel {
    Training::new(Task::Regress).target("value").fit(&sums(0..150)).unwrap()
}

fn names(importance: &Importance) -> Vec<&str> {
    importance.columns.iter().map(|column| column.column.as_str()).collect()
}

#[test]
fn columns_are_sorted_and_noise_does_not_differ_from_zero() {
    let (model, new) = (of_sums(), sums(1000..1300));
    let importance = model.importance(&new, 5, 1).unwrap();
    assert_eq!(names(&importance), ["a", "b", "c"]);
    let [a, b, c] = &importance.columns[..] else { panic!() };
    // The variances of the terms are as 9 to 1, and a permutation doubles the loss of a term.
    assert!((a.mean / b.mean - 9.0).abs() < 3.0, "{importance}");
    assert!(a.differs_from_zero && b.differs_from_zero, "{importance}");
    assert!(!c.differs_from_zero && c.interval()[0] < 0.0 && c.interval()[1] > 0.0, "{importance}");
    assert_eq!((importance.rows, importance.of, importance.repeats), (300, 300, 5));
    assert!(importance.score == "R²" && importance.baseline > 0.9, "{importance}");
    let text = importance.to_string();
    assert!(text.contains("on 300 of 300 rows") && text.lines().count() == 5, "{text}");
    assert_eq!(importance, model.importance(&new, 5, 1).unwrap());
    assert_ne!(importance, model.importance(&new, 5, 2).unwrap());
}

/// The standard error is the spread of the importance over tables of other rows.
#[test]
fn the_standard_error_covers_the_sampling_of_rows() {
    let model = of_sums();
    for repeats in [1, 8] {
        let found = (1..41).map(|k| {
            let rows = sums(1000 * k..1000 * k + 60);
            let importance = model.importance(&rows, repeats, k as u64).unwrap();
            let a = &importance.columns[0];
            assert_eq!(a.column, "a");
            // The variance of the targets is taken as known: scaled back by it.
            let scale = variance(&rows);
            (scale * a.mean, scale * a.standard_error)
        });
        let found: Vec<(f64, f64)> = found.collect();
        let mean = found.iter().map(|(mean, _)| mean).sum::<f64>() / 40.0;
        let spread = found.iter().map(|(m, _)| (m - mean).powi(2)).sum::<f64>() / 39.0;
        let told = found.iter().map(|(_, error)| error.powi(2)).sum::<f64>() / 40.0;
        let ratio = (told / spread).sqrt();
        assert!((0.7..1.6).contains(&ratio), "{repeats} repeats: {ratio}");
    }
}

fn variance(table: &Table) -> f64 {
    let values = table.column("value").unwrap().numbers().unwrap();
    let mean = values.iter().sum::<f64>() / values.len() as f64;
    values.iter().map(|y| (y - mean).powi(2)).sum::<f64>() / values.len() as f64
}

#[test]
fn classes_categories_text_and_missing_values() {
    let table = table(0..200);
    for method in [Method::Svm, Method::Logistic, Method::Neighbors] {
        let training = Training::new(Task::Classify).target("class").method(method);
        let model = training.set("kernel.1.1.gamma", 1.0).fit(&table).unwrap();
        let importance = model.importance(&table, 3, 0).unwrap();
        let mut all = names(&importance);
        assert!(matches!(all[0], "x" | "y") && matches!(all[1], "x" | "y"), "{importance}");
        all.sort_unstable();
        assert_eq!(all, ["note", "side", "x", "y"]);
        assert!(importance.columns[1].differs_from_zero, "{importance}");
        assert!(importance.score == "accuracy" && importance.baseline > 0.8, "{importance}");
    }
}

/// Labels that mean the same as those of the model count as the same.
#[test]
fn labels_may_be_spelled_differently() {
    let text = |labels: [&str; 2]| {
        let row = |i: u32| format!("{},{}\n", i % 10, labels[usize::from(i % 10 > 4)]);
        ["x,label\n".to_string()].into_iter().chain((0..50).map(row)).collect::<String>()
    };
    let read = |text: &str| Source::new(Format::Csv, text.as_bytes()).read().unwrap();
    let training = Training::new(Task::Classify).target("label");
    let model = training.fit(&read(&text(["True", "False"]))).unwrap();
    let importance = model.importance(&read(&text(["true", "false"])), 2, 0).unwrap();
    assert!(importance.baseline > 0.99, "{importance}");
}

#[test]
fn many_rows_are_sampled_and_constant_targets_have_no_r2() {
    let (model, many) = (of_sums(), sums(0..1500));
    let importance = model.importance(&many, 1, 0).unwrap();
    assert_eq!((importance.rows, importance.of), (Importance::MAX_ROWS, 1500));
    assert!(importance.to_string().contains("on 1000 of 1500 rows"));
    let mut columns = sums(0..50).columns().to_vec();
    columns[3].values = Values::Numbers(vec![2.0; 50]);
    let importance = model.importance(&Table::new(columns).unwrap(), 2, 0).unwrap();
    assert_eq!(importance.score, "negative mean squared error");
    assert!(importance.baseline < -0.1 && importance.columns.iter().all(|c| c.mean.is_finite()));
}

#[test]
fn what_cannot_be_compared_is_refused() {
    let (model, rows) = (of_sums(), sums(0..50));
    let refused = |found: Result<Importance, Error>| found.unwrap_err();
    let error = refused(model.importance(&rows, 0, 0));
    assert!(matches!(&error, Error::Setting { name, .. } if name == "repeats"), "{error}");
    let error = refused(model.importance(&rows.select(&[3]).unwrap(), 1, 0));
    assert!(matches!(&error, Error::Setting { given, .. } if given == "1"), "{error}");
    let (_, points) = rows.clone().split("value").unwrap();
    let error = refused(model.importance(&points, 1, 0));
    assert!(matches!(error, Error::Data(DataError::UnknownColumn { .. })), "{error}");
    let (_, less) = rows.clone().split("a").unwrap();
    let error = refused(model.importance(&less, 1, 0));
    assert!(matches!(error, Error::Data(DataError::MissingColumn { .. })), "{error}");
    for task in [Task::Detect, Task::Cluster(2), Task::Components(2)] {
        let error = refused(Training::new(task).fit(&points).unwrap().importance(&rows, 1, 0));
        assert!(matches!(error, Error::WithoutTarget { .. }), "{error}");
    }
}
