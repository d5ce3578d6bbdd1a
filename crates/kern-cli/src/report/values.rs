//! The section on predicted values: predictions and residuals.

use super::case::{Case, Outcome};
use super::format::number;
use super::page::{Page, Picture};
use super::sample::{at, sample};
use crate::pictures;
use anyhow::Result;

/// Largest number of points in a picture.
const POINTS: usize = 2000;

pub(crate) fn add(page: &mut Page, case: &Case<'_>) -> Result<()> {
    let Outcome::Values { truth, predicted } = &case.outcome else { return Ok(()) };
    page.section("values", "Predictions and residuals");
    let residuals: Vec<f64> = truth.iter().zip(predicted).map(|(y, f)| y - f).collect();
    let drawn = sample(truth.len(), POINTS, case.seed);
    let some = match drawn.len() < truth.len() {
        true => format!(" ({} of {} rows)", drawn.len(), truth.len()),
        false => String::new(),
    };
    let [y, f, e] = [truth, predicted, &residuals].map(|values| at(values, &drawn));

    let picture = Picture::new(|area| pictures::predictions(area, &y, &f))?;
    let alternative =
        format!("Targets from {}, predictions from {}", extent(truth), extent(predicted));
    page.picture(&format!("Predictions against targets{some}"), &alternative, &picture);

    let picture = Picture::new(|area| pictures::residuals(area, &f, &e))?;
    let alternative = format!("Residuals from {}", extent(&residuals));
    page.picture(&format!("Residuals against predictions{some}"), &alternative, &picture);

    let name = "residual (target − prediction)";
    let picture = Picture::new(|area| pictures::histogram(area, name, &residuals))?;
    let n = residuals.len() as f64;
    let mean = residuals.iter().sum::<f64>() / n;
    let spread = (residuals.iter().map(|e| (e - mean).powi(2)).sum::<f64>() / n).sqrt();
    let alternative = format!("Mean {}, standard deviation {}", number(mean), number(spread));
    page.picture("Histogram of the residuals", &alternative, &picture);
    page.paragraph(&format!("Residuals: {}.", alternative.to_lowercase()));
    Ok(())
}

/// The smallest and the largest value in words.
fn extent(values: &[f64]) -> String {
    let low = values.iter().copied().fold(f64::INFINITY, f64::min);
    let high = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    format!("{} to {}", number(low), number(high))
}
