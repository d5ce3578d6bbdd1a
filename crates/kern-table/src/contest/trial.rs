//! A candidate in the race: its fits, and its results.

use super::candidates::Candidate;
use super::goal::{Targets, Tested};
use super::part::{Part, Viewed};
use super::race::{Race, Round};
use crate::Error;
use crate::fitted::{Link, outputs};
use crate::kernel::{Scale, build};
use crate::table_fit::{Fit, Found};
use faer::Mat;
use kern_solvers::{Run, Status};
use std::time::Duration;
use web_time::Instant;

/// The exponent of the time of a fit in the number of rows, for predictions.
const EXPONENT: f64 = 2.3;

/// Fits to at most this many rows select their own λ; larger ones take the λ of the round before.
const OWN_LAMBDA: usize = 1000;

/// A candidate and its results on the largest sample that it reached.
pub(super) struct Entrant {
    pub(super) candidate: Candidate,
    /// The rows of each of its last fits.
    pub(super) rows: usize,
    pub(super) loss: f64,
    /// The metric.
    pub(super) value: f64,
    /// The time of its last fits.
    pub(super) time: Duration,
    /// The number of these fits.
    fits: usize,
    /// The predictions for the test rows of the last round, in the order of its folds.
    pub(super) held: Option<Mat<f64>>,
    /// From the outputs of its models to predictions.
    pub(super) link: Link,
    /// The mean ln(nλ) of ridge regression: the noise of the targets, which does not depend on n.
    noise: Option<f64>,
    /// Its part of the ensemble.
    pub(super) weight: f64,
    /// Why it left, if a fit failed.
    pub(super) failure: Option<String>,
}

impl Entrant {
    pub(super) const fn new(candidate: Candidate) -> Self {
        Self {
            candidate,
            rows: 0,
            loss: f64::INFINITY,
            value: f64::NAN,
            time: Duration::ZERO,
            fits: 0,
            held: None,
            link: Link::Identity,
            noise: None,
            weight: 0.0,
            failure: None,
        }
    }

    /// A candidate that differs little from this one: it is expected to take the same time, and the
    /// same λ of ridge regression, until it is tried.
    pub(super) fn varied(&self, candidate: Candidate) -> Self {
        let noise =
            self.noise.filter(|_| candidate.has_logarithms == self.candidate.has_logarithms);
        let (rows, time, fits) = (self.rows, self.time, self.fits);
        Self { rows, time, fits, noise, ..Self::new(candidate) }
    }

    /// The predicted seconds of a fit to this many rows.
    pub(super) fn predicted(&self, rows: usize) -> f64 {
        /// One factorisation beside the eigenvalues that λ is selected by.
        const WITHOUT_SEARCH: f64 = 0.1;
        let one = self.time.as_secs_f64() / self.fits.max(1) as f64;
        let has_searched = self.noise.is_some() && self.rows <= OWN_LAMBDA;
        let factor = if has_searched && rows > OWN_LAMBDA { WITHOUT_SEARCH } else { 1.0 };
        // Fits on landmarks are linear in the rows, and cost as much as an exact fit to as many
        // rows as there are landmarks.
        let cost = |rows: usize| match self.candidate.landmarks(rows) {
            Some(landmarks) => (landmarks as f64).powf(EXPONENT - 1.0) * rows as f64,
            None => (rows as f64).powf(EXPONENT),
        };
        factor * one * (cost(rows) / cost(self.rows.max(1))).max(1.0)
    }
}

