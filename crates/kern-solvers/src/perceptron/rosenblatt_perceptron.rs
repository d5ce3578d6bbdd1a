//! Rosenblatt's perceptron: the learner, and its fits, which are the same in every space.

use super::Budget;
use super::averaged_perceptron::Tally;
use super::mistakes::{Ended, Lesson};
use crate::estimator::check;
use crate::labels::Encoded;
use crate::model::{Classifier, Vote, learned};
use crate::sample_weights::positive;
use crate::space::{OnFeatures, OnKernel, Space, constructors, named_learners};
use crate::{
    ClassWeights, Data, Details, Error, Label, Labels, Learner, PerceptronDetails, Report, Run,
    fit_sugar,
};
use kern_core::parameters::Domain;
use kern_core::{Points, named_values, settings};
use serde::{Deserialize, Serialize};

/// The order in which points are visited.
///
/// # Examples
/// ```
/// use kern_core::{Samples, kernels::Linear};
/// use kern_solvers::perceptron::{Order, Perceptron};
/// let x = Samples::from_rows(&[[1.0, 0.0], [0.0, 1.0], [1.0, 1.0], [2.0, -1.0]])?;
/// let y = [true, false, false, true];
/// let perceptron = Perceptron::on_kernel(Linear).order(Order::Shuffled).seed(7);
/// assert_eq!(perceptron.fit(&x, &y)?.accuracy(&x, &y)?, 1.0);
/// # Ok::<(), kern_solvers::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub enum Order {
    /// As they are given, in every pass.
    AsGiven,
    /// Shuffled anew before every pass, by the seed.
    Shuffled,
}

named_values!(Order { "as_given" => AsGiven, "shuffled" => Shuffled });

/// The perceptron, on a kernel or on features; the [module](super) says what it computes.
///
/// # Complexity
/// | space | time | numbers in memory |
/// |---|---|---|
/// | [`OnKernel`] | c for each of c functions and each visit, n for each mistake; n²/2 kernel values once, or n for each mistake | n², or as many columns as fit |
/// | [`OnKernel`], a [budget](Budget) of B support vectors | B kernel values for each visit, B² for each projection | 32B, and B²/2 with projections |
/// | [`OnFeatures`], D of them | cD for each visit, and the features once, or in every pass | nD if they fit, else 256·D |
///
/// # Examples
/// ```
/// use kern_core::{Samples, kernels::Rbf};
/// use kern_solvers::{Details, Status, perceptron::Perceptron};
/// let x = Samples::from_rows(&[[0.0], [0.1], [4.0], [8.0]])?;
/// let y = ["a", "a", "b", "c"];
/// let model = Perceptron::on_kernel(Rbf::new(1.0)?).fit(&x, &y)?;
/// assert_eq!(model.report().status, Status::Converged);
/// assert_eq!(model.predict(&x)?, y);
/// assert_eq!(model.decision_values(&x)?.shape(), (4, 3));
/// let Details::Perceptron(details) = &model.report().details else { unreachable!() };
/// assert_eq!(details.support, [0, 2, 3]); // the second point was never a mistake
/// # Ok::<(), kern_solvers::Error>(())
/// ```
/// On features a mistake makes w ← w ± ψ(x):
/// ```
/// use kern_core::{Identity, Samples};
/// use kern_solvers::perceptron::Perceptron;
/// let x = Samples::from_rows(&[[2.0, 1.0], [-1.0, 1.0]])?;
/// let model = Perceptron::on_features(Identity::new(2)).fit(&x, &["left", "right"])?;
/// let w = model.decision().weights();
/// assert_eq!((w[(0, 0)], w[(1, 0)]), (-2.0, -1.0)); // only the first point was a mistake
/// # Ok::<(), kern_solvers::Error>(())
/// ```
#[doc(alias = "kernel perceptron")]
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Perceptron<S> {
    pub(super) space: S,
    pub(super) options: PerceptronOptions,
}

settings! {
    /// All that does not belong to the space.
    pub(super) struct PerceptronOptions in options;

    Perceptron {
        /// The greatest number of passes over the points, at least 1. Default: 100.
        max_iterations: usize = 100, Domain::count(1);
        /// Makes the model the mean of the functions after each visit, or not, in the place of the last one. Visits that change
        /// nothing count, too: they are votes for the function that was right. Default: false.
        averaged: bool = false;
        /// Sets whether there is an intercept: K + 1 takes the place of K, and another feature is 1. Default: false.
        intercept: bool = false;
        /// The weights of classes, times those of the points. Default: [`ClassWeights::Equal`]. In a
        /// [stream](super::OnlinePerceptron) they cannot be balanced.
        class_weights: ClassWeights = ClassWeights::Equal;
        /// The order of visits. Default: [`Order::AsGiven`], in which a stream comes, and a pass over the points is an
        /// [update](super::OnlinePerceptron::update). The bound on mistakes holds for any.
        order: Order = Order::AsGiven;
        /// The seed of shuffles and of random removal. Default: 0.
        seed: u64 = 0;
    }
    Perceptron on OnKernel {
        /// The most support vectors, and what keeps their number. Default: [`Budget::None`].
        budget: Budget = Budget::None;
    }
}

named_learners! { Perceptron: options; }

constructors! {
    Perceptron;
    /// A perceptron on this kernel.
    on_kernel;
    /// A perceptron on the features of this map.
    on_features;
}

impl<S> Perceptron<S> {
    /// A perceptron in this space.
    pub fn on(space: S) -> Self {
        Self { space, options: PerceptronOptions::default() }
    }

    fit_sugar!(supervised);
}

impl PerceptronOptions {
    /// Refuses what cannot be.
    pub(super) fn check(&self) -> Result<(), Error> {
        check(self)?;
        self.budget.check()?;
        if self.averaged && self.budget.removes() {
            return Err(Error::AveragedRemoval);
        }
        Ok(())
    }

    /// The number that is added to kernel values.
    pub(super) fn offset(&self) -> f64 {
        if self.intercept { 1.0 } else { 0.0 }
    }
}

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
