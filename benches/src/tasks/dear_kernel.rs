//! Kernels that cost tens of microseconds a value: the subsequence kernel on strings, and one of a user's own
//! that counts how often it is asked. What matters is that no value is computed twice, and that all threads
//! compute.

use super::{Outcome, Task};
use crate::case::Dtype;
use crate::data::{self, Stream};
use crate::quality;
use crate::row::Seconds;
use crate::session::Session;
use crate::work::Work;
use anyhow::Result;
use kern_core::faer::Mat;
use kern_core::kernels::Subsequence;
use kern_core::{Kernel, Mercer};
use kern_gram::DenseGram;
use kern_solvers::ridge::{Ridge, RidgeSolver};
use kern_solvers::svm::Svc;
use rand::RngExt;
use rand_distr::StandardNormal;
use rayon::ThreadPoolBuilder;
use std::hint::black_box;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

/// `dear_kernel`.
pub(super) const TASK: Task = Task {
    name: "dear_kernel",
    about: "kernels of some 20 µs a value, on strings and of a user's own: Gram matrix, ridge and SVM; \
            evaluations by the number of pairs (for strings, the time of one thread by that of as many \
            values), and the speed-up of all threads over one",
    cases: &[
        ("own,gram,n200", Dtype::F64),
        ("own,gram,n600", Dtype::F64),
        ("own,gram,n2000", Dtype::F64),
        ("own,ridge,n200", Dtype::F64),
        ("own,ridge,n600", Dtype::F64),
        ("own,svm,n200", Dtype::F64),
        ("own,svm,n600", Dtype::F64),
        ("strings,gram,n200", Dtype::F64),
        ("strings,gram,n600", Dtype::F64),
        ("strings,gram,n2000", Dtype::F64),
        ("strings,ridge,n200", Dtype::F64),
        ("strings,ridge,n600", Dtype::F64),
        ("strings,svm,n200", Dtype::F64),
        ("strings,svm,n600", Dtype::F64),
    ],
    bound: "the points are read once; what a value costs is the kernel's own affair",
    bars: &[],
    targets: &[],
    run,
};

/// A use of the kernel.
#[derive(Clone, Copy)]
enum Way {
    Gram,
    Ridge,
    Svm,
}

/// Coordinates of a point, and waves of the kernel on them.
const DIM: usize = 4;
const WAVES: usize = 1200;

/// Letters of a string.
const LETTERS: usize = 64;

/// Letters of a common subsequence, and the weight of one.
const P: usize = 4;
const LAMBDA: f64 = 0.5;

/// nλ of ridge regression, and C of the support vector machine.
const SHIFT: f64 = 0.1;
const C: f64 = 1.0;

/// Pairs by which one value is timed.
const PAIRS: usize = 400;

/// Rows in which answers are judged.
const ROWS: usize = 5;

/// Runs on one thread, or fewer if they take [`LONG`] seconds.
const ALONE: usize = 3;
const LONG: f64 = 3.0;

fn run(session: &mut Session<'_>) -> Result<Outcome> {
    let ways = [("gram", Way::Gram), ("ridge", Way::Ridge), ("svm", Way::Svm)];
    let numbers = [("n200", 200), ("n600", 600), ("n2000", 2000)];
    let cases = ["own", "strings"].map(|kernel| {
        ways.map(|(name, way)| {
            numbers.map(|(n, number)| (format!("{kernel},{name},{n}"), (kernel, way, number)))
        })
    });
    let cases = cases.iter().flatten().flatten();
    let cases: Vec<_> = cases.map(|(name, case)| (name.as_str(), *case)).collect();
    let (kernel, way, n) = session.choose(&cases)?;
    let n = session.size().pick(n, n / 4, n / 20);
    match kernel {
        "own" => on_waves(session, way, n),
        _ => on_strings(session, way, n),
    }
}

