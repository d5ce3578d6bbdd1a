//! Fits of the perceptron: the same in every space.

use super::Perceptron;
use super::engine::{Ended, Lesson};
use super::expansion::Tally;
use super::params::PerceptronOptions;
use crate::labels::Encoded;
use crate::model::{Classifier, Vote, learned};
use crate::sample_weights::positive;
use crate::space::Space;
use crate::{Data, Details, Error, Label, Labels, Learner, PerceptronDetails, Report, Run};
use kern_core::Points;

/// A space in which perceptrons learn. Sealed: its method takes types that cannot be named outside.
pub trait PerceptronSpace<P: Points>: Space<P> {
    #[doc(hidden)]
    fn visit(
        &self,
        taught: &Taught<'_, P>,
        run: &mut Run<'_>,
    ) -> Result<(Self::Function, Report), Error>;
}

/// Points in classes, and how they are learned from. Those of weight zero are left out.
#[derive(Debug)]
pub struct Taught<'t, P> {
    pub(super) options: &'t PerceptronOptions,
    all: &'t P,
    /// The points with a weight greater than zero and their indices, if there are others.
    part: Option<(P, Vec<usize>)>,
    /// The class of each of them.
    classes: Vec<usize>,
    /// The weight of each of them, unless all are 1.
    pub(super) weights: Option<Vec<f64>>,
    /// The number of functions.
    pub(super) outputs: usize,
}

impl<'t, P: Points> Taught<'t, P> {
    pub(super) fn new<L: Label>(
        options: &'t PerceptronOptions,
        all: &'t P,
        labels: &Encoded<L>,
        weights: Option<Vec<f64>>,
    ) -> Result<Self, Error> {
        let outputs = labels.problems();
        let classes = labels.indices.clone();
        let mut taught = Self { options, all, part: None, classes, weights: None, outputs };
        let Some(weights) = weights else { return Ok(taught) };
        let (weights, used) = positive(weights);
        taught.weights = Some(weights);
        if let Some(used) = used {
            taught.classes = used.iter().map(|&i| taught.classes[i]).collect();
            taught.part = Some((all.select(&used)?, used));
        }
        Ok(taught)
    }

    /// The points.
    pub(super) fn points(&self) -> &P {
        self.part.as_ref().map_or(self.all, |(points, _)| points)
    }

    /// The index of one of them among all.
    pub(super) fn origin(&self, i: usize) -> usize {
        self.part.as_ref().map_or(i, |(_, used)| used[i])
    }

    /// The number of points, those of weight zero included.
    pub(super) fn seen(&self) -> usize {
        self.all.len()
    }

    /// Visits of all points.
    pub(super) fn lesson(&self) -> Lesson<'_> {
        Lesson {
            points: 0..self.classes.len(),
            classes: &self.classes,
            weights: self.weights.as_deref(),
            outputs: self.outputs,
            options: self.options,
        }
    }
}

impl<S> Perceptron<S> {
    /// Labels as numbers, and weights of points, after a check of the parameters.
    pub(super) fn prepare<P: Points, L: Label>(
        &self,
        data: &Data<'_, P, Labels<L>>,
    ) -> Result<(Encoded<L>, Option<Vec<f64>>), Error> {
        self.options.check()?;
        let labels = Encoded::new(data.targets())?;
        let weights = self.options.class_weights.combine(&labels, data.sample_weights())?;
        Ok((labels, weights))
    }
}

/// # Errors
/// [`Error::OneClass`]; [`Error::NoClassWeight`], [`Error::ClassWeight`], [`Error::ClassWeights`] for weights;
/// [`Error::Count`] for no passes or a budget of no support vectors; [`Error::AveragedRemoval`]; [`Error::Core`] for a
/// distance that is none, for points that the kernel or the map refuses, or features that are not finite;
/// [`Error::Gram`] if a kernel value or a value of f is not finite, or beyond the memory of the run.
///
/// An observer sees the share of mistakes after each pass, which is the objective of the report.
impl<P: Points, L: Label, S: PerceptronSpace<P>> Learner<P, Labels<L>> for Perceptron<S> {
    type Model = Classifier<S::Function, L>;

    fn learn(
        &self,
        data: &Data<'_, P, Labels<L>>,
        run: &mut Run<'_>,
    ) -> Result<Self::Model, Error> {
        let (labels, weights) = self.prepare(data)?;
        let taught = Taught::new(&self.options, data.points(), &labels, weights)?;
        let (function, report) = learned(self.space.visit(&taught, run)?)?;
        Ok(Classifier::new(function, (labels.classes, Vote::Greatest), report))
    }
}

/// The report of passes that have ended, and of all steps.
pub(super) fn report(ended: Ended, tally: &Tally, support: Vec<usize>) -> Report {
    let Ended { status, mistakes, visits } = ended;
    let last = mistakes.last().copied().unwrap_or_default();
    let objective = last as f64 / visits as f64;
    let mut report = Report::new(status, mistakes.len(), objective, None);
    report.details = Details::Perceptron(PerceptronDetails {
        mistakes_per_pass: mistakes,
        steps: tally.steps,
        mistakes: tally.mistakes,
        projected: tally.projected,
        removed: tally.removed,
        support,
        squared_norm: tally.squared_norm.clamp(0.0, f64::INFINITY),
        squared_radius: tally.squared_radius,
    });
    report
}
