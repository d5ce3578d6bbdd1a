//! A case: its description, and what was found.

use std::fmt;

/// Something that should not be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// The check that failed.
    pub kind: String,
    /// The place: of a panic the line of the source, else the learner and the number in question. Findings of a kind and
    /// a place are one in a report.
    pub place: String,
    /// The rest, in words.
    pub detail: String,
}

/// A case that was run.
#[derive(Clone, Debug, Default)]
pub struct Case {
    steps: Vec<String>,
    findings: Vec<Finding>,
    answered: bool,
    told: bool,
}

impl Case {
    /// A case whose description is told as it comes, on standard error: it may not end.
    #[must_use]
    pub fn told() -> Self {
        Self { told: true, ..Self::default() }
    }

    /// Adds a line to the description.
    pub(crate) fn note(&mut self, step: impl Into<String>) {
        let step = step.into();
        if self.told {
            eprintln!("{step}");
        }
        self.steps.push(step);
    }

    /// Adds a finding.
    pub(crate) fn find(
        &mut self,
        kind: impl Into<String>,
        place: impl Into<String>,
        detail: impl Into<String>,
    ) {
        let found = Finding { kind: kind.into(), place: place.into(), detail: detail.into() };
        self.findings.push(found);
    }

    /// Says that the library answered, and did not only refuse.
    pub(crate) fn answer(&mut self) {
        self.answered = true;
    }

    /// The findings.
    #[must_use]
    pub fn findings(&self) -> &[Finding] {
        &self.findings
    }

    /// True if the library answered; false if it refused what was given.
    #[must_use]
    pub fn is_answered(&self) -> bool {
        self.answered
    }
}

impl fmt::Display for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for step in self.steps.iter().filter(|_| !self.told) {
            writeln!(f, "{step}")?;
        }
        writeln!(f, "{}", if self.answered { "answered" } else { "refused" })?;
        for Finding { kind, place, detail } in &self.findings {
            writeln!(f, "FOUND {kind}: {place}: {detail}")?;
        }
        Ok(())
    }
}
