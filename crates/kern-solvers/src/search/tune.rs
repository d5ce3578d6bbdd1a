//! The learner that searches.

use super::attempts::{Attempts, groups};
use super::candidates::{Strategy, candidates};
use super::{Axis, Tuned};
use crate::validation::{Fold, Score, Split};
use crate::{Data, Error, Learner, Model, Run, Status, Targets, fit_sugar};
use kern_core::Points;
use kern_core::parameters::{Parameter, Parameters, Setting, unknown};
use serde::{Deserialize, Serialize};

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
        let names: Vec<String> = self.axes.iter().map(|(name, _)| name.clone()).collect();
        let axis = names.iter().rposition(|name| self.learner.has_path(name));
        let attempts = Attempts::new(
            (&self.learner, &self.score),
            (names.clone(), &candidates),
            (data, folds),
            run,
        );
        if attempts.observe().is_continue() {
            attempts.all(&groups(&candidates, axis));
        }
        let (trials, best, flow) = attempts.trials();
        if let (None, Some(first)) = (best, trials.first())
            && flow.is_continue()
        {
            let first = first.failure.clone().unwrap_or_default();
            return Err(Error::Trials { tried: trials.len(), first });
        }
        let learner = match best {
            Some(best) => attempts.with(&trials[best].settings)?,
            None => self.learner.clone(),
        };
        let model = attempts.last(&learner)?;
        let mut report = model.report().clone();
        if flow.is_break() {
            report.status = Status::Stopped;
        }
        Ok(Tuned::new((names, trials), best, (model, report)))
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
