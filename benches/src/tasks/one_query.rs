//! Predictions of one row at a time, the time that a server waits for: each of many rows is
//! predicted alone, one after the other, by a fitted model in memory. The time is that of one
//! prediction; the note has percentiles.

use super::{Outcome, Task};
use crate::bar::{Bar, Reading};
use crate::case::Dtype;
use crate::data::{self, Labelled, Stream};
use crate::npy::Number;
use crate::quality;
use crate::row::Seconds;
use crate::session::Session;
use crate::work::Work;
use anyhow::{Result, anyhow, bail};
use kern_core::faer::linalg::solvers::Solve;
use kern_core::faer::{Mat, Side};
use kern_core::kernels::{Linear, Mismatch, Rbf, Spectrum};
use kern_core::{Kernel, Mercer, Points, Samples, Scalar};
use kern_solvers::gaussian_process::{Fixed, GaussianProcess, Noise};
use kern_solvers::knn::KNearest;
use kern_solvers::model::KernelExpansion;
use kern_solvers::ridge::{Ridge, RidgeSolver};
use kern_solvers::svm::Svc;
use rand::RngExt;
use std::time::Instant;

/// `one_query`.
pub(super) const TASK: Task = Task {
    name: "one_query",
    about: "one prediction of one row by a fitted model in memory: decision values, values, means with variances, \
            classes",
    cases: &[
        ("svc273", Dtype::F64),
        ("svc1653", Dtype::F64),
        ("svc1653", Dtype::F32),
        ("svc2330", Dtype::F64),
        ("ridge", Dtype::F64),
        ("gp", Dtype::F64),
        ("knn", Dtype::F64),
        ("spectrum", Dtype::F64),
        ("mismatch", Dtype::F64),
    ],
    bound: "2d operations for each point of the model, and an exp for a kernel value; n² operations for a variance; \
            for strings, to read the query",
    bars: &[Bar {
        figure: "prediction_error",
        reading: Reading::Error,
        factor: 10.0,
        enough_f32: 1e-4,
        enough_f64: 1e-9,
    }],
    targets: &[
        ("svc273", 0.5),
        ("svc1653", 0.5),
        ("svc2330", 0.5),
        ("ridge", 0.5),
        ("gp", 0.5),
        ("knn", 0.5),
        ("spectrum", 0.5),
        ("mismatch", 0.5),
    ],
    run,
};

/// A model.
#[derive(Clone, Copy)]
enum Model {
    /// A support vector machine on these numbers of points and features. The classes are random, so
    /// that nearly all points become support vectors; the name of the case has their approximate
    /// number.
    Svc(usize, usize),
    Ridge,
    GaussianProcess,
    Neighbours,
    Spectrum,
    Mismatch,
}

const MODELS: [(&str, Model); 8] = [
    ("svc273", Model::Svc(284, 10)),
    ("svc1653", Model::Svc(1722, 20)),
    ("svc2330", Model::Svc(2357, 100)),
    ("ridge", Model::Ridge),
    ("gp", Model::GaussianProcess),
    ("knn", Model::Neighbours),
    ("spectrum", Model::Spectrum),
    ("mismatch", Model::Mismatch),
];

/// Different rows, each a collection of its own, that are predicted in turn.
const QUERIES: usize = 64;

/// C of the support vector machines.
const C: f64 = 1.0;

/// The noise of the Gaussian process, and nλ of ridge regression.
const NOISE: f64 = 0.1;

/// Neighbours that vote.
const NEIGHBOURS: usize = 5;

/// Features of ridge regression and of nearest neighbours.
const DIM: usize = 20;

/// Features of the Gaussian process.
const PROCESS_DIM: usize = 10;

/// Letters of a string of DNA.
const ALPHABET: &str = "ACGT";
const LETTERS: usize = 60;

/// Letters of a word of the spectrum kernel, and of the mismatch kernel, with its mismatches.
const WORD: usize = 4;
const MISMATCH_WORD: usize = 5;
const MISMATCHES: usize = 1;

