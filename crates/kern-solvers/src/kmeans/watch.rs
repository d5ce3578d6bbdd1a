//! The observer of several runs.

use crate::{Observer, Progress, Run};
use std::ops::ControlFlow;
use std::sync::{Mutex, PoisonError};

/// Somebody who sees the iterations of all runs, one run after the other, and may end them.
pub(super) struct Watch<'w> {
    seen: Mutex<Seen<'w>>,
    is_observed: bool,
}

struct Seen<'w> {
    observer: Option<&'w mut (dyn Observer + 'w)>,
    iterations: usize,
    total: usize,
    is_stopped: bool,
}

impl<'w> Watch<'w> {
    /// Of so many iterations at most.
    pub(super) fn new(run: &'w mut Run<'_>, total: usize) -> Self {
        let observer = run.watcher();
        let is_observed = observer.is_some();
        let seen = Seen { observer, iterations: 0, total, is_stopped: false };
        Self { seen: Mutex::new(seen), is_observed }
    }

    /// The number of runs that are made side by side, of those that could be.
    pub(super) const fn at_once(&self, possible: usize) -> usize {
        if self.is_observed { 1 } else { possible }
    }

    /// Tells whether the runs were ended.
    pub(super) fn is_stopped(&self) -> bool {
        self.with(|seen| seen.is_stopped)
    }

    /// The beginning of a run, with its first objective.
    pub(super) fn begin(&self, loss: f64) -> ControlFlow<()> {
        self.show(0, loss)
    }

    /// An iteration that was done.
    pub(super) fn step(&self, loss: f64) -> ControlFlow<()> {
        self.show(1, loss)
    }

    fn show(&self, iterations: usize, loss: f64) -> ControlFlow<()> {
        if !self.is_observed {
            return ControlFlow::Continue(());
        }
        self.with(|seen| {
            seen.iterations += iterations;
            let progress = Progress { iteration: seen.iterations, total: seen.total, loss };
            let flow = match &mut seen.observer {
                Some(observer) => observer.observe(&progress),
                None => ControlFlow::Continue(()),
            };
            seen.is_stopped |= flow.is_break();
            flow
        })
    }

    fn with<R>(&self, f: impl FnOnce(&mut Seen<'w>) -> R) -> R {
        // What an observer that panicked has left is as good as before.
        f(&mut self.seen.lock().unwrap_or_else(PoisonError::into_inner))
    }
}
