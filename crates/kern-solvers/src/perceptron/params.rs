//! Parameters of the perceptron.

use super::Budget;
use crate::space::{OnFeatures, OnKernel};
use crate::{ClassWeights, Error, fit_sugar};
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
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Perceptron<S> {
    pub(super) space: S,
    pub(super) options: PerceptronOptions,
}

/// All that does not belong to the space.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct PerceptronOptions {
    pub(super) max_iterations: usize,
    pub(super) averaged: bool,
    pub(super) intercept: bool,
    pub(super) class_weights: ClassWeights,
    pub(super) order: Order,
    pub(super) budget: Budget,
    pub(super) seed: u64,
}

impl Default for PerceptronOptions {
    fn default() -> Self {
        Self {
            max_iterations: 100,
            averaged: false,
            intercept: false,
            class_weights: ClassWeights::Equal,
            order: Order::AsGiven,
            budget: Budget::None,
            seed: 0,
        }
    }
}

impl<K> Perceptron<OnKernel<K>> {
    /// A perceptron on this kernel.
    pub fn on_kernel(kernel: K) -> Self {
        Self::on(OnKernel::new(kernel))
    }

    /// The most support vectors, and what keeps their number. Default: [`Budget::None`].
    #[must_use]
    pub fn budget(mut self, budget: Budget) -> Self {
        self.options.budget = budget;
        self
    }
}

impl<M> Perceptron<OnFeatures<M>> {
    /// A perceptron on the features of this map.
    pub fn on_features(map: M) -> Self {
        Self::on(OnFeatures::new(map))
    }
}

impl<S> Perceptron<S> {
    /// A perceptron in this space.
    pub fn on(space: S) -> Self {
        Self { space, options: PerceptronOptions::default() }
    }

    /// The greatest number of passes over the points, at least 1. Default: 100.
    #[must_use]
    pub fn max_iterations(mut self, passes: usize) -> Self {
        self.options.max_iterations = passes;
        self
    }

    /// Makes the model the mean of the functions after each visit, or not, in the place of the last one. Visits that
    /// change nothing count, too: they are votes for the function that was right. Default: false.
    #[must_use]
    pub fn averaged(mut self, averaged: bool) -> Self {
        self.options.averaged = averaged;
        self
    }

    /// Sets whether there is an intercept: K + 1 takes the place of K, and another feature is 1. Default: false.
    #[must_use]
    pub fn intercept(mut self, intercept: bool) -> Self {
        self.options.intercept = intercept;
        self
    }

    /// The weights of classes, times those of the points. Default: [`ClassWeights::Equal`]. In a
    /// [stream](super::OnlinePerceptron) they cannot be balanced.
    #[must_use]
    pub fn class_weights(mut self, weights: ClassWeights) -> Self {
        self.options.class_weights = weights;
        self
    }

    /// The order of visits. Default: [`Order::AsGiven`], in which a stream comes, and a pass over the points is an
    /// [update](super::OnlinePerceptron::update). The bound on mistakes holds for any.
    #[must_use]
    pub fn order(mut self, order: Order) -> Self {
        self.options.order = order;
        self
    }

    /// The seed of shuffles and of random removal. Default: 0.
    #[must_use]
    pub fn seed(mut self, seed: u64) -> Self {
        self.options.seed = seed;
        self
    }

    fit_sugar!(supervised);
}

impl PerceptronOptions {
    /// Refuses what cannot be.
    pub(super) fn check(&self) -> Result<(), Error> {
        if self.max_iterations == 0 {
            return Err(Error::Count { name: "max_iterations", given: 0, allowed: "at least 1" });
        }
        self.budget.check()?;
        if self.averaged && self.budget.removes() {
            return Err(Error::AveragedRemoval);
        }
        Ok(())
    }

    /// The constant that is added to kernel values.
    pub(super) fn offset(&self) -> f64 {
        if self.intercept { 1.0 } else { 0.0 }
    }
}
