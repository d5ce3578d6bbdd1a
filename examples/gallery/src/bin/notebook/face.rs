//! The demo problem of the Cornell lecture on kernels and SGD: a face in the unit square, and its picture.

use kern::solvers::{Classifier, Decision};
use kern::{Error, Samples};
use plotters::prelude::*;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::path::Path;

/// Points of the training set, and of the test set.
pub(crate) const N: usize = 1024;
/// γ of the RBF kernel.
pub(crate) const GAMMA: f64 = 100.0;
/// The step size.
pub(crate) const ALPHA: f64 = 0.1;
/// Steps per point.
pub(crate) const EPOCHS: usize = 20;

/// The classes, and the colours of their regions and points. They differ in lightness, too.
const CLASSES: [(&str, i8); 2] = [("face", -1), ("elsewhere", 1)];
const REGIONS: [RGBColor; 2] = [RGBColor(198, 216, 255), RGBColor(255, 244, 214)];
const POINTS: [RGBColor; 2] = [RGBColor(31, 80, 190), RGBColor(214, 140, 20)];

/// Tells whether a point belongs to the face: an eye, the other eye, or the mouth.
#[must_use]
pub(crate) fn is_face([x, y]: [f64; 2]) -> bool {
    let distance = |a: f64, b: f64| (x - a).hypot(y - b);
    let eyes = distance(0.25, 0.75) < 0.15 || distance(0.75, 0.75) < 0.15;
    eyes || (y < 0.4 && distance(0.5, 0.6) < 0.5 && distance(0.5, 0.55) > 0.3)
}

/// Points uniform in the unit square, and −1 for the face, +1 for the rest.
///
/// # Errors
/// None in practice: the points are finite.
pub(crate) fn sample(n: usize, seed: u64) -> Result<(Samples<f64>, Vec<i8>), Error> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let points: Vec<[f64; 2]> = (0..n).map(|_| [rng.random(), rng.random()]).collect();
    let labels = points.iter().map(|&p| if is_face(p) { -1 } else { 1 }).collect();
    Ok((Samples::from_rows(&points)?, labels))
}

/// Draws the decision regions, row by row as runs of one colour, under the training points.
///
/// # Errors
/// If the file cannot be written.
pub(crate) fn draw<D: Decision<Samples<f64>>>(
    path: &Path,
    (points, labels): (&Samples<f64>, &[i8]),
    model: &Classifier<D, i8>,
) -> anyhow::Result<()> {
    const CELLS: usize = 200;
    let cell = |k: usize| k as f64 / CELLS as f64;
    let root = SVGBackend::new(path, (640, 640)).into_drawing_area();
    root.fill(&WHITE)?;
    let mut chart = ChartBuilder::on(&root)
        .margin(20)
        .caption("SGD on an RBF kernel: data and decision regions", ("sans-serif", 22))
        .x_label_area_size(36)
        .y_label_area_size(44)
        .build_cartesian_2d(0.0..1.0, 0.0..1.0)?;
    chart.configure_mesh().disable_mesh().label_style(("sans-serif", 16)).draw()?;
    // Further to the right and up than their cells, so that nothing shines through where two meet: what comes next covers it.
    let end = |k: usize| (cell(k) + 0.5 / CELLS as f64).min(1.0);
    for row in 0..CELLS {
        let centers: Vec<[f64; 2]> =
            (0..CELLS).map(|k| [cell(k), cell(row)].map(|v| v + 0.5 / CELLS as f64)).collect();
        let regions = model.predict(&Samples::from_rows(&centers)?)?;
        let mut start = 0;
        for run in regions.chunk_by(|a, b| a == b) {
            let color = REGIONS[usize::from(run[0] > 0)];
            let corners = [(cell(start), cell(row)), (end(start + run.len()), end(row + 1))];
            chart.draw_series([Rectangle::new(corners, color.filled())])?;
            start += run.len();
        }
    }
    for (class, (color, (name, label))) in POINTS.into_iter().zip(CLASSES).enumerate() {
        let of_class = points.as_slice().chunks_exact(2).zip(labels).filter(|(_, l)| **l == label);
        let dots = of_class.map(|(point, _)| Circle::new((point[0], point[1]), 2, color.filled()));
        chart.draw_series(dots)?.label(name).legend(move |(x, y)| {
            let corners = [(x, y - 7), (x + 20, y + 7)];
            let region =
                EmptyElement::at((0, 0)) + Rectangle::new(corners, REGIONS[class].filled());
            region + Circle::new((x + 10, y), 3, color.filled())
        });
    }
    let legend = &mut chart.configure_series_labels();
    legend.position(SeriesLabelPosition::UpperMiddle).label_font(("sans-serif", 18));
    legend.background_style(WHITE.mix(0.9)).border_style(BLACK).draw()?;
    root.present()?;
    Ok(())
}
