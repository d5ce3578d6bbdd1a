//! The candidates of a contest: kernel, scale, columns, method and penalty.

use super::goal::{Goal, Targets};
use crate::fitted::Shape;
use crate::kernel::{on_all_columns, usual};
use crate::{Method, Metric, Task, Training};
use kern_core::parameters::Setting;
use kern_data::Schema;
use kern_gram::parallel::threads;
use std::time::Duration;

/// Landmarks of fits that are not exact.
pub(super) const LANDMARKS: usize = 1000;

/// A candidate.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Candidate {
    /// The kernel, a formula.
    pub(super) kernel: String,
    /// The factor of its inverse squared length scale, 1 for the median heuristic.
    pub(super) scale: f64,
    pub(super) view: View,
    /// Whether the logarithms of the targets are learned.
    pub(super) has_logarithms: bool,
    pub(super) method: Method,
    /// The penalty of the method or the number of neighbours, by its name; ridge regression chooses
    /// its penalty itself.
    pub(super) setting: Option<(&'static str, Setting)>,
    /// The factor of the λ that ridge regression has kept of smaller samples.
    pub(super) relative_lambda: f64,
    /// Fits to more rows than this are on landmarks.
    pub(super) exact: usize,
    /// The landmarks of a fit that is not exact.
    pub(super) landmarks: usize,
}

/// How a candidate takes the numeric columns.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct View {
    pub(super) shape: Shape,
    /// Whether columns are weighted by a learned metric.
    pub(super) has_metric: bool,
}

impl Candidate {
    /// The settings of a fit of this candidate.
    pub(super) fn training(&self, common: &Training) -> Training {
        let mut training = Training { folds: None, contest: None, metric: None, ..common.clone() };
        if let Some((name, value)) = &self.setting {
            training = training.set(*name, value.clone());
        }
        training.method(self.method)
    }

    /// The number of landmarks for this many training rows; `None` for an exact fit.
    pub(super) const fn landmarks(&self, rows: usize) -> Option<usize> {
        if rows <= self.exact { None } else { Some(self.landmarks) }
    }

    /// The candidate in words, without its kernel.
    pub(super) fn description(&self) -> String {
        let mut words = self.method.name().to_string();
        if let Some((name, value)) = &self.setting {
            words.push_str(&format!(" {name}={value}"));
        }
        if self.relative_lambda.ln().abs() > 0.0 {
            words.push_str(&format!(" lambda x {}", self.relative_lambda));
        }
        if self.landmarks != LANDMARKS {
            words.push_str(&format!(" landmarks={}", self.landmarks));
        }
        let View { shape, has_metric } = self.view;
        let parts = [
            (shape == Shape::Ranks, ", ranks"),
            (has_metric, ", learned metric"),
            (self.has_logarithms, ", logarithms of the target"),
        ];
        parts.into_iter().filter(|part| part.0).for_each(|part| words.push_str(part.1));
        words
    }

    /// How far the settings are from the middle of what is tried: those in the middle come first.
    fn distance(&self) -> f64 {
        let middle = match self.method {
            Method::Svm => SVM_PENALTIES[1],
            Method::Logistic => LOGISTIC_PENALTIES[1],
            _ => NEIGHBORS[0] as f64,
        };
        let setting = self.setting.as_ref().and_then(|(_, value)| value.as_f64());
        let of_setting = setting.map_or(0.0, |value| (value / middle).ln().abs());
        self.scale.ln().abs() + 0.5 * of_setting
    }
}

/// A kernel of the numeric columns with the scales that are tried.
type Scales = (&'static str, &'static [f64]);

const WIDE: &[f64] = &[0.1, 0.3, 1.0, 3.0];
const NARROW: &[f64] = &[0.3, 1.0, 3.0];
const SMOOTH: &[f64] = &[0.1, 0.3, 1.0];
const ONE: &[f64] = &[1.0];

/// Kernels by how they take the columns, and by method.
const RIDGE: [&[Scales]; 4] = [
    &[
        ("rbf", WIDE),
        ("laplacian", WIDE),
        ("exponential", NARROW),
        ("matern32", NARROW),
        ("rational_quadratic", NARROW),
        ("linear", ONE),
    ],
    &[("rbf", NARROW), ("matern32", NARROW), ("exponential", NARROW), ("laplacian", NARROW)],
    &[("rbf", SMOOTH), ("laplacian", WIDE), ("exponential", NARROW), ("linear", ONE)],
    &[("matern32", SMOOTH), ("laplacian", NARROW)],
];
const SVM: [&[Scales]; 4] = [
    &[("rbf", WIDE), ("laplacian", WIDE), ("exponential", NARROW)],
    &[("rbf", NARROW), ("laplacian", NARROW)],
    &[("rbf", SMOOTH), ("laplacian", WIDE)],
    &[("laplacian", NARROW)],
];
const LOGISTIC: [&[Scales]; 4] = [
    &[("linear", ONE), ("rbf", NARROW), ("laplacian", &[0.3, 1.0])],
    &[("rbf", &[0.3, 1.0]), ("laplacian", &[0.3, 1.0])],
    &[("linear", ONE), ("laplacian", NARROW)],
    &[("laplacian", &[0.3, 1.0])],
];
const RIDGE_ON_CLASSES: [&[Scales]; 4] = [
    &[("rbf", NARROW), ("laplacian", NARROW), ("exponential", NARROW)],
    &[("matern32", NARROW), ("laplacian", NARROW)],
    &[("rbf", SMOOTH), ("laplacian", NARROW)],
    &[("laplacian", NARROW)],
];
/// Support vector regression, for absolute errors.
const TUBE: [&[Scales]; 4] = [
    &[("rbf", NARROW), ("laplacian", NARROW)],
    &[("rbf", NARROW), ("laplacian", NARROW)],
    &[("laplacian", NARROW)],
    &[],
];
/// The order of neighbours by any radial kernel is that of their distances.
const NEAREST: [&[Scales]; 4] = [&[("rbf", ONE)]; 4];

