//! The report of a fit: evidence that its answer is right.
//!
//! A [`Report`] holds what every solver can show: the end of the fit, its iterations, its objective,
//! and the duality gap where there is one. The [`Details`] hold what one kind of solver can show
//! beyond that, a struct for each kind.

use crate::Error;
use crate::plan::{Plan, Way};
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

/// Details of a perceptron, of a fit or of all updates so far.
///
/// # Examples
/// The bound R²‖f*‖² on mistakes, for the f* of a support vector machine:
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
    /// Mistakes in each pass of the last fit or update.
    pub mistakes_per_pass: Vec<usize>,
    /// Points that were visited, in all passes and updates.
    pub steps: usize,
    /// Mistakes in all passes and updates.
    pub mistakes: usize,
    /// Steps whose point was projected.
    pub projected: usize,
    /// Support vectors that made room for others.
    pub removed: usize,
    /// The times when the support vectors were seen: their indices among the points of the fit, followed by those of
    /// updates. Under a budget that removes, a point may be there more than once. Empty on features.
    pub support: Vec<usize>,
    /// ‖f‖² of the last function; of several functions the sum. With an intercept in the feature space of K + 1.
    pub squared_norm: f64,
    /// R², the greatest β²K(x, x) of the points, whose weights are β; with an intercept β²(K(x, x) + 1).
    pub squared_radius: f64,
}

/// The way that a fit in the space [`Auto`](crate::space::Auto) took.
///
/// # Examples
/// See [`Auto`](crate::space::Auto).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Planned {
    /// The way.
    pub way: Way,
    /// The reason in words, with seconds of [`Machine::NOMINAL`](crate::plan::Machine::NOMINAL).
    pub reason: String,
    /// The number of landmarks, where they were taken.
    pub landmarks: Option<usize>,
    /// The price of landmarks, where the solver knows it.
    pub excess: Option<Excess>,
}

impl Planned {
    /// The way that was asked for, if the plan has it, else the one that it recommends, or `least` if nothing is within the
    /// limits; `landmarks` of them if they are taken.
    pub(crate) fn of(
        plan: &Plan,
        asked: Option<Way>,
        least: Way,
        landmarks: usize,
    ) -> Result<Self, Error> {
        if let Some(way) = asked.filter(|&way| plan.prediction(way).is_none()) {
            return Err(Error::NoSuchWay { way: way.name() });
        }
        let reason = match asked {
            Some(_) => "The way that was asked for.",
            None => plan.reason(),
        };
        let way = asked.or(plan.recommended()).unwrap_or(least);
        let landmarks = (way == Way::Landmarks).then_some(landmarks);
        Ok(Self { way, reason: reason.to_owned(), landmarks, excess: None })
    }
}

/// An estimate of the price of an approximation: a duality gap of the problem on the kernel itself, at the function
/// that was learned on landmarks.
///
/// # Definition
/// The gap G = J(f) − D(a) ≥ J(f) − min J of the exact problem needs aᵀKa, which takes n² kernel values. Rows of K are
/// sampled instead: the estimate is unbiased for G, which is itself an upper bound on the price. `deviation` is the
/// standard error of the estimate.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Excess {
    /// The estimate of G, summed over outputs, in the unit of the objective.
    pub estimate: f64,
    /// Its standard error; 0 if all rows were used.
    pub deviation: f64,
    /// The number of rows.
    pub sampled: usize,
}

impl Excess {
    pub(crate) const fn new(estimate: f64, deviation: f64, sampled: usize) -> Self {
        Self { estimate, deviation, sampled }
    }
}

