//! Candidates on folds: which fits share work, which run side by side, and what is known of them on the way.

use super::Trial;
use crate::validation::{Fold, Score};
use crate::{Data, Error, Learner, Model, Progress, Run, Targets};
use kern_core::Points;
use kern_core::parameters::{Parameters, Setting};
use kern_gram::{MemoryBudget, matrix_bytes, parallel, sequentially};
use std::ops::ControlFlow;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// At most so many fits run side by side, and each has this share of the memory, whatever the number of threads: no bit
/// depends on that.
const SHARES: usize = 16;

/// Candidates that differ in one hyper-parameter, if any, whose path their learner has.
#[derive(Clone, Debug)]
pub(super) struct Group {
    /// Their places among all candidates.
    pub(super) places: Vec<usize>,
    /// The axis in which they differ.
    pub(super) axis: Option<usize>,
}

/// Single candidates, or groups of those that differ along `axis`.
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

/// The scores of a candidate, fold by fold, as far as they are known.
type Scores = Vec<Option<Result<f64, String>>>;

/// The state of a search on its way.
struct State<'r, 'o> {
    scores: Vec<Scores>,
    /// The number of fits that are done, and that there will be.
    done: usize,
    total: usize,
    /// The best candidate until now, and its mean.
    best: Option<(usize, f64)>,
    flow: ControlFlow<()>,
    run: &'r mut Run<'o>,
}

/// A search on its way.
pub(super) struct Attempts<'s, 'd, 'r, 'o, P: Points, Y: Targets, L, S> {
    learner: &'s L,
    names: &'s [String],
    candidates: &'s [Vec<Setting>],
    score: &'s S,
    data: &'s Data<'d, P, Y>,
    folds: Vec<Fold>,
    memory: MemoryBudget,
    limit: Option<Duration>,
    state: Mutex<State<'r, 'o>>,
}

impl<'s, 'd, 'r, 'o, P, Y, L, S> Attempts<'s, 'd, 'r, 'o, P, Y, L, S>
where
    P: Points,
    Y: Targets,
    L: Learner<P, Y, Model: Model<P>> + Parameters,
    S: Score<P, Y, L::Model> + Sync,
{
    pub(super) fn new(
        (learner, score): (&'s L, &'s S),
        (names, candidates): (&'s [String], &'s [Vec<Setting>]),
        (data, folds): (&'s Data<'d, P, Y>, Vec<Fold>),
        (done, total): (usize, usize),
        run: &'r mut Run<'o>,
    ) -> Self {
        let (memory, limit) = (run.budget(), run.predicted_limit());
        let scores = vec![vec![None; folds.len()]; candidates.len()];
        let flow = ControlFlow::Continue(());
        let state = Mutex::new(State { scores, done, total, best: None, flow, run });
        Self { learner, names, candidates, score, data, folds, memory, limit, state }
    }

    fn state(&self) -> MutexGuard<'_, State<'r, 'o>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Shows the progress; says whether to go on.
    pub(super) fn observe(&self) -> ControlFlow<()> {
        self.state().observe()
    }

    /// Tries all groups on all folds: side by side where the fits are small.
    pub(super) fn all(&self, groups: &[Group]) {
        let tasks: Vec<(&Group, usize)> = groups
            .iter()
            .flat_map(|group| (0..self.folds.len()).map(move |fold| (group, fold)))
            .collect();
        let n = self.folds.iter().map(|fold| fold.train.len()).max().unwrap_or(0);
        let share = MemoryBudget::bytes(self.memory.as_bytes() / SHARES as u64);
        // Each fit may have its kernel matrix twice.
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

    /// Tries a group on a fold, unless the search was ended.
    fn attempt(&self, group: &Group, fold: usize, memory: MemoryBudget) {
        if self.observe().is_break() {
            return;
        }
        let found = self.scores(group, fold, memory);
        let mut state = self.state();
        if state.flow.is_break() {
            // Fits that were cut short say nothing.
            return;
        }
        for (&place, score) in group.places.iter().zip(found) {
            state.keep(
                place,
                fold,
                score.map_err(|error| error.to_string()),
                self.score.greater_is_better(),
            );
        }
    }

    /// The scores of the candidates of a group on a fold.
    fn scores(&self, group: &Group, fold: usize, memory: MemoryBudget) -> Vec<Result<f64, Error>> {
        let fold = &self.folds[fold];
        let parts = self
            .data
            .select(&fold.train)
            .and_then(|train| Ok((train, self.data.select(&fold.test)?)));
        let (train, test) = match parts {
            Ok(parts) => parts,
            Err(error) => return group.places.iter().map(|_| Err(error.clone())).collect(),
        };
        let score = |model: Result<L::Model, Error>| self.score.score(&model?, &test);
        if let Some(models) = self.path(group, &train, memory) {
            return models.into_iter().map(|model| score(Ok(model))).collect();
        }
        let one = |&place: &usize| {
            let learner = with(self.learner, self.names, &self.candidates[place])?;
            score(self.learn(&learner, &train, memory))
        };
        group.places.iter().map(one).collect()
    }

    /// The models of a group whose learner has the path, unless one of them cannot be learned.
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

    /// A fit under the eyes of the observer.
    fn watched<R>(&self, memory: MemoryBudget, fit: impl FnOnce(&mut Run<'_>) -> R) -> R {
        let mut observer = |_: &Progress| self.observe();
        fit(&mut Run::new().memory(memory).time_limit(self.limit).observer(&mut observer))
    }

    /// The trial of each candidate that was made on all folds, or up to its first failure; the number of fits that are done;
    /// and whether the search was ended.
    pub(super) fn trials(&self, share: f64) -> (Vec<Option<Trial>>, usize, ControlFlow<()>) {
        let mut state = self.state();
        let scores = std::mem::take(&mut state.scores);
        let pairs = self.candidates.iter().zip(scores);
        (
            pairs.map(|(settings, scores)| trial(settings, scores, share)).collect(),
            state.done,
            state.flow,
        )
    }
}

impl State<'_, '_> {
    fn observe(&mut self) -> ControlFlow<()> {
        if self.flow.is_continue() {
            let loss = self.best.map_or(f64::NAN, |(_, mean)| mean);
            let progress = Progress { iteration: self.done, total: self.total, loss };
            self.flow = self.run.observe(&progress);
        }
        self.flow
    }

    /// Keeps the score of a candidate on a fold, and the candidate if it is the best, or the first one among equals.
    fn keep(&mut self, place: usize, fold: usize, score: Result<f64, String>, greater: bool) {
        self.done += 1;
        self.scores[place][fold] = Some(score);
        let known = self.scores[place]
            .iter()
            .map(|score| score.as_ref()?.as_ref().ok().copied().filter(|s| s.is_finite()));
        let Some(known) = known.collect::<Option<Vec<f64>>>() else { return };
        let mean = known.iter().sum::<f64>() / known.len() as f64;
        let is_better = self.best.is_none_or(|(other, best)| {
            let (mean, best) = if greater { (mean, best) } else { (-mean, -best) };
            mean.total_cmp(&best).then(other.cmp(&place)).is_gt()
        });
        if is_better {
            self.best = Some((place, mean));
        }
    }
}

/// A trial of scores on all folds, or up to the first failure.
fn trial(settings: &[Setting], scores: Scores, share: f64) -> Option<Trial> {
    let (settings, scored) = (settings.to_vec(), Vec::new());
    let mut trial = Trial { settings, scores: scored, share, failure: None };
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
