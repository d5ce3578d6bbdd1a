//! The fits of kernel logistic regression.

use super::KernelLogistic;
use super::direction::Solver;
use super::likelihood::{Binary, Likelihood, Softmax};
use super::newton::{Learned, Problem};
use crate::design::Design;
use crate::labels::Encoded;
use crate::model::{Classifier, KernelModel, Link, ProbabilisticClassifier};
use crate::{Error, Label, MultiClass, Observer, Progress, Report, Status};
use kern_core::{Kernel, Mercer, Points, Scalar};
use kern_gram::{DenseGram, MemoryBudget, matrix_bytes, zero_vec, zeros};
use std::ops::ControlFlow;

impl<K> KernelLogistic<K> {
    /// Learns the classes and their probabilities.
    ///
    /// # Errors
    /// [`Error::Empty`], [`Error::Length`], [`Error::OneClass`]; [`Error::Weight`], [`Error::NoWeight`],
    /// [`Error::NoClassWeight`], [`Error::ClassWeight`], [`Error::ClassWeights`] for weights; [`Error::Core`] for
    /// λ ≤ 0, a tolerance < 0, or points that the kernel refuses; [`Error::Gram`] if 2n² numbers exceed the budget;
    /// [`Error::NotPositiveDefinite`].
    pub fn fit<P, L>(
        self,
        points: &P,
        labels: &[L],
    ) -> Result<ProbabilisticClassifier<KernelModel<P, K>, L>, Error>
    where
        P: Points,
        K: Mercer<P>,
        L: Label,
    {
        self.fit_observed(points, labels, &mut |_: &Progress| ControlFlow::Continue(()))
    }

    /// [`fit`](KernelLogistic::fit), watched by an observer before each Newton step: its loss is J, which never
    /// rises while one problem is solved. One against the rest solves one problem after the other.
    ///
    /// # Errors
    /// As [`fit`](KernelLogistic::fit).
    pub fn fit_observed<P, L>(
        self,
        points: &P,
        labels: &[L],
        observer: &mut dyn Observer,
    ) -> Result<ProbabilisticClassifier<KernelModel<P, K>, L>, Error>
    where
        P: Points,
        K: Mercer<P>,
        L: Label,
    {
        let Self { kernel, settings, intercept, weights, class_weights, multi_class, budget } =
            self;
        settings.check()?;
        let labels = Encoded::new(points.len(), labels)?;
        let weights = class_weights.combine(&labels, weights)?;
        let design = Design::new(kernel, points, weights, intercept)?;
        let classes = labels.classes.len();
        let (link, outputs) = match multi_class {
            _ if classes == 2 => (Link::Logistic, 1),
            MultiClass::Softmax => (Link::Softmax, classes),
            MultiClass::OneVsRest => (Link::OneVsRest, classes),
        };
        let budget = budget.unwrap_or_default();
        check_memory::<P::Scalar>(design.points().len(), outputs, &budget)?;
        let gram = DenseGram::new(&design.kernel, design.points(), &budget)?;
        let count = design.count() as f64;
        let mut solver = Solver::new(&gram, count * settings.lambda, intercept);
        let mut minimise = |likelihood: &dyn Likelihood<P::Scalar>| {
            Problem { likelihood, settings, count }.minimise(&mut solver, observer)
        };
        let Learned { alpha, intercepts, report } = match link {
            Link::Logistic => minimise(&binary(&design, &labels.indices, 1))?,
            Link::Softmax => minimise(&softmax(&design, &labels.indices, classes))?,
            Link::OneVsRest => {
                let fits = (0..classes).map(|c| minimise(&binary(&design, &labels.indices, c)));
                join(fits, design.points().len(), classes)?
            }
        };
        let decision = design.into_model(alpha.as_ref(), intercepts)?;
        let classifier = Classifier::new(decision, labels.classes, report);
        Ok(ProbabilisticClassifier::new(classifier, link))
    }
}

/// The kernel matrix, a factor, and the vectors of a Newton step.
fn check_memory<T: Scalar>(n: usize, outputs: usize, budget: &MemoryBudget) -> Result<(), Error> {
    let vectors = matrix_bytes::<T>(n, outputs).saturating_mul(24);
    let needed = matrix_bytes::<T>(n, n).saturating_mul(2).saturating_add(vectors);
    let instead = "SGD with the logistic loss and Storage::OnTheFly needs none of it";
    Ok(budget.require("logistic regression with its dense kernel matrix", needed, instead)?)
}

/// Class `positive` against the rest.
fn binary<P: Points, K: Kernel<P>>(
    design: &Design<'_, P, K>,
    classes: &[usize],
    positive: usize,
) -> Binary<P::Scalar> {
    let rows = 0..design.points().len();
    let sign = |i| {
        let is = classes[design.index(i)] == positive;
        if is { P::Scalar::ONE } else { -P::Scalar::ONE }
    };
    Binary {
        signs: rows.clone().map(sign).collect(),
        weights: rows.map(|i| design.weight(i)).collect(),
    }
}

/// All classes.
fn softmax<P: Points, K: Kernel<P>>(
    design: &Design<'_, P, K>,
    classes: &[usize],
    outputs: usize,
) -> Softmax {
    let rows = 0..design.points().len();
    Softmax {
        classes: rows.clone().map(|i| classes[design.index(i)]).collect(),
        weights: rows.map(|i| design.weight(i)).collect(),
        outputs,
    }
}

/// One column per fit; objectives, gaps and iterations are sums, the status is that of the first which did not
/// converge.
fn join<T: Scalar>(
    fits: impl Iterator<Item = Result<Learned<T>, Error>>,
    n: usize,
    outputs: usize,
) -> Result<Learned<T>, Error> {
    let (mut alpha, mut intercepts) = (zeros(n, outputs)?, zero_vec(outputs)?);
    let status = Status::Converged;
    let mut all = Report { status, iterations: 0, objective: 0.0, gap: Some(0.0) };
    for (c, fit) in fits.enumerate() {
        let Learned { alpha: column, intercepts: offsets, report } = fit?;
        alpha.col_mut(c).copy_from(column.col(0));
        intercepts[c] = offsets[0];
        all = all.joined(&report);
    }
    Ok(Learned { alpha, intercepts, report: all })
}
