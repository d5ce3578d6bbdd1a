//! Settings of a fit, and whether it is on the exact kernel or on landmarks.

use crate::{ClassType, Error, Method, Metric, Task};
use kern_core::parameters::Setting;
use std::time::Duration;

/// Default number of landmarks.
pub(crate) const LANDMARKS: usize = 1000;

/// Largest number of rows for which the exact kernel is the default.
const EXACT: usize = 10_000;

/// The same limit for SVMs with many classes: each exact subproblem covers only two classes,
/// whereas one-vs-rest on landmarks uses all landmarks for each class. Measured fit times, exact
/// and with 1000 landmarks: 27 s and 99 s for 14,000 letters in 26 classes (accuracy 0.918 and
/// 0.881), 28 s and 16 s for 20,000 rows in two classes, 172 s and 30 s for 50,000 rows (equal
/// accuracy).
const MOST_EXACT: usize = 50_000;

/// Settings of a fit.
///
/// # Examples
/// See the [crate](crate).
#[derive(Clone, Debug, PartialEq)]
pub struct Training {
    pub(crate) task: Task,
    pub(crate) class_type: Option<ClassType>,
    pub(crate) target: Option<String>,
    pub(crate) weights: Option<String>,
    pub(crate) groups: Option<String>,
    pub(crate) ignored: Vec<String>,
    pub(crate) kernel: Option<String>,
    pub(crate) method: Option<Method>,
    pub(crate) standardized: bool,
    pub(crate) landmarks: Option<usize>,
    pub(crate) folds: Option<usize>,
    pub(crate) halving: bool,
    pub(crate) contest: Option<Duration>,
    pub(crate) metric: Option<Metric>,
    pub(crate) settings: Vec<(String, Setting)>,
    pub(crate) seed: u64,
}

impl Training {
    /// Settings for a task, with its first method: SVMs for classification and novelty detection,
    /// ridge regression for regression, k-means for clustering. Novelty detection flags 5 % of the
    /// training rows as new, unless `nu` is set.
    #[must_use]
    pub const fn new(task: Task) -> Self {
        Self {
            task,
            class_type: None,
            target: None,
            weights: None,
            groups: None,
            ignored: Vec::new(),
            kernel: None,
            method: None,
            standardized: true,
            landmarks: None,
            folds: None,
            halving: false,
            contest: None,
            metric: None,
            settings: Vec::new(),
            seed: 0,
        }
    }

    /// Sets the target column. [`Task::suggested`] returns the task that its values suggest.
    #[must_use]
    pub fn target(mut self, column: impl Into<String>) -> Self {
        self.target = Some(column.into());
        self
    }

    /// Sets the type of the classes, for callers with more type information than the values carry:
    /// a 1 in a column of doubles is a [`Real`](ClassType::Real).
    #[must_use]
    pub const fn class_type(mut self, class_type: ClassType) -> Self {
        self.class_type = Some(class_type);
        self
    }

    /// The type of these classes; `numbers` tells whether the column was numeric.
    pub(crate) fn type_of(&self, labels: &[String], numbers: bool) -> ClassType {
        self.class_type.unwrap_or_else(|| ClassType::of(labels, numbers))
    }

    /// Sets the column of row weights, non-negative numbers: an integer weight repeats a row, and a
    /// row of weight 0 has no effect (in streams and rounds, the n in a penalty nλ is the number of
    /// rows with a non-zero weight, whatever the weights). The column is not part of the points.
    #[must_use]
    pub fn weights(mut self, column: impl Into<String>) -> Self {
        self.weights = Some(column.into());
        self
    }

    /// Sets the column of groups: a search keeps rows with equal values together in one fold. The
    /// column is not part of the points.
    #[must_use]
    pub fn groups(mut self, column: impl Into<String>) -> Self {
        self.groups = Some(column.into());
        self
    }

    /// Ignores a column.
    #[must_use]
    pub fn ignore(mut self, column: impl Into<String>) -> Self {
        self.ignored.push(column.into());
        self
    }

    /// Sets the kernel, a [formula](kern_core::KernelSpec).
    #[must_use]
    pub fn kernel(mut self, formula: impl Into<String>) -> Self {
        self.kernel = Some(formula.into());
        self
    }

    /// Sets the method.
    #[must_use]
    pub const fn method(mut self, method: Method) -> Self {
        self.method = Some(method);
        self
    }

