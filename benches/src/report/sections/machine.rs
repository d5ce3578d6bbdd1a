//! The origin of the report, and the limits of the machine.

use crate::found::Report;
use crate::kind::Kind;
use crate::report::document::{Block, Cell, Section, Table};
use crate::report::number::digits;

/// The run.
pub(super) fn run(report: &Report) -> Section {
    let machine = &report.machine;
    let unknown = |text: &str| if text.is_empty() { "unknown" } else { text }.to_owned();
    let mut facts = Table::new(&["what", "value"]);
    let mut fact = |name: &str, value: String| facts.push([Cell::faint(name), Cell::plain(value)]);
    if let Some(run) = &report.provenance {
        fact("date", run.date.clone());
        fact("kern", format!("{}, commit {}", machine.kern, unknown(&run.commit)));
        fact("compiler", unknown(&run.compiler));
        fact("sizes", run.size.clone());
    } else {
        fact("kern", machine.kern.clone());
    }
    fact("kind", Kind::of(machine).name);
    fact("processor", format!("{} ({})", unknown(&machine.cpu), machine.arch));
    fact("extensions", unknown(&machine.features.join(", ")));
    fact("cores", machine.cores.to_string());
    let memory = machine.memory_mib.map(|mib| format!("{mib} MiB"));
    fact("memory", memory.unwrap_or_else(|| "unknown".to_owned()));
    fact("system", unknown(&machine.os));
    let load = machine.load_before.map(|load| format!("{load:.2}"));
    fact("load before the run", load.unwrap_or_else(|| "unknown".to_owned()));
    let mut blocks = vec![Block::Table(facts)];
    if let Some(run) = &report.provenance {
        blocks.push(Block::Text("The command that makes this report again:".to_owned()));
        blocks.push(Block::Command(run.command.clone()));
        if run.size != "full" {
            let text =
                "The sizes are small: for a look, not for a result. Targets are for full sizes.";
            blocks.push(Block::Text(text.to_owned()));
        }
    }
    Section { title: "Run".to_owned(), blocks }
}

/// The limits of the machine.
pub(super) fn limits(report: &Report) -> Option<Section> {
    let limits = &report.machine.limits;
    let first = limits.first()?;
    let counts: Vec<String> = limits.iter().map(|l| format!("#threads: {}", l.threads)).collect();
    let names = [&["limit"][..], &counts.iter().map(String::as_str).collect::<Vec<_>>()].concat();
    let mut table = Table::new(&names);
    for (k, (name, _)) in first.rates().iter().enumerate() {
        let rates = limits.iter().map(|limits| Cell::plain(digits(limits.rates()[k].1, 3)));
        table.push([Cell::plain(*name)].into_iter().chain(rates).collect::<Vec<_>>());
    }
    Some(Section { title: "Limits of the machine".to_owned(), blocks: vec![Block::Table(table)] })
}
