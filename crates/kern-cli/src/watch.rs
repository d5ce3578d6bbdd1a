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
        let style = ProgressStyle::with_template(
            "{wide_bar} {pos}/{len} {elapsed} (about {eta} left) {msg}",
        );
        let bar = ProgressBar::new(0);
        if let Ok(style) = style {
            bar.set_style(style);
        }
        Self { bar, stopped }
    }

    /// Shows the progress of a fit.
    pub(crate) fn observe(&self, progress: &Progress) -> ControlFlow<()> {
        self.bar.set_length(progress.total as u64);
        self.bar.set_position(progress.iteration as u64);
        if progress.loss.is_finite() {
            self.bar.set_message(format!("{:.6}", progress.loss));
        }
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
