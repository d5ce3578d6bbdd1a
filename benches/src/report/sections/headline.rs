//! The library against the best of its peers.

use super::verdicts::word;
use crate::compare::Comparison;
use crate::found::Report;
use crate::report::document::{Block, Cell, Figure, Section, Table, Tone};
use crate::report::number::{ratio, seconds};
use crate::report::strip::{self, Dot, Strip};
use crate::row::Row;
use crate::tasks;
use crate::verdict::{self, Judged, Verdict};

/// The picture, a line for each task, and a line for each case.
pub(super) fn section(report: &Report) -> Section {
    let title = "Against the best peer".to_owned();
    if report.comparisons.is_empty() {
        let text = "No peers were measured. `--peers` measures them, taking turns.".to_owned();
        return Section { title, blocks: vec![Block::Text(text)] };
    }
    let strips = strips(report);
    let mut blocks = Vec::new();
    if !strips.is_empty() {
        let caption = "Time as a share of the best peer's of equal or better quality. Red: a target is \
                       missed.";
        let (drawing, caption) = (strip::draw(&strips), caption.to_owned());
        blocks.push(Block::Figures(vec![Figure { caption, drawing, legend: Vec::new() }]));
    }
    blocks.push(Block::Table(summary(report)));
    blocks.push(Block::Text("Case by case:".to_owned()));
    blocks.push(Block::Table(cases(report)));
    Section { title, blocks }
}

/// The judged cases by task, in the order of the run.
fn by_task(report: &Report) -> Vec<(&str, Vec<Judged<'_>>)> {
    let mut tasks: Vec<(&str, Vec<Judged<'_>>)> =
        tasks::ALL.iter().map(|task| (task.name, Vec::new())).collect();
    for judged in verdict::judge(report) {
        match tasks.iter_mut().find(|(task, _)| *task == judged.task) {
            Some((_, all)) => all.push(judged),
            None => tasks.push((judged.task, vec![judged])),
        }
    }
    tasks.retain(|(_, all)| !all.is_empty());
    tasks
}

/// The lines of the picture: tasks with a peer to compare with.
#[must_use]
pub fn strips(report: &Report) -> Vec<Strip> {
    let strip = |(task, all): (&str, Vec<Judged<'_>>)| {
        let dot =
            |judged: &Judged<'_>| Some(Dot { ratio: judged.ratio()?, missed: judged.is_lost() });
        let dots: Vec<Dot> = all.iter().filter_map(dot).collect();
        let mut targets: Vec<f64> = all.iter().map(|judged| judged.target).collect();
        targets.sort_by(f64::total_cmp);
        targets.dedup();
        (!dots.is_empty()).then(|| Strip { name: task.to_owned(), dots, targets })
    };
    by_task(report).into_iter().filter_map(strip).collect()
}

/// A line for each task: its ratios, the case that is closest to its peer, and the command that measures
/// it again.
#[must_use]
pub fn summary(report: &Report) -> Table {
    let mut table = Table::new(&[
        "task",
        "#cases",
        "#time / best peer's",
        "#targets met",
        "closest case",
        "its times",
        "measured by",
    ]);
    for (task, all) in by_task(report) {
        let compared = all.iter().filter_map(|judged| judged.comparison);
        let mut ratios: Vec<(f64, &Comparison)> =
            compared.filter_map(|comparison| Some((comparison.ratio?, comparison))).collect();
        ratios.sort_by(|a, b| a.0.total_cmp(&b.0));
        let met = all.iter().filter(|judged| judged.verdict == Verdict::Met).count();
        let tone = if met == all.len() { Tone::Good } else { Tone::Bad };
        let span = match (ratios.first(), ratios.last()) {
            (Some(a), Some(b)) if ratios.len() > 1 => format!("{}–{}", ratio(a.0), ratio(b.0)),
            (Some(a), _) => ratio(a.0),
            _ => "no peer".to_owned(),
        };
        let closest = ratios.last().map(|(_, closest)| *closest);
        table.push([
            Cell::new(task, Tone::Strong),
            Cell::plain(all.len().to_string()),
            Cell::plain(span),
            Cell::new(format!("{met} of {}", all.len()), tone),
            Cell::plain(closest.map_or(String::new(), |c| format!("{} {}", c.variant, c.dtype))),
            Cell::plain(closest.map_or(String::new(), |closest| times(report, closest))),
            Cell::new(command(report, task), Tone::Code),
        ]);
    }
    table
}

/// The command that measures one task as this report did.
fn command(report: &Report, task: &str) -> String {
    let quick = report.provenance.as_ref().is_some_and(|run| run.size == "quick");
    format!("cargo xtask bench --peers{} --task {task}", if quick { " --quick" } else { "" })
}

/// Our time, and whose it is compared with.
pub(super) fn times(report: &Report, comparison: &Comparison) -> String {
    let peer = comparison.best_peer.as_deref().unwrap_or_default();
    let [ours, theirs] = ["kern", peer].map(|name| {
        let row = row(report, comparison, name);
        row.map_or_else(|| "?".to_owned(), |row| seconds(row.seconds.median))
    });
    format!("{ours}; {peer}: {theirs}")
}

/// The peak memory of a row, if there is one.
pub(super) fn mebibytes(row: Option<&Row>) -> String {
    let mib = row.and_then(|row| row.peak_rss_mib);
    mib.map_or_else(|| "–".to_owned(), |mib| format!("{mib:.0}"))
}

pub(super) fn row<'a>(
    report: &'a Report,
    comparison: &Comparison,
    implementation: &str,
) -> Option<&'a Row> {
    report.rows.iter().find(|row| {
        (&row.task, &row.variant, &row.dtype)
            == (&comparison.task, &comparison.variant, &comparison.dtype)
            && row.threads == comparison.threads
            && row.implementation == implementation
    })
}

/// A line for each case, those first that are missed; then those with fewer threads, for which there are
/// no targets.
fn cases(report: &Report) -> Table {
    let mut table = Table::new(&[
        "task",
        "case",
        "#threads",
        "#kern",
        "#best peer",
        "#ratio",
        "#target",
        "verdict",
        "#kern, MiB",
        "#best peer, MiB",
        "best peer is",
        "#peers missing",
    ]);
    let judged = verdict::judge(report);
    let threads = judged.iter().map(|judged| judged.threads).max();
    for judged in &judged {
        if let Some(comparison) = judged.comparison {
            let target = Cell::plain(judged.target.to_string());
            table.push(case(report, comparison, target, word(judged)));
        }
    }
    for comparison in report.comparisons.iter().filter(|c| Some(c.threads) != threads) {
        table.push(case(report, comparison, Cell::plain("–"), Cell::faint("no target")));
    }
    table
}

fn case(report: &Report, comparison: &Comparison, target: Cell, verdict: Cell) -> [Cell; 12] {
    let peer = comparison.best_peer.as_deref().unwrap_or_default();
    let time = |name| {
        let row = row(report, comparison, name);
        Cell::plain(row.map_or_else(|| "–".to_owned(), |row| seconds(row.seconds.median)))
    };
    let memory = |name| Cell::plain(mebibytes(row(report, comparison, name)));
    let share = comparison.ratio.map_or_else(|| "–".to_owned(), ratio);
    [
        Cell::plain(&comparison.task),
        Cell::plain(format!("{} {}", comparison.variant, comparison.dtype)),
        Cell::plain(comparison.threads.to_string()),
        time("kern"),
        time(peer),
        Cell::new(share, Tone::Strong),
        target,
        verdict,
        memory("kern"),
        memory(peer),
        Cell::plain(peer),
        Cell::plain(comparison.missing.to_string()),
    ]
}
