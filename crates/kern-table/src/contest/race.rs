//! The race: candidates are fitted to growing samples of the rows, and the best stay.

use super::candidates::Candidate;
use super::goal::Goal;
use super::metric;
use crate::fitted::predicted;
use crate::kernel::{Scale, build};
use crate::table_fit::{Columns, Fit, Found, split, weighted};
use crate::{Error, Prepare, Rows, Training};
use faer::Mat;
use kern_gram::MemoryBudget;
use kern_gram::parallel::{map_init, sequentially, threads};
use kern_solvers::validation::Fold;
use kern_solvers::{Data, Labels, Learner, Progress, Run, Status, Transformer};
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

/// The exponent of the time of a fit in the number of rows, for predictions.
const EXPONENT: f64 = 2.3;

/// The share of the remaining time that a round may take, so that the next has some.
const SHARE: f64 = 0.5;

/// Fits to at most this many rows select their own λ; larger ones take the λ of the round before.
const OWN_LAMBDA: usize = 1500;

/// Fits of samples up to this size use one thread each.
const ONE_THREAD: usize = 1500;

/// Everything that fits of a contest share.
pub(super) struct Race<'r> {
    pub(super) training: &'r Training,
    pub(super) columns: Columns<'r>,
    pub(super) goal: &'r Goal,
    pub(super) memory: MemoryBudget,
    pub(super) start: Instant,
    pub(super) end: Option<Instant>,
}

/// A candidate and its results on the largest sample that it reached.
pub(super) struct Entrant {
    pub(super) candidate: Candidate,
    /// The rows of the sample.
    pub(super) rows: usize,
    pub(super) loss: f64,
    pub(super) score: f64,
    /// The time of its fits.
    pub(super) time: Duration,
    /// The number of its fits.
    fits: usize,
    /// The predictions for the test rows of the last round, in the order of its folds.
    pub(super) held: Option<Mat<f64>>,
    /// The mean ln(nλ) of ridge regression: the noise of the targets, which does not depend on n.
    noise: Option<f64>,
    /// Its part of the ensemble.
    pub(super) weight: f64,
    /// Why it left, if a fit failed.
    pub(super) failure: Option<String>,
}

/// The end of a race.
pub(super) struct Finish {
    /// The best first.
    pub(super) entrants: Vec<Entrant>,
    /// The test rows of each fold of the last round.
    pub(super) folds: Vec<Vec<usize>>,
    /// Whether the time ended before the last round did.
    pub(super) is_ended: bool,
}

/// The rows of a fit, prepared.
pub(super) struct Part {
    places: Vec<usize>,
    rows: Rows,
    weights: Option<Vec<f64>>,
    /// With standardised columns.
    plain: View,
    /// With columns weighted by a learned metric.
    stretched: Option<View>,
}

struct View {
    prepare: Prepare,
    ready: Rows,
}

/// A part to fit to, and rows to test on.
struct Round {
    part: Part,
    test: Vec<usize>,
    test_rows: Rows,
}

