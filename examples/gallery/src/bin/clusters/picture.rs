//! The picture: the rings with the regions of their clusters, and the digits nearest to each centre.

use crate::digits::nearest_to_centres;
use crate::rings::Rings;
use anyhow::Result;
use kern::kernels::Rbf;
use kern::solvers::{Clusters, KernelExpansion};
use kern::{Points, Samples};
use plotters::coord::Shift;
use plotters::prelude::*;
use std::path::Path;

/// The clusters of the digits.
type Digits = Clusters<KernelExpansion<Samples<f64>, Rbf>>;

type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;

/// The colours of a region and of the points of each cluster. They differ in lightness, too.
const REGIONS: [RGBColor; 2] = [RGBColor(198, 216, 255), RGBColor(255, 236, 190)];
const POINTS: [RGBColor; 2] = [RGBColor(31, 80, 190), RGBColor(205, 120, 10)];
/// Cells of a region in each direction, and half the width of what is drawn.
const CELLS: usize = 90;
const HALF: f64 = 3.8;
/// Colours between those of two clusters.
const SHADES: f64 = 12.0;
/// Images of each cluster, pixels in a row of one, and units of the picture for a pixel.
const IMAGES: usize = 5;
const SIDE: usize = 8;
const PIXEL: usize = 8;
/// The size of the picture, and the height of the part with the rings.
const SIZE: (u32, u32) = (960, 780);
const RINGS: u32 = 350;

/// Draws both parts.
///
/// # Errors
/// If the file cannot be written.
pub(crate) fn draw(path: &Path, rings: &Rings, digits: &Digits) -> Result<()> {
    let root = SVGBackend::new(path, SIZE).into_drawing_area();
    root.fill(&WHITE)?;
    let (upper, lower) = root.split_vertically(RINGS);
    let cells = shares_of_cells(rings)?;
    let points = rings.rbf.decision().points();
    let shares = rings.shares(points)?;
    for (way, area) in upper.split_evenly((1, shares.len())).iter().enumerate() {
        draw_rings(area, rings.labels()[way].0, &cells[way], (points, &shares[way]))?;
    }
    draw_digits(&lower, digits)?;
    root.present()?;
    Ok(())
}

/// The left or lower end of a cell.
fn end(cell: usize) -> f64 {
    HALF * (2.0 * cell as f64 / CELLS as f64 - 1.0)
}

/// The shares of the first cluster in the middle of each cell, row by row.
fn shares_of_cells(rings: &Rings) -> Result<[Vec<f64>; 3]> {
    let middle = |cell| f64::midpoint(end(cell), end(cell + 1));
    let row = |y: usize| (0..CELLS).map(move |x| [middle(x), middle(y)]);
    let centres: Vec<[f64; 2]> = (0..CELLS).flat_map(row).collect();
    rings.shares(&Samples::from_rows(&centres)?)
}

/// A colour between two.
fn mix([first, second]: [RGBColor; 2], share: f64) -> RGBColor {
    let share = (SHADES * share).round() / SHADES;
    let part = |a: u8, b: u8| (share * f64::from(a) + (1.0 - share) * f64::from(b)).round() as u8;
    RGBColor(part(first.0, second.0), part(first.1, second.1), part(first.2, second.2))
}

/// Regions, row by row as runs of one colour, under the points.
///
/// A run goes half a cell further to the right and up, so that nothing shines through where two meet: what comes next covers it.
fn draw_rings(
    area: &Area<'_>,
    caption: &str,
    cells: &[f64],
    (points, shares): (&Samples<f64>, &[f64]),
) -> Result<()> {
    let mut chart = ChartBuilder::on(area)
        .margin(12)
        .caption(caption, ("sans-serif", 22))
        .build_cartesian_2d(-HALF..HALF, -HALF..HALF)?;
    let beyond = |cell: usize| (end(cell) + HALF / CELLS as f64).min(HALF);
    for (y, row) in cells.chunks(CELLS).enumerate() {
        let mut start = 0;
        let colors: Vec<RGBColor> = row.iter().map(|&share| mix(REGIONS, share)).collect();
        for run in colors.chunk_by(|a, b| a == b) {
            let corners = [(end(start), end(y)), (beyond(start + run.len()), beyond(y + 1))];
            chart.draw_series([Rectangle::new(corners, run[0].filled())])?;
            start += run.len();
        }
    }
    for (i, &share) in shares.iter().enumerate() {
        let point = points.item(i);
        let color = mix(POINTS, share);
        chart.draw_series([Circle::new((point[0], point[1]), 3, color.filled())])?;
    }
    Ok(())
}

/// A row of images for each cluster in two columns, with the number of its points.
fn draw_digits(area: &Area<'_>, model: &Digits) -> Result<()> {
    let text = |size: u32| ("sans-serif", size).into_font();
    let caption = "digits: of each cluster the images nearest to its centre";
    area.draw(&Text::new(caption, (210, 4), text(22)))?;
    let sizes = model.sizes();
    let half = sizes.len().div_ceil(2);
    for (c, images) in nearest_to_centres(model, IMAGES)?.iter().enumerate() {
        let (x, y) = (14 + c / half * 480, 40 + c % half * 76);
        let size = format!("{} images", sizes[c]);
        area.draw(&Text::new(size, (x as i32, y as i32 + 20), text(16)))?;
        for (place, &image) in images.iter().enumerate() {
            let corner = (x + 90 + place * (SIDE + 1) * PIXEL, y);
            draw_image(area, corner, model.decision().points().item(image))?;
        }
    }
    Ok(())
}

/// Dark pixels on white, in runs of one shade.
fn draw_image(area: &Area<'_>, (left, top): (usize, usize), pixels: &[f64]) -> Result<()> {
    for (y, row) in pixels.chunks(SIDE).enumerate() {
        let mut start = 0;
        for run in row.chunk_by(|a, b| a.total_cmp(b).is_eq()) {
            let at = |x: usize, y: usize| ((left + x * PIXEL) as i32, (top + y * PIXEL) as i32);
            let corners = [at(start, y), at(start + run.len(), y + 1)];
            let shade = (255.0 * (1.0 - run[0])).round() as u8;
            start += run.len();
            if shade < u8::MAX {
                let color = RGBColor(shade, shade, shade);
                area.draw(&Rectangle::new(corners, color.filled()))?;
            }
        }
    }
    Ok(())
}
