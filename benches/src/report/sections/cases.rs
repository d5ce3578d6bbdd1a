//! Every row of every task, with its quality beside its time.

use crate::compare::WORSE;
use crate::found::Report;
use crate::growth::VARIANT;
use crate::report::document::{Block, Cell, Section, Table, Tone};
use crate::report::number::{digits, figure, seconds};
use crate::row::Row;
use crate::tasks;

/// A section for each task.
pub(super) fn sections(report: &Report) -> Vec<Section> {
    let mut names: Vec<&str> = Vec::new();
    for row in report.rows.iter().filter(|row| row.variant != VARIANT) {
        if !names.contains(&row.task.as_str()) {
            names.push(&row.task);
        }
    }
    names.into_iter().map(|name| section(report, name)).collect()
}

fn section(report: &Report, name: &str) -> Section {
    let rows = report.rows.iter().filter(|row| row.task == name && row.variant != VARIANT);
    let rows: Vec<&Row> = rows.collect();
    let mut blocks = Vec::new();
    if let Ok(task) = tasks::find(name) {
        blocks.push(Block::Text(format!("{}.", sentence(task.about))));
    }
    blocks.push(Block::Table(table(report, &rows)));
    if let Ok(task) = tasks::find(name) {
        blocks.push(Block::Text(format!("Limit: {}.", task.bound)));
    }
    blocks.extend(parameters(&rows).map(Block::Text));
    let missing = report.missing.iter().filter(|missing| missing.task == name).count();
    if missing > 0 {
        blocks.push(Block::Text(format!("Not measured: {missing}; see “Missing”.")));
    }
    Section { title: name.to_owned(), blocks }
}

/// With a capital letter.
fn sentence(text: &str) -> String {
    let mut letters = text.chars();
    let first = letters.next().map(|first| first.to_uppercase().to_string()).unwrap_or_default();
    first + letters.as_str()
}

fn table(report: &Report, rows: &[&Row]) -> Table {
    let mut table = Table::new(&[
        "case",
        "#n × d",
        "#threads",
        "implementation",
        "#median",
        "#least–greatest",
        "#repeats",
        "#× kern",
        "#× limit",
        "limit",
        "#MiB",
        "quality",
        "remarks",
    ]);
    let mut last = None;
    for row in rows {
        let case = (&row.variant, &row.dtype, row.threads);
        let is_new = last.replace(case) != Some(case);
        let once = |text: String| Cell::plain(if is_new { text } else { String::new() });
        let kern = report.rows.iter().find(|other| other.is_kern() && is_rival(other, row));
        let share = kern.map(|kern| row.seconds.median / kern.seconds.median);
        let limit = row.limit.as_ref().map(|limit| digits(row.seconds.median / limit.seconds, 3));
        let ours = row.is_kern();
        table.push([
            once(format!("{} {}", row.variant, row.dtype)),
            once(format!("{} × {}", row.n, row.d)),
            once(row.threads.to_string()),
            Cell::new(&row.implementation, if ours { Tone::Strong } else { Tone::Plain }),
            Cell::new(seconds(row.seconds.median), if ours { Tone::Strong } else { Tone::Plain }),
            Cell::faint(format!("{}–{}", seconds(row.seconds.min), seconds(row.seconds.max))),
            Cell::faint(row.seconds.repeats.to_string()),
            Cell::plain(share.map_or_else(|| "–".to_owned(), |share| digits(share, 3))),
            Cell::plain(limit.unwrap_or_else(|| "–".to_owned())),
            Cell::faint(row.limit.as_ref().map_or("", |limit| &limit.name)),
            Cell::plain(row.peak_rss_mib.map_or_else(|| "–".to_owned(), |mib| format!("{mib:.0}"))),
            Cell::plain(quality(row)),
            remarks(row, share),
        ]);
    }
    table
}

fn is_rival(a: &Row, b: &Row) -> bool {
    (&a.task, &a.variant, &a.dtype, a.threads) == (&b.task, &b.variant, &b.dtype, b.threads)
}

fn quality(row: &Row) -> String {
    let figures = row.quality.iter().map(|(name, value)| format!("{name} {}", figure(*value)));
    figures.collect::<Vec<_>>().join(", ")
}

/// Remarks for the reader, first of all whether the time counts.
fn remarks(row: &Row, share: Option<f64>) -> Cell {
    let Some(rest) = row.note.strip_prefix(WORSE) else { return Cell::faint(&row.note) };
    let is_faster = share.is_some_and(|share| share < 1.0);
    let word = if is_faster { "wrong: faster, but worse" } else { WORSE };
    Cell::new(format!("{word}{rest}"), Tone::Bad)
}

/// The parameters of the cases, said once if they are all the same.
fn parameters(rows: &[&Row]) -> Option<String> {
    let mut said: Vec<(String, String)> = Vec::new();
    for row in rows {
        let values = row.params.iter().map(|(name, value)| format!("{name} = {value}"));
        let values = values.collect::<Vec<_>>().join(", ");
        if !values.is_empty() && !said.iter().any(|(_, known)| *known == values) {
            said.push((row.variant.clone(), values));
        }
    }
    match said.as_slice() {
        [] => None,
        [(_, values)] => Some(format!("Parameters: {values}.")),
        _ => {
            let all = said.iter().map(|(variant, values)| format!("{variant}: {values}"));
            Some(format!("Parameters: {}.", all.collect::<Vec<_>>().join("; ")))
        }
    }
}

/// Everybody who should have a row, and has none.
pub(super) fn missing(report: &Report) -> Option<Section> {
    let mut table = Table::new(&["task", "case", "#threads", "implementation", "reason"]);
    for missing in &report.missing {
        table.push([
            Cell::plain(&missing.task),
            Cell::plain(format!("{} {}", missing.variant, missing.dtype)),
            Cell::plain(missing.threads.to_string()),
            Cell::plain(&missing.implementation),
            Cell::new(format!("not measured: {}", missing.reason), Tone::Bad),
        ]);
    }
    let blocks = vec![Block::Table(table)];
    (!report.missing.is_empty()).then(|| Section { title: "Missing".to_owned(), blocks })
}
