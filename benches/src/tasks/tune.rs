//! The search for C and γ of a support vector machine behind a scaling, by five folds on a grid of 5 × 5.

use super::{Outcome, Task};
use crate::bar::{Bar, Reading};
use crate::case::{Dtype, Size};
use crate::data;
use crate::real;
use crate::session::Session;
use crate::work::Work;
use anyhow::{Result, ensure};
use kern_core::Points;
use kern_core::kernels::Rbf;
use kern_solvers::Data;
use kern_solvers::pipeline::Standardize;
use kern_solvers::search::Tune;
use kern_solvers::svm::{Svc, Svr};
use kern_solvers::validation::{Accuracy, R2, Score};

/// `tune`.
pub(super) const TASK: Task = Task {
    name: "tune",
    about: "five folds on a grid of 5 × 5, C by γ, of a support vector machine behind a scaling, and the last fit",
    cases: &[
        ("iris", Dtype::F64),
        ("wine", Dtype::F64),
        ("breast_cancer", Dtype::F64),
        ("digits", Dtype::F64),
        ("heart", Dtype::F64),
        ("svmguide1", Dtype::F64),
        ("letter", Dtype::F64),
        ("a9a", Dtype::F64),
        ("diabetes", Dtype::F64),
        ("concrete", Dtype::F64),
    ],
    bound: "the kernel values of all pairs of points, once for each γ",
    // A share of some hundred points: noise.
    bars: &[Bar {
        figure: "test_score",
        reading: Reading::Gain,
        factor: 0.97,
        enough_f32: 0.0,
        enough_f64: 0.0,
    }],
    targets: &[
        ("iris", 0.3),
        ("wine", 0.3),
        ("breast_cancer", 0.3),
        ("digits", 0.3),
        ("heart", 0.3),
        ("svmguide1", 0.3),
        ("letter", 0.3),
        ("a9a", 0.3),
        ("diabetes", 0.3),
        ("concrete", 0.3),
    ],
    run,
};

/// A set, and the kind of its targets.
#[derive(Clone, Copy, Debug)]
struct Set {
    file: &'static str,
    regression: bool,
    /// At most so many points.
    most: usize,
}

const fn classes(file: &'static str, most: usize) -> Set {
    Set { file, regression: false, most }
}

const fn numbers(file: &'static str) -> Set {
    Set { file, regression: true, most: usize::MAX }
}

const SETS: [(&str, Set); 10] = [
    ("iris", classes("iris.csv.gz", usize::MAX)),
    ("wine", classes("wine.csv.gz", usize::MAX)),
    ("breast_cancer", classes("breast_cancer.csv.gz", usize::MAX)),
    ("digits", classes("digits.csv.gz", usize::MAX)),
    ("heart", classes("heart_scale.svm.gz", usize::MAX)),
    ("svmguide1", classes("svmguide1_train.svm.gz", usize::MAX)),
    ("letter", classes("letter.csv.gz", 3000)),
    ("a9a", classes("a9a_train.svm.gz", 3000)),
    ("diabetes", numbers("diabetes.csv.gz")),
    ("concrete", numbers("concrete.csv.gz")),
];

/// The values of C, and of γ times the number of coordinates.
const C: [f64; 5] = [0.1, 1.0, 10.0, 100.0, 1000.0];
const GAMMA: [f64; 5] = [0.01, 0.1, 1.0, 10.0, 100.0];
const EPSILON: f64 = 0.1;
const TOLERANCE: f64 = 1e-3;

fn run(session: &mut Session<'_>) -> Result<Outcome> {
    let set = session.choose(&SETS)?;
    ensure!(session.dtype() == Dtype::F64, "tune is measured in f64 only");
    let (file, most) = match session.size() {
        // Tests of this program need no files, and five points of each class.
        Size::Tiny if set.regression => ("diabetes.csv.gz", 60),
        Size::Tiny => ("wine.csv.gz", 60),
        _ => (set.file, set.most),
    };
    let (x, y) = real::table(&real::folder(), file, set.regression, most)?;
    let train = x.len() * 3 / 4;
    let (x, x_test) = data::split(&x, train)?;
    let (x, x_test) = (session.samples("x", x)?, session.samples("x_test", x_test)?);
    let (y, y_test) = (session.vector("y", &y[..train])?, session.vector("y_test", &y[train..])?);
    let gamma: Vec<f64> = GAMMA.iter().map(|gamma| gamma / x.dim() as f64).collect();
    session.param("c", C.to_vec());
    session.param("gamma", gamma.clone());
    session.param("epsilon", EPSILON);
    session.param("tolerance", TOLERANCE);
    session.param("regression", set.regression);
    let size = (x.len(), x.dim());
    let work = Work::kernel_values((GAMMA.len() * train * train) as f64 / 2.0, size.1);
    let kernel = Rbf::new(1.0)?;
    let (outcome, score) = if set.regression {
        let svr = Svr::on_kernel(kernel).epsilon(EPSILON).violation(TOLERANCE);
        let tune = over(Tune::new(Standardize::new().then(svr), R2), gamma);
        let (outcome, model) = Outcome::new(size, session.measure(|| Ok(tune.fit(&x, &y)?))?);
        (outcome, R2.score(&model, &Data::new(&x_test, &y_test)?)?)
    } else {
        let labels = |y: &[f64]| y.iter().map(|&y| y as i64).collect::<Vec<_>>();
        let (y, y_test) = (labels(&y), labels(&y_test));
        let svc = Svc::on_kernel(kernel).violation(TOLERANCE);
        let tune = over(Tune::new(Standardize::new().then(svc), Accuracy), gamma);
        let (outcome, model) = Outcome::new(size, session.measure(|| Ok(tune.fit(&x, &y)?))?);
        (outcome, Accuracy.score(&model, &Data::new(&x_test, &y_test)?)?)
    };
    Ok(outcome.work(work).figure("test_score", score))
}

/// The plane of both searches.
fn over<L, S>(tune: Tune<L, S>, gamma: Vec<f64>) -> Tune<L, S> {
    tune.over("kernel.gamma", gamma).over("c", C)
}