fn run(session: &mut Session<'_>) -> Result<Outcome> {
    let model = session.choose(&MODELS)?;
    let is_single = session.dtype() == Dtype::F32;
    match model {
        Model::Svc(n, dim) if is_single => support_vectors::<f32>(session, n, dim),
        _ if is_single => bail!("this model is measured in f64 only"),
        Model::Svc(n, dim) => support_vectors::<f64>(session, n, dim),
        Model::Ridge => ridge(session),
        Model::GaussianProcess => gaussian_process(session),
        Model::Neighbours => neighbours(session),
        Model::Spectrum => strings(session, &Spectrum::new(WORD)?, (WORD, 0)),
        Model::Mismatch => {
            let kernel = Mismatch::new(ALPHABET, MISMATCH_WORD, MISMATCHES)?;
            strings(session, &kernel, (MISMATCH_WORD, MISMATCHES))
        }
    }
}

fn support_vectors<T: Number>(session: &mut Session<'_>, n: usize, dim: usize) -> Result<Outcome> {
    let n = session.size().pick(n, n / 4, 40);
    let all = data::normal::<T>(Stream::OneQuery, n + QUERIES, dim)?;
    let (x, queries) = data::split(&all, n)?;
    let y = data::sequence(Stream::OneQueryLabels, 2, n);
    let kernel = rbf(session, dim)?;
    let model = Svc::on_kernel(kernel).c(C).fit(&x, &y)?;
    let x = session.samples("x", model.decision().points().clone())?;
    let queries = session.samples("queries", queries)?;
    let function = written(session, model.decision())?;
    let (wide, wide_queries) = (quality::widen(&x)?, quality::widen(&queries)?);
    let expected = by_definition(&kernel, &wide_queries, &wide, &function);
    let outcome = measured(session, (x.len(), dim), &rows(&queries)?, &expected, |row| {
        Ok([model.decision_values(row)?[(0, 0)].to_f64()])
    })?;
    Ok(outcome.work(Work::kernel_values(x.len() as f64, dim)))
}

fn ridge(session: &mut Session<'_>) -> Result<Outcome> {
    let n = session.size().pick(1653, 400, 40);
    let Labelled { x, y } = data::regression(Stream::OneQuery, n + QUERIES, DIM)?;
    let (x, queries) = data::split(&x, n)?;
    let kernel = rbf(session, DIM)?;
    let ridge = Ridge::on_kernel(kernel).lambda(NOISE / n as f64).solver(RidgeSolver::Cholesky);
    let model = ridge.fit(&x, &y[..n])?;
    let x = session.samples("x", model.decision().points().clone())?;
    let queries = session.samples("queries", queries)?;
    let function = written(session, model.decision())?;
    let expected = by_definition(&kernel, &queries, &x, &function);
    let outcome = measured(session, (x.len(), DIM), &rows(&queries)?, &expected, |row| {
        Ok([model.predict(row)?[0]])
    })?;
    Ok(outcome.work(Work::kernel_values(x.len() as f64, DIM)))
}

/// Means and variances of the function, without noise.
fn gaussian_process(session: &mut Session<'_>) -> Result<Outcome> {
    let n = session.size().pick(1000, 250, 40);
    let Labelled { x, y } = data::regression(Stream::OneQuery, n + QUERIES, PROCESS_DIM)?;
    let (x, queries) = data::split(&x, n)?;
    let (x, queries) = (session.samples("x", x)?, session.samples("queries", queries)?);
    let y = session.vector("y", &y[..n])?;
    session.param("noise", NOISE);
    let kernel = rbf(session, PROCESS_DIM)?;
    let expected = textbook(kernel, &x, &y, &queries)?;
    let process = GaussianProcess::on_kernel(kernel).noise(NOISE).fixed(Fixed::All);
    let model = process.fit(&x, &y)?;
    let outcome = measured(session, (n, PROCESS_DIM), &rows(&queries)?, &expected, |row| {
        Ok([model.predict(row)?[0], model.variance(row, Noise::Without)?[0]])
    })?;
    // A product with a triangular matrix.
    Ok(outcome.work(Work::kernel_values(n as f64, PROCESS_DIM).flops((n * n) as f64)))
}

