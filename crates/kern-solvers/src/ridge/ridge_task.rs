//! Predicted work, time and memory of ridge regression on a kernel, on landmarks and on features.

use super::ridge_on_features::is_iterated;
use super::ridge_regression::Settings;
use crate::design::Design;
use crate::plan::{
    Algorithm, Count, Effort, Machine, Open, Pace, Plan, Precision, Terms, Work, enough_landmarks,
    within,
};
use crate::{Error, Run};
use kern_approx::PivotedCholesky;
use kern_approx::landmarks::pivoted_preconditioner::bytes as preconditioner_bytes;
use kern_approx::statistics::NormalEquations;
use kern_core::{Mercer, Points, Positive, Scalar};
use kern_gram::{MemoryBudget, Representation, matrix_bytes};
use std::fmt;
use std::time::Duration;

/// Iterations on landmarks. Their number hardly depends on the problem, since the preconditioner is
/// computed from eight points per landmark.
const LANDMARK_ITERATIONS: f64 = 12.0;

/// Passes over the features in an iterative fit.
const FEATURE_PASSES: f64 = 20.0;

/// The sizes of a ridge regression problem.
///
/// # Definition
/// With v seconds per kernel value, f per flop, r per value read, c columns, t iterations with a
/// preconditioner of rank k, m landmarks and D features:
///
/// | algorithm | seconds |
/// |---|---|
/// | Cholesky | n²v + (n³/3)f |
/// | CG, stored | n²v + nkv + (2nk² + k³/3)f + n²r + t(n²r/2 + 2n²cf + 2nkr) |
/// | CG, recomputed | n²v/2 + nkv + (2nk² + k³/3)f + t(n²v/2 + 2n²cf + 2nkr) |
/// | landmarks | 3nmv + (nm² + 16m³)f + 14(nmr + 4nmcf) |
/// | features | 2nDv + (nD² + D³/3)f, or 2nDv + 9D³f + 20(nDr + 4nDcf) for many points |
///
/// All include the certificate. A feature counts as a kernel value.
///
/// # Examples
/// ```
/// use kern_gram::MemoryBudget;
/// use kern_solvers::{plan::{Machine, Precision, Algorithm}, ridge::RidgeTask};
/// let task = RidgeTask::new(20_000, 1, Precision::Double).gradients(500, 30.0);
/// let plan = task.plan(&MemoryBudget::mebibytes(8192), &Machine::NOMINAL)?;
/// assert_eq!(plan.recommended(), Some(Algorithm::StoredGradients));
/// let plan = task.plan(&MemoryBudget::mebibytes(512), &Machine::NOMINAL)?;
/// assert_eq!(plan.recommended(), Some(Algorithm::RecomputedGradients));
/// # Ok::<(), kern_solvers::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RidgeTask {
    points: usize,
    columns: usize,
    precision: Precision,
    /// The rank k of the preconditioner, and the iterations that it leaves.
    gradients: Option<(usize, f64)>,
    landmarks: Option<usize>,
    /// Their number, and whether they are exact.
    features: Option<(usize, bool)>,
}

impl RidgeTask {
    /// A problem with `points` (n) of positive weight and `columns` right-hand sides: one per
    /// output, and one more for an intercept.
    #[must_use]
    pub const fn new(points: usize, columns: usize, precision: Precision) -> Self {
        Self { points, columns, precision, gradients: None, landmarks: None, features: None }
    }

    /// n.
    #[must_use]
    pub const fn points(&self) -> usize {
        self.points
    }

    /// The rank k of the preconditioner; 0 if there is none.
    #[must_use]
    pub fn rank(&self) -> usize {
        self.gradients.map_or(0, |(rank, _)| rank)
    }

    /// The predicted number of iterations of conjugate gradients; 0 if they are not considered.
    #[must_use]
    pub fn iterations(&self) -> f64 {
        self.gradients.map_or(0.0, |(_, iterations)| iterations)
    }

    /// Sets the rank k of the preconditioner of conjugate gradients, and the predicted number of
    /// iterations with it. Default: conjugate gradients are not considered.
    #[must_use]
    pub const fn gradients(mut self, rank: usize, iterations: f64) -> Self {
        self.gradients = Some((rank, iterations));
        self
    }

    /// The same task with at most `most` iterations.
    pub(super) fn with_at_most(mut self, most: usize) -> Self {
        self.gradients = self.gradients.map(|(rank, number)| (rank, number.min(most as f64)));
        self
    }

    /// The number m of landmarks. Default: none.
    #[must_use]
    pub const fn landmarks(mut self, landmarks: usize) -> Self {
        self.landmarks = Some(landmarks);
        self
    }

    /// The number D of features with the kernel as their inner product. Default: none.
    #[must_use]
    pub const fn exact_features(mut self, features: usize) -> Self {
        self.features = Some((features, true));
        self
    }

    /// The number D of features with an inner product that approximates the kernel. Default: none.
    #[must_use]
    pub const fn approximate_features(mut self, features: usize) -> Self {
        self.features = Some((features, false));
        self
    }

