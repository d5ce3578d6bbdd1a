//! The kinds of processor side by side: the ratio of each case in the latest record of each kind that has it.

use crate::compare::Comparison;
use crate::found::Report;
use crate::kind::{Kind, Side};
use crate::report::document::{Block, Cell, Section, Table, Tone};
use crate::report::number::ratio;
use crate::target::target;
use crate::tasks;

/// The size of runs that are shown: ratios of small ones tell little.
const SIZE: &str = "full";

/// A ratio with its target, and when it was measured.
struct Found<'a> {
    comparison: &'a Comparison,
    ratio: f64,
    target: f64,
    date: &'a str,
}

/// The latest ratio of each case on one kind of processor.
struct Column<'a> {
    kind: Kind,
    cases: Vec<Found<'a>>,
}

/// The table, where there are records of several kinds, and whose processors were not measured at all.
pub(super) fn section(report: &Report, records: &[Report]) -> Section {
    let all = columns(&full(records.iter().chain([report])));
    let mut blocks = Vec::new();
    if all.len() > 1 {
        let origins: Vec<String> = all.iter().map(Column::origin).collect();
        let text = format!(
            "Time as a share of the best peer's, in the latest full run of each kind of processor that has \
             the case. {}. A case is met when it is met on all of them.",
            origins.join("; "),
        );
        blocks.extend([Block::Text(text), Block::Table(table(&all))]);
    } else {
        let text = "There are no records of several kinds of processor, to be shown side by side.";
        blocks.push(Block::Text(text.to_owned()));
    }
    for (side, maker) in [(Side::Zen, "AMD"), (Side::Intel, "Intel"), (Side::Arm, "Arm")] {
        let is_of = |report: &Report| Kind::of(&report.machine).side == side;
        if !records.iter().chain([report]).any(is_of) {
            blocks.push(Block::Text(format!("No {maker} processor was measured.")));
        }
    }
    Section { title: "Kinds of processor".to_owned(), blocks }
}

/// The latest full run with peers of each kind of processor but that of the report.
#[must_use]
pub fn others<'a>(report: &Report, records: &'a [Report]) -> Vec<&'a Report> {
    let name = |report: &Report| Kind::of(&report.machine).name;
    let mut all: Vec<&Report> = Vec::new();
    for record in full(records) {
        if name(record) != name(report) {
            all.retain(|other| name(other) != name(record));
            all.push(record);
        }
    }
    all
}

/// Full runs with peers, the latest last, of machines that tell the generation of their processor. Old
/// records of AMD's do not.
fn full<'a>(reports: impl IntoIterator<Item = &'a Report>) -> Vec<&'a Report> {
    let is_full = |report: &&Report| {
        let machine = &report.machine;
        report.provenance.as_ref().is_some_and(|run| run.size == SIZE)
            && !report.comparisons.is_empty()
            && (machine.processor.is_some() || Kind::of(machine).side != Side::Zen)
    };
    let mut all: Vec<&Report> = reports.into_iter().filter(is_full).collect();
    all.sort_by_key(|report| date(report));
    all
}

fn date(report: &Report) -> &str {
    report.provenance.as_ref().map_or("", |run| &run.date)
}

/// A column for each kind, by its name; the order of cases is that of the run in which one comes first.
fn columns<'a>(reports: &[&'a Report]) -> Vec<Column<'a>> {
    let mut all: Vec<Column<'a>> = Vec::new();
    for report in reports {
        let kind = Kind::of(&report.machine);
        let place = match all.iter().position(|column| column.kind == kind) {
            Some(place) => place,
            None => {
                all.push(Column { kind, cases: Vec::new() });
                all.len() - 1
            }
        };
        all[place].take(report);
    }
    all.sort_by(|a, b| a.kind.name.cmp(&b.kind.name));
    all
}

fn is_same(a: &Comparison, b: &Comparison) -> bool {
    (&a.task, &a.variant, &a.dtype, a.threads) == (&b.task, &b.variant, &b.dtype, b.threads)
}

impl<'a> Column<'a> {
    /// Takes the ratios of a later report in the place of those that are known.
    fn take(&mut self, report: &'a Report) {
        for comparison in &report.comparisons {
            let Some(ratio) = comparison.ratio else { continue };
            let task = tasks::find(&comparison.task).ok();
            let target = target(task, &comparison.variant, &self.kind);
            let found = Found { comparison, ratio, target, date: date(report) };
            match self.cases.iter_mut().find(|other| is_same(other.comparison, comparison)) {
                Some(other) => *other = found,
                None => self.cases.push(found),
            }
        }
    }

    fn find(&self, comparison: &Comparison) -> Option<&Found<'a>> {
        self.cases.iter().find(|found| is_same(found.comparison, comparison))
    }

    fn origin(&self) -> String {
        let mut dates: Vec<&str> = self.cases.iter().map(|found| found.date).collect();
        dates.sort_unstable();
        dates.dedup();
        format!("{}: {}", self.kind.name, dates.join(", "))
    }
}

impl Found<'_> {
    fn is_met(&self) -> bool {
        self.ratio <= self.target && self.comparison.better.is_none()
    }

    fn excess(&self) -> f64 {
        self.ratio / self.target
    }

    fn cell(&self) -> Cell {
        Cell::new(ratio(self.ratio), if self.is_met() { Tone::Good } else { Tone::Bad })
    }
}