    /// Sets whether numeric columns are scaled to mean 0 and variance 1. Default: true.
    #[must_use]
    pub const fn standardized(mut self, standardized: bool) -> Self {
        self.standardized = standardized;
        self
    }

    /// Sets the number of [landmarks](kern_approx::Nystrom); 0 selects the exact kernel. Default:
    /// the exact kernel up to 10,000 rows (SVMs: 5000 per class, up to 50,000), then 1000
    /// landmarks. Neighbours, support vector regression, clustering and novelty detection are
    /// always exact and reject a number above 0. A fit on the exact kernel that is predicted to
    /// exceed the time limit of its run uses landmarks, too.
    #[must_use]
    pub const fn landmarks(mut self, landmarks: usize) -> Self {
        self.landmarks = Some(landmarks);
        self
    }

    /// Searches for hyper-parameters by cross-validation with this number of folds.
    #[must_use]
    pub const fn tune(mut self, folds: usize) -> Self {
        self.folds = Some(folds);
        self
    }

    /// Searches by [successive halving](kern_solvers::search::Tune::halving): most candidates are
    /// fitted to a part of the rows only.
    #[must_use]
    pub const fn halving(mut self) -> Self {
        self.halving = true;
        self
    }

    /// Lets kernels and methods compete for at most this time, and returns the best of them, or
    /// several that predict together.
    ///
    /// Kernels (Gaussian, Laplacian, exponential, Matérn, rational quadratic, linear), their scales,
    /// columns as they are or by their ranks, with or without a metric learned from the targets,
    /// methods, penalties, and the logarithms of skewed targets are compared by a
    /// [metric](Training::metric) on growing samples of the rows, and at last by cross-validation
    /// on all rows. Then variations of the best are tried for as long as they help. The
    /// [score](crate::TableModel::evidence) of the result is nested: no fold is predicted by weights
    /// that it chose. A kernel or a method that is set restricts the contest to it. The
    /// [leaderboard](crate::TableModel::leaderboard) lists the candidates. Classifiers have
    /// probabilities, calibrated on the held-out rows.
    ///
    /// Which candidates are reached depends on the speed of the machine. The fit of the final model
    /// to all rows may exceed the time.
    ///
    /// # Examples
    /// ```
    /// use kern_data::{Format, Source};
    /// use kern_table::{Task, Training};
    /// use std::time::Duration;
    /// let lines = (0..90).map(|i| format!("{i},{}", (0.1 * f64::from(i)).sin()));
    /// let text = ["x,y".to_string()].into_iter().chain(lines).collect::<Vec<_>>().join("\n");
    /// let table = Source::new(Format::Csv, text.as_bytes()).read()?;
    /// let training = Training::new(Task::Regress).target("y").contest(Duration::from_secs(5));
    /// let model = training.fit(&table)?;
    /// assert!(model.evidence().unwrap().value > 0.95); // R² by cross-validation
    /// assert!(model.leaderboard().unwrap().entries.len() >= 20);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub const fn contest(mut self, budget: Duration) -> Self {
        self.contest = Some(budget);
        self
    }

    /// Sets the metric that a contest compares by. Default: accuracy for classes, R² for numbers.
    ///
    /// With balanced accuracy and F1 the predicted class is not always the most probable one: the
    /// probabilities are multiplied by factors that suit the metric.
    #[must_use]
    pub const fn metric(mut self, metric: Metric) -> Self {
        self.metric = Some(metric);
        self
    }

    /// Sets a hyper-parameter by name: `c`, `lambda`, `kernel.gamma`.
    #[must_use]
    pub fn set(mut self, name: impl Into<String>, value: impl Into<Setting>) -> Self {
        self.settings.push((name.into(), value.into()));
        self
    }

    /// Sets the random seed. Default: 0.
    #[must_use]
    pub const fn seed(mut self, seed: u64) -> Self {
        self.seed = seed;
        self
    }

    /// The method; a method that was set must support the task, and landmarks if these were set.
    pub(crate) fn checked_method(&self) -> Result<Method, Error> {
        let methods = self.task.methods();
        let method = self.method.unwrap_or(methods[0]);
        if !methods.contains(&method) {
            let (task, allowed) = (self.task.name(), self.task.allowed());
            return Err(Error::Method { method: method.name(), task, allowed });
        }
        self.check_landmarks(method)?;
        Ok(method)
    }

    /// Rejects settings that a contest chooses itself, and settings that only a contest has.
    pub(crate) fn check_contest(&self) -> Result<(), Error> {
        if self.contest.is_none() {
            return match self.metric {
                Some(_) => {
                    Err(Error::NotHere("a metric is for contests: set a budget of time, too"))
                }
                None => Ok(()),
            };
        }
        if let Some(metric) = self.metric.filter(|metric| metric.task() != self.task) {
            return Err(Error::Setting {
                name: "the metric".to_string(),
                given: metric.name().to_string(),
                allowed: match self.task {
                    Task::Regress => "r2, rmse or mae",
                    _ => "accuracy, balanced_accuracy, f1, auc or log_loss",
                },
            });
        }
        if !self.task.has_target() {
            return Err(Error::NotHere("a contest needs targets to score by: set none"));
        }
        if self.folds.is_some() || self.landmarks.is_some() {
            return Err(Error::NotHere(
                "a contest chooses folds and landmarks itself: leave them out, or the contest",
            ));
        }
        if !self.settings.is_empty() && self.method.is_none() {
            return Err(Error::NotHere(
                "hyper-parameters belong to a method: set the method of the contest, too",
            ));
        }
        Ok(())
    }

    /// The number of landmarks for this many rows and classes; `None` for the exact kernel.
    pub(crate) fn landmarks_for(
        &self,
        method: Method,
        rows: usize,
        classes: usize,
    ) -> Option<usize> {
        let machines = (EXACT / 2).saturating_mul(classes).clamp(EXACT, MOST_EXACT);
        match (self.landmarks, self.task, method) {
            (Some(0), ..) => None,
            (Some(landmarks), ..) => Some(landmarks),
            (None, Task::Classify, Method::Svm) if rows <= machines => None,
            (None, ..) if rows <= EXACT => None,
            (None, ..) => Some(LANDMARKS),
        }
    }

    /// Returns true if this task and method can be fitted on landmarks.
    fn has_landmarks(&self, method: Method) -> bool {
        match self.task {
            Task::Classify => matches!(method, Method::Svm | Method::Logistic | Method::Ridge),
            Task::Regress => method == Method::Ridge,
            _ => false,
        }
    }

    /// Returns true if this fit may use landmarks when the exact kernel is predicted to take too
    /// long.
    pub(crate) fn may_fall_back(&self, method: Method) -> bool {
        self.has_landmarks(method) && self.landmarks.is_none()
    }

    /// Rejects landmarks for a method that does not support them.
    pub(crate) fn check_landmarks(&self, method: Method) -> Result<(), Error> {
        if self.landmarks.is_some_and(|m| m > 0) && !self.has_landmarks(method) {
            return Err(Error::NotHere(
                "landmarks are for the methods svm, logistic and ridge of classes and for ridge of numbers; other \
                 fits are exact: leave landmarks out",
            ));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_classes_are_learned_exactly_longer_than_two() {
        let of = |training: &Training, method, (rows, classes): (usize, usize)| {
            training.landmarks_for(method, rows, classes)
        };
        let classify = Training::new(Task::Classify);
        assert_eq!(of(&classify, Method::Svm, (14_000, 26)), None);
        assert_eq!(of(&classify, Method::Svm, (14_000, 2)), Some(1000));
        assert_eq!(of(&classify, Method::Svm, (60_000, 26)), Some(1000));
        assert_eq!(of(&classify, Method::Logistic, (14_000, 26)), Some(1000));
        assert_eq!(of(&classify, Method::Svm, (10_000, 2)), None);
        assert_eq!(of(&classify.clone().landmarks(7), Method::Svm, (100, 2)), Some(7));
        assert_eq!(of(&classify.landmarks(0), Method::Svm, (90_000, 2)), None);
    }

    #[test]
    fn landmarks_are_refused_where_there_are_none() {
        let check = |task, method| Training::new(task).landmarks(20).check_landmarks(method);
        assert!(check(Task::Classify, Method::Svm).is_ok());
        assert!(check(Task::Regress, Method::Ridge).is_ok());
        for (task, method) in [
            (Task::Regress, Method::Svm),
            (Task::Classify, Method::Neighbors),
            (Task::Detect, Method::Svm),
        ] {
            assert!(check(task, method).unwrap_err().to_string().contains("leave landmarks out"));
            assert!(Training::new(task).landmarks(0).check_landmarks(method).is_ok());
        }
    }
}