/// A user's kernel, which counts.
fn on_waves(session: &mut Session<'_>, way: Way, n: usize) -> Result<Outcome> {
    session.param("waves", WAVES);
    let (kernel, x) = (Waves::new(), places(n));
    let restart = || kernel.count.store(0, Ordering::Relaxed);
    let (outcome, answer, _) = measured(session, (&kernel, &x), way, restart)?;
    // Before the figures of quality, for which it is evaluated, too.
    let evaluations = kernel.count.load(Ordering::Relaxed) as f64;
    let outcome = way.judge(outcome, (&kernel, &x), &answer);
    Ok(outcome.figure("evaluations", evaluations / pairs(n)))
}

/// The library's kernel cannot be counted. The time of one thread, by that of so many values, tells as much.
fn on_strings(session: &mut Session<'_>, way: Way, n: usize) -> Result<Outcome> {
    session.param("letters", LETTERS);
    session.param("p", P);
    session.param("lambda", LAMBDA);
    let (kernel, x) = (Subsequence::by_gaps(P, LAMBDA)?, strings(n));
    let (outcome, answer, alone) = measured(session, (&kernel, &x), way, || ())?;
    let values = pairs(n) * seconds_of_a_value(&kernel, &x);
    let outcome = way.judge(outcome, (&kernel, &x), &answer);
    Ok(outcome.figure("time_by_values", alone / values))
}

/// The values that symmetry leaves.
fn pairs(n: usize) -> f64 {
    (n * (n + 1)) as f64 / 2.0
}

/// Does it with all threads, and then with one: the outcome, the answer, and the median seconds of one thread.
fn measured<S, K>(
    session: &mut Session<'_>,
    (kernel, x): (&K, &Vec<S>),
    way: Way,
    restart: impl Fn() + Sync,
) -> Result<(Outcome, Mat<f64>, f64)>
where
    S: Clone + Send + Sync,
    K: Mercer<Vec<S>>,
{
    let once = || {
        restart();
        way.take(kernel, x)
    };
    let (outcome, answer) = Outcome::new((x.len(), 1), session.measure(once)?);
    let alone = seconds_alone(once)?;
    let speed_up = alone / outcome.seconds.median;
    // Tables of points are read once at least.
    let outcome = outcome.work(Work::default().moves::<f64>(x.len() as f64));
    let has_many = session.threads() > 1;
    let outcome = if has_many { outcome.figure("speed_up", speed_up) } else { outcome };
    Ok((outcome, answer, alone))
}

/// The median time on a pool of one thread.
fn seconds_alone(once: impl Fn() -> Result<Mat<f64>> + Sync) -> Result<f64> {
    let pool = ThreadPoolBuilder::new().num_threads(1).build()?;
    let mut times: Vec<f64> = Vec::new();
    while times.is_empty() || (times.len() < ALONE && times.iter().sum::<f64>() < LONG) {
        let start = Instant::now();
        black_box(pool.install(&once)?);
        times.push(start.elapsed().as_secs_f64());
    }
    Ok(Seconds::new(&times)?.median)
}

/// The mean time of one value, over pairs from everywhere.
fn seconds_of_a_value<S, K>(kernel: &K, x: &[S]) -> f64
where
    S: Clone + Send + Sync,
    K: Kernel<Vec<S>>,
{
    let start = Instant::now();
    for k in 0..PAIRS {
        black_box(kernel.eval(&x[k % x.len()], &x[(7 * k + 3) % x.len()]));
    }
    start.elapsed().as_secs_f64() / PAIRS as f64
}

/// The class of a point: they take turns.
fn class(i: usize) -> i8 {
    if i.is_multiple_of(2) { 1 } else { -1 }
}

