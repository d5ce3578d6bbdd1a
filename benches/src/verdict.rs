//! The verdict on every case: whether the library meets its bar against the best of its peers.

use crate::compare::Comparison;
use crate::found::Report;
use crate::kind::Kind;
use crate::peers;
use crate::target::target;
use crate::tasks;

/// A verdict, in the order in which cases are listed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Verdict {
    /// The library takes more than its target.
    Missed,
    /// The library meets its target with an answer that is worse than a peer's.
    Worse,
    /// No peer was measured whose answer is good enough, though the task has peers.
    NoPeer,
    /// The library was not measured.
    Unmeasured,
    /// The library takes at most its target, and no peer's answer is better.
    Met,
}

/// A case with its verdict. The bar is that of now, whatever was wanted when the report was made.
#[derive(Clone, Debug, PartialEq)]
pub struct Judged<'a> {
    /// The name of the task.
    pub task: &'a str,
    /// The variant.
    pub variant: &'a str,
    /// The number type.
    pub dtype: &'a str,
    /// The number of threads.
    pub threads: usize,
    /// The comparison, if the library was measured beside peers.
    pub comparison: Option<&'a Comparison>,
    /// The greatest ratio that is wanted.
    pub target: f64,
    /// The verdict.
    pub verdict: Verdict,
}

impl Judged<'_> {
    /// The library's time as a share of the best peer's.
    #[must_use]
    pub fn ratio(&self) -> Option<f64> {
        self.comparison.and_then(|comparison| comparison.ratio)
    }

    /// Tells whether the library was compared, and lost.
    #[must_use]
    pub fn is_lost(&self) -> bool {
        matches!(self.verdict, Verdict::Missed | Verdict::Worse)
    }

    /// The ratio as a multiple of the target; 0 if there is none.
    fn excess(&self) -> f64 {
        self.ratio().map_or(0.0, |ratio| ratio / self.target)
    }
}

/// Verdicts on all cases of tasks that have peers, with the greatest number of threads: what is missed
/// comes first, the worst at the very first; what is met stays in the order of the run. None if no peers
/// were measured.
#[must_use]
pub fn judge(report: &Report) -> Vec<Judged<'_>> {
    let kind = Kind::of(&report.machine);
    let mut all: Vec<Judged<'_>> =
        keys(report).into_iter().map(|key| one(report, key, &kind)).collect();
    all.sort_by(|a, b| {
        let order = a.verdict.cmp(&b.verdict);
        let is_met = a.verdict == Verdict::Met;
        order.then(if is_met { order } else { b.excess().total_cmp(&a.excess()) })
    });
    all
}

/// Task, variant, number type and threads.
type Key<'a> = (&'a str, &'a str, &'a str, usize);

fn keys(report: &Report) -> Vec<Key<'_>> {
    let compared = report.comparisons.iter().map(key_of_comparison);
    let rows = report.rows.iter().map(|r| (&*r.task, &*r.variant, &*r.dtype, r.threads));
    let missing = report.missing.iter().map(|m| (&*m.task, &*m.variant, &*m.dtype, m.threads));
    let threads = report.comparisons.iter().map(|comparison| comparison.threads).max();
    let has_peers = |task: &str| {
        peers::ALL.iter().any(|peer| peer.task == task)
            || report.comparisons.iter().any(|comparison| comparison.task == task)
    };
    let mut keys: Vec<Key<'_>> = Vec::new();
    for key in compared.chain(rows).chain(missing) {
        if Some(key.3) == threads && has_peers(key.0) && !keys.contains(&key) {
            keys.push(key);
        }
    }
    keys
}

fn key_of_comparison(c: &Comparison) -> Key<'_> {
    (&c.task, &c.variant, &c.dtype, c.threads)
}

