//! Peak memory beside time: what is bought with it.

use super::headline::{mebibytes, row};
use crate::found::Report;
use crate::report::document::{Block, Cell, Section, Table, Tone};
use crate::report::number::{digits, ratio};
use crate::verdict::{self, Judged};

/// The share of the best peer's peak memory that a case may take without a word.
const BAR: f64 = 1.5;

/// The counts, and a line for each case beyond the bar; none if no case has a peer.
pub(super) fn section(report: &Report) -> Option<Section> {
    let judged = verdict::judge(report);
    let mut shares: Vec<(f64, &Judged<'_>)> =
        judged.iter().filter_map(|judged| Some((share(report, judged)?, judged))).collect();
    shares.sort_by(|a, b| b.0.total_cmp(&a.0));
    let beyond = shares.iter().filter(|(share, _)| *share > BAR).count();
    let mut blocks = vec![Block::Text(format!(
        "Peak memory is at most {BAR} times that of the best peer in {} of {} cases.",
        shares.len() - beyond,
        shares.len(),
    ))];
    if beyond > 0 {
        blocks.push(Block::Text("The others buy this time with it:".to_owned()));
        blocks.push(Block::Table(table(report, &shares[..beyond])));
    }
    (!shares.is_empty()).then(|| Section { title: "Memory".to_owned(), blocks })
}

/// Our peak memory as a share of the best peer's.
fn share(report: &Report, judged: &Judged<'_>) -> Option<f64> {
    let comparison = judged.comparison?;
    let peak = |name| row(report, comparison, name)?.peak_rss_mib;
    Some(peak("kern")? / peak(comparison.best_peer.as_deref()?)?)
}

fn table(report: &Report, shares: &[(f64, &Judged<'_>)]) -> Table {
    let names =
        ["task", "case", "#kern, MiB", "#best peer, MiB", "#memory / peer's", "#time / peer's"];
    let mut table = Table::new(&names);
    for (share, judged) in shares {
        let peer = judged.comparison.and_then(|comparison| comparison.best_peer.as_deref());
        let memory = |name| {
            mebibytes(judged.comparison.and_then(|comparison| row(report, comparison, name)))
        };
        table.push([
            Cell::plain(judged.task),
            Cell::plain(format!("{} {}", judged.variant, judged.dtype)),
            Cell::plain(memory("kern")),
            Cell::plain(memory(peer.unwrap_or_default())),
            Cell::new(digits(*share, 3), Tone::Bad),
            Cell::plain(judged.ratio().map_or_else(|| "–".to_owned(), ratio)),
        ]);
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bar::tests::row;
    use crate::compare::Comparison;
    use crate::kind::{Kind, tests::machine};
    use crate::report::markdown;
    use crate::row::Row;
    use crate::tasks;
    use anyhow::Result;

    #[test]
    fn what_takes_more_says_what_it_buys() -> Result<()> {
        let mut report = Report::new(machine("AuthenticAMD", 26, 2), None);
        assert_eq!(section(&report).map(|section| section.title), None);
        let kind = Kind::of(&report.machine);
        for (variant, mib) in [("rhs1", 120.0), ("rhs8", 610.0)] {
            let of = |name, median, mib| Row {
                variant: variant.into(),
                peak_rss_mib: Some(mib),
                ..row(name, median, ("rel_err", 0.0))
            };
            let (kern, mut peers) = (of("kern", 1.0, mib), [of("a", 4.0, 100.0)]);
            let task = tasks::find("lazy_matvec")?;
            report.comparisons.push(Comparison::of(task, &kern, &mut peers, 0, &kind));
            report.rows.push(kern);
            report.rows.extend(peers);
        }
        let blocks = section(&report).map(|section| section.blocks).unwrap_or_default();
        let text: String = blocks
            .iter()
            .map(|block| match block {
                Block::Text(text) => text.clone(),
                Block::Table(table) => markdown::table(table),
                _ => String::new(),
            })
            .collect();
        assert!(text.contains("1.5 times that of the best peer in 1 of 2 cases"), "{text}");
        assert!(text.contains("**6.10**") && text.contains("0.25"), "{text}");
        assert!(text.contains("rhs8 f64") && !text.contains("rhs1"), "{text}");
        Ok(())
    }
}
