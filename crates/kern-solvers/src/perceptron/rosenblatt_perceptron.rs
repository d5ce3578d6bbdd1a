//! Rosenblatt's perceptron: the estimator, and fits that all spaces share.

use super::Budget;
use super::averaged_perceptron::Tally;
use super::mistakes::{Ended, Lesson};
use crate::classes::Encoded;
use crate::design::positive;
use crate::estimator::check;
use crate::model::{Classifier, Vote, learned};
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
    /// The given order, in every pass.
    AsGiven,
    /// A new random order for every pass, from the seed.
    Shuffled,
}

named_values!(Order { "as_given" => AsGiven, "shuffled" => Shuffled });

/// The perceptron, on a kernel or on features; see the [module](super) for the definition.
///
/// # Complexity
/// | space | time | entries in memory |
/// |---|---|---|
/// | [`OnKernel`] | c per visit, for c functions, and n per mistake; n²/2 kernel values once, or n per mistake | n², or as many columns as fit |
/// | [`OnKernel`], a [budget](Budget) of B support vectors | B kernel values per visit, B² per projection | 32B, and B²/2 with projections |
/// | [`OnFeatures`], D features | cD per visit, and the features once, or in every pass | nD if they fit, else 256·D |
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
/// On features, a mistake sets w ← w ± ψ(x):
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
    /// The parameters that do not depend on the space.
    pub(super) struct PerceptronOptions in options;

    Perceptron {
        /// The largest number of passes over the points, at least 1. Default: 100.
        max_iterations: usize = 100, Domain::count(1);
        /// Averaged perceptron: the model is the mean of the functions after each visit instead of
        /// the last function. Visits without a mistake count, too: they are votes for a function
        /// that was correct. Default: false.
        averaged: bool = false;
        /// Fits an intercept: K + 1 replaces K, or a constant feature 1 is added. Default: false.
        intercept: bool = false;
        /// The class weights, which multiply the sample weights. Balanced weights are not supported
        /// for a [stream](super::OnlinePerceptron). Default: [`ClassWeights::Equal`].
        class_weights: ClassWeights = ClassWeights::Equal;
        /// The order of visits. With [`Order::AsGiven`], a pass over the points equals an
        /// [update](super::OnlinePerceptron::update) of a stream. The mistake bound holds for any
        /// order. Default: [`Order::AsGiven`].
        order: Order = Order::AsGiven;
        /// The seed of shuffles and of random removal. Default: 0.
        seed: u64 = 0;
    }
    Perceptron on OnKernel {
        /// The largest number of support vectors, and the rule that enforces it. Default:
        /// [`Budget::None`].
        budget: Budget = Budget::None;
    }
}

named_learners! { Perceptron: options; }

constructors! {
    Perceptron;
    /// A perceptron on this kernel.
    on_kernel;
    /// A perceptron on the features of this feature map.
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
    /// Refuses invalid parameters and combinations of them.
    pub(super) fn check(&self) -> Result<(), Error> {
        check(self)?;
        self.budget.check()?;
        if self.averaged && self.budget.removes() {
            return Err(Error::AveragedRemoval);
        }
        Ok(())
    }

    /// The constant added to kernel values for the intercept.
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

/// Labelled training points with weights and parameters, without the points of weight zero.
#[derive(Debug)]
pub struct Taught<'t, P> {
    pub(super) options: &'t PerceptronOptions,
    all: &'t P,
    /// The points of positive weight and their indices, if some points have weight zero.
    part: Option<(P, Vec<usize>)>,
    /// The class of each point.
    classes: Vec<usize>,
    /// The weight of each point, unless all are 1.
    pub(super) weights: Option<Vec<f64>>,
    /// The number of functions (outputs).
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

    /// The training points.
    pub(super) fn points(&self) -> &P {
        self.part.as_ref().map_or(self.all, |(points, _)| points)
    }

    /// The index of training point `i` among all points.
    pub(super) fn origin(&self, i: usize) -> usize {
        self.part.as_ref().map_or(i, |(_, used)| used[i])
    }

    /// The number of points, those of weight zero included.
    pub(super) fn seen(&self) -> usize {
        self.all.len()
    }

    /// The passes over all training points.
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
    /// Checks the parameters, and returns the encoded labels and the weights.
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
/// [`Error::OneClass`]; [`Error::NoClassWeight`], [`Error::ClassWeight`], [`Error::ClassWeights`]
/// for weights; [`Error::Count`] for 0 passes or a budget of 0 support vectors;
/// [`Error::AveragedRemoval`]; [`Error::Core`] for a distance outside its domain, points that the
/// kernel or the map refuses, or non-finite features; [`Error::Gram`] if a kernel value or a value
/// of f is not finite, or beyond the memory of the run.
///
/// The observer receives the fraction of mistakes after each pass, which is also the objective of
/// the report.
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
        Ok(Classifier::new(function, labels.classes, Vote::Argmax, report))
    }
}

/// The report of a fit, from the outcome of its passes and its counts.
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
