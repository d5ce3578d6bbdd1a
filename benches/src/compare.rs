//! Whose time counts, and how ours compares: a faster answer of worse quality is not faster.

use crate::kind::Kind;
use crate::row::Row;
use crate::target::target;
use crate::tasks::Task;
use serde::{Deserialize, Serialize};
use std::fmt;

/// The note of a row that is not good enough to be compared with.
pub const WORSE: &str = "worse";

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
    /// The number of peers that should have been measured too, and could not be.
    pub missing: usize,
    /// The fastest peer whose answer is good enough, if there is one.
    pub best_peer: Option<String>,
    /// The library's median time as a share of that peer's.
    pub ratio: Option<f64>,
    /// The greatest ratio that was wanted; older versions have cases without.
    pub target: Option<f64>,
    /// The fastest peer whose answer is better than ours by more than the bar allows: then no ratio is a win.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub better: Option<String>,
    /// True if the target was reached, and no answer is better.
    pub met: Option<bool>,
}

impl Comparison {
    /// Compares with those peers that were measured on this kind of machine, and marks the ones whose
    /// answers are worse in their notes.
    #[must_use]
    pub fn of(task: &Task, kern: &Row, peers: &mut [Row], missing: usize, kind: &Kind) -> Self {
        for peer in peers.iter_mut() {
            if !task.bars.iter().all(|bar| bar.is_reached(kern, peer)) {
                let note = std::mem::take(&mut peer.note);
                let parts = [WORSE, &note].into_iter().filter(|part| !part.is_empty());
                peer.note = parts.collect::<Vec<_>>().join("; ");
            }
        }
        let good = || peers.iter().filter(|peer| !peer.note.starts_with(WORSE));
        let fastest = |a: &&Row, b: &&Row| a.seconds.median.total_cmp(&b.seconds.median);
        let best = good().min_by(fastest);
        // A bar has two sides: what is asked of a peer beside the library is asked of the library beside it.
        let is_better = |peer: &&Row| !task.bars.iter().all(|bar| bar.is_reached(peer, kern));
        let better = good().filter(is_better).min_by(fastest);
        let ratio = best.map(|best| kern.seconds.median / best.seconds.median);
        let target = Some(target(Some(task), &kern.variant, kind));
        Self {
            task: kern.task.clone(),
            variant: kern.variant.clone(),
            dtype: kern.dtype.clone(),
            threads: kern.threads,
            missing,
            best_peer: best.map(|best| best.implementation.clone()),
            ratio,
            target,
            better: better.map(|better| better.implementation.clone()),
            met: ratio.zip(target).map(|(ratio, target)| ratio <= target && better.is_none()),
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
        if let Some(better) = &self.better {
            write!(f, "; a better answer: {better}")?;
        }
        if self.missing > 0 { write!(f, "; peers missing: {}", self.missing) } else { Ok(()) }
    }
}

#[cfg(test)]
#[allow(clippy::float_cmp, reason = "these results are exact")]
mod tests {
    use super::*;
    use crate::bar::tests::row;
    use crate::kind::tests::machine;
    use crate::tasks;
    use anyhow::Result;

    #[test]
    fn a_faster_answer_of_worse_quality_does_not_count() -> Result<()> {
        let kind = Kind::of(&machine("AuthenticAMD", 26, 2));
        let kern = row("kern", 1.0, ("rel_err", 0.0));
        let mut peers = [
            row("good", 8.0, ("rel_err", 0.0)),
            row("fast", 0.5, ("rel_err", 1.0)),
            row("better", 5.0, ("rel_err", 0.0)),
        ];
        let comparison = Comparison::of(tasks::find("lazy_matvec")?, &kern, &mut peers, 0, &kind);
        assert_eq!(comparison.best_peer.as_deref(), Some("better"));
        assert_eq!((comparison.ratio, comparison.target), (Some(0.2), Some(0.2)));
        assert_eq!(comparison.met, Some(true));
        assert_eq!(comparison.to_string(), "0.200 of better; target 0.2: met");
        assert_eq!(peers.map(|peer| peer.note), ["", WORSE, ""]);
        Ok(())
    }

    #[test]
    fn a_faster_answer_that_is_worse_than_a_peer_s_is_no_win() -> Result<()> {
        let kind = Kind::of(&machine("AuthenticAMD", 26, 2));
        let kern = row("kern", 1.0, ("rel_err", 1e-3));
        let mut peers = [
            row("equal", 10.0, ("rel_err", 1e-3)),
            row("slow", 50.0, ("rel_err", 1e-9)),
            row("better", 20.0, ("rel_err", 1e-5)),
        ];
        let comparison = Comparison::of(tasks::find("lazy_matvec")?, &kern, &mut peers, 0, &kind);
        assert_eq!((comparison.ratio, comparison.met), (Some(0.1), Some(false)));
        assert_eq!(comparison.better.as_deref(), Some("better"));
        assert!(comparison.to_string().ends_with("MISSED; a better answer: better"));
        Ok(())
    }

    #[test]
    fn without_good_peers_nothing_is_met() -> Result<()> {
        let kind = Kind::of(&machine("AuthenticAMD", 26, 2));
        let kern = row("kern", 1.0, ("rel_err", 0.0));
        let comparison = Comparison::of(tasks::find("lazy_matvec")?, &kern, &mut [], 2, &kind);
        assert_eq!((comparison.ratio, comparison.met), (None, None));
        let expected = "no peer to compare with; target 0.2: unknown; peers missing: 2";
        assert_eq!(comparison.to_string(), expected);
        Ok(())
    }
}
