//! The section on the contest that chose the model.

use super::case::Case;
use super::format::{number, optional};
use super::page::{Page, Picture};
use crate::pictures::{self, Curves, Series};
use anyhow::Result;
use kern_table::{Entry, Leaderboard, Metric};
use std::collections::BTreeMap;

/// Largest number of candidates in the table, besides the members of the model.
const SHOWN: usize = 30;

pub(crate) fn add(page: &mut Page, case: &Case<'_>) -> Result<()> {
    let Some(leaderboard) = case.model.leaderboard() else { return Ok(()) };
    page.section("contest", "Contest");
    let Leaderboard { score, end, entries, .. } = leaderboard;
    page.paragraph(&format!(
        "{} candidates of kernels and methods, then {end}; the best predict together with these \
         weights. Scores are on held-out rows.",
        entries.len()
    ));
    let shown = entries.iter().enumerate().filter(|(i, entry)| *i < SHOWN || entry.weight > 0.0);
    let rows: Vec<Vec<String>> = shown.map(|(place, entry)| row(place, entry)).collect();
    let header = ["place", "weight", score, "rows", "seconds", "method", "kernel"];
    let caption = format!("Leaderboard: {} of {} candidates", rows.len(), entries.len());
    page.table(&caption, &header, &rows);
    curve(page, score, entries)
}

fn row(place: usize, entry: &Entry) -> Vec<String> {
    let weight = if entry.weight > 0.0 { Some(entry.weight) } else { None };
    let failure = entry.failure.as_ref().map_or_else(String::new, |failure| format!(": {failure}"));
    vec![
        (place + 1).to_string(),
        optional(weight),
        optional(entry.score),
        entry.rows.to_string(),
        number(entry.seconds),
        format!("{}{failure}", entry.method),
        format!("{} × {}", entry.kernel, entry.scale),
    ]
}

/// The best score of the candidates that were fitted to this many rows last.
fn curve(page: &mut Page, score: &str, entries: &[Entry]) -> Result<()> {
    let scored = entries.iter().filter_map(|entry| Some((entry.rows, entry.score?)));
    let is_loss = score.parse().is_ok_and(Metric::is_loss);
    let better = if is_loss { f64::min } else { f64::max };
    let mut best = BTreeMap::<usize, f64>::new();
    for (rows, score) in scored {
        let known = best.entry(rows).or_insert(score);
        *known = better(*known, score);
    }
    let Some((most, last)) = best.last_key_value() else { return Ok(()) };
    let last = format!("Best {score} on {most} rows: {}", number(*last));
    let points = best.iter().map(|(rows, score)| (*rows as f64, *score)).collect();
    let label = String::new();
    let series = [Series { label, points, line: true, marks: true }];
    let name = format!("best {score}");
    let curves = Curves { x: "rows of a fit", y: &name, series: &series };
    let picture = Picture::new(|area| pictures::lines(area, &curves, None))?;
    page.picture("Learning curve: the best score by the rows of a fit", &last, &picture);
    page.paragraph(
        "A candidate counts in the round of its last fit only. Better candidates went on to more \
         rows, so the curve understates what few rows allow.",
    );
    Ok(())
}
