//! The cases that are missed, before all else: against the best peer, and of the bars of our own.

use super::headline::times;
use crate::found::Report;
use crate::kind::Kind;
use crate::own;
use crate::report::document::{Block, Cell, Section, Table, Tone};
use crate::report::number::{digits, figure, ratio};
use crate::verdict::{self, Judged, Verdict};

/// The counts, and everything that was not met; none if nothing has a bar.
pub(super) fn section(report: &Report) -> Option<Section> {
    let counts = counts(report)?;
    let mut blocks = vec![Block::Text(counts)];
    blocks.extend(missed(report).map(Block::Table));
    blocks.extend(own_missed(report).map(Block::Table));
    Some(Section { title: "Met and missed".to_owned(), blocks })
}

/// The counts in words, with the kind of processor; none if nothing has a bar.
#[must_use]
pub fn counts(report: &Report) -> Option<String> {
    let (judged, own) = (verdict::judge(report), own::check(report));
    let kind = Kind::of(&report.machine).name;
    let mut sentences = Vec::new();
    if !judged.is_empty() {
        let count = |verdict| judged.iter().filter(|judged| judged.verdict == verdict).count();
        let threads = judged.iter().map(|judged| judged.threads).max().unwrap_or(0);
        sentences.push(format!(
            "On {kind}, threads: {threads}: against the best peer met {} of {} cases; missed {}, fast but \
             worse {}, without a peer {}, not measured {}.",
            count(Verdict::Met),
            judged.len(),
            count(Verdict::Missed),
            count(Verdict::Worse),
            count(Verdict::NoPeer),
            count(Verdict::Unmeasured),
        ));
    }
    if !own.is_empty() {
        let met = own.iter().filter(|checked| checked.met).count();
        sentences.push(format!("On {kind}, bars of our own: met {met} of {}.", own.len()));
    }
    (!sentences.is_empty()).then(|| sentences.join(" "))
}

/// A line for each case that does not meet its target, the worst first; none if there is none.
#[must_use]
pub fn missed(report: &Report) -> Option<Table> {
    let names = ["task", "case", "verdict", "#ratio", "#target", "#ratio / target", "its times"];
    let mut table = Table::new(&names);
    for judged in verdict::judge(report).iter().filter(|judged| judged.verdict != Verdict::Met) {
        let dash = || "–".to_owned();
        let excess = judged.ratio().map(|ratio| digits(ratio / judged.target, 3));
        let compared = judged.comparison.filter(|comparison| comparison.ratio.is_some());
        table.push([
            Cell::plain(judged.task),
            Cell::plain(format!("{} {}", judged.variant, judged.dtype)),
            word(judged),
            Cell::new(judged.ratio().map_or_else(dash, ratio), Tone::Strong),
            Cell::plain(judged.target.to_string()),
            Cell::plain(excess.unwrap_or_else(dash)),
            Cell::plain(compared.map_or_else(String::new, |compared| times(report, compared))),
        ]);
    }
    (!table.rows.is_empty()).then_some(table)
}

/// The verdict in words.
pub(super) fn word(judged: &Judged<'_>) -> Cell {
    match judged.verdict {
        Verdict::Met => Cell::new("met", Tone::Good),
        Verdict::Missed => Cell::new("missed", Tone::Bad),
        Verdict::Worse => {
            let better = judged.comparison.and_then(|comparison| comparison.better.as_deref());
            Cell::new(format!("fast, but worse than {}", better.unwrap_or("a peer")), Tone::Bad)
        }
        Verdict::NoPeer => Cell::new("no peer", Tone::Bad),
        Verdict::Unmeasured => Cell::new("not measured", Tone::Bad),
    }
}

/// A line for each bar of our own that is not met; none if there is none.
fn own_missed(report: &Report) -> Option<Table> {
    let mut table = own_table();
    let missed = own::check(report).into_iter().filter(|checked| !checked.met);
    missed.for_each(|checked| table.push(own_cells(&checked)));
    (!table.rows.is_empty()).then_some(table)
}

/// All bars of our own, those that are missed first; none if no task with one was measured.
pub(super) fn own(report: &Report) -> Option<Section> {
    let mut table = own_table();
    own::check(report).iter().for_each(|checked| table.push(own_cells(checked)));
    let is_empty = table.rows.is_empty();
    let (title, blocks) = ("Bars of our own".to_owned(), vec![Block::Table(table)]);
    (!is_empty).then_some(Section { title, blocks })
}

fn own_table() -> Table {
    Table::new(&["task", "case", "#threads", "figure", "#value", "#bar", "verdict"])
}

fn own_cells(checked: &own::Checked<'_>) -> [Cell; 7] {
    let (word, tone) = if checked.met { ("met", Tone::Good) } else { ("missed", Tone::Bad) };
    [
        Cell::plain(&checked.row.task),
        Cell::plain(format!("{} {}", checked.row.variant, checked.row.dtype)),
        Cell::plain(checked.row.threads.to_string()),
        Cell::plain(checked.bar.figure),
        Cell::new(figure(checked.value), Tone::Strong),
        Cell::plain(checked.bar.wanted.to_string()),
        Cell::new(word, tone),
    ]
}
