//! Models that predict together, with convex weights.

use super::goal::{Goal, argmax, predicted};
use super::leaderboard::Leaderboard;
use super::race::Entrant;
use crate::fitted::Fitted;
use crate::{Answers, Probabilities, Rows};
use faer::{Mat, Scale};
use kern_core::Error as CoreError;
use kern_solvers::{Error, Model, Report};
use serde::{Deserialize, Serialize};

/// Steps of the greedy choice: weights are multiples of one part in so many.
const STEPS: usize = 20;

/// The ensemble must be better than its best member by this share of the loss.
const GAIN: f64 = 0.003;

/// Members, at most.
const MOST: usize = 5;

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
    pub(super) fn new(
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
        let is_soft = self.members.iter().any(|member| member.has_probabilities());
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

/// The weights of these entrants and the nested score of the choice; `None` where nobody has
/// predictions for held-out rows. The best entrant alone has all the weight unless several are
/// better.
pub(super) fn chosen(
    goal: &Goal,
    weights: Option<&[f64]>,
    held: &[&Entrant],
    folds: &[Vec<usize>],
) -> (Option<Vec<f64>>, Option<f64>) {
    let matrices: Vec<&Mat<f64>> =
        held.iter().filter_map(|entrant| entrant.held.as_ref()).collect();
    let test: Vec<usize> = folds.concat();
    if matrices.is_empty() || test.is_empty() {
        return (None, None);
    }
    let everything: Vec<usize> = (0..test.len()).collect();
    let judge = Judge { goal, weights, matrices: &matrices, test: &test };
    let choice = judge.greedy(&everything);
    // Each fold is predicted with weights that the others choose.
    let mut nested = Mat::zeros(test.len(), matrices[0].ncols());
    let mut start = 0;
    for fold in folds {
        let own = start..start + fold.len();
        let others: Vec<usize> =
            everything.iter().copied().filter(|place| !own.contains(place)).collect();
        let weights = if others.is_empty() { choice.clone() } else { judge.greedy(&others) };
        let mixed = judge.mixed(&weights, &own.clone().collect::<Vec<_>>());
        nested.as_mut().subrows_mut(start, fold.len()).copy_from(&mixed);
        start = own.end;
    }
    let score = goal.score(nested.as_ref(), &test, weights);
    (Some(choice), Some(score))
}

struct Judge<'j> {
    goal: &'j Goal,
    weights: Option<&'j [f64]>,
    matrices: &'j [&'j Mat<f64>],
    /// The row of each prediction.
    test: &'j [usize],
}

impl Judge<'_> {
    /// The weighted mean of the predictions at these places.
    fn mixed(&self, weights: &[f64], places: &[usize]) -> Mat<f64> {
        let width = self.matrices[0].ncols();
        Mat::from_fn(places.len(), width, |i, k| {
            let parts = weights.iter().zip(self.matrices).filter(|(weight, _)| **weight > 0.0);
            parts.map(|(weight, matrix)| weight * matrix[(places[i], k)]).sum::<f64>()
        })
    }

    fn loss(&self, predicted: &Mat<f64>, places: &[usize]) -> f64 {
        let rows: Vec<usize> = places.iter().map(|&place| self.test[place]).collect();
        self.goal.loss(predicted.as_ref(), &rows, self.weights)
    }

    /// Adds the entrant that lowers the loss most, with replacement, and returns the best mixture
    /// on the way.
    fn greedy(&self, places: &[usize]) -> Vec<f64> {
        let count = self.matrices.len();
        let alone = |k: usize| {
            let mut weights = vec![0.0; count];
            weights[k] = 1.0;
            weights
        };
        let own: Vec<Mat<f64>> = (0..count).map(|k| self.mixed(&alone(k), places)).collect();
        let losses: Vec<f64> = own.iter().map(|own| self.loss(own, places)).collect();
        let first = (0..count).min_by(|&a, &b| losses[a].total_cmp(&losses[b])).unwrap_or(0);
        let (mut picks, mut sum) = (vec![0_usize; count], own[first].clone());
        picks[first] = 1;
        let (mut best, mut best_loss) = (alone(first), (1.0 - GAIN) * losses[first]);
        for step in 1..STEPS {
            let is_full = picks.iter().filter(|&&count| count > 0).count() >= MOST;
            let share = 1.0 / (step + 1) as f64;
            let with = |k: usize| {
                let mean = Scale(share) * (&sum + &own[k]);
                (k, self.loss(&mean, places))
            };
            let allowed = (0..count).filter(|&k| !is_full || picks[k] > 0);
            let next = allowed.map(with).min_by(|a, b| a.1.total_cmp(&b.1));
            let Some((k, loss)) = next else { break };
            picks[k] += 1;
            sum += &own[k];
            if loss < best_loss {
                best_loss = loss;
                best = picks.iter().map(|&picks| picks as f64 * share).collect();
            }
        }
        best
    }
}