/// The course of k-means: of the best run, but for what is counted for all of them.
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
    /// The objective of the first clusters, and after each iteration; of soft clusters the free energy. It never rises.
    /// None with batches.
    pub objectives: Vec<f64>,
    /// The mean of ‖φ(x) − μ‖² over each batch, before it moves the centres. It rises and falls with the batches.
    pub batch_objectives: Vec<f64>,
    /// The points of positive weight that each iteration moved.
    pub moved: Vec<usize>,
    /// The number of times that a cluster without points was given the farthest one.
    pub reseeded: usize,
    /// Clusters without a point of positive weight, left where there are fewer different points than clusters, or none
    /// that is near.
    pub empty: usize,
    /// The indices of the points that the run started from; none if labels were given.
    pub seeds: Vec<usize>,
    /// The number of the restart that it was, from 0.
    pub run: usize,
    /// Kernel values that were computed, by all runs; 0 on features.
    pub kernel_values: u64,
    /// Distances between points and centres that were computed, by all runs.
    pub distances: u64,
    /// No clusters have a smaller objective, if that was asked for.
    pub lower_bound: Option<f64>,
}

/// The details of a fit by support vectors. Of several problems: sums, and the greatest violation and blur.
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
    /// The violation of the optimality conditions by the function of the model, in units of the margin: m − M of Keerthi et
    /// al.
    pub violation: f64,
    /// The error that rounding of kernel values, or of features, may leave in a value of the function: violation, gap and
    /// dual objective are those of the values as they were computed. A fit whose violation could hide behind it has stalled.
    pub blur: f64,
    /// Blocks of points that were worked on; on features passes over those coefficients that are still visited.
    pub rounds: usize,
    /// The points of the fit with a coefficient other than zero: of classes by class, in each in their order.
    pub support: Vec<usize>,
    /// Coefficients at a bound ±Cᵢ.
    pub bounded: usize,
    /// The half-width of each function's tube, margin or ball: ε of regression, ρ of ν-classification before scaling, the radius R.
    pub widths: Vec<f64>,
}

impl Report {
    /// The details of a support vector machine, if it was one.
    #[must_use]
    pub const fn svm(&self) -> Option<&SvmDetails> {
        match &self.details {
            Details::Svm(details) => Some(details),
            _ => None,
        }
    }
}

/// The searches for the parameters of a Gaussian process.
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
    /// The objective that each search ended with: the greatest number where its start had none.
    pub objectives: Vec<f64>,
    /// The search whose parameters were taken.
    pub search: usize,
    /// Evaluations of the objective and its gradient, of all searches.
    pub evaluations: usize,
}

/// The rounds of a recursive feature machine, leaf by leaf.
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
/// assert!(leaf.rounds.iter().all(|round| round.judged >= leaf.rounds[leaf.chosen].judged));
/// # Ok::<(), kern_solvers::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct FeatureMachineDetails {
    /// The leaves; one, unless the points were halved.
    pub leaves: Vec<LeafRounds>,
}

/// The rounds of a leaf.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct LeafRounds {
    /// The number of points of positive weight.
    pub points: usize,
    /// The rounds, kernel by kernel, of which the first is that of M = I; those of diagonals after those of full matrices.
    pub rounds: Vec<FeatureRound>,
    /// The index of the best round; the function is that of it, unless rounds are stacked.
    pub chosen: usize,
}

/// A round: what was chosen in it, by the least leave-one-out error, and how it is judged.
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
    /// The root of the mean of the squared leave-one-out residuals, weighted, summed over outputs.
    pub error: f64,
    /// The same of targets that M has not seen, from cross-validation of all rounds before; `error` without folds.
    pub judged: f64,
    /// Its weight in the function that was learned.
    pub weight: f64,
}

impl From<FeatureMachineDetails> for Details {
    fn from(details: FeatureMachineDetails) -> Self {
        Self::FeatureMachine(details)
    }
}

/// The course of the best run of a mixture.
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
    /// The objective after each round, the penalised likelihood with the opposite sign. It never rises.
    pub objectives: Vec<f64>,
    /// The number of the restart that it was, from 0.
    pub run: usize,
    /// Components whose variance is the least that is allowed.
    pub floored: usize,
    /// Components that no point is responsible for.
    pub empty: usize,
}
