//! A run: settings of one fit that do not affect its result.

use crate::Error;
use faer::MatRef;
use kern_gram::{MemoryBudget, interrupt};
use std::fmt;
use std::ops::ControlFlow;
use std::time::Duration;
use web_time::Instant;

/// The time that [`Auto`](crate::space::Auto) plans for if the run has no time limit.
const PLANNED: Duration = Duration::from_secs(60);

/// The settings of one fit: observer, memory, time limits and start.
///
/// # Examples
/// ```
/// use kern_core::{Samples, kernels::Rbf};
/// use kern_gram::MemoryBudget;
/// use kern_solvers::{Data, Learner, Progress, Run, Status, sgd::Sgd};
/// use std::ops::ControlFlow;
/// let x = Samples::from_rows(&[[0.0], [1.0]])?;
/// let mut stop = |p: &Progress| if p.iteration >= 100 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) };
/// let mut run = Run::new().observer(&mut stop).memory(MemoryBudget::mebibytes(16));
/// let sgd = Sgd::on_kernel(Rbf::new(1.0)?).epochs(1000);
/// let model = sgd.learn(&Data::new(&x, &["a", "b"])?, &mut run)?;
/// assert_eq!(model.report().status, Status::Stopped);
/// # Ok::<(), kern_solvers::Error>(())
/// ```
#[must_use]
pub struct Run<'r> {
    observer: Option<&'r mut dyn Observer>,
    memory: Option<MemoryBudget>,
    time_limit: Option<Duration>,
    deadline: Option<Instant>,
    start: Option<MatRef<'r, f64>>,
    /// The largest violation reported since the last iteration 0.
    first_violation: Option<f64>,
}

impl Default for Run<'_> {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Debug for Run<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Run")
            .field("observed", &self.observer.is_some())
            .field("memory", &self.memory)
            .field("time_limit", &self.time_limit)
            .field("deadline", &self.deadline)
            .field("start", &self.start.map(|start| start.shape()))
            .finish()
    }
}

impl<'r> Run<'r> {
    /// A run without an observer or time limit, within the available memory.
    pub const fn new() -> Self {
        Self {
            observer: None,
            memory: None,
            time_limit: None,
            deadline: None,
            start: None,
            first_violation: None,
        }
    }

    /// Sets the observer, which is called between the iterations of a fit and may end it.
    ///
    /// | learner | called |
    /// |---|---|
    /// | `Sgd` | after each epoch; within long ones after work of less than a second |
    /// | SVMs on a kernel | before each working set, which takes many SMO steps |
    /// | SVMs on landmarks and features | before each pass over the points |
    /// | `Ridge` by a Cholesky factor | before and after the kernel matrix is filled, at the end |
    /// | `Ridge` by normal equations or their dual | once, at the end |
    /// | `Ridge` by conjugate gradients | at the start, after every 30 iterations, at the end |
    /// | `Logistic` | before each step, and at the end |
    /// | Gaussian processes | at the start of each search and after each of its iterations |
    /// | Gaussian processes without a search | at the start and at the end |
    /// | `KMeans`, `SoftKMeans` | at the start of a run, after each iteration or mini-batch |
    /// | `Perceptron` | after each epoch |
    /// | `KernelPca` on a kernel | after K is filled, and after each iteration or at the end |
    /// | `KernelPca` in other spaces | before the covariance, before its eigenvectors, at the end |
    /// | `SpectralClustering` | as `KernelPca`, then as `KMeans` |
    /// | `FeatureMachine`, `RidgeMixture` | after each round |
    /// | `Expectile` | as its ridge regression, and after each round |
    /// | `KNearest`, `RadiusNeighbors` | once, at the end |
    /// | `KernelCca` | after each choice of landmarks, before the eigenvectors, at the end |
    /// | `MmdTest`, `HsicTest` | after each group of tiles, of points or of permutations |
    /// | `Tune` | before each fit, and whenever the fit would call its observer |
    /// | `Calibrated`, `MultipleKernels`, pipelines | as the learners inside |
    ///
    /// [`Progress::iteration`] counts in the unit of the solver, such as SMO steps for an SVM.
    ///
    /// A fit that is ended returns the model reached so far; a direct method that has none yet
    /// fails with [`Error::Stopped`]. Work between two calls runs to its end; to give up within it,
    /// without a model, fit inside [`interruptible`](kern_gram::interruptible).
    ///
    /// | work | cost |
    /// |---|---|
    /// | a Gram matrix of n points | n²/2 kernel values |
    /// | its Cholesky factor | n³/3 flops |
    /// | its eigenvectors by a dense solver | 9n³ flops |
    /// | the choice of m landmarks | nm kernel values and nm² flops |
    /// | normal equations of D features | nD² + D³/3 flops |
    /// | an iteration of the search of a Gaussian process | several times n³ flops |
    pub fn observer(mut self, observer: &'r mut dyn Observer) -> Self {
        self.observer = Some(observer);
        self
    }