    /// Predicts the seconds and bytes of each algorithm, and recommends the fastest exact one that
    /// fits the budget.
    ///
    /// # Errors
    /// [`Error::Count`] for no points or columns; [`Error::Core`] if a constant of the machine or
    /// the number of iterations is not positive.
    pub fn plan(&self, budget: &MemoryBudget, machine: &Machine) -> Result<Plan, Error> {
        self.plan_within(&Terms { budget, limit: None, open: Open::Exact }, machine)
    }

    /// The plan under the given terms.
    pub(super) fn plan_within(&self, terms: &Terms<'_>, machine: &Machine) -> Result<Plan, Error> {
        machine.check()?;
        for (name, given) in [("the number of points", self.points), ("columns", self.columns)] {
            if given == 0 {
                return Err(Error::Count { name, given, allowed: "at least 1" });
            }
        }
        if let Some((_, iterations)) = self.gradients {
            Positive::new("the number of iterations", iterations)?;
        }
        let pace = Pace::of(machine, self.precision, 0.0);
        let predictions = self.efforts().iter().map(|effort| effort.at(&pace)).collect();
        Ok(Plan::new(self.to_string(), predictions, terms))
    }

    /// The counted work of all algorithms.
    fn efforts(&self) -> Vec<Effort> {
        let mut efforts = vec![self.cholesky()];
        if let Some((rank, iterations)) = self.gradients {
            let effort = |stored| self.by_gradients(rank, iterations, stored);
            efforts.extend([true, false].map(effort));
        }
        efforts.extend(self.features.map(|(features, exact)| self.on_features(features, exact)));
        efforts.extend(self.landmarks.map(|landmarks| self.on_landmarks(landmarks)));
        efforts
    }

    /// True if this many landmarks fit the budget and the time limit, by counted work.
    pub(super) fn landmarks_fit(&self, landmarks: usize, terms: &Terms<'_>) -> bool {
        let prediction = self.on_landmarks(landmarks).at(&Pace::nominal(self.precision));
        let seconds = prediction.seconds();
        terms.budget.fits(prediction.bytes()) && terms.limit.is_none_or(|limit| seconds <= limit)
    }

    /// The seconds of the fastest algorithm on the kernel that fits, on the nominal machine.
    pub(super) fn nominal_seconds(&self, budget: &MemoryBudget) -> f64 {
        let pace = Pace::nominal(self.precision);
        let exact = Self { landmarks: None, features: None, ..*self };
        let fitting = exact.efforts().into_iter().filter(|effort| budget.fits(effort.bytes));
        fitting.map(|effort| effort.at(&pace).seconds()).fold(f64::INFINITY, f64::min)
    }

    /// n²/2.
    fn half(&self) -> f64 {
        (self.points as f64).powi(2) / 2.0
    }

    fn cholesky(&self) -> Effort {
        let parts = vec![
            (Work::KernelValues, Count::values(self.half())),
            (Work::Factors, Count::flops(self.half() * self.points as f64 / 1.5)),
            (Work::Objective, Count::values(self.half())),
        ];
        Effort { algorithm: Algorithm::Cholesky, parts, bytes: self.bytes(Algorithm::Cholesky, 0) }
    }

    /// The effort of an eigendecomposition. It is not part of a plan, since it serves all λ.
    pub(super) fn eigenvalues(&self) -> Effort {
        let n = self.points as f64;
        let parts = vec![
            (Work::KernelValues, Count::values(self.half())),
            (Work::Factors, Count::flops(9.0 * n.powi(3))),
        ];
        Effort { parts, ..self.cholesky() }
    }

    fn by_gradients(&self, rank: usize, iterations: f64, stored: bool) -> Effort {
        let (n, k, half) = (self.points as f64, rank as f64, self.half());
        let algorithm =
            if stored { Algorithm::StoredGradients } else { Algorithm::RecomputedGradients };
        let flops = 2.0 * n * k * k + k * k * k / 3.0;
        let factors = Count { kernel_values: n * k, flops, numbers: 0.0 };
        // What is stored is written before it is read.
        let (values, read, computed) = if stored { (half, half, 0.0) } else { (0.0, 0.0, half) };
        let products = Count {
            kernel_values: iterations * computed,
            flops: iterations * 4.0 * half * self.columns as f64,
            numbers: iterations * (read + 2.0 * n * k),
        };
        let parts = vec![
            (Work::KernelValues, Count::values(values)),
            (Work::Memory, Count::numbers(2.0 * read)),
            (Work::Factors, factors),
            (Work::Products, products),
            (Work::Objective, Count::values(half)),
        ];
        Effort { algorithm, parts, bytes: self.bytes(algorithm, rank) }
    }

    fn on_landmarks(&self, landmarks: usize) -> Effort {
        let (n, m, columns) = (self.points as f64, landmarks as f64, self.columns as f64);
        let (values, passes) = (n * m, LANDMARK_ITERATIONS + 2.0);
        let parts = vec![
            (Work::KernelValues, Count::values(3.0 * values)),
            (Work::Factors, Count::flops(values * m + 16.0 * m.powi(3))),
            (
                Work::Products,
                Count {
                    numbers: passes * values,
                    flops: passes * 4.0 * values * columns,
                    kernel_values: 0.0,
                },
            ),
        ];
        Effort {
            algorithm: Algorithm::Landmarks,
            parts,
            bytes: self.bytes(Algorithm::Landmarks, landmarks),
        }
    }

