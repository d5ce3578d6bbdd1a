//! Orders of fits in rounds.

use super::design::Design;
use super::judges::Judges;
use super::outcome::fitted;
use crate::evidence::{Evidence, Scored};
use crate::{ClassType, Error, Method, TableModel, Task, Training};
use kern_core::parameters::Setting;
use kern_solvers::rounds::{Outcome, Rounds};
use serde::{Deserialize, Serialize};

/// Rows of the sample from which landmarks, scales and first clusters are taken, for each landmark, and at least.
const SAMPLED: usize = 10;
const LEAST_SAMPLE: usize = 10_000;

/// Landmarks unless features are set.
const LANDMARKS: usize = 500;

/// λ unless it is set, where no sums choose it.
const LAMBDA: f64 = 1e-6;

/// The features of a fit in rounds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Features {
    /// The features of so many [landmarks](kern_approx::Nystrom), which a sample of all rows gives.
    Landmarks(usize),
    /// So many [random Fourier features](kern_approx::RandomFourier) of the columns of numbers.
    Fourier(usize),
    /// The columns of numbers themselves: functions are linear, and there is no kernel.
    Columns,
    /// The features of landmarks among rows of numbers, in a metric that ridge regression learns in so many rounds, each of two passes: that
    /// of the average outer product of its gradients. See [`feature_machine`](kern_solvers::feature_machine).
    Learned {
        /// The number of landmarks.
        landmarks: usize,
        /// The number of rounds.
        rounds: usize,
    },
}

impl Default for Features {
    fn default() -> Self {
        Self::Landmarks(LANDMARKS)
    }
}

/// γ of a kernel that leaves it open, from all rows of d columns of numbers, as scikit-learn has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Gamma {
    /// 1/(d·v), where v is the variance of the numbers of all columns together; 1 if they are all equal.
    Scale,
    /// 1/d.
    Auto,
}

/// A thing to learn in rounds, from parts of files or from partitions that others hold.
///
/// # Settings of the training
/// `lambda`, the penalty λ of one row, or `alpha` = nλ or `c` = 1/(nλ) in its place: by default the λ from 10⁻⁸ to 10 with the
/// least generalised cross-validation score for ridge regression, and 10⁻⁶ for other losses; `epsilon` of tubes; `intercept`, true
/// by default; `tolerance` and `max_rounds`, see [`Rounds`](kern_solvers::rounds::Rounds).
///
/// | task | method | loss |
/// |---|---|---|
/// | regress | ridge | (y − f)² |
/// | regress | svm | ½·max(0, \|y − f\| − ε)² |
/// | classify | svm | ½·max(0, 1 − yf)², each class against the rest |
/// | classify | logistic | ln(1 + exp(−yf)), softmax for more than two classes |
/// | classify | ridge | (y − f)² with y = ±1, each class against the rest |
/// | cluster | k-means | ‖z − μ‖² |
/// | components | | |
///
/// # Examples
/// ```
/// use kern_table::rounds::{Features, Order};
/// use kern_table::{Task, Training};
/// let training = Training::new(Task::Regress).target("y").set("lambda", 1e-3);
/// let order = Order::new(training, Features::Landmarks(100))?;
/// let wrong = Training::new(Task::Detect);
/// assert!(Order::new(wrong, Features::Landmarks(100)).is_err());
/// # Ok::<(), kern_table::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Order {
    pub(super) task: Task,
    pub(super) loss: Loss,
    pub(super) target: Option<String>,
    pub(super) class_type: Option<ClassType>,
    pub(super) weights: Option<String>,
    pub(super) ignored: Vec<String>,
    pub(super) kernel: Option<String>,
    pub(super) features: Features,
    pub(super) gamma: Option<Gamma>,
    pub(super) standardized: bool,
    pub(super) filled: bool,
    pub(super) seed: u64,
    /// None: ridge regression chooses λ by its sums, and others take [`LAMBDA`].
    pub(super) penalty: Option<Penalty>,
    pub(super) intercept: bool,
    pub(super) tolerance: Option<f64>,
    pub(super) max_rounds: Option<usize>,
}