    /// Sets the memory for all allocations of a fit beyond its data. Default:
    /// [`MemoryBudget::available`] at the time of the fit.
    pub fn memory(mut self, budget: MemoryBudget) -> Self {
        self.memory = Some(budget);
        self
    }

    /// Sets the limit of the predicted time. A fit predicted to exceed it fails immediately; the
    /// error lists cheaper alternatives. Default: no limit; [`Auto`](crate::space::Auto) then plans
    /// for one minute and never fails for lack of time.
    ///
    /// The limit applies to learners on a kernel, and to k-means, perceptrons and SGD in all
    /// spaces. It is ignored by ridge regression, logistic regression, SVMs, principal components,
    /// spectral clustering and CCA on landmarks and on features: their work is linear in n.
    ///
    /// The predicted time is the counted work times the measured speed of this machine; the
    /// measurement is skipped if the work is far below the limit on any machine. The model does not
    /// depend on it, bit for bit. The limit does not end a running fit: use a
    /// [`deadline`](Run::deadline) or an [`observer`](Run::observer).
    pub fn time_limit(mut self, limit: impl Into<Option<Duration>>) -> Self {
        self.time_limit = limit.into();
        self
    }

    /// Sets the time at which the fit ends with the model reached so far, as if ended by its
    /// observer. A search reserves enough time to refit its best candidate. Default: none.
    ///
    /// Solvers check the clock when they call the observer, so an iterative fit ends at most one
    /// iteration late. Direct solvers check it between their steps, each of which runs to its end;
    /// use [`time_limit`](Run::time_limit) to reject them in advance.
    ///
    /// # Examples
    /// ```
    /// use kern_core::{Samples, kernels::Rbf};
    /// use kern_solvers::{Data, Learner, Run, Status, sgd::Sgd};
    /// use std::time::{Duration, Instant};
    /// let x = Samples::from_rows(&[[0.0], [1.0]])?;
    /// let mut run = Run::new().deadline(Instant::now() + Duration::from_millis(50));
    /// let sgd = Sgd::on_kernel(Rbf::new(1.0)?).epochs(1_000_000);
    /// let model = sgd.learn(&Data::new(&x, &["a", "b"])?, &mut run)?;
    /// assert_eq!(model.report().status, Status::Stopped);
    /// # Ok::<(), kern_solvers::Error>(())
    /// ```
    pub fn deadline(mut self, deadline: impl Into<Option<Instant>>) -> Self {
        self.deadline = deadline.into();
        self
    }

    /// Sets initial coefficients, points × functions, for learners on a kernel that support a warm
    /// start; others ignore them.
    pub fn start(mut self, coefficients: MatRef<'r, f64>) -> Self {
        self.start = Some(coefficients);
        self
    }

    /// The memory available to this fit.
    #[must_use]
    pub fn budget(&self) -> MemoryBudget {
        self.memory.unwrap_or_else(MemoryBudget::available)
    }

