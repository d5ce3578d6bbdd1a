//! The report of a fit: evidence that its result is correct.
//!
//! A [`Report`] holds what every solver provides: status, iterations, objective, and the duality
//! gap if the problem has one. The [`Details`] hold further evidence, with one struct per kind of
//! solver.

use crate::Error;
use crate::plan::{Algorithm, Plan};
use serde::{Deserialize, Serialize};
use std::fmt;

/// The reason why a fit ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub enum Status {
    /// The problem is solved: the duality gap is within the tolerance relative to the objective, or
    /// is pure rounding error in a problem whose optimum is zero. For problems without a gap, the
    /// page of the solver documents its rule.
    Converged,
    /// The optimality conditions of an SVM hold within the tolerance, which is LIBSVM's stopping
    /// rule, but the duality gap exceeds its own tolerance. It is within a hundredth of the
    /// objective.
    ConvergedByViolation,
    /// All requested iterations were completed.
    IterationsDone,
    /// The loss on held-out points stopped decreasing; the model is the one at its minimum.
    EarlyStopped,
    /// Rounding prevents further progress; the certificate states the accuracy reached.
    Stalled,
    /// The observer ended the fit; the model is the one reached so far.
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
    /// The reason why the fit ended.
    pub status: Status,
    /// The number of iterations (1 for a direct method).
    pub iterations: usize,
    /// The objective at the solution, summed over outputs; each solver documents its objective.
    pub objective: f64,
    /// The duality gap, an upper bound on the distance of the objective from its optimum, if
    /// available.
    pub gap: Option<f64>,
    /// Further evidence, specific to the kind of solver.
    pub details: Details,
}

impl Status {
    /// Returns true if the stopping rule of the solver was met, if only by the optimality
    /// conditions.
    #[must_use]
    pub const fn has_converged(self) -> bool {
        matches!(self, Self::Converged | Self::ConvergedByViolation)
    }

    /// The status of several problems solved together: the first that did not converge, otherwise
    /// the weaker rule.
    pub(crate) fn joined(all: impl IntoIterator<Item = Self>) -> Self {
        let weaker = |one: Self, next: Self| match (one.has_converged(), next.has_converged()) {
            (true, false) => next,
            (true, true) if one == Self::Converged => next,
            _ => one,
        };
        all.into_iter().reduce(weaker).unwrap_or(Self::Converged)
    }
}

impl Report {
    /// The report of a fit without iterations and objective, for example one that only stores its
    /// points.
    #[must_use]
    pub const fn direct() -> Self {
        Self::new(Status::Converged, 1, 0.0, None)
    }

    /// Replaces the details.
    pub(crate) fn with_details(self, details: Details) -> Self {
        Self { details, ..self }
    }

    /// The report of a fit that has no details.
    #[must_use]
    pub const fn new(status: Status, iterations: usize, objective: f64, gap: Option<f64>) -> Self {
        Self { status, iterations, objective, gap, details: Details::None }
    }

    /// The status of a problem solved by a direct method: converged if the gap is at most this
    /// fraction of the objective, otherwise stalled by rounding.
    pub(crate) fn within(self, relative: f64) -> Self {
        let closed = self.gap.is_some_and(|gap| gap <= relative * self.objective);
        Self { status: if closed { Status::Converged } else { Status::Stalled }, ..self }
    }

    /// Rejects non-finite values: sums over points with huge targets or weights may overflow, and
    /// the fit is then unverified. The gap may be infinite unless the fit has converged.
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