/// A line for each case that several kinds have. Those that are missed on one come first, the worst at the very first.
fn table(columns: &[Column<'_>]) -> Table {
    let mut names = vec!["task".to_owned(), "case".to_owned(), "#threads".to_owned()];
    for column in columns {
        names.extend([format!("#{}", column.kind.name), "#its target".to_owned()]);
    }
    names.push("verdict".to_owned());
    let mut table = Table::new(&names.iter().map(String::as_str).collect::<Vec<_>>());
    for (case, line) in lines(columns) {
        let missed = columns
            .iter()
            .zip(&line)
            .filter(|(_, found)| found.is_some_and(|found| !found.is_met()));
        let missed: Vec<&str> = missed.map(|(column, _)| column.kind.name.as_str()).collect();
        let verdict = match missed.as_slice() {
            [] => Cell::new("met", Tone::Good),
            _ => Cell::new(format!("missed on {}", missed.join(", ")), Tone::Bad),
        };
        let mut cells = vec![
            Cell::plain(&case.task),
            Cell::plain(format!("{} {}", case.variant, case.dtype)),
            Cell::plain(case.threads.to_string()),
        ];
        for found in line {
            let target = found.map_or_else(String::new, |found| found.target.to_string());
            cells
                .extend([found.map_or_else(|| Cell::plain("–"), Found::cell), Cell::plain(target)]);
        }
        cells.push(verdict);
        table.push(cells);
    }
    table
}

/// A case, and what was found for it in each column.
type Line<'a, 'b> = (&'a Comparison, Vec<Option<&'b Found<'a>>>);

fn lines<'a, 'b>(columns: &'b [Column<'a>]) -> Vec<Line<'a, 'b>> {
    let mut cases: Vec<&Comparison> = Vec::new();
    for found in columns.iter().flat_map(|column| &column.cases) {
        if !cases.iter().any(|case| is_same(case, found.comparison)) {
            cases.push(found.comparison);
        }
    }
    let line = |case| (case, columns.iter().map(|column| column.find(case)).collect());
    let mut lines: Vec<Line<'a, 'b>> = cases.into_iter().map(line).collect();
    lines.retain(|(_, line)| line.iter().flatten().count() > 1);
    let worst = |line: &Line<'_, '_>| {
        line.1.iter().flatten().map(|found| found.excess()).fold(0.0, f64::max)
    };
    lines.sort_by(|a, b| worst(b).total_cmp(&worst(a)));
    lines
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
        for expected in
            ["0.11", "0.13", "0.32", "**0.61**", "missed on Intel Sapphire Rapids (AVX-512)"]
        {
            assert!(text.contains(expected), "{expected}: {text}");
        }
        for other in ["0.12", "0.31", "alone", "0.14"] {
            assert!(!text.contains(other), "{other}: {text}");
        }
        let dates = "AMD Zen 5 (AVX-512): 2026-01-01 03:04 UTC, 2026-01-03 03:04 UTC";
        assert!(text.contains(dates), "{text}");
        assert!(text.contains("Intel Sapphire Rapids (AVX-512): 2026-01-"), "{text}");
        // What is missed comes first.
        assert!(text.find("rhs8") < text.find("rhs1"), "{text}");
        Ok(())
    }

    #[test]
    fn each_generation_is_a_kind_of_its_own() -> Result<()> {
        let zen4 = || machine("AuthenticAMD", 25, 17);
        let records = [
            run(zen(), 3, &[("rhs1", 0.11), ("rhs8", 0.12)])?,
            run(zen4(), 1, &[("rhs1", 0.61)])?,
            run(zen4(), 4, &[("rhs1", 0.62)])?,
        ];
        let now = run(intel(), 2, &[("rhs1", 0.31), ("rhs8", 0.32)])?;
        let text = text(&now, &records);
        for expected in
            ["0.11", "0.12", "0.31", "0.32", "**0.62**", "missed on AMD Zen 4 (AVX-512)"]
        {
            assert!(text.contains(expected), "{expected}: {text}");
        }
        assert!(!text.contains("0.61"), "{text}");
        // Of others, the latest run of each; an old record that does not tell its generation is none.
        let unknown = Machine { processor: None, ..zen() };
        let old = run(unknown, 5, &[("rhs1", 0.13)])?;
        let all = [records.as_slice(), &[old]].concat();
        assert_eq!(others(&now, &all), [&records[0], &records[2]]);
        assert_eq!(others(&records[1], &all), [&records[0]]);
        Ok(())
    }

    #[test]
    fn without_records_of_several_kinds_there_is_no_table() -> Result<()> {
        let now = run(zen(), 1, &[("rhs1", 0.1)])?;
        assert!(text(&now, &[]).contains("no records of several kinds"));
        let mut small = run(intel(), 2, &[("rhs1", 0.1)])?;
        small.provenance.iter_mut().for_each(|run| run.size = "quick".to_owned());
        assert!(text(&now, &[small]).contains("no records of several kinds"));
        Ok(())
    }

    #[test]
    fn that_no_arm_was_measured_is_said() -> Result<()> {
        const SENTENCE: &str = "No Arm processor was measured.";
        let now = run(zen(), 1, &[])?;
        assert!(text(&now, &[]).contains(SENTENCE));
        let arm = Machine { arch: "aarch64".into(), ..zen() };
        assert!(!text(&now, &[run(arm, 1, &[])?]).contains(SENTENCE));
        Ok(())
    }
}
