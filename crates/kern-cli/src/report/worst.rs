//! The section on the rows with the largest loss.

use super::case::{Case, Outcome};
use super::format::number;
use super::page::Page;
use crate::scores::log_losses;
use anyhow::Result;
use kern_table::Importance;

/// The number of rows, and of their columns.
const ROWS: usize = 10;
const COLUMNS: usize = 12;

pub(crate) fn add(page: &mut Page, case: &Case<'_>, importance: Option<&Importance>) -> Result<()> {
    page.section("worst", "Rows with the largest loss");
    let (name, losses) = losses(&case.outcome);
    let mut order: Vec<usize> = (0..losses.len()).filter(|&row| losses[row] > 0.0).collect();
    order.sort_by(|&a, &b| losses[b].total_cmp(&losses[a]));
    order.truncate(ROWS);
    if order.is_empty() {
        page.paragraph("All rows are predicted without loss.");
        return Ok(());
    }
    let mut columns = case.columns(importance);
    columns.truncate(COLUMNS);
    let mut header = vec!["row", "target", "prediction", name];
    header.extend(columns.iter().map(String::as_str));
    let mut rows = Vec::new();
    for &row in &order {
        let [truth, predicted] = pair(&case.outcome, row);
        let mut cells = vec![(row + 1).to_string(), truth, predicted, number(losses[row])];
        for column in &columns {
            cells.push(case.table.column(column)?.values.text(row).unwrap_or_default());
        }
        rows.push(cells);
    }
    let some = match case.model.schema().fields.len() > columns.len() {
        true => format!(", with their {} most important columns", columns.len()),
        false => String::new(),
    };
    let caption = format!("The {} rows with the largest loss{some}", rows.len());
    page.table(&caption, &header, &rows);
    page.paragraph("Rows are counted from 1. An empty cell is a missing value.");
    Ok(())
}

/// The name of the loss, and its value for each row.
fn losses(outcome: &Outcome) -> (&'static str, Vec<f64>) {
    match outcome {
        Outcome::Values { truth, predicted } => {
            let losses = truth.iter().zip(predicted).map(|(y, f)| (y - f).abs());
            ("absolute error", losses.collect())
        }
        Outcome::Classes { truth, probabilities: Some(found), .. } => {
            ("logarithmic loss", log_losses(truth, &found.classes, &found.rows))
        }
        Outcome::Classes { truth, predicted, .. } => {
            let loss = |(truth, predicted)| f64::from(truth != predicted);
            ("error", truth.iter().zip(predicted).map(loss).collect())
        }
    }
}

/// The target and the prediction of a row.
fn pair(outcome: &Outcome, row: usize) -> [String; 2] {
    match outcome {
        Outcome::Values { truth, predicted } => [number(truth[row]), number(predicted[row])],
        Outcome::Classes { truth, predicted, .. } => [truth[row].clone(), predicted[row].clone()],
    }
}
