//! `cargo xtask bench`: the benches package, in release mode, with the arguments as given.

use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, ensure};

use crate::commands;

/// Runs the benches with `args`.
pub(crate) fn run(root: &Path, args: &[String]) -> Result<()> {
    let mut words = commands::BENCH.split_whitespace();
    let program = words.next().context("the command of the benches is empty")?;
    let status = Command::new(program).args(words).arg("--").args(args).current_dir(root).status();
    let status = status.with_context(|| format!("cannot start `{}`", commands::BENCH))?;
    ensure!(status.success(), "the benches ended with {status}");
    Ok(())
}
