//! The learner that searches.

use super::attempts::{Attempts, groups, with};
use super::candidates::{Strategy, candidates};
use super::{Axis, Trial, Tuned, halving, ranges};
use crate::validation::{Fold, Score, Split};
use crate::{Data, Error, Learner, Model, Progress, Run, Status, Targets, fit_sugar};
use kern_core::Points;
use kern_core::parameters::{Parameter, Parameters, Setting, unknown};
use serde::{Deserialize, Serialize};
use std::ops::ControlFlow;

/// The number of folds unless a split is given.
const FOLDS: usize = 5;

/// The number of axes of which a grid is tried, unless they are given, and the draws from more.
const PLANE: usize = 2;
const DRAWS: usize = 60;

/// A learner whose hyper-parameters are chosen by cross-validation.
///
/// Every candidate is learned from each fold's points and scored on those held out; that with the best mean, the first one
/// among equals, is learned from all of the data. A candidate that cannot be learned is a [`Trial`] that failed. Folds are
/// five, of whole groups where the data has groups, else shuffled, with the share of each class where there are classes, unless
/// [`split`](Tune::split) says otherwise.
///
/// An observer is shown the fits that are done, with the best mean so far, again and again while a fit is on its way. Where
/// it ends the search, the best candidate until then is taken, or the learner as it was given.
///
/// # Complexity
/// Candidates × folds + 1 fits.
///
/// # Examples
/// See the [module](crate::search).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Tune<L, S> {
    learner: L,
    score: S,
    /// None for those that decide.
    axes: Option<Vec<(String, Axis)>>,
    strategy: Strategy,
    halving: bool,
    split: Option<Split>,
}

impl<L, S> Tune<L, S> {
    /// A search for the best score of this learner: over the hyper-parameters that [decide](super::ranges()), unless
    /// [`over`](Tune::over) says over which.
    pub const fn new(learner: L, score: S) -> Self {
        let (axes, strategy) = (None, Strategy::Grid);
        Self { learner, score, axes, strategy, halving: false, split: None }
    }

    /// Searches over a hyper-parameter, too.
    #[must_use]
    pub fn over(mut self, name: impl Into<String>, axis: impl Into<Axis>) -> Self {
        self.axes.get_or_insert_default().push((name.into(), axis.into()));
        self
    }

    /// Searches over nothing but what follows: without it, the learner is scored as it was given.
    #[must_use]
    pub fn fixed(mut self) -> Self {
        self.axes = Some(Vec::new());
        self
    }

    /// Draws so many candidates, each value independently of the others, in place of the grid (Bergstra & Bengio 2012).
    #[must_use]
    pub const fn random(mut self, draws: usize, seed: u64) -> Self {
        self.strategy = Strategy::Random { draws, seed };
        self
    }

    /// Tries all candidates on a part of the points first, the best third of them on three times as many, and so on, up to
    /// all points: successive halving (Jamieson & Talwalkar 2016). A part has at least 100 points of a fold, with the share
    /// of each class; the best candidate is one of those that were tried on all.
    #[must_use]
    pub const fn halving(mut self) -> Self {
        self.halving = true;
        self
    }

    /// Scores on these folds.
    #[must_use]
    pub const fn split(mut self, split: Split) -> Self {
        self.split = Some(split);
        self
    }

    /// The learner as it was given.
    pub const fn learner(&self) -> &L {
        &self.learner
    }

    fit_sugar!(supervised);
}

/// The hyper-parameters of the learner: those that are searched are overruled.
impl<L: Parameters, S> Parameters for Tune<L, S> {
    fn parameters(&self) -> Vec<Parameter> {
        self.learner.parameters()
    }

    fn set_parameter(&mut self, name: &str, value: &Setting) -> Result<(), kern_core::Error> {
        self.learner.set_parameter(name, value)
    }
}

impl<P, Y, L, S> Learner<P, Y> for Tune<L, S>
where
    P: Points,
    Y: Targets,
    L: Learner<P, Y, Model: Model<P>> + Parameters,
    S: Score<P, Y, L::Model> + Clone + Send + Sync,
{
    type Model = Tuned<L::Model>;

    fn learn(&self, data: &Data<'_, P, Y>, run: &mut Run<'_>) -> Result<Self::Model, Error> {
        let (axes, strategy) = self.axes()?;
        let candidates = candidates(strategy, &axes)?;
        let folds = self.folds(data)?;
        let names: Vec<String> = axes.into_iter().map(|(name, _)| name).collect();
        let greater = self.score.greater_is_better();
        let search = Search { tune: self, data, names: &names };
        let (trials, total, flow) = search.rungs(&candidates, &folds, run);
        let tried: Vec<&Trial> = trials.iter().flatten().collect();
        // Of those that went furthest.
        let furthest = tried.iter().map(|trial| trial.share).fold(0.0, f64::max);
        let last = |place: &usize| trials[*place].as_ref().is_some_and(|t| t.share >= furthest);
        let last: Vec<usize> = (0..trials.len()).filter(last).collect();
        let best = halving::best(&last, &trials, 1, greater).pop();
        if let (None, Some(first)) = (best, tried.first())
            && flow.is_continue()
        {
            let first = first.failure.clone().unwrap_or_default();
            return Err(Error::Trials { tried: tried.len(), first });
        }
        let learner = match best {
            Some(place) => search.with(&candidates[place])?,
            None => self.learner.clone(),
        };
        let model = search.last(&learner, total, run)?;
        let mut report = model.report().clone();
        if flow.is_break() {
            report.status = Status::Stopped;
        }
        let before = |place: usize| trials[..place].iter().flatten().count();
        let best = best.map(before);
        Ok(Tuned::new((names, trials.into_iter().flatten().collect()), best, (model, report)))
    }
}

