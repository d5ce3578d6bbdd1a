//! The first fit of a process, and a fit after a pause: most users fit once, on cold caches and
//! fresh pages, while other tasks time warm repeats. Only the fit is timed, not the start of the
//! process nor the reading of libraries and inputs. The note has the time of a warm fit.

use super::svm_sets::values_of_support;
use super::{Outcome, Task};
use crate::bar::{Bar, Reading};
use crate::case::{Dtype, Size};
use crate::data;
use crate::measure::Measured;
use crate::npy;
use crate::quality;
use crate::real;
use crate::row::{self, Figures};
use crate::session::Session;
use crate::work::Work;
use anyhow::{Context, Result, anyhow, ensure};
use kern_core::faer::linalg::solvers::Solve;
use kern_core::faer::{Mat, MatRef, Side};
use kern_core::kernels::Rbf;
use kern_core::{Identity, Kernel, Points, Samples};
use kern_solvers::gaussian_process::{Fixed, GaussianProcess};
use kern_solvers::kmeans::KMeans;
use kern_solvers::logistic::Logistic;
use kern_solvers::model::KernelExpansion;
use kern_solvers::ridge::{Ridge, RidgeSolver};
use kern_solvers::svm::Svc;
use serde::{Deserialize, Serialize};
use std::env;
use std::f64::consts::TAU;
use std::hint::black_box;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// `first_contact`.
pub(super) const TASK: Task = Task {
    name: "first_contact",
    about: "one fit, cold: the first of a process, or after a pause of 0.3 s in which other memory \
            is read",
    cases: &[
        ("svc,first", Dtype::F64),
        ("svc,paused", Dtype::F64),
        ("ridge,first", Dtype::F64),
        ("ridge,paused", Dtype::F64),
        ("gp,first", Dtype::F64),
        ("gp,paused", Dtype::F64),
        ("kmeans,first", Dtype::F64),
        ("kmeans,paused", Dtype::F64),
        ("logistic,first", Dtype::F64),
        ("logistic,paused", Dtype::F64),
    ],
    bound: "the kernel values of support vectors, or all of them and a Cholesky factor; the \
            distances of one iteration; a matrix of one Newton step",
    bars: &[Bar {
        figure: ANSWER_ERROR,
        reading: Reading::Error,
        factor: 10.0,
        enough_f32: RELATIVE,
        enough_f64: RELATIVE,
    }],
    targets: &[
        ("svc,first", 0.5),
        ("svc,paused", 0.5),
        ("ridge,first", 0.5),
        ("ridge,paused", 0.5),
        ("gp,first", 0.5),
        ("gp,paused", 0.5),
        ("kmeans,first", 0.5),
        ("kmeans,paused", 0.5),
        ("logistic,first", 0.5),
        ("logistic,paused", 0.5),
    ],
    run,
};

/// The name of the hidden subcommand that fits once.
pub const FIRST_FIT: &str = "first-fit";

/// The largest difference to the expected answer, relative to its largest value. The answer is the
/// dual objective of an SVM, the predictions of ridge regression, the logarithm of a likelihood, an
/// inertia, or the penalised loss of logistic regression.
const ANSWER_ERROR: &str = "answer_error";

/// The time of a fit in multiples of that of a warm one.
const BY_WARM: &str = "by_warm";

/// The start of a fit.
#[derive(Clone, Copy, Debug)]
enum Start {
    First,
    Paused,
}

/// A model, with its data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Model {
    /// One against one, on digits.
    Svc,
    /// On diabetes.
    Ridge,
    /// With fixed parameters, on diabetes.
    GaussianProcess,
    /// On iris.
    KMeans,
    /// Linear, on breast cancer.
    Logistic,
}

const MODELS: [(&str, Model); 5] = [
    ("svc", Model::Svc),
    ("ridge", Model::Ridge),
    ("gp", Model::GaussianProcess),
    ("kmeans", Model::KMeans),
    ("logistic", Model::Logistic),
];

