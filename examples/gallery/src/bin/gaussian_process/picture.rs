//! The picture: the prior, and two posteriors, as a mean with an interval and some samples.

use crate::process::{Curves, END, PLACES, WIDTH, truth};
use anyhow::Result;
use kern::Samples;
use plotters::coord::Shift;
use plotters::element::DashedPathElement;
use plotters::prelude::*;
use std::path::Path;

/// The interval, the mean, samples, and what is true.
const INTERVAL: RGBColor = RGBColor(214, 226, 250);
const MEAN: RGBColor = RGBColor(31, 80, 190);
const SAMPLE: RGBColor = RGBColor(140, 165, 215);
const TRUTH: RGBColor = RGBColor(205, 120, 10);
/// The size of a part.
const SIZE: (u32, u32) = (440, 400);
/// The values that are drawn.
const VALUES: std::ops::Range<f64> = -3.2..4.0;

type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;

/// Draws a part for each distribution, with the points that it has seen.
///
/// # Errors
/// If the file cannot be written.
pub(crate) fn draw(
    path: &Path,
    parts: &[(String, Curves)],
    (x, y): (&Samples<f64>, &[f64]),
) -> Result<()> {
    let width = SIZE.0 * parts.len() as u32;
    let root = SVGBackend::new(path, (width, SIZE.1 + 40)).into_drawing_area();
    root.fill(&WHITE)?;
    let (upper, lower) = root.split_vertically(SIZE.1);
    for (k, area) in upper.split_evenly((1, parts.len())).iter().enumerate() {
        // The prior has seen nothing.
        let seen = if k == 0 { &[] } else { y };
        draw_part(area, &parts[k], (x.as_slice(), seen))?;
    }
    draw_legend(&lower)?;
    root.present()?;
    Ok(())
}

fn draw_part(
    area: &Area<'_>,
    (caption, curves): &(String, Curves),
    (x, y): (&[f64], &[f64]),
) -> Result<()> {
    let mut chart = ChartBuilder::on(area)
        .margin(10)
        .caption(caption, ("sans-serif", 19))
        .x_label_area_size(34)
        .y_label_area_size(40)
        .build_cartesian_2d(0.0..END, VALUES)?;
    chart
        .configure_mesh()
        .label_style(("sans-serif", 15))
        .x_label_formatter(&|x| format!("{x:.0}"))
        .y_label_formatter(&|y| format!("{y:.0}"))
        .max_light_lines(0)
        .draw()?;
    let place = |i: usize| END * i as f64 / (PLACES - 1) as f64;
    let cut = |value: f64| value.clamp(VALUES.start, VALUES.end);
    let line = |of: &dyn Fn(usize) -> f64| -> Vec<(f64, f64)> {
        (0..PLACES).map(|i| (place(i), cut(of(i)))).collect()
    };
    let mut outline = line(&|i| curves.mean[i] + WIDTH * curves.deviation[i]);
    outline.extend(line(&|i| curves.mean[i] - WIDTH * curves.deviation[i]).into_iter().rev());
    chart.draw_series([Polygon::new(outline, INTERVAL.filled())])?;
    for function in 0..curves.samples.ncols() {
        let sample = line(&|i| curves.samples[(i, function)]);
        chart.draw_series([PathElement::new(sample, SAMPLE.stroke_width(1))])?;
    }
    chart.draw_series([DashedPathElement::new(
        line(&|i| truth(place(i))),
        7,
        4,
        TRUTH.stroke_width(2),
    )])?;
    chart.draw_series([PathElement::new(line(&|i| curves.mean[i]), MEAN.stroke_width(3))])?;
    let seen = x.iter().zip(y).map(|(&x, &y)| Circle::new((x, y), 4, BLACK.filled()));
    chart.draw_series(seen)?;
    Ok(())
}

fn draw_legend(area: &Area<'_>) -> Result<()> {
    let at = |k: usize| 60 + 250 * k as i32;
    let text = |k: usize, name| Text::new(name, (at(k) + 44, 6), ("sans-serif", 17));
    area.draw(&Rectangle::new([(at(0), 4), (at(0) + 34, 24)], INTERVAL.filled()))?;
    area.draw(&text(0, "95 % of the function"))?;
    for (k, (name, color, width)) in
        [("mean", MEAN, 3), ("samples", SAMPLE, 1)].into_iter().enumerate()
    {
        let ends = [(at(k + 1), 14), (at(k + 1) + 34, 14)];
        area.draw(&PathElement::new(ends, color.stroke_width(width)))?;
        area.draw(&text(k + 1, name))?;
    }
    let ends = [(at(3), 14), (at(3) + 34, 14)];
    area.draw(&DashedPathElement::new(ends, 7, 4, TRUTH.stroke_width(2)))?;
    area.draw(&text(3, "the function"))?;
    area.draw(&Circle::new((at(4) + 17, 14), 4, BLACK.filled()))?;
    area.draw(&text(4, "targets"))?;
    Ok(())
}
