//! A run against a recorded one: what has become slower, beyond noise.
//!
//! On one machine, the logarithms of the single times of a case in both runs are two samples. The
//! interval of the difference of their means is Welch's (Welch, 1947, *Biometrika* 34, with the degrees
//! of freedom of Satterthwaite, 1946, *Biometrics Bulletin* 2). Where logarithms of times are symmetric
//! about their median, it is that of the logarithm of the ratio of medians. All intervals of a comparison
//! hold together with a probability of at least 95 per cent (Bonferroni). Runs differ by more than their repeats
//! show: what memory a process is given, and who else is on the machine. So a case is slower only if
//! the whole interval is above 1 by the drift between the runs: [`DRIFT`], or what all rows of both runs, those of peers
//! too, tell of it, whichever is more: three deviations of the logarithms of their ratios, of which a robust
//! estimate is the median distance from the median (Hampel, 1974, *J. Amer. Statist. Assoc.* 69). A few slow cases
//! do not move it, and a slowdown of all does not, either.
//!
//! Times of different machines are not compared. There, a case is shown as a multiple of the time of the
//! fastest peer that both runs have, or else of the limit of the machine; that is for information, and never a failure.

use crate::found::Report;
use crate::growth::VARIANT;
use crate::job::Job;
use crate::report::document::{Cell, Table, Tone};
use crate::report::number::{digits, seconds};
use crate::row::{Row, median};
use anyhow::{Result, ensure};
use statrs::distribution::{ContinuousCDF, StudentsT};

/// The least drift: two runs of the same program may differ by so much without being slower.
pub const DRIFT: f64 = 0.05;

/// The number of deviations of the ratios of all rows that are no news.
const SPREAD: f64 = 3.0;

/// So many rows are needed to tell how much runs differ.
const TELLING: usize = 5;

/// The probability that any interval of a comparison misses its value.
const ERROR: f64 = 0.05;

/// A quantity that is compared.
#[derive(Clone, Debug, PartialEq)]
pub enum Measure {
    /// Times on one machine.
    Seconds,
    /// Multiples of the time of this peer, on different machines.
    Peer(String),
    /// Multiples of this limit, on different machines.
    Limit(String),
    /// Nothing that both runs have.
    Nothing,
}

/// One case in both runs.
#[derive(Clone, Debug)]
pub struct Change {
    /// The case.
    pub case: Case,
    /// Then, and now, in seconds.
    pub medians: (f64, f64),
    /// The compared quantity.
    pub measure: Measure,
    /// Now by then, in that measure: above 1 is slower.
    pub ratio: f64,
    /// The interval of the ratio; none without single times.
    pub interval: Option<(f64, f64)>,
}

/// The key by which two rows are of one case.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Case {
    task: String,
    variant: String,
    dtype: String,
    threads: usize,
    shape: (usize, usize),
}

/// All cases of the library in both runs.
#[derive(Clone, Debug)]
pub struct Changes {
    /// True if both runs are of one machine.
    pub same_machine: bool,
    /// The drift, by which the runs differ for no reason: a ratio of 1 plus that is no news.
    pub drift: f64,
    /// The cases that both have.
    pub changes: Vec<Change>,
    /// Cases that were recorded, of tasks that were run, and were not found now.
    pub lost: Vec<Case>,
    /// Cases that were found now, and were not recorded.
    pub new: Vec<Case>,
}

impl Case {
    /// The case that a row is of.
    #[must_use]
    pub fn of(row: &Row) -> Self {
        Self {
            task: row.task.clone(),
            variant: row.variant.clone(),
            dtype: row.dtype.clone(),
            threads: row.threads,
            shape: (row.n, row.d),
        }
    }

    /// Tells whether a job measures it, whatever the size.
    #[must_use]
    pub fn is_of(&self, job: &Job) -> bool {
        let Self { task, variant, dtype, threads, .. } = self;
        *task == job.task
            && *variant == job.variant
            && *dtype == job.dtype.to_string()
            && *threads == job.threads
    }
}

impl std::fmt::Display for Case {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { task, variant, dtype, threads, shape: (n, d) } = self;
        write!(f, "{task} {variant} {dtype}, {n} × {d}, threads: {threads}")
    }
}

