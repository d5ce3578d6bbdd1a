//! The regularised risk (1/n) Σᵢ βᵢ·ℓ(wᵀφ(xᵢ); yᵢ) + (λ/2)‖w‖², and the data of a descent on it.
//!
//! A descent holds targets and weights, the indices of the training points and of the held-out
//! points, and its number of steps. The points themselves are passed to the space.

use super::loss::Objective;
use super::stochastic_gradient_descent::{Rules, Storage};
use super::{EarlyStopping, Loss, Schedule, SgdTask};
use crate::design::weighty;
use crate::plan::Precision;
use crate::{Error, MultiClass};
use faer::MatRef;
use kern_core::Scalar;
use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;

/// A problem of SGD without its points, so that it is the same in every space.
#[derive(Clone, Debug)]
pub struct Descent<'a, T> {
    targets: MatRef<'a, T>,
    weights: Option<&'a [f64]>,
    pub(super) objective: Objective,
    pub(super) schedule: &'a Schedule,
    pub(super) lambda: f64,
    pub(super) seed: u64,
    pub(super) batch: usize,
    pub(super) storage: Storage,
    /// The indices of the training points.
    pub(super) training: Training,
    pub(super) held_out: Vec<usize>,
    pub(super) early_stopping: Option<EarlyStopping>,
    /// Steps are numbered `first + 1 ..= last`.
    pub(super) first: usize,
    pub(super) last: usize,
    pub(super) first_averaged: usize,
    /// The number of iterates averaged in earlier runs.
    pub(super) averaged: f64,
    /// True if there are intercepts.
    pub(super) intercept: bool,
    /// The radius of the ball that w is projected into, with a projection.
    pub(super) radius: Option<f64>,
}

/// The progress of a stream: steps done, and iterates averaged.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Progressed {
    pub(super) steps: usize,
    pub(super) averaged: f64,
}

/// The indices of the training points.
#[derive(Clone, Debug)]
pub(super) enum Training {
    All(usize),
    Some(Vec<usize>),
}

impl Training {
    pub(super) fn len(&self) -> usize {
        match self {
            Self::All(n) => *n,
            Self::Some(points) => points.len(),
        }
    }

    pub(super) fn at(&self, k: usize) -> usize {
        match self {
            Self::All(_) => k,
            Self::Some(points) => points[k],
        }
    }
}

impl<'a, T: Scalar> Descent<'a, T> {
    pub(super) fn new(
        targets: MatRef<'a, T>,
        weights: Option<&'a [f64]>,
        loss: Loss,
        rules: &'a Rules,
        from: Progressed,
    ) -> Result<Self, Error> {
        rules.check()?;
        loss.check()?;
        let (training, held_out) = split(targets.nrows(), weights, rules)?;
        let steps = rules.steps(training.len());
        let mut descent = Self {
            targets,
            weights,
            objective: objective(loss, rules, targets.ncols())?,
            schedule: &rules.schedule,
            lambda: rules.lambda,
            seed: rules.seed,
            batch: rules.batch,
            storage: rules.storage,
            training,
            held_out,
            early_stopping: rules.early_stopping,
            first: from.steps,
            last: from.steps.saturating_add(steps),
            first_averaged: from.steps.saturating_add(rules.averaging.first(steps)),
            averaged: from.averaged,
            intercept: rules.intercept,
            radius: None,
        };
        if rules.project {
            descent.radius = Some((descent.loss_at_zero() / rules.lambda).sqrt());
        }
        Ok(descent)
    }

    /// L₀, the mean loss at w = 0.
    fn loss_at_zero(&self) -> f64 {
        let (zeros, points) = (vec![0.0; self.outputs()], self.training.len());
        let losses = (0..points).map(|k| self.loss_at(self.training.at(k), &zeros));
        losses.sum::<f64>() / points as f64
    }

    /// The number of outputs.
    pub(super) fn outputs(&self) -> usize {
        self.targets.ncols()
    }

    /// Returns true if the model is an average of iterates.
    pub(super) fn averages(&self) -> bool {
        self.first_averaged < usize::MAX
    }