const CASES: [(&str, (Model, Start)); 10] = [
    ("svc,first", (Model::Svc, Start::First)),
    ("svc,paused", (Model::Svc, Start::Paused)),
    ("ridge,first", (Model::Ridge, Start::First)),
    ("ridge,paused", (Model::Ridge, Start::Paused)),
    ("gp,first", (Model::GaussianProcess, Start::First)),
    ("gp,paused", (Model::GaussianProcess, Start::Paused)),
    ("kmeans,first", (Model::KMeans, Start::First)),
    ("kmeans,paused", (Model::KMeans, Start::Paused)),
    ("logistic,first", (Model::Logistic, Start::First)),
    ("logistic,paused", (Model::Logistic, Start::Paused)),
];

/// C of the SVM, and the allowed violation of its optimality conditions.
const C: f64 = 10.0;
const TOLERANCE: f64 = 1e-3;

/// The noise of the Gaussian process, and nλ of ridge regression.
const NOISE: f64 = 0.1;

/// Clusters, and the runs of which the best one counts.
const CLUSTERS: usize = 3;
const RESTARTS: usize = 10;

/// The relative distance of an objective to the optimum that an answer may have.
const RELATIVE: f64 = 1e-4;

/// The same of the answers that are expected, and the runs for them.
const FINE: f64 = 1e-9;
const FINE_TOLERANCE: f64 = 1e-6;
const MANY_RESTARTS: usize = 100;

/// Fits before the first pause.
const FITS_BEFORE: usize = 5;

/// Fits in a row, of which the second half counts as warm.
const WARM_FITS: usize = 10;

/// A pause, and the 64-bit numbers that are read in it, 64 MiB: more than a cache has.
const PAUSE: Duration = Duration::from_millis(300);
const READ_IN_PAUSE: usize = (64 << 20) / size_of::<u64>();

/// The time of one fit, and the quality of its answer.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct FirstFit {
    seconds: f64,
    figures: Figures,
}

/// Computes the answer of a fitted model, outside of the clock.
type Judge<'a> = Box<dyn Fn() -> Result<Vec<f64>> + 'a>;

/// Fits a model.
type Fit<'a> = Box<dyn Fn() -> Result<Judge<'a>> + 'a>;

fn judge<'a>(answer: impl Fn() -> Result<Vec<f64>> + 'a) -> Judge<'a> {
    Box::new(answer)
}

fn fit<'a>(body: impl Fn() -> Result<Judge<'a>> + 'a) -> Fit<'a> {
    Box::new(body)
}

/// Points, with values or with classes; k-means uses neither.
struct Inputs {
    x: Samples<f64>,
    y: Vec<f64>,
    classes: Vec<i64>,
}

fn run(session: &mut Session<'_>) -> Result<Outcome> {
    let (model, start) = session.choose(&CASES)?;
    ensure!(session.dtype() == Dtype::F64, "first_contact is measured in f64 only");
    let Inputs { x, y, classes } = model.draw(session.size())?;
    let x = session.samples("x", x)?;
    let inputs = match model.has_values() {
        true => Inputs { x, y: session.vector("y", &y)?, classes },
        false => Inputs { x, y, classes: session.vector("y", &classes)? },
    };
    model.name_params(session, &inputs.x);
    let (expected, work) = model.reference(&inputs)?;
    let expected = session.vector("expected", &expected)?;
    let fit = model.fit(&inputs)?;
    let measured = match start {
        Start::Paused => after_pauses(session, &fit, &expected)?,
        // The program of a test has no subcommands.
        Start::First if session.size() == Size::Tiny => {
            session.measure_by(seconds, || timed(&fit, &expected))?
        }
        Start::First => {
            let (folder, threads) = (session.folder().to_owned(), session.threads());
            session.measure_by(seconds, || in_new_process(model, &folder, threads))?
        }
    };
    let (mut outcome, last) = Outcome::new((inputs.x.len(), inputs.x.dim()), measured);
    let warm = warm_seconds(&fit)?;
    let notes = [std::mem::take(&mut outcome.note), format!("warm {:.3} ms", 1e3 * warm)];
    let notes = notes.into_iter().filter(|note| !note.is_empty());
    outcome.note = notes.collect::<Vec<_>>().join("; ");
    outcome.quality.extend(last.figures);
    let by_warm = outcome.seconds.median / warm;
    Ok(outcome.work(work).figure(BY_WARM, by_warm))
}

/// The time that counts: that of the fit, not that of the whole run.
fn seconds(fit: &FirstFit, _run: f64) -> f64 {
    fit.seconds
}

