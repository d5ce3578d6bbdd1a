//! A contest of kernels and methods within a budget of time.
//!
//! 1. [Candidates](candidates) are combinations of a kernel, its scale, a view of the columns (their
//!    ranks, and a metric learned from the targets), a method and its penalty.
//! 2. A [race](race) fits them to growing samples of the rows and keeps the best, until the last
//!    ones are fitted to all rows, by cross-validation (successive halving: Jamieson & Talwalkar
//!    2016, *Non-stochastic best arm identification and hyperparameter optimization*).
//! 3. [Variations](refine) of the best are tried for as long as there is time and they help.
//! 4. The best predict [together](ensemble_weights) if that pays: convex weights, chosen greedily on the
//!    held-out predictions (Caruana et al. 2004, *Ensemble selection from libraries of models*).
//!
//! The score of the result is nested: the weights that predict a fold are chosen on the others.
//! Which candidates are reached depends on the time that they take, so that two runs may differ.

mod candidates;
mod ensemble_weights;
mod goal;
mod part;
mod race;
mod refine;
mod relevance;
mod trial;

use crate::evidence::{Evidence, Note, Scored};
use crate::fitted::{Ensemble, Entry, Fitted, Leaderboard, Member};
use crate::table_fit::{Columns, Found, Learned, required};
use crate::{Error, Metric, Training};
use candidates::candidates;
use ensemble_weights::Choice;
use faer::Mat;
use goal::Goal;
use kern_solvers::Run;
use race::{End, Finish, Race};
use std::time::Duration;
use trial::Entrant;
use web_time::Instant;

/// Lets kernels and methods compete for at most `budget`.
pub(crate) fn compete(
    training: &Training,
    columns: Columns<'_>,
    budget: Duration,
    run: &mut Run<'_>,
) -> Result<Learned, Error> {
    let start = Instant::now();
    let end = start.checked_add(budget);
    let end = [end, run.ends_at()].into_iter().flatten().min();
    let metric = training.metric.unwrap_or(Metric::usual(training.task));
    let goal = Goal::new(training.task, metric, required(columns.target)?)?;
    let all = candidates(training, columns.schema, &goal, budget);
    let race = Race { training, columns, goal: &goal, memory: run.budget(), start, end };
    let finish = race.run(all, run)?;
    winner(&race, finish, budget)
}

/// Fits the best candidates to all rows.
fn winner(race: &Race<'_>, finish: Finish, budget: Duration) -> Result<Learned, Error> {
    let Finish { mut entrants, folds, factors: metrics, end } = finish;
    let (goal, weights) = (race.goal, race.columns.weights);
    race.prefer_quick_ones(&mut entrants, budget);
    // Those with predictions for the last round come first.
    let held: Vec<&Mat<f64>> = entrants.iter().map_while(|entrant| entrant.held.as_ref()).collect();
    let best = entrants.first().ok_or(kern_solvers::Error::Empty)?;
    let choose = |held: &[&Mat<f64>]| {
        let choice = ensemble_weights::chosen(goal, weights, held, &folds);
        choice.unwrap_or_else(|| Choice::alone(best.value))
    };
    let mut choice = choose(&held);
    let rows = race.columns.rows.len();
    let seconds = |(entrant, share): (&Entrant, &f64)| {
        if *share > 0.0 { entrant.predicted(rows) } else { 0.0 }
    };
    if !race.may_take(entrants.iter().zip(&choice.weights).map(seconds).sum(), budget) {
        choice = choose(&held[..held.len().min(1)]);
    }
    let Choice { weights: shares, factors, value, standard_error } = choice;
    entrants.iter_mut().zip(shares).for_each(|(entrant, share)| entrant.weight = share);
    let mut chosen: Vec<&Entrant> =
        entrants.iter().filter(|entrant| entrant.weight > 0.0).collect();
    chosen.sort_by(|a, b| b.weight.total_cmp(&a.weight));
    let views: Vec<_> = chosen.iter().map(|entrant| entrant.candidate.view).collect();
    let part = race.all_rows(&views, &metrics)?;
    let (mut members, mut kernel) = (Vec::new(), None);
    for entrant in chosen {
        let Found { fitted, kernel: of_member, .. } = race.fit_fully(entrant, &part)?;
        kernel.get_or_insert(of_member);
        let map = part.mapped(entrant.candidate.view.shape)?.map.clone();
        let (weight, link) = (entrant.weight, entrant.link.clone());
        members.push(Member { weight, map, fitted, link });
    }
    let evidence = Evidence {
        score: goal.metric.name().to_string(),
        value,
        standard_error,
        constant: goal.of_constant(weights),
        scored: Scored::CrossValidation,
    };
    let leaderboard = leaderboard(race, &entrants, end);
    let ended = Note::SearchEnded { tried: entrants.len(), rows, of: rows };
    let mut notes: Vec<Note> = (end == End::Early).then_some(ended).into_iter().collect();
    notes.extend(evidence.idle_note());
    let classes = goal.classes().to_vec();
    let fitted = Fitted::Contest(Ensemble::new(classes, factors, members, leaderboard)?);
    let kernel = kernel.unwrap_or_default();
    Ok(Learned { fitted, search: None, kernel, evidence: Some(evidence), notes })
}

impl Race<'_> {
    /// Returns true if final fits of this many seconds exceed the budget by less than half of it.
    fn may_take(&self, seconds: f64, budget: Duration) -> bool {
        const EXCESS: f64 = 0.5;
        let most = |remaining: Duration| remaining.as_secs_f64() + EXCESS * budget.as_secs_f64();
        self.remaining().is_none_or(|remaining| seconds <= most(remaining))
    }

    /// If the race did not reach all rows, and the best candidate is predicted to take much longer
    /// than there is time, the best of those that do not comes first, or the quickest.
    fn prefer_quick_ones(&self, entrants: &mut [Entrant], budget: Duration) {
        let seconds = |entrant: &Entrant| entrant.predicted(self.columns.rows.len());
        let is_quick = |entrant: &Entrant| self.may_take(seconds(entrant), budget);
        if entrants.first().is_none_or(|best| best.held.is_some() || is_quick(best)) {
            return;
        }
        let tried = || entrants.iter().enumerate().filter(|(_, e)| e.loss.is_finite());
        let in_time = tried().find(|(_, entrant)| is_quick(entrant));
        let quickest = || tried().min_by(|a, b| seconds(a.1).total_cmp(&seconds(b.1)));
        if let Some(place) = in_time.or_else(quickest).map(|(place, _)| place) {
            entrants[..=place].rotate_right(1);
        }
    }
}

fn leaderboard(race: &Race<'_>, entrants: &[Entrant], end: End) -> Leaderboard {
    let end = match end {
        End::Settled => "variations of the best are no better",
        End::Early | End::Late => "the time is over",
    };
    Leaderboard {
        score: race.goal.metric.name().to_string(),
        seconds: race.start.elapsed().as_secs_f64(),
        end: end.to_string(),
        entries: entrants.iter().map(entry).collect(),
    }
}

fn entry(entrant: &Entrant) -> Entry {
    Entry {
        kernel: entrant.candidate.kernel.clone(),
        scale: entrant.candidate.scale,
        method: entrant.candidate.description(),
        rows: entrant.rows,
        score: entrant.loss.is_finite().then_some(entrant.value),
        seconds: entrant.time.as_secs_f64(),
        weight: entrant.weight,
        failure: entrant.failure.clone(),
    }
}