    /// The sizes of the problem, for the planner.
    pub(super) fn task(&self) -> SgdTask {
        let samples = (self.last - self.first).saturating_mul(self.batch);
        let task = SgdTask::new(self.targets.nrows(), 1, samples).outputs(self.outputs());
        task.precision(Precision::of::<T>())
    }

    /// The same descent with another storage.
    pub(super) fn stored(&self, storage: Storage) -> Self {
        Self { storage, ..self.clone() }
    }

    /// The targets of point `i`.
    pub(super) fn targets_of(&self, i: usize) -> impl Iterator<Item = f64> + '_ {
        self.targets.row(i).iter().map(|y| y.to_f64())
    }

    /// The weights β, unless all are 1.
    pub(super) fn weights(&self) -> Option<&[f64]> {
        self.weights
    }

    /// β of point `i`.
    pub(super) fn weight(&self, i: usize) -> f64 {
        self.weights.map_or(1.0, |weights| weights[i])
    }

    /// β times the loss of point `i` at these margins.
    pub(super) fn loss_at(&self, i: usize, margins: &[f64]) -> f64 {
        self.weight(i) * self.objective.value(margins, self.targets_of(i))
    }

    /// Returns true if an epoch, as many samples as there are training points, ends with step `t`.
    pub(super) fn ends_epoch(&self, t: usize) -> bool {
        let epochs = |steps: usize| steps.saturating_mul(self.batch) / self.training.len();
        epochs(t - self.first) > epochs(t - self.first - 1)
    }

    /// The objective (1/n) Σ β·ℓ + (λ/2)‖w‖² over the training points, with these intercepts if
    /// there are any.
    pub(super) fn objective<F: Scalar>(
        &self,
        fitted: MatRef<'_, F>,
        intercepts: &[f64],
        squared_norm: f64,
    ) -> f64 {
        let mut margins = vec![0.0; self.outputs()];
        let mut total = 0.0;
        for k in 0..self.training.len() {
            let i = self.training.at(k);
            margins.iter_mut().zip(fitted.row(i).iter()).for_each(|(m, f)| *m = f.to_f64());
            margins.iter_mut().zip(intercepts).for_each(|(m, b)| *m += b);
            total += self.loss_at(i, &margins);
        }
        total / self.training.len() as f64 + 0.5 * self.lambda * squared_norm
    }
}

/// Splits the points into training points and held-out points. Points of weight 0 are in neither:
/// they are never drawn.
fn split(
    n: usize,
    weights: Option<&[f64]>,
    rules: &Rules,
) -> Result<(Training, Vec<usize>), Error> {
    let used = weights.and_then(weighty);
    let n = used.as_ref().map_or(n, Vec::len);
    let Some(rule) = rules.early_stopping else {
        return Ok((used.map_or(Training::All(n), Training::Some), Vec::new()));
    };
    let count = rule.held_out(n)?;
    let mut rng = ChaCha8Rng::seed_from_u64(rules.seed);
    // A stream that no samples are drawn from.
    rng.set_stream(u64::MAX);
    let mut order = used.unwrap_or_else(|| (0..n).collect());
    order.shuffle(&mut rng);
    let mut held_out = order.split_off(n - count);
    order.sort_unstable();
    held_out.sort_unstable();
    Ok((Training::Some(order), held_out))
}

/// The loss over all outputs; with one output, softmax is the logistic loss.
fn objective(loss: Loss, rules: &Rules, outputs: usize) -> Result<Objective, Error> {
    match rules.multi_class {
        MultiClass::OneVsRest => Ok(Objective::Separate(loss)),
        MultiClass::Softmax if loss != Loss::Logistic => {
            Err(Error::SoftmaxLoss { loss: format!("{loss:?}") })
        }
        MultiClass::Softmax if outputs == 1 => Ok(Objective::Separate(loss)),
        MultiClass::Softmax => Ok(Objective::Softmax),
        MultiClass::OneVsOne => Err(Error::Unsupported {
            what: "SGD of each class against each other",
            instead: "take MultiClass::OneVsRest or MultiClass::Softmax",
        }),
    }
}
