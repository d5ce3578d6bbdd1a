//! The scores of a search over two hyper-parameters.

use super::canvas::{Area, Axis, chart};
use anyhow::Result;
use kern_table::Search;
use plotters::prelude::*;
use std::collections::BTreeSet;

/// Plots the mean scores of a search over its first two hyper-parameters, and marks the best
/// candidate.
pub(crate) fn search_plane(area: &Area<'_>, search: &Search) -> Result<()> {
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
    let caption =
        format!("{}: {low:.4} (light) to {high:.4} (dark), best in a frame", search.score);
    let (on_x, on_y) = (|x: f64| label(&xs, x), |y: f64| label(&ys, y));
    let axes = (
        Axis::places(&search.names[0], xs.len(), &on_x),
        Axis::places(&search.names[1], ys.len(), &on_y),
    );
    let mut chart = chart(area, Some(&caption), 88, &axes.0, &axes.1)?;
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