const SVM_PENALTIES: &[f64] = &[1.0, 10.0, 100.0];
const LOGISTIC_PENALTIES: &[f64] = &[1e-2, 1e-3, 1e-4];
const NEIGHBORS: &[u64] = &[5, 15];

/// The views, in the order of the tables above.
const VIEWS: [View; 4] = [
    View { shape: Shape::Plain, has_metric: false },
    View { shape: Shape::Plain, has_metric: true },
    View { shape: Shape::Ranks, has_metric: false },
    View { shape: Shape::Ranks, has_metric: true },
];

/// The largest number of rows that a method is fitted to exactly in this many seconds of a processor.
fn exact_rows(method: Method, seconds: f64, classes: usize) -> usize {
    /// n³ operations take a few seconds for 5000 rows.
    const RIDGE: f64 = 1500.0;
    /// n² values of the kernel, several times each.
    const MACHINE: f64 = 1800.0;
    const MOST_MACHINE: f64 = 50_000.0;
    const FEW_CLASSES: usize = 4;
    let rows = match method {
        Method::Ridge => (RIDGE * seconds.cbrt()).clamp(2000.0, 12_000.0),
        // Each of its steps factorises a matrix.
        Method::Logistic => 1000.0,
        // A pair of many classes has few rows, whereas landmarks serve each class against all.
        Method::Svm if classes > FEW_CLASSES => MOST_MACHINE,
        Method::Svm => (MACHINE * seconds.sqrt()).clamp(3000.0, MOST_MACHINE),
        _ => return usize::MAX,
    };
    rows as usize
}

/// All candidates for these columns and this task, restricted to the kernel and the method that are
/// set; those in the middle of their settings come first.
pub(super) fn candidates(
    training: &Training,
    schema: &Schema,
    goal: &Goal,
    budget: Duration,
) -> Vec<Candidate> {
    let seconds = budget.as_secs_f64() * threads() as f64;
    let real = |name: &'static str, values: &[f64]| -> Vec<_> {
        values.iter().map(|&value| Some((name, Setting::Real(value)))).collect()
    };
    let neighbors = NEIGHBORS.iter().map(|&k| Some(("neighbors", Setting::Count(k)))).collect();
    let machines = || real("c", SVM_PENALTIES);
    let near = (Method::Neighbors, NEAREST, neighbors);
    let methods: Vec<(Method, [&[Scales]; 4], Vec<_>)> = match (training.task, goal.metric) {
        (Task::Classify, _) => vec![
            (Method::Svm, SVM, machines()),
            (Method::Logistic, LOGISTIC, real("lambda", LOGISTIC_PENALTIES)),
            (Method::Ridge, RIDGE_ON_CLASSES, vec![None]),
            near,
        ],
        (_, Metric::Mae) => {
            vec![(Method::Ridge, RIDGE, vec![None]), (Method::Svm, TUBE, machines()), near]
        }
        _ => vec![(Method::Ridge, RIDGE, vec![None]), near],
    };
    let is_set = |name: &str| training.settings.iter().any(|(set, _)| set == name);
    let mut all: Vec<Candidate> = Vec::new();
    for (method, tables, settings) in methods {
        if training.method.is_some_and(|only| only != method) {
            continue;
        }
        for (view, kernels) in
            VIEWS.into_iter().zip(tables).filter(|(view, _)| view.suits(schema, goal))
        {
            for (kernel, scale) in kernels_of(training, schema, kernels) {
                for setting in &settings {
                    let candidate = Candidate {
                        kernel: kernel.clone(),
                        scale,
                        view,
                        has_logarithms: false,
                        method,
                        // What is set applies to all candidates, so that some become equal.
                        setting: setting.clone().filter(|(name, _)| !is_set(name)),
                        relative_lambda: 1.0,
                        exact: exact_rows(method, seconds, goal.classes().len()),
                        landmarks: LANDMARKS,
                    };
                    if !all.contains(&candidate) {
                        all.push(candidate);
                    }
                }
            }
        }
    }
    if goal.suits_logarithms() {
        let logarithms = |c: &Candidate| Candidate { has_logarithms: true, ..c.clone() };
        let of_ridge = all.iter().filter(|candidate| candidate.method == Method::Ridge);
        let more: Vec<Candidate> = of_ridge.map(logarithms).collect();
        all.extend(more);
    }
    all.sort_by(|a, b| a.distance().total_cmp(&b.distance()));
    all
}

impl View {
    /// Returns true if the columns and the targets suit this view.
    pub(super) fn suits(self, schema: &Schema, goal: &Goal) -> bool {
        let columns = schema.numbers().count();
        // A metric weights columns against each other.
        let has_metric = columns > 1 && super::relevance::suits(goal);
        let has_ranks = columns > 0;
        (has_metric || !self.has_metric) && (has_ranks || self.shape == Shape::Plain)
    }
}

impl Goal {
    /// Returns true if the targets are non-negative, and skewed to the right.
    pub(super) fn suits_logarithms(&self) -> bool {
        /// The skewness of a standard exponential distribution is 2.
        const SKEWED: f64 = 1.0;
        let Targets::Values(values) = &self.targets else { return false };
        let n = values.len() as f64;
        let mean = values.iter().sum::<f64>() / n;
        let moment = |power| values.iter().map(|y| (y - mean).powi(power)).sum::<f64>() / n;
        values.iter().all(|&y| y >= 0.0) && moment(3) > SKEWED * moment(2).powf(1.5)
    }
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
