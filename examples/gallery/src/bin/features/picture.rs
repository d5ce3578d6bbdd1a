//! The error of every feature map by its number of features.

use crate::comparison::{MAPS, Map, Outcome};
use anyhow::Result;
use plotters::coord::Shift;
use plotters::element::DashedPathElement;
use plotters::prelude::*;
use std::path::Path;

/// Outcomes by map, then by number of features; Nyström features are at most as many as points.
pub(crate) type Outcomes = [Vec<Outcome>; MAPS.len()];

/// Cold colours for random features, warm ones and black for landmarks.
const COLORS: [RGBColor; MAPS.len()] = [
    RGBColor(31, 119, 180),
    RGBColor(23, 190, 207),
    RGBColor(44, 160, 44),
    RGBColor(148, 103, 189),
    RGBColor(154, 170, 20),
    RGBColor(110, 120, 150),
    RGBColor(20, 20, 20),
    RGBColor(255, 127, 14),
    RGBColor(227, 119, 194),
    RGBColor(214, 39, 40),
];

type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;

/// Draws lines on logarithmic axes, and what they are beside them.
///
/// # Errors
/// If the file cannot be written.
pub(crate) fn draw(path: &Path, caption: &str, dims: &[usize], outcomes: &Outcomes) -> Result<()> {
    const CHART_WIDTH: u32 = 640;
    let root = SVGBackend::new(path, (CHART_WIDTH + 240, 560)).into_drawing_area();
    root.fill(&WHITE)?;
    let (left, right) = root.split_horizontally(CHART_WIDTH);
    draw_lines(&left, caption, dims, outcomes)?;
    draw_legend(&right)?;
    root.present()?;
    Ok(())
}

fn draw_lines(area: &Area<'_>, caption: &str, dims: &[usize], outcomes: &Outcomes) -> Result<()> {
    let lines = outcomes.each_ref().map(|outcomes| {
        let points = dims.iter().zip(outcomes).map(|(&dim, o)| (dim as f64, o.error));
        points.filter(|&(_, error)| error > 0.0).collect::<Vec<_>>()
    });
    let errors = || lines.iter().flatten().map(|&(_, error)| error);
    let (low, high) = (errors().fold(f64::INFINITY, f64::min), errors().fold(0.0, f64::max));
    let (first, last) = (dims[0] as f64, dims[dims.len() - 1] as f64);
    // Above all lines, parallel to what independent features do.
    let reference = [first, last].map(|dim| (dim, 1.5 * high * (first / dim).sqrt()));
    let top = reference[0].1;
    let decades = 10_f64.powf(low.log10().floor())..10_f64.powf(top.log10().ceil());

    let x_axis = (first / 1.1..1.1 * last).log_scale().base(2.0);
    let mut chart = ChartBuilder::on(area)
        .margin(16)
        .caption(caption, ("sans-serif", 20))
        .x_label_area_size(54)
        .y_label_area_size(80)
        .build_cartesian_2d(x_axis, decades.log_scale())?;
    chart
        .configure_mesh()
        .x_desc("number of features D")
        .y_desc("root mean square error of kernel values")
        .axis_desc_style(("sans-serif", 18))
        .label_style(("sans-serif", 15))
        .x_label_formatter(&|x| format!("{x:.0}"))
        .y_label_formatter(&|y| format!("{y:.0e}"))
        .max_light_lines(0)
        .draw()?;
    chart.draw_series([DashedPathElement::new(reference, 6, 4, GRAY)])?;
    for ((line, color), (_, map)) in lines.into_iter().zip(COLORS).zip(MAPS) {
        chart.draw_series(line.iter().map(|&point| marker(map, point, color)))?;
        chart.draw_series([PathElement::new(line, color.stroke_width(2))])?;
    }
    Ok(())
}

/// A triangle for landmarks, a circle for random features.
fn marker<'a, C: Clone + 'static>(
    map: Map,
    at: C,
    color: RGBColor,
) -> DynElement<'static, SVGBackend<'a>, C> {
    match map {
        Map::Nystrom(_) => TriangleMarker::new(at, 5, color.filled()).into_dyn(),
        _ => Circle::new(at, 3, color.filled()).into_dyn(),
    }
}

fn draw_legend(area: &Area<'_>) -> Result<()> {
    let row = |k: usize| 70 + 24 * k as i32;
    let text = |k, name| Text::new(name, (40, row(k) - 7), ("sans-serif", 16));
    for (k, ((name, map), color)) in MAPS.into_iter().zip(COLORS).enumerate() {
        area.draw(&PathElement::new([(4, row(k)), (32, row(k))], color.stroke_width(2)))?;
        area.draw(&marker(map, (18, row(k)), color))?;
        area.draw(&text(k, name))?;
    }
    let last = row(MAPS.len());
    area.draw(&DashedPathElement::new([(4, last), (32, last)], 6, 4, GRAY))?;
    area.draw(&text(MAPS.len(), "slope −1/2"))?;
    Ok(())
}

/// The colour of all that is beside the maps.
const GRAY: RGBColor = RGBColor(130, 130, 130);
