//! Opt-outs: `// tidy: allow(rule) because reason`, on the line itself or in the comment above it.
//!
//! An opt-out covers one line, or the item below it, through docs and attributes.
//! One that covers nothing is reported, so that opt-outs go when their cause goes.

use std::cell::Cell;

use super::text_file::TextFile;
use super::violation::Violation;

const MARK: &str = "// tidy: allow(";

/// The rules that have exceptions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Rule {
    /// Literals with a negative exponent.
    Float,
    /// Panics and what may panic by design.
    Panic,
    /// Documentation examples that are compiled but not run.
    NoRun,
}

impl Rule {
    fn from_name(name: &str) -> Option<Self> {
        match name {
            "float" => Some(Self::Float),
            "panic" => Some(Self::Panic),
            "no_run" => Some(Self::NoRun),
            _ => None,
        }
    }
}

/// The opt-outs of one file.
#[derive(Debug)]
pub(crate) struct Allows {
    path: String,
    entries: Vec<Entry>,
    /// True for each line that is a comment or an attribute, i.e. belongs to the item below it.
    leads: Vec<bool>,
}

#[derive(Debug)]
struct Entry {
    line: usize,
    rule: Option<Rule>,
    has_reason: bool,
    used: Cell<bool>,
}

impl Allows {
    pub(crate) fn read(file: &TextFile) -> Self {
        let entries = file.lines().filter_map(|(line, text)| Entry::parse(line, text)).collect();
        let leads = file.lines().map(|(_, text)| is_lead(text)).collect();
        Self { path: file.path.clone(), entries, leads }
    }

    /// Tells whether `rule` is off at `line`.
    pub(crate) fn permits(&self, rule: Rule, line: usize) -> bool {
        let mut first = line;
        while first > 1 && self.leads[first - 2] {
            first -= 1;
        }
        let covers = |entry: &&Entry| entry.rule == Some(rule) && entry.covers(first, line);
        let found = self.entries.iter().rev().find(covers);
        found.inspect(|entry| entry.used.set(true)).is_some()
    }

    /// Opt-outs that are malformed or were of no use. To be asked after all other rules.
    pub(crate) fn violations(&self) -> Vec<Violation> {
        let complaints = self.entries.iter().filter_map(|entry| Some((entry.line, entry.fault()?)));
        complaints.map(|(line, fault)| Violation::new(&self.path, line, fault)).collect()
    }
}

impl Entry {
    fn parse(line: usize, text: &str) -> Option<Self> {
        let (_, tail) = text.split_once(MARK)?;
        let (name, reason) = tail.split_once(')').unwrap_or((tail, ""));
        let reason = reason.trim_start().strip_prefix("because ").unwrap_or_default();
        Some(Self {
            line,
            rule: Rule::from_name(name),
            has_reason: !reason.trim().is_empty(),
            used: Cell::new(false),
        })
    }

    fn covers(&self, first: usize, last: usize) -> bool {
        (first..=last).contains(&self.line)
    }

    fn fault(&self) -> Option<&'static str> {
        if self.rule.is_none() {
            Some("opt-out of an unknown rule; there are float, panic, no_run")
        } else if !self.has_reason {
            Some("opt-out without a reason; write `because ...`")
        } else if !self.used.get() {
            Some("opt-out that nothing needs; remove it")
        } else {
            None
        }
    }
}

fn is_lead(line: &str) -> bool {
    let line = line.trim_start();
    line.starts_with("//") || line.starts_with("#[")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn allows(text: &str) -> Allows {
        Allows::read(&TextFile::new("crates/a/src/b.rs", text))
    }

    #[test]
    fn covers_its_line_and_the_item_below_it() {
        let file = allows(
            "// tidy: allow(float) because of Cody and Waite\n// (1980), p. 60\nlet x = 1e-8;\n\
             let y = 1e-8;\nlet z = 1e-8; // tidy: allow(float) because it is z\n",
        );
        assert!(file.permits(Rule::Float, 3));
        assert!(!file.permits(Rule::Panic, 3));
        assert!(!file.permits(Rule::Float, 4));
        assert!(file.permits(Rule::Float, 5));
        assert_eq!(file.violations(), []);
    }

    #[test]
    fn reaches_through_docs_and_attributes() {
        let file = allows(
            "// tidy: allow(panic) because the table is full\n/// Doc.\n#[inline]\npub fn f() {}\n",
        );
        assert!(file.permits(Rule::Panic, 4));
    }

    #[test]
    fn bad_and_idle_ones_are_reported() {
        let file = allows(
            "// tidy: allow(sloth) because why not\nf();\n// tidy: allow(panic)\ng();\n\
             // tidy: allow(float) because there was a float once\nh();\n",
        );
        assert!(file.permits(Rule::Panic, 4));
        let faults: Vec<_> = file.violations().into_iter().map(|v| (v.line, v.message)).collect();
        assert_eq!(faults.len(), 3);
        assert!(faults[0].1.contains("unknown rule") && faults[0].0 == 1);
        assert!(faults[1].1.contains("without a reason") && faults[1].0 == 3);
        assert!(faults[2].1.contains("nothing needs") && faults[2].0 == 5);
    }
}