/// The votes of two classes.
fn neighbours(session: &mut Session<'_>) -> Result<Outcome> {
    let n = session.size().pick(10_000, 1000, 100);
    session.param("k", NEIGHBOURS);
    let all = data::normal::<f64>(Stream::OneQuery, n + QUERIES, DIM)?;
    let (x, queries) = data::split(&all, n)?;
    let (x, queries) = (session.samples("x", x)?, session.samples("queries", queries)?);
    let y = session.vector("y", &data::sequence(Stream::OneQueryLabels, 2, n))?;
    let winner = |i: usize| {
        let distance = |j: usize| -> f64 {
            x.item(j).iter().zip(queries.item(i)).map(|(a, b)| (a - b) * (a - b)).sum()
        };
        let mut order: Vec<(f64, usize)> = (0..n).map(|j| (distance(j), j)).collect();
        order.sort_by(|a, b| a.0.total_cmp(&b.0));
        let votes = order.iter().take(NEIGHBOURS).filter(|(_, j)| y[*j] == 1).count();
        [if 2 * votes > NEIGHBOURS { 1.0 } else { 0.0 }]
    };
    let expected: Vec<[f64; 1]> = (0..queries.len()).map(winner).collect();
    let model = KNearest::by_distance(Linear).neighbors(NEIGHBOURS).fit(&x, &y)?;
    let outcome = measured(session, (n, DIM), &rows(&queries)?, &expected, |row| {
        Ok([model.predict(row)?[0] as f64])
    })?;
    Ok(outcome.work(Work::default().flops((2 * n * DIM) as f64).in_single()))
}

/// A support vector machine on strings, with words of k letters and up to m mismatches. In the
/// inputs, letters are their codes.
fn strings<K: Mercer<Vec<String>>>(
    session: &mut Session<'_>,
    kernel: &K,
    (k, m): (usize, usize),
) -> Result<Outcome> {
    let n = session.size().pick(150, 150, 20);
    session.param("k", k);
    session.param("m", m);
    let (mut x, y) = (dna(n + QUERIES), data::sequence(Stream::OneQueryLabels, 2, n));
    let queries = x.split_off(n);
    let model = Svc::on_kernel(kernel).c(C).fit(&x, &y)?;
    let x = model.decision().points();
    session.samples("x", codes(x)?)?;
    session.samples("queries", codes(&queries)?)?;
    let function = written(session, model.decision())?;
    let expected = by_definition(kernel, &queries, x, &function);
    let rows: Vec<Vec<String>> = queries.into_iter().map(|query| vec![query]).collect();
    let outcome = measured(session, (x.len(), LETTERS), &rows, &expected, |row| {
        Ok([model.decision_values(row)?[(0, 0)]])
    })?;
    Ok(outcome.work(Work::default().moves::<u8>(LETTERS as f64)))
}

/// The kernel, with the reciprocal of the dimension as γ.
fn rbf(session: &mut Session<'_>, dim: usize) -> Result<Rbf> {
    let gamma = 1.0 / dim as f64;
    session.param("gamma", gamma);
    Ok(Rbf::new(gamma)?)
}

/// Collections of one row each.
fn rows<T: Scalar>(queries: &Samples<T>) -> Result<Vec<Samples<T>>> {
    (0..queries.len()).map(|i| Ok(queries.select(&[i])?)).collect()
}

/// Random strings.
fn dna(count: usize) -> Vec<String> {
    let (mut rng, letters) = (Stream::OneQuery.rng(), ALPHABET.as_bytes());
    let mut letter = || char::from(letters[rng.random_range(0..letters.len())]);
    (0..count).map(|_| (0..LETTERS).map(|_| letter()).collect()).collect()
}

/// A row for each string, with the code of each letter.
fn codes(strings: &[String]) -> Result<Samples<f64>> {
    let values = strings.iter().flat_map(|text| text.bytes().map(f64::from)).collect();
    Ok(Samples::from_row_major(LETTERS, values)?)
}

/// Coefficients and intercept of b + Σᵢ βᵢK(·, xᵢ).
struct Function {
    coefficients: Vec<f64>,
    intercept: f64,
}

/// A function as an input: implementations that can be given one evaluate the same.
fn written<T: Scalar, P: Points<Scalar = T>, K: Kernel<P>>(
    session: &Session<'_>,
    expansion: &KernelExpansion<P, K>,
) -> Result<Function> {
    let coefficients = expansion.coefficients().col(0).iter().map(|beta| beta.to_f64());
    let coefficients: Vec<f64> = coefficients.collect();
    let coefficients = session.vector("coefficients", &coefficients)?;
    let intercept = expansion.kernel_intercepts()[0].to_f64();
    session.vector("intercept", &[intercept])?;
    Ok(Function { coefficients, intercept })
}

/// The values of the function at all queries, from pointwise evaluations.
fn by_definition<P: Points<Scalar = f64>, K: Kernel<P>>(
    kernel: &K,
    queries: &P,
    x: &P,
    function: &Function,
) -> Vec<[f64; 1]> {
    let value = |i: usize| {
        let terms = function.coefficients.iter().enumerate();
        let terms = terms.map(|(j, beta)| beta * kernel.eval(queries.item(i), x.item(j)));
        [function.intercept + terms.sum::<f64>()]
    };
    (0..queries.len()).map(value).collect()
}

