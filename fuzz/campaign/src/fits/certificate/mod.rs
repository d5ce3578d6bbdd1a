//! Convergence, recomputed from the model alone in twice the digits.
//!
//! A report says how far the objective is from its optimum, for kernel values in the precision of the points. Here the gap is
//! that of the coefficients and the intercept which the model has, for exact kernel values. It may be greater than the
//! reported one, or than the tolerance, by what the rounding of kernel values explains: with ε(x, y) for the error of a
//! kernel value ([`exact`]) and s support vectors, a value of the function has an error of at most
//!
//! eᵢ = Σⱼ |αⱼ|(ε(xᵢ, xⱼ) + (s + 8)u|K(xᵢ, xⱼ)|) + 8u₆₄(|yᵢ| + |f(xᵢ)| + |b|),
//!
//! where the second term is that of a sum of s products. `ridge`, `logistic` and `machine` say how that moves their gap.

mod exact;
mod logistic;
mod machine;
mod ridge;
mod span;

use super::function::Expansion;
use super::problem::Problem;
use super::readable::Readable;
use super::trial::{Fitted, Trial};
use exact::Exact;
use kern_core::parameters::{Parameter, Setting};
use kern_core::{Parameters, Scalar};
use kern_solvers::Report;
use kern_solvers::model::{Classifier, NoveltyDetector, ProbabilisticClassifier, Regressor};
use span::Span;

/// The losses of a problem.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Losses {
    Squares,
    Logistic,
    Hinges,
    Tube,
    Region,
}

/// A model of one function on a kernel.
pub(super) trait Certified<T: Scalar> {
    fn function(&self) -> &Expansion<T>;
}

macro_rules! certified {
    ($($model:ty),+) => {$(
        impl<T: Scalar> Certified<T> for $model {
            fn function(&self) -> &Expansion<T> {
                self.decision()
            }
        }
    )+};
}
certified!(
    Regressor<Expansion<T>>,
    Classifier<Expansion<T>, u8>,
    ProbabilisticClassifier<Expansion<T>, u8>,
    NoveltyDetector<Expansion<T>>
);

/// The least objective that is judged.
const SMALLEST: f64 = 1e-250;

/// A gap in twice the digits, and those that are allowed.
#[derive(Clone, Copy, Debug)]
struct Verdict {
    gap: f64,
    /// The objective.
    objective: f64,
    /// The greatest gap that the report explains.
    reported: f64,
    /// The greatest gap of a problem that is solved.
    solved: f64,
}

/// The given part of a problem, and the report of its solution.
struct Given<'g, T: Scalar> {
    problem: &'g Problem<T>,
    parameters: &'g [Parameter],
    report: &'g Report,
    losses: Losses,
}

impl<T: Scalar> Given<'_, T> {
    fn real(&self, name: &str) -> Option<f64> {
        let parameter = self.parameters.iter().find(|parameter| parameter.name == name);
        parameter.and_then(|parameter| parameter.value.as_f64())
    }

    fn flag(&self, name: &str) -> bool {
        let parameter = self.parameters.iter().find(|parameter| parameter.name == name);
        parameter.is_some_and(|parameter| parameter.value == Setting::Flag(true))
    }

    fn has_class_weights(&self) -> bool {
        let is_it = |parameter: &&Parameter| parameter.name == "class_weights";
        let parameter = self.parameters.iter().find(is_it);
        parameter.is_some_and(|parameter| parameter.value != Setting::from("equal"))
    }

    fn weight(&self, i: usize) -> f64 {
        self.problem.weights.as_ref().map_or(1.0, |weights| weights[i])
    }

    /// The number that a point is fitted to: its value, or ±1 for the greater and the smaller class.
    fn target(&self, i: usize) -> f64 {
        match self.losses {
            Losses::Squares | Losses::Tube => self.problem.values[i].to_f64(),
            Losses::Region => 0.0,
            Losses::Logistic | Losses::Hinges => {
                let smallest = self.problem.labels.iter().min();
                if Some(&self.problem.labels[i]) == smallest { -1.0 } else { 1.0 }
            }
        }
    }
}

/// Checks a fit, if its kernel and its problem are among those that are known.
pub(super) fn check<T, M>(trial: &mut Trial<'_, '_, T>, losses: Losses, fitted: Option<Fitted<M>>)
where
    T: Scalar,
    M: Certified<T> + Readable<T>,
{
    let Some(Fitted { model, parameters }) = fitted else { return };
    let (function, report) = (model.function(), model.report());
    let given = Given { problem: trial.problem, parameters: &parameters, report, losses };
    let [intercept] = function.intercepts() else { return };
    let intercept = intercept.to_f64();
    let Some(kernel) = exact(function) else { return };
    if given.has_class_weights() {
        return;
    }
    let span = Span::new(&given, function, kernel);
    let Some(span) = span.filter(Span::is_finite) else { return };
    let verdict = match losses {
        Losses::Squares => ridge::verdict(&given, &span, intercept),
        Losses::Logistic => logistic::verdict(&given, &span, intercept),
        Losses::Hinges | Losses::Tube | Losses::Region => {
            machine::verdict(&given, &span, intercept)
        }
    };
    let Some(verdict) = verdict else { return };
    judge(trial, report, &verdict);
}

fn judge<T: Scalar>(trial: &mut Trial<'_, '_, T>, report: &Report, verdict: &Verdict) {
    let Verdict { gap, objective, reported, solved } = *verdict;
    trial.case.note(format!("in twice the digits: {verdict:?}"));
    // Products of numbers near the least one have not twice the digits.
    if !(gap.is_finite() && objective.is_finite()) || objective.abs() < SMALLEST {
        return;
    }
    let sums = 64.0 * f64::EPSILON * objective.abs();
    let (reported, solved) = (reported + sums, solved + sums);
    let detail = format!("{report}; in twice the digits {objective:e} and {gap:e}");
    if report.gap.is_some_and(f64::is_finite) && gap > reported {
        let place = format!("gap of {}", trial.name);
        trial.case.find("certificate", place, format!("{detail}, explained {reported:e}"));
    } else if report.status.has_converged() && gap > solved {
        let place = format!("status of {}", trial.name);
        trial.case.find("certificate", place, format!("{detail}, allowed {solved:e}"));
    }
}

/// The kernel of a function, if it is one whose values are known.
fn exact<T: Scalar>(function: &Expansion<T>) -> Option<Exact> {
    let spec = function.kernel().spec();
    let text = spec.to_string();
    let real = |name| spec.parameter(name).and_then(|value| value.as_f64());
    if text == "linear" {
        Some(Exact::Linear)
    } else if text.starts_with("rbf(") && !text.contains([' ', '*']) {
        Some(Exact::Rbf { gamma: real("gamma")? })
    } else if text.starts_with("poly(") && !text.contains(['+', '*', '^']) {
        let degree = spec.parameter("degree")?.as_u64()?.try_into().ok()?;
        Some(Exact::Polynomial { degree, gamma: real("gamma")?, coef0: real("coef0")? })
    } else {
        None
    }
}
