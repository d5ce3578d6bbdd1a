//! The report of a fit: evidence that its answer is right.

mod feature_machine;
mod gaussian_process;
mod k_means;
mod perceptron;
mod planned;
mod ridge_mixture;
mod svm;

pub use feature_machine::{FeatureMachineDetails, FeatureRound, LeafRounds};
pub use gaussian_process::GaussianProcessDetails;
pub use k_means::KMeansDetails;
pub use perceptron::PerceptronDetails;
pub use planned::{Excess, Planned};
pub use ridge_mixture::RidgeMixtureDetails;
pub use svm::SvmDetails;

use crate::Error;
use serde::{Deserialize, Serialize};
use std::fmt;

/// The end of a fit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub enum Status {
    /// The problem is solved: the duality gap is within the tolerance that was asked for, relative to the objective, or is
    /// nothing but rounding of a problem whose optimum is zero. Where a problem has no gap, the solver's page has its rule.
    Converged,
    /// The optimality conditions of a support vector machine hold within the violation that was asked for, which is LIBSVM's
    /// rule, but the duality gap is not within the tolerance. It is within a hundredth of the objective.
    ConvergedByViolation,
    /// All iterations that were asked for have been done.
    IterationsDone,
    /// The loss of held-out points no longer fell; the model is that of its minimum.
    EarlyStopped,
    /// Rounding keeps the solver from coming closer than the certificate says.
    Stalled,
    /// The observer asked to stop; the model is what had been reached.
    Stopped,
}

/// The evidence of a fit.
///
/// # Examples
/// ```
/// use kern_core::{Samples, kernels::Rbf};
/// use kern_solvers::{Status, ridge::Ridge};
/// let x = Samples::from_rows(&[[0.0], [1.0], [2.0]])?;
/// let model = Ridge::on_kernel(Rbf::new(1.0)?).lambda(0.1).fit(&x, &[0.0_f64, 1.0, 0.0])?;
/// let report = model.report();
/// assert_eq!(report.status, Status::Converged);
/// assert!(report.gap.is_some_and(|gap| (0.0..1e-28).contains(&gap)));
/// # Ok::<(), kern_solvers::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Report {
    /// The end of the fit.
    pub status: Status,
    /// Iterations that were done (1 for a direct method).
    pub iterations: usize,
    /// The objective at the solution, summed over outputs; each solver says which one.
    pub objective: f64,
    /// The duality gap, a bound on how far the objective is from its optimum, where there is one.
    pub gap: Option<f64>,
    /// The evidence of this kind of solver beyond that.
    pub details: Details,
}

/// The evidence that one kind of solver has, and others have not.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub enum Details {
    /// Nothing more.
    #[default]
    None,
    /// Of a perceptron.
    Perceptron(PerceptronDetails),
    /// The choice of a space by a plan.
    Planned(Planned),
    /// Of k-means.
    KMeans(KMeansDetails),
    /// Of a support vector machine.
    Svm(SvmDetails),
    /// Of a Gaussian process.
    GaussianProcess(GaussianProcessDetails),
    /// Of a recursive feature machine.
    FeatureMachine(FeatureMachineDetails),
    /// Of a mixture of ridge regressors.
    RidgeMixture(RidgeMixtureDetails),
}

impl Status {
    /// Tells whether the rule of the solver was reached, if only by the optimality conditions.
    #[must_use]
    pub const fn has_converged(self) -> bool {
        matches!(self, Self::Converged | Self::ConvergedByViolation)
    }

    /// The status of several problems that are solved together: the first which did not converge, else the weaker rule.
    pub(crate) fn joined(all: impl IntoIterator<Item = Self>) -> Self {
        let weaker = |one: Self, next: Self| match (one.has_converged(), next.has_converged()) {
            (true, false) => next,
            (true, true) if one == Self::Converged => next,
            _ => one,
        };
        all.into_iter().reduce(weaker).unwrap_or(Self::Converged)
    }
}

impl Details {
    /// The details of k-means.
    #[must_use]
    pub const fn k_means(&self) -> Option<&KMeansDetails> {
        match self {
            Self::KMeans(details) => Some(details),
            _ => None,
        }
    }

    /// The details of a mixture of ridge regressors.
    #[must_use]
    pub const fn ridge_mixture(&self) -> Option<&RidgeMixtureDetails> {
        match self {
            Self::RidgeMixture(details) => Some(details),
            _ => None,
        }
    }
}

impl Report {
    /// The report of a fit without iterations and objective, such as one that only remembers its points.
    #[must_use]
    pub const fn direct() -> Self {
        Self::new(Status::Converged, 1, 0.0, None)
    }

    /// The same with these details.
    pub(crate) fn with_details(self, details: Details) -> Self {
        Self { details, ..self }
    }

    /// A report without details.
    #[must_use]
    pub const fn new(status: Status, iterations: usize, objective: f64, gap: Option<f64>) -> Self {
        Self { status, iterations, objective, gap, details: Details::None }
    }

    /// The status of a problem that was solved at once: it has converged if the gap is at most this share of the objective,
    /// else rounding is the cause.
    pub(crate) fn within(self, relative: f64) -> Self {
        let closed = self.gap.is_some_and(|gap| gap <= relative * self.objective);
        Self { status: if closed { Status::Converged } else { Status::Stalled }, ..self }
    }

    /// Refuses numbers that are none: sums over points with huge targets or weights may overflow, and then nothing is known
    /// of the fit. The gap may be infinite unless the fit says that it has converged.
    pub(crate) fn check(&self) -> Result<(), Error> {
        let (dual, violation) = self.svm().map_or((0.0, 0.0), |svm| (svm.dual, svm.violation));
        let (norm, radius) = match &self.details {
            Details::Perceptron(details) => (details.squared_norm, details.squared_radius),
            _ => (0.0, 0.0),
        };
        let numbers = [
            ("the objective", self.objective),
            ("the dual objective", dual),
            ("the violation", violation),
            ("the squared norm", norm),
            ("the squared radius", radius),
        ];
        if let Some((what, given)) = numbers.into_iter().find(|(_, given)| !given.is_finite()) {
            return Err(Error::Range { what, given });
        }
        let is_none =
            |gap: &f64| gap.is_nan() || (gap.is_infinite() && self.status.has_converged());
        match self.gap.filter(is_none) {
            Some(given) => Err(Error::Range { what: "the duality gap", given }),
            None => Ok(()),
        }
    }

    /// The report of two problems solved one after the other: sums, and the status of the first which did not converge.
    pub(crate) fn joined(&self, next: &Self) -> Self {
        Self {
            status: Status::joined([self.status, next.status]),
            iterations: self.iterations + next.iterations,
            objective: self.objective + next.objective,
            gap: self.gap.zip(next.gap).map(|(sum, gap)| sum + gap),
            details: self.details.clone(),
        }
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { status, iterations, objective, gap, .. } = self;
        let plural = if *iterations == 1 { "" } else { "s" };
        write!(f, "{status:?} after {iterations} iteration{plural}, objective {objective:.6e}")?;
        match gap {
            Some(gap) => write!(f, ", duality gap {gap:.1e}"),
            None => Ok(()),
        }
    }
}
