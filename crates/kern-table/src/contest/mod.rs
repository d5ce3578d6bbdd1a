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
use crate::table_fit::{Columns, Learned, required};
use crate::{Error, Training};
use candidates::candidates;
use ensemble_weights::Choice;
use faer::Mat;
use goal::Goal;
use kern_solvers::Run;
use race::{Entrant, Finish, Race};
use std::time::Duration;
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
    let goal = Goal::new(training.task, required(columns.target)?)?;
    let all = candidates(training, columns.schema, &goal);
    let race = Race { training, columns, goal: &goal, memory: run.budget(), start, end };
    let finish = race.run(all, run)?;
    winner(&race, finish)
}

/// Fits the best candidates to all rows.
fn winner(race: &Race<'_>, finish: Finish) -> Result<Learned, Error> {
    let Finish { mut entrants, folds, is_ended } = finish;
    let (goal, weights) = (race.goal, race.columns.weights);
    let best = entrants.first().ok_or(kern_solvers::Error::Empty)?;
    let held: Vec<&Mat<f64>> =
        entrants.iter().filter_map(|entrant| entrant.held.as_ref()).collect();
    let has_held = !held.is_empty();
    let alone = || Choice { weights: vec![1.0], score: best.score };
    let Choice { weights: shares, score } =
        ensemble_weights::chosen(goal, weights, &held, &folds).unwrap_or_else(alone);
    let mut chosen: Vec<_> = entrants
        .iter_mut()
        .filter(|entrant| entrant.held.is_some() == has_held)
        .zip(shares)
        .filter(|(_, share)| *share > 0.0)
        .collect();
    let part = race.all_rows(chosen.iter().any(|(entrant, _)| entrant.candidate.has_metric))?;
    let (mut members, mut kernel, mut largest) = (Vec::new(), String::new(), 0.0);
    for (entrant, share) in &mut chosen {
        // One member at least; the others as time allows.
        if !members.is_empty() && !race.has_time_for(entrant) {
            continue;
        }
        let found = race.fit_fully(entrant, &part)?;
        if *share > largest {
            (kernel, largest) = (found.kernel, *share);
        }
        entrant.weight = *share;
        members.push(found.fitted);
    }
    // Members that there was no time for leave their weight to the others.
    let total: f64 = entrants.iter().map(|entrant| entrant.weight).sum();
    entrants.iter_mut().for_each(|entrant| entrant.weight /= total);
    let shares = entrants.iter().map(|entrant| entrant.weight).filter(|weight| *weight > 0.0);
    let shares = shares.collect();
    let name = goal.score_name();
    let evidence = Evidence {
        score: name.to_string(),
        value: score,
        constant: goal.constant_score(weights),
        scored: Scored::CrossValidation,
    };
    let leaderboard = Leaderboard {
        score: name.to_string(),
        seconds: race.start.elapsed().as_secs_f64(),
        entries: entrants.iter().map(entry).collect(),
    };
    let rows = race.columns.rows.len();
    let ended = Note::SearchEnded { tried: entrants.len(), rows, of: rows };
    let mut notes: Vec<Note> = is_ended.then_some(ended).into_iter().collect();
    notes.extend(evidence.idle_note());
    let classes = goal.classes().to_vec();
    let fitted = Fitted::Contest(Ensemble::new(classes, shares, members, leaderboard)?);
    Ok(Learned { fitted, search: None, kernel, evidence: Some(evidence), notes })
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
