//! SVG in files and pages, and charts with labelled axes.

use anyhow::{Context, Result};
use plotters::coord::Shift;
use plotters::coord::types::RangedCoordf64;
use plotters::prelude::*;
use std::ops::Range;
use std::path::Path;

/// The area of a plot.
pub(crate) type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;

/// A chart of numbers against numbers.
pub(crate) type Chart<'a, 'b> =
    ChartContext<'a, SVGBackend<'b>, Cartesian2d<RangedCoordf64, RangedCoordf64>>;

/// The size of a plot in pixels.
pub(crate) const SIZE: (u32, u32) = (640, 560);

/// The font of all plots.
pub(crate) const LETTERS: (&str, i32) = ("sans-serif", 16);

/// The part of a range that is added at both ends.
const MARGIN: f64 = 0.03;

/// Draws on a white page, and writes it to a file.
pub(crate) fn save(path: &Path, draw: impl FnOnce(&Area<'_>) -> Result<()>) -> Result<()> {
    let text = rendered(SIZE, draw)?;
    std::fs::write(path, text).with_context(|| path.display().to_string())
}

/// Draws on a white page, and returns the elements inside `<svg>`.
pub(crate) fn elements(
    size: (u32, u32),
    draw: impl FnOnce(&Area<'_>) -> Result<()>,
) -> Result<String> {
    let text = rendered(size, draw)?;
    let start = text.find('>').map_or(0, |end| end + 1);
    let end = text.rfind("</svg>").unwrap_or(text.len());
    Ok(text.get(start..end).unwrap_or_default().to_string())
}

fn rendered(size: (u32, u32), draw: impl FnOnce(&Area<'_>) -> Result<()>) -> Result<String> {
    let mut text = String::new();
    {
        let root = SVGBackend::with_string(&mut text, size).into_drawing_area();
        root.fill(&WHITE)?;
        draw(&root)?;
        root.present()?;
    }
    Ok(text)
}

/// An axis of a chart.
pub(crate) struct Axis<'l> {
    /// The label.
    pub(crate) name: &'l str,
    pub(crate) range: Range<f64>,
    /// The number of ticks and the label of each, if they are not numbers.
    pub(crate) ticks: Option<(usize, &'l dyn Fn(f64) -> String)>,
}

impl<'l> Axis<'l> {
    pub(crate) const fn new(name: &'l str, range: Range<f64>) -> Self {
        Self { name, range, ticks: None }
    }

    /// An axis of `count` places at 0, 1, 2, …
    pub(crate) fn places(name: &'l str, count: usize, label: &'l dyn Fn(f64) -> String) -> Self {
        let range = -0.5..count as f64 - 0.5;
        Self { name, range, ticks: Some((count, label)) }
    }

    pub(crate) fn ticks(self, count: usize, label: &'l dyn Fn(f64) -> String) -> Self {
        Self { ticks: Some((count, label)), ..self }
    }
}

/// A chart with two axes; `left` pixels are reserved for the tick labels of the vertical axis.
pub(crate) fn chart<'a, 'b>(
    area: &'a Area<'b>,
    caption: Option<&str>,
    left: u32,
    x: &Axis<'_>,
    y: &Axis<'_>,
) -> Result<Chart<'a, 'b>> {
    let mut builder = ChartBuilder::on(area);
    builder.margin(16).x_label_area_size(48).y_label_area_size(left);
    if let Some(caption) = caption {
        builder.caption(caption, LETTERS);
    }
    let mut chart = builder.build_cartesian_2d(x.range.clone(), y.range.clone())?;
    let label = |axis: &Axis<'_>, value: f64| axis.ticks.map(|(_, label)| label(value));
    let (on_x, on_y) = (
        |value: &f64| label(x, *value).unwrap_or_default(),
        |value: &f64| label(y, *value).unwrap_or_default(),
    );
    let mut mesh = chart.configure_mesh();
    mesh.x_desc(x.name).y_desc(y.name).max_light_lines(0).label_style(LETTERS);
    if let Some((count, _)) = x.ticks {
        mesh.x_labels(count).x_label_formatter(&on_x);
    }
    if let Some((count, _)) = y.ticks {
        mesh.y_labels(count).y_label_formatter(&on_y);
    }
    mesh.draw()?;
    drop(mesh);
    Ok(chart)
}

/// The range of these values with a margin, wider than a point even if all are equal. Non-finite
/// values are ignored.
pub(crate) fn range(values: impl Iterator<Item = f64>) -> Range<f64> {
    let values = values.filter(|value| value.is_finite());
    let ends = |(low, high): (f64, f64), value: f64| (low.min(value), high.max(value));
    let (low, high) = values.fold((f64::INFINITY, f64::NEG_INFINITY), ends);
    if low > high {
        return 0.0..1.0;
    }
    let width = if high > low { high - low } else { low.abs().max(1.0) };
    low - MARGIN * width..high + MARGIN * width
}
