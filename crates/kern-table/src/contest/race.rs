//! The race: candidates are fitted to growing samples of the rows, and the best stay.

use super::candidates::{Candidate, View};
use super::goal::{Goal, Targets};
use super::part::Part;
use super::trial::Entrant;
use crate::table_fit::{Columns, split};
use crate::{Error, Training};
use kern_gram::MemoryBudget;
use kern_gram::parallel::{map_init, sequentially, threads};
use kern_solvers::validation::Fold;
use kern_solvers::{Data, Labels, Progress, Run};
use std::collections::BTreeSet;
use std::ops::ControlFlow;
use std::time::Duration;
use web_time::Instant;

/// Rows of the first sample.
const FIRST: usize = 450;

/// The factor by which samples grow.
const GROWTH: usize = 3;

/// A sample of this share of the rows is as expensive as all of them.
const NEARLY_ALL: f64 = 0.6;

/// The candidates that are fitted to all rows.
const FINALISTS: usize = 8;

/// The share of the remaining time that the last round may take at least.
const SHARE: f64 = 0.5;

/// Fits of samples up to this size use one thread each.
const ONE_THREAD: usize = 1500;

/// Models that are fitted to all rows after the race, as the time for them is estimated.
const MEMBERS: usize = 3;

/// Everything that fits of a contest share.
pub(super) struct Race<'r> {
    pub(super) training: &'r Training,
    pub(super) columns: Columns<'r>,
    pub(super) goal: &'r Goal,
    pub(super) memory: MemoryBudget,
    pub(super) start: Instant,
    pub(super) end: Option<Instant>,
}

/// The end of a race.
pub(super) struct Finish {
    /// The best first.
    pub(super) entrants: Vec<Entrant>,
    /// The test rows of each fold of the last round.
    pub(super) folds: Vec<Vec<usize>>,
    /// The factors of columns by the metrics of the last round that had any.
    pub(super) factors: Vec<Vec<f64>>,
    pub(super) end: End,
}

/// Why a race ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum End {
    /// The time ended, or the caller stopped it, before the last round did.
    Early,
    /// The same while variations of the best candidates were tried.
    Late,
    /// Variations of the best candidates were no better.
    Settled,
}

/// A part to fit to, and rows to test on.
pub(super) struct Round {
    pub(super) part: Part,
    pub(super) test: Vec<usize>,
}

/// Where a race is: the number of its round, and how many there are.
#[derive(Clone, Copy)]
pub(super) struct Stage {
    pub(super) number: usize,
    pub(super) of: usize,
}

impl Stage {
    pub(super) const fn is_last(self) -> bool {
        self.number + 1 == self.of
    }
}

