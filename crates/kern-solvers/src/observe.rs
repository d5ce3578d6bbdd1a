//! Progress of a fit: seen from outside, and stopped from there.

use std::ops::ControlFlow;

/// How far a fit has come.
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

/// Something that watches a fit. Any closure from [`Progress`] to [`ControlFlow`] is one;
/// `ControlFlow::Break(())` ends the fit, and the model that was reached is returned. It is called on
/// one thread at a time, but perhaps not on that of the caller.
///
/// # Examples
/// ```
/// use kern_core::{Samples, kernels::Rbf};
/// use kern_solvers::{Progress, Status, sgd::Sgd};
/// use std::ops::ControlFlow;
/// let x = Samples::from_rows(&[[0.0], [1.0]])?;
/// let mut stop = |p: &Progress| if p.iteration >= 100 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) };
/// let model = Sgd::on_kernel(Rbf::new(1.0)?).epochs(1000).fit_classifier_observed(&x, &["a", "b"], &mut stop)?;
/// assert_eq!(model.report().status, Status::Stopped);
/// # Ok::<(), kern_solvers::Error>(())
/// ```
pub trait Observer: Send {
    /// Sees the progress; says whether to go on.
    fn observe(&mut self, progress: &Progress) -> ControlFlow<()>;
}

impl<F: FnMut(&Progress) -> ControlFlow<()> + Send> Observer for F {
    fn observe(&mut self, progress: &Progress) -> ControlFlow<()> {
        self(progress)
    }
}
