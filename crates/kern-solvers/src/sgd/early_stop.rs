//! Early stopping: a fit ends when the loss on held-out points no longer falls.

use crate::Error;
use kern_core::parameters::{Domain, Scale};
use kern_core::{NonNegative, Positive, fields};
use serde::{Deserialize, Serialize};

/// Default fraction of points that early stopping holds out: the habit of the field.
const HELD_OUT: f64 = 0.1;

/// Default relative decrease of the held-out loss that counts as progress: of a tenth of the points
/// the loss is not known better than that below n = 10⁷.
const PROGRESS: f64 = 1e-3;

/// A rule for early stopping.
///
/// A fraction of the points, drawn with the seed, is held out: no step uses them. Their mean loss
/// is evaluated after each epoch. After `patience` epochs in which it has not fallen below (1 −
/// `tolerance`) times its smallest value so far, the fit ends with
/// [`Status::EarlyStopped`](crate::Status::EarlyStopped). However the fit ends, the model is that
/// of the epoch with the smallest loss. With averaging, the model is the average at that epoch,
/// while the loss is that of the iterate itself.
///
/// # Examples
/// ```
/// use kern_core::{Samples, kernels::Rbf};
/// use kern_solvers::{Status, sgd::{EarlyStopping, Sgd}};
/// let rows: Vec<[f64; 1]> = (0..50).map(|i| [f64::from(i) / 25.0]).collect();
/// let y: Vec<f64> = rows.iter().map(|x| x[0].sin()).collect();
/// let sgd = Sgd::on_kernel(Rbf::new(1.0)?).epochs(10_000).early_stopping(EarlyStopping::default());
/// let model = sgd.fit(&Samples::from_rows(&rows)?, &y)?;
/// assert_eq!(model.report().status, Status::EarlyStopped);
/// # Ok::<(), kern_solvers::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct EarlyStopping {
    /// The fraction of held-out points, in (0, 1). Default: 0.1.
    pub fraction: f64,
    /// Epochs without improvement before training stops. Default: 5.
    pub patience: usize,
    /// The relative decrease of the loss that counts as an improvement, at least 0. Default: 1e-3.
    pub tolerance: f64,
}

impl Default for EarlyStopping {
    fn default() -> Self {
        Self { fraction: HELD_OUT, patience: 5, tolerance: PROGRESS }
    }
}

/// The open interval (0, 1): its largest value is the float before 1.
const PROPER_FRACTION: Domain = Domain::Real {
    smallest: 0.0,
    largest: 1.0 - f64::EPSILON / 2.0,
    open: true,
    scale: Scale::Linear,
};

fields!(EarlyStopping {
    Self { fraction, patience, tolerance } => {
        "early_stopping.fraction": fraction in PROPER_FRACTION,
        "early_stopping.patience": patience,
        "early_stopping.tolerance": tolerance in Domain::non_negative(),
    }
});

impl EarlyStopping {
    pub(super) fn check(&self) -> Result<(), Error> {
        let (name, given) = ("the fraction that is held out", self.fraction);
        Positive::new(name, given)?;
        if given >= 1.0 {
            return Err(kern_core::Error::Parameter { name, given, allowed: "below 1" }.into());
        }
        NonNegative::new("the tolerance of early stopping", self.tolerance)?;
        Ok(())
    }

    /// The number of held-out points among `n`: at least 1 and at most n − 1.
    pub(super) fn held_out(&self, n: usize) -> Result<usize, Error> {
        if n < 2 {
            let (name, allowed) = ("the number of points for early stopping", "at least 2");
            return Err(Error::Count { name, given: n, allowed });
        }
        Ok(((self.fraction * n as f64).round() as usize).clamp(1, n - 1))
    }
}

/// The verdict after an epoch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    /// The smallest loss so far.
    Best,
    /// Not the smallest loss; training continues.
    Patience,
    /// Patience is exhausted; training stops.
    Stop,
}

/// The history of held-out losses, as far as the rule needs it.
pub(super) struct Watch {
    rule: EarlyStopping,
    best: f64,
    /// A loss below this value counts as an improvement.
    mark: f64,
    idle: usize,
}

impl Watch {
    pub(super) fn new(rule: EarlyStopping) -> Self {
        Self { rule, best: f64::INFINITY, mark: f64::INFINITY, idle: 0 }
    }

    /// Records the loss after an epoch.
    pub(super) fn verdict(&mut self, loss: f64) -> Verdict {
        if loss < self.mark {
            self.mark = loss * (1.0 - self.rule.tolerance);
            self.idle = 0;
        } else {
            self.idle += 1;
        }
        if loss < self.best {
            self.best = loss;
            Verdict::Best
        } else if self.idle >= self.rule.patience {
            Verdict::Stop
        } else {
            Verdict::Patience
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{EarlyStopping, Verdict, Watch};

    #[test]
    fn small_progress_is_kept_but_does_not_restore_patience() {
        let rule = EarlyStopping { patience: 2, tolerance: 0.1, ..EarlyStopping::default() };
        let mut watch = Watch::new(rule);
        let losses = [1.0, 0.5, 0.49, 0.6];
        let verdicts = losses.map(|loss| watch.verdict(loss));
        assert_eq!(verdicts, [Verdict::Best, Verdict::Best, Verdict::Best, Verdict::Stop]);
    }
}
