//! Evaluation of candidates on folds: shared fits, parallel fits, and running scores.

use super::Trial;
use crate::validation::{Fold, Score};
use crate::{Data, Error, Learner, Model, Progress, Run, Targets};
use kern_core::Points;
use kern_core::parameters::{Parameters, Setting};
use kern_gram::{MemoryBudget, matrix_bytes, parallel, sequentially};
use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use web_time::Instant;

/// The largest number of parallel fits. Each gets this fraction of the memory, whatever the number
/// of threads, so that no bit of the result depends on it.
const SHARES: usize = 16;

/// A single candidate, or candidates that differ in one hyper-parameter for which their learner has
/// a path.
#[derive(Clone, Debug)]
pub(super) struct Group {
    /// The indices of the candidates.
    pub(super) places: Vec<usize>,
    /// The axis along which they differ.
    pub(super) axis: Option<usize>,
}

/// Groups candidates that differ along `axis`; single candidates without an axis.
pub(super) fn groups(candidates: &[Vec<Setting>], axis: Option<usize>) -> Vec<Group> {
    let mut groups: Vec<Group> = Vec::new();
    for (place, settings) in candidates.iter().enumerate() {
        let is_like = |group: &&mut Group| {
            axis.is_some_and(|axis| {
                let other = &candidates[group.places[0]];
                (0..settings.len()).all(|k| k == axis || settings[k] == other[k])
            })
        };
        match groups.iter_mut().rev().find(is_like) {
            Some(group) => group.places.push(place),
            None => groups.push(Group { places: vec![place], axis }),
        }
    }
    groups
}

/// A learner with these hyper-parameters.
pub(super) fn with<L: Parameters + Clone>(
    learner: &L,
    names: &[String],
    settings: &[Setting],
) -> Result<L, Error> {
    let mut learner = learner.clone();
    for (name, setting) in names.iter().zip(settings) {
        learner.set_parameter(name, setting)?;
    }
    Ok(learner)
}

/// The scores of a candidate by fold, as far as known.
type Scores = Vec<Option<Result<f64, String>>>;

/// The state of a search in progress.
struct State<'r, 'o, M> {
    scores: Vec<Scores>,
    /// The numbers of completed and of all fits.
    done: usize,
    total: usize,
    /// The best candidate so far, and its mean.
    best: Option<(usize, f64)>,
    /// A model of each candidate that may still become the best.
    shelf: Shelf<M>,
    /// The reason for an early end.
    end: Option<End>,
    /// Half of the time left at the start: the largest time reserved for the last fit.
    reserve: Duration,
    run: &'r mut Run<'o>,
}

/// A learner, its candidate hyper-parameters, and the score.
pub(super) struct Candidates<'s, L, S> {
    pub(super) learner: &'s L,
    pub(super) score: &'s S,
    pub(super) names: &'s [String],
    pub(super) settings: &'s [Vec<Setting>],
}

/// A search in progress.
pub(super) struct Attempts<'s, 'd, 'r, 'o, P: Points, Y: Targets, L: Learner<P, Y>, S> {
    learner: &'s L,
    names: &'s [String],
    candidates: &'s [Vec<Setting>],
    score: &'s S,
    data: &'s Data<'d, P, Y>,
    folds: Vec<Fold>,
    memory: MemoryBudget,
    limit: Option<Duration>,
    deadline: Option<Instant>,
    state: Mutex<State<'r, 'o, L::Model>>,
}

/// The result of a rung: all of its candidates were evaluated, or the search ended early.
pub(super) struct Outcome<M> {
    /// The trial of each candidate evaluated on all folds, or up to its first failure.
    pub(super) trials: Vec<Option<Trial>>,
    /// The number of completed fits.
    pub(super) done: usize,
    /// The reason for an early end, if any.
    pub(super) end: Option<End>,
    /// The best candidate of the rung, and its model from one fold.
    pub(super) kept: Option<(usize, Kept<M>)>,
}

