//! Whose time counts, and how ours compares: a faster answer of worse quality is not faster.

use crate::row::Row;
use crate::tasks::Task;
use serde::{Deserialize, Serialize};
use std::fmt;

/// What is kept in the note of a row that is not good enough to be compared with.
pub const WORSE: &str = "worse";

/// How good a peer's answer has to be in one figure.
#[derive(Clone, Copy, Debug)]
pub struct Bar {
    /// The name of the figure.
    pub figure: &'static str,
    /// How the figure is read.
    pub reading: Reading,
    /// The error may be so many times that of the library, …
    pub factor: f64,
    /// … or so much in single precision, …
    pub enough_f32: f64,
    /// … or so much in double precision, whichever is more.
    pub enough_f64: f64,
}

/// What is an error in a figure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reading {
    /// The figure is one.
    Error,
    /// The figure is a share of what is right; what is missing to 1 is the error.
    Share,
    /// The figure is an objective that is maximised; `factor`, below 1, times that of the library
    /// has to be reached.
    Gain,
}

/// The library against the best of its peers, in one case.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Comparison {
    /// The name of the task.
    pub task: String,
    /// The variant.
    pub variant: String,
    /// The number type.
    pub dtype: String,
    /// The number of threads.
    pub threads: usize,
    /// How many peers should have been measured too, and could not be.
    pub missing: usize,
    /// The fastest peer whose answer is good enough, if there is one.
    pub best_peer: Option<String>,
    /// The library's median time as a share of that peer's.
    pub ratio: Option<f64>,
    /// The greatest ratio that is wanted.
    pub target: Option<f64>,
    /// Whether it was reached.
    pub met: Option<bool>,
}

impl Bar {
    /// Whether the answer of `peer` is good enough beside that of `kern`. A figure that is missing
    /// or NaN is not.
    #[must_use]
    pub fn is_reached(&self, kern: &Row, peer: &Row) -> bool {
        if self.reading == Reading::Gain {
            let figure = |row: &Row| row.quality.get(self.figure).copied();
            let pair = figure(kern).zip(figure(peer));
            return pair.is_some_and(|(ours, theirs)| theirs >= self.factor * ours);
        }
        let enough = if peer.dtype == "f32" { self.enough_f32 } else { self.enough_f64 };
        let allowed = self.error(kern).map_or(enough, |error| enough.max(self.factor * error));
        self.error(peer).is_some_and(|error| error <= allowed)
    }

    fn error(&self, row: &Row) -> Option<f64> {
        let value = *row.quality.get(self.figure)?;
        Some(match self.reading {
            Reading::Error | Reading::Gain => value,
            Reading::Share => 1.0 - value,
        })
    }
}

impl Comparison {
    /// Compares with those peers that were measured, and marks the ones whose answers are worse in
    /// their notes.
    #[must_use]
    pub fn of(task: &Task, kern: &Row, peers: &mut [Row], missing: usize) -> Self {
        for peer in peers.iter_mut() {
            if !task.bars.iter().all(|bar| bar.is_reached(kern, peer)) {
                let note = std::mem::take(&mut peer.note);
                let parts = [WORSE, &note].into_iter().filter(|part| !part.is_empty());
                peer.note = parts.collect::<Vec<_>>().join("; ");
            }
        }
        let good = peers.iter().filter(|peer| !peer.note.starts_with(WORSE));
        let best = good.min_by(|a, b| a.seconds.median.total_cmp(&b.seconds.median));
        let ratio = best.map(|best| kern.seconds.median / best.seconds.median);
        let target = task.targets.iter().find(|(variant, _)| *variant == kern.variant);
        let target = target.map(|&(_, target)| target);
        Self {
            task: kern.task.clone(),
            variant: kern.variant.clone(),
            dtype: kern.dtype.clone(),
            threads: kern.threads,
            missing,
            best_peer: best.map(|best| best.implementation.clone()),
            ratio,
            target,
            met: ratio.zip(target).map(|(ratio, target)| ratio <= target),
        }
    }
}

impl fmt::Display for Comparison {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (&self.best_peer, self.ratio) {
            (Some(peer), Some(ratio)) => write!(f, "{ratio:.3} of {peer}")?,
            _ => write!(f, "no peer to compare with")?,
        }
        match (self.target, self.met) {
            (Some(target), Some(true)) => write!(f, "; target {target}: met"),
            (Some(target), Some(false)) => write!(f, "; target {target}: MISSED"),
            (Some(target), None) => write!(f, "; target {target}: unknown"),
            (None, _) => Ok(()),
        }?;
        if self.missing > 0 { write!(f, "; peers missing: {}", self.missing) } else { Ok(()) }
    }
}

