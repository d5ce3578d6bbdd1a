//! Parameters of SGD.

use super::{Averaging, EarlyStopping, Loss, Schedule};
use crate::space::{Auto, OnFeatures, OnKernel, OnLandmarks};
use crate::{ClassWeights, Error, MultiClass, fit_sugar};
use kern_approx::Nystrom;
use kern_core::NonNegative;
use serde::{Deserialize, Serialize};

/// The part of the kernel values or features that is kept; the rest is computed when it is needed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Storage {
    /// All of them, computed once: the n × n Gram matrix, or n × D features.
    Cached,
    /// As many as the memory budget holds: the columns of the Gram matrix that were used last, or the features of the
    /// first points.
    Partial,
    /// A block of upcoming samples at a time.
    OnTheFly,
    /// All of them or a block at a time, whichever takes less counted work and fits the budget; see
    /// [`plan`](crate::plan).
    Auto,
}

/// Stochastic gradient descent, on a kernel, on a feature map or on landmarks.
///
/// # Complexity
/// See the [module](super).
///
/// # Examples
/// In u-space with a kernel, and in w-space with features of the same kernel; the steps are the
/// same, so the models agree:
/// ```
/// use kern_core::{Identity, Samples, kernels::Linear};
/// use kern_solvers::sgd::{Loss, Sgd};
/// let x = Samples::from_rows(&[[0.0, 1.0], [1.0, 0.5], [0.2, -1.0], [-1.0, -1.0]])?;
/// let y = [true, true, false, false];
/// let u = Sgd::on_kernel(Linear).loss(Loss::Hinge).seed(7).fit(&x, &y)?;
/// let w = Sgd::on_features(Identity::new(2)).loss(Loss::Hinge).seed(7).fit(&x, &y)?;
/// assert_eq!(u.accuracy(&x, &y)?, 1.0);
/// let difference = u.decision_values(&x)? - w.decision_values(&x)?;
/// assert!(difference.norm_max() < 1e-12);
/// # Ok::<(), kern_solvers::Error>(())
/// ```
/// Numbers are regressed, here on landmarks that are chosen in the fit:
/// ```
/// use kern_approx::Nystrom;
/// use kern_core::{Points, Samples, kernels::Rbf};
/// use kern_solvers::sgd::{Schedule, Sgd};
/// let x = Samples::from_row_major(1, (0..100).map(|i| f64::from(i) / 25.0).collect())?;
/// let y: Vec<f64> = (0..100).map(|i| (f64::from(i) / 25.0).sin()).collect();
/// let nystrom = Nystrom::new(Rbf::new(1.0)?).landmarks(10);
/// let sgd = Sgd::on_landmarks(nystrom).schedule(Schedule::Constant(0.5)).epochs(100);
/// let model = sgd.fit(&x, &y)?;
/// assert_eq!(model.decision().points().len(), 10);
/// assert!((model.predict(&x)?[50] - y[50]).abs() < 0.05);
/// # Ok::<(), kern_solvers::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Sgd<S> {
    pub(super) space: S,
    pub(super) rules: Rules,
}

/// The parameters that do not depend on the space.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Rules {
    pub(super) loss: Option<Loss>,
    pub(super) multi_class: MultiClass,
    pub(super) schedule: Schedule,
    pub(super) length: Length,
    pub(super) batch: usize,
    pub(super) averaging: Averaging,
    pub(super) early_stopping: Option<EarlyStopping>,
    pub(super) lambda: f64,
    pub(super) class_weights: ClassWeights,
    pub(super) seed: u64,
    pub(super) storage: Storage,
}

/// The number of steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Length {
    Epochs(usize),
    Iterations(usize),
}

impl<K> Sgd<OnKernel<K>> {
    /// SGD on the coefficients u of Σᵢ uᵢK(·, xᵢ).
    pub fn on_kernel(kernel: K) -> Self {
        Self::on(OnKernel::new(kernel))
    }
}

impl<M> Sgd<OnFeatures<M>> {
    /// SGD on the weights w of wᵀψ(·).
    pub fn on_features(map: M) -> Self {
        Self::on(OnFeatures::new(map))
    }
}

