//! A job run in this process, on its own or led by the runner.

use crate::job::Job;
use crate::measure::Pace;
use crate::protocol::Led;
use crate::row::Row;
use crate::session::Session;
use crate::tasks::{self, Outcome};
use anyhow::{Result, ensure};
use std::io;
use std::path::Path;

/// Runs a job in this process, on the rayon pool that is there.
///
/// # Errors
/// If there is no such task, its run fails, or it has no finite quality figure.
pub fn run(job: &Job, inputs: &Path, pace: &mut dyn Pace) -> Result<Row> {
    let task = tasks::find(&job.task)?;
    let mut session = Session::new(job, &job.folder(inputs), pace)?;
    let Outcome { n, d, seconds, quality, peak_rss_mib, limit, work, note, .. } =
        (task.run)(&mut session)?;
    let row = Row {
        task: job.task.clone(),
        implementation: "kern".to_owned(),
        variant: job.variant.clone(),
        dtype: job.dtype.to_string(),
        n,
        d,
        threads: job.threads,
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

/// Makes the global rayon pool have the job's number of threads, and runs it at the pace that
/// is set through standard input and output.
///
/// # Errors
/// As [`run`], or if there is a global pool already.
pub fn serve(job: &Job, inputs: &Path) -> Result<()> {
    ensure!(job.threads > 0, "the number of threads must be at least 1, got 0");
    rayon::ThreadPoolBuilder::new().num_threads(job.threads).build_global()?;
    let mut pace = Led::new(io::stdin().lock(), io::stdout().lock());
    let row = run(job, inputs, &mut pace)?;
    pace.finish(row)
}
