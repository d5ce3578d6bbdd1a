//! Single draws, means of draws, and how often means are far off.

use crate::estimator::{Estimator, Means, Outcome, hoeffding, hoeffding_error};
use anyhow::{Context, Result};
use plotters::coord::Shift;
use plotters::prelude::*;
use std::f64::consts::TAU;
use std::path::Path;

type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;

type Line = Vec<(f64, f64)>;

const BARS: RGBColor = RGBColor(158, 188, 218);
const VALUE: RGBColor = RGBColor(200, 50, 40);
const NORMAL: RGBColor = RGBColor(40, 40, 40);
const BOUND: RGBColor = RGBColor(225, 125, 20);
const OBSERVED: RGBColor = RGBColor(31, 90, 160);

/// Draws three charts side by side, of single draws and of the means of so many features.
///
/// # Errors
/// If the file cannot be written, or there are no such means.
pub(crate) fn draw(
    path: &Path,
    estimator: &Estimator,
    outcome: &Outcome,
    features: usize,
) -> Result<()> {
    let means = outcome.means.iter().find(|means| means.features == features);
    let means = means.with_context(|| format!("no means of {features} draws"))?;
    let root = SVGBackend::new(path, (1380, 480)).into_drawing_area();
    root.fill(&WHITE)?;
    let areas = root.split_evenly((1, 3));
    draw_single(&areas[0], estimator, outcome)?;
    draw_means(&areas[1], estimator, means)?;
    draw_tails(&areas[2], estimator, means)?;
    root.present()?;
    Ok(())
}

/// Bars of the intervals of [low, high] as a density.
fn bars(counts: &[usize], (low, high): (f64, f64)) -> Vec<(f64, f64, f64)> {
    let (width, total) = ((high - low) / counts.len() as f64, counts.iter().sum::<usize>() as f64);
    let bar = |(k, &count): (usize, &usize)| {
        let left = low + width * k as f64;
        (left, left + width, count as f64 / (total * width))
    };
    counts.iter().enumerate().map(bar).collect()
}

fn largest(bars: &[(f64, f64, f64)]) -> f64 {
    bars.iter().map(|bar| bar.2).fold(0.0, f64::max)
}

/// A chart of a density: bars, and the kernel's value as a line.
fn draw_density(
    area: &Area<'_>,
    (caption, axis): (&str, &str),
    bars: &[(f64, f64, f64)],
    value: f64,
    curve: impl Fn(f64) -> Option<f64>,
) -> Result<()> {
    let (low, high) = (bars[0].0, bars[bars.len() - 1].1);
    let top = 1.25 * largest(bars);
    let mut chart = ChartBuilder::on(area)
        .margin(14)
        .caption(caption, ("sans-serif", 21))
        .x_label_area_size(52)
        .y_label_area_size(62)
        .build_cartesian_2d(low..high, 0.0..top)?;
    chart
        .configure_mesh()
        .x_desc(axis)
        .y_desc("density")
        .axis_desc_style(("sans-serif", 18))
        .label_style(("sans-serif", 16))
        .x_labels(5)
        .y_labels(5)
        .disable_mesh()
        .draw()?;
    let rectangles = bars
        .iter()
        .map(|&(left, right, y)| Rectangle::new([(left, 0.0), (right, y)], BARS.filled()));
    chart.draw_series(rectangles)?;
    let places = (0..=240).map(|k| low + (high - low) * f64::from(k) / 240.0);
    let line: Vec<_> = places.filter_map(|x| Some((x, curve(x)?))).collect();
    if !line.is_empty() {
        chart
            .draw_series([PathElement::new(line, NORMAL.stroke_width(2))])?
            .label("normal curve")
            .legend(|(x, y)| PathElement::new([(x, y), (x + 24, y)], NORMAL.stroke_width(2)));
    }
    chart
        .draw_series([PathElement::new([(value, 0.0), (value, top)], VALUE.stroke_width(2))])?
        .label(format!("K(x, y) = {value:.4}"))
        .legend(|(x, y)| PathElement::new([(x, y), (x + 24, y)], VALUE.stroke_width(2)));
    chart
        .configure_series_labels()
        .position(SeriesLabelPosition::UpperLeft)
        .label_font(("sans-serif", 16))
        .background_style(WHITE.mix(0.85))
        .draw()?;
    Ok(())
}