/// The first fit of this process, of the inputs in a folder. The threads of the pool start with it,
/// as in the program of a user.
///
/// # Errors
/// If there is no such model, its inputs cannot be read, or the fit fails.
pub fn first_fit(model: &str, folder: &Path) -> Result<FirstFit> {
    let found = MODELS.into_iter().find(|(name, _)| *name == model);
    let (_, model) = found.with_context(|| format!("there is no model `{model}`"))?;
    let file = |name: &str| folder.join(name).with_extension("npy");
    let x = npy::read_samples(&file("x"))?;
    let (y, classes) = match model.has_values() {
        true => (npy::read(&file("y"))?, Vec::new()),
        false => (Vec::new(), npy::read(&file("y"))?),
    };
    let inputs = Inputs { x, y, classes };
    let expected: Vec<f64> = npy::read(&file("expected"))?;
    timed(&model.fit(&inputs)?, &expected)
}

/// The first fit of a process of this program.
fn in_new_process(model: Model, folder: &Path, threads: usize) -> Result<FirstFit> {
    let program = env::current_exe().context("this program does not know its own path")?;
    let mut command = Command::new(program);
    command.args([FIRST_FIT, "--model", model.name(), "--inputs"]).arg(folder);
    command.env("RAYON_NUM_THREADS", threads.to_string());
    // The runner's requests are not for it.
    let output = command.stdin(Stdio::null()).stderr(Stdio::inherit()).output()?;
    ensure!(output.status.success(), "the process of a first fit: {}", output.status);
    serde_json::from_slice(&output.stdout).context("a first fit without a result")
}

/// Fits after pauses, in a process that has fitted before.
fn after_pauses(
    session: &mut Session<'_>,
    fit: &Fit<'_>,
    expected: &[f64],
) -> Result<Measured<FirstFit>> {
    // Tests do without.
    let (pause, numbers) =
        session.size().pick((PAUSE, READ_IN_PAUSE), (PAUSE, READ_IN_PAUSE), (Duration::ZERO, 1));
    // Memory of zeros might be one page.
    let memory = vec![1_u64; numbers];
    for _ in 0..FITS_BEFORE {
        drop(fit()?);
    }
    session.measure_by(seconds, || {
        let start = Instant::now();
        while start.elapsed() < pause {
            black_box(black_box(&memory).iter().sum::<u64>());
        }
        timed(fit, expected)
    })
}

/// One fit under the clock.
fn timed(fit: &Fit<'_>, expected: &[f64]) -> Result<FirstFit> {
    let start = Instant::now();
    let judge = fit()?;
    let seconds = start.elapsed().as_secs_f64();
    let found = judge()?;
    ensure!(found.len() == expected.len(), "{} values, not {}", found.len(), expected.len());
    let pairs = found.iter().zip(expected);
    let apart = quality::worst(pairs.map(|(found, known)| (found - known).abs()));
    let error = apart / quality::worst(expected.iter().map(|known| known.abs()));
    Ok(FirstFit { seconds, figures: Figures::from([(ANSWER_ERROR.to_owned(), error)]) })
}

/// The median time of the second half of some fits in a row.
fn warm_seconds(fit: &Fit<'_>) -> Result<f64> {
    let mut seconds = Vec::with_capacity(WARM_FITS);
    for _ in 0..WARM_FITS {
        let start = Instant::now();
        let judge = fit()?;
        seconds.push(start.elapsed().as_secs_f64());
        drop(judge);
    }
    let mut second_half = seconds.split_off(WARM_FITS / 2);
    second_half.sort_by(f64::total_cmp);
    Ok(row::median(&second_half))
}

