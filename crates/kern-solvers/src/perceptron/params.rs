//! Parameters of the perceptron.

use super::Budget;
use crate::estimator::check;
use crate::space::{OnFeatures, OnKernel, constructors, named_learners};
use crate::{ClassWeights, Error, fit_sugar};
use kern_core::parameters::Domain;
use kern_core::{named_values, settings};
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