impl<'s, 'd, 'r, 'o, P, Y, L, S> Attempts<'s, 'd, 'r, 'o, P, Y, L, S>
where
    P: Points,
    Y: Targets,
    L: Learner<P, Y, Model: Model<P> + Send> + Parameters,
    S: Score<P, Y, L::Model> + Sync,
{
    pub(super) fn new(
        Candidates { learner, score, names, settings: candidates }: Candidates<'s, L, S>,
        data: &'s Data<'d, P, Y>,
        folds: Vec<Fold>,
        done: usize,
        total: usize,
        run: &'r mut Run<'o>,
    ) -> Self {
        let (memory, limit, deadline) = (run.budget(), run.predicted_limit(), run.ends_at());
        let scores = vec![vec![None; folds.len()]; candidates.len()];
        let left = |deadline: Instant| deadline.saturating_duration_since(Instant::now());
        let reserve = run.ends_at().map_or(Duration::ZERO, left) / 2;
        let (best, shelf, end) = (None, Shelf::new(data.len()), None);
        let state = Mutex::new(State { scores, done, total, best, shelf, end, reserve, run });
        Self { learner, names, candidates, score, data, folds, memory, limit, deadline, state }
    }

    fn state(&self) -> MutexGuard<'_, State<'r, 'o, L::Model>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Reports progress, and returns whether to continue.
    pub(super) fn observe(&self) -> ControlFlow<()> {
        self.state().observe()
    }

    /// Evaluates all groups on all folds, in parallel if the fits are small.
    pub(super) fn all(&self, groups: &[Group]) {
        let tasks: Vec<(&Group, usize)> = groups
            .iter()
            .flat_map(|group| (0..self.folds.len()).map(move |fold| (group, fold)))
            .collect();
        let n = self.folds.iter().map(|fold| fold.train.len()).max().unwrap_or(0);
        let share = MemoryBudget::bytes(self.memory.as_bytes() / SHARES as u64);
        // A fit may hold two copies of its kernel matrix.
        if share.fits(matrix_bytes::<f64>(n, n).saturating_mul(2)) {
            for tasks in tasks.chunks(SHARES) {
                let attempt = |(): &mut (), (group, fold): (&Group, usize)| {
                    sequentially(|| self.attempt(group, fold, share));
                };
                parallel::map_init(tasks.to_vec(), || (), attempt);
            }
        } else {
            tasks.iter().for_each(|(group, fold)| self.attempt(group, *fold, self.memory));
        }
    }

    /// Evaluates a group on a fold, unless the search has ended.
    fn attempt(&self, group: &Group, fold: usize, memory: MemoryBudget) {
        if self.observe().is_break() {
            return;
        }
        let start = Instant::now();
        let found = self.scores(group, fold, memory);
        let took = start.elapsed() / u32::try_from(group.places.len()).unwrap_or(u32::MAX);
        let mut state = self.state();
        if state.end.is_some() {
            // Interrupted fits give no valid score.
            return;
        }
        let points = self.folds[fold].train.len();
        for (&place, found) in group.places.iter().zip(found) {
            let score = found.map(|(score, model)| {
                state.shelf.add(place, Kept { model, points, took });
                score
            });
            let score = score.map_err(|error| error.to_string());
            state.keep(place, fold, score, self.score.greater_is_better());
        }
    }

    /// The scores of the candidates of a group on a fold, with their models.
    fn scores(
        &self,
        group: &Group,
        fold: usize,
        memory: MemoryBudget,
    ) -> Vec<Result<(f64, L::Model), Error>> {
        let fold = &self.folds[fold];
        let parts = self
            .data
            .select(&fold.train)
            .and_then(|train| Ok((train, self.data.select(&fold.test)?)));
        let (train, test) = match parts {
            Ok(parts) => parts,
            Err(error) => return group.places.iter().map(|_| Err(error.clone())).collect(),
        };
        let score = |model: Result<L::Model, Error>| {
            let model = model?;
            if self.state().end.is_some() {
                // An interrupted model is not scored, since its score would not be used.
                return Err(Error::NoCandidate { done: 0, total: 0 });
            }
            Ok((self.score.score(&model, &test)?, model))
        };
        if let Some(models) = self.path(group, &train, memory) {
            return models.into_iter().map(|model| score(Ok(model))).collect();
        }
        let one = |&place: &usize| {
            let learner = with(self.learner, self.names, &self.candidates[place])?;
            score(self.learn(&learner, &train, memory))
        };
        group.places.iter().map(one).collect()
    }

    /// The models along the path of a group, unless one of the fits fails.
    fn path(
        &self,
        group: &Group,
        train: &Data<'_, P, Y>,
        memory: MemoryBudget,
    ) -> Option<Vec<L::Model>> {
        let axis = group.axis.filter(|_| group.places.len() > 1)?;
        let learner = with(self.learner, self.names, &self.candidates[group.places[0]]).ok()?;
        let name = &self.names[axis];
        learner.has_path(name).then_some(())?;
        let values: Vec<Setting> =
            group.places.iter().map(|&place| self.candidates[place][axis].clone()).collect();
        self.watched(memory, |run| learner.learn_path(name, &values, train, run)).ok()
    }

    fn learn(
        &self,
        learner: &L,
        data: &Data<'_, P, Y>,
        memory: MemoryBudget,
    ) -> Result<L::Model, Error> {
        self.watched(memory, |run| learner.learn(data, run))
    }

    /// Runs a fit with the observer of the search.
    fn watched<R>(&self, memory: MemoryBudget, fit: impl FnOnce(&mut Run<'_>) -> R) -> R {
        let mut observer = |_: &Progress| self.observe();
        let run = Run::new().memory(memory).time_limit(self.limit).deadline(self.deadline);
        fit(&mut run.observer(&mut observer))
    }

    /// The trials completed so far.
    pub(super) fn outcome(&self, share: f64) -> Outcome<L::Model> {
        let mut state = self.state();
        let scores = std::mem::take(&mut state.scores);
        let pairs = self.candidates.iter().zip(scores);
        let trials = pairs.map(|(settings, scores)| trial(settings, scores, share)).collect();
        let best = state.best.map(|(place, _)| place);
        let kept = best.and_then(|place| Some((place, state.shelf.take(place)?)));
        Outcome { trials, done: state.done, end: state.end, kept }
    }
}

impl<M> State<'_, '_, M> {
    fn observe(&mut self) -> ControlFlow<()> {
        if self.end.is_none() {
            let loss = self.best.map_or(f64::NAN, |(_, mean)| mean);
            let progress = Progress::new(self.done, self.total, loss);
            // The clock is checked first, so that a deadline is not mistaken for a request of the
            // observer.
            if self.is_due() {
                self.end = Some(End::Deadline);
            } else if self.run.observe(&progress).is_break() {
                self.end = Some(End::Observer);
            }
        }
        if self.end.is_some() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    /// Returns true if the remaining time is needed for the last fit.
    fn is_due(&self) -> bool {
        let Some(deadline) = self.run.ends_at() else { return false };
        let needed = self.best.map_or(Duration::ZERO, |(place, _)| self.shelf.refit(place));
        Instant::now() + needed.min(self.reserve) >= deadline
    }

    /// Records the score of a candidate on a fold, and the candidate if it is the best; ties go to
    /// the first.
    fn keep(&mut self, place: usize, fold: usize, score: Result<f64, String>, greater: bool) {
        self.done += 1;
        self.scores[place][fold] = Some(score);
        if self.scores[place].iter().any(Option::is_none) {
            return;
        }
        let known = self.scores[place]
            .iter()
            .map(|score| score.as_ref()?.as_ref().ok().copied().filter(|s| s.is_finite()));
        let Some(known) = known.collect::<Option<Vec<f64>>>() else {
            self.shelf.take(place);
            return;
        };
        let mean = known.iter().sum::<f64>() / known.len() as f64;
        let is_better = self.best.is_none_or(|(other, best)| {
            let (mean, best) = if greater { (mean, best) } else { (-mean, -best) };
            mean.total_cmp(&best).then(other.cmp(&place)).is_gt()
        });
        let last = if is_better { self.best.replace((place, mean)) } else { Some((place, mean)) };
        if let Some((behind, _)) = last {
            self.shelf.take(behind);
        }
    }
}

/// The trial of a candidate scored on all folds, or up to its first failure.
fn trial(settings: &[Setting], scores: Scores, fraction: f64) -> Option<Trial> {
    let (settings, scored) = (settings.to_vec(), Vec::new());
    let mut trial = Trial { settings, scores: scored, fraction, failure: None };
    for score in scores {
        match score? {
            Ok(score) if score.is_finite() => trial.scores.push(score),
            Ok(score) => {
                trial.failure = Some(format!("the score is {score}"));
                break;
            }
            Err(failure) => {
                trial.failure = Some(failure);
                break;
            }
        }
    }
    Some(trial)
}

/// The reason for an early end of a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum End {
    /// The observer requested it.
    Observer,
    /// The deadline was reached.
    Deadline,
}

/// A model fitted to one fold.
pub(super) struct Kept<M> {
    pub(super) model: M,
    /// The number of its training points.
    pub(super) points: usize,
    /// The time of its fit and scoring.
    took: Duration,
}

/// A model of each candidate that can still win.
struct Shelf<M> {
    models: BTreeMap<usize, Kept<M>>,
    /// The number of all points.
    points: usize,
}

impl<M> Shelf<M> {
    const fn new(points: usize) -> Self {
        Self { models: BTreeMap::new(), points }
    }

    /// Stores the model of a candidate, unless one is stored already. The longest time of its fits
    /// is kept.
    fn add(&mut self, place: usize, kept: Kept<M>) {
        let took = kept.took;
        let first = self.models.entry(place).or_insert(kept);
        first.took = first.took.max(took);
    }

    fn take(&mut self, place: usize) -> Option<Kept<M>> {
        self.models.remove(&place)
    }

    /// The predicted time of a fit of this candidate on all points.
    fn refit(&self, place: usize) -> Duration {
        self.models.get(&place).map_or(Duration::ZERO, |kept| kept.refit(self.points))
    }
}

impl<M> Kept<M> {
    /// The predicted time of the same fit on this many points, assuming quadratic growth as for
    /// most solvers.
    pub(super) fn refit(&self, points: usize) -> Duration {
        let growth = points as f64 / self.points.max(1) as f64;
        self.took.mul_f64((growth * growth).min(1e6))
    }
}
