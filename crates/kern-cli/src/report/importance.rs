//! The section on permutation importance.

use super::case::Case;
use super::format::{interval, number};
use super::page::{Page, Picture};
use crate::pictures::{self, Bar};
use anyhow::Result;
use kern_table::{ColumnImportance, Importance};

/// The number of permutations of each column.
const REPEATS: usize = 5;

/// Largest number of columns in the picture.
const BARS: usize = 30;

/// The importance of the columns; `None` for a single row.
pub(crate) fn of(case: &Case<'_>) -> Result<Option<Importance>> {
    if case.sample.len() < 2 {
        return Ok(None);
    }
    let rows = case.table.select(&case.sample)?;
    Ok(Some(case.model.importance(&rows, REPEATS, case.seed)?))
}

pub(crate) fn add(page: &mut Page, case: &Case<'_>, importance: Option<&Importance>) -> Result<()> {
    page.section("importance", "Importance of the columns");
    let Some(importance) = importance else {
        page.paragraph("Permutation importance requires at least two rows.");
        return Ok(());
    };
    let Importance { score, columns, repeats, rows, .. } = importance;
    page.paragraph(&format!(
        "The decrease of {score} when the values of a column are permuted among the rows: mean of \
         {repeats} permutations of {rows} of {} rows, with intervals of two standard errors over \
         rows and permutations. The baseline is {}. Columns that carry the same information share \
         their importance.",
        case.table.len(),
        number(importance.baseline)
    ));
    let shown = &columns[..columns.len().min(BARS)];
    let bar = |column: &ColumnImportance| Bar {
        name: column.column.clone(),
        value: column.mean,
        interval: column.interval(),
    };
    let bars: Vec<Bar> = shown.iter().map(bar).collect();
    let name = format!("decrease of {score}");
    let picture = Picture::of_names(bars.len(), |area| pictures::bars(area, &name, &bars))?;
    let named = shown.iter().map(|column| format!("{} {}", column.column, number(column.mean)));
    let alternative = named.collect::<Vec<_>>().join(", ");
    page.picture("Permutation importance, with intervals", &alternative, &picture);
    let row = |column: &ColumnImportance| {
        let differs = if column.differs_from_zero { "yes" } else { "no" };
        vec![
            column.column.clone(),
            number(column.mean),
            number(column.standard_error),
            interval(column.interval()),
            differs.to_string(),
        ]
    };
    let rows: Vec<Vec<String>> = columns.iter().map(row).collect();
    let header = ["column", &name, "standard error", "interval", "differs from zero"];
    page.table("Permutation importance", &header, &rows);
    Ok(())
}