/// The objective.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(super) enum Loss {
    Squares,
    Logistic,
    SquaredHinge,
    SquaredTube(f64),
    Means,
    Variance,
}

/// λ, or what gives it.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(super) enum Penalty {
    /// λ.
    Row(f64),
    /// nλ.
    Total(f64),
}

impl Penalty {
    pub(super) fn lambda(self, rows: u64) -> f64 {
        match self {
            Self::Row(lambda) => lambda,
            Self::Total(alpha) => alpha / rows as f64,
        }
    }
}

impl Order {
    /// The order of a training with these features.
    ///
    /// # Errors
    /// [`Error::NotHere`] for tasks that are no sums over rows and for searches, [`Error::Method`], [`Error::NoTarget`],
    /// [`Error::Setting`].
    pub fn new(training: Training, features: Features) -> Result<Self, Error> {
        if training.folds.is_some() {
            return Err(Error::NotHere(
                "a search reads its rows many times: search on some of them",
            ));
        }
        if training.groups.is_some() {
            return Err(Error::NotHere("groups are for searches, and rounds have none"));
        }
        if training.task.has_target() && training.target.is_none() {
            return Err(Error::NoTarget { known: Vec::new() });
        }
        let settings = Settings::of(&training.settings)?;
        let loss = loss(&training, settings.epsilon)?;
        if matches!(features, Features::Learned { .. }) && loss != Loss::Squares {
            return Err(Error::NotHere("a metric is learned by ridge regression: take its method"));
        }
        Ok(Self {
            loss,
            task: training.task,
            target: training.target,
            class_type: training.class_type,
            weights: training.weights,
            ignored: training.ignored,
            kernel: training.kernel,
            features,
            gamma: None,
            standardized: training.standardized,
            filled: false,
            seed: training.seed,
            penalty: settings.penalty,
            intercept: settings.intercept,
            tolerance: settings.tolerance,
            max_rounds: settings.max_rounds,
        })
    }

    /// Fills missing numbers by the means of their columns; by default they are refused.
    #[must_use]
    pub fn fill(self, fill: bool) -> Self {
        Self { filled: fill, ..self }
    }

    /// Takes γ from all rows by this rule where the kernel leaves it open; by default it is that of
    /// [`Training`](crate::Training), from the distances in a sample. That of `hamming_rbf` is a matter of categories, and stays.
    #[must_use]
    pub fn gamma(self, rule: Gamma) -> Self {
        Self { gamma: Some(rule), ..self }
    }

    /// λ of so many rows, where no sums choose it.
    pub(super) fn lambda(&self, rows: u64) -> f64 {
        self.penalty.map_or(LAMBDA, |penalty| penalty.lambda(rows))
    }

    /// Ridge regression of this order, of so many rows.
    pub(crate) fn ridge(&self, design: &Design, rows: u64) -> Result<Rounds, Error> {
        let lambda = self.penalty.map(|penalty| penalty.lambda(rows));
        Ok(Rounds::ridge(design.dim(), design.outputs(), lambda, self.intercept)?)
    }

    /// The model of what was found in so many rows. `judges` tell the score of a classifier.
    pub(crate) fn model(
        &self,
        design: &Design,
        outcome: Outcome,
        rows: u64,
        judges: Option<&Judges>,
    ) -> Result<TableModel, Error> {
        let (prepared, map) = (design.prepared.clone(), design.map.clone());
        let classes = design.classes.clone();
        let left = match (&outcome, self.task) {
            (Outcome::Functions(functions), Task::Regress) => functions.left,
            _ => None,
        };
        let fitted = fitted(prepared, map, outcome, self.loss, classes)?;
        let (evidence, notes) = match judges {
            Some(judges) => judges.judge(&fitted, rows)?,
            None => {
                let evidence = left.map(|left| Evidence::of_variance(1.0 - left, Scored::Gcv));
                let notes = evidence.iter().filter_map(Evidence::idle_note).collect();
                (evidence, notes)
            }
        };
        Ok(TableModel {
            task: self.task.name().to_string(),
            target: self.target.clone(),
            class_type: design.class_type,
            schema: design.schema.clone(),
            kernel: design.kernel.clone(),
            rows,
            search: None,
            evidence,
            notes,
            fitted,
        })
    }

