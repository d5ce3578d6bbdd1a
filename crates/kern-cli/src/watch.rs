//! A progress bar on a terminal, and cancellation by Ctrl-C.

use indicatif::{ProgressBar, ProgressStyle};
use kern_solvers::Progress;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Signals within this time count as one: `timeout` sends one to the program and one to its process
/// group.
const ONE_SIGNAL: Duration = Duration::from_millis(20);

/// The bar with its times.
const TEMPLATE: &str = "{wide_bar} {elapsed} (about {eta} left) {msg}";

/// The length of the bar.
const STEPS: u64 = 1000;

/// A fraction of 1 in per cent.
const PERCENT: f64 = 100.0;

/// The observer of fits: shows a progress bar if standard error is a terminal; Ctrl-C stops the fit
/// with the best model so far.
pub(crate) struct Watch {
    bar: ProgressBar,
    stopped: Arc<AtomicBool>,
}

impl Watch {
    /// A progress bar for a known or unknown length.
    pub(crate) fn new() -> Self {
        let stopped = Arc::new(AtomicBool::new(false));
        let flag = Arc::clone(&stopped);
        let mut first: Option<Instant> = None;
        // A second Ctrl-C ends the process. If no handler can be set, the first one does.
        let _set = ctrlc::set_handler(move || {
            flag.store(true, Ordering::SeqCst);
            match first {
                Some(first) if first.elapsed() > ONE_SIGNAL => std::process::exit(130),
                Some(_) => return,
                None => first = Some(Instant::now()),
            }
            eprintln!(
                "stopping with the best model reached; Ctrl-C again leaves at once, without one"
            );
        });
        let bar = ProgressBar::new(STEPS);
        if let Ok(style) = ProgressStyle::with_template(TEMPLATE) {
            bar.set_style(style);
        }
        Self { bar, stopped }
    }

    /// Shows the progress of a fit.
    pub(crate) fn observe(&self, progress: &Progress) -> ControlFlow<()> {
        if let Some(fraction) = progress.fraction() {
            // A fraction is from 0 to 1.
            self.bar.set_position((fraction * STEPS as f64) as u64);
        }
        self.bar.set_message(message(progress));
        self.flow()
    }

    /// Shows the number of rows of a stream that were read.
    pub(crate) fn rows(&self, rows: u64) -> ControlFlow<()> {
        self.words(format!("{rows} rows"))
    }

    /// Shows a message for work of unknown length.
    pub(crate) fn words(&self, words: String) -> ControlFlow<()> {
        self.bar.set_style(ProgressStyle::default_spinner());
        self.bar.set_message(words);
        self.bar.tick();
        self.flow()
    }

    /// Returns true after Ctrl-C.
    pub(crate) fn is_stopped(&self) -> bool {
        self.stopped.load(Ordering::SeqCst)
    }

    fn flow(&self) -> ControlFlow<()> {
        match self.is_stopped() {
            true => ControlFlow::Break(()),
            false => ControlFlow::Continue(()),
        }
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}

/// The progress as text: the iteration with the violation and its tolerance, or else with the total
/// number of iterations.
fn message(progress: &Progress) -> String {
    let &Progress { iteration, total, loss, violation, tolerance, .. } = progress;
    let mut message = match violation.zip(tolerance) {
        Some((violation, tolerance)) => {
            format!("{iteration} steps, violation {violation:.1e} of {tolerance:.0e}")
        }
        None if total > 0 => format!("{iteration}/{total}"),
        None => iteration.to_string(),
    };
    if let Some(fraction) = progress.fraction() {
        message += &format!(", about {:.0} %", PERCENT * fraction);
    }
    if loss.is_finite() {
        message += &format!(", loss {loss:.6}");
    }
    message
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_has_the_violation_or_the_total() {
        let mut progress = Progress::new(400, 10_000_000, f64::NAN).with_violation(3.1e-2, 1e-3);
        progress.first_violation = Some(0.31);
        assert_eq!(message(&progress), "400 steps, violation 3.1e-2 of 1e-3, about 40 %");
        let planned = message(&Progress::new(3, 12, 0.5));
        assert_eq!(planned, "3/12, about 25 %, loss 0.500000");
        assert_eq!(message(&Progress::new(3, 0, f64::NAN)), "3");
    }
}
