//! The state of vector registers that the library leaves behind. After AVX code that does not clear the upper
//! halves of registers, code of the oldest extension runs up to 36 times slower on Intel: a user's own, who knows
//! nothing of it. So plain loops are timed before and after entries of the library, on the same thread.

use super::{Outcome, Task};
use crate::case::Dtype;
use crate::data::{self, Labelled, Stream};
use crate::row::Seconds;
use crate::session::Session;
use crate::work::Work;
use anyhow::{Context, Result};
use kern_approx::{Nystrom, RandomFourier, transform};
use kern_core::contract;
use kern_core::kernels::{Laplacian, Rbf};
use kern_core::{Points, Samples};
use kern_gram::{DenseGram, MemoryBudget};
use kern_solvers::kmeans::KMeans;
use kern_solvers::knn::KNearest;
use kern_solvers::logistic::Logistic;
use kern_solvers::ridge::Ridge;
use kern_solvers::svm::{Svc, Svr};
use rayon::ThreadPoolBuilder;
use std::hint::black_box;
use std::time::Instant;

/// `vector_state`.
pub(super) const TASK: Task = Task {
    name: "vector_state",
    about: "plain loops on the thread that called an entry of the library: the time of the first one after it, \
            as a multiple of before; the times of the row are of entry and loops together",
    cases: &[
        ("Gram of Rbf", Dtype::F64),
        ("Gram of Rbf in f32", Dtype::F64),
        ("Gram of Laplacian", Dtype::F64),
        ("verify_mercer", Dtype::F64),
        ("Ridge fit", Dtype::F64),
        ("Ridge predict", Dtype::F64),
        ("Svc fit", Dtype::F64),
        ("Svr fit", Dtype::F64),
        ("Logistic fit", Dtype::F64),
        ("KMeans fit", Dtype::F64),
        ("Nystrom fit, transform", Dtype::F64),
        ("RandomFourier sample, transform", Dtype::F64),
        ("KNearest predict", Dtype::F64),
    ],
    bound: "the points are read once",
    bars: &[],
    targets: &[],
    run,
};

/// An entry of the library at work.
type Entry = fn(&Inputs) -> Result<()>;

const ENTRIES: [(&str, Entry); 13] = [
    ("Gram of Rbf", |i| done(DenseGram::new(&i.kernel, &i.x, &i.budget)?)),
    ("Gram of Rbf in f32", |i| done(DenseGram::new(&i.kernel, &i.single, &i.budget)?)),
    ("Gram of Laplacian", |i| done(DenseGram::new(&Laplacian::new(GAMMA)?, &i.x, &i.budget)?)),
    ("verify_mercer", |i| done(contract::verify_mercer(&i.kernel, &i.few)?)),
    ("Ridge fit", |i| done(Ridge::on_kernel(i.kernel).lambda(LAMBDA).fit(&i.x, &i.y)?)),
    ("Ridge predict", |i| {
        let model = Ridge::on_kernel(i.kernel).lambda(LAMBDA).fit(&i.few, &i.y[..FEW])?;
        done(model.predict(&i.x)?)
    }),
    ("Svc fit", |i| done(Svc::on_kernel(i.kernel).fit(&i.x, &i.classes)?)),
    ("Svr fit", |i| done(Svr::on_kernel(i.kernel).fit(&i.x, &i.y)?)),
    ("Logistic fit", |i| done(Logistic::on_kernel(i.kernel).lambda(LAMBDA).fit(&i.x, &i.classes)?)),
    ("KMeans fit", |i| done(KMeans::on_kernel(i.kernel, 3).fit(&i.x)?)),
    ("Nystrom fit, transform", |i| {
        done(Nystrom::new(i.kernel).landmarks(FEW).fit_transform(&i.x, &i.budget)?)
    }),
    ("RandomFourier sample, transform", |i| {
        let map = RandomFourier::new(i.kernel).dim(FEATURES).sample(DIM)?;
        done(transform(&map, &i.x, &i.budget)?)
    }),
    ("KNearest predict", |i| {
        let model = KNearest::by_distance(i.kernel).fit(&i.x, &i.classes)?;
        done(model.predict(&i.few)?)
    }),
];

