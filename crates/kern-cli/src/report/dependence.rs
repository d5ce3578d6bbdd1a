//! The section on partial dependence (Friedman 2001).

use super::case::{Case, Outcome};
use super::format::number;
use super::grid::{Grid, of_kind};
use super::page::{Page, Picture};
use super::sample::{at, sample};
use crate::pictures::{self, Curves, Series};
use anyhow::Result;
use kern_data::{Kind, Table};
use kern_table::{Answers, Importance};

/// The number of columns.
const COLUMNS: usize = 4;

/// Largest number of rows that are averaged.
const ROWS: usize = 250;

/// The length of a date, without the time.
const DATE: usize = 10;

pub(crate) fn add(page: &mut Page, case: &Case<'_>, importance: Option<&Importance>) -> Result<()> {
    page.section("dependence", "Partial dependence");
    let rows = at(&case.sample, &sample(case.sample.len(), ROWS, case.seed));
    let table = case.table.select(&rows)?;
    let mut shown = 0;
    let classes = case.outcome.shown();
    let what = match &case.outcome {
        Outcome::Values { .. } => "mean prediction",
        Outcome::Classes { probabilities: Some(_), .. } => "mean probability",
        Outcome::Classes { .. } => "share of predictions",
    };
    page.paragraph(&format!(
        "The {what} over {} rows when one column has the same value in all of them. Text columns \
         are left out.",
        table.len()
    ));
    for name in &case.columns(importance) {
        let kind = case.model.schema().fields.iter().find(|field| field.name == *name);
        let values = &case.table.column(name)?.values;
        let grid = kind.and_then(|field| Grid::new(&field.kind, values));
        let Some(grid) = grid.filter(|_| shown < COLUMNS) else { continue };
        let curves = curves(case, &table, name, &grid, &classes)?;
        picture(page, name, what, &grid, &curves)?;
        shown += 1;
    }
    if shown == 0 {
        page.paragraph("No column has numbers, times or categories.");
    }
    Ok(())
}

/// The mean output at each value of the grid: a curve, or one for each class.
fn curves(
    case: &Case<'_>,
    table: &Table,
    name: &str,
    grid: &Grid,
    classes: &[String],
) -> Result<Vec<Series>> {
    let labels = if classes.is_empty() { vec![String::new()] } else { classes.to_vec() };
    let line = matches!(grid, Grid::Quantiles { .. });
    let series = |label| Series { label, points: Vec::new(), line, marks: true };
    let mut all: Vec<Series> = labels.into_iter().map(series).collect();
    for place in 0..grid.len() {
        let mut columns = table.columns().to_vec();
        let column = columns.iter_mut().find(|column| column.name == name);
        column.into_iter().for_each(|column| column.values = grid.column(place, table.len()));
        let means = means(case, &Table::new(columns)?, classes)?;
        for (series, mean) in all.iter_mut().zip(means) {
            series.points.push(match grid {
                Grid::Quantiles { values, .. } => (values[place], mean),
                Grid::Categories { .. } => (mean, place as f64),
            });
        }
    }
    Ok(all)
}

/// The mean prediction, or the mean probability of each class.
fn means(case: &Case<'_>, table: &Table, classes: &[String]) -> Result<Vec<f64>> {
    let n = table.len() as f64;
    if matches!(case.outcome, Outcome::Classes { probabilities: Some(_), .. })
        && let Some(found) = case.model.probabilities(table)?
    {
        let place = |class: &String| found.classes.iter().position(|known| known == class);
        let mean = |k: usize| found.rows.iter().map(|row| row[k]).sum::<f64>() / n;
        return Ok(classes.iter().map(|class| place(class).map_or(0.0, mean)).collect());
    }
    Ok(match case.model.predict(table)? {
        Answers::Numbers(values) => vec![values.iter().sum::<f64>() / n],
        Answers::Classes(found) => {
            let count = |class: &String| found.iter().filter(|found| *found == class).count();
            classes.iter().map(|class| count(class) as f64 / n).collect()
        }
        _ => Vec::new(),
    })
}

fn picture(page: &mut Page, name: &str, what: &str, grid: &Grid, series: &[Series]) -> Result<()> {
    let (picture, alternative) = match grid {
        Grid::Quantiles { kind, .. } => {
            let curves = Curves { x: name, y: what, series };
            let time = |value: f64| time(kind, value);
            let tick: Option<&dyn Fn(f64) -> String> = match kind {
                Kind::Instant => Some(&time),
                _ => None,
            };
            let picture = Picture::new(|area| pictures::lines(area, &curves, tick))?;
            (picture, series.iter().map(|series| extent(series, |point| point.1)).collect())
        }
        Grid::Categories { levels, codes } => {
            let names = at(levels, codes);
            let curves = Curves { x: what, y: name, series };
            let draw = |area: &pictures::Area<'_>| pictures::dots(area, &names, &curves);
            let alternative = series.iter().map(|series| extent(series, |point| point.0));
            (Picture::of_names(names.len(), draw)?, alternative.collect::<Vec<_>>())
        }
    };
    let alternative = format!("The {what} ranges {}", alternative.join(", "));
    page.picture(&format!("Partial dependence on {name}"), &alternative, &picture);
    Ok(())
}

/// The smallest and the largest value of a curve in words.
fn extent(series: &Series, pick: fn(&(f64, f64)) -> f64) -> String {
    let values = || series.points.iter().map(pick);
    let low = values().fold(f64::INFINITY, f64::min);
    let high = values().fold(f64::NEG_INFINITY, f64::max);
    let of = if series.label.is_empty() { String::new() } else { format!(" for {}", series.label) };
    format!("from {} to {}{of}", number(low), number(high))
}

/// The date of an instant.
fn time(kind: &Kind, value: f64) -> String {
    let text = of_kind(kind, vec![value]).text(0).unwrap_or_default();
    text.chars().take(DATE).collect()
}
