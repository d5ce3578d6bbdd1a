//! Five ways to read handwritten digits: one line per method with its training time and accuracy.
#![expect(clippy::print_stdout, reason = "a program that prints a table")]

use kern::Samples;
use kern::approx::{Nystrom, RandomFourier};
use kern::kernels::Rbf;
use kern::solvers::validation::{Fold, Split};
use kern::solvers::{Data, KNearest, Labels, Learner, Model, Ridge, Run, Schedule, Sgd};
use std::error::Error;
use std::process::ExitCode;
use std::time::Instant;

/// Images with what they show.
type Images<'a> = Data<'a, Samples<f64>, Labels<u8>>;
/// A model that tells what images show.
type Reader = Box<dyn Model<Samples<f64>, Answer = Vec<u8>>>;

/// The step size of SGD.
const STEP: Schedule = Schedule::Constant(1.0);

fn main() -> ExitCode {
    let Some((seed, gamma)) = options() else {
        eprintln!("usage: digits [--seed NUMBER] [--gamma NUMBER]");
        return ExitCode::from(2);
    };
    match compare(seed, gamma) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

/// The seed of the split, the sample sequences and the random features, and γ of the RBF kernel exp(−γ‖x − y‖²), for
/// pixels scaled to [0, 1].
fn options() -> Option<(u64, f64)> {
    let (mut seed, mut gamma) = (0, 0.1);
    let mut words = std::env::args().skip(1);
    while let Some(name) = words.next() {
        let value = words.next()?;
        match name.as_str() {
            "--seed" => seed = value.parse().ok()?,
            "--gamma" => gamma = value.parse().ok()?,
            _ => return None,
        }
    }
    Some((seed, gamma))
}

fn compare(seed: u64, gamma: f64) -> Result<(), Box<dyn Error>> {
    let (x, y) = images()?;
    let [train, test] = split(&Data::new(&x, &y)?, seed)?;
    println!("digits: {} images for training, {} for testing", train.len(), test.len());
    println!("{:<34} {:>9} {:>9}", "method", "seconds", "accuracy");
    let kernel = Rbf::new(gamma)?;

    line("kernel ridge (Cholesky)", &test, &|| {
        learned(&Ridge::on_kernel(kernel).lambda(1e-5), &train)
    })?;
    line("SGD in u-space, Gram stored", &test, &|| {
        learned(&Sgd::on_kernel(kernel).schedule(STEP).seed(seed), &train)
    })?;
    line("random Fourier + SGD in w-space", &test, &|| {
        let map = RandomFourier::new(kernel).dim(1024).seed(seed).sample(x.dim())?;
        learned(&Sgd::on_features(map).schedule(STEP).seed(seed), &train)
    })?;
    line("Nystrom + SGD in w-space", &test, &|| {
        let landmarks = Nystrom::new(kernel).landmarks(300).seed(seed);
        learned(&Sgd::on_landmarks(landmarks).schedule(STEP).seed(seed), &train)
    })?;
    line("3 nearest neighbours in the RKHS", &test, &|| {
        learned(&KNearest::by_distance(kernel).neighbors(3), &train)
    })
}

/// 1797 images of 8 × 8 pixels, and the digits that they show.
fn images() -> Result<(Samples<f64>, Vec<u8>), Box<dyn Error>> {
    let (mut pixels, mut digits) = (Vec::new(), Vec::new());
    for row in include_str!("../../data/digits.csv").lines().skip(1) {
        let (image, digit) = row.rsplit_once(',').ok_or("a row has columns")?;
        for pixel in image.split(',') {
            pixels.push(pixel.parse::<f64>()? / 16.0);
        }
        digits.push(digit.parse()?);
    }
    Ok((Samples::from_row_major(64, pixels)?, digits))
}

/// Seven tenths of the images for training, and the others for testing.
fn split<'a>(all: &Images<'a>, seed: u64) -> Result<[Images<'a>; 2], kern::Error> {
    let tenths = Split::k_fold(10).shuffle(seed).folds(all)?;
    let images = |tenths: &[Fold]| tenths.iter().flat_map(|tenth| tenth.test.clone()).collect();
    let [train, test]: [Vec<usize>; 2] = [images(&tenths[3..]), images(&tenths[..3])];
    Ok([all.select(&train)?, all.select(&test)?])
}

fn learned<A>(learner: &A, train: &Images<'_>) -> Result<Reader, Box<dyn Error>>
where
    A: Learner<Samples<f64>, Labels<u8>, Model: Model<Samples<f64>, Answer = Vec<u8>> + 'static>,
{
    Ok(Box::new(learner.learn(train, &mut Run::new())?))
}

/// Prints a method's name, training seconds and test accuracy.
fn line(
    name: &str,
    test: &Images<'_>,
    learn: &dyn Fn() -> Result<Reader, Box<dyn Error>>,
) -> Result<(), Box<dyn Error>> {
    let start = Instant::now();
    let model = learn()?;
    let seconds = start.elapsed().as_secs_f64();
    let answers = model.predict(test.points())?;
    let right = answers.iter().zip(test.targets().as_slice()).filter(|(a, b)| a == b).count();
    let accuracy = right as f64 / test.len() as f64;
    println!("{name:<34} {seconds:>9.3} {accuracy:>9.4}");
    Ok(())
}