impl<K> Sgd<OnLandmarks<K>> {
    /// SGD on the weights of the features of landmarks that these parameters choose. The model is an expansion in kernel
    /// values with the landmarks.
    pub fn on_landmarks(nystrom: Nystrom<K>) -> Self {
        Self::on(OnLandmarks::new(nystrom))
    }
}

impl<K> Sgd<Auto<K>> {
    /// SGD in the space that is planned for this kernel; for features beside it, or a fixed way,
    /// [`Sgd::on`] takes an [`Auto`] with them.
    pub fn auto(kernel: K) -> Self {
        Self::on(Auto::new(kernel))
    }
}

impl Default for Rules {
    fn default() -> Self {
        Self {
            loss: None,
            multi_class: MultiClass::OneVsRest,
            schedule: Schedule::Constant(0.1),
            length: Length::Epochs(20),
            batch: 1,
            averaging: Averaging::Last,
            early_stopping: None,
            lambda: 0.0,
            class_weights: ClassWeights::Equal,
            seed: 0,
            storage: Storage::Cached,
        }
    }
}

impl<S> Sgd<S> {
    /// SGD in this space.
    pub fn on(space: S) -> Self {
        Self { space, rules: Rules::default() }
    }

    /// The loss. Default: logistic for a classifier, squared for a regressor.
    #[must_use]
    pub fn loss(mut self, loss: Loss) -> Self {
        self.rules.loss = Some(loss);
        self
    }

    /// The step sizes. Default: 0.1, constant.
    #[must_use]
    pub fn schedule(mut self, schedule: Schedule) -> Self {
        self.rules.schedule = schedule;
        self
    }

    /// The treatment of several classes. Default: each against the rest.
    #[must_use]
    pub fn multi_class(mut self, multi_class: MultiClass) -> Self {
        self.rules.multi_class = multi_class;
        self
    }

    /// The samples per step b ≥ 1: a step is made along their mean gradient. Default: 1.
    #[must_use]
    pub fn batch(mut self, batch: usize) -> Self {
        self.rules.batch = batch;
        self
    }

    /// The iterates that the model is the average of. Default: it is the last one.
    #[must_use]
    pub fn averaging(mut self, averaging: Averaging) -> Self {
        self.rules.averaging = averaging;
        self
    }

    /// Ends the fit when the loss of held-out points no longer falls. Default: it does not.
    #[must_use]
    pub fn early_stopping(mut self, rule: EarlyStopping) -> Self {
        self.rules.early_stopping = Some(rule);
        self
    }

    /// The weights of classes, times those of the points. Samples are drawn uniformly, and steps made on
    /// them are β times as long. Default: [`ClassWeights::Equal`].
    #[must_use]
    pub fn class_weights(mut self, weights: ClassWeights) -> Self {
        self.rules.class_weights = weights;
        self
    }

    /// T steps that draw `epochs`·n samples. Default: 20 epochs.
    #[must_use]
    pub fn epochs(mut self, epochs: usize) -> Self {
        self.rules.length = Length::Epochs(epochs);
        self
    }

    /// T steps.
    #[must_use]
    pub fn iterations(mut self, iterations: usize) -> Self {
        self.rules.length = Length::Iterations(iterations);
        self
    }

    /// The penalty λ ≥ 0 of ½‖w‖². Default: 0.
    #[must_use]
    pub fn lambda(mut self, lambda: f64) -> Self {
        self.rules.lambda = lambda;
        self
    }

    /// The seed of the sequence of samples. Default: 0.
    #[must_use]
    pub fn seed(mut self, seed: u64) -> Self {
        self.rules.seed = seed;
        self
    }

    /// The part of the kernel values or features that is kept; [`Auto`] decides that by itself. Default: [`Storage::Cached`].
    #[must_use]
    pub fn storage(mut self, storage: Storage) -> Self {
        self.rules.storage = storage;
        self
    }

    fit_sugar!(supervised);
}

impl Rules {
    /// All checks that need no data.
    pub(super) fn check(&self) -> Result<(), Error> {
        NonNegative::new("lambda", self.lambda)?;
        self.schedule.check(self.lambda)?;
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
        if loss.is_margin() {
            return Err(Error::MarginLoss { loss: format!("{loss:?}") });
        }
        Ok(loss)
    }
}
