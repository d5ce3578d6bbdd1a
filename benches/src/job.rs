//! A job: one case of a task with so many threads; run here, or in a process of its own.

use crate::measure::Pace;
use crate::protocol::Led;
use crate::row::Row;
use crate::session::Session;
use crate::tasks::{self, Dtype, Outcome, Size, Task};
use anyhow::{Context, Result, ensure};
use std::env;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The name of the hidden subcommand that runs one job.
pub const RUN_ONE: &str = "run-one";

/// What one row is about.
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
    /// All cases of some tasks, with each number of threads.
    #[must_use]
    pub fn all(tasks: &[&Task], size: Size, threads: &[usize]) -> Vec<Job> {
        let mut jobs = Vec::new();
        for task in tasks {
            for &(variant, dtype) in task.cases {
                jobs.extend(threads.iter().map(|&threads| {
                    let (task, variant) = (task.name.to_owned(), variant.to_owned());
                    Job { task, variant, dtype, size, threads }
                }));
            }
        }
        jobs
    }

    /// Where its inputs are, below a folder for all of them.
    #[must_use]
    pub fn folder(&self, inputs: &Path) -> PathBuf {
        let Self { task, variant, dtype, size, .. } = self;
        inputs.join(format!("{task}-{variant}-{dtype}-{size}"))
    }

    /// Runs the job in this process, on the rayon pool that is there.
    ///
    /// # Errors
    /// If there is no such task, its run fails, or it has no finite quality figure.
    pub fn run(&self, inputs: &Path, pace: &mut dyn Pace) -> Result<Row> {
        let task = tasks::find(&self.task)?;
        let mut session = Session::new(self, &self.folder(inputs), pace)?;
        let Outcome { n, d, seconds, quality, peak_rss_mib, limit, work, note, .. } =
            (task.run)(&mut session)?;
        let row = Row {
            task: self.task.clone(),
            implementation: "kern".to_owned(),
            variant: self.variant.clone(),
            dtype: self.dtype.to_string(),
            n,
            d,
            threads: self.threads,
            params: session.into_params(),
            seconds,
            quality,
            peak_rss_mib,
            limit,
            work,
            note,
        };
        row.check()?;
        Ok(row)
    }

    /// Makes the global rayon pool have this job's number of threads, and runs it at the pace that
    /// is set through standard input and output.
    ///
    /// # Errors
    /// As [`Job::run`], or if there is a global pool already.
    pub fn serve(&self, inputs: &Path) -> Result<()> {
        ensure!(self.threads > 0, "the number of threads must be at least 1, got 0");
        rayon::ThreadPoolBuilder::new().num_threads(self.threads).build_global()?;
        let mut pace = Led::new(io::stdin().lock(), io::stdout().lock());
        let row = self.run(inputs, &mut pace)?;
        pace.finish(row)
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