    /// The report of two problems solved in sequence: sums, and the status of the first that did
    /// not converge.
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

/// Evidence specific to one kind of solver.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub enum Details {
    /// No further evidence.
    #[default]
    None,
    /// Details of a perceptron.
    Perceptron(PerceptronDetails),
    /// The space chosen by a plan.
    Planned(Planned),
    /// Details of k-means.
    KMeans(KMeansDetails),
    /// Details of an SVM.
    Svm(SvmDetails),
    /// Details of a Gaussian process.
    GaussianProcess(GaussianProcessDetails),
    /// Details of a recursive feature machine.
    FeatureMachine(FeatureMachineDetails),
    /// Details of a mixture of ridge regressors.
    RidgeMixture(RidgeMixtureDetails),
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

/// Details of a perceptron, for one fit or for all updates so far.
///
/// # Examples
/// The bound R²‖f*‖² on the number of mistakes, with f* from an SVM:
/// ```
/// use kern_core::{Samples, kernels::Rbf};
/// use kern_solvers::{Details, Status, perceptron::Perceptron, svm::Svc};
/// let x = Samples::from_rows(&[[0.0], [1.0], [2.0], [3.0]])?;
/// let y = [false, true, false, true];
/// let model = Perceptron::on_kernel(Rbf::new(1.0)?).fit(&x, &y)?;
/// assert_eq!(model.report().status, Status::Converged);
/// let Details::Perceptron(details) = &model.report().details else { unreachable!() };
/// assert_eq!(details.mistakes_per_pass.last(), Some(&0));
/// let svm = Svc::on_kernel(Rbf::new(1.0)?).c(f64::INFINITY).intercept(false).fit(&x, &y)?;
/// let squared_norm: f64 = (0..4).map(|i| svm.decision().coefficients()[(i, 0)]).map(f64::abs).sum();
/// assert!(details.mistakes as f64 <= details.squared_radius * squared_norm);
/// # Ok::<(), kern_solvers::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct PerceptronDetails {
    /// Mistakes in each epoch of the last fit or update.
    pub mistakes_per_pass: Vec<usize>,
    /// The number of visited points, over all epochs and updates.
    pub steps: usize,
    /// Mistakes over all epochs and updates.
    pub mistakes: usize,
    /// The number of steps whose point was projected.
    pub projected: usize,
    /// The number of support vectors removed to make room for others.
    pub removed: usize,
    /// The steps at which the support vectors were visited: their indices in the training set,
    /// followed by those of updates. Under a budget with removal, a point may occur more than once.
    /// Empty on features.
    pub support: Vec<usize>,
    /// ‖f‖² of the last function, summed over functions. With an intercept, in the feature space of
    /// K + 1.
    pub squared_norm: f64,
    /// R², the largest β²K(x, x) over points with weights β; with an intercept β²(K(x, x) + 1).
    pub squared_radius: f64,
}

/// The method chosen by a fit in the space [`Auto`](crate::space::Auto).
///
/// # Examples
/// See [`Auto`](crate::space::Auto).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Planned {
    /// The method.
    pub algorithm: Algorithm,
    /// A readable reason, with seconds on [`Machine::NOMINAL`](crate::plan::Machine::NOMINAL).
    pub reason: String,
    /// The number of landmarks, if used.
    pub landmarks: Option<usize>,
    /// The excess objective due to landmarks, if the solver estimates it.
    pub excess: Option<Excess>,
}

impl Planned {
    /// The requested method if the plan has it, otherwise the recommended one, or `fallback` if
    /// none is within the limits; with `landmarks` landmarks if it uses them.
    pub(crate) fn of(
        plan: &Plan,
        asked: Option<Algorithm>,
        fallback: Algorithm,
        landmarks: usize,
    ) -> Result<Self, Error> {
        if let Some(algorithm) = asked.filter(|&algorithm| plan.prediction(algorithm).is_none()) {
            return Err(Error::NoSuchAlgorithm { algorithm: algorithm.name() });
        }
        let reason = match asked {
            Some(_) => "The way that was asked for.",
            None => plan.reason(),
        };
        let algorithm = asked.or(plan.recommended()).unwrap_or(fallback);
        let landmarks = (algorithm == Algorithm::Landmarks).then_some(landmarks);
        Ok(Self { algorithm, reason: reason.to_owned(), landmarks, excess: None })
    }
}

/// An estimate of the cost of an approximation: the duality gap of the exact kernel problem at the
/// function learned on landmarks.
///
/// # Definition
/// The gap G = J(f) − D(a) ≥ J(f) − min J of the exact problem needs aᵀKa, which takes n² kernel
/// values. Rows of K are sampled instead: the estimate is unbiased for G, which is itself an upper
/// bound on the excess objective. `standard_error` is that of the estimate.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Excess {
    /// The estimate of G, summed over outputs, in the unit of the objective.
    pub estimate: f64,
    /// Its standard error; 0 if all rows were used.
    pub standard_error: f64,
    /// The number of sampled rows.
    pub sampled: usize,
}

impl Excess {
    pub(crate) const fn new(estimate: f64, standard_error: f64, sampled: usize) -> Self {
        Self { estimate, standard_error, sampled }
    }
}

