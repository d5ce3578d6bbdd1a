//! A learner that tunes hyper-parameters.

use super::attempts::{Attempts, Candidates, End, Kept, groups, with};
use super::grid::{Strategy, candidates};
use super::{Axis, Trial, Tuned, halving, ranges};
use crate::validation::{Fold, Score, Split};
use crate::{Data, Error, Learner, Model, Progress, Run, Status, Targets, fit_sugar};
use kern_core::Points;
use kern_core::parameters::{Parameter, Parameters, Setting, unknown};
use serde::{Deserialize, Serialize};
use std::ops::ControlFlow;
use std::time::Duration;
use web_time::Instant;

/// The default number of folds.
const FOLDS: usize = 5;

/// The default search is a grid for up to this many axes, and random for more.
const PLANE: usize = 2;
const DRAWS: usize = 60;

/// A learner whose hyper-parameters are chosen by cross-validation.
///
/// Every candidate is fitted to the training points of each fold and scored on the held-out ones;
/// the candidate with the best mean, the first one among ties, is refitted on all of the data. A
/// candidate whose fit fails is a failed [`Trial`]. By default there are five folds: of whole
/// groups if the data has groups, otherwise shuffled and, for classes, stratified;
/// [`split`](Tune::split) changes this.
///
/// An observer is called with the number of finished fits and the best mean so far, repeatedly
/// during each fit. If it or the [deadline](Run::deadline) ends the search, the model is that of
/// the best candidate so far: refitted on all of the data if the fit is predicted to finish in time
/// (five seconds after an observer has ended the search), otherwise the model from one of its
/// folds, as [`Tuned::points`] shows. A search that ends before any candidate was tried on all
/// folds is an [`Error::NoCandidate`].
///
/// # Complexity
/// Candidates × folds + 1 fits.
///
/// # Examples
/// See the [module](crate::search).
#[doc(alias = "GridSearchCV")]
#[doc(alias = "grid search")]
#[doc(alias = "hyperparameter search")]
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Tune<L, S> {
    learner: L,
    score: S,
    /// The searched axes; `None` for the default ranges.
    axes: Option<Vec<(String, Axis)>>,
    strategy: Strategy,
    halving: bool,
    split: Option<Split>,
}

impl<L, S> Tune<L, S> {
    /// Searches for the best score of this learner, over the [important
    /// hyper-parameters](super::ranges()) unless [`over`](Tune::over) sets others.
    pub const fn new(learner: L, score: S) -> Self {
        let (axes, strategy) = (None, Strategy::Grid);
        Self { learner, score, axes, strategy, halving: false, split: None }
    }

    /// Adds a hyper-parameter to the search.
    #[must_use]
    pub fn over(mut self, name: impl Into<String>, axis: impl Into<Axis>) -> Self {
        self.axes.get_or_insert_default().push((name.into(), axis.into()));
        self
    }

    /// Clears the searched hyper-parameters: unless some are added, the learner is scored as given.
    #[must_use]
    pub fn fixed(mut self) -> Self {
        self.axes = Some(Vec::new());
        self
    }

    /// Uses random search with this many independent draws instead of a grid (Bergstra & Bengio
    /// 2012).
    #[must_use]
    pub const fn random(mut self, draws: usize, seed: u64) -> Self {
        self.strategy = Strategy::Random { draws, seed };
        self
    }

    /// Uses successive halving (Jamieson & Talwalkar 2016): all candidates are tried on a subset of
    /// the points, the best third of them on three times as many, and so on up to all points. A
    /// subset has at least 100 points of a fold and is stratified; the best candidate is one of
    /// those tried on all points.
    #[must_use]
    pub const fn halving(mut self) -> Self {
        self.halving = true;
        self
    }

    /// Sets the folds for scoring.
    #[must_use]
    pub const fn split(mut self, split: Split) -> Self {
        self.split = Some(split);
        self
    }

    /// The learner as given.
    pub const fn learner(&self) -> &L {
        &self.learner
    }

    fit_sugar!(supervised);
}

/// The hyper-parameters of the learner; searched values override them.
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
    L: Learner<P, Y, Model: Model<P> + Send> + Parameters,
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
        let Rungs { trials, total, done, end, kept } = search.rungs(&candidates, &folds, run);
        let tried: Vec<&Trial> = trials.iter().flatten().collect();
        // Only candidates that were tried on the largest subset count.
        let furthest = tried.iter().map(|trial| trial.fraction).fold(0.0, f64::max);
        let last = |place: &usize| trials[*place].as_ref().is_some_and(|t| t.fraction >= furthest);
        let last: Vec<usize> = (0..trials.len()).filter(last).collect();
        let Some(best) = halving::best(&last, &trials, 1, greater).pop() else {
            return Err(match (end, tried.first()) {
                (None, Some(first)) => {
                    let first = first.failure.clone().unwrap_or_default();
                    Error::Trials { tried: tried.len(), first }
                }
                _ => Error::NoCandidate { done, total },
            });
        };
        let learner = search.with(&candidates[best])?;
        let kept = kept.filter(|(place, _)| *place == best).map(|(_, kept)| kept);
        let (model, points) = search.last(&learner, total, end, kept, run)?;
        let mut report = model.report().clone();
        if end.is_some() || points < data.len() {
            report.status = Status::Stopped;
        }
        let before = trials[..best].iter().flatten().count();
        let trials = trials.into_iter().flatten().collect();
        Ok(Tuned::new(names, trials, before, model, points, report))
    }
}

