//! Plots: ROC curves, predictions against targets, and the scores of a search.

use anyhow::{Context, Result};
use kern_table::{Probabilities, Search};
use plotters::coord::Shift;
use plotters::prelude::*;
use std::collections::BTreeSet;
use std::path::Path;

type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;

const SIZE: (u32, u32) = (640, 560);
const LETTERS: (&str, i32) = ("sans-serif", 16);

/// Largest number of classes with individual curves.
const CURVES: usize = 8;

/// Draws on a white page.
fn page(path: &Path, draw: impl FnOnce(&Area<'_>) -> Result<()>) -> Result<()> {
    let root = SVGBackend::new(path, SIZE).into_drawing_area();
    root.fill(&WHITE)?;
    draw(&root)?;
    root.present().with_context(|| path.display().to_string())
}

/// Plots ROC curves: the true-positive rate of each class against its false-positive rate, with the
/// area under the curve.
pub(crate) fn curves(path: &Path, truth: &[String], answers: &Probabilities) -> Result<()> {
    page(path, |area| {
        let mut chart = ChartBuilder::on(area)
            .margin(16)
            .caption("Receiver operating characteristic", LETTERS)
            .x_label_area_size(48)
            .y_label_area_size(56)
            .build_cartesian_2d(0.0..1.0, 0.0..1.0)?;
        chart
            .configure_mesh()
            .x_desc("others that are taken for it")
            .y_desc("found")
            .label_style(LETTERS)
            .max_light_lines(0)
            .draw()?;
        chart.draw_series([PathElement::new([(0.0, 0.0), (1.0, 1.0)], BLACK.mix(0.3))])?;
        for (k, class) in answers.classes.iter().enumerate().take(CURVES) {
            let (points, below) = curve(truth, answers, k);
            let color = Palette99::pick(k).to_rgba();
            let series = chart.draw_series([PathElement::new(points, color.stroke_width(2))])?;
            series.label(format!("{class}: {below:.3}")).legend(move |(x, y)| {
                PathElement::new([(x, y), (x + 20, y)], color.stroke_width(2))
            });
        }
        let place = SeriesLabelPosition::LowerRight;
        chart
            .configure_series_labels()
            .position(place)
            .label_font(LETTERS)
            .border_style(BLACK)
            .draw()?;
        Ok(())
    })
}

/// The ROC curve of a class, and the area under it. Rows with equal probability form one step.
fn curve(truth: &[String], answers: &Probabilities, k: usize) -> (Vec<(f64, f64)>, f64) {
    let mut rows: Vec<(f64, bool)> = (answers.rows.iter().zip(truth))
        .map(|(shares, class)| (shares[k], *class == answers.classes[k]))
        .collect();
    rows.sort_by(|a, b| b.0.total_cmp(&a.0));
    let all = rows.iter().filter(|row| row.1).count().max(1) as f64;
    let others = rows.iter().filter(|row| !row.1).count().max(1) as f64;
    let (mut found, mut wrong, mut below) = (0.0, 0.0, 0.0);
    let mut points = vec![(0.0, 0.0)];
    for equal in rows.chunk_by(|a, b| a.0.total_cmp(&b.0).is_eq()) {
        let before = (wrong / others, found / all);
        let hits = equal.iter().filter(|row| row.1).count();
        found += hits as f64;
        wrong += (equal.len() - hits) as f64;
        let after = (wrong / others, found / all);
        below += (after.0 - before.0) * f64::midpoint(before.1, after.1);
        points.push(after);
    }
    (points, below)
}

/// Plots predictions against targets.
pub(crate) fn answers(path: &Path, truth: &[f64], answers: &[f64]) -> Result<()> {
    let all = || truth.iter().chain(answers).copied();
    let (low, high) =
        (all().fold(f64::INFINITY, f64::min), all().fold(f64::NEG_INFINITY, f64::max));
    let margin = 0.03 * (high - low).max(f64::MIN_POSITIVE);
    let range = low - margin..high + margin;
    page(path, |area| {
        let mut chart = ChartBuilder::on(area)
            .margin(16)
            .x_label_area_size(48)
            .y_label_area_size(72)
            .build_cartesian_2d(range.clone(), range.clone())?;
        chart
            .configure_mesh()
            .x_desc("target")
            .y_desc("answer")
            .max_light_lines(0)
            .label_style(LETTERS)
            .draw()?;
        let diagonal = [(range.start, range.start), (range.end, range.end)];
        chart.draw_series([PathElement::new(diagonal, BLACK.mix(0.4))])?;
        let points = truth.iter().zip(answers).map(|(&y, &f)| (y, f));
        let color = BLUE.mix(0.5).filled();
        chart.draw_series(points.map(|point| Circle::new(point, 3, color)))?;
        Ok(())
    })
}

/// Plots the mean scores of a search over its first two hyper-parameters, and marks the best
/// candidate.
pub(crate) fn plane(path: &Path, search: &Search) -> Result<()> {
    let coordinate = |trial: usize, axis: usize| {
        search.trials[trial].settings.get(axis).and_then(kern_core::parameters::Setting::as_f64)
    };
    let cells: Vec<(usize, f64, f64, f64)> = (0..search.trials.len())
        .filter_map(|i| Some((i, coordinate(i, 0)?, coordinate(i, 1)?, search.trials[i].mean()?)))
        .collect();
    anyhow::ensure!(!cells.is_empty(), "a picture needs a search over two numbers");
    let values = |pick: fn(&(usize, f64, f64, f64)) -> f64| -> Vec<f64> {
        let bits: BTreeSet<u64> = cells.iter().map(|cell| pick(cell).to_bits()).collect();
        bits.into_iter().map(f64::from_bits).collect()
    };
    let (xs, ys) = (values(|cell| cell.1), values(|cell| cell.2));
    let means = || cells.iter().map(|cell| cell.3);
    let (low, high) =
        (means().fold(f64::INFINITY, f64::min), means().fold(f64::NEG_INFINITY, f64::max));
    let place = |list: &[f64], value: f64| list.iter().position(|v| v.to_bits() == value.to_bits());
    page(path, |area| {
        let caption =
            format!("{}: {low:.4} (light) to {high:.4} (dark), best in a frame", search.score);
        let mut chart = ChartBuilder::on(area)
            .margin(16)
            .caption(caption, LETTERS)
            .x_label_area_size(48)
            .y_label_area_size(88)
            .build_cartesian_2d(-0.5..xs.len() as f64 - 0.5, -0.5..ys.len() as f64 - 0.5)?;
        chart
            .configure_mesh()
            .disable_mesh()
            .x_labels(xs.len())
            .y_labels(ys.len())
            .x_label_formatter(&|x| label(&xs, *x))
            .y_label_formatter(&|y| label(&ys, *y))
            .x_desc(&search.names[0])
            .y_desc(&search.names[1])
            .label_style(LETTERS)
            .draw()?;
        for &(trial, x, y, mean) in &cells {
            let (Some(i), Some(j)) = (place(&xs, x), place(&ys, y)) else { continue };
            let share = if high > low { (mean - low) / (high - low) } else { 1.0 };
            let corner = |side: f64| (i as f64 + side, j as f64 + side);
            let color = shade(share);
            // Slightly larger than the cell, so that no seam is visible.
            chart.draw_series([Rectangle::new([corner(-0.502), corner(0.502)], color.filled())])?;
            if search.best == Some(trial) {
                let frame = ORANGE.stroke_width(4);
                chart.draw_series([Rectangle::new([corner(-0.46), corner(0.46)], frame)])?;
            }
        }
        Ok(())
    })
}

/// The frame of the best candidate, visible on light and dark cells.
const ORANGE: RGBColor = RGBColor(255, 127, 14);

/// Maps a score to a colour from nearly white to dark blue; the upper half of the scores gets most
/// of the shades.
fn shade(share: f64) -> RGBColor {
    let between = |light: f64, dark: f64| (light + share.powi(3) * (dark - light)).round() as u8;
    RGBColor(between(240.0, 8.0), between(246.0, 48.0), between(252.0, 107.0))
}

/// The value of a hyper-parameter at a position on the axis.
fn label(values: &[f64], place: f64) -> String {
    let near = place.round();
    let value = (near >= 0.0).then(|| values.get(near as usize)).flatten();
    value.map_or_else(String::new, |value| {
        let text = format!("{value:.3e}");
        let plain = format!("{value}");
        if plain.len() <= 6 { plain } else { text }
    })
}
