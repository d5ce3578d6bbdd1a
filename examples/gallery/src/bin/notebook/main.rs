//! The lecture's demo: six ways to run the same SGD, of which the four exact ones agree, and a
//! picture of what was learned.
#![expect(clippy::print_stdout, reason = "a program that prints a table")]

mod face;
#[cfg(test)]
mod tests;

use crate::face::{ALPHA, EPOCHS, GAMMA, N, draw, sample};
use anyhow::{Result, ensure};
use clap::Parser;
use kern::Samples;
use kern::approx::{Nystrom, RandomFourier};
use kern::faer::Mat;
use kern::gram::MemoryBudget;
use kern::kernels::Rbf;
use kern::solvers::validation::{Accuracy, Score};
use kern::solvers::{Data, DecisionValues, Labels, Learner, Loss, Run, Schedule, Sgd, Storage};
use std::path::PathBuf;
use std::time::Instant;

/// SGD on the lecture's face, in u-space and w-space, on the fly and stored.
#[derive(Parser)]
struct Arguments {
    /// Seed of the data, the sample sequence and the random features.
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// The file for the picture.
    #[arg(long, default_value = "notebook.svg")]
    out: PathBuf,
}

/// The four exact ways may differ by this much in their decision values.
const AGREEMENT: f64 = 1e-8;

/// Memory for the landmarks: their Gram matrix takes 8 MiB.
const BUDGET: MemoryBudget = MemoryBudget::mebibytes(64);

fn main() -> Result<()> {
    let Arguments { seed, out } = Arguments::parse();
    let (x, y) = sample(N, 2 * seed)?;
    let (x_test, y_test) = sample(N, 2 * seed + 1)?;
    println!("n = {N}, rbf(gamma={GAMMA}), step {ALPHA}, T = {} steps", EPOCHS * N);
    println!("{:<32} {:>8} {:>8} {:>8} {:>10}", "way", "seconds", "train", "test", "difference");

    let kernel = Rbf::new(GAMMA)?;
    let in_u = |storage| common(Sgd::on_kernel(kernel), storage, seed);
    let stored = in_u(Storage::Cached).fit(&x, &y)?;
    let reference = stored.decision_values(&x_test)?;
    let table = Table { train: Data::new(&x, &y)?, test: Data::new(&x_test, &y_test)?, reference };
    // With every training point as a landmark, the Nyström map is an exact feature map on them.
    let map = Nystrom::new(kernel).fit_landmarks(x.clone(), &BUDGET)?;
    let on_landmarks = |storage| common(Sgd::on_features(map.clone()), storage, seed);
    let map = RandomFourier::new(kernel).dim(1024).seed(seed).sample(2)?;
    let on_fourier = |storage| common(Sgd::on_features(map.clone()), storage, seed);
    let exact = [
        table.line("1 features on the fly", &on_landmarks(Storage::OnTheFly))?,
        table.line("2 features stored", &on_landmarks(Storage::Cached))?,
        table.line("3 kernel on the fly", &in_u(Storage::OnTheFly))?,
        table.line("4 Gram matrix stored", &in_u(Storage::Cached))?,
    ];
    for difference in exact {
        ensure!(difference <= AGREEMENT, "the exact ways differ by {difference:e}");
    }
    table.line("5 random Fourier on the fly", &on_fourier(Storage::OnTheFly))?;
    table.line("6 random Fourier stored", &on_fourier(Storage::Cached))?;

    draw(&out, (&x, &y), &stored)?;
    println!("the four exact ways agree to {AGREEMENT:.0e}; picture: {}", out.display());
    Ok(())
}

fn common<S>(sgd: Sgd<S>, storage: Storage, seed: u64) -> Sgd<S> {
    let sgd = sgd.loss(Loss::Logistic).schedule(Schedule::Constant(ALPHA)).epochs(EPOCHS);
    sgd.storage(storage).seed(seed)
}

type Face<'a> = Data<'a, Samples<f64>, Labels<i8>>;

struct Table<'a> {
    train: Face<'a>,
    test: Face<'a>,
    reference: Mat<f64>,
}

impl Table<'_> {
    /// Trains, prints a line, and returns the greatest difference of decision values on the test set.
    fn line<A>(&self, name: &str, learner: &A) -> Result<f64>
    where
        A: Learner<Samples<f64>, Labels<i8>, Model: DecisionValues<Samples<f64>>>,
        Accuracy: Score<Samples<f64>, Labels<i8>, A::Model>,
    {
        let start = Instant::now();
        let model = learner.learn(&self.train, &mut Run::new())?;
        let seconds = start.elapsed().as_secs_f64();
        let [train, test] = [&self.train, &self.test].map(|data| Accuracy.score(&model, data));
        let values = model.decision_values(self.test.points())?;
        let difference = (values - &self.reference).norm_max();
        println!("{name:<32} {seconds:>8.3} {:>8.4} {:>8.4} {difference:>10.1e}", train?, test?);
        Ok(difference)
    }
}