    fn on_features(&self, features: usize, exact: bool) -> Effort {
        let (n, d, columns) = (self.points as f64, features as f64, self.columns as f64);
        let algorithm = if exact { Algorithm::Features } else { Algorithm::ApproximateFeatures };
        let is_iterated = is_iterated(self.points, features, self.columns, false);
        let passes = if is_iterated { FEATURE_PASSES } else { 0.0 };
        let factors = if is_iterated { 9.0 * d.powi(3) } else { n * d * d + d.powi(3) / 3.0 };
        let products = Count {
            kernel_values: 0.0,
            flops: passes * 4.0 * n * d * columns,
            numbers: passes * n * d,
        };
        let parts = vec![
            (Work::Features, Count::values(n * d)),
            (Work::Factors, Count::flops(factors)),
            (Work::Products, products),
            (Work::Objective, Count::values(n * d)),
        ];
        Effort { algorithm, parts, bytes: self.bytes(algorithm, features) }
    }

    /// The memory for matrices; `size` is a rank, or the number of landmarks or features.
    fn bytes(&self, algorithm: Algorithm, size: usize) -> u64 {
        match self.precision {
            Precision::Single => bytes::<f32>(algorithm, self.points, size, self.columns),
            Precision::Double => bytes::<f64>(algorithm, self.points, size, self.columns),
        }
    }
}

impl fmt::Display for RidgeTask {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "n = {}, right-hand sides: {}", self.points, self.columns)?;
        if let Some((rank, iterations)) = self.gradients {
            write!(f, ", rank {rank} leaves {iterations:.0} iterations")?;
        }
        if let Some((features, _)) = self.features {
            write!(f, ", D = {features}")?;
        }
        if let Some(landmarks) = self.landmarks {
            write!(f, ", m = {landmarks}")?;
        }
        write!(f, ", f{}", 8 * self.precision.bytes())
    }
}

fn bytes<T: Scalar>(algorithm: Algorithm, n: usize, size: usize, columns: usize) -> u64 {
    match algorithm {
        Algorithm::Cholesky => matrix_bytes::<T>(n, n),
        Algorithm::StoredGradients => {
            let packed = Representation::Packed.bytes::<T>(n);
            packed.saturating_add(preconditioner_bytes::<T>(n, size))
        }
        Algorithm::Landmarks => {
            // The choice, or the iteration after it.
            let choice = PivotedCholesky::<T>::bytes(n, size);
            let roots = matrix_bytes::<f64>(size, size.saturating_mul(4));
            choice.saturating_add(roots)
        }
        Algorithm::Features | Algorithm::ApproximateFeatures => {
            NormalEquations::streaming_bytes::<T>(size, columns, n)
        }
        _ => preconditioner_bytes::<T>(n, size),
    }
}

/// The sizes of the problem, without a preconditioner.
pub(super) fn sizes_of<P: Points>(
    design: &Design<'_, P, dyn Mercer<P> + '_>,
    outputs: usize,
) -> RidgeTask {
    let columns = outputs + usize::from(design.intercept);
    RidgeTask::new(design.points().len(), columns, Precision::of::<P::Scalar>())
}

/// Settings, memory budget and time limit.
#[derive(Clone, Copy)]
pub(super) struct Means<'m> {
    pub(super) settings: &'m Settings,
    pub(super) budget: MemoryBudget,
    pub(super) limit: Option<Duration>,
}

impl<'m> Means<'m> {
    pub(super) fn new(settings: &'m Settings, run: &Run<'_>) -> Self {
        Self { settings, budget: run.budget(), limit: run.predicted_limit() }
    }

    /// Fails if all of these algorithms are predicted to exceed the time limit; the error suggests
    /// landmarks if they are faster.
    pub(super) fn check<P: Points, K: Mercer<P> + ?Sized>(
        &self,
        design: &Design<'_, P, K>,
        task: &RidgeTask,
        algorithms: &[Algorithm],
    ) -> Result<(), Error> {
        let mut efforts = task.with_at_most(self.settings.most()).efforts();
        efforts.retain(|effort| {
            algorithms.contains(&effort.algorithm) && self.budget.fits(effort.bytes)
        });
        self.check_efforts(design, task, &efforts)
    }

    /// The same check for any counted work.
    pub(super) fn check_efforts<P: Points, K: Mercer<P> + ?Sized>(
        &self,
        design: &Design<'_, P, K>,
        task: &RidgeTask,
        efforts: &[Effort],
    ) -> Result<(), Error> {
        if efforts.is_empty() {
            // Too little memory is an error where it is allocated.
            return Ok(());
        }
        let landmarks = enough_landmarks(design.points().len());
        let others = [(format!("{landmarks} landmarks"), task.on_landmarks(landmarks))];
        within((self.limit, &self.budget), &design.kernel, design.points(), efforts, &others)
    }
}
