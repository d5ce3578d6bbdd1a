//! A run: what concerns one fit and not its result.

use faer::MatRef;
use kern_gram::MemoryBudget;
use std::fmt;
use std::ops::ControlFlow;
use std::time::{Duration, Instant};

/// The time that [`Auto`](crate::space::Auto) plans for where a run has no limit.
const PLANNED: Duration = Duration::from_secs(60);

/// The settings of one fit: its observer, its memory, its limits of time, and its start.
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
    /// A run without an observer and without a limit of time, within the available memory.
    pub const fn new() -> Self {
        Self { observer: None, memory: None, time_limit: None, deadline: None, start: None }
    }

    /// The observer, which sees every iteration and may end the fit.
    pub fn observer(mut self, observer: &'r mut dyn Observer) -> Self {
        self.observer = Some(observer);
        self
    }

    /// The memory for all that a fit allocates beyond its data. Default: [`MemoryBudget::available`] at the time of
    /// the fit.
    pub fn memory(mut self, budget: MemoryBudget) -> Self {
        self.memory = Some(budget);
        self
    }

    /// The predicted time beyond which a fit is refused before it begins, with the cheaper ways in the error. Default:
    /// none. [`Auto`](crate::space::Auto) then plans for a minute, and refuses nothing.
    ///
    /// Learners on a kernel look at it, and k-means, perceptrons and SGD in all spaces. Ridge regression, logistic
    /// regression, machines, components, clusters of spectra and correlations on landmarks and on features do not: their
    /// work is linear in n.
    ///
    /// The work is counted, and taken times what this machine was measured to take for it, unless it is far below the limit
    /// on any machine. No bit of a model depends on that. A fit that has begun is not ended by this limit: that takes a
    /// [`deadline`](Run::deadline) or an [`observer`](Run::observer).
    pub fn time_limit(mut self, limit: impl Into<Option<Duration>>) -> Self {
        self.time_limit = limit.into();
        self
    }

    /// The moment at which the fit ends with what it has reached, as if its observer had ended it. A search keeps enough of
    /// the time to refit its best candidate. Default: none.
    ///
    /// Iterative solvers look at the clock where they call the observer, so a fit ends one iteration later at most; what a
    /// direct solver computes at once is not interrupted, and [`time_limit`](Run::time_limit) is there to refuse it.
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

    /// Coefficients to start from, points × functions, for learners on a kernel that can; others ignore them.
    pub fn start(mut self, coefficients: MatRef<'r, f64>) -> Self {
        self.start = Some(coefficients);
        self
    }

    /// The memory that this fit may take.
    #[must_use]
    pub fn budget(&self) -> MemoryBudget {
        self.memory.unwrap_or_else(MemoryBudget::available)
    }

    /// The limit of the predicted time.
    #[must_use]
    pub fn predicted_limit(&self) -> Option<Duration> {
        self.time_limit
    }

    /// The time that a way is chosen for.
    pub(crate) fn planned_time(&self) -> Duration {
        self.time_limit.unwrap_or(PLANNED)
    }

    /// The moment at which the fit ends with what it has reached.
    #[must_use]
    pub const fn ends_at(&self) -> Option<Instant> {
        self.deadline
    }

    /// Tells whether the deadline has passed.
    pub(crate) fn is_late(&self) -> bool {
        self.deadline.is_some_and(|deadline| Instant::now() >= deadline)
    }

    /// The coefficients to start from.
    #[must_use]
    pub fn coefficients(&self) -> Option<MatRef<'r, f64>> {
        self.start
    }

    /// Shows the progress to the observer, if there is one; ends the fit if the observer does, or at the deadline.
    pub fn observe(&mut self, progress: &Progress) -> ControlFlow<()> {
        if let Some(observer) = &mut self.observer {
            observer.observe(progress)?;
        }
        match self.is_late() {
            true => ControlFlow::Break(()),
            false => ControlFlow::Continue(()),
        }
    }

    /// The run as the observer of a solver, unless nothing can end it.
    pub(crate) fn watcher(&mut self) -> Option<&mut (dyn Observer + '_)> {
        let watched = self.observer.is_some() || self.deadline.is_some();
        if watched { Some(self) } else { None }
    }

    /// The same run for a way that was chosen within its limits by counted work: refused only if this machine takes far
    /// longer.
    pub(crate) fn chosen(&mut self) -> Run<'_> {
        /// The factor by which this machine may be slower than the nominal one.
        const LENIENCE: u32 = 10;
        let memory = self.budget();
        let limit = self.time_limit.map(|limit| limit.saturating_mul(LENIENCE));
        let start = self.start;
        Run { start, ..self.part(memory).time_limit(limit) }
    }

    /// A run of a part of this fit, with this much memory.
    pub(crate) fn part(&mut self, memory: MemoryBudget) -> Run<'_> {
        Run {
            observer: self.observer.as_mut().map(|observer| &mut **observer as &mut dyn Observer),
            memory: Some(memory),
            time_limit: self.time_limit,
            deadline: self.deadline,
            start: None,
        }
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
    /// Iterations done.
    pub iteration: usize,
    /// Iterations that were asked for.
    pub total: usize,
    /// The mean loss over the iterations since the last report, before each step; for solvers that know it,
    /// the objective.
    pub loss: f64,
}

/// An observer of a fit. Any closure from [`Progress`] to [`ControlFlow`] is one;
/// `ControlFlow::Break(())` ends the fit, and the model that was reached is returned. It is called on
/// one thread at a time, but perhaps not on that of the caller.
///
/// # Examples
/// See [`Run`].
pub trait Observer: Send {
    /// Sees the progress; says whether to go on.
    fn observe(&mut self, progress: &Progress) -> ControlFlow<()>;
}

impl<F: FnMut(&Progress) -> ControlFlow<()> + Send> Observer for F {
    fn observe(&mut self, progress: &Progress) -> ControlFlow<()> {
        self(progress)
    }
}
