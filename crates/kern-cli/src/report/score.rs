//! The section on the score, next to the score expected at training.

use super::case::{Case, Outcome};
use super::format::{interval, number};
use super::page::Page;
use crate::scores::{Confusion, NORMAL, RegressionScores, brier, log_losses, wilson};
use kern_table::{Evidence, Metric, Probabilities, Scored};

/// A score with its 95 % interval.
#[derive(Clone, Copy)]
struct Estimate {
    value: f64,
    interval: [f64; 2],
}

impl Estimate {
    fn normal(value: f64, standard_error: f64) -> Self {
        let half = NORMAL * standard_error;
        Self { value, interval: [value - half, value + half] }
    }

    fn of_share(share: f64, rows: f64) -> Self {
        Self { value: share, interval: wilson(share.clamp(0.0, 1.0), rows) }
    }

    fn half(&self) -> f64 {
        (self.interval[1] - self.interval[0]) / 2.0
    }
}

/// The scores of a section.
struct Scores {
    name: &'static str,
    /// The score on these rows; `None` if it is undefined.
    found: Option<Estimate>,
    /// The score expected at training.
    expected: Option<Estimate>,
    /// How the intervals are computed.
    method: &'static str,
    /// Further scores.
    more: Vec<(&'static str, f64)>,
}

pub(crate) fn add(page: &mut Page, case: &Case<'_>) {
    page.section("score", "Score");
    let evidence = case.model.evidence();
    let trained = case.model.rows().max(1) as f64;
    let scores = match &case.outcome {
        Outcome::Values { truth, predicted } => of_values(truth, predicted, evidence, trained),
        Outcome::Classes { truth, predicted, probabilities } => {
            let confusion = Confusion::new(truth, predicted);
            let more = of_probabilities(truth, probabilities.as_ref());
            of_classes(&confusion, evidence, trained, more)
        }
    };
    let row = |name: String, estimate: Estimate| {
        vec![name, number(estimate.value), interval(estimate.interval)]
    };
    let mut rows: Vec<Vec<String>> = Vec::new();
    rows.extend(scores.found.map(|found| row("these rows".to_string(), found)));
    if let (Some(told), Some(expected)) = (evidence, scores.expected) {
        rows.push(row(format!("expected at training, {}", told.scored), expected));
        let constant = "constant prediction at training".to_string();
        rows.push(vec![constant, number(told.constant), "–".to_string()]);
    }
    let caption = format!("{} with 95 % intervals", scores.name);
    page.table(&caption, &["", scores.name, "95 % interval"], &rows);
    page.paragraph(scores.method);
    if let (Some(told), Some(expected), Some(found)) = (evidence, scores.expected, scores.found) {
        compare(page, found, expected, told);
    }
    if let Some(told) = evidence.filter(|told| told.score != scores.name) {
        page.paragraph(&format!("At training another score was told: {told}."));
    }
    let more = scores.more.iter().map(|(name, value)| vec![(*name).to_string(), number(*value)]);
    page.table("Further scores", &["score", "value"], &more.collect::<Vec<_>>());
}

/// Warns if the scores differ by more than their uncertainty.
fn compare(page: &mut Page, found: Estimate, expected: Estimate, told: &Evidence) {
    let difference = found.value - expected.value;
    if difference.abs() <= found.half().hypot(expected.half()) {
        page.paragraph("The two scores agree within their intervals.");
        return;
    }
    let reason = match (difference > 0.0, told.scored) {
        (true, _) => "the model may have been trained on these rows",
        (false, Scored::TrainingRows) => "the model fits its training rows better than others",
        (false, _) => "these rows may differ from the training rows",
    };
    let side = if difference > 0.0 { "above" } else { "below" };
    page.warning(&format!(
        "the score on these rows is {} {side} the score expected at training, more than the \
         intervals allow: {reason}.",
        number(difference.abs())
    ));
}

/// The score told at training, if it is this one, with its own standard error or an estimate.
fn expected(
    evidence: Option<&Evidence>,
    name: &str,
    estimate: impl Fn(f64) -> Estimate,
) -> Option<Estimate> {
    let told = evidence.filter(|told| told.score == name)?;
    Some(match told.standard_error {
        Some(error) => Estimate::normal(told.value, error),
        None => estimate(told.value),
    })
}

/// R² with the delta method. The score at training is assumed to vary as much per row.
fn of_values(
    truth: &[f64],
    predicted: &[f64],
    evidence: Option<&Evidence>,
    trained: f64,
) -> Scores {
    let scores = RegressionScores::new(truth, predicted);
    let scaled = scores.r2_error * (scores.rows as f64 / trained).sqrt();
    let name = Metric::R2.name();
    let evidence = scores.r2.and(evidence);
    let expected = expected(evidence, name, |value| Estimate::normal(value, scaled));
    let method = match scores.r2 {
        Some(_) => {
            "Intervals: a normal approximation from the influence of each row on R² (delta \
             method); the score at training is assumed to vary as much per row, unless it has a \
             standard error of its own."
        }
        None => "R² is undefined: all targets are equal.",
    };
    let more = vec![
        ("root mean squared error", scores.root_mean_squared_error),
        ("mean absolute error", scores.mean_absolute_error),
    ];
    let found = scores.r2.map(|value| Estimate::normal(value, scores.r2_error));
    Scores { name, found, expected, method, more }
}

/// The accuracy with the interval of Wilson.
fn of_classes(
    confusion: &Confusion,
    evidence: Option<&Evidence>,
    trained: f64,
    more: Vec<(&'static str, f64)>,
) -> Scores {
    let found = Estimate::of_share(confusion.accuracy(), confusion.rows as f64);
    let balanced = [("balanced accuracy", confusion.balanced_accuracy())];
    let name = Metric::Accuracy.name();
    Scores {
        name,
        found: Some(found),
        expected: expected(evidence, name, |value| Estimate::of_share(value, trained)),
        method: "Intervals: the Wilson score interval of a share of independent rows.",
        more: balanced.into_iter().chain(more).collect(),
    }
}

fn of_probabilities(
    truth: &[String],
    probabilities: Option<&Probabilities>,
) -> Vec<(&'static str, f64)> {
    let Some(found) = probabilities else { return Vec::new() };
    let losses = log_losses(truth, &found.classes, &found.rows);
    let mean = losses.iter().sum::<f64>() / losses.len() as f64;
    let brier = brier(truth, &found.classes, &found.rows);
    vec![("logarithmic loss", mean), ("Brier score", brier)]
}