fn done<T>(result: T) -> Result<()> {
    black_box(result);
    Ok(())
}

const DIM: usize = 16;
const GAMMA: f64 = 1.0 / 16.0;
const LAMBDA: f64 = 0.01;
const FEATURES: usize = 128;

/// Points where an entry needs few.
const FEW: usize = 20;

/// Numbers that a plain loop is over.
const NUMBERS: usize = 20_000;

/// Loops before the entry, of which the fastest counts.
const BEFORE: usize = 3;

/// The inputs of the entries.
struct Inputs {
    kernel: Rbf,
    x: Samples<f64>,
    few: Samples<f64>,
    single: Samples<f32>,
    y: Vec<f64>,
    classes: Vec<i8>,
    budget: MemoryBudget,
}

impl Inputs {
    fn new(session: &mut Session<'_>) -> Result<Self> {
        let n = session.size().pick(600, 300, 60);
        let Labelled { x, y } = data::regression(Stream::VectorState, n, DIM)?;
        let x = session.samples("x", x)?;
        let single = x.as_slice().iter().map(|&v| v as f32).collect();
        Ok(Self {
            kernel: Rbf::new(GAMMA)?,
            few: x.select(&(0..FEW).collect::<Vec<_>>())?,
            single: Samples::from_row_major(DIM, single)?,
            classes: y.iter().map(|&y| if y > 0.0 { 1 } else { -1 }).collect(),
            y: session.vector("y", &y)?,
            budget: MemoryBudget::available(),
            x,
        })
    }
}

fn run(session: &mut Session<'_>) -> Result<Outcome> {
    let entry = session.choose(&ENTRIES)?;
    session.param("gamma", GAMMA);
    let numbers: Vec<f64> = (0..NUMBERS).map(|k| k as f64 / NUMBERS as f64).collect();
    // With one thread, all of the entry is done on the thread that calls it.
    let pool = ThreadPoolBuilder::new().num_threads(1).build()?;
    // Before any code of the library has run there: what an entry leaves stays until something clears it.
    let mut clean = pool.install(|| fastest(&numbers));
    let inputs = Inputs::new(session)?;
    let mut slowdowns = Vec::new();
    let body = || {
        let (before, after) = pool.install(|| {
            let before = fastest(&numbers);
            entry(&inputs).map(|()| (before, seconds_of_a_loop(&numbers)))
        })?;
        clean = clean.min(before);
        slowdowns.push(after / clean);
        Ok(())
    };
    let (outcome, ()) = Outcome::new((inputs.x.len(), DIM), session.measure(body)?);
    // All but the warm-up.
    let slowdowns = slowdowns.get(1..).context("nothing was measured")?;
    let work = Work::default().moves::<f64>((inputs.x.len() * DIM) as f64);
    Ok(outcome.work(work).figure("slowdown", Seconds::new(slowdowns)?.median))
}

/// The least time of some plain loops, without the interruptions of others.
fn fastest(numbers: &[f64]) -> f64 {
    (0..BEFORE).map(|_| seconds_of_a_loop(numbers)).fold(f64::INFINITY, f64::min)
}

fn seconds_of_a_loop(numbers: &[f64]) -> f64 {
    let start = Instant::now();
    black_box(plain(black_box(numbers)));
    start.elapsed().as_secs_f64()
}

/// The loop of somebody who knows nothing of vectors.
#[inline(never)]
fn plain(numbers: &[f64]) -> f64 {
    numbers.iter().map(|&value| 0.5 * value.exp() + value.ln_1p()).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_entry_is_a_case() {
        let names = ENTRIES.map(|(name, _)| name);
        assert_eq!(TASK.cases.iter().map(|(name, _)| *name).collect::<Vec<_>>(), names);
    }
}
