//! Parameters of SGD.

use super::{Loss, OnFeatures, OnKernel, Schedule};
use crate::Error;
use kern_core::NonNegative;
use kern_gram::MemoryBudget;

/// Whether kernel values or features are kept, or computed when they are needed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Storage {
    /// All of them, computed once: the n × n Gram matrix, or n × D features.
    Cached,
    /// A block of upcoming samples at a time.
    OnTheFly,
}

/// Stochastic gradient descent, on a kernel or on a feature map.
///
/// # Examples
/// In u-space with a kernel, and in w-space with features of the same kernel; the steps are the
/// same, so the models agree:
/// ```
/// use kern_core::{Identity, Samples, kernels::Linear};
/// use kern_solvers::sgd::{Loss, Sgd};
/// let x = Samples::from_rows(&[[0.0, 1.0], [1.0, 0.5], [0.2, -1.0], [-1.0, -1.0]])?;
/// let y = [true, true, false, false];
/// let u = Sgd::on_kernel(Linear).loss(Loss::Hinge).seed(7).fit_classifier(&x, &y)?;
/// let w = Sgd::on_features(Identity::new(2)).loss(Loss::Hinge).seed(7).fit_classifier(&x, &y)?;
/// assert_eq!(u.accuracy(&x, &y)?, 1.0);
/// let difference = u.decision_values(&x)? - w.decision_values(&x)?;
/// assert!(difference.norm_max() < 1e-12);
/// # Ok::<(), kern_solvers::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Sgd<S> {
    pub(super) space: S,
    pub(super) settings: Settings,
}

/// The parameters that do not depend on the space.
#[derive(Clone, Debug, PartialEq)]
pub struct Settings {
    pub(super) loss: Option<Loss>,
    pub(super) schedule: Schedule,
    pub(super) length: Length,
    pub(super) l2: f64,
    pub(super) seed: u64,
    pub(super) storage: Storage,
    pub(super) budget: Option<MemoryBudget>,
}

/// How many steps are done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Length {
    Epochs(usize),
    Iterations(usize),
}

impl<K> Sgd<OnKernel<K>> {
    /// SGD on the coefficients u of Σᵢ uᵢK(·, xᵢ).
    pub fn on_kernel(kernel: K) -> Self {
        Self { space: OnKernel { kernel }, settings: Settings::default() }
    }
}

impl<M> Sgd<OnFeatures<M>> {
    /// SGD on the weights w of wᵀψ(·).
    pub fn on_features(map: M) -> Self {
        Self { space: OnFeatures { map }, settings: Settings::default() }
    }
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            loss: None,
            schedule: Schedule::Constant(0.1),
            length: Length::Epochs(20),
            l2: 0.0,
            seed: 0,
            storage: Storage::Cached,
            budget: None,
        }
    }
}

impl<S> Sgd<S> {
    /// The loss. Default: logistic for a classifier, squared for a regressor.
    #[must_use]
    pub fn loss(mut self, loss: Loss) -> Self {
        self.settings.loss = Some(loss);
        self
    }

    /// The step sizes. Default: 0.1, constant.
    #[must_use]
    pub fn schedule(mut self, schedule: Schedule) -> Self {
        self.settings.schedule = schedule;
        self
    }

    /// T = `epochs`·n steps. Default: 20 epochs.
    #[must_use]
    pub fn epochs(mut self, epochs: usize) -> Self {
        self.settings.length = Length::Epochs(epochs);
        self
    }

    /// T steps.
    #[must_use]
    pub fn iterations(mut self, iterations: usize) -> Self {
        self.settings.length = Length::Iterations(iterations);
        self
    }

    /// The penalty λ ≥ 0 of ½‖w‖². Default: 0.
    #[must_use]
    pub fn l2(mut self, lambda: f64) -> Self {
        self.settings.l2 = lambda;
        self
    }

    /// The seed of the sequence of samples. Default: 0.
    #[must_use]
    pub fn seed(mut self, seed: u64) -> Self {
        self.settings.seed = seed;
        self
    }

    /// Whether kernel values or features are kept. Default: [`Storage::Cached`].
    #[must_use]
    pub fn storage(mut self, storage: Storage) -> Self {
        self.settings.storage = storage;
        self
    }

    /// The memory for what is kept. Default: [`MemoryBudget::available`] at the time of the fit.
    #[must_use]
    pub fn budget(mut self, budget: MemoryBudget) -> Self {
        self.settings.budget = Some(budget);
        self
    }
}

impl Settings {
    /// All checks that need no data.
    pub(super) fn check(&self) -> Result<(), Error> {
        NonNegative::new("l2", self.l2)?;
        self.schedule.check(self.l2)?;
        let given = match self.length {
            Length::Epochs(count) | Length::Iterations(count) => count,
        };
        if given == 0 {
            return Err(Error::Count { name: "the number of steps", given, allowed: "at least 1" });
        }
        Ok(())
    }

    /// T for n points.
    pub(super) fn iterations(&self, n: usize) -> usize {
        match self.length {
            Length::Epochs(epochs) => epochs.saturating_mul(n),
            Length::Iterations(iterations) => iterations,
        }
    }

    pub(super) fn budget(&self) -> MemoryBudget {
        self.budget.unwrap_or_else(MemoryBudget::available)
    }
}
