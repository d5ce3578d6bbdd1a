//! The report: cases, and findings by kind and place.

use kern_campaign::{Body, Finding};
use std::collections::BTreeMap;
use std::fmt;
use std::time::Duration;

/// The cases of a body.
#[derive(Clone, Debug, Default)]
struct Count {
    cases: u64,
    answered: u64,
    found: u64,
    last: u64,
    seconds: f64,
}

/// Findings of one kind and place.
#[derive(Clone, Debug)]
struct Group {
    cases: u64,
    body: &'static str,
    case: u64,
    detail: String,
}

/// The report of a campaign.
#[derive(Clone, Debug)]
pub(crate) struct Report {
    seed: u64,
    counts: BTreeMap<&'static str, Count>,
    groups: BTreeMap<(String, String), Group>,
}

impl Report {
    pub(crate) fn new(seed: u64) -> Self {
        Self { seed, counts: BTreeMap::new(), groups: BTreeMap::new() }
    }

    pub(crate) fn begin(&mut self, body: &'static Body, index: u64) {
        let count = self.counts.entry(body.name).or_default();
        count.cases += 1;
        count.last = index;
    }

    pub(crate) fn end(&mut self, body: &'static Body, answered: bool) {
        self.counts.entry(body.name).or_default().answered += u64::from(answered);
    }

    /// Adds a finding of the last case.
    pub(crate) fn find(&mut self, body: &'static Body, finding: Finding) {
        let count = self.counts.entry(body.name).or_default();
        count.found += 1;
        let Finding { kind, place, detail } = finding;
        let group = self.groups.entry((kind, place)).or_insert(Group {
            cases: 0,
            body: body.name,
            case: count.last,
            detail: detail.clone(),
        });
        group.cases += 1;
        // The least case repeats with the shortest command.
        if body.name == group.body && count.last < group.case {
            (group.case, group.detail) = (count.last, detail);
        }
    }

    pub(crate) fn time(&mut self, body: &'static Body, time: Duration) {
        self.counts.entry(body.name).or_default().seconds += time.as_secs_f64();
    }

    /// The last case of a body.
    pub(crate) fn last(&self, body: &'static Body) -> Option<u64> {
        self.counts.get(body.name).map(|count| count.last)
    }

    pub(crate) fn is_clean(&self) -> bool {
        self.groups.is_empty()
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (body, count) in &self.counts {
            let Count { cases, answered, found, seconds, .. } = count;
            let refused = cases - answered;
            write!(f, "{body}: {cases} cases in {seconds:.0} s, {answered} answered, ")?;
            writeln!(f, "{refused} refused, {found} findings")?;
        }
        for ((kind, place), group) in &self.groups {
            let Group { cases, body, case, detail } = group;
            writeln!(f, "\n{kind}: {place}\n  {cases} times, such as {detail}")?;
            let seed =
                if self.seed == 0 { String::new() } else { format!(" --seed {}", self.seed) };
            writeln!(f, "  campaign{seed} --body {body} --case {case}")?;
        }
        Ok(())
    }
}
