//! Zen and Intel side by side: the ratio of each case in the latest record that has it.

use crate::compare::Comparison;
use crate::found::Report;
use crate::kind::{Kind, Side};
use crate::report::document::{Block, Cell, Section, Table, Tone};
use crate::report::number::ratio;
use crate::target::target;
use crate::tasks;

/// The size of runs that are shown: ratios of small ones tell little.
const SIZE: &str = "full";

/// A ratio, and where it comes from.
struct Found<'a> {
    comparison: &'a Comparison,
    ratio: f64,
    kind: Kind,
    origin: String,
}

/// The table, where there are records of both, and what was not measured at all.
pub(super) fn section(report: &Report, records: &[Report]) -> Section {
    let mut all: Vec<&Report> = records.iter().chain([report]).filter(|r| is_full(r)).collect();
    all.sort_by_key(|report| date(report));
    let [zen, intel] = [Side::Zen, Side::Intel].map(|side| latest(&all, side));
    let pairs: Vec<(&Found<'_>, &Found<'_>)> = zen
        .iter()
        .filter_map(|a| intel.iter().find(|b| is_same(a.comparison, b.comparison)).map(|b| (a, b)))
        .collect();
    let mut blocks = Vec::new();
    if pairs.is_empty() {
        let text = "There are no records of both kinds, Zen and Intel, to be shown side by side.";
        blocks.push(Block::Text(text.to_owned()));
    } else {
        let origins = |all: Vec<&Found<'_>>| {
            let mut names: Vec<&str> = all.iter().map(|found| found.origin.as_str()).collect();
            names.sort_unstable();
            names.dedup();
            names.join("; ")
        };
        let (zen, intel) = pairs.iter().copied().unzip();
        let text = format!(
            "Time as a share of the best peer's, in the latest full run of each kind that has the case. Zen: \
             {}. Intel: {}. A case is met when it is met on both.",
            origins(zen),
            origins(intel),
        );
        blocks.extend([Block::Text(text), Block::Table(table(&pairs))]);
    }
    let is_arm = |report: &Report| Kind::of(&report.machine).side == Side::Arm;
    if !records.iter().chain([report]).any(is_arm) {
        blocks.push(Block::Text("No machine with an Arm processor was measured.".to_owned()));
    }
    Section { title: "Zen and Intel".to_owned(), blocks }
}

fn is_full(report: &Report) -> bool {
    report.provenance.as_ref().is_some_and(|run| run.size == SIZE)
}

fn date(report: &Report) -> &str {
    report.provenance.as_ref().map_or("", |run| &run.date)
}

/// The latest ratio of each case on one side; the order is that of the run in which a case comes first.
fn latest<'a>(reports: &[&'a Report], side: Side) -> Vec<Found<'a>> {
    let mut all: Vec<Found<'a>> = Vec::new();
    for report in reports {
        let kind = Kind::of(&report.machine);
        if kind.side != side {
            continue;
        }
        let origin = format!("{}, {}", kind.name, date(report));
        for comparison in &report.comparisons {
            let Some(ratio) = comparison.ratio else { continue };
            let found = Found { comparison, ratio, kind: kind.clone(), origin: origin.clone() };
            match all.iter_mut().find(|other| is_same(other.comparison, comparison)) {
                Some(other) => *other = found,
                None => all.push(found),
            }
        }
    }
    all
}

fn is_same(a: &Comparison, b: &Comparison) -> bool {
    (&a.task, &a.variant, &a.dtype, a.threads) == (&b.task, &b.variant, &b.dtype, b.threads)
}

impl Found<'_> {
    fn target(&self) -> f64 {
        let task = tasks::find(&self.comparison.task).ok();
        target(task, &self.comparison.variant, &self.kind)
    }

    fn is_met(&self) -> bool {
        self.ratio <= self.target()
    }

    fn excess(&self) -> f64 {
        self.ratio / self.target()
    }
}