fn one<'a>(report: &'a Report, key: Key<'a>, kind: &Kind) -> Judged<'a> {
    let (task, variant, dtype, threads) = key;
    let comparison = report.comparisons.iter().find(|&c| key_of_comparison(c) == key);
    let is_ours = |row: &&crate::row::Row| {
        row.is_kern() && (&*row.task, &*row.variant, &*row.dtype, row.threads) == key
    };
    let is_measured = comparison.is_some() || report.rows.iter().any(|row| is_ours(&row));
    let target = target(tasks::find(task).ok(), variant, kind);
    let verdict = match comparison.and_then(|comparison| comparison.ratio) {
        Some(ratio) if ratio > target => Verdict::Missed,
        Some(_) if comparison.is_some_and(|comparison| comparison.better.is_some()) => {
            Verdict::Worse
        }
        Some(_) => Verdict::Met,
        None if is_measured => Verdict::NoPeer,
        None => Verdict::Unmeasured,
    };
    Judged { task, variant, dtype, threads, comparison, target, verdict }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bar::tests::row;
    use crate::found::Missing;
    use crate::kind::tests::machine;
    use crate::row::Row;
    use anyhow::Result;

    /// A report on `lazy_matvec` with one ratio for each variant.
    fn report(ratios: &[(&str, Option<f64>)], family: u32) -> Result<Report> {
        let mut report = Report::new(machine("AuthenticAMD", family, 17), None);
        let kind = Kind::of(&report.machine);
        for &(variant, ratio) in ratios {
            let kern = Row { variant: variant.into(), ..row("kern", 1.0, ("rel_err", 0.0)) };
            let peers = ratio.map(|ratio| row("a", 1.0 / ratio, ("rel_err", 0.0)));
            let mut peers: Vec<Row> = peers.into_iter().collect();
            let task = tasks::find("lazy_matvec")?;
            report.comparisons.push(Comparison::of(task, &kern, &mut peers, 0, &kind));
            report.rows.push(kern);
        }
        Ok(report)
    }

    fn verdicts(report: &Report) -> Vec<(&str, Verdict)> {
        judge(report).iter().map(|judged| (judged.variant, judged.verdict)).collect()
    }

    #[test]
    fn what_is_missed_comes_first_and_the_worst_at_the_very_first() -> Result<()> {
        let ratios =
            [("a", Some(0.1)), ("b", Some(0.6)), ("c", None), ("d", Some(2.0)), ("e", Some(0.05))];
        let mut report = report(&ratios, 25)?;
        // One that was measured without peers, and one that was not measured.
        let alone = Row { variant: "f".into(), ..row("kern", 1.0, ("rel_err", 0.0)) };
        report.rows.push(alone);
        report.missing.push(Missing {
            task: "lazy_matvec".into(),
            implementation: "kern".into(),
            variant: "g".into(),
            dtype: "f64".into(),
            threads: 2,
            reason: "no data".into(),
        });
        let expected = [
            ("d", Verdict::Missed),
            ("b", Verdict::Missed),
            ("c", Verdict::NoPeer),
            ("f", Verdict::NoPeer),
            ("g", Verdict::Unmeasured),
            ("a", Verdict::Met),
            ("e", Verdict::Met),
        ];
        assert_eq!(verdicts(&report), expected);
        Ok(())
    }

    #[test]
    fn a_worse_answer_is_not_met_however_fast() -> Result<()> {
        let mut report = report(&[("a", Some(0.1)), ("b", Some(0.1)), ("c", Some(2.0))], 25)?;
        report.comparisons[1].better = Some("somebody".into());
        report.comparisons[2].better = Some("somebody".into());
        let expected = [("c", Verdict::Missed), ("b", Verdict::Worse), ("a", Verdict::Met)];
        assert_eq!(verdicts(&report), expected);
        Ok(())
    }

    #[test]
    fn lower_targets_hold_on_zen_5_only() -> Result<()> {
        let ratios = [("rhs1", Some(0.3)), ("unlisted", Some(0.4))];
        let met = [("rhs1", Verdict::Met), ("unlisted", Verdict::Met)];
        assert_eq!(verdicts(&report(&ratios, 25)?), met);
        let one = [("rhs1", Verdict::Missed), ("unlisted", Verdict::Met)];
        assert_eq!(verdicts(&report(&ratios, 26)?), one);
        Ok(())
    }

    #[test]
    fn without_peers_nothing_is_judged() {
        let mut report = Report::new(machine("AuthenticAMD", 26, 2), None);
        report.rows.push(row("kern", 1.0, ("rel_err", 0.0)));
        assert!(judge(&report).is_empty());
    }
}