impl Way {
    /// The Gram matrix, or the coefficients of a fit.
    fn take<S, K>(self, kernel: &K, x: &Vec<S>) -> Result<Mat<f64>>
    where
        S: Clone + Send + Sync,
        K: Mercer<Vec<S>>,
    {
        let classes: Vec<i8> = (0..x.len()).map(class).collect();
        Ok(match self {
            Self::Gram => {
                let mut gram = Mat::zeros(x.len(), x.len());
                DenseGram::fill(kernel, x, gram.as_mut())?;
                gram
            }
            Self::Ridge => {
                let y: Vec<f64> = classes.into_iter().map(f64::from).collect();
                let ridge = Ridge::on_kernel(kernel).lambda(SHIFT / x.len() as f64);
                let model = ridge.solver(RidgeSolver::Cholesky).fit(x, &y)?;
                model.decision().coefficients().to_owned()
            }
            Self::Svm => {
                let model = Svc::on_kernel(kernel).c(C).fit(x, &classes)?;
                model.decision().coefficients().to_owned()
            }
        })
    }

    /// The quality of the answer, in some rows.
    fn judge<S, K>(self, outcome: Outcome, (kernel, x): (&K, &Vec<S>), answer: &Mat<f64>) -> Outcome
    where
        S: Clone + Send + Sync,
        K: Kernel<Vec<S>>,
    {
        let value = |i: usize, j: usize| kernel.eval(&x[i], &x[j]);
        let rows = data::some_indices(x.len(), ROWS);
        let columns = || 0..x.len();
        match self {
            Self::Gram => {
                let error = |i: usize| {
                    columns().map(move |j| ((answer[(i, j)] - value(i, j)) / value(i, i)).abs())
                };
                outcome.figure("rel_err", quality::worst(rows.iter().copied().flat_map(error)))
            }
            Self::Ridge => {
                let residual = |&i: &usize| {
                    let fitted: f64 = columns().map(|j| answer[(j, 0)] * value(i, j)).sum();
                    (fitted + SHIFT * answer[(i, 0)] - f64::from(class(i))).abs()
                };
                outcome.figure("rel_residual", quality::worst(rows.iter().map(residual)))
            }
            Self::Svm => outcome.figure("support_vectors", answer.nrows() as f64),
        }
    }
}

/// A kernel of a user's own: the mean of cos ω·(x − y) over some waves ω, which is an inner product of sines
/// and cosines. It counts how often it is asked.
struct Waves {
    waves: Vec<[f64; DIM]>,
    count: AtomicUsize,
}

/// A point of that kernel.
type Place = [f64; DIM];

impl Waves {
    fn new() -> Self {
        let mut rng = Stream::DearWaves.rng();
        let waves = (0..WAVES).map(|_| std::array::from_fn(|_| rng.sample(StandardNormal)));
        Self { waves: waves.collect(), count: AtomicUsize::new(0) }
    }
}

impl Kernel<Vec<Place>> for Waves {
    fn eval(&self, x: &Place, y: &Place) -> f64 {
        self.count.fetch_add(1, Ordering::Relaxed);
        let wave = |wave: &[f64; DIM]| {
            let phase: f64 = wave.iter().zip(x.iter().zip(y)).map(|(w, (x, y))| w * (x - y)).sum();
            phase.cos()
        };
        self.waves.iter().map(wave).sum::<f64>() / self.waves.len() as f64
    }
}

impl Mercer<Vec<Place>> for Waves {}

/// Two classes that overlap.
fn places(n: usize) -> Vec<Place> {
    let mut rng = Stream::Dear.rng();
    let mut place = |i| {
        std::array::from_fn(|_| rng.sample::<f64, _>(StandardNormal) + 0.5 * f64::from(class(i)))
    };
    (0..n).map(&mut place).collect()
}

/// Two classes of strings: some letters are in one more often than in the other.
fn strings(n: usize) -> Vec<String> {
    let mut rng = Stream::DearStrings.rng();
    let mut letter = |i| {
        let most = if class(i) > 0 { 8 } else { 6 };
        char::from(b'a' + rng.random_range(0..most))
    };
    (0..n).map(|i| (0..LETTERS).map(|_| letter(i)).collect()).collect()
}