/// Cases that are missed on either side come first, the worst at the very first.
fn table(pairs: &[(&Found<'_>, &Found<'_>)]) -> Table {
    let names =
        ["task", "case", "#threads", "#Zen", "#its target", "#Intel", "#its target", "verdict"];
    let mut table = Table::new(&names);
    let mut sorted = pairs.to_vec();
    let worst = |(a, b): &(&Found<'_>, &Found<'_>)| a.excess().max(b.excess());
    sorted.sort_by(|a, b| worst(b).total_cmp(&worst(a)));
    for (zen, intel) in sorted {
        let cell = |found: &Found<'_>| {
            Cell::new(ratio(found.ratio), if found.is_met() { Tone::Good } else { Tone::Bad })
        };
        let (word, tone) = match (zen.is_met(), intel.is_met()) {
            (true, true) => ("met", Tone::Good),
            (true, false) => ("missed on Intel", Tone::Bad),
            (false, true) => ("missed on Zen", Tone::Bad),
            (false, false) => ("missed on both", Tone::Bad),
        };
        let case = zen.comparison;
        table.push([
            Cell::plain(&case.task),
            Cell::plain(format!("{} {}", case.variant, case.dtype)),
            Cell::plain(case.threads.to_string()),
            cell(zen),
            Cell::plain(zen.target().to_string()),
            cell(intel),
            Cell::plain(intel.target().to_string()),
            Cell::new(word, tone),
        ]);
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bar::tests::row;
    use crate::kind::tests::machine;
    use crate::machine::Machine;
    use crate::provenance::Provenance;
    use crate::report::markdown;
    use crate::row::Row;
    use anyhow::Result;

    /// A run on some day with one ratio for each variant of `lazy_matvec`.
    fn run(machine: Machine, day: u32, ratios: &[(&str, f64)]) -> Result<Report> {
        let provenance = Provenance {
            date: format!("2026-01-{day:02} 03:04 UTC"),
            command: String::new(),
            commit: String::new(),
            compiler: String::new(),
            size: SIZE.to_owned(),
        };
        let kind = Kind::of(&machine);
        let mut report = Report::new(machine, Some(provenance));
        for &(variant, ratio) in ratios {
            let kern = Row { variant: variant.into(), ..row("kern", ratio, ("rel_err", 0.0)) };
            let mut peers = [row("a", 1.0, ("rel_err", 0.0))];
            let task = tasks::find("lazy_matvec")?;
            report.comparisons.push(Comparison::of(task, &kern, &mut peers, 0, &kind));
        }
        Ok(report)
    }

    fn text(report: &Report, records: &[Report]) -> String {
        let section = section(report, records);
        let blocks = section.blocks.iter().map(|block| match block {
            Block::Text(text) => text.clone(),
            Block::Table(table) => markdown::table(table),
            _ => String::new(),
        });
        blocks.collect::<Vec<_>>().join("\n")
    }

    fn zen() -> Machine {
        machine("AuthenticAMD", 26, 2)
    }

    fn intel() -> Machine {
        machine("GenuineIntel", 6, 143)
    }

    #[test]
    fn the_latest_ratio_of_each_kind_is_shown() -> Result<()> {
        let records = [
            run(zen(), 3, &[("rhs1", 0.11)])?,
            run(zen(), 1, &[("rhs1", 0.12), ("rhs8", 0.13), ("alone", 0.14)])?,
            run(intel(), 2, &[("rhs1", 0.31), ("rhs8", 0.61)])?,
        ];
        let now = run(intel(), 4, &[("rhs1", 0.32)])?;
        let text = text(&now, &records);
        for expected in ["0.11", "0.13", "0.32", "**0.61**", "missed on Intel"] {
            assert!(text.contains(expected), "{expected}: {text}");
        }
        for other in ["0.12", "0.31", "alone", "0.14"] {
            assert!(!text.contains(other), "{other}: {text}");
        }
        assert!(text.contains("AMD Zen 5 (AVX-512), 2026-01-03 03:04 UTC"), "{text}");
        assert!(text.contains("Intel Sapphire Rapids (AVX-512), 2026-01-04 03:04 UTC"), "{text}");
        // What is missed comes first.
        assert!(text.find("rhs8") < text.find("rhs1"), "{text}");
        Ok(())
    }

    #[test]
    fn without_records_of_both_there_is_no_table() -> Result<()> {
        let now = run(zen(), 1, &[("rhs1", 0.1)])?;
        assert!(text(&now, &[]).contains("no records of both kinds"));
        let mut small = run(intel(), 2, &[("rhs1", 0.1)])?;
        small.provenance.iter_mut().for_each(|run| run.size = "quick".to_owned());
        assert!(text(&now, &[small]).contains("no records of both kinds"));
        Ok(())
    }

    #[test]
    fn that_no_arm_was_measured_is_said() -> Result<()> {
        const SENTENCE: &str = "No machine with an Arm processor was measured.";
        let now = run(zen(), 1, &[])?;
        assert!(text(&now, &[]).contains(SENTENCE));
        let arm = Machine { arch: "aarch64".into(), ..zen() };
        assert!(!text(&now, &[run(arm, 1, &[])?]).contains(SENTENCE));
        Ok(())
    }
}