/// The history of k-means: of the best run, except for counts over all runs.
///
/// # Examples
/// ```
/// use kern_core::{Samples, kernels::Linear};
/// use kern_solvers::{Status, kmeans::KMeans};
/// let x = Samples::from_rows(&[[0.0], [1.0], [5.0], [6.0]])?;
/// let model = KMeans::on_kernel(Linear, 2).lower_bound(true).fit(&x)?;
/// let report = model.report();
/// assert_eq!(report.status, Status::Converged);
/// assert!((report.objective - 1.0).abs() < 1e-12); // 4 · 0.5²
/// let details = report.details.k_means().ok_or(kern_solvers::Error::Empty)?;
/// assert!(details.lower_bound.is_some_and(|bound| bound <= report.objective));
/// assert!(details.objectives.is_sorted_by(|a, b| a >= b));
/// # Ok::<(), kern_solvers::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct KMeansDetails {
    /// The objective of the initial clusters and after each iteration; for soft clusters the free
    /// energy. It never increases. Empty for mini-batches.
    pub objectives: Vec<f64>,
    /// The mean of ‖φ(x) − μ‖² over each mini-batch before the centres move. It fluctuates with the
    /// batches.
    pub batch_objectives: Vec<f64>,
    /// The number of points of positive weight reassigned in each iteration.
    pub reassigned: Vec<usize>,
    /// The number of times that an empty cluster was moved to the farthest point.
    pub reseeded: usize,
    /// The number of clusters without a point of positive weight. They remain if there are fewer
    /// distinct points than clusters, or if no point is near.
    pub empty: usize,
    /// The indices of the initial centres; empty if initial labels were given.
    pub seeds: Vec<usize>,
    /// The index of the best restart, from 0.
    pub run: usize,
    /// The number of kernel evaluations over all runs; 0 on features.
    pub kernel_values: u64,
    /// The number of distances between points and centres computed over all runs.
    pub distances: u64,
    /// A lower bound on the objective of any clustering, if requested.
    pub lower_bound: Option<f64>,
}

/// The details of an SVM fit. For several problems: sums, and the largest violation and rounding
/// error.
///
/// # Examples
/// ```
/// use kern_core::{Samples, kernels::Rbf};
/// use kern_solvers::{Status, svm::Svc};
/// let x = Samples::from_rows(&[[0.0], [1.0], [2.0], [3.0]])?;
/// let model = Svc::on_kernel(Rbf::new(0.5)?).fit(&x, &[false, false, true, true])?;
/// let (report, details) = (model.report(), model.report().svm().unwrap());
/// assert_eq!(report.status, Status::Converged);
/// assert!(details.violation <= 1e-3 && report.gap.is_some_and(|gap| gap >= 0.0));
/// assert!((report.objective - details.dual - report.gap.unwrap()).abs() < 1e-12);
/// assert_eq!(details.support.len(), 4);
/// # Ok::<(), kern_solvers::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct SvmDetails {
    /// The dual objective: LIBSVM's `obj` with the opposite sign.
    pub dual: f64,
    /// The violation of the optimality conditions by the model, in units of the margin: m − M of
    /// Keerthi et al.
    pub violation: f64,
    /// A bound on the rounding error of the function values, caused by rounding of kernel values or
    /// features; violation, gap and dual objective refer to the values as computed. A fit whose
    /// violation may be hidden by this error has stalled.
    pub rounding_error: f64,
    /// The number of working sets; on features the number of epochs over the active coefficients.
    pub rounds: usize,
    /// The training points with a nonzero coefficient, grouped by class and in order within each
    /// class.
    pub support: Vec<usize>,
    /// The number of coefficients at a bound ±Cᵢ.
    pub bounded: usize,
    /// The half-width of each function's tube, margin or ball: ε of regression, ρ of
    /// ν-classification before scaling, or the radius R.
    pub widths: Vec<f64>,
}

impl Report {
    /// The details of an SVM, if the model is one.
    #[must_use]
    pub const fn svm(&self) -> Option<&SvmDetails> {
        match &self.details {
            Details::Svm(details) => Some(details),
            _ => None,
        }
    }
}