/// The mean kᵀ(K + σ²I)⁻¹y and the variance 1 − kᵀ(K + σ²I)⁻¹k at all queries.
fn textbook(
    kernel: Rbf,
    x: &Samples<f64>,
    y: &[f64],
    queries: &Samples<f64>,
) -> Result<Vec<[f64; 2]>> {
    let (n, count) = (x.len(), queries.len());
    let value = |a: &[f64], b: &[f64]| Kernel::<Samples<f64>>::eval(&kernel, a, b);
    let mut covariance: Mat<f64> = Mat::from_fn(n, n, |i, j| value(x.item(i), x.item(j)));
    (0..n).for_each(|i| covariance[(i, i)] += NOISE);
    let factor = covariance.llt(Side::Lower).map_err(|error| anyhow!("{error:?}"))?;
    let cross: Mat<f64> = Mat::from_fn(n, count, |i, j| value(x.item(i), queries.item(j)));
    let solved: Mat<f64> = factor.solve(&cross);
    let moments = |j: usize| {
        let mean: f64 = (0..n).map(|i| solved[(i, j)] * y[i]).sum();
        let explained: f64 = (0..n).map(|i| solved[(i, j)] * cross[(i, j)]).sum();
        [mean, 1.0 - explained]
    };
    Ok((0..count).map(moments).collect())
}

/// The predictions of a run.
struct Predictions<const N: usize> {
    /// The last one of each row.
    found: Vec<[f64; N]>,
    /// The seconds from the start of the run to the end of each.
    ends: Vec<f64>,
}

/// Predicts the rows in turn.
fn one_by_one<P, const N: usize>(
    rows: &[P],
    count: usize,
    predict: &impl Fn(&P) -> Result<[f64; N]>,
) -> Result<Predictions<N>> {
    let (mut found, mut ends) = (vec![[0.0; N]; rows.len()], Vec::with_capacity(count));
    let start = Instant::now();
    for i in 0..count {
        let row = i % rows.len();
        found[row] = predict(&rows[row])?;
        ends.push(start.elapsed().as_secs_f64());
    }
    Ok(Predictions { found, ends })
}

/// Measures predictions of single rows, and judges them by the values that are expected: the error
/// is the largest difference, relative to the largest value.
fn measured<P, const N: usize>(
    session: &mut Session<'_>,
    shape: (usize, usize),
    rows: &[P],
    expected: &[[f64; N]],
    predict: impl Fn(&P) -> Result<[f64; N]>,
) -> Result<Outcome> {
    let count = session.size().pick(1000, 1000, 2 * QUERIES);
    session.param("predictions", count);
    session.matrix("expected", &Mat::from_fn(expected.len(), N, |i, part| expected[i][part]))?;
    let measured = session.measure(|| one_by_one(rows, count, &predict))?;
    let (mut outcome, last) = Outcome::new(shape, measured);
    let times = outcome.seconds.times.iter().map(|time| time / count as f64);
    outcome.seconds = Seconds::new(&times.collect::<Vec<_>>())?;
    let notes = [std::mem::take(&mut outcome.note), percentiles(&last.ends)];
    let notes = notes.into_iter().filter(|note| !note.is_empty());
    outcome.note = notes.collect::<Vec<_>>().join("; ");
    let error = |part: usize| {
        let pairs = last.found.iter().zip(expected);
        let apart = quality::worst(pairs.map(|(found, known)| (found[part] - known[part]).abs()));
        apart / quality::worst(expected.iter().map(|known| known[part].abs()))
    };
    let error = quality::worst((0..N).map(error));
    Ok(outcome.figure("prediction_error", error))
}

/// A remark on the times between the ends of predictions.
fn percentiles(ends: &[f64]) -> String {
    const MICRO: f64 = 1e-6;
    let starts = std::iter::once(&0.0).chain(ends);
    let mut seconds: Vec<f64> = ends.iter().zip(starts).map(|(end, start)| end - start).collect();
    seconds.sort_by(f64::total_cmp);
    let percentile = |share: usize| seconds[seconds.len() * share / 100] / MICRO;
    let (p50, p99, count) = (percentile(50), percentile(99), seconds.len());
    format!("p50 {p50:.2} µs, p99 {p99:.2} µs of {count} predictions")
}
