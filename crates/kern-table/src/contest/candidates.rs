//! The candidates of a contest: kernel, scale, metric, method and penalty.

use super::goal::Goal;
use crate::kernel::{on_all_columns, usual};
use crate::{Method, Task, Training};
use kern_core::parameters::Setting;
use kern_data::Schema;

/// From this number of training rows on, ridge regression is on landmarks.
const EXACT_RIDGE: usize = 6000;

/// The same for logistic regression, which factorises a matrix in each of its steps.
const EXACT_LOGISTIC: usize = 1000;

/// The same for support vector machines.
const EXACT_SVM: usize = 20_000;

/// Landmarks of fits that are not exact.
const LANDMARKS: usize = 1000;

/// A candidate.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Candidate {
    /// The kernel, a formula.
    pub(super) kernel: String,
    /// The factor of its inverse squared length scale, 1 for the median heuristic.
    pub(super) scale: f64,
    /// Whether columns are weighted by a learned metric.
    pub(super) has_metric: bool,
    pub(super) method: Method,
    pub(super) settings: Vec<(&'static str, Setting)>,
}

impl Candidate {
    /// The settings of a fit of this candidate.
    pub(super) fn training(&self, common: &Training) -> Training {
        let mut training = Training { folds: None, contest: None, ..common.clone() };
        for (name, value) in &self.settings {
            training = training.set(*name, value.clone());
        }
        training.method(self.method)
    }

    /// The number of landmarks for this many training rows; `None` for an exact fit.
    pub(super) const fn landmarks(&self, rows: usize) -> Option<usize> {
        let most = match self.method {
            Method::Ridge => EXACT_RIDGE,
            Method::Logistic => EXACT_LOGISTIC,
            Method::Svm => EXACT_SVM,
            _ => usize::MAX,
        };
        if rows <= most { None } else { Some(LANDMARKS) }
    }

    /// The candidate in words, without its kernel.
    pub(super) fn description(&self) -> String {
        let mut words = self.method.name().to_string();
        for (name, value) in &self.settings {
            words.push_str(&format!(" {name}={value}"));
        }
        if self.has_metric {
            words.push_str(", learned metric");
        }
        words
    }
}

/// A kernel of the numeric columns with the scales that are tried.
type Scales = (&'static str, &'static [f64]);

const WIDE: &[f64] = &[0.1, 0.3, 1.0, 3.0];
const NARROW: &[f64] = &[0.3, 1.0, 3.0];
const ONE: &[f64] = &[1.0];

const FOR_RIDGE: &[Scales] = &[
    ("rbf", WIDE),
    ("laplacian", WIDE),
    ("exponential", NARROW),
    ("matern32", NARROW),
    ("rational_quadratic", NARROW),
    ("linear", ONE),
];
const RIDGE_WITH_METRIC: &[Scales] =
    &[("rbf", NARROW), ("matern32", NARROW), ("exponential", NARROW), ("laplacian", NARROW)];
const FOR_SVM: &[Scales] = &[("rbf", WIDE), ("laplacian", WIDE), ("exponential", NARROW)];
const SVM_WITH_METRIC: &[Scales] = &[("rbf", NARROW), ("laplacian", NARROW)];
const FOR_LOGISTIC: &[Scales] = &[("linear", ONE), ("rbf", NARROW), ("laplacian", &[0.3, 1.0])];
const LOGISTIC_WITH_METRIC: &[Scales] = &[("rbf", &[0.3, 1.0]), ("laplacian", &[0.3, 1.0])];

const SVM_PENALTIES: &[f64] = &[1.0, 10.0, 100.0];
const LOGISTIC_PENALTIES: &[f64] = &[1e-2, 1e-3, 1e-4];
const NEIGHBORS: &[u64] = &[5, 15];

/// All candidates for these columns and this task, restricted to the kernel and the method that are
/// set.
pub(super) fn candidates(training: &Training, schema: &Schema, goal: &Goal) -> Vec<Candidate> {
    let classifies = training.task == Task::Classify;
    // A metric weights columns against each other.
    let columns = schema.numbers().count();
    let has_metric = columns > 1 && super::metric::suits(goal);
    let mut all = Vec::new();
    for with_metric in [false, true] {
        if with_metric && !has_metric {
            continue;
        }
        let mut add =
            |method: Method, kernels: &[Scales], settings: &[Option<(&'static str, Setting)>]| {
                for (kernel, scale) in kernels_of(training, schema, kernels) {
                    for setting in settings {
                        all.push(Candidate {
                            kernel: kernel.clone(),
                            scale,
                            has_metric: with_metric,
                            method,
                            settings: setting.iter().cloned().collect(),
                        });
                    }
                }
            };
        let real = |name: &'static str, values: &[f64]| -> Vec<_> {
            values.iter().map(|&value| Some((name, Setting::Real(value)))).collect()
        };
        let count = NEIGHBORS.iter().map(|&k| Some(("neighbors", Setting::Count(k))));
        let count: Vec<_> = count.collect();
        match (classifies, with_metric) {
            (true, false) => {
                add(Method::Svm, FOR_SVM, &real("c", SVM_PENALTIES));
                add(Method::Logistic, FOR_LOGISTIC, &real("lambda", LOGISTIC_PENALTIES));
            }
            (true, true) => {
                add(Method::Svm, SVM_WITH_METRIC, &real("c", SVM_PENALTIES));
                add(Method::Logistic, LOGISTIC_WITH_METRIC, &real("lambda", LOGISTIC_PENALTIES));
            }
            // Ridge regression chooses its penalty itself.
            (false, false) => add(Method::Ridge, FOR_RIDGE, &[None]),
            (false, true) => add(Method::Ridge, RIDGE_WITH_METRIC, &[None]),
        }
        // The order of neighbours by any radial kernel is that of their distances.
        add(Method::Neighbors, &[("rbf", ONE)], &count);
    }
    // What is set applies to all candidates, so that some become equal.
    let is_set = |name: &str| training.settings.iter().any(|(set, _)| set == name);
    for candidate in &mut all {
        candidate.settings.retain(|(name, _)| !is_set(name));
    }
    all.dedup();
    all.retain(|candidate| training.method.is_none_or(|method| candidate.method == method));
    all
}

/// Kernels on all kinds of columns, with their scales.
fn kernels_of(training: &Training, schema: &Schema, on_numbers: &[Scales]) -> Vec<(String, f64)> {
    if let Some(formula) = &training.kernel {
        return NARROW.iter().map(|&scale| (formula.clone(), scale)).collect();
    }
    if schema.numbers().next().is_none() {
        return WIDE.iter().map(|&scale| (usual(schema), scale)).collect();
    }
    let each = |&(kernel, scales): &Scales| {
        let kernel = on_all_columns(schema, kernel);
        scales.iter().map(move |&scale| (kernel.clone(), scale)).collect::<Vec<_>>()
    };
    on_numbers.iter().flat_map(each).collect()
}
