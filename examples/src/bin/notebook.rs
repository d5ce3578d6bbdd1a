//! The lecture's demo: six ways to run the same SGD, of which the four exact ones agree, and a
//! picture of what was learned.
#![expect(clippy::print_stdout, reason = "a program that prints a table")]

use anyhow::{Result, ensure};
use clap::Parser;
use kern::approx::{Nystrom, RandomFourier};
use kern::gram::MemoryBudget;
use kern::kernels::Rbf;
use kern::solvers::{Classifier, Decision, Loss, Schedule, Sgd, Storage};
use kern::{Error, Samples, faer::Mat};
use kern_examples::notebook::{ALPHA, EPOCHS, GAMMA, N, sample};
use plotters::prelude::*;
use std::path::{Path, PathBuf};
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

/// Training and test data.
struct Data {
    train: (Samples<f64>, Vec<i8>),
    test: (Samples<f64>, Vec<i8>),
}

fn main() -> Result<()> {
    let Arguments { seed, out } = Arguments::parse();
    let data = Data { train: sample(N, 2 * seed)?, test: sample(N, 2 * seed + 1)? };
    println!("n = {N}, rbf(gamma={GAMMA}), step {ALPHA}, T = {} steps", EPOCHS * N);
    println!("{:<32} {:>8} {:>8} {:>8} {:>10}", "way", "seconds", "train", "test", "difference");

    let kernel = Rbf::new(GAMMA)?;
    let stored = u_space(kernel, Storage::Cached, seed).fit(&data.train.0, &data.train.1)?;
    let reference = stored.decision_values(&data.test.0)?;
    exact_ways(kernel, seed, &data, &reference)?;
    approximate_ways(kernel, seed, &data, &reference)?;

    draw(&out, &data.train, &stored)?;
    println!("the four exact ways agree to {AGREEMENT:.0e}; picture: {}", out.display());
    Ok(())
}

/// Ways 1 to 4. The features of ways 1 and 2 are the Nyström map with every training point as a
/// landmark, which is an exact feature map on them.
fn exact_ways(kernel: Rbf, seed: u64, data: &Data, reference: &Mat<f64>) -> Result<()> {
    let map = Nystrom::new(kernel).fit_landmarks(data.train.0.clone(), &BUDGET)?;
    let ways = [
        run("1 features on the fly", data, reference, || {
            w_space(map.clone(), Storage::OnTheFly, seed).fit(&data.train.0, &data.train.1)
        })?,
        run("2 features stored", data, reference, || {
            w_space(map.clone(), Storage::Cached, seed).fit(&data.train.0, &data.train.1)
        })?,
        run("3 kernel on the fly", data, reference, || {
            u_space(kernel, Storage::OnTheFly, seed).fit(&data.train.0, &data.train.1)
        })?,
        run("4 Gram matrix stored", data, reference, || {
            u_space(kernel, Storage::Cached, seed).fit(&data.train.0, &data.train.1)
        })?,
    ];
    for difference in ways {
        ensure!(difference <= AGREEMENT, "the exact ways differ by {difference:e}");
    }
    Ok(())
}

/// Ways 5 and 6: random Fourier features.
fn approximate_ways(kernel: Rbf, seed: u64, data: &Data, reference: &Mat<f64>) -> Result<()> {
    let map = RandomFourier::new(kernel).dim(1024).seed(seed).sample(2)?;
    run("5 random Fourier on the fly", data, reference, || {
        w_space(map.clone(), Storage::OnTheFly, seed).fit(&data.train.0, &data.train.1)
    })?;
    run("6 random Fourier stored", data, reference, || {
        w_space(map.clone(), Storage::Cached, seed).fit(&data.train.0, &data.train.1)
    })?;
    Ok(())
}

fn u_space(kernel: Rbf, storage: Storage, seed: u64) -> Sgd<kern::solvers::OnKernel<Rbf>> {
    common(Sgd::on_kernel(kernel), storage, seed)
}

fn w_space<M>(map: M, storage: Storage, seed: u64) -> Sgd<kern::solvers::OnFeatures<M>> {
    common(Sgd::on_features(map), storage, seed)
}

fn common<S>(sgd: Sgd<S>, storage: Storage, seed: u64) -> Sgd<S> {
    let sgd = sgd.loss(Loss::Logistic).schedule(Schedule::Constant(ALPHA)).epochs(EPOCHS);
    sgd.storage(storage).seed(seed)
}

/// Trains, prints a line, and returns the greatest difference of decision values on the test set.
fn run<D: Decision<Samples<f64>>>(
    name: &str,
    data: &Data,
    reference: &Mat<f64>,
    fit: impl FnOnce() -> Result<Classifier<D, i8>, Error>,
) -> Result<f64> {
    let start = Instant::now();
    let model = fit()?;
    let seconds = start.elapsed().as_secs_f64();
    let train = model.accuracy(&data.train.0, &data.train.1)?;
    let test = model.accuracy(&data.test.0, &data.test.1)?;
    let difference = (model.decision_values(&data.test.0)? - reference).norm_max();
    println!("{name:<32} {seconds:>8.3} {train:>8.4} {test:>8.4} {difference:>10.1e}");
    Ok(difference)
}

/// The decision regions, row by row as runs of one colour, under the training points.
fn draw<D: Decision<Samples<f64>>>(
    path: &Path,
    (points, labels): &(Samples<f64>, Vec<i8>),
    model: &Classifier<D, i8>,
) -> Result<()> {
    const CELLS: usize = 200;
    let cell = |k: usize| k as f64 / CELLS as f64;
    let root = SVGBackend::new(path, (640, 640)).into_drawing_area();
    root.fill(&WHITE)?;
    let mut chart = ChartBuilder::on(&root)
        .margin(20)
        .caption("SGD on an RBF kernel: data and decision regions", ("sans-serif", 18))
        .set_all_label_area_size(30)
        .build_cartesian_2d(0.0..1.0, 0.0..1.0)?;
    chart.configure_mesh().disable_mesh().draw()?;
    for row in 0..CELLS {
        let centers: Vec<[f64; 2]> =
            (0..CELLS).map(|k| [cell(k), cell(row)].map(|v| v + 0.5 / CELLS as f64)).collect();
        let regions = model.predict(&Samples::from_rows(&centers)?)?;
        let mut start = 0;
        for run in regions.chunk_by(|a, b| a == b) {
            let color = if run[0] < 0 { RGBColor(198, 216, 255) } else { RGBColor(255, 244, 214) };
            let corners = [(cell(start), cell(row)), (cell(start + run.len()), cell(row + 1))];
            chart.draw_series([Rectangle::new(corners, color.filled())])?;
            start += run.len();
        }
    }
    for (point, &label) in points.as_slice().chunks_exact(2).zip(labels) {
        let color = if label < 0 { RGBColor(31, 80, 190) } else { RGBColor(214, 140, 20) };
        chart.draw_series([Circle::new((point[0], point[1]), 2, color.filled())])?;
    }
    root.present()?;
    Ok(())
}
