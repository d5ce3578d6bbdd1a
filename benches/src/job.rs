//! A job: one case of a task with so many threads.

use crate::case::{Dtype, Size};
use anyhow::{Context, Result};
use std::env;
use std::fmt;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The name of the hidden subcommand that runs one job.
pub const RUN_ONE: &str = "run-one";

/// The subject of one row.
#[derive(Clone, Debug, PartialEq, Eq, clap::Args)]
pub struct Job {
    /// The name of the task.
    #[arg(long)]
    pub task: String,
    /// One of its variants.
    #[arg(long)]
    pub variant: String,
    /// The number type.
    #[arg(long)]
    pub dtype: Dtype,
    /// The size of the input.
    #[arg(long)]
    pub size: Size,
    /// The number of threads.
    #[arg(long)]
    pub threads: usize,
}

impl Job {
    /// The folder of its inputs, below a folder for all inputs.
    #[must_use]
    pub fn folder(&self, inputs: &Path) -> PathBuf {
        let Self { task, variant, dtype, size, .. } = self;
        inputs.join(format!("{task}-{variant}-{dtype}-{size}"))
    }

    /// The command that serves this job in a new process of this program.
    ///
    /// # Errors
    /// If the program does not know its own path.
    pub fn command(&self, inputs: &Path) -> Result<Command> {
        let program = env::current_exe().context("this program does not know its own path")?;
        let mut command = Command::new(program);
        let Self { task, variant, dtype, size, threads } = self;
        command.args([RUN_ONE, "--task", task, "--variant", variant]);
        command.args(["--dtype", &dtype.to_string(), "--size", &size.to_string()]);
        command.args(["--threads", &threads.to_string(), "--inputs"]).arg(inputs);
        Ok(command)
    }
}

impl fmt::Display for Job {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { task, variant, dtype, threads, .. } = self;
        write!(f, "{task} {variant} {dtype}, threads: {threads}")
    }
}