/// A search on its way.
struct Search<'s, 'd, P: Points, Y: Targets, L, S> {
    tune: &'s Tune<L, S>,
    data: &'s Data<'d, P, Y>,
    names: &'s [String],
}

impl<P, Y, L, S> Search<'_, '_, P, Y, L, S>
where
    P: Points,
    Y: Targets,
    L: Learner<P, Y, Model: Model<P>> + Parameters,
    S: Score<P, Y, L::Model> + Clone + Send + Sync,
{
    /// The trials of all candidates, as far as they went, the number of fits with the last one, and whether the search was
    /// ended.
    fn rungs(
        &self,
        candidates: &[Vec<Setting>],
        folds: &[Fold],
        run: &mut Run<'_>,
    ) -> (Vec<Option<Trial>>, usize, ControlFlow<()>) {
        let points = folds.iter().map(|fold| fold.train.len()).min().unwrap_or(0);
        let shares = match self.tune.halving {
            true => halving::shares(points, candidates.len()),
            false => vec![1.0],
        };
        let counts = halving::counts(candidates.len(), shares.len());
        let total = counts.iter().sum::<usize>() * folds.len() + 1;
        let axis = self.names.iter().rposition(|name| self.tune.learner.has_path(name));
        let mut trials: Vec<Option<Trial>> = vec![None; candidates.len()];
        let (mut alive, mut done): (Vec<usize>, usize) = ((0..candidates.len()).collect(), 0);
        for (rung, &share) in shares.iter().enumerate() {
            let part: Vec<Vec<Setting>> =
                alive.iter().map(|&place| candidates[place].clone()).collect();
            let folds = halving::thinned(folds, self.data, share);
            let given = (&self.tune.learner, &self.tune.score);
            let attempts =
                Attempts::new(given, (self.names, &part), (self.data, folds), (done, total), run);
            if attempts.observe().is_continue() {
                attempts.all(&groups(&part, axis));
            }
            let (found, now, flow) = attempts.trials(share);
            done = now;
            for (&place, trial) in alive.iter().zip(found) {
                trials[place] = trial.or(trials[place].take());
            }
            let Some(&next) = counts.get(rung + 1).filter(|_| flow.is_continue()) else {
                return (trials, total, flow);
            };
            alive = halving::best(&alive, &trials, next, self.tune.score.greater_is_better());
        }
        (trials, total, ControlFlow::Continue(()))
    }

    /// The learner with these hyper-parameters.
    fn with(&self, settings: &[Setting]) -> Result<L, Error> {
        with(&self.tune.learner, self.names, settings)
    }

    /// Learns from all of the data, under the eyes of the observer of the search.
    fn last(&self, learner: &L, total: usize, run: &mut Run<'_>) -> Result<L::Model, Error> {
        let (memory, limit) = (run.budget(), run.predicted_limit());
        let mut observer =
            |_: &Progress| run.observe(&Progress { iteration: total - 1, total, loss: f64::NAN });
        let mut run = Run::new().memory(memory).time_limit(limit).observer(&mut observer);
        learner.learn(self.data, &mut run)
    }
}

impl<L: Parameters, S> Tune<L, S> {
    /// The axes, by default those that decide, and the way to go through them.
    fn axes(&self) -> Result<(Vec<(String, Axis)>, Strategy), Error> {
        let Some(axes) = &self.axes else {
            let axes = ranges(&self.learner);
            let strategy = match self.strategy {
                Strategy::Grid if axes.len() > PLANE => Strategy::Random { draws: DRAWS, seed: 0 },
                given => given,
            };
            return Ok((axes, strategy));
        };
        // An unknown name is an error of the search, not of every candidate.
        let known = self.learner.parameters();
        let unknown_to = |(name, _): &&(String, Axis)| known.iter().all(|p| p.name != *name);
        match axes.iter().find(unknown_to) {
            Some((name, _)) => Err(unknown(name, &known).into()),
            None => Ok((axes.clone(), self.strategy)),
        }
    }
}

impl<L, S> Tune<L, S> {
    /// The folds of data.
    fn folds<P: Points, Y: Targets>(&self, data: &Data<'_, P, Y>) -> Result<Vec<Fold>, Error> {
        let split = match &self.split {
            Some(split) => *split,
            None if data.group_numbers().is_some() => Split::groups(FOLDS),
            None if data.targets().strata().is_some() => Split::stratified(FOLDS).shuffle(0),
            None => Split::k_fold(FOLDS).shuffle(0),
        };
        split.folds(data)
    }
}
