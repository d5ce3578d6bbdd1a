//! Models that predict together, with convex weights.

use super::columns::{largest, outputs};
use super::{ColumnMap, Fitted, Leaderboard, Link};
use crate::{Answers, Probabilities, Rows};
use faer::{Mat, Scale};
use kern_core::Error as CoreError;
use kern_solvers::{Error, Model, Report};
use serde::{Deserialize, Serialize};

/// The weighted mean of the predictions of several models: of their values, or of their
/// probabilities.
#[derive(Debug, Serialize, Deserialize)]
#[serde(try_from = "Unchecked")]
pub(crate) struct Ensemble {
    /// The classes; none in regression.
    classes: Vec<String>,
    /// The class with the largest product of probability and factor is predicted; none if all are 1.
    factors: Vec<f64>,
    members: Vec<Member>,
    leaderboard: Leaderboard,
}

/// A model with what precedes and follows it.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Member {
    pub(crate) weight: f64,
    pub(crate) map: ColumnMap,
    pub(crate) fitted: Fitted,
    pub(crate) link: Link,
}

/// An ensemble as it is deserialized, before its invariants are checked.
#[derive(Deserialize)]
struct Unchecked {
    classes: Vec<String>,
    factors: Vec<f64>,
    members: Vec<Member>,
    leaderboard: Leaderboard,
}

impl TryFrom<Unchecked> for Ensemble {
    type Error = CoreError;

    fn try_from(read: Unchecked) -> Result<Self, CoreError> {
        let Unchecked { classes, factors, members, leaderboard } = read;
        Self::new(classes, factors, members, leaderboard)
    }
}

impl Member {
    fn check(&self, classes: usize) -> Result<(), CoreError> {
        let wrong = |name, given, allowed| Err(CoreError::Parameter { name, given, allowed });
        let weight = self.weight;
        if !(weight.is_finite() && weight >= 0.0) {
            return wrong("the weight of a member", weight, "at least 0");
        }
        let (given, expected) = (self.fitted.width(), self.map.output_width());
        CoreError::check_dimension("columns of a member", expected, given)?;
        if !(self.map.is_valid() && self.link.is_valid(classes)) {
            return wrong("the map of a member", f64::NAN, "increasing, with a link of its task");
        }
        Ok(())
    }

    fn predicted(&self, rows: &Rows, classes: &[String]) -> Result<Mat<f64>, Error> {
        let mut found = outputs(&self.fitted, &self.map.transform(rows), classes)?;
        self.link.apply(&mut found);
        Ok(found)
    }
}

impl Ensemble {
    pub(crate) fn new(
        classes: Vec<String>,
        factors: Vec<f64>,
        members: Vec<Member>,
        leaderboard: Leaderboard,
    ) -> Result<Self, CoreError> {
        members.iter().try_for_each(|member| member.check(classes.len()))?;
        let Some(first) = members.first() else {
            let (name, allowed) = ("the number of members", "at least 1");
            return Err(CoreError::Parameter { name, given: 0.0, allowed });
        };
        for member in &members {
            let (expected, given) = (first.map.width(), member.map.width());
            CoreError::check_dimension("columns of a member", expected, given)?;
        }
        if !factors.is_empty() {
            CoreError::check_dimension("factors of classes", classes.len(), factors.len())?;
        }
        Ok(Self { classes, factors, members, leaderboard })
    }

    pub(crate) const fn leaderboard(&self) -> &Leaderboard {
        &self.leaderboard
    }

    /// The number of numeric columns.
    pub(crate) fn width(&self) -> usize {
        self.members.first().map_or(0, |member| member.map.width())
    }

    fn mean(&self, rows: &Rows) -> Result<Mat<f64>, Error> {
        let mut mean = Mat::zeros(rows.len(), self.classes.len().max(1));
        for member in &self.members {
            mean += Scale(member.weight) * member.predicted(rows, &self.classes)?;
        }
        Ok(mean)
    }

    /// The probabilities of classes, if these are classes.
    pub(crate) fn probabilities(&self, rows: &Rows) -> Option<Result<Probabilities, Error>> {
        let shares = |mean: Mat<f64>| {
            let row = |i: usize| (0..mean.ncols()).map(|k| mean[(i, k)]).collect();
            let rows = (0..mean.nrows()).map(row).collect();
            Probabilities { classes: self.classes.clone(), rows }
        };
        (!self.classes.is_empty()).then(|| self.mean(rows).map(shares))
    }
}

impl Model<Rows> for Ensemble {
    type Answer = Answers;

    fn predict(&self, rows: &Rows) -> Result<Answers, Error> {
        let mean = self.mean(rows)?;
        if self.classes.is_empty() {
            return Ok(Answers::Numbers(mean.col(0).iter().copied().collect()));
        }
        let class = |i: usize| self.classes[largest(mean.as_ref(), i, &self.factors)].clone();
        Ok(Answers::Classes((0..mean.nrows()).map(class).collect()))
    }

    fn report(&self) -> &Report {
        // There is a member, see `new`.
        self.members[0].fitted.report()
    }
}