impl Race<'_> {
    pub(super) fn run(&self, all: Vec<Candidate>, run: &mut Run<'_>) -> Result<Finish, Error> {
        let mut running: Vec<Entrant> = all.into_iter().map(Entrant::new).collect();
        let mut left: Vec<Entrant> = Vec::new();
        let (mut folds, mut factors, mut end) = (Vec::new(), Vec::new(), End::Settled);
        let sizes = self.sizes();
        for (number, &size) in sizes.iter().enumerate() {
            let stage = Stage { number, of: sizes.len() };
            if number > 0 {
                thin_out(&mut running, &mut left, stage.is_last());
            }
            let mut rounds = self.rounds(size, stage, &running)?;
            if stage.is_last() {
                folds = rounds.iter().map(|round| round.test.clone()).collect();
            }
            let flow = self.compare(&mut running, &rounds, stage, run);
            let learned: Vec<_> =
                rounds.iter().filter_map(|round| round.part.learned_factors()).collect();
            if !learned.is_empty() {
                factors = learned;
            }
            if flow.is_break() {
                end = End::Early;
                break;
            }
            sort(&mut running);
            if stage.is_last() {
                let is_reached = running.iter().any(|entrant| entrant.held.is_some());
                end = match is_reached {
                    true => self.refine(&mut running, &mut rounds, run),
                    false => End::Early,
                };
            }
        }
        running.append(&mut left);
        sort(&mut running);
        if running.first().is_none_or(|best| !best.loss.is_finite()) {
            let failure = running.into_iter().find_map(|entrant| entrant.failure);
            return Err(Error::NoCandidate { reason: failure.unwrap_or_default() });
        }
        Ok(Finish { entrants: running, folds, factors, end })
    }

    /// The sizes of the samples; the last is that of all rows.
    fn sizes(&self) -> Vec<usize> {
        let all = self.columns.rows.len();
        let mut sizes = Vec::new();
        let mut size = FIRST;
        while (size as f64) < NEARLY_ALL * all as f64 {
            sizes.push(size);
            size *= GROWTH;
        }
        sizes.push(all);
        sizes
    }

    /// The splits of a sample, with the rows of each prepared once for all candidates.
    fn rounds(&self, size: usize, stage: Stage, running: &[Entrant]) -> Result<Vec<Round>, Error> {
        /// Fewer folds for more rows.
        const FIVE: usize = 2500;
        const THREE: usize = 30_000;
        let sample = self.sample(size);
        let (folds, used) = match (stage.is_last(), size) {
            (true, ..=FIVE) => (5, 5),
            (true, ..=THREE) => (3, 3),
            (true, _) => (4, 1),
            (false, ..=FIRST) => (3, 3),
            (false, _) => (3, 1),
        };
        let views: BTreeSet<View> = running.iter().map(|entrant| entrant.candidate.view).collect();
        let split = self.split(&sample, folds.min(size.max(2)))?;
        let at = |places: &[usize]| places.iter().map(|&i| sample[i]).collect::<Vec<_>>();
        let round = |Fold { train, test }: Fold| {
            let test = at(&test);
            let mut part = self.part(at(&train), &test);
            let end = self.end_of_metric(used, stage.of - stage.number);
            views.iter().try_for_each(|&view| self.look(&mut part, view, end))?;
            Ok(Round { part, test })
        };
        split.into_iter().take(used).map(round).collect()
    }

    /// This many rows, in order; the same for each number, and part of any larger sample.
    fn sample(&self, size: usize) -> Vec<usize> {
        /// An odd multiplier spreads indices over all residues (Fibonacci hashing).
        const SPREAD: u64 = 0x9E37_79B9_7F4A_7C15;
        let all = self.columns.rows.len();
        if size >= all {
            return (0..all).collect();
        }
        let key = |&i: &usize| (i as u64 ^ self.training.seed).wrapping_mul(SPREAD).rotate_left(32);
        let mut order: Vec<usize> = (0..all).collect();
        order.sort_by_key(key);
        order.truncate(size);
        order.sort_unstable();
        order
    }

    fn split(&self, sample: &[usize], folds: usize) -> Result<Vec<Fold>, Error> {
        let Self { training, columns, .. } = self;
        let points = vec![(); sample.len()];
        let at = |all: &[usize]| sample.iter().map(|&i| all[i]).collect::<Vec<_>>();
        let groups = columns.groups.map(at);
        let rule = split(training.task, groups.is_some(), folds, training.seed);
        Ok(match (&groups, &self.goal.targets) {
            (Some(groups), _) => rule.folds(&Data::unlabelled(&points)?.groups(groups)?)?,
            (None, Targets::Values(_)) => rule.folds(&Data::unlabelled(&points)?)?,
            (None, Targets::Classes { codes, .. }) => {
                rule.folds(&Data::new(&points, Labels::new(at(codes)))?)?
            }
        })
    }

    /// The same without an end: the model that is asked for is not given up for lack of time.
    pub(super) const fn without_end(&self) -> Self {
        Race { end: None, ..*self }
    }

    pub(super) fn remaining(&self) -> Option<Duration> {
        Some(self.end?.saturating_duration_since(Instant::now()))
    }

    pub(super) fn is_late(&self) -> bool {
        self.remaining().is_some_and(|remaining| remaining.is_zero())
    }

    /// The end of a round: rounds have equal parts of the remaining time, the last one what fits of
    /// the best candidates to all rows leave of it.
    pub(super) fn end_of_round(&self, running: &[Entrant], rounds: usize) -> Option<Instant> {
        let remaining = self.remaining()?.as_secs_f64();
        let share = match rounds {
            1 => (remaining - self.refits(running)).max(SHARE * remaining),
            _ => remaining / rounds as f64,
        };
        Instant::now().checked_add(Duration::from_secs_f64(share))
    }

    /// The predicted seconds of the final fits, of the best of sorted candidates.
    pub(super) fn refits(&self, running: &[Entrant]) -> f64 {
        let refit = |entrant: &Entrant| entrant.predicted(self.columns.rows.len());
        running.iter().take(MEMBERS).map(refit).sum()
    }

    /// How many fits run at once to a sample of this size, and the memory of each.
    pub(super) fn at_once(&self, size: usize) -> (usize, MemoryBudget) {
        let at_once = if size <= ONE_THREAD { threads() } else { 1 };
        (at_once, MemoryBudget::bytes(self.memory.as_bytes() / at_once as u64))
    }

    /// Fits all candidates to these parts and tests them; breaks if the caller or the time ends it.
    fn compare(
        &self,
        running: &mut Vec<Entrant>,
        rounds: &[Round],
        stage: Stage,
        run: &mut Run<'_>,
    ) -> ControlFlow<()> {
        let Stage { number, of } = stage;
        let rows = rounds.first().map_or(0, |round| round.part.len());
        let (at_once, memory) = self.at_once(rows);
        let race = Race { memory, ..*self };
        let mut done = Vec::with_capacity(running.len());
        let mut waiting = std::mem::take(running).into_iter();
        let mut flow = ControlFlow::Continue(());
        let end = self.end_of_round(waiting.as_slice(), of - number);
        let (cost, mut late) = (rounds.len() as f64 / at_once as f64, Vec::new());
        while flow.is_continue() {
            let mut next: Vec<Entrant> = waiting.by_ref().take(at_once).collect();
            // One candidate at least is tried, and others as time allows.
            if let Some(end) = end.filter(|_| !done.is_empty()) {
                let left = end.saturating_duration_since(Instant::now()).as_secs_f64();
                let is_late = |entrant: &mut Entrant| cost * entrant.predicted(rows) >= left;
                late.extend(next.extract_if(.., is_late));
                if next.is_empty() && waiting.len() > 0 {
                    continue;
                }
            }
            if next.is_empty() {
                break;
            }
            // The first ones are tried even without time, so that there is a model.
            let is_first = number == 0 && done.is_empty();
            let race = Race { end: race.end.filter(|_| !is_first), ..race };
            done.extend(race.tried_at_once(next, rounds, stage.is_last()));
            let best = done.iter().map(|entrant| entrant.loss).fold(f64::INFINITY, f64::min);
            let share = done.len() as f64 / (done.len() + waiting.len()) as f64;
            // In hundredths of a round.
            let progress = (100.0 * (number as f64 + share)) as usize;
            flow = run.observe(&Progress::new(progress, 100 * of, best));
            // Something is there to return: at least one candidate has been tried.
            if self.is_late() {
                flow = ControlFlow::Break(());
            }
        }
        done.extend(late);
        done.extend(waiting);
        *running = done;
        flow
    }

    /// The results of several candidates, each on one thread if there are more than one.
    pub(super) fn tried_at_once(
        &self,
        entrants: Vec<Entrant>,
        rounds: &[Round],
        is_last: bool,
    ) -> Vec<Entrant> {
        let is_alone = entrants.len() == 1;
        let one = |(): &mut (), entrant| match is_alone {
            true => self.tried(entrant, rounds, is_last),
            false => sequentially(|| self.tried(entrant, rounds, is_last)),
        };
        map_init(entrants, || (), one)
    }
}

/// Those who came further first, then those with the smaller loss.
pub(super) fn sort(entrants: &mut [Entrant]) {
    let key = |entrant: &Entrant| (std::cmp::Reverse(entrant.rows), entrant.failure.is_some());
    entrants.sort_by(|a, b| key(a).cmp(&key(b)).then(a.loss.total_cmp(&b.loss)));
}

/// Keeps the candidates that go on to larger samples, the best first: about a third, and the best
/// of each method unless the next round is the last.
fn thin_out(running: &mut Vec<Entrant>, left: &mut Vec<Entrant>, is_last: bool) {
    let most = running.len().div_ceil(GROWTH).max(FINALISTS);
    let most = if is_last { FINALISTS } else { most };
    let (mut methods, mut kept) = (Vec::new(), 0);
    let mut stays = |entrant: &Entrant| {
        let is_first = !methods.contains(&entrant.candidate.method) && !is_last;
        methods.push(entrant.candidate.method);
        let stays = entrant.failure.is_none() && (kept < most || is_first);
        kept += usize::from(stays);
        stays
    };
    let (stay, leave) = std::mem::take(running).into_iter().partition(|e| stays(e));
    *running = stay;
    left.splice(0..0, leave);
}
