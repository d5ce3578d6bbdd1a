//! The picture: regions of the classes, lighter where the function is within the margins, points, and support vectors.

use anyhow::{Result, ensure};
use kern::Samples;
use plotters::coord::Shift;
use plotters::coord::types::RangedCoordf64;
use plotters::prelude::*;
use std::path::Path;

/// The colours of each class: where the function is beyond the margin, within it, and of points.
const BEYOND: [RGBColor; 2] = [RGBColor(183, 206, 250), RGBColor(255, 224, 165)];
const WITHIN: [RGBColor; 2] = [RGBColor(226, 236, 253), RGBColor(255, 244, 222)];
const POINTS: [RGBColor; 2] = [RGBColor(31, 80, 190), RGBColor(190, 105, 5)];
/// Cells of a region in each direction.
const CELLS: usize = 100;
/// The size of a part, and the height of what is written below.
const SIZE: (u32, u32) = (430, 450);
const LEGEND: u32 = 40;

type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;
type Plane<'a, 'b> = ChartContext<'a, SVGBackend<'b>, Cartesian2d<RangedCoordf64, RangedCoordf64>>;

/// A part of the picture.
#[derive(Debug)]
pub struct Panel<'m> {
    /// Its title.
    pub title: String,
    /// The values of the function at the [`cells`].
    pub values: Vec<f64>,
    /// Its support vectors.
    pub vectors: &'m Samples<f64>,
    /// The points that it has seen, from the first on.
    pub seen: usize,
}

/// The middles of the cells of a panel, row by row.
///
/// # Errors
/// None in practice: they are finite.
pub fn cells() -> Result<Samples<f64>> {
    let middle = |cell| f64::midpoint(at(cell), at(cell + 1));
    let cells = (0..CELLS).flat_map(|j| (0..CELLS).map(move |i| [middle(i), middle(j)]));
    Ok(Samples::from_rows(&cells.collect::<Vec<_>>())?)
}

/// The beginning of a cell.
fn at(cell: usize) -> f64 {
    cell as f64 / CELLS as f64
}

/// Draws a panel for each function: two in a row.
///
/// # Errors
/// If the file cannot be written, or there is not a value for each cell.
pub fn draw(path: &Path, panels: &[Panel<'_>], (x, y): (&Samples<f64>, &[bool])) -> Result<()> {
    let rows = panels.len().div_ceil(2);
    let height = SIZE.1 * rows as u32;
    let root = SVGBackend::new(path, (2 * SIZE.0, height + LEGEND)).into_drawing_area();
    root.fill(&WHITE)?;
    let (upper, lower) = root.split_vertically(height);
    for (panel, area) in panels.iter().zip(upper.split_evenly((rows, 2))) {
        draw_panel(&area, panel, (x, y))?;
    }
    draw_legend(&lower)?;
    root.present()?;
    Ok(())
}

fn draw_panel(area: &Area<'_>, panel: &Panel<'_>, (x, y): (&Samples<f64>, &[bool])) -> Result<()> {
    let mut chart = ChartBuilder::on(area)
        .margin(10)
        .caption(&panel.title, ("sans-serif", 19))
        .build_cartesian_2d(0.0..1.0, 0.0..1.0)?;
    draw_regions(&mut chart, &panel.values)?;
    let seen = x.as_slice().chunks_exact(2).zip(y).take(panel.seen);
    let dots = seen
        .map(|(row, &class)| Circle::new((row[0], row[1]), 2, POINTS[usize::from(class)].filled()));
    chart.draw_series(dots)?;
    let vectors = panel.vectors.as_slice().chunks_exact(2);
    let rings = vectors.map(|row| Circle::new((row[0], row[1]), 4, BLACK.stroke_width(1)));
    chart.draw_series(rings)?;
    Ok(())
}

/// Cells of one colour that are beside each other are one rectangle.
fn draw_regions(chart: &mut Plane<'_, '_>, values: &[f64]) -> Result<()> {
    ensure!(values.len() == CELLS * CELLS, "{} values, not one for each cell", values.len());
    for (j, row) in values.chunks_exact(CELLS).enumerate() {
        let mut start = 0;
        for run in row.chunk_by(|a, b| shade(*a) == shade(*b)) {
            let end = start + run.len();
            let corners = [(at(start), at(j)), (at(end), at(j + 1))];
            chart.draw_series([Rectangle::new(corners, shade(run[0]).filled())])?;
            start = end;
        }
    }
    Ok(())
}

/// The colour of a value of the function.
fn shade(value: f64) -> RGBColor {
    let class = usize::from(value > 0.0);
    if value.abs() < 1.0 { WITHIN[class] } else { BEYOND[class] }
}

fn draw_legend(area: &Area<'_>) -> Result<()> {
    let at = |k: usize| 20 + 215 * k as i32;
    let text = |k: usize, name| Text::new(name, (at(k) + 56, 10), ("sans-serif", 16));
    for (k, (colors, name)) in
        [(BEYOND, "beyond the margin"), (WITHIN, "within the margin")].into_iter().enumerate()
    {
        for (class, color) in (0..).zip(colors) {
            let left = at(k) + 24 * class;
            area.draw(&Rectangle::new([(left, 8), (left + 24, 28)], color.filled()))?;
        }
        area.draw(&text(k, name))?;
    }
    for (class, color) in (0..).zip(POINTS) {
        area.draw(&Circle::new((at(2) + 14 + 20 * class, 18), 3, color.filled()))?;
    }
    area.draw(&text(2, "points of the classes"))?;
    area.draw(&Circle::new((at(3) + 36, 18), 5, BLACK.stroke_width(1)))?;
    area.draw(&text(3, "support vectors"))?;
    Ok(())
}