impl Changes {
    /// From a recorded run to one of now.
    ///
    /// # Errors
    /// If they have no case in common.
    pub fn between(then: &Report, now: &Report) -> Result<Self> {
        let (old, current) = (kern(then), kern(now));
        let find = |rows: &[&Row], row: &Row| {
            rows.iter().find(|other| Case::of(other) == Case::of(row)).copied().cloned()
        };
        let pairs: Vec<(Row, &Row)> =
            current.iter().filter_map(|row| Some((find(&old, row)?, *row))).collect();
        ensure!(!pairs.is_empty(), "the runs have no case in common");
        let was_run = |row: &Row| current.iter().any(|other| other.task == row.task);
        let lost = old.iter().filter(|row| was_run(row) && find(&current, row).is_none());
        let new = current.iter().filter(|row| find(&old, row).is_none());
        let same_machine = then.machine.name() == now.machine.name();
        // Two sides of each interval.
        let tail = ERROR / (2.0 * pairs.len() as f64);
        let change = |(old, new): &(Row, &Row)| {
            let measure = if same_machine { Measure::Seconds } else { common(then, now, old, new) };
            Change::between((then, old), (now, new), measure, tail)
        };
        Ok(Self {
            same_machine,
            drift: drift(then, now),
            changes: pairs.iter().map(change).collect(),
            lost: lost.map(|row| Case::of(row)).collect(),
            new: new.map(|row| Case::of(row)).collect(),
        })
    }

    /// The number of cases that have become slower, beyond noise.
    #[must_use]
    pub fn slower(&self) -> usize {
        self.slower_cases().count()
    }

    /// The cases that have become slower, beyond noise. Of different machines that is not known.
    pub fn slower_cases(&self) -> impl Iterator<Item = &Case> {
        let is_slower = |change: &&Change| self.same_machine && change.is_slower(self.drift);
        self.changes.iter().filter(is_slower).map(|change| &change.case)
    }

    /// Line by line.
    #[must_use]
    pub fn table(&self) -> Table {
        let columns = ["case", "#then", "#now", "#ratio", "#interval", "of", "verdict"];
        let mut table = Table::new(&columns);
        for change in &self.changes {
            let (then, now) = change.medians;
            let interval =
                change.interval.map(|(a, b)| format!("{}–{}", digits(a, 3), digits(b, 3)));
            table.push([
                Cell::plain(change.case.to_string()),
                Cell::plain(seconds(then)),
                Cell::plain(seconds(now)),
                Cell::new(digits(change.ratio, 3), Tone::Strong),
                Cell::plain(interval.unwrap_or_else(|| "unknown".to_owned())),
                Cell::plain(change.measure.to_string()),
                self.verdict(change),
            ]);
        }
        table
    }

    fn verdict(&self, change: &Change) -> Cell {
        if !self.same_machine {
            return Cell::faint("another machine");
        }
        match change.interval {
            None => Cell::faint("no single times"),
            Some(_) if change.is_slower(self.drift) => Cell::new("SLOWER", Tone::Bad),
            Some((_, high)) if high < 1.0 / (1.0 + self.drift) => Cell::new("faster", Tone::Good),
            Some(_) => Cell::faint("within noise"),
        }
    }
}

impl std::fmt::Display for Measure {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Seconds => write!(f, "seconds"),
            Self::Peer(peer) => write!(f, "multiples of {peer}"),
            Self::Limit(limit) => write!(f, "multiples of the limit ({limit})"),
            Self::Nothing => write!(f, "seconds, of nothing that both have"),
        }
    }
}

/// The rows of the library that were measured.
fn kern(report: &Report) -> Vec<&Row> {
    let is_ours = |row: &&Row| row.is_kern() && row.variant != VARIANT;
    report.rows.iter().filter(is_ours).collect()
}

fn peers<'a>(report: &'a Report, case: &'a Case) -> impl Iterator<Item = &'a Row> {
    let is_peer = move |row: &&Row| !row.is_kern() && Case::of(row) == *case;
    report.rows.iter().filter(is_peer)
}

