//! Curves and points in a chart, with a legend.

use super::canvas::{Chart, LETTERS};
use anyhow::Result;
use plotters::prelude::*;

/// The distance in parts of an axis below which points of a curve are left out.
const FINE: f64 = 1.0 / 1000.0;

/// Colours that stand out from white and from each other for most eyes (Okabe & Ito 2008, *Color
/// universal design*), without its yellow.
const COLOURS: [RGBColor; 7] = [
    RGBColor(0, 114, 178),
    RGBColor(213, 94, 0),
    RGBColor(0, 158, 115),
    RGBColor(204, 121, 167),
    RGBColor(86, 180, 233),
    RGBColor(230, 159, 0),
    RGBColor(0, 0, 0),
];

/// A curve, or points.
pub(crate) struct Series {
    /// The text of the legend; no entry if it is empty.
    pub(crate) label: String,
    pub(crate) points: Vec<(f64, f64)>,
    /// Whether the points are connected.
    pub(crate) line: bool,
    /// Whether each point is marked.
    pub(crate) marks: bool,
}

/// Draws the series in different colours.
pub(crate) fn draw<'a, 'b: 'a>(
    chart: &mut Chart<'a, 'b>,
    all: &[Series],
    legend: SeriesLabelPosition,
) -> Result<()> {
    for (k, series) in all.iter().enumerate() {
        let color = COLOURS[k % COLOURS.len()].to_rgba();
        let finite = series.points.iter().filter(|(x, y)| x.is_finite() && y.is_finite());
        let points: Vec<(f64, f64)> = finite.copied().collect();
        if series.marks {
            chart.draw_series(points.iter().map(|&at| Circle::new(at, 4, color.filled())))?;
        }
        let line = if series.line { points } else { Vec::new() };
        let drawn = chart.draw_series([PathElement::new(line, color.stroke_width(2))])?;
        if !series.label.is_empty() {
            drawn.label(series.label.clone()).legend(move |(x, y)| {
                PathElement::new([(x, y), (x + 20, y)], color.stroke_width(2))
            });
        }
    }
    if all.iter().any(|series| !series.label.is_empty()) {
        let mut labels = chart.configure_series_labels();
        labels.position(legend).label_font(LETTERS).border_style(BLACK);
        labels.background_style(WHITE.mix(0.8)).draw()?;
    }
    Ok(())
}

/// Draws a grey line between two points.
pub(crate) fn guide(chart: &mut Chart<'_, '_>, ends: [(f64, f64); 2]) -> Result<()> {
    chart.draw_series([PathElement::new(ends, BLACK.mix(0.4))])?;
    Ok(())
}

/// Leaves out points of a curve in the unit square that are too close to be seen apart.
pub(crate) fn thinned(points: &[(f64, f64)]) -> Vec<(f64, f64)> {
    let mut kept: Vec<(f64, f64)> = Vec::new();
    for (i, &(x, y)) in points.iter().enumerate() {
        let is_far = kept.last().is_none_or(|(a, b)| (x - a).abs() + (y - b).abs() > FINE);
        if is_far || i + 1 == points.len() {
            kept.push((x, y));
        }
    }
    kept
}