/// Details of the hyper-parameter optimisation of a Gaussian process.
///
/// # Examples
/// ```
/// use kern_core::{Samples, kernels::Rbf};
/// use kern_solvers::{Details, gaussian_process::GaussianProcess};
/// let x = Samples::from_rows(&[[0.0], [1.0], [2.0], [3.0]])?;
/// let process = GaussianProcess::on_kernel(Rbf::new(1.0)?).restarts(2);
/// let model = process.fit(&x, &[0.0_f64, 1.0, 0.5, -0.5])?;
/// let Details::GaussianProcess(details) = &model.report().details else { panic!() };
/// assert_eq!(details.objectives.len(), 3);
/// assert!(details.objectives.iter().all(|&objective| objective >= model.report().objective - 1e-9));
/// # Ok::<(), kern_solvers::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct GaussianProcessDetails {
    /// The final objective of each search; the largest float if it was undefined at the start.
    pub objectives: Vec<f64>,
    /// The index of the search whose parameters were selected.
    pub search: usize,
    /// The number of evaluations of the objective and its gradient, over all searches.
    pub evaluations: usize,
}

/// The iterations of a recursive feature machine, leaf by leaf.
///
/// # Examples
/// ```
/// use kern_core::{Samples, kernels::Rbf};
/// use kern_solvers::{Details, feature_machine::FeatureMachine};
/// let x = Samples::from_row_major(1, (0..20).map(f64::from).collect())?;
/// let y: Vec<f64> = (0..20).map(|i| (f64::from(i) / 3.0).sin()).collect();
/// let model = FeatureMachine::on_kernel(Rbf::new(0.1)?).rounds(2).fit(&x, &y)?;
/// let Details::FeatureMachine(details) = &model.report().details else { unreachable!() };
/// let leaf = &details.leaves[0];
/// // None, two of a full matrix, and two of a diagonal.
/// assert_eq!((leaf.points, leaf.rounds.len()), (20, 5));
/// let best = leaf.rounds[leaf.best].validation_error;
/// assert!(leaf.rounds.iter().all(|round| round.validation_error >= best));
/// # Ok::<(), kern_solvers::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct FeatureMachineDetails {
    /// The leaves; one, unless the points were partitioned.
    pub leaves: Vec<LeafRounds>,
}

/// The iterations on a leaf.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct LeafRounds {
    /// The number of points of positive weight.
    pub points: usize,
    /// The iterations, kernel by kernel, each beginning with M = I; those with diagonal matrices
    /// follow those with full ones.
    pub rounds: Vec<FeatureRound>,
    /// The index of the best iteration, whose function is used unless iterations are stacked.
    pub best: usize,
}

/// One iteration: the parameters with the smallest leave-one-out error, and its evaluation.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct FeatureRound {
    /// The index of its kernel.
    pub kernel: usize,
    /// True if M is a diagonal matrix.
    pub diagonal: bool,
    /// λ, per sample.
    pub lambda: f64,
    /// The factor of distances.
    pub spread: f64,
    /// The root mean squared leave-one-out residual, weighted, summed over outputs.
    pub error: f64,
    /// The same error on targets not used for M, by cross-validation of all preceding iterations;
    /// `error` without folds.
    pub validation_error: f64,
    /// Its weight in the fitted function.
    pub weight: f64,
}

impl From<FeatureMachineDetails> for Details {
    fn from(details: FeatureMachineDetails) -> Self {
        Self::FeatureMachine(details)
    }
}

/// The history of the best run of a mixture.
///
/// # Examples
/// ```
/// use kern_core::{Samples, kernels::Linear};
/// use kern_solvers::{Status, ridge_mixture::RidgeMixture};
/// let x = Samples::from_row_major(1, (1..=12).map(f64::from).collect())?;
/// let y: Vec<f64> = (1..=12).map(|i| f64::from(i) * if i % 2 == 0 { 1.0 } else { -1.0 }).collect();
/// let model = RidgeMixture::on_kernel(Linear, 2).lambda(0.1).fit(&x, &y)?;
/// let report = model.report();
/// assert_eq!(report.status, Status::Converged);
/// let details = report.details.ridge_mixture().ok_or(kern_solvers::Error::Empty)?;
/// assert!(details.objectives.is_sorted_by(|a, b| a >= b) && details.empty == 0);
/// # Ok::<(), kern_solvers::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct RidgeMixtureDetails {
    /// The objective after each iteration, the negative penalised likelihood. It never increases.
    pub objectives: Vec<f64>,
    /// The index of the best restart, from 0.
    pub run: usize,
    /// The number of components whose variance is at its lower bound.
    pub floored: usize,
    /// The number of components without responsible points.
    pub empty: usize,
}
