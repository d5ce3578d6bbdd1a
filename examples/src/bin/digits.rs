//! Five ways to read handwritten digits: one line per method with its training time and accuracy.
#![expect(clippy::print_stdout, reason = "a program that prints a table")]

use anyhow::Result;
use clap::Parser;
use indicatif::ProgressBar;
use kern::Samples;
use kern::approx::{Nystrom, RandomFourier};
use kern::kernels::Rbf;
use kern::solvers::validation::{Accuracy, Score};
use kern::solvers::{Data, KNearest, Labels, Learner, Model, Progress, Ridge, Run, Schedule, Sgd};
use kern_examples::{data, progress};
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

const STEP: Schedule = Schedule::Constant(1.0);

fn main() -> Result<()> {
    let Arguments { seed, gamma } = Arguments::parse();
    let (train, test) = data::digits()?.split(0.7, seed)?;
    let (trained, tested) = (train.labels.len(), test.labels.len());
    println!("digits: {trained} images for training, {tested} for testing");
    println!("{:<34} {:>9} {:>9}", "method", "seconds", "accuracy");
    let table = Table { train: train.data()?, test: test.data()?, bar: progress::bar(5)? };
    let kernel = Rbf::new(gamma)?;

    table.line("kernel ridge (Cholesky)", || Ok(Ridge::on_kernel(kernel).lambda(1e-5)))?;
    table.line("SGD in u-space, Gram stored", || {
        Ok(Sgd::on_kernel(kernel).schedule(STEP).seed(seed))
    })?;
    table.line("random Fourier + SGD in w-space", || {
        let map = RandomFourier::new(kernel).dim(1024).seed(seed).sample(train.points.dim())?;
        Ok(Sgd::on_features(map).schedule(STEP).seed(seed))
    })?;
    table.line("Nystrom + SGD in w-space", || {
        let landmarks = Nystrom::new(kernel).landmarks(300).seed(seed);
        Ok(Sgd::on_landmarks(landmarks).schedule(STEP).seed(seed))
    })?;
    let nearest = KNearest::by_distance(kernel).neighbors(3);
    table.line("3 nearest neighbours in the RKHS", || Ok(nearest))?;
    table.bar.finish_and_clear();
    Ok(())
}

type Images<'a> = Data<'a, Samples<f64>, Labels<String>>;

struct Table<'a> {
    train: Images<'a>,
    test: Images<'a>,
    bar: ProgressBar,
}

impl Table<'_> {
    /// A method's name, training seconds and test accuracy; while it trains, the progress beside the bar.
    fn line<A>(&self, name: &str, learner: impl FnOnce() -> Result<A>) -> Result<()>
    where
        A: Learner<Samples<f64>, Labels<String>, Model: Model<Samples<f64>>>,
        Accuracy: Score<Samples<f64>, Labels<String>, A::Model>,
    {
        let mut watch = |p: &Progress| {
            let share = 100 * p.iteration / p.total;
            self.bar.set_message(format!("{name}: {share} %, loss {:.4}", p.loss));
            ControlFlow::Continue(())
        };
        let start = Instant::now();
        let model = learner()?.learn(&self.train, &mut Run::new().observer(&mut watch))?;
        let seconds = start.elapsed().as_secs_f64();
        let accuracy = Accuracy.score(&model, &self.test)?;
        self.bar.suspend(|| println!("{name:<34} {seconds:>9.3} {accuracy:>9.4}"));
        self.bar.inc(1);
        Ok(())
    }
}
