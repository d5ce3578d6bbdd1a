//! Histograms, and bars with intervals.

use super::canvas::{Area, Axis, chart, range};
use super::places::{label_of, shortened};
use super::series::guide;
use anyhow::Result;
use plotters::prelude::*;

/// The largest number of bins of a histogram.
const BINS: usize = 40;

/// The pixels for names on the vertical axis.
pub(crate) const NAMES: u32 = 200;

/// Plots a histogram of values, with about √n bins.
pub(crate) fn histogram(area: &Area<'_>, name: &str, values: &[f64]) -> Result<()> {
    let finite: Vec<f64> = values.iter().copied().filter(|value| value.is_finite()).collect();
    let all = range(finite.iter().copied());
    let bins = ((finite.len() as f64).sqrt().ceil() as usize).clamp(1, BINS);
    let width = (all.end - all.start) / bins as f64;
    let mut counts = vec![0_usize; bins];
    for value in &finite {
        counts[(((value - all.start) / width) as usize).min(bins - 1)] += 1;
    }
    let highest = counts.iter().copied().max().unwrap_or(0).max(1) as f64;
    let axes = (Axis::new(name, all.clone()), Axis::new("rows", 0.0..1.05 * highest));
    let mut chart = chart(area, None, 72, &axes.0, &axes.1)?;
    let bars = counts.iter().enumerate().map(|(bin, &count)| {
        let left = all.start + bin as f64 * width;
        let color = BLUE.mix(0.5).filled();
        Rectangle::new([(left, 0.0), (left + width, count as f64)], color)
    });
    chart.draw_series(bars)?;
    Ok(())
}

/// A bar with an interval.
pub(crate) struct Bar {
    pub(crate) name: String,
    pub(crate) value: f64,
    pub(crate) interval: [f64; 2],
}

/// Plots horizontal bars with intervals, the first at the top.
pub(crate) fn bars(area: &Area<'_>, name: &str, all: &[Bar]) -> Result<()> {
    let ends = all.iter().flat_map(|bar| bar.interval).chain([0.0]);
    let names: Vec<String> = all.iter().rev().map(|bar| shortened(&bar.name)).collect();
    let label = |place: f64| label_of(&names, place);
    let axes = (Axis::new(name, range(ends)), Axis::places("column", names.len(), &label));
    let mut chart = chart(area, None, NAMES, &axes.0, &axes.1)?;
    for (i, bar) in all.iter().rev().enumerate() {
        let place = i as f64;
        let corners = [(0.0, place - 0.35), (bar.value, place + 0.35)];
        chart.draw_series([Rectangle::new(corners, BLUE.mix(0.5).filled())])?;
        let [low, high] = bar.interval;
        let line = PathElement::new([(low, place), (high, place)], BLACK.stroke_width(2));
        chart.draw_series([line])?;
    }
    guide(&mut chart, [(0.0, -0.5), (0.0, all.len() as f64 - 0.5)])
}
