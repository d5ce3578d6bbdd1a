//! A job: one case of a task with so many threads; run here, or in a process of its own.

use crate::row::Row;
use crate::tasks::{self, Dtype, Outcome, Size, Task};
use anyhow::{Context, Result, ensure};
use std::env;
use std::process::{Command, Stdio};

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

    /// Runs the job in this process, on the rayon pool that is there.
    ///
    /// # Errors
    /// If there is no such task, its run fails, or it has no finite quality figure.
    pub fn run(&self) -> Result<Row> {
        let task = tasks::find(&self.task)?;
        let Outcome { n, d, params, seconds, quality, peak_rss_mib, limit, note } =
            (task.run)(&self.variant, self.dtype, self.size)?;
        let row = Row {
            task: self.task.clone(),
            implementation: "kern".to_owned(),
            variant: self.variant.clone(),
            dtype: self.dtype.to_string(),
            n,
            d,
            threads: self.threads,
            params,
            seconds,
            quality,
            peak_rss_mib,
            limit,
            note,
        };
        row.check()?;
        Ok(row)
    }

    /// Makes the global rayon pool have this job's number of threads, and runs it.
    ///
    /// # Errors
    /// As [`Job::run`], or if there is a global pool already.
    pub fn run_on_own_pool(&self) -> Result<Row> {
        ensure!(self.threads > 0, "the number of threads must be at least 1, got 0");
        rayon::ThreadPoolBuilder::new().num_threads(self.threads).build_global()?;
        self.run()
    }

    /// Runs the job in a new process of this program.
    ///
    /// # Errors
    /// If the process cannot be started or ends with an error, or if what it prints is not a row.
    pub fn spawn(&self) -> Result<Row> {
        let program = env::current_exe().context("this program does not know its own path")?;
        let mut command = Command::new(program);
        command.arg(RUN_ONE).args(self.arguments()).stdin(Stdio::null()).stderr(Stdio::inherit());
        let output = command.output().context("cannot start a process for one row")?;
        ensure!(output.status.success(), "{self:?} ended with {}", output.status);
        serde_json::from_slice(&output.stdout).context("a process printed no row")
    }

    fn arguments(&self) -> Vec<String> {
        let Self { task, variant, dtype, size, threads } = self;
        let pairs = [
            ("--task", task.clone()),
            ("--variant", variant.clone()),
            ("--dtype", dtype.to_string()),
            ("--size", size.to_string()),
            ("--threads", threads.to_string()),
        ];
        pairs.into_iter().flat_map(|(name, value)| [name.to_owned(), value]).collect()
    }
}
