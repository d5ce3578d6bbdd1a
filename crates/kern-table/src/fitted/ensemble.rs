//! Models that predict together, with convex weights.

use super::columns::{argmax, predicted};
use super::{Fitted, Leaderboard};
use crate::{Answers, Probabilities, Rows};
use faer::{Mat, Scale};
use kern_core::Error as CoreError;
use kern_solvers::{Error, Model, Report};
use serde::{Deserialize, Serialize};

/// The weighted mean of the predictions of several models: of their values, or of their
/// probabilities, where a model without probabilities has 1 for its class.
#[derive(Debug, Serialize, Deserialize)]
#[serde(try_from = "Unchecked")]
pub(crate) struct Ensemble {
    /// The classes; none in regression.
    classes: Vec<String>,
    weights: Vec<f64>,
    members: Vec<Fitted>,
    leaderboard: Leaderboard,
}

/// An ensemble as it is deserialized, before its invariants are checked.
#[derive(Deserialize)]
struct Unchecked {
    classes: Vec<String>,
    weights: Vec<f64>,
    members: Vec<Fitted>,
    leaderboard: Leaderboard,
}

impl TryFrom<Unchecked> for Ensemble {
    type Error = CoreError;

    fn try_from(read: Unchecked) -> Result<Self, CoreError> {
        let Unchecked { classes, weights, members, leaderboard } = read;
        Self::new(classes, weights, members, leaderboard)
    }
}

impl Ensemble {
    pub(crate) fn new(
        classes: Vec<String>,
        weights: Vec<f64>,
        members: Vec<Fitted>,
        leaderboard: Leaderboard,
    ) -> Result<Self, CoreError> {
        CoreError::check_dimension("weights of members", members.len(), weights.len())?;
        let is_wrong = |weight: &&f64| !(weight.is_finite() && **weight >= 0.0);
        let wrong = weights.iter().find(is_wrong).copied();
        if let Some(given) = wrong.or(members.is_empty().then_some(0.0)) {
            let name = "the weight of a member";
            return Err(CoreError::Parameter { name, given, allowed: "at least 0, of one member" });
        }
        let width = members.first().map_or(0, Fitted::width);
        for member in &members {
            CoreError::check_dimension("columns of a member", width, member.width())?;
        }
        Ok(Self { classes, weights, members, leaderboard })
    }

    pub(crate) const fn leaderboard(&self) -> &Leaderboard {
        &self.leaderboard
    }

    /// The number of numeric columns.
    pub(crate) fn width(&self) -> usize {
        self.members.first().map_or(0, Fitted::width)
    }

    fn mean(&self, rows: &Rows) -> Result<Mat<f64>, Error> {
        let mut mean = Mat::zeros(rows.len(), self.classes.len().max(1));
        for (&weight, member) in self.weights.iter().zip(&self.members) {
            mean += Scale(weight) * predicted(member, rows, &self.classes)?;
        }
        Ok(mean)
    }

    /// The probabilities of classes, if these are classes.
    pub(crate) fn probabilities(&self, rows: &Rows) -> Option<Result<Probabilities, Error>> {
        if self.classes.is_empty() {
            return None;
        }
        let shares = |mean: Mat<f64>| {
            let row = |i: usize| (0..mean.ncols()).map(|k| mean[(i, k)]).collect();
            let rows = (0..mean.nrows()).map(row).collect();
            Probabilities { classes: self.classes.clone(), rows }
        };
        // Votes alone are no probabilities.
        let is_soft = self.has_probabilities();
        is_soft.then(|| self.mean(rows).map(shares))
    }

    /// Whether [`probabilities`](Self::probabilities) are available.
    pub(crate) fn has_probabilities(&self) -> bool {
        self.members.iter().any(Fitted::has_probabilities)
    }
}

impl Model<Rows> for Ensemble {
    type Answer = Answers;

    fn predict(&self, rows: &Rows) -> Result<Answers, Error> {
        let mean = self.mean(rows)?;
        if self.classes.is_empty() {
            return Ok(Answers::Numbers(mean.col(0).iter().copied().collect()));
        }
        let class = |i: usize| self.classes[argmax(mean.as_ref(), i)].clone();
        Ok(Answers::Classes((0..mean.nrows()).map(class).collect()))
    }

    fn report(&self) -> &Report {
        // There is a member, see `new`.
        self.members[0].report()
    }
}