impl Race<'_> {
    /// Fits a candidate to a part of the rows.
    fn fit(&self, entrant: &Entrant, part: &Part) -> Result<Found, Error> {
        let (candidate, rows) = (&entrant.candidate, part.len());
        let Viewed { prepare, ready } = part.view(candidate.view)?;
        let mut training = candidate.training(self.training);
        if let Some(noise) = entrant.noise.filter(|_| rows > OWN_LAMBDA) {
            let lambda = candidate.relative_lambda * noise.exp() / rows as f64;
            training = training.set("lambda", lambda);
        }
        let scale = Scale { factor: candidate.scale, seed: training.seed };
        let weights = part.weights.as_deref();
        let kernel = build(&candidate.kernel, self.columns.schema, ready, weights, scale)?;
        let mut fit = Fit {
            training: &training,
            prepare: prepare.clone(),
            kernel,
            nystrom: None,
            rows: &part.mapped(candidate.view.shape)?.rows,
            ready,
            weights,
            groups: None,
        };
        fit.take(candidate.landmarks(rows).map(|landmarks| landmarks.min(rows)));
        let mut run = Run::new().memory(self.memory).deadline(self.end);
        let (method, places) = (candidate.method, &part.places);
        let found = match &self.goal.targets {
            Targets::Values(values) => {
                let shift = self.shift();
                let value = |&i: &usize| match candidate.has_logarithms {
                    true => (values[i] + shift).ln(),
                    false => values[i],
                };
                let values: Vec<f64> = places.iter().map(value).collect();
                fit.numbers(method, &values, &mut run)?
            }
            Targets::Classes { labels, .. } => {
                let labels: Vec<String> = places.iter().map(|&i| labels[i].clone()).collect();
                fit.classes(method, &labels, &mut run)?
            }
        };
        match found.fitted.report().status {
            Status::Stopped if self.end.is_some() => Err(Error::NotHere(LATE)),
            _ => Ok(found),
        }
    }

    /// What is added to targets before their logarithm: 0 if all are positive.
    fn shift(&self) -> f64 {
        let Targets::Values(values) = &self.goal.targets else { return 0.0 };
        let mean = values.iter().sum::<f64>() / values.len() as f64;
        if values.iter().all(|&y| y > 0.0) { 0.0 } else { mean }
    }

    /// Fits a candidate to the end.
    pub(super) fn fit_fully(&self, entrant: &Entrant, part: &Part) -> Result<Found, Error> {
        self.without_end().fit(entrant, part)
    }

    /// The results of a candidate on these rounds; its predictions are kept of the last ones.
    pub(super) fn tried(&self, mut entrant: Entrant, rounds: &[Round], is_last: bool) -> Entrant {
        match self.results(&entrant, rounds) {
            Ok(results) => {
                let Results { predicted, link, noise, time } = results;
                let test: Vec<usize> =
                    rounds.iter().flat_map(|round| round.test.iter().copied()).collect();
                let tested = Tested { rows: &test, weights: self.columns.weights };
                let loss = self.goal.loss(predicted.as_ref(), tested);
                if !loss.is_finite() {
                    entrant.failure = Some("its predictions are not finite".to_string());
                    return entrant;
                }
                let factors = self.goal.factors(predicted.as_ref(), tested);
                let rows: usize = rounds.iter().map(|round| round.part.len()).sum();
                Entrant {
                    rows: rows / rounds.len().max(1),
                    loss,
                    value: self.goal.value(predicted.as_ref(), tested, &factors),
                    time,
                    fits: rounds.len(),
                    held: is_last.then_some(predicted),
                    link,
                    noise: noise.or(entrant.noise),
                    ..entrant
                }
            }
            // What it reached on fewer rows still counts.
            Err(error) if is_late(&error) && self.end.is_some() => entrant,
            Err(error) => {
                entrant.failure = Some(error.to_string());
                entrant
            }
        }
    }

    fn results(&self, entrant: &Entrant, rounds: &[Round]) -> Result<Results, Error> {
        let start = Instant::now();
        let classes = self.goal.classes();
        let (mut parts, mut noises) = (Vec::with_capacity(rounds.len()), Vec::new());
        for round in rounds {
            let found = self.fit(entrant, &round.part)?;
            let selected = found.selected.map(|selected| selected.lambda);
            noises.extend(selected.map(|lambda| (lambda * round.part.len() as f64).ln()));
            let mapped = round.part.mapped(entrant.candidate.view.shape)?;
            parts.push(outputs(&found.fitted, &mapped.test_rows, classes)?);
        }
        let count = parts.iter().map(Mat::nrows).sum();
        let mut predicted = Mat::zeros(count, classes.len().max(1));
        let mut start_row = 0;
        for part in &parts {
            predicted.as_mut().subrows_mut(start_row, part.nrows()).copy_from(part);
            start_row += part.nrows();
        }
        let test = rounds.iter().flat_map(|round| &round.test);
        let link = match &self.goal.targets {
            Targets::Classes { codes, .. } => {
                Link::of_classes(predicted.as_ref(), &test.map(|&i| codes[i]).collect::<Vec<_>>())
            }
            Targets::Values(values) if entrant.candidate.has_logarithms => {
                let values: Vec<f64> = test.map(|&i| values[i]).collect();
                Link::exponential(predicted.as_ref(), &values, self.shift())
            }
            Targets::Values(_) => Link::Identity,
        };
        link.apply(&mut predicted);
        let mean = |noises: &[f64]| noises.iter().sum::<f64>() / noises.len() as f64;
        let noise = (!noises.is_empty()).then(|| mean(&noises));
        Ok(Results { predicted, link, noise, time: start.elapsed() })
    }
}

/// The reason of a fit that was stopped.
const LATE: &str = "its time was over";

/// Returns true if a fit was stopped, or refused, for lack of time.
fn is_late(error: &Error) -> bool {
    matches!(error, Error::NotHere(LATE) | Error::Solvers(kern_solvers::Error::TooLong { .. }))
}

/// The results of a candidate.
struct Results {
    predicted: Mat<f64>,
    link: Link,
    noise: Option<f64>,
    time: Duration,
}
