//! Orders, the specifications of fits in rounds.

use super::design::Design;
use super::judges::Judges;
use crate::evidence::{Evidence, Scored};
use crate::fitted::Fitted;
use crate::map::TableMap;
use crate::{ClassType, Error, Method, Prepared, TableModel, Task, Training};
use kern_core::parameters::Setting;
use kern_solvers::pipeline::Piped;
use kern_solvers::rounds::{Outcome, Rounds};
use serde::{Deserialize, Serialize};

/// Number of sample rows per landmark, and the smallest sample. Landmarks, scales and initial
/// clusters are computed from the sample.
const SAMPLED: usize = 10;
const SMALLEST_SAMPLE: usize = 10_000;

/// Default number of landmarks.
const LANDMARKS: usize = 500;

/// Default λ for losses whose sums do not select it.
const LAMBDA: f64 = 1e-6;

/// The features of a fit in rounds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Features {
    /// This number of [landmarks](kern_approx::Nystrom), chosen from a sample of all rows.
    Landmarks(usize),
    /// This number of [random Fourier features](kern_approx::RandomFourier) of the numeric columns.
    Fourier(usize),
    /// The numeric columns themselves: functions are linear, and there is no kernel.
    Columns,
    /// Landmarks among rows of numbers, in a metric learned by ridge regression: the average outer
    /// product of its gradients. Each round makes two passes over the rows. See
    /// [`feature_machine`](kern_solvers::feature_machine).
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

/// The rule for an open kernel parameter γ, from all rows of d numeric columns, as in scikit-learn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Gamma {
    /// 1/(d·v), where v is the variance of the values of all columns together; 1 if they are all
    /// equal.
    Scale,
    /// 1/d.
    Auto,
}

/// The specification of a fit in rounds, from parts of files or from partitions held by the caller.
///
/// # Settings of the training
/// `lambda`, the penalty λ per row, or instead `alpha` = nλ or `c` = 1/(nλ): the default is the λ
/// from 10⁻⁸ to 10 with the smallest generalised cross-validation score for ridge regression, and
/// 10⁻⁶ for other losses; `epsilon`, the tube width of support vector regression; `intercept`, true
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
    /// `None`: ridge regression selects λ from its sums, and other losses use [`LAMBDA`].
    pub(super) penalty: Option<Penalty>,
    pub(super) intercept: bool,
    pub(super) tolerance: Option<f64>,
    pub(super) max_rounds: Option<usize>,
}

/// The objective function.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(super) enum Loss {
    Squares,
    Logistic,
    SquaredHinge,
    SquaredTube(f64),
    Means,
    Variance,
}

/// The penalty per row, or the total from which it follows.
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
    /// Creates the order for these training settings and features.
    ///
    /// # Errors
    /// [`Error::NotHere`] for tasks that are not sums over rows and for searches,
    /// [`Error::Method`], [`Error::NoTarget`], [`Error::Setting`].
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

    /// Sets whether missing numbers are replaced by the mean of their column; by default they are
    /// an error.
    #[must_use]
    pub fn fill(self, fill: bool) -> Self {
        Self { filled: fill, ..self }
    }

    /// Sets the rule for a γ that the kernel leaves open, computed from all rows; the default is
    /// the rule of [`Training`](crate::Training), from distances in a sample. The γ of
    /// `hamming_rbf` depends on the categories and is not affected.
    #[must_use]
    pub fn gamma(self, rule: Gamma) -> Self {
        Self { gamma: Some(rule), ..self }
    }

    /// The λ for this number of rows, for losses whose sums do not select it.
    pub(super) fn lambda(&self, rows: u64) -> f64 {
        self.penalty.map_or(LAMBDA, |penalty| penalty.lambda(rows))
    }

    /// Ridge regression of this order, for this number of rows.
    pub(crate) fn ridge(&self, design: &Design, rows: u64) -> Result<Rounds, Error> {
        let lambda = self.penalty.map(|penalty| penalty.lambda(rows));
        Ok(Rounds::ridge(design.dim(), design.outputs(), lambda, self.intercept)?)
    }

    /// The model of the solution found on this number of rows. `judges` compute the score of a
    /// classifier.
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

    /// The number of rows in the sample.
    pub(super) fn sampled(&self) -> usize {
        match self.features {
            Features::Landmarks(m) | Features::Learned { landmarks: m, .. } => {
                m.saturating_mul(SAMPLED).max(SMALLEST_SAMPLE)
            }
            Features::Fourier(_) | Features::Columns => SMALLEST_SAMPLE,
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
        /// The default ε.
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

/// The model of prepared rows.
fn fitted(
    prepared: Prepared,
    map: TableMap,
    outcome: Outcome,
    loss: Loss,
    classes: Option<Vec<String>>,
) -> Result<Fitted, Error> {
    Ok(match (outcome, classes) {
        (Outcome::Functions(functions), Some(classes)) if loss == Loss::Logistic => {
            let model = functions.probabilistic(map, classes)?;
            Fitted::LogisticOfRounds(Piped::of(prepared, model))
        }
        (Outcome::Functions(functions), Some(classes)) => {
            Fitted::ClassifierOfRounds(Piped::of(prepared, functions.classifier(map, classes)?))
        }
        (Outcome::Functions(functions), None) => {
            Fitted::RegressorOfRounds(Piped::of(prepared, functions.regressor(map)?))
        }
        (Outcome::Centroids(centroids), _) => {
            Fitted::ClustersOfRounds(Piped::of(prepared, centroids.clusters(map)))
        }
        (Outcome::Components(axes), _) => {
            Fitted::ComponentsOfRounds(Piped::of(prepared, axes.components(map)))
        }
        _ => return Err(Error::OtherRound),
    })
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
