//! Feature maps of the RBF kernel side by side: the error of kernel values by the number of features,
//! as tables and as a picture.
#![expect(clippy::print_stdout, reason = "a program that prints tables")]

use anyhow::{Result, ensure};
use clap::Parser;
use kern::gram::MemoryBudget;
use kern::kernels::{Rbf, bandwidth};
use kern_examples::features::{Comparison, LEAST, MAPS, Map, Outcome, dims};
use kern_examples::{data, progress};
use plotters::coord::Shift;
use plotters::element::DashedPathElement;
use plotters::prelude::*;
use std::path::{Path, PathBuf};

/// Compares the feature maps of kern on standardised data, with γ by the median heuristic.
#[derive(Parser)]
struct Arguments {
    /// A table (.csv.gz: a header, numbers, the target last) instead of the digits.
    #[arg(long)]
    data: Option<PathBuf>,
    /// N, the points that are drawn from the table. Two N × N matrices are held.
    #[arg(long, default_value_t = 1000)]
    points: usize,
    /// The greatest number of features, of 16, 32, 64, …
    #[arg(long, default_value_t = 1024)]
    greatest: usize,
    /// Seeds that each error is the mean of, and each time the least of.
    #[arg(long, default_value_t = 3)]
    repeats: usize,
    /// Seed of the points, and the first one of the features.
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// The file for the picture.
    #[arg(long, default_value = "features.svg")]
    picture: PathBuf,
}

/// Outcomes by map, then by number of features; Nyström features are at most as many as points.
type Outcomes = [Vec<Outcome>; MAPS.len()];

fn main() -> Result<()> {
    let arguments = Arguments::parse();
    let dims = dims(arguments.greatest);
    ensure!(!dims.is_empty(), "the greatest number of features must be at least {LEAST}");
    ensure!(arguments.points >= LEAST, "there must be at least {LEAST} points");
    let (mut comparison, facts) = load(&arguments)?;
    println!("{facts}");
    let outcomes = compare(&mut comparison, &arguments, &dims)?;

    let title = "root mean square error of kernel values, over all pairs";
    print_table(title, &dims, &outcomes, |o| Some(format!("{:.2e}", o.error)));
    let title = "relative trace error";
    print_table(title, &dims, &outcomes, |o| o.trace.map(|t| format!("{t:.2e}")));
    print_table("seconds to draw and transform", &dims, &outcomes, |o| {
        Some(format!("{:.4}", o.seconds))
    });
    draw(&arguments.picture, &facts, &dims, &outcomes)?;
    println!("picture: {}", arguments.picture.display());
    Ok(())
}

/// The drawn points with their exact Gram matrix, and a line that tells what they are.
fn load(a: &Arguments) -> Result<(Comparison, String)> {
    let (name, table) = match &a.data {
        None => ("digits".into(), data::digits()?),
        Some(path) => (file_name(path), data::open(path)?),
    };
    let points = data::standardize(&table.draw(a.points, a.seed)?.points)?;
    let gamma = bandwidth::median_gamma(&points, a.seed)?;
    let (n, dim) = (a.points, points.dim());
    let facts = format!("{name}: {n} points in {dim} dimensions, rbf(gamma={gamma:.4})");
    Ok((Comparison::new(Rbf::new(gamma)?, points, MemoryBudget::available())?, facts))
}

/// The name of a file without what follows its first dot.
fn file_name(path: &Path) -> String {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    name.split('.').next().unwrap_or_default().to_string()
}

fn compare(comparison: &mut Comparison, a: &Arguments, dims: &[usize]) -> Result<Outcomes> {
    let mut outcomes = Outcomes::default();
    let seeds: Vec<u64> = (0..a.repeats).map(|k| a.seed.wrapping_add(k as u64)).collect();
    let bar = progress::bar((MAPS.len() * dims.len()) as u64)?;
    for ((name, map), outcomes) in MAPS.iter().zip(&mut outcomes) {
        for &dim in dims {
            bar.set_message(format!("{name}, D = {dim}"));
            if dim <= a.points || !matches!(map, Map::Nystrom(_)) {
                outcomes.push(comparison.outcome(*map, dim, &seeds)?);
            }
            bar.inc(1);
        }
    }
    bar.finish_and_clear();
    Ok(outcomes)
}

/// A line for each map that has such a number, a column for each number of features.
fn print_table(
    title: &str,
    dims: &[usize],
    outcomes: &Outcomes,
    cell: impl Fn(&Outcome) -> Option<String>,
) {
    let line = |name: &str, cells: &[String]| {
        let cells: String = cells.iter().map(|cell| format!(" {cell:>9}")).collect();
        println!("{name:<26}{cells}");
    };
    println!("\n{title}");
    line("D", &dims.iter().map(ToString::to_string).collect::<Vec<_>>());
    for ((name, _), outcomes) in MAPS.iter().zip(outcomes) {
        let cells: Vec<String> = outcomes.iter().filter_map(&cell).collect();
        if !cells.is_empty() {
            line(name, &cells);
        }
    }
}

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

/// Lines on logarithmic axes, and what they are beside them.
fn draw(path: &Path, caption: &str, dims: &[usize], outcomes: &Outcomes) -> Result<()> {
    const CHART_WIDTH: u32 = 640;
    let root = SVGBackend::new(path, (CHART_WIDTH + 200, 560)).into_drawing_area();
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
        .caption(caption, ("sans-serif", 17))
        .x_label_area_size(44)
        .y_label_area_size(66)
        .build_cartesian_2d(x_axis, decades.log_scale())?;
    chart
        .configure_mesh()
        .x_desc("number of features D")
        .y_desc("root mean square error of kernel values")
        .axis_desc_style(("sans-serif", 15))
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
    let text = |k, name| Text::new(name, (40, row(k) - 7), ("sans-serif", 14));
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