    /// The number of rows of the sample.
    pub(super) fn sampled(&self) -> usize {
        match self.features {
            Features::Landmarks(m) | Features::Learned { landmarks: m, .. } => {
                m.saturating_mul(SAMPLED).max(LEAST_SAMPLE)
            }
            Features::Fourier(_) | Features::Columns => LEAST_SAMPLE,
        }
    }
}

fn loss(training: &Training, epsilon: f64) -> Result<Loss, Error> {
    Ok(match (training.task, training.method) {
        (Task::Regress, None | Some(Method::Ridge)) => Loss::Squares,
        (Task::Regress, Some(Method::Svm)) => Loss::SquaredTube(epsilon),
        (Task::Classify, None | Some(Method::Svm)) => Loss::SquaredHinge,
        (Task::Classify, Some(Method::Logistic)) => Loss::Logistic,
        (Task::Classify, Some(Method::Ridge)) => Loss::Squares,
        (Task::Cluster(_), None | Some(Method::KMeans)) => Loss::Means,
        (Task::Components(_), None | Some(Method::Components)) => Loss::Variance,
        (Task::Detect, _) => {
            return Err(Error::NotHere(
                "what is new is found by a machine that is no sum over rows",
            ));
        }
        (task, Some(method)) => {
            let allowed = match task {
                Task::Regress => "ridge, svm",
                Task::Classify => "svm, logistic, ridge",
                _ => "none",
            };
            return Err(Error::Method { method: method.name(), task: task.name(), allowed });
        }
    })
}

/// Settings by name.
struct Settings {
    penalty: Option<Penalty>,
    epsilon: f64,
    intercept: bool,
    tolerance: Option<f64>,
    max_rounds: Option<usize>,
}

impl Settings {
    fn of(given: &[(String, Setting)]) -> Result<Self, Error> {
        /// ε unless it is set.
        const EPSILON: f64 = 0.1;
        let mut all = Self {
            penalty: None,
            epsilon: EPSILON,
            intercept: true,
            tolerance: None,
            max_rounds: None,
        };
        for (name, value) in given {
            match name.as_str() {
                "lambda" => all.penalty = Some(Penalty::Row(positive(name, value)?)),
                "alpha" => all.penalty = Some(Penalty::Total(positive(name, value)?)),
                "c" => all.penalty = Some(Penalty::Total(1.0 / positive(name, value)?)),
                "epsilon" => all.epsilon = number(name, value, |v| v >= 0.0, "at least 0")?,
                "tolerance" => all.tolerance = Some(positive(name, value)?),
                "max_rounds" => {
                    let whole = |v: f64| v >= 1.0 && v.fract() == 0.0 && v <= 1e9;
                    let count = number(name, value, whole, "a whole number of at least 1")?;
                    all.max_rounds = Some(count as usize);
                }
                "intercept" => match value {
                    Setting::Flag(flag) => all.intercept = *flag,
                    _ => return Err(refused(name, value, "true or false")),
                },
                _ => {
                    let known =
                        "one of lambda, alpha, c, epsilon, intercept, tolerance, max_rounds";
                    return Err(refused("a setting", &Setting::Choice(name.clone()), known));
                }
            }
        }
        Ok(all)
    }
}

fn positive(name: &str, value: &Setting) -> Result<f64, Error> {
    number(name, value, |v| v > 0.0, "finite and greater than 0")
}

fn number(
    name: &str,
    value: &Setting,
    is_allowed: impl Fn(f64) -> bool,
    allowed: &'static str,
) -> Result<f64, Error> {
    let given = match value {
        Setting::Real(number) => *number,
        Setting::Count(count) => *count as f64,
        _ => return Err(refused(name, value, allowed)),
    };
    match given.is_finite() && is_allowed(given) {
        true => Ok(given),
        false => Err(refused(name, value, allowed)),
    }
}

fn refused(name: &str, value: &Setting, allowed: &'static str) -> Error {
    Error::Setting { name: name.to_string(), given: value.to_string(), allowed }
}
