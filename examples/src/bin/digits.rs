//! Five ways to read handwritten digits: one line per method with its training time and accuracy.
#![expect(clippy::print_stdout, reason = "a program that prints a table")]

use anyhow::Result;
use clap::Parser;
use indicatif::ProgressBar;
use kern::Samples;
use kern::approx::{Nystrom, RandomFourier};
use kern::gram::MemoryBudget;
use kern::kernels::Rbf;
use kern::solvers::{
    Classifier, Data, Decision, KNearest, Learner, Progress, Ridge, Run, Schedule, Sgd,
};
use kern_examples::data::{self, Labelled};
use kern_examples::progress;
use std::ops::ControlFlow;
use std::time::Instant;

/// Compares kernel methods on the digits data (1797 images of 8 × 8 pixels, ten classes).
#[derive(Parser)]
struct Arguments {
    /// Seed of the split, the sample sequences and the random features.
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// γ of the RBF kernel exp(−γ‖x − y‖²), for pixels scaled to [0, 1].
    #[arg(long, default_value_t = 0.1)]
    gamma: f64,
}

/// A method's name, training seconds and test accuracy.
struct Line {
    name: &'static str,
    seconds: f64,
    accuracy: f64,
}

fn main() -> Result<()> {
    let arguments = Arguments::parse();
    let digits = data::digits()?;
    let (train, test) = digits.split(0.7, arguments.seed)?;
    println!(
        "digits: {} images for training, {} for testing",
        train.labels.len(),
        test.labels.len()
    );
    println!("{:<34} {:>9} {:>9}", "method", "seconds", "accuracy");

    let methods = [kernel_ridge, u_space, fourier, nystrom, nearest];
    let bar = progress::bar(methods.len() as u64)?;
    for method in methods {
        let Line { name, seconds, accuracy } = method(&arguments, &train, &test, &bar)?;
        bar.suspend(|| println!("{name:<34} {seconds:>9.3} {accuracy:>9.4}"));
        bar.inc(1);
    }
    bar.finish_and_clear();
    Ok(())
}

fn kernel_ridge(a: &Arguments, train: &Labelled, test: &Labelled, _: &ProgressBar) -> Result<Line> {
    let start = Instant::now();
    let ridge = Ridge::on_kernel(Rbf::new(a.gamma)?).lambda(1e-5);
    let model = ridge.fit(&train.points, &train.labels)?;
    line("kernel ridge (Cholesky)", start, &model, test)
}

fn u_space(a: &Arguments, train: &Labelled, test: &Labelled, bar: &ProgressBar) -> Result<Line> {
    let start = Instant::now();
    let sgd = Sgd::on_kernel(Rbf::new(a.gamma)?).schedule(Schedule::Constant(1.0)).seed(a.seed);
    let mut watch = watch("SGD in u-space", bar);
    let data = Data::new(&train.points, &train.labels)?;
    let model = sgd.learn(&data, &mut Run::new().observer(&mut watch))?;
    line("SGD in u-space, Gram stored", start, &model, test)
}

fn fourier(a: &Arguments, train: &Labelled, test: &Labelled, bar: &ProgressBar) -> Result<Line> {
    let start = Instant::now();
    let map = RandomFourier::new(Rbf::new(a.gamma)?).dim(1024).seed(a.seed);
    let map = map.sample(train.points.dim())?;
    let sgd = Sgd::on_features(map).schedule(Schedule::Constant(1.0)).seed(a.seed);
    let mut watch = watch("SGD on random Fourier features", bar);
    let data = Data::new(&train.points, &train.labels)?;
    let model = sgd.learn(&data, &mut Run::new().observer(&mut watch))?;
    line("random Fourier + SGD in w-space", start, &model, test)
}

fn nystrom(a: &Arguments, train: &Labelled, test: &Labelled, bar: &ProgressBar) -> Result<Line> {
    let start = Instant::now();
    let map = Nystrom::new(Rbf::new(a.gamma)?).landmarks(300).seed(a.seed);
    let map = map.fit(&train.points, &MemoryBudget::available())?;
    let sgd = Sgd::on_features(map).schedule(Schedule::Constant(1.0)).seed(a.seed);
    let mut watch = watch("SGD on Nystrom features", bar);
    let data = Data::new(&train.points, &train.labels)?;
    let model = sgd.learn(&data, &mut Run::new().observer(&mut watch))?;
    line("Nystrom + SGD in w-space", start, &model, test)
}

fn nearest(a: &Arguments, train: &Labelled, test: &Labelled, _: &ProgressBar) -> Result<Line> {
    let start = Instant::now();
    let nearest = KNearest::by_distance(Rbf::new(a.gamma)?).neighbors(3);
    let model = nearest.fit(&train.points, &train.labels)?;
    let seconds = start.elapsed().as_secs_f64();
    let accuracy = model.accuracy(&test.points, &test.labels)?;
    Ok(Line { name: "3 nearest neighbours in the RKHS", seconds, accuracy })
}

/// Stops the clock, then measures the accuracy.
fn line<D: Decision<Samples<f64>>>(
    name: &'static str,
    start: Instant,
    model: &Classifier<D, String>,
    test: &Labelled,
) -> Result<Line> {
    let seconds = start.elapsed().as_secs_f64();
    Ok(Line { name, seconds, accuracy: model.accuracy(&test.points, &test.labels)? })
}

/// Shows the progress of SGD beside the bar.
fn watch(what: &'static str, bar: &ProgressBar) -> impl FnMut(&Progress) -> ControlFlow<()> {
    let bar = bar.clone();
    move |p: &Progress| {
        let share = 100 * p.iteration / p.total;
        bar.set_message(format!("{what}: {share} %, loss {:.4}", p.loss));
        ControlFlow::Continue(())
    }
}
