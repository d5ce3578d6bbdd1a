//! A contest of kernels and methods within a budget of time.
//!
//! 1. [Candidates](candidates) are combinations of a kernel, its scale, a metric of the columns, a
//!    method and its penalty.
//! 2. A [race](race) fits them to growing samples of the rows and keeps the best, until the last
//!    ones are fitted to all rows, by cross-validation (successive halving: Jamieson & Talwalkar
//!    2016, *Non-stochastic best arm identification and hyperparameter optimization*).
//! 3. The best predict [together](ensemble_weights) if that pays: convex weights, chosen greedily on the
//!    held-out predictions (Caruana et al. 2004, *Ensemble selection from libraries of models*).
//!
//! The score of the result is nested: the weights that predict a fold are chosen on the others.
//! Which candidates are reached depends on the time that they take, so that two runs may differ.

mod candidates;
mod ensemble_weights;
mod goal;
mod metric;
mod race;

use crate::evidence::{Evidence, Note, Scored};
use crate::fitted::{Ensemble, Entry, Fitted, Leaderboard};
use crate::{Error, Rows, Training};
use candidates::candidates;
use goal::Goal;
use kern_data::{Column, Schema};
use kern_solvers::Run;
use race::{Entrant, Finish, Race};
use std::time::Duration;
use web_time::Instant;

/// The rows of a contest, with all that is known of them.
#[derive(Clone, Copy)]
pub(crate) struct Table<'t> {
    pub(crate) schema: &'t Schema,
    pub(crate) rows: &'t Rows,
    pub(crate) target: &'t Column,
    pub(crate) weights: Option<&'t [f64]>,
    pub(crate) groups: Option<&'t [usize]>,
}

/// The result of a contest.
pub(crate) struct Winner {
    pub(crate) fitted: Fitted,
    pub(crate) kernel: String,
    pub(crate) evidence: Evidence,
    pub(crate) notes: Vec<Note>,
}

/// Lets kernels and methods compete for at most `budget`.
pub(crate) fn compete(
    training: &Training,
    table: Table<'_>,
    budget: Duration,
    run: &mut Run<'_>,
) -> Result<Winner, Error> {
    let start = Instant::now();
    let end = start.checked_add(budget);
    let end = [end, run.ends_at()].into_iter().flatten().min();
    let goal = Goal::new(training.task, table.target)?;
    let all = candidates(training, table.schema, &goal);
    let race = Race { training, table, goal: &goal, memory: run.budget(), start, end };
    let finish = race.run(all, run)?;
    winner(&race, finish)
}

/// Fits the best candidates to all rows.
fn winner(race: &Race<'_>, finish: Finish) -> Result<Winner, Error> {
    let Finish { mut entrants, folds, is_ended } = finish;
    let goal = race.goal;
    let held: Vec<_> = entrants.iter().filter(|entrant| entrant.held.is_some()).collect();
    let (choice, score) = ensemble_weights::chosen(goal, race.table.weights, &held, &folds);
    let weights = choice.as_deref().unwrap_or(&[1.0]);
    let best = entrants.first().ok_or(kern_solvers::Error::Empty)?;
    let score = score.unwrap_or(best.score);
    let (mut members, mut kernel, mut shares) = (Vec::new(), String::new(), Vec::new());
    for (number, &weight) in weights.iter().enumerate().filter(|(_, weight)| **weight > 0.0) {
        let Some(entrant) = entrants.get_mut(number) else { continue };
        // One member at least; the others as time allows.
        if !members.is_empty() && !race.has_time_for(entrant) {
            continue;
        }
        let (fitted, of) = race.on_all_rows(entrant)?;
        if weight > shares.iter().copied().fold(0.0, f64::max) {
            kernel = of;
        }
        entrant.weight = weight;
        members.push(fitted);
        shares.push(weight);
    }
    // Members that there was no time for leave their weight to the others.
    let total: f64 = shares.iter().sum();
    shares.iter_mut().for_each(|share| *share /= total);
    entrants.iter_mut().for_each(|entrant| entrant.weight /= total);
    let (name, constant) = (goal.score_name(), goal.constant_score(race.table.weights));
    let evidence = Evidence {
        score: name.to_string(),
        value: score,
        constant,
        scored: Scored::CrossValidation,
    };
    let tried = entrants.len();
    let leaderboard = Leaderboard {
        score: name.to_string(),
        seconds: race.start.elapsed().as_secs_f64(),
        entries: entrants.iter().map(entry).collect(),
    };
    let rows = race.table.rows.len();
    let ended = Note::SearchEnded { tried, rows, of: rows };
    let mut notes: Vec<Note> = is_ended.then_some(ended).into_iter().collect();
    notes.extend(evidence.idle_note());
    let fitted = Fitted::Contest(Ensemble::new(goal.classes(), shares, members, leaderboard)?);
    Ok(Winner { fitted, kernel, evidence, notes })
}

fn entry(entrant: &Entrant) -> Entry {
    Entry {
        kernel: entrant.candidate.kernel.clone(),
        scale: entrant.candidate.scale,
        method: entrant.candidate.description(),
        rows: entrant.rows,
        score: entrant.loss.is_finite().then_some(entrant.score),
        seconds: entrant.time.as_secs_f64(),
        weight: entrant.weight,
        failure: entrant.failure.clone(),
    }
}
