//! Fits of logistic regression: the same in every space.

use super::Logistic;
use super::params::{Goal, LogisticOptions};
use crate::labels::Encoded;
use crate::model::{Classifier, Link, ProbabilisticClassifier, Vote, learned};
use crate::space::Space;
use crate::{Data, Error, Label, Labels, Learner, Report, Run, Status};
use faer::Mat;
use kern_core::{Points, Scalar};
use kern_gram::zeros;

/// A space in which logistic regression is solved. Sealed: its methods take types that cannot be named outside.
pub trait LogisticSpace<P: Points>: Space<P> {
    /// The link of more than two classes: each is learned against the rest, unless the space knows better.
    #[doc(hidden)]
    fn link(_: &LogisticOptions) -> Result<Link, Error> {
        Ok(Link::OneVsRest)
    }

    #[doc(hidden)]
    fn classify(
        &self,
        labelled: &Labelled<'_, P>,
        run: &mut Run<'_>,
    ) -> Result<(Self::Function, Report), Error>;
}

/// Points in classes, what they weigh, and how they are learned from.
#[derive(Debug)]
pub struct Labelled<'t, P> {
    pub(super) options: &'t LogisticOptions,
    pub(super) goal: Goal,
    pub(super) points: &'t P,
    /// The class of each point.
    pub(super) indices: &'t [usize],
    /// The number of classes.
    pub(super) classes: usize,
    /// β, unless all are 1.
    pub(super) weights: Option<&'t [f64]>,
}

impl<P: Points> Labelled<'_, P> {
    /// The number of functions.
    pub(super) fn outputs(&self) -> usize {
        if self.classes == 2 { 1 } else { self.classes }
    }

    /// The class that a function tells from the rest.
    pub(super) fn positive(&self, output: usize) -> usize {
        if self.classes == 2 { 1 } else { output }
    }

    /// ±1 for the points of that class and the rest.
    pub(super) fn signs(&self, output: usize) -> Result<Mat<P::Scalar>, Error> {
        let (positive, one) = (self.positive(output), P::Scalar::ONE);
        let mut signs = zeros(self.indices.len(), 1)?;
        let pairs = signs.col_as_slice_mut(0).iter_mut().zip(self.indices);
        pairs.for_each(|(sign, &class)| *sign = if class == positive { one } else { -one });
        Ok(signs)
    }
}

/// # Errors
/// [`Error::OneClass`]; [`Error::NoClassWeight`], [`Error::ClassWeight`], [`Error::ClassWeights`] for weights;
/// [`Error::Core`] for λ ≤ 0, a tolerance < 0, points that the kernel or the map refuses, or features that are not
/// finite; [`Error::Count`] for no sampled points, or a map without features; [`Error::Gram`] beyond the memory of the
/// run; [`Error::NotPositiveDefinite`] or [`Error::Approx`] for a matrix that is not positive semi-definite.
///
/// An observer sees J before each Newton step. On a kernel and on features it never rises while one problem is
/// solved, but for rounding; on landmarks it is that of the penalty of the step, which falls to λ. One against the rest
/// solves one problem after the other; once stopped, no further step is made, and functions that are not begun are 0.
impl<P: Points, L: Label, S: LogisticSpace<P>> Learner<P, Labels<L>> for Logistic<S> {
    type Model = ProbabilisticClassifier<S::Function, L>;

    fn learn(
        &self,
        data: &Data<'_, P, Labels<L>>,
        run: &mut Run<'_>,
    ) -> Result<Self::Model, Error> {
        let (options, points) = (&self.options, data.points());
        let goal = options.goal()?;
        let labels = Encoded::new(data.targets())?;
        let weights = options.class_weights.combine(&labels, data.sample_weights())?;
        let (indices, weights) = (&*labels.indices, weights.as_deref());
        let classes = labels.classes.len();
        let link = if classes == 2 { Link::Logistic } else { S::link(options)? };
        let labelled = Labelled { options, goal, points, indices, classes, weights };
        let (function, report) = learned(self.space.classify(&labelled, run)?)?;
        let classifier = Classifier::new(function, (labels.classes, Vote::Greatest), report);
        Ok(ProbabilisticClassifier::new(classifier, link))
    }
}

/// One problem after the other: the solutions, and the sums of their objectives, gaps and iterations; the status is that
/// of the first which did not converge, unless the observer stopped one.
pub(super) fn one_by_one<S>(
    outputs: usize,
    goal: Goal,
    run: &mut Run<'_>,
    mut solve: impl FnMut(usize, Goal, &mut Run<'_>) -> Result<(S, Report), Error>,
) -> Result<(Vec<S>, Report), Error> {
    let mut all = Report::new(Status::Converged, 0, 0.0, Some(0.0));
    let mut solutions = Vec::with_capacity(outputs);
    let mut stopped = false;
    for output in 0..outputs {
        let (solution, report) = if stopped {
            solve(output, Goal { max_iterations: 0, ..goal }, &mut Run::new())?
        } else {
            solve(output, goal, run)?
        };
        stopped |= report.status == Status::Stopped;
        all = all.joined(&report);
        solutions.push(solution);
    }
    if stopped {
        all.status = Status::Stopped;
    }
    Ok((solutions, all))
}
