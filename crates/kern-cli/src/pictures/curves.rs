//! Curves over numbers and over names, and calibration.

use super::bars::NAMES;
use super::canvas::{Area, Axis, chart, range};
use super::places::{label_of, shortened};
use super::series::{Series, draw, guide};
use anyhow::Result;
use plotters::prelude::SeriesLabelPosition;

/// The pixels for the tick labels of values.
const LEFT: u32 = 80;

/// The number of ticks with a label of their own, such as dates, that fit below a chart.
const TICKS: usize = 5;

/// Curves with the names of their axes.
pub(crate) struct Curves<'l> {
    pub(crate) x: &'l str,
    pub(crate) y: &'l str,
    pub(crate) series: &'l [Series],
}

impl Curves<'_> {
    fn range(&self, pick: fn(&(f64, f64)) -> f64) -> std::ops::Range<f64> {
        range(self.series.iter().flat_map(|series| &series.points).map(pick))
    }
}

/// Plots curves; `tick` is the label of a value on the horizontal axis, if it is not a number.
pub(crate) fn lines(
    area: &Area<'_>,
    curves: &Curves<'_>,
    tick: Option<&dyn Fn(f64) -> String>,
) -> Result<()> {
    let x = Axis::new(curves.x, curves.range(|point| point.0));
    let x = match tick {
        Some(tick) => x.ticks(TICKS, tick),
        None => x,
    };
    let y = Axis::new(curves.y, curves.range(|point| point.1));
    let mut chart = chart(area, None, LEFT, &x, &y)?;
    draw(&mut chart, curves.series, SeriesLabelPosition::UpperRight)
}

/// Plots values for names, the first at the top. The vertical coordinates of the series are indices
/// of names.
pub(crate) fn dots(area: &Area<'_>, names: &[String], curves: &Curves<'_>) -> Result<()> {
    let last = names.len().saturating_sub(1) as f64;
    let shown: Vec<String> = names.iter().rev().map(|name| shortened(name)).collect();
    let label = |place: f64| label_of(&shown, place);
    let x = Axis::new(curves.x, curves.range(|point| point.0));
    let y = Axis::places(curves.y, names.len(), &label);
    let mut chart = chart(area, None, NAMES, &x, &y)?;
    let upwards = |series: &Series| Series {
        label: series.label.clone(),
        points: series.points.iter().map(|(x, y)| (*x, last - y)).collect(),
        ..*series
    };
    let series: Vec<Series> = curves.series.iter().map(upwards).collect();
    draw(&mut chart, &series, SeriesLabelPosition::UpperRight)
}

/// Plots the observed frequency of each class against its predicted probability.
pub(crate) fn calibration(area: &Area<'_>, series: &[Series]) -> Result<()> {
    let axis = |name| Axis::new(name, 0.0..1.0);
    let (x, y) = (axis("predicted probability"), axis("observed frequency"));
    let mut chart = chart(area, None, LEFT, &x, &y)?;
    guide(&mut chart, [(0.0, 0.0), (1.0, 1.0)])?;
    draw(&mut chart, series, SeriesLabelPosition::LowerRight)
}