    /// The limit of the predicted time.
    #[must_use]
    pub fn predicted_limit(&self) -> Option<Duration> {
        self.time_limit
    }

    /// The time within which `Auto` chooses a method.
    pub(crate) fn planned_time(&self) -> Duration {
        self.time_limit.unwrap_or(PLANNED)
    }

    /// The time at which the fit ends with the model reached so far.
    #[must_use]
    pub const fn ends_at(&self) -> Option<Instant> {
        self.deadline
    }

    /// Returns true after the deadline.
    pub(crate) fn is_late(&self) -> bool {
        self.deadline.is_some_and(|deadline| Instant::now() >= deadline)
    }

    /// The initial coefficients.
    #[must_use]
    pub fn coefficients(&self) -> Option<MatRef<'r, f64>> {
        self.start
    }

    /// Reports progress to the observer, if any; ends the fit if the observer does, or at the
    /// deadline. Sets [`Progress::first_violation`].
    pub fn observe(&mut self, progress: &Progress) -> ControlFlow<()> {
        interrupt::poll();
        let mut progress = *progress;
        // One run may serve several problems, one after the other; each begins at iteration 0.
        if progress.iteration == 0 {
            self.first_violation = None;
        }
        if let Some(violation) = progress.violation.filter(|violation| violation.is_finite()) {
            let first = self.first_violation.map_or(violation, |first| first.max(violation));
            self.first_violation = Some(first);
            progress.first_violation = Some(first);
        }
        if let Some(observer) = &mut self.observer {
            observer.observe(&progress)?;
        }
        match self.is_late() {
            true => ControlFlow::Break(()),
            false => ControlFlow::Continue(()),
        }
    }

    /// Reports `done` of `total` steps of a direct method, which has no model before the last one.
    ///
    /// # Errors
    /// [`Error::Stopped`] if the observer or the deadline ends the fit.
    pub(crate) fn step(&mut self, done: usize, total: usize) -> Result<(), Error> {
        match self.observe(&Progress::new(done, total, f64::NAN)) {
            ControlFlow::Continue(()) => Ok(()),
            ControlFlow::Break(()) => Err(Error::Stopped { done, total }),
        }
    }

    /// The run as the observer of a solver; `None` if nothing can end it.
    pub(crate) fn watcher(&mut self) -> Option<&mut (dyn Observer + '_)> {
        let watched =
            self.observer.is_some() || self.deadline.is_some() || interrupt::is_interruptible();
        if watched { Some(self) } else { None }
    }

    /// The run for a method that was chosen by counted work within the limits: it fails only if
    /// this machine is far slower than assumed.
    pub(crate) fn chosen(&mut self) -> Run<'_> {
        /// The factor by which this machine may be slower than the nominal one.
        const LENIENCE: u32 = 10;
        let memory = self.budget();
        let limit = self.time_limit.map(|limit| limit.saturating_mul(LENIENCE));
        let start = self.start;
        Run { start, ..self.part(memory).time_limit(limit) }
    }

    /// A run for a part of this fit, with this much memory.
    pub(crate) fn part(&mut self, memory: MemoryBudget) -> Run<'_> {
        let alike = self.alike();
        Run {
            observer: self.observer.as_mut().map(|observer| &mut **observer as &mut dyn Observer),
            memory: Some(memory),
            ..alike
        }
    }

    /// A run within the same limits, without an observer and a start: for a fit with another observer.
    pub(crate) const fn alike<'a>(&self) -> Run<'a> {
        let Self { memory, time_limit, deadline, .. } = *self;
        Run { observer: None, memory, time_limit, deadline, start: None, first_violation: None }
    }
}

impl Observer for Run<'_> {
    fn observe(&mut self, progress: &Progress) -> ControlFlow<()> {
        Run::observe(self, progress)
    }
}

