//! A progress bar on a terminal, and none when the output is piped.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::io::{IsTerminal, stdout};
use std::time::Duration;

/// A bar for so many steps.
///
/// # Errors
/// None in practice: the template is fixed.
pub fn bar(steps: u64) -> anyhow::Result<ProgressBar> {
    let bar = ProgressBar::new(steps);
    if !stdout().is_terminal() {
        bar.set_draw_target(ProgressDrawTarget::hidden());
    }
    bar.set_style(ProgressStyle::with_template("{bar:30} {pos}/{len} {msg}")?);
    bar.enable_steady_tick(Duration::from_millis(100));
    Ok(bar)
}
