//! The learner that searches.

use super::candidates::{Strategy, candidates};
use super::{Axis, Trial, Tuned};
use crate::validation::{Fold, Score, Split};
use crate::{Data, Error, Learner, Model, Progress, Run, Status, Targets, fit_sugar};
use kern_core::Points;
use kern_core::parameters::{Parameter, Parameters, Setting, unknown};
use serde::{Deserialize, Serialize};
use std::ops::ControlFlow;

/// The number of folds unless a split is given.
const FOLDS: usize = 5;

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
    axes: Vec<(String, Axis)>,
    strategy: Strategy,
    split: Option<Split>,
}

impl<L, S> Tune<L, S> {
    /// A search for the best score of this learner, over no hyper-parameter yet.
    pub const fn new(learner: L, score: S) -> Self {
        Self { learner, score, axes: Vec::new(), strategy: Strategy::Grid, split: None }
    }

    /// Searches over a hyper-parameter, too.
    #[must_use]
    pub fn over(mut self, name: impl Into<String>, axis: impl Into<Axis>) -> Self {
        self.axes.push((name.into(), axis.into()));
        self
    }

    /// Draws so many candidates, each value independently of the others, in place of the grid (Bergstra & Bengio 2012).
    #[must_use]
    pub const fn random(mut self, draws: usize, seed: u64) -> Self {
        self.strategy = Strategy::Random { draws, seed };
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
        let candidates = candidates(self.strategy, &self.axes)?;
        // An unknown name is an error of the search, not of every candidate.
        let known = self.learner.parameters();
        if let Some((name, _)) =
            self.axes.iter().find(|(name, _)| known.iter().all(|p| p.name != *name))
        {
            return Err(unknown(name, &known).into());
        }
        let folds = self.folds(data)?;
        let watch = Watch { done: 0, total: candidates.len() * folds.len() + 1, best: None, run };
        Search { tune: self, data, folds, watch }.through(candidates)
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

/// Fits that are watched, and what is known of them.
struct Watch<'r, 'o> {
    /// The number of fits that are done, and that there will be.
    done: usize,
    total: usize,
    /// The best candidate until now, and its mean.
    best: Option<(usize, f64)>,
    run: &'r mut Run<'o>,
}

impl Watch<'_, '_> {
    /// Shows the progress of the search; says whether to go on.
    fn observe(&mut self) -> ControlFlow<()> {
        let loss = self.best.map_or(f64::NAN, |(_, mean)| mean);
        let progress = Progress { iteration: self.done, total: self.total, loss };
        self.run.observe(&progress)
    }

    /// Learns under the eyes of the observer; says whether it ended the fit.
    fn learn<P: Points, Y: Targets, L: Learner<P, Y>>(
        &mut self,
        learner: &L,
        data: &Data<'_, P, Y>,
    ) -> (ControlFlow<()>, Result<L::Model, Error>) {
        let (memory, limit) = (self.run.budget(), self.run.predicted_limit());
        let mut flow = ControlFlow::Continue(());
        let mut observer = |_: &Progress| {
            flow = self.observe();
            flow
        };
        let mut run = Run::new().memory(memory).time_limit(limit).observer(&mut observer);
        let model = learner.learn(data, &mut run);
        drop(run);
        self.done += 1;
        (flow, model)
    }
}

/// A search on its way.
struct Search<'s, 'd, 'r, 'o, P: Points, Y: Targets, L, S> {
    tune: &'s Tune<L, S>,
    data: &'s Data<'d, P, Y>,
    folds: Vec<Fold>,
    watch: Watch<'r, 'o>,
}

impl<P, Y, L, S> Search<'_, '_, '_, '_, P, Y, L, S>
where
    P: Points,
    Y: Targets,
    L: Learner<P, Y, Model: Model<P>> + Parameters,
    S: Score<P, Y, L::Model>,
{
    /// Tries the candidates, and learns the best one from all of the data.
    fn through(mut self, candidates: Vec<Vec<Setting>>) -> Result<Tuned<L::Model>, Error> {
        let mut trials: Vec<Trial> = Vec::new();
        let mut flow = self.watch.observe();
        for settings in candidates {
            if flow.is_break() {
                break;
            }
            let mut trial = Trial { settings, scores: Vec::new(), failure: None };
            flow = self.attempt(&mut trial);
            // A trial that was cut short has no mean, and is none.
            if flow.is_continue() {
                self.keep_best(trials.len(), &trial);
                trials.push(trial);
            }
        }
        let best = self.watch.best.map(|(place, _)| place);
        if let (None, Some(first)) = (best, trials.first())
            && flow.is_continue()
        {
            let first = first.failure.clone().unwrap_or_default();
            return Err(Error::Trials { tried: trials.len(), first });
        }
        let learner = match best {
            Some(best) => self.with(&trials[best].settings)?,
            None => self.tune.learner.clone(),
        };
        let (_, model) = self.watch.learn(&learner, self.data);
        let model = model?;
        let mut report = model.report().clone();
        if flow.is_break() {
            report.status = Status::Stopped;
        }
        let names = self.tune.axes.iter().map(|(name, _)| name.clone()).collect();
        Ok(Tuned::new((names, trials), best, (model, report)))
    }

    /// The learner with these hyper-parameters.
    fn with(&self, settings: &[Setting]) -> Result<L, Error> {
        let mut learner = self.tune.learner.clone();
        for ((name, _), setting) in self.tune.axes.iter().zip(settings) {
            learner.set_parameter(name, setting)?;
        }
        Ok(learner)
    }

    /// Scores a candidate on every fold, up to the first failure.
    fn attempt(&mut self, trial: &mut Trial) -> ControlFlow<()> {
        let learner = match self.with(&trial.settings) {
            Ok(learner) => learner,
            Err(error) => {
                trial.failure = Some(error.to_string());
                return ControlFlow::Continue(());
            }
        };
        for fold in &self.folds {
            let score = match self.data.select(&fold.train) {
                Ok(train) => {
                    let (flow, model) = self.watch.learn(&learner, &train);
                    flow?;
                    model.and_then(|model| {
                        self.tune.score.score(&model, &self.data.select(&fold.test)?)
                    })
                }
                Err(error) => Err(error),
            };
            match score {
                Ok(score) if score.is_finite() => trial.scores.push(score),
                Ok(score) => {
                    trial.failure = Some(format!("the {} is {score}", self.tune.score.name()));
                }
                Err(error) => trial.failure = Some(error.to_string()),
            }
            if trial.failure.is_some() {
                break;
            }
        }
        ControlFlow::Continue(())
    }

    /// Remembers a candidate that is better than all before it.
    fn keep_best(&mut self, place: usize, trial: &Trial) {
        let Some(mean) = trial.mean() else { return };
        let is_better = |best: f64| match self.tune.score.greater_is_better() {
            true => mean > best,
            false => mean < best,
        };
        if self.watch.best.is_none_or(|(_, best)| is_better(best)) {
            self.watch.best = Some((place, mean));
        }
    }
}
