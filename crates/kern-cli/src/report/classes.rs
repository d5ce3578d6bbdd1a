//! The section on predicted classes: confusion matrix, ROC curves and calibration.

use super::case::{Case, Outcome};
use super::format::{number, optional};
use super::page::{Page, Picture};
use super::sample::at;
use crate::pictures::{self, Series};
use crate::scores::Confusion;
use anyhow::Result;
use kern_table::Probabilities;

/// Largest number of classes in the confusion matrix, and with scores of their own.
const IN_MATRIX: usize = 20;
const WITH_SCORES: usize = 50;

/// The number of bins of a calibration curve.
const BINS: usize = 10;

pub(crate) fn add(page: &mut Page, case: &Case<'_>) -> Result<()> {
    let Outcome::Classes { truth, predicted, probabilities } = &case.outcome else {
        return Ok(());
    };
    page.section("classes", "Classes");
    let confusion = Confusion::new(truth, predicted);
    let mut order: Vec<usize> = (0..confusion.classes.len()).collect();
    order.sort_by_key(|&k| std::cmp::Reverse(confusion.support(k)));
    matrix(page, &confusion, &order);
    scores(page, &confusion, &order);
    match probabilities {
        Some(found) => curves(page, case, truth, found),
        None => {
            page.paragraph(&format!(
                "A {} has no probabilities, so there are no ROC and calibration curves; kern train \
                 --method logistic has them.",
                case.model.method()
            ));
            Ok(())
        }
    }
}

fn matrix(page: &mut Page, confusion: &Confusion, order: &[usize]) {
    let shown = &order[..order.len().min(IN_MATRIX)];
    let names = shown.iter().map(|&k| confusion.classes[k].clone());
    let header: Vec<String> =
        ["target \\ prediction".to_string()].into_iter().chain(names).collect();
    let row = |&k: &usize| {
        let counts = shown.iter().map(|&j| confusion.counts[k][j].to_string());
        [confusion.classes[k].clone()].into_iter().chain(counts).collect()
    };
    let rows: Vec<Vec<String>> = shown.iter().map(row).collect();
    let some = match order.len() > shown.len() {
        true => format!(", the {} most frequent of {} classes", shown.len(), order.len()),
        false => String::new(),
    };
    let caption = format!("Confusion matrix: rows by target and prediction{some}");
    page.table(&caption, &header, &rows);
}

fn scores(page: &mut Page, confusion: &Confusion, order: &[usize]) {
    let row = |&k: &usize| {
        vec![
            confusion.classes[k].clone(),
            confusion.support(k).to_string(),
            optional(confusion.precision(k)),
            optional(confusion.recall(k)),
            optional(confusion.f1(k)),
        ]
    };
    let rows: Vec<Vec<String>> = order.iter().take(WITH_SCORES).map(row).collect();
    let header = ["class", "rows", "precision", "recall", "F1"];
    page.table("Scores of the classes, the most frequent first", &header, &rows);
}

fn curves(page: &mut Page, case: &Case<'_>, truth: &[String], found: &Probabilities) -> Result<()> {
    let curves = pictures::curves(truth, found);
    let areas: Vec<String> =
        curves.iter().map(|curve| format!("{} {}", curve.class, number(curve.area))).collect();
    let picture = Picture::new(|area| pictures::roc(area, &curves))?;
    let alternative = format!("Areas under the curves: {}", areas.join(", "));
    page.picture("ROC curves, each class against all others", &alternative, &picture);
    let shown = case.outcome.shown();
    let series: Vec<Series> =
        shown.iter().filter_map(|class| calibration(truth, found, class)).collect();
    let picture = Picture::new(|area| pictures::calibration(area, &series))?;
    let error = series.iter().flat_map(|series| &series.points).map(|(x, y)| (x - y).abs());
    let alternative = format!(
        "The largest difference between predicted probability and observed frequency is {}",
        number(error.fold(0.0, f64::max))
    );
    let caption = "Calibration: observed frequency in ten bins of equally many rows";
    page.picture(caption, &alternative, &picture);
    Ok(())
}

/// The mean probability of a class and its frequency, in bins of equally many rows.
fn calibration(truth: &[String], found: &Probabilities, class: &String) -> Option<Series> {
    let k = found.classes.iter().position(|known| known == class)?;
    let shares: Vec<f64> = found.rows.iter().map(|row| row[k]).collect();
    let mut rows: Vec<usize> = (0..shares.len()).collect();
    rows.sort_by(|&a, &b| shares[a].total_cmp(&shares[b]));
    let point = |bin: &[usize]| {
        let n = bin.len() as f64;
        let hits = at(truth, bin).iter().filter(|truth| *truth == class).count();
        (at(&shares, bin).iter().sum::<f64>() / n, hits as f64 / n)
    };
    let points = rows.chunks(rows.len().div_ceil(BINS).max(1)).map(point).collect();
    Some(Series { label: class.clone(), points, line: true, marks: true })
}
