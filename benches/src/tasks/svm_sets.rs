//! The sets of `svm` and `svm_predict`, with the parameters that belong to them.

use crate::case::{Dtype, Size};
use crate::clusters::TWENTY;
use crate::data::{self, Labelled, Stream};
use crate::real;
use crate::session::Session;
use anyhow::Result;
use kern_core::kernels::Rbf;
use kern_core::{Points, Samples};
use kern_solvers::Report;
use kern_solvers::model::{Classifier, KernelExpansion};
use kern_solvers::svm::Svc;

/// A set of points, half of a problem.
#[derive(Clone, Copy, Debug)]
enum Source {
    /// The digits: ten classes, d = 64.
    Digits,
    /// Clusters in R²⁰: two classes; so many points for training.
    Clusters(usize),
    /// Images of MNIST: ten classes, d = 784.
    Mnist,
}

/// A problem.
#[derive(Clone, Copy, Debug)]
pub(super) struct Set {
    source: Source,
    c: f64,
    gamma: f64,
}

/// The variants of both tasks.
pub(super) const CASES: &[(&str, Dtype)] = &[
    ("digits", Dtype::F64),
    ("syn5000", Dtype::F64),
    ("syn,C=1", Dtype::F64),
    ("syn,C=10", Dtype::F64),
    ("mnist4000", Dtype::F64),
];

const SETS: [(&str, Set); 5] = [
    ("digits", Set { source: Source::Digits, c: 10.0, gamma: 0.1 }),
    ("syn5000", Set { source: Source::Clusters(5000), c: 1.0, gamma: 0.05 }),
    ("syn,C=1", Set { source: Source::Clusters(20_000), c: 1.0, gamma: 0.05 }),
    ("syn,C=10", Set { source: Source::Clusters(20_000), c: 10.0, gamma: 0.05 }),
    ("mnist4000", Set { source: Source::Mnist, c: 10.0, gamma: 0.02 }),
];

/// The allowed violation of the optimality conditions, as in LIBSVM.
const TOLERANCE: f64 = 1e-3;

pub(super) type Model = Classifier<KernelExpansion<Samples<f64>, Rbf>, i64>;

/// Points for training and for testing.
pub(super) struct Inputs {
    pub(super) x: Samples<f64>,
    pub(super) y: Vec<i64>,
    pub(super) x_test: Samples<f64>,
    pub(super) y_test: Vec<i64>,
}

impl Set {
    /// The set of the variant.
    pub(super) fn choose(session: &mut Session<'_>) -> Result<Self> {
        let set = session.choose(&SETS)?;
        session.param("c", set.c);
        session.param("gamma", set.gamma);
        session.param("tolerance", TOLERANCE);
        Ok(set)
    }

    pub(super) fn kernel(&self) -> Result<Rbf> {
        Ok(Rbf::new(self.gamma)?)
    }

    /// Fits the model: this is measured, or makes the predictions that are.
    pub(super) fn fit(&self, x: &Samples<f64>, y: &[i64]) -> Result<Model> {
        let machine = Svc::on_kernel(self.kernel()?).c(self.c).violation(TOLERANCE);
        Ok(machine.fit(x, y)?)
    }

    pub(super) fn inputs(&self, size: Size) -> Result<Inputs> {
        let (all, train) = self.draw(size)?;
        let (x, x_test) = data::split(&all.x, train)?;
        let mut y = all.y;
        let y_test = y.split_off(train);
        Ok(Inputs { x, y, x_test, y_test })
    }

    /// All points, and how many of them are for training.
    fn draw(&self, size: Size) -> Result<(Labelled<i64>, usize)> {
        Ok(match self.source {
            Source::Clusters(train) => {
                let (train, tests) = size.pick((train, 5000), (train / 10, 1000), (600, 200));
                // One set for all, of which a smaller one is the beginning.
                let units = train.max(size.pick(20_000, 2000, 600));
                (TWENTY.draw(Stream::Svm, units + tests, units)?.without(train, units)?, train)
            }
            Source::Digits => {
                let (train, count) = size.pick((1197, 1797), (600, 1000), (150, 250));
                (real::digits()?.first(count)?, train)
            }
            // Tests of this program need no files: the digits are images, too.
            Source::Mnist if size == Size::Tiny => (real::digits()?.first(250)?, 150),
            Source::Mnist => {
                let (train, count) = size.pick((4000, 5000), (1000, 1500), (0, 0));
                (real::mnist(&real::folder(), count)?, train)
            }
        })
    }
}

/// The number of kernel values that certify that no other classifier is better: those of each support vector with
/// the points of the two classes of its problems. Symmetry may give half of them twice, and gives those
/// between support vectors twice.
pub(super) fn values_of_support(model: &Model, y: &[i64]) -> f64 {
    let classes = model.classes();
    let size = |class: usize| y.iter().filter(|&&label| label == classes[class]).count() as f64;
    let sizes: Vec<f64> = (0..classes.len()).map(size).collect();
    let pairs: Vec<(usize, usize)> =
        (0..classes.len()).flat_map(|a| (a + 1..classes.len()).map(move |b| (a, b))).collect();
    let beta = model.decision().coefficients();
    let of_vector = |(row, &point): (usize, &usize)| -> f64 {
        let own = classes.iter().position(|&class| class == y[point]).unwrap_or(0);
        let others = pairs.iter().enumerate().filter(|(pair, _)| beta[(row, *pair)] != 0.0);
        let other = |&(a, b): &(usize, usize)| sizes[if a == own { b } else { a }];
        sizes[own] + others.map(|(_, pair)| other(pair)).sum::<f64>()
    };
    let support = support(model.report());
    let all: f64 = support.iter().enumerate().map(of_vector).sum();
    let twice = 0.5 * (support.len() as f64).powi(2);
    (0.5 * all).max(all - twice)
}

/// The indices of the support vectors.
pub(super) fn support(report: &Report) -> &[usize] {
    report.svm().map_or(&[], |details| &details.support)
}

/// The kernel values of so many of `n` points with all of them, of which symmetry gives some twice.
pub(super) fn values_with_all(some: usize, n: usize) -> f64 {
    let (some, n) = (some as f64, n as f64);
    some * (n - 0.5 * some)
}

impl Labelled<i64> {
    /// The first points.
    fn first(self, count: usize) -> Result<Self> {
        let n = self.x.len();
        self.without(count, n)
    }

    /// The points before `from` and those not before `to`.
    fn without(self, from: usize, to: usize) -> Result<Self> {
        let kept: Vec<usize> = (0..from).chain(to..self.x.len()).collect();
        let y = kept.iter().map(|&i| self.y[i]).collect();
        Ok(Self { x: self.x.select(&kept)?, y })
    }
}