/// The time allowed for the last fit after the observer has ended the search.
const GRACE: Duration = Duration::from_secs(5);

/// The trials of all candidates so far.
struct Rungs<M> {
    trials: Vec<Option<Trial>>,
    /// The number of all fits including the last, and that of completed ones.
    total: usize,
    done: usize,
    /// The reason for an early end, if any.
    end: Option<End>,
    /// The index of the best candidate, and its model from one fold.
    kept: Option<(usize, Kept<M>)>,
}

/// A search in progress.
struct Search<'s, 'd, P: Points, Y: Targets, L, S> {
    tune: &'s Tune<L, S>,
    data: &'s Data<'d, P, Y>,
    names: &'s [String],
}

impl<P, Y, L, S> Search<'_, '_, P, Y, L, S>
where
    P: Points,
    Y: Targets,
    L: Learner<P, Y, Model: Model<P> + Send> + Parameters,
    S: Score<P, Y, L::Model> + Clone + Send + Sync,
{
    fn rungs(
        &self,
        candidates: &[Vec<Setting>],
        folds: &[Fold],
        run: &mut Run<'_>,
    ) -> Rungs<L::Model> {
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
        let mut kept = None;
        for (rung, &share) in shares.iter().enumerate() {
            let part: Vec<Vec<Setting>> =
                alive.iter().map(|&place| candidates[place].clone()).collect();
            let folds = halving::thinned(folds, self.data, share);
            let given = Candidates {
                learner: &self.tune.learner,
                score: &self.tune.score,
                names: self.names,
                settings: &part,
            };
            let attempts = Attempts::new(given, self.data, folds, done, total, run);
            if attempts.observe().is_continue() {
                attempts.all(&groups(&part, axis));
            }
            let found = attempts.outcome(share);
            done = found.done;
            // If a rung ended before its first candidate, the best one of the previous rung is
            // kept.
            kept = found.kept.map(|(place, model)| (alive[place], model)).or(kept);
            for (&place, trial) in alive.iter().zip(found.trials) {
                trials[place] = trial.or(trials[place].take());
            }
            match counts.get(rung + 1) {
                Some(&next) if found.end.is_none() => {
                    let greater = self.tune.score.greater_is_better();
                    alive = halving::best(&alive, &trials, next, greater);
                }
                _ => return Rungs { trials, total, done, end: found.end, kept },
            }
        }
        Rungs { trials, total, done, end: None, kept }
    }

    /// The learner with these hyper-parameters.
    fn with(&self, settings: &[Setting]) -> Result<L, Error> {
        with(&self.tune.learner, self.names, settings)
    }

    /// The model of the best candidate and the number of its training points: all of them, unless
    /// the search ended early with too little time left. Then it is the model from one fold.
    fn last(
        &self,
        learner: &L,
        total: usize,
        end: Option<End>,
        kept: Option<Kept<L::Model>>,
        run: &mut Run<'_>,
    ) -> Result<(L::Model, usize), Error> {
        let n = self.data.len();
        let room = match end {
            None => None,
            Some(End::Observer) => Some(Instant::now() + GRACE),
            Some(End::Deadline) => run.ends_at(),
        };
        let is_late =
            |kept: &Kept<L::Model>| room.is_some_and(|room| Instant::now() + kept.refit(n) > room);
        let kept = match kept {
            Some(kept) if is_late(&kept) => return Ok((kept.model, kept.points)),
            kept => kept,
        };
        let alike = run.alike();
        let progress = Progress::new(total - 1, total, f64::NAN);
        // A short refit is preferred to a model from a fold, so an observer cannot interrupt it.
        let is_short = kept.as_ref().is_some_and(|kept| kept.refit(n) <= GRACE);
        let mut observer = |_: &Progress| match run.observe(&progress) {
            ControlFlow::Break(()) if !is_short => ControlFlow::Break(()),
            _ => ControlFlow::Continue(()),
        };
        let found = learner.learn(self.data, &mut alike.observer(&mut observer));
        match (found, kept) {
            (Ok(model), Some(kept)) if model.report().status == Status::Stopped => {
                Ok((kept.model, kept.points))
            }
            (Err(Error::Stopped { .. }), Some(kept)) => Ok((kept.model, kept.points)),
            (Err(_), Some(kept)) if end.is_some() => Ok((kept.model, kept.points)),
            (found, _) => Ok((found?, n)),
        }
    }
}

impl<L: Parameters, S> Tune<L, S> {
    /// The axes, by default the important hyper-parameters, and the strategy.
    fn axes(&self) -> Result<(Vec<(String, Axis)>, Strategy), Error> {
        let Some(axes) = &self.axes else {
            let axes = ranges(&self.learner);
            let strategy = match self.strategy {
                Strategy::Grid if axes.len() > PLANE => Strategy::Random { draws: DRAWS, seed: 0 },
                given => given,
            };
            return Ok((axes, strategy));
        };
        // An unknown name is an error of the search rather than of every candidate.
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
            None if data.group_ids().is_some() => Split::groups(FOLDS),
            None if data.targets().strata().is_some() => {
                Split::stratified(FOLDS).shuffle(0).allow_rare_classes()
            }
            None => Split::k_fold(FOLDS).shuffle(0),
        };
        split.folds(data)
    }
}
