//! The progress of a run, on standard error: a bar with times on a terminal, lines elsewhere.

use anyhow::Result;
use indicatif::{ProgressBar, ProgressStyle};
use std::fmt::Display;
use std::io::{IsTerminal, stderr};
use std::time::Duration;

/// The progress through some steps.
#[derive(Debug)]
pub struct Progress {
    bar: Option<ProgressBar>,
    done: usize,
    steps: usize,
}

impl Progress {
    /// Nothing is done yet.
    ///
    /// # Errors
    /// None in practice: the template is fixed.
    pub fn new(steps: usize) -> Result<Self> {
        const TEMPLATE: &str = "{bar:24} {pos}/{len}  {elapsed_precise}, {eta} to go  {msg}";
        let bar = stderr().is_terminal().then(|| ProgressBar::new(steps as u64));
        if let Some(bar) = &bar {
            bar.set_style(ProgressStyle::with_template(TEMPLATE)?);
            bar.enable_steady_tick(Duration::from_millis(200));
        }
        Ok(Self { bar, done: 0, steps })
    }

    /// The next step begins.
    pub fn begin(&mut self, step: &dyn Display) {
        self.done += 1;
        match &self.bar {
            Some(bar) => bar.set_message(step.to_string()),
            None => eprintln!("[{}/{}] {step}", self.done, self.steps),
        }
    }

    /// Something that is to stay.
    pub fn say(&self, line: &dyn Display) {
        match &self.bar {
            Some(bar) => bar.suspend(|| eprintln!("{line}")),
            None => eprintln!("{line}"),
        }
    }

    /// The step that was begun is over.
    pub fn end(&self) {
        if let Some(bar) = &self.bar {
            bar.inc(1);
        }
    }

    /// All is over.
    pub fn finish(self) {
        if let Some(bar) = self.bar {
            bar.finish_and_clear();
        }
    }
}