/// The drift between two runs of the same programs.
fn drift(then: &Report, now: &Report) -> f64 {
    /// The deviation of a normal distribution by the median distance from its median.
    const NORMAL: f64 = 1.4826;
    let same =
        |a: &Row, b: &Row| a.implementation == b.implementation && Case::of(a) == Case::of(b);
    let was = |row: &Row| then.rows.iter().find(|old| same(old, row));
    let rows = now.rows.iter().filter(|row| row.variant != VARIANT);
    let ratios: Vec<f64> =
        rows.filter_map(|row| Some((row.seconds.median / was(row)?.seconds.median).ln())).collect();
    if ratios.len() < TELLING {
        return DRIFT;
    }
    let sorted_median = |mut values: Vec<f64>| {
        values.sort_by(f64::total_cmp);
        median(&values)
    };
    let middle = sorted_median(ratios.clone());
    let spread = sorted_median(ratios.iter().map(|ratio| (ratio - middle).abs()).collect());
    (SPREAD * NORMAL * spread).exp_m1().max(DRIFT)
}

/// The measure for rows of different machines: the fastest peer then, of those that both runs have.
fn common(then: &Report, now: &Report, old: &Row, new: &Row) -> Measure {
    let case = Case::of(old);
    let has = |name: &str| peers(now, &case).any(|row| row.implementation == name);
    let shared = peers(then, &case).filter(|row| has(&row.implementation));
    let fastest = shared.min_by(|a, b| a.seconds.median.total_cmp(&b.seconds.median));
    match (fastest, &old.limit, &new.limit) {
        (Some(peer), ..) => Measure::Peer(peer.implementation.clone()),
        (None, Some(a), Some(b)) if a.name == b.name => Measure::Limit(a.name.clone()),
        _ => Measure::Nothing,
    }
}

/// A row with what it is measured by: samples of logarithms, whose means are added with these signs.
type Samples = Vec<(f64, Vec<f64>)>;

impl Change {
    fn between(
        (then, old): (&Report, &Row),
        (now, new): (&Report, &Row),
        measure: Measure,
        tail: f64,
    ) -> Self {
        let case = Case::of(old);
        let peer = |report: &Report, name: &str| {
            peers(report, &case).find(|row| row.implementation == name).cloned()
        };
        let mut ratio = new.seconds.median / old.seconds.median;
        let mut samples: Samples = vec![(1.0, logarithms(new)), (-1.0, logarithms(old))];
        let mut shift = 0.0;
        match &measure {
            Measure::Peer(name) => {
                if let Some((before, after)) = peer(then, name).zip(peer(now, name)) {
                    ratio *= before.seconds.median / after.seconds.median;
                    samples.push((-1.0, logarithms(&after)));
                    samples.push((1.0, logarithms(&before)));
                }
            }
            Measure::Limit(_) => {
                if let Some((before, after)) = old.limit.as_ref().zip(new.limit.as_ref()) {
                    ratio *= before.seconds / after.seconds;
                    shift = (before.seconds / after.seconds).ln();
                }
            }
            Measure::Seconds | Measure::Nothing => {}
        }
        let interval = interval(&samples, tail);
        let interval = interval.map(|(a, b)| ((a + shift).exp(), (b + shift).exp()));
        let medians = (old.seconds.median, new.seconds.median);
        Self { case, medians, measure, ratio, interval }
    }

    fn is_slower(&self, drift: f64) -> bool {
        self.interval.is_some_and(|(low, _)| low > 1.0 + drift)
    }
}

fn logarithms(row: &Row) -> Vec<f64> {
    row.seconds.times.iter().map(|time| time.ln()).collect()
}