/// The progress of a fit.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Progress {
    /// The number of completed iterations.
    pub iteration: usize,
    /// The largest number of iterations.
    pub total: usize,
    /// The mean loss before each step over the iterations since the last report, or the objective
    /// for solvers that compute it.
    pub loss: f64,
    /// The quantity that the stopping rule compares with [`tolerance`](Self::tolerance):
    ///
    /// | solver | violation |
    /// |---|---|
    /// | SVMs on a kernel | the largest violation of the optimality conditions |
    /// | SVMs on landmarks and features | the same, in the last pass |
    /// | conjugate gradients | the bound on the relative gap that the residual gives |
    /// | Newton's method | the relative gap |
    /// | eigenvectors by a Krylov space | the largest residual of an eigenvector |
    ///
    /// `None` for solvers without such a rule.
    pub violation: Option<f64>,
    /// The violation at which the solver stops. A solver may lower it if its certificate demands
    /// more.
    pub tolerance: Option<f64>,
    /// The largest violation since iteration 0, from which [`fraction`](Self::fraction) counts. It
    /// is set by [`Run::observe`].
    pub first_violation: Option<f64>,
}

impl Progress {
    /// The progress of a solver that has completed `iteration` of at most `total` iterations; learners
    /// report it, and tests pass it to an observer.
    ///
    /// # Examples
    /// ```
    /// use kern_solvers::Progress;
    /// let progress = Progress::new(3, 12, 0.7);
    /// assert_eq!((progress.fraction(), progress.violation), (Some(0.25), None));
    /// ```
    #[must_use]
    pub const fn new(iteration: usize, total: usize, loss: f64) -> Self {
        let (violation, tolerance, first_violation) = (None, None, None);
        Self { iteration, total, loss, violation, tolerance, first_violation }
    }

    /// Adds the violation and the tolerance of the stopping rule.
    #[must_use]
    pub const fn with_violation(mut self, violation: f64, tolerance: f64) -> Self {
        self.violation = Some(violation);
        self.tolerance = Some(tolerance);
        self
    }

    /// An estimate of the completed fraction of the fit, from 0 to 1.
    ///
    /// With a violation v, the first violation v₀ and the tolerance t it is log(v₀/v)/log(v₀/t),
    /// and 1 for v ≤ t: solvers reduce the violation by a similar factor in each iteration, and most
    /// stop long before [`total`](Self::total). Without a violation it is iteration/total, where
    /// the total is the planned number of epochs, fits or iterations, or their maximum. `None` if
    /// the total, the violation or the tolerance does not allow an estimate.
    ///
    /// # Examples
    /// ```
    /// use kern_solvers::Progress;
    /// let mut progress = Progress::new(400, 10_000_000, -3.2).with_violation(0.1, 0.001);
    /// progress.first_violation = Some(1.0);
    /// assert!((progress.fraction().unwrap() - 1.0 / 3.0).abs() < 1e-12);
    /// ```
    #[must_use]
    pub fn fraction(&self) -> Option<f64> {
        let (Some(violation), Some(tolerance)) = (self.violation, self.tolerance) else {
            let share = self.iteration as f64 / self.total as f64;
            return (self.total > 0).then(|| share.min(1.0));
        };
        if violation <= tolerance {
            return Some(1.0);
        }
        let first = self.first_violation.map_or(violation, |first| first.max(violation));
        let share = (first / violation).ln() / (first / tolerance).ln();
        let is_known = violation.is_finite() && tolerance > 0.0 && share.is_finite();
        is_known.then(|| share.clamp(0.0, 1.0))
    }
}

/// An observer of a fit. Any closure from [`Progress`] to [`ControlFlow`] is an observer;
/// `ControlFlow::Break(())` ends the fit and returns the model reached so far. It is called on one
/// thread at a time, which may differ from the calling thread.
///
/// # Examples
/// See [`Run`].
pub trait Observer: Send {
    /// Receives the progress and returns whether to continue.
    fn observe(&mut self, progress: &Progress) -> ControlFlow<()>;
}

impl<F: FnMut(&Progress) -> ControlFlow<()> + Send> Observer for F {
    fn observe(&mut self, progress: &Progress) -> ControlFlow<()> {
        self(progress)
    }
}
