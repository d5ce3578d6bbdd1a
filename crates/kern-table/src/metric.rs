//! The score that a contest maximises, or the loss that it minimises.

use crate::{Error, Task};
use serde::{Deserialize, Serialize};
use std::str::FromStr;

/// What the candidates of a contest are compared by.
///
/// # Examples
/// ```
/// use kern_table::{Metric, Task};
/// let metric: Metric = "balanced_accuracy".parse()?;
/// assert_eq!((metric.name(), metric.task()), ("balanced_accuracy", Task::Classify));
/// assert!(!metric.is_loss() && Metric::LogLoss.is_loss());
/// assert!("speed".parse::<Metric>().unwrap_err().to_string().contains("log_loss"));
/// # Ok::<(), kern_table::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub enum Metric {
    /// The share of rows whose class is predicted.
    Accuracy,
    /// The mean recall of the classes.
    BalancedAccuracy,
    /// 2·precision·recall/(precision + recall): of the rarer of two classes, or the mean over more.
    F1,
    /// The area under the receiver operating characteristic: the probability that a row of a class
    /// has a larger probability of it than a row of another class. The mean over more than two
    /// classes, each against the rest.
    Auc,
    /// −ln of the probability of the true class, on average.
    LogLoss,
    /// 1 − mean squared error / variance of the targets.
    R2,
    /// The root of the mean squared error.
    Rmse,
    /// The mean absolute error.
    Mae,
}

impl Metric {
    const ALL: [Self; 8] = [
        Self::Accuracy,
        Self::BalancedAccuracy,
        Self::F1,
        Self::Auc,
        Self::LogLoss,
        Self::R2,
        Self::Rmse,
        Self::Mae,
    ];

    /// The name of the metric.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Accuracy => "accuracy",
            Self::BalancedAccuracy => "balanced_accuracy",
            Self::F1 => "f1",
            Self::Auc => "auc",
            Self::LogLoss => "log_loss",
            Self::R2 => "R²",
            Self::Rmse => "rmse",
            Self::Mae => "mae",
        }
    }

    /// The task that the metric is for.
    #[must_use]
    pub const fn task(self) -> Task {
        match self {
            Self::R2 | Self::Rmse | Self::Mae => Task::Regress,
            _ => Task::Classify,
        }
    }

    /// Returns true if smaller values are better.
    #[must_use]
    pub const fn is_loss(self) -> bool {
        matches!(self, Self::LogLoss | Self::Rmse | Self::Mae)
    }

    /// The default for a task: accuracy or R².
    pub(crate) const fn usual(task: Task) -> Self {
        match task {
            Task::Regress => Self::R2,
            _ => Self::Accuracy,
        }
    }
}

/// Parses the name of a metric; `r2` and `logloss` are other names of `R²` and `log_loss`.
impl FromStr for Metric {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self, Error> {
        let name = match name {
            "r2" => "R²",
            "logloss" => "log_loss",
            name => name,
        };
        let found = Self::ALL.into_iter().find(|metric| metric.name() == name);
        found.ok_or_else(|| Error::Setting {
            name: "the metric".to_string(),
            given: name.to_string(),
            allowed: "accuracy, balanced_accuracy, f1, auc, log_loss, r2, rmse or mae",
        })
    }
}