impl Model {
    fn name(self) -> &'static str {
        MODELS.into_iter().find(|(_, model)| *model == self).map_or("", |(name, _)| name)
    }

    /// Tells whether its targets are values, not classes.
    fn has_values(self) -> bool {
        matches!(self, Self::Ridge | Self::GaussianProcess)
    }

    /// The data. Columns have mean 0 and standard deviation 1, except for pixels, in \[0, 1\], and
    /// iris, in centimetres: standardised, its local minima are further apart than the bar.
    fn draw(self, size: Size) -> Result<Inputs> {
        let few = size.pick(usize::MAX, usize::MAX, 80);
        let (file, most) = match self {
            Self::Svc => {
                let data::Labelled { x, mut y } = real::digits()?;
                let train = size.pick(1197, 1197, 150);
                y.truncate(train);
                let x = x.select(&(0..train).collect::<Vec<_>>())?;
                return Ok(Inputs { x, y: Vec::new(), classes: y });
            }
            Self::Ridge | Self::GaussianProcess => ("diabetes.csv.gz", few),
            Self::KMeans => ("iris.csv.gz", usize::MAX),
            Self::Logistic => ("breast_cancer.csv.gz", few),
        };
        let (x, y) = real::table(&real::folder(), file, self.has_values(), most)?;
        let (n, dim, mut values) = (x.len(), x.dim(), x.as_slice().to_vec());
        if self != Self::KMeans {
            data::standardize(&mut values, dim, n);
        }
        let x = Samples::from_row_major(dim, values)?;
        let classes = y.iter().map(|&y| y as i64).collect();
        Ok(Inputs { x, y, classes })
    }

    fn name_params(self, session: &mut Session<'_>, x: &Samples<f64>) {
        match self {
            Self::Svc => {
                session.param("gamma", self.gamma(x));
                session.param("c", C);
                session.param("tolerance", TOLERANCE);
            }
            Self::Ridge | Self::GaussianProcess => {
                session.param("gamma", self.gamma(x));
                session.param("noise", NOISE);
            }
            Self::KMeans => {
                session.param("k", CLUSTERS);
                session.param("restarts", RESTARTS);
            }
            Self::Logistic => session.param("c", 1.0),
        }
    }

    /// 1/(d·variance of all entries), scikit-learn's "scale", for the SVM, and 1/d otherwise.
    fn gamma(self, x: &Samples<f64>) -> f64 {
        let (values, dim) = (x.as_slice(), x.dim() as f64);
        if self != Self::Svc {
            return 1.0 / dim;
        }
        let count = values.len() as f64;
        let mean = values.iter().sum::<f64>() / count;
        let variance = values.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / count;
        1.0 / (dim * variance)
    }

    /// The fit, as a user writes it.
    fn fit(self, inputs: &Inputs) -> Result<Fit<'_>> {
        let Inputs { x, y, classes } = inputs;
        let (n, features) = (x.len() as f64, Identity::new(x.dim()));
        let kernel = Rbf::new(self.gamma(x))?;
        Ok(match self {
            Self::Svc => {
                let svc = Svc::on_kernel(kernel).c(C).violation(TOLERANCE);
                fit(move || {
                    let model = svc.fit(x, classes.as_slice())?;
                    Ok(judge(move || Ok(vec![dual(model.decision())])))
                })
            }
            Self::Ridge => {
                let ridge = Ridge::on_kernel(kernel).lambda(NOISE / n);
                let ridge = ridge.solver(RidgeSolver::Cholesky);
                fit(move || {
                    let model = ridge.fit(x, y.as_slice())?;
                    Ok(judge(move || Ok(model.predict(x)?)))
                })
            }
            Self::GaussianProcess => {
                let process = GaussianProcess::on_kernel(kernel).noise(NOISE).fixed(Fixed::All);
                fit(move || {
                    let model = process.fit(x, y.as_slice())?;
                    Ok(judge(move || Ok(vec![model.decision().likelihood_bounds().lower])))
                })
            }
            Self::KMeans => {
                let kmeans = KMeans::on_features(features, CLUSTERS).restarts(RESTARTS);
                fit(move || {
                    let model = kmeans.fit(x)?;
                    Ok(judge(move || Ok(vec![inertia(x, model.labels())])))
                })
            }
            Self::Logistic => {
                let logistic = Logistic::on_features(features).lambda(1.0 / n).intercept(true);
                let logistic = logistic.tolerance(RELATIVE);
                fit(move || {
                    let model = logistic.fit(x, classes.as_slice())?;
                    Ok(judge(move || {
                        let values: Mat<f64> = model.decision_values(x)?;
                        Ok(vec![loss(values.as_ref(), model.decision().weights(), classes)])
                    }))
                })
            }
        })
    }

    /// The answer that is expected, and the work that nobody can avoid.
    fn reference(self, inputs: &Inputs) -> Result<(Vec<f64>, Work)> {
        let Inputs { x, y, classes } = inputs;
        let (n, dim, features) = (x.len(), x.dim(), Identity::new(x.dim()));
        let kernel = Rbf::new(self.gamma(x))?;
        let factor = Work::gram_values(n, dim).flops((n as f64).powi(3) / 3.0);
        Ok(match self {
            Self::Svc => {
                let svc = Svc::on_kernel(kernel).c(C).violation(FINE_TOLERANCE);
                let model = svc.fit(x, classes.as_slice())?;
                let work = Work::kernel_values(values_of_support(&model, classes), dim);
                (vec![dual(model.decision())], work)
            }
            // Refinement makes a factor in single precision good enough.
            Self::Ridge => (textbook(kernel, x, y)?.0, factor.in_single()),
            Self::GaussianProcess => (vec![textbook(kernel, x, y)?.1], factor),
            Self::KMeans => {
                let kmeans = KMeans::on_features(features, CLUSTERS).restarts(MANY_RESTARTS);
                let model = kmeans.fit(x)?;
                let work = Work::default().flops((2 * n * dim * CLUSTERS) as f64);
                (vec![inertia(x, model.labels())], work)
            }
            Self::Logistic => {
                let logistic = Logistic::on_features(features).lambda(1.0 / n as f64);
                let model = logistic.intercept(true).tolerance(FINE).fit(x, classes.as_slice())?;
                let values: Mat<f64> = model.decision_values(x)?;
                let loss = loss(values.as_ref(), model.decision().weights(), classes);
                (vec![loss], Work::default().flops((n * dim * dim) as f64))
            }
        })
    }
}

