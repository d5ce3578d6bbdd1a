//! Bars of our own: values that figures of the library need to have, without a peer.

use crate::found::Report;
use crate::row::Row;

/// A bar for one figure of a task.
#[derive(Clone, Copy, Debug)]
pub struct OwnBar {
    /// The name of the task.
    pub task: &'static str,
    /// The name of the figure.
    pub figure: &'static str,
    /// The values that are wanted.
    pub wanted: Wanted,
    /// The number of threads that the bar is for; none stands for all.
    pub threads: Option<usize>,
}

/// The values of a figure that are wanted.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Wanted {
    /// So much or less.
    AtMost(f64),
    /// Less.
    Below(f64),
    /// So much or more.
    AtLeast(f64),
}

impl Wanted {
    fn is_met(self, value: f64) -> bool {
        match self {
            Self::AtMost(bar) => value <= bar,
            Self::Below(bar) => value < bar,
            Self::AtLeast(bar) => value >= bar,
        }
    }
}

impl std::fmt::Display for Wanted {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::AtMost(bar) => write!(f, "≤ {bar}"),
            Self::Below(bar) => write!(f, "< {bar}"),
            Self::AtLeast(bar) => write!(f, "≥ {bar}"),
        }
    }
}

/// All of them.
pub const ALL: [OwnBar; 4] = [
    OwnBar {
        task: "dear_kernel",
        figure: "evaluations",
        wanted: Wanted::AtMost(1.01),
        threads: None,
    },
    OwnBar {
        task: "dear_kernel",
        figure: "speed_up",
        wanted: Wanted::AtLeast(1.8),
        threads: Some(2),
    },
    OwnBar { task: "first_contact", figure: "by_warm", wanted: Wanted::AtMost(2.0), threads: None },
    OwnBar { task: "vector_state", figure: "slowdown", wanted: Wanted::Below(2.0), threads: None },
];

/// A figure beside its bar.
#[derive(Clone, Copy, Debug)]
pub struct Checked<'a> {
    /// The row that has the figure.
    pub row: &'a Row,
    /// The bar.
    pub bar: OwnBar,
    /// The figure.
    pub value: f64,
    /// True if it is as wanted.
    pub met: bool,
}

/// All figures of the library that have a bar: what is missed comes first, else in the order of the run.
#[must_use]
pub fn check(report: &Report) -> Vec<Checked<'_>> {
    let ours = report.rows.iter().filter(|row| row.is_kern());
    let mut all: Vec<Checked<'_>> = ours.flat_map(of_row).collect();
    all.sort_by_key(|checked| checked.met);
    all
}

fn of_row(row: &Row) -> impl Iterator<Item = Checked<'_>> {
    let bars = ALL.into_iter().filter(|bar| bar.task == row.task);
    let bars = bars.filter(|bar| bar.threads.is_none_or(|threads| threads == row.threads));
    bars.filter_map(|bar| {
        let value = *row.quality.get(bar.figure)?;
        Some(Checked { row, bar, value, met: bar.wanted.is_met(value) })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bar::tests::row;
    use crate::machine::Machine;
    use crate::tasks;

    #[test]
    fn what_is_missed_comes_first() {
        let mut report = Report::new(Machine::this(), None);
        let ours =
            |figure, value| Row { task: "dear_kernel".into(), ..row("kern", 1.0, (figure, value)) };
        report.rows = vec![ours("evaluations", 1.0), ours("speed_up", 1.7), ours("other", 9.0)];
        // The speed-up is that of two threads.
        report.rows.push(Row { threads: 4, ..ours("speed_up", 1.0) });
        let found: Vec<_> = check(&report).iter().map(|c| (c.bar.figure, c.met)).collect();
        assert_eq!(found, [("speed_up", false), ("evaluations", true)]);
    }

    #[test]
    fn bars_are_of_tasks_that_there_are_and_nan_meets_none() {
        for bar in ALL {
            assert!(tasks::find(bar.task).is_ok(), "{}", bar.task);
            assert!(!bar.wanted.is_met(f64::NAN));
        }
        assert!(Wanted::AtMost(1.0).is_met(1.0) && !Wanted::Below(1.0).is_met(1.0));
        assert!(Wanted::AtLeast(1.0).is_met(1.0) && Wanted::Below(1.0).is_met(0.5));
    }
}