#[cfg(test)]
#[allow(clippy::float_cmp, reason = "these results are exact")]
mod tests {
    use super::*;
    use crate::row::{Figures, Params, Seconds};
    use crate::tasks;
    use anyhow::Result;

    const ERROR: Bar = Bar {
        figure: "error",
        reading: Reading::Error,
        factor: 10.0,
        enough_f32: 1e-5,
        enough_f64: 1e-12,
    };

    fn row(implementation: &str, median: f64, figure: (&str, f64)) -> Row {
        Row {
            task: "lazy_matvec".into(),
            implementation: implementation.into(),
            variant: "rhs1".into(),
            dtype: "f64".into(),
            n: 1,
            d: 1,
            threads: 2,
            params: Params::new(),
            seconds: Seconds { median, min: median, max: median, repeats: 5, times: vec![] },
            quality: Figures::from([(figure.0.to_owned(), figure.1)]),
            peak_rss_mib: None,
            limit: None,
            work: None,
            note: String::new(),
        }
    }

    #[test]
    fn an_error_may_be_ten_times_ours_or_small() {
        let reached = |ours, theirs| {
            ERROR.is_reached(&row("kern", 1.0, ("error", ours)), &row("a", 1.0, ("error", theirs)))
        };
        assert!(reached(1e-3, 9e-3) && !reached(1e-3, 11e-3));
        assert!(reached(0.0, 1e-12) && !reached(0.0, 1e-11));
        assert!(!reached(1.0, f64::NAN));
        let single = |row: Row| Row { dtype: "f32".into(), ..row };
        let (ours, theirs) = (row("kern", 1.0, ("error", 0.0)), row("a", 1.0, ("error", 1e-6)));
        assert!(ERROR.is_reached(&single(ours), &single(theirs)));
        assert!(!ERROR.is_reached(&row("kern", 1.0, ("error", 1.0)), &row("a", 1.0, ("b", 0.0))));
    }

    #[test]
    fn a_share_falls_short_of_one() {
        let bar = Bar { figure: "recall", reading: Reading::Share, enough_f64: 0.001, ..ERROR };
        let reached = |theirs| {
            bar.is_reached(&row("kern", 1.0, ("recall", 1.0)), &row("a", 1.0, ("recall", theirs)))
        };
        assert!(reached(1.0) && reached(0.9995) && !reached(0.99));
    }

    #[test]
    fn an_objective_has_to_be_reached_but_for_a_share() {
        let bar = Bar { reading: Reading::Gain, factor: 0.999, figure: "dual", ..ERROR };
        let reached = |theirs| {
            bar.is_reached(&row("kern", 1.0, ("dual", 100.0)), &row("a", 1.0, ("dual", theirs)))
        };
        assert!(reached(99.95) && reached(101.0) && !reached(99.8) && !reached(f64::NAN));
        assert!(!bar.is_reached(&row("kern", 1.0, ("dual", 1.0)), &row("a", 1.0, ("b", 1.0))));
    }

    #[test]
    fn a_faster_answer_of_worse_quality_does_not_count() -> Result<()> {
        let kern = row("kern", 1.0, ("rel_err", 0.0));
        let mut peers = [
            row("good", 8.0, ("rel_err", 0.0)),
            row("fast", 0.5, ("rel_err", 1.0)),
            row("better", 5.0, ("rel_err", 0.0)),
        ];
        let comparison = Comparison::of(tasks::find("lazy_matvec")?, &kern, &mut peers, 0);
        assert_eq!(comparison.best_peer.as_deref(), Some("better"));
        assert_eq!((comparison.ratio, comparison.target), (Some(0.2), Some(0.2)));
        assert_eq!(comparison.met, Some(true));
        assert_eq!(comparison.to_string(), "0.200 of better; target 0.2: met");
        assert_eq!(peers.map(|peer| peer.note), ["", WORSE, ""]);
        Ok(())
    }

    #[test]
    fn without_good_peers_nothing_is_met() -> Result<()> {
        let kern = row("kern", 1.0, ("rel_err", 0.0));
        let comparison = Comparison::of(tasks::find("lazy_matvec")?, &kern, &mut [], 2);
        assert_eq!((comparison.ratio, comparison.met), (None, None));
        let expected = "no peer to compare with; target 0.2: unknown; peers missing: 2";
        assert_eq!(comparison.to_string(), expected);
        Ok(())
    }
}
