//! The six ways of SGD over many sizes: what the planner predicts and recommends, next to what was
//! measured; how the time of each way grows; and a picture of where the ways cross.
#![expect(clippy::print_stdout, reason = "a program that prints tables")]

mod accuracy;
mod exponents;
mod grid;
mod picture;
mod problem;
#[cfg(test)]
mod tests;

use crate::accuracy::{Setting, judge};
use crate::exponents::{scans, slope};
use crate::grid::{Grid, Sizes, settings};
use crate::picture::draw;
use crate::problem::{Family, Problem};
use anyhow::Result;
use clap::Parser;
use kern::gram::MemoryBudget;
use kern::solvers::plan::Machine;
use kern_gallery::progress;
use std::path::PathBuf;

/// Compares predictions of the planner with measurements.
#[derive(Parser)]
struct Arguments {
    /// A quarter of the settings, and no exponents: some seconds instead of minutes.
    #[arg(long)]
    quick: bool,
    /// Two tiny settings only, to see that the program works.
    #[arg(long, conflicts_with = "quick")]
    tiny: bool,
    /// Only the settings with so many points, and no exponents.
    #[arg(long)]
    points: Option<usize>,
    /// Only the exponents.
    #[arg(long, conflicts_with_all = ["quick", "tiny", "points"])]
    exponents: bool,
    /// The memory budget in MiB.
    #[arg(long, default_value_t = 1024)]
    budget: u64,
    /// Prints the plan of each setting, with all terms.
    #[arg(long)]
    plans: bool,
    /// The file for the picture.
    #[arg(long, default_value = "six_ways.svg")]
    picture: PathBuf,
}

fn main() -> Result<()> {
    let arguments = Arguments::parse();
    let budget = MemoryBudget::mebibytes(arguments.budget);
    if arguments.exponents {
        return exponents(budget);
    }
    let machine = Machine::current()?;
    let grid = match (arguments.quick, arguments.tiny) {
        (false, false) => Grid::Full,
        (true, _) => Grid::Quick,
        (_, true) => Grid::Tiny,
    };
    let mut sizes = settings(grid);
    sizes.retain(|sizes| arguments.points.is_none_or(|points| sizes.0 == points));
    compare(&sizes, budget, &machine, arguments.plans)?;
    if grid == Grid::Full && arguments.points.is_none() {
        exponents(budget)?;
    }
    cross(&arguments, budget, &machine)
}

/// Predictions and recommendations over the grid.
fn compare(sizes: &[Sizes], budget: MemoryBudget, machine: &Machine, plans: bool) -> Result<()> {
    let bar = progress::bar(sizes.len() as u64)?;
    let mut outcomes = Vec::with_capacity(sizes.len());
    let mut lines = Vec::with_capacity(sizes.len());
    for &(n, dim, family, steps) in sizes {
        let problem = Problem::new(n, dim, family)?;
        let setting = Setting::run(&problem, &problem.task(steps)?, budget, machine)?;
        if plans {
            lines.push(setting.exact.to_string());
        }
        lines.push(setting.to_string());
        outcomes.push(setting);
        bar.inc(1);
    }
    bar.finish_and_clear();
    println!("predicted/measured ms (>: recommended, *: fastest of the exact ways)");
    lines.iter().for_each(|line| println!("{line}"));
    let accuracy = judge(&outcomes);
    let share = |(good, all): (usize, usize)| format!("{good} of {all}");
    println!("\nsettings: {}; ways not run: {}", outcomes.len(), accuracy.skipped);
    println!("predictions within a factor 2: {}", share(accuracy.predictions));
    println!("recommended within 1.3 of the fastest exact way: {}", share(accuracy.exact));
    println!("recommended within 1.3 of the fastest way of all: {}", share(accuracy.any));
    Ok(())
}

/// Fitted exponents next to those of the table.
fn exponents(budget: MemoryBudget) -> Result<()> {
    println!("\n{:<32} {:<9} {:>6} {:>6}  size: ms", "way", "size", "table", "fitted");
    for scan in scans() {
        let points = scan.measure(budget)?;
        let times = points.iter().map(|(size, seconds)| format!("  {size}: {:.2}", 1e3 * seconds));
        let (fitted, times) = (slope(&points), times.collect::<String>());
        println!(
            "{:<32} {:<9} {:>6} {fitted:>6.2}{times}",
            scan.algorithm, scan.size, scan.expected
        );
    }
    Ok(())
}

/// The picture: all six ways by T.
fn cross(arguments: &Arguments, budget: MemoryBudget, machine: &Machine) -> Result<()> {
    let (n, largest) = if arguments.tiny { (100, 2) } else { (2000, 8) };
    let problem = Problem::new(n, 8, Family::Polynomial(4, 128))?;
    let task = |k: u32| problem.task(n / 4 * 2_usize.pow(k));
    let settings: Result<Vec<Setting>> =
        (0..=largest).map(|k| Setting::run(&problem, &task(k)?, budget, machine)).collect();
    draw(&arguments.picture, &settings?)?;
    println!("\npicture: {}", arguments.picture.display());
    Ok(())
}
