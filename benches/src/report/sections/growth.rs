//! Growth of time and memory with n.

use crate::found::Report;
use crate::growth::{GROWN, MEMORY_EXPONENT, TIME_EXPONENT, VARIANT};
use crate::report::chart::{Axis, Chart, Curve, Style};
use crate::report::document::{Block, Cell, Figure, Section, Table};
use crate::report::number::{digits, power, seconds};
use crate::row::Row;

/// A picture for each task whose rows grow, and a table of the exponents.
pub(super) fn section(report: &Report) -> Option<Section> {
    let fitted: Vec<&Row> = report.rows.iter().filter(|row| row.variant == VARIANT).collect();
    let mut table = Table::new(&[
        "task",
        "type",
        "#threads",
        "#time ∝ n to the power of",
        "#memory ∝ n to the power of",
        "fitted to",
    ]);
    for row in &fitted {
        let exponent = |name: &str| {
            let value = row.quality.get(name);
            Cell::plain(value.map_or_else(|| "–".to_owned(), |&value| format!("{value:.2}")))
        };
        table.push([
            Cell::plain(&row.task),
            Cell::plain(&row.dtype),
            Cell::plain(row.threads.to_string()),
            exponent(TIME_EXPONENT),
            exponent(MEMORY_EXPONENT),
            Cell::faint(&row.note),
        ]);
    }
    let figures: Vec<Figure> = fitted.iter().filter_map(|row| figure(report, row)).collect();
    let blocks = vec![Block::Figures(figures), Block::Table(table)];
    (!fitted.is_empty()).then(|| Section { title: "Growth".to_owned(), blocks })
}

/// Times and memory by n; dashes are the fitted power through the last time.
fn figure(report: &Report, fitted: &Row) -> Option<Figure> {
    let is_measured = |row: &&Row| row.variant != VARIANT && row.quality.contains_key(GROWN);
    let same = |row: &&Row| {
        (&row.task, &row.dtype, row.threads) == (&fitted.task, &fitted.dtype, fitted.threads)
    };
    let mut rows: Vec<&Row> = report.rows.iter().filter(is_measured).filter(same).collect();
    rows.sort_by_key(|row| row.n);
    let (first, last) = (rows.first()?.n as f64, rows.last()?.n as f64);
    let exponent = *fitted.quality.get(TIME_EXPONENT)?;
    let points: Vec<(f64, f64)> =
        rows.iter().map(|row| (row.n as f64, row.seconds.median)).collect();
    // A least-squares line of logarithms goes through their means.
    let count = points.len() as f64;
    let mean = |of: fn(&(f64, f64)) -> f64| points.iter().map(|p| of(p).ln()).sum::<f64>() / count;
    let (x, y) = (mean(|p| p.0), mean(|p| p.1));
    let line = [first, last].map(|n| (n, (y + exponent * (n.ln() - x)).exp()));
    let x = Axis { label: "n", number: power };
    let curves = vec![
        Curve { color: 0, points: line.to_vec(), style: Style::Dashes },
        Curve { color: 0, points, style: Style::Dots },
    ];
    let drawing = Chart { x, y: Axis { label: "time", number: short }, curves }.draw()?;
    let caption = format!(
        "{} {}, threads: {}: time ∝ n^{}",
        fitted.task,
        fitted.dtype,
        fitted.threads,
        digits(exponent, 3)
    );
    Some(Figure { caption, drawing, legend: Vec::new() })
}

/// A time beside an axis, where digits after a point are noise.
pub(super) fn short(value: f64) -> String {
    seconds(value).replace(".00", "").replace(".0 ", " ")
}
