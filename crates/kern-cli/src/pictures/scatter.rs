//! Scatter plots of predictions, targets and residuals.

use super::canvas::{Area, Axis, chart, range};
use super::series::guide;
use anyhow::Result;
use plotters::prelude::*;

/// The pixels for the tick labels of values.
const LEFT: u32 = 80;

fn points(chart: &mut super::canvas::Chart<'_, '_>, xs: &[f64], ys: &[f64]) -> Result<()> {
    let finite = xs.iter().zip(ys).filter(|(x, y)| x.is_finite() && y.is_finite());
    let color = BLUE.mix(0.5).filled();
    chart.draw_series(finite.map(|(&x, &y)| Circle::new((x, y), 3, color)))?;
    Ok(())
}

/// Plots predictions against targets.
pub(crate) fn predictions(area: &Area<'_>, truth: &[f64], predicted: &[f64]) -> Result<()> {
    let both = range(truth.iter().chain(predicted).copied());
    let axis = |name| Axis::new(name, both.clone());
    let mut chart = chart(area, None, LEFT, &axis("target"), &axis("prediction"))?;
    guide(&mut chart, [(both.start, both.start), (both.end, both.end)])?;
    points(&mut chart, truth, predicted)
}

/// Plots residuals, target minus prediction, against predictions.
pub(crate) fn residuals(area: &Area<'_>, predicted: &[f64], residuals: &[f64]) -> Result<()> {
    let x = range(predicted.iter().copied());
    let y = range(residuals.iter().copied().chain([0.0]));
    let (start, end) = (x.start, x.end);
    let axes = (Axis::new("prediction", x), Axis::new("residual (target − prediction)", y));
    let mut chart = chart(area, None, LEFT, &axes.0, &axes.1)?;
    guide(&mut chart, [(start, 0.0), (end, 0.0)])?;
    points(&mut chart, predicted, residuals)
}
