//! Parameters of SGD.

use super::{Averaging, EarlyStopping, Features, Loss, Schedule};
use super::{OnEither, OnFeatures, OnKernel};
use crate::plan::Way;
use crate::{Error, MultiClass};
use kern_core::NonNegative;
use kern_gram::MemoryBudget;

/// Whether kernel values or features are kept, or computed when they are needed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Storage {
    /// All of them, computed once: the n × n Gram matrix, or n × D features.
    Cached,
    /// As many as the memory budget holds, the rest computed when it is needed: the columns of the
    /// Gram matrix that were used last, or the features of the first points.
    Partial,
    /// A block of upcoming samples at a time.
    OnTheFly,
    /// All of them or a block at a time, whichever is planned to be faster and fits the budget; see
    /// [`plan`](crate::plan).
    Auto,
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
    pub(super) multi_class: MultiClass,
    pub(super) schedule: Schedule,
    pub(super) length: Length,
    pub(super) batch: usize,
    pub(super) averaging: Averaging,
    pub(super) early_stopping: Option<EarlyStopping>,
    pub(super) l2: f64,
    pub(super) weights: Option<Vec<f64>>,
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

impl<K, M> Sgd<OnEither<K, M>> {
    /// SGD on a kernel or on features of it, in the [`Way`] that is set.
    pub fn on_either(kernel: K, features: Features<M>) -> Self {
        let space = OnEither { kernel, features, way: Way::Auto };
        Self { space, settings: Settings::default() }
    }
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            loss: None,
            multi_class: MultiClass::OneVsRest,
            schedule: Schedule::Constant(0.1),
            length: Length::Epochs(20),
            batch: 1,
            averaging: Averaging::Last,
            early_stopping: None,
            l2: 0.0,
            weights: None,
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

    /// How several classes are learned. Default: each against the rest.
    #[must_use]
    pub fn multi_class(mut self, multi_class: MultiClass) -> Self {
        self.settings.multi_class = multi_class;
        self
    }

    /// The samples per step b ≥ 1: a step is made along their mean gradient. Default: 1.
    #[must_use]
    pub fn batch(mut self, batch: usize) -> Self {
        self.settings.batch = batch;
        self
    }

    /// Which iterates the model is the average of. Default: it is the last one.
    #[must_use]
    pub fn averaging(mut self, averaging: Averaging) -> Self {
        self.settings.averaging = averaging;
        self
    }

    /// Ends the fit when the loss of held-out points no longer falls. Default: it does not.
    #[must_use]
    pub fn early_stopping(mut self, rule: EarlyStopping) -> Self {
        self.settings.early_stopping = Some(rule);
        self
    }

    /// Weights β ≥ 0 of the points in (1/n) Σ βᵢℓᵢ: samples are drawn uniformly, and steps made on
    /// them are β times as long. Default: 1.
    #[must_use]
    pub fn sample_weights(mut self, weights: impl Into<Vec<f64>>) -> Self {
        self.settings.weights = Some(weights.into());
        self
    }

    /// T steps that draw `epochs`·n samples. Default: 20 epochs.
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
        self.averaging.check()?;
        if let Some(rule) = &self.early_stopping {
            rule.check()?;
        }
        if self.batch == 0 {
            return Err(Error::Count { name: "the batch size", given: 0, allowed: "at least 1" });
        }
        let given = match self.length {
            Length::Epochs(count) | Length::Iterations(count) => count,
        };
        if given == 0 {
            return Err(Error::Count { name: "the number of steps", given, allowed: "at least 1" });
        }
        Ok(())
    }

    /// T for n points.
    pub(super) fn steps(&self, n: usize) -> usize {
        match self.length {
            Length::Epochs(epochs) => epochs.saturating_mul(n).div_ceil(self.batch),
            Length::Iterations(iterations) => iterations,
        }
    }

    /// The loss of a classifier.
    pub(super) fn class_loss(&self) -> Loss {
        self.loss.unwrap_or(Loss::Logistic)
    }

    /// The loss of a regressor.
    pub(super) fn regression_loss(&self) -> Result<Loss, Error> {
        let loss = self.loss.unwrap_or(Loss::Squared);
        if loss.is_margin() { Err(Error::MarginLoss { loss }) } else { Ok(loss) }
    }

    pub(super) fn budget(&self) -> MemoryBudget {
        self.budget.unwrap_or_else(MemoryBudget::available)
    }
}