/// The interval of a sum of means with signs, which misses its value on either side with probability
/// `tail`; none if a sample has fewer than two values.
fn interval(samples: &Samples, tail: f64) -> Option<(f64, f64)> {
    let (mut sum, mut variance, mut freedom) = (0.0, 0.0, 0.0);
    for (sign, values) in samples {
        let count = values.len() as f64;
        if values.len() < 2 {
            return None;
        }
        let mean = values.iter().sum::<f64>() / count;
        let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
        let of_mean = squares / (count - 1.0) / count;
        sum += sign * mean;
        variance += of_mean;
        freedom += of_mean.powi(2) / (count - 1.0);
    }
    if variance == 0.0 {
        return Some((sum, sum));
    }
    let student = StudentsT::new(0.0, 1.0, variance.powi(2) / freedom).ok()?;
    let half = student.inverse_cdf(1.0 - tail) * variance.sqrt();
    half.is_finite().then_some((sum - half, sum + half))
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::machine::Machine;
    use crate::row::{Figures, Params, Seconds};
    use crate::work::Limit;
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;
    use rand_distr::StandardNormal;

    /// Times about `median` that vary by 2 per cent.
    pub(crate) fn row(implementation: &str, variant: &str, median: f64, seed: u64) -> Result<Row> {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let times: Vec<f64> = (0..5)
            .map(|_| {
                let noise: f64 = rng.sample(StandardNormal);
                median * (0.02 * noise).exp()
            })
            .collect();
        Ok(Row {
            task: "task".into(),
            implementation: implementation.into(),
            variant: variant.into(),
            dtype: "f64".into(),
            n: 10,
            d: 2,
            threads: 2,
            params: Params::new(),
            seconds: Seconds::new(&times)?,
            quality: Figures::from([("error".to_owned(), 0.0)]),
            peak_rss_mib: None,
            limit: None,
            work: None,
            note: String::new(),
        })
    }

    /// Twenty cases of a second each, with this factor on the first one.
    fn report(factor: f64, seed: u64) -> Result<Report> {
        let mut report = Report::new(Machine::this(), None);
        for k in 0..20 {
            let median = if k == 0 { factor } else { 1.0 };
            report.rows.push(row("kern", &format!("v{k}"), median, 100 * seed + k)?);
        }
        Ok(report)
    }

    fn elsewhere(mut report: Report) -> Report {
        report.machine.cores += 1;
        report
    }

    /// By design, one comparison in forty of equal programs finds a slowdown if the interval alone is
    /// asked; it must be 5 per cent, too. The seeds are fixed: this is no random test.
    #[test]
    fn noise_passes() -> Result<()> {
        for seed in 1..50 {
            let changes = Changes::between(&report(1.0, 0)?, &report(1.0, seed)?)?;
            assert_eq!((changes.slower(), changes.changes.len()), (0, 20), "{seed}");
            assert!(changes.lost.is_empty() && changes.new.is_empty());
        }
        Ok(())
    }

    #[test]
    fn a_slowdown_fails_and_is_named() -> Result<()> {
        for seed in 1..50 {
            let changes = Changes::between(&report(1.0, 0)?, &report(1.3, seed)?)?;
            assert_eq!(changes.slower(), 1, "{seed}");
            let table = changes.table();
            assert_eq!(table.rows[0].last().map(|cell| cell.text.as_str()), Some("SLOWER"));
            // The other way round it is faster.
            let changes = Changes::between(&report(1.3, seed)?, &report(1.0, 0)?)?;
            assert_eq!(changes.slower(), 0);
        }
        Ok(())
    }

    /// Of 2000 intervals of equal programs with error 0.05, the number that miss 1 has mean 100 and
    /// deviation 9.7; more than 150 has probability below 1e-6.
    #[test]
    fn intervals_hold_as_often_as_they_say() -> Result<()> {
        let mut missed = 0;
        for k in 0..2000 {
            let (a, b) = (row("kern", "v", 1.0, 2 * k)?, row("kern", "v", 1.0, 2 * k + 1)?);
            let samples = vec![(1.0, logarithms(&a)), (-1.0, logarithms(&b))];
            let found = interval(&samples, 0.5 * ERROR);
            missed += usize::from(!found.is_some_and(|(low, high)| low <= 0.0 && 0.0 <= high));
        }
        assert!((50..150).contains(&missed), "{missed}");
        Ok(())
    }

    /// A busy machine: whole cases are faster or slower by up to a factor of two. Nothing of
    /// that is news; a factor of thirty is.
    #[test]
    fn runs_that_differ_everywhere_tell_little() -> Result<()> {
        let (then, mut now) = (report(1.0, 0)?, report(1.0, 1)?);
        let scale = |row: &mut Row, factor: f64| -> Result<()> {
            let times: Vec<f64> = row.seconds.times.iter().map(|time| time * factor).collect();
            row.seconds = Seconds::new(&times)?;
            Ok(())
        };
        for (k, row) in now.rows.iter_mut().enumerate() {
            scale(row, [0.5, 0.7, 1.0, 1.4, 2.0][k % 5])?;
        }
        let changes = Changes::between(&then, &now)?;
        assert_eq!(changes.slower(), 0);
        assert!((1.0..10.0).contains(&changes.drift), "{}", changes.drift);
        scale(&mut now.rows[2], 30.0)?;
        assert_eq!(Changes::between(&then, &now)?.slower(), 1);
        // Where all become slower alike, that is news.
        let mut all = report(1.0, 1)?;
        all.rows.iter_mut().try_for_each(|row| scale(row, 1.3))?;
        assert_eq!(Changes::between(&then, &all)?.slower(), 20);
        Ok(())
    }

    #[test]
    fn the_interval_is_that_of_a_table() {
        // Two samples of deviation 1: 8 degrees of freedom, t = 2.306, error √(2/5).
        let unit = |shift: f64| [-1.0, -1.0, 0.0, 1.0, 1.0].map(|v: f64| v + shift).to_vec();
        let found = interval(&vec![(1.0, unit(3.0)), (-1.0, unit(0.0))], 0.025);
        let half = 2.306 * 0.4_f64.sqrt();
        let good = |(low, high): (f64, f64)| {
            (low - (3.0 - half)).abs() < 1e-3 && (high - (3.0 + half)).abs() < 1e-3
        };
        assert!(found.is_some_and(good), "{found:?}");
    }

    #[test]
    fn cases_that_are_missing_are_named() -> Result<()> {
        let (then, mut now) = (report(1.0, 0)?, report(1.0, 1)?);
        now.rows.remove(3);
        now.rows[5].n = 11;
        let changes = Changes::between(&then, &now)?;
        let names = |cases: &[Case]| cases.iter().map(Case::to_string).collect::<Vec<_>>();
        assert_eq!(
            names(&changes.lost),
            ["task v3 f64, 10 × 2, threads: 2", "task v6 f64, 10 × 2, threads: 2"]
        );
        assert_eq!(names(&changes.new), ["task v6 f64, 11 × 2, threads: 2"]);
        now.rows.clear();
        assert!(Changes::between(&then, &now).is_err());
        Ok(())
    }

    #[test]
    fn another_machine_is_compared_by_a_peer_or_a_limit_and_never_fails() -> Result<()> {
        let (mut then, mut now) = (report(1.0, 0)?, elsewhere(report(4.0, 1)?));
        then.rows.push(row("a", "v0", 2.0, 7000)?);
        now.rows.push(row("a", "v0", 4.0, 7001)?);
        let limit = |seconds| Some(Limit { name: "fma".into(), seconds });
        (then.rows[1].limit, now.rows[1].limit) = (limit(0.1), limit(0.2));
        let changes = Changes::between(&then, &now)?;
        assert!(!changes.same_machine);
        assert_eq!(changes.slower(), 0);
        let [first, second, third] = [0, 1, 2].map(|k| &changes.changes[k]);
        assert_eq!(first.measure, Measure::Peer("a".into()));
        assert!((first.ratio - 2.0).abs() < 0.1, "{first:?}");
        assert_eq!(second.measure, Measure::Limit("fma".into()));
        assert!((second.ratio - 0.5).abs() < 0.05, "{second:?}");
        assert!(second.interval.is_some_and(|(low, high)| low < 0.5 && high < 0.6 && 0.5 < high));
        assert_eq!(third.measure, Measure::Nothing);
        Ok(())
    }

    #[test]
    fn without_single_times_nothing_is_claimed() -> Result<()> {
        let (mut then, now) = (report(1.0, 0)?, report(9.0, 1)?);
        then.rows.iter_mut().for_each(|row| row.seconds.times.clear());
        let changes = Changes::between(&then, &now)?;
        assert_eq!(changes.slower(), 0);
        assert!(changes.changes.iter().all(|change| change.interval.is_none()));
        Ok(())
    }
}