fn draw_single(area: &Area<'_>, estimator: &Estimator, outcome: &Outcome) -> Result<()> {
    let bars = bars(&outcome.single, (-2.0, 2.0));
    let text = ("single draws", "2·cos(ωᵀx + b)·cos(ωᵀy + b)");
    draw_density(area, text, &bars, estimator.value(), |_| None)
}

fn draw_means(area: &Area<'_>, estimator: &Estimator, means: &Means) -> Result<()> {
    const COUNT: usize = 60;
    let value = estimator.value();
    let spread = (estimator.variance() / means.features as f64).sqrt();
    let (low, high) = (value - 4.5 * spread, value + 4.5 * spread);
    let mut counts = vec![0; COUNT];
    for mean in &means.values {
        let place = (mean - low) / (high - low) * COUNT as f64;
        if (0.0..COUNT as f64).contains(&place) {
            counts[place as usize] += 1;
        }
    }
    let caption = format!("means of D = {} draws", means.features);
    draw_density(
        area,
        (&caption, "estimate ψ(x)ᵀψ(y)"),
        &bars(&counts, (low, high)),
        value,
        |x| {
            let z = (x - value) / spread;
            Some((-0.5 * z * z).exp() / (spread * TAU.sqrt()))
        },
    )
}

/// The least probability that is drawn.
const SMALLEST: f64 = 1e-5;

/// P(|N(0, spread²)| ≥ a), by the trapezoidal rule.
fn normal_tail(a: f64, spread: f64) -> f64 {
    let (from, steps, width) = (a / spread, 2000, 8.0 / 2000.0);
    let density = |k: i32| {
        let z = from + width * f64::from(k);
        (-0.5 * z * z).exp() / TAU.sqrt()
    };
    2.0 * width * (0.5 * density(0) + (1..steps).map(density).sum::<f64>())
}

fn draw_tails(area: &Area<'_>, estimator: &Estimator, means: &Means) -> Result<()> {
    let (value, d) = (estimator.value(), means.features);
    let spread = (estimator.variance() / d as f64).sqrt();
    let last = hoeffding_error(d, 1e-3);
    let errors: Vec<f64> = (0..=300).map(|k| last * f64::from(k) / 300.0).collect();
    let mut chart = ChartBuilder::on(area)
        .margin(14)
        .caption("how often an error is a or more", ("sans-serif", 21))
        .x_label_area_size(52)
        .y_label_area_size(70)
        .build_cartesian_2d(0.0..last, (SMALLEST..1.3).log_scale())?;
    chart
        .configure_mesh()
        .x_desc("a")
        .y_desc("P(|ψ(x)ᵀψ(y) − K(x, y)| ≥ a)")
        .axis_desc_style(("sans-serif", 18))
        .label_style(("sans-serif", 16))
        .x_labels(5)
        .y_label_formatter(&|y| format!("{y:.0e}"))
        .max_light_lines(0)
        .draw()?;
    let bound = errors.iter().map(|&a| (a, hoeffding(d, a))).collect();
    let normal = errors.iter().map(|&a| (a, normal_tail(a, spread)));
    let normal = normal.filter(|&(_, p)| p > SMALLEST).collect();
    let share = |&a: &f64| (a, means.share(value, a));
    let observed = errors.iter().map(share).filter(|&(_, p)| p > 0.0).collect();
    let lines: [(Line, RGBColor, &str); 3] = [
        (bound, BOUND, "Hoeffding: 2·exp(−Da²/8)"),
        (normal, NORMAL, "normal"),
        (observed, OBSERVED, "observed"),
    ];
    for (line, color, name) in lines {
        chart
            .draw_series([PathElement::new(line, color.stroke_width(2))])?
            .label(name)
            .legend(move |(x, y)| PathElement::new([(x, y), (x + 24, y)], color.stroke_width(2)));
    }
    chart
        .configure_series_labels()
        .position(SeriesLabelPosition::LowerRight)
        .label_font(("sans-serif", 13))
        .background_style(WHITE.mix(0.85))
        .draw()?;
    Ok(())
}
