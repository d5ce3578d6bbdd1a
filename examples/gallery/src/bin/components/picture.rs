//! The picture: the images as dots of the colour of their digit, those that were not learned from as rings, and the digits where
//! most of theirs are.

use crate::projection::{Projection, digit};
use anyhow::Result;
use kern::Samples;
use kern_gallery::data::Labelled;
use plotters::coord::Shift;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};
use std::path::Path;

/// The colours of the digits.
const COLORS: [RGBColor; 10] = [
    RGBColor(31, 119, 180),
    RGBColor(214, 120, 20),
    RGBColor(44, 140, 44),
    RGBColor(200, 40, 40),
    RGBColor(130, 90, 180),
    RGBColor(130, 85, 70),
    RGBColor(210, 105, 180),
    RGBColor(110, 110, 110),
    RGBColor(155, 160, 20),
    RGBColor(15, 160, 180),
];
/// The size of a part.
const SIZE: (u32, u32) = (520, 520);

type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;

/// Draws the projections beside each other.
///
/// # Errors
/// If the file cannot be written.
pub(crate) fn draw(
    path: &Path,
    projections: &[Projection],
    (train, test): (&Labelled, &Labelled),
) -> Result<()> {
    let width = SIZE.0 * projections.len() as u32;
    let root = SVGBackend::new(path, (width, SIZE.1)).into_drawing_area();
    root.fill(&WHITE)?;
    let areas = root.split_evenly((1, projections.len()));
    for (projection, area) in projections.iter().zip(areas) {
        draw_one(&area, projection, (train, test))?;
    }
    root.present()?;
    Ok(())
}

fn draw_one(
    area: &Area<'_>,
    projection: &Projection,
    (train, test): (&Labelled, &Labelled),
) -> Result<()> {
    let share = 100.0 * projection.explained.iter().sum::<f64>();
    let accuracy = 100.0 * projection.accuracy;
    let caption =
        format!("{}: {share:.0} % explained, {accuracy:.0} % by neighbours", projection.kernel);
    let points = |samples: &Samples<f64>| -> Vec<(f64, f64)> {
        samples.as_slice().chunks_exact(2).map(|row| (row[0], row[1])).collect()
    };
    let (learned, others) = (points(&projection.learned), points(&projection.others));
    let range = |of: fn(&(f64, f64)) -> f64| {
        let values = || learned.iter().chain(&others).map(of);
        let (low, high) =
            (values().fold(f64::INFINITY, f64::min), values().fold(f64::NEG_INFINITY, f64::max));
        let margin = 0.05 * (high - low);
        low - margin..high + margin
    };
    let mut chart = ChartBuilder::on(area)
        .margin(12)
        .caption(caption, ("sans-serif", 18))
        .build_cartesian_2d(range(|point| point.0), range(|point| point.1))?;
    for (&at, label) in learned.iter().zip(&train.labels) {
        chart.draw_series([Circle::new(at, 2, COLORS[digit(label)?].filled())])?;
    }
    for (&at, label) in others.iter().zip(&test.labels) {
        chart.draw_series([Circle::new(at, 3, COLORS[digit(label)?].stroke_width(1))])?;
    }
    for (k, color) in COLORS.iter().enumerate() {
        let mut own = Vec::new();
        for (&at, label) in learned.iter().zip(&train.labels) {
            if digit(label)? == k {
                own.push(at);
            }
        }
        let Some(at) = middle(own) else { continue };
        chart.draw_series([Circle::new(at, 13, WHITE.mix(0.85).filled())])?;
        let style = ("sans-serif", 22).into_font().color(color);
        let style = style.pos(Pos::new(HPos::Center, VPos::Center));
        chart.draw_series([Text::new(k.to_string(), at, style)])?;
    }
    Ok(())
}

/// The medians of both coordinates, if there are points.
fn middle(points: Vec<(f64, f64)>) -> Option<(f64, f64)> {
    let median = |mut values: Vec<f64>| {
        values.sort_by(f64::total_cmp);
        values.get(values.len() / 2).copied()
    };
    let (x, y) = points.into_iter().unzip();
    Some((median(x)?, median(y)?))
}
