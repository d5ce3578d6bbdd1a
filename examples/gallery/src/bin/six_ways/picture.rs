//! The time of each way by the number of steps: where the ways cross.

use crate::accuracy::Setting;
use anyhow::{Result, ensure};
use kern::solvers::plan::Algorithm;
use plotters::element::DashedPathElement;
use plotters::prelude::*;
use std::path::Path;

/// One colour for each way.
const COLORS: [RGBColor; Algorithm::SGD.len()] = [
    RGBColor(31, 119, 180),
    RGBColor(23, 190, 207),
    RGBColor(214, 39, 40),
    RGBColor(255, 127, 14),
    RGBColor(44, 160, 44),
    RGBColor(154, 170, 20),
];

/// Seconds by steps; dashed lines are predictions, and dots are measurements.
///
/// # Errors
/// If the file cannot be written, or there are fewer than two settings.
pub(crate) fn draw(path: &Path, settings: &[Setting]) -> Result<()> {
    let steps = |setting: &Setting| setting.steps as f64;
    ensure!(settings.len() > 1, "a picture needs two numbers of steps at least");
    let (first, last) = (steps(&settings[0]), steps(&settings[settings.len() - 1]));
    let seconds = || settings.iter().flat_map(|s| s.measured.iter().map(|m| m.1));
    let (low, high) = (seconds().fold(f64::INFINITY, f64::min), seconds().fold(0.0, f64::max));

    let root = SVGBackend::new(path, (900, 560)).into_drawing_area();
    root.fill(&WHITE)?;
    let caption = settings[0].exact.task().split(", T").next().unwrap_or_default();
    let mut chart = ChartBuilder::on(&root)
        .margin(16)
        .caption(caption, ("sans-serif", 20))
        .x_label_area_size(54)
        .y_label_area_size(80)
        .build_cartesian_2d(
            (first / 1.1..1.1 * last).log_scale(),
            (low / 2.0..2.0 * high).log_scale(),
        )?;
    chart
        .configure_mesh()
        .x_desc("steps T")
        .y_desc("seconds (dots: measured; dashes: predicted)")
        .axis_desc_style(("sans-serif", 18))
        .label_style(("sans-serif", 15))
        .x_label_formatter(&|x| format!("{x:.0}"))
        .y_label_formatter(&|y| format!("{y:.0e}"))
        .max_light_lines(0)
        .draw()?;
    for (algorithm, color) in Algorithm::SGD.into_iter().zip(COLORS) {
        let predicted = settings.iter().filter_map(|setting| {
            Some((steps(setting), setting.exact.prediction(algorithm)?.seconds()))
        });
        let measured = settings.iter().filter_map(|setting| {
            let (_, seconds) = setting.measured.iter().find(|m| m.0 == algorithm)?;
            Some(Circle::new((steps(setting), *seconds), 4, color.filled()))
        });
        chart.draw_series([DashedPathElement::new(predicted, 6, 4, color.stroke_width(2))])?;
        chart
            .draw_series(measured)?
            .label(algorithm.name())
            .legend(move |(x, y)| Circle::new((x + 10, y), 4, color.filled()));
    }
    let legend = &mut chart.configure_series_labels();
    legend.position(SeriesLabelPosition::UpperLeft).label_font(("sans-serif", 16));
    legend.background_style(WHITE.mix(0.8)).border_style(BLACK).draw()?;
    root.present()?;
    Ok(())
}