impl Race<'_> {
    pub(super) fn run(&self, all: Vec<Candidate>, run: &mut Run<'_>) -> Result<Finish, Error> {
        let entrant = |candidate| Entrant {
            candidate,
            rows: 0,
            loss: f64::INFINITY,
            score: f64::NAN,
            time: Duration::ZERO,
            fits: 0,
            held: None,
            noise: None,
            weight: 0.0,
            failure: None,
        };
        let mut running: Vec<Entrant> = all.into_iter().map(entrant).collect();
        let mut left: Vec<Entrant> = Vec::new();
        let (mut folds, mut is_ended) = (Vec::new(), false);
        let sizes = self.sizes();
        for (number, &size) in sizes.iter().enumerate() {
            let is_last = number + 1 == sizes.len();
            if number > 0 {
                thin_out(&mut running, &mut left, is_last);
            }
            let rounds = self.rounds(size, is_last, &running)?;
            if is_last {
                folds = rounds.iter().map(|round| round.test.clone()).collect();
            }
            let done = (number, sizes.len());
            if self.compare(&mut running, &rounds, (size, is_last), done, run).is_break() {
                is_ended = true;
                break;
            }
            sort(&mut running);
        }
        running.append(&mut left);
        sort(&mut running);
        if running.first().is_none_or(|best| !best.loss.is_finite()) {
            let failure = running.into_iter().find_map(|entrant| entrant.failure);
            return Err(Error::NoCandidate { reason: failure.unwrap_or_default() });
        }
        Ok(Finish { entrants: running, folds, is_ended })
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
    fn rounds(&self, size: usize, is_last: bool, running: &[Entrant]) -> Result<Vec<Round>, Error> {
        /// Fewer folds for more rows.
        const FIVE: usize = 2500;
        const THREE: usize = 30_000;
        let sample = self.sample(size);
        let (folds, used) = match (is_last, size) {
            (true, ..=FIVE) => (5, 5),
            (true, ..=THREE) => (3, 3),
            (true, _) => (4, 1),
            (false, ..=FIRST) => (3, 3),
            (false, _) => (3, 1),
        };
        let has_metric = running.iter().any(|entrant| entrant.candidate.has_metric);
        let split = self.split(&sample, folds.min(size.max(2)))?;
        let at = |places: &[usize]| places.iter().map(|&i| sample[i]).collect::<Vec<_>>();
        let round = |Fold { train, test }: Fold| {
            let test = at(&test);
            let test_rows = test.iter().map(|&i| self.columns.rows[i].clone()).collect();
            Ok(Round { part: self.part(at(&train), has_metric)?, test, test_rows })
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
        Ok(match (&groups, self.goal) {
            (Some(groups), _) => rule.folds(&Data::unlabelled(&points)?.groups(groups)?)?,
            (None, Goal::Values(_)) => rule.folds(&Data::unlabelled(&points)?)?,
            (None, Goal::Classes { codes, .. }) => {
                rule.folds(&Data::new(&points, Labels::new(at(codes)))?)?
            }
        })
    }

    fn part(&self, places: Vec<usize>, has_metric: bool) -> Result<Part, Error> {
        let rows: Rows = places.iter().map(|&i| self.columns.rows[i].clone()).collect();
        let weights: Option<Vec<f64>> =
            self.columns.weights.map(|weights| places.iter().map(|&i| weights[i]).collect());
        let prepare = Prepare::new().standardized(self.training.standardized);
        let view = |prepare: Prepare| {
            let data = weighted(&rows, weights.as_deref())?;
            let ready = prepare.learn(&data, &mut Run::new())?.transform(&rows)?;
            Ok::<_, Error>(View { prepare, ready })
        };
        let plain = view(prepare.clone())?;
        let stretched = match has_metric {
            true => {
                let limits = (self.memory, self.end);
                let (schema, seed) = (self.columns.schema, self.training.seed);
                let known = (&plain.ready, places.as_slice());
                // Without a metric its candidates fail, and the others compete on.
                let factors = metric::factors(schema, self.goal, known, limits, seed).ok();
                factors.map(|factors| view(prepare.stretched(factors))).transpose()?
            }
            false => None,
        };
        Ok(Part { places, rows, weights, plain, stretched })
    }

    /// Fits a candidate to a part of the rows.
    fn fit(&self, entrant: &Entrant, part: &Part) -> Result<Found, Error> {
        let (candidate, rows) = (&entrant.candidate, part.rows.len());
        let view = match (candidate.has_metric, &part.stretched) {
            (true, Some(view)) => view,
            (true, None) => return Err(Error::NotHere("no metric was learned")),
            (false, _) => &part.plain,
        };
        let mut training = candidate.training(self.training);
        if let Some(noise) = entrant.noise.filter(|_| rows > OWN_LAMBDA) {
            training = training.set("lambda", noise.exp() / rows as f64);
        }
        let scale = Scale { factor: candidate.scale, seed: training.seed };
        let weights = part.weights.as_deref();
        let kernel = build(&candidate.kernel, self.columns.schema, &view.ready, weights, scale)?;
        let mut fit = Fit {
            training: &training,
            prepare: view.prepare.clone(),
            kernel,
            nystrom: None,
            rows: &part.rows,
            ready: &view.ready,
            weights,
            groups: None,
        };
        fit.take(candidate.landmarks(rows));
        let mut run = Run::new().memory(self.memory).deadline(self.end);
        let (method, places) = (candidate.method, &part.places);
        let found = match self.goal {
            Goal::Values(values) => {
                let values: Vec<f64> = places.iter().map(|&i| values[i]).collect();
                fit.numbers(method, &values, &mut run)?
            }
            Goal::Classes { labels, .. } => {
                let labels: Vec<String> = places.iter().map(|&i| labels[i].clone()).collect();
                fit.classes(method, &labels, &mut run)?
            }
        };
        match found.fitted.report().status {
            Status::Stopped => Err(Error::NotHere("its time was over")),
            _ => Ok(found),
        }
    }

    /// The same without an end: the model that is asked for is not given up for lack of time.
    const fn without_end(&self) -> Self {
        Race { end: None, ..*self }
    }

    /// All rows, prepared.
    pub(super) fn all_rows(&self, has_metric: bool) -> Result<Part, Error> {
        self.without_end().part((0..self.columns.rows.len()).collect(), has_metric)
    }

    /// Fits a candidate to the end.
    pub(super) fn fit_fully(&self, entrant: &Entrant, part: &Part) -> Result<Found, Error> {
        self.without_end().fit(entrant, part)
    }

    /// Returns true if a fit to all rows is predicted to end in time.
    pub(super) fn has_time_for(&self, entrant: &Entrant) -> bool {
        let one = entrant.predicted(self.columns.rows.len());
        self.remaining().is_none_or(|remaining| one <= remaining.as_secs_f64())
    }

    fn remaining(&self) -> Option<Duration> {
        Some(self.end?.saturating_duration_since(Instant::now()))
    }

    fn is_late(&self) -> bool {
        self.remaining().is_some_and(|remaining| remaining.is_zero())
    }

    /// The end of a round: half of the remaining time, or what the last one leaves for a fit of the
    /// best candidate to all rows.
    fn end_of_round(&self, running: &[Entrant], is_last: bool) -> Option<Instant> {
        let remaining = self.remaining()?.as_secs_f64();
        let refit = running.first().map_or(0.0, |best| best.predicted(self.columns.rows.len()));
        let share = if is_last { (remaining - refit).max(0.0) } else { SHARE * remaining };
        Instant::now().checked_add(Duration::from_secs_f64(share))
    }

    /// Fits all candidates to these parts and tests them; breaks if the caller or the time ends it.
    fn compare(
        &self,
        running: &mut Vec<Entrant>,
        rounds: &[Round],
        (size, is_last): (usize, bool),
        (number, of): (usize, usize),
        run: &mut Run<'_>,
    ) -> ControlFlow<()> {
        let at_once = if size <= ONE_THREAD { threads() } else { 1 };
        let memory = MemoryBudget::bytes(self.memory.as_bytes() / at_once as u64);
        let race = Race { memory, ..*self };
        let mut done = Vec::with_capacity(running.len());
        let mut waiting = std::mem::take(running).into_iter();
        let mut flow = ControlFlow::Continue(());
        let end = self.end_of_round(waiting.as_slice(), is_last);
        let rows = rounds.first().map_or(0, |round| round.part.rows.len());
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
            let one = |(): &mut (), entrant| match at_once {
                1 => race.tried(entrant, rounds, is_last),
                _ => sequentially(|| race.tried(entrant, rounds, is_last)),
            };
            done.extend(map_init(next, || (), one));
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

    /// The results of a candidate on these parts.
    fn tried(&self, mut entrant: Entrant, rounds: &[Round], is_last: bool) -> Entrant {
        let start = Instant::now();
        let classes = self.goal.classes();
        let mut held = Vec::with_capacity(rounds.len());
        let mut noises = Vec::new();
        for round in rounds {
            let found = self.fit(&entrant, &round.part);
            let found = found.and_then(|found| {
                let selected = found.selected.map(|selected| selected.lambda);
                noises.extend(selected.map(|lambda| (lambda * round.part.rows.len() as f64).ln()));
                Ok(predicted(&found.fitted, &round.test_rows, classes)?)
            });
            match found {
                Ok(found) => held.push(found),
                Err(error) => {
                    entrant.failure = Some(error.to_string());
                    return entrant;
                }
            }
        }
        let test: Vec<usize> = rounds.iter().flat_map(|round| round.test.iter().copied()).collect();
        let width = classes.len().max(1);
        let mut all = Mat::zeros(test.len(), width);
        let mut start_row = 0;
        for part in &held {
            all.as_mut().subrows_mut(start_row, part.nrows()).copy_from(part);
            start_row += part.nrows();
        }
        let weights = self.columns.weights;
        let loss = self.goal.loss(all.as_ref(), &test, weights);
        if !loss.is_finite() {
            entrant.failure = Some("its predictions are not finite".to_string());
            return entrant;
        }
        if !noises.is_empty() {
            entrant.noise = Some(noises.iter().sum::<f64>() / noises.len() as f64);
        }
        entrant.loss = loss;
        entrant.score = self.goal.score(all.as_ref(), &test, weights);
        entrant.rows =
            rounds.iter().map(|round| round.part.rows.len()).sum::<usize>() / rounds.len().max(1);
        entrant.time = start.elapsed();
        entrant.fits = rounds.len();
        entrant.held = is_last.then_some(all);
        entrant
    }
}

impl Entrant {
    /// The predicted seconds of a fit to this many rows.
    fn predicted(&self, rows: usize) -> f64 {
        let one = self.time.as_secs_f64() / self.fits.max(1) as f64;
        one * (rows as f64 / self.rows.max(1) as f64).max(1.0).powf(EXPONENT)
    }
}

/// Those who came further first, then those with the smaller loss.
fn sort(entrants: &mut [Entrant]) {
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