/// The dual objective of all pairs, from pointwise evaluations.
fn dual(expansion: &KernelExpansion<Samples<f64>, Rbf>) -> f64 {
    quality::dual_of_classes(expansion.kernel(), expansion.points(), expansion.coefficients())
}

/// The predictions of ridge regression at the points themselves, and the logarithm of the
/// likelihood of a Gaussian process, by a Cholesky factor.
fn textbook(kernel: Rbf, x: &Samples<f64>, y: &[f64]) -> Result<(Vec<f64>, f64)> {
    let n = x.len();
    let value = |i, j| Kernel::<Samples<f64>>::eval(&kernel, x.item(i), x.item(j));
    let mut covariance: Mat<f64> = Mat::from_fn(n, n, value);
    (0..n).for_each(|i| covariance[(i, i)] += NOISE);
    let factor = covariance.llt(Side::Lower).map_err(|error| anyhow!("{error:?}"))?;
    let alpha: Mat<f64> = factor.solve(Mat::from_fn(n, 1, |i, _| y[i]));
    let fitted = (0..n).map(|i| y[i] - NOISE * alpha[(i, 0)]).collect();
    let energy: f64 = y.iter().zip(alpha.col(0).iter()).map(|(y, alpha)| y * alpha).sum();
    let logarithms: f64 = factor.L().diagonal().column_vector().iter().map(|l| l.ln()).sum();
    Ok((fitted, -0.5 * energy - logarithms - 0.5 * n as f64 * TAU.ln()))
}

/// The sum of squared distances to the means of clusters.
fn inertia(x: &Samples<f64>, labels: &[usize]) -> f64 {
    let squares = |c: usize| -> f64 {
        let members: Vec<usize> = (0..x.len()).filter(|&i| labels[i] == c).collect();
        let of_feature = |k: usize| -> f64 {
            let values = || members.iter().map(move |&i| x.item(i)[k]);
            let mean = values().sum::<f64>() / members.len() as f64;
            values().map(|value| (value - mean).powi(2)).sum()
        };
        (0..x.dim()).map(of_feature).sum()
    };
    (0..CLUSTERS).map(squares).sum()
}

/// Σ ln(1 + exp(∓f)) + ½‖w‖², the objective of logistic regression with C = 1.
fn loss(values: MatRef<'_, f64>, weights: MatRef<'_, f64>, classes: &[i64]) -> f64 {
    let of_point = |(f, &class): (&f64, &i64)| {
        let t = if class == 1 { -f } else { *f };
        t.max(0.0) + (-t.abs()).exp().ln_1p()
    };
    let losses: f64 = values.col(0).iter().zip(classes).map(of_point).sum();
    losses + 0.5 * weights.col(0).iter().map(|w| w * w).sum::<f64>()
}
