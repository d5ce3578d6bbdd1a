//! Parameters of the perceptron.

use super::Budget;
use crate::Error;
use kern_gram::MemoryBudget;

/// In which order points are visited.
///
/// # Examples
/// ```
/// use kern_core::{Samples, kernels::Linear};
/// use kern_solvers::perceptron::{Order, Perceptron};
/// let x = Samples::from_rows(&[[1.0, 0.0], [0.0, 1.0], [1.0, 1.0], [2.0, -1.0]])?;
/// let y = [true, false, false, true];
/// let perceptron = Perceptron::new(Linear).order(Order::Shuffled).seed(7);
/// assert_eq!(perceptron.fit(&x, &y)?.accuracy(&x, &y)?, 1.0);
/// # Ok::<(), kern_solvers::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Order {
    /// As they are given, in every pass.
    AsGiven,
    /// Shuffled anew before every pass, by the seed.
    Shuffled,
}

/// The kernel perceptron; see the [module](super) for what it computes.
///
/// # Examples
/// ```
/// use kern_core::{Samples, kernels::Rbf};
/// use kern_solvers::{Status, perceptron::Perceptron};
/// let x = Samples::from_rows(&[[0.0, 0.0], [1.0, 1.0], [0.0, 1.0], [1.0, 0.0]])?;
/// let y = ["even", "even", "odd", "odd"];
/// let model = Perceptron::new(Rbf::new(1.0)?).fit(&x, &y)?;
/// assert_eq!(model.report().status, Status::Converged);
/// assert_eq!(model.predict(&x)?, y);
/// # Ok::<(), kern_solvers::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Perceptron<K> {
    pub(super) kernel: K,
    pub(super) settings: Settings,
}

/// What does not depend on the kernel.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Settings {
    pub(super) max_passes: usize,
    pub(super) averaged: bool,
    pub(super) bias: bool,
    pub(super) order: Order,
    pub(super) budget: Budget,
    pub(super) seed: u64,
    pub(super) memory: Option<MemoryBudget>,
}

impl<K> Perceptron<K> {
    /// On this kernel.
    pub fn new(kernel: K) -> Self {
        let settings = Settings {
            max_passes: 100,
            averaged: false,
            bias: false,
            order: Order::AsGiven,
            budget: Budget::None,
            seed: 0,
            memory: None,
        };
        Self { kernel, settings }
    }

    /// The greatest number of passes over the points, at least 1. Default: 100.
    #[must_use]
    pub fn max_passes(mut self, passes: usize) -> Self {
        self.settings.max_passes = passes;
        self
    }

    /// Whether the model is the mean of the functions after each visit, in the place of the last one. Visits that change
    /// nothing count, too: they are votes for the function that was right. Default: false.
    #[must_use]
    pub fn averaged(mut self, averaged: bool) -> Self {
        self.settings.averaged = averaged;
        self
    }

    /// Whether there is an intercept: K + 1 takes the place of K. Default: false.
    #[must_use]
    pub fn bias(mut self, bias: bool) -> Self {
        self.settings.bias = bias;
        self
    }

    /// The order of visits. Default: [`Order::AsGiven`], in which a stream comes, and a pass over the points is an
    /// [update](super::OnlinePerceptron::update). The bound on mistakes holds for any.
    #[must_use]
    pub fn order(mut self, order: Order) -> Self {
        self.settings.order = order;
        self
    }

    /// The bound on the number of support vectors. Default: [`Budget::None`].
    #[must_use]
    pub fn budget(mut self, budget: Budget) -> Self {
        self.settings.budget = budget;
        self
    }

    /// The seed of shuffles and of random removal. Default: 0.
    #[must_use]
    pub fn seed(mut self, seed: u64) -> Self {
        self.settings.seed = seed;
        self
    }

    /// The memory for kernel values. Default: [`MemoryBudget::available`].
    #[must_use]
    pub fn memory(mut self, budget: MemoryBudget) -> Self {
        self.settings.memory = Some(budget);
        self
    }
}

impl Settings {
    /// Refuses what cannot be.
    pub(super) fn check(&self) -> Result<(), Error> {
        if self.max_passes == 0 {
            return Err(Error::Count { name: "max_passes", given: 0, allowed: "at least 1" });
        }
        self.budget.check()?;
        if self.averaged && self.budget.removes() {
            return Err(Error::AveragedRemoval);
        }
        Ok(())
    }

    /// What is added to kernel values.
    pub(super) fn offset(&self) -> f64 {
        if self.bias { 1.0 } else { 0.0 }
    }
}
