//! The run of a program: all jobs one after the other, printed and saved as they come.
#![allow(clippy::print_stdout, reason = "the table is the output")]

use crate::child::Patience;
use crate::compare::Comparison;
use crate::contest::{self, Entrant};
use crate::growth;
use crate::job::Job;
use crate::machine::Machine;
use crate::peers::python::{Python, Recipe};
use crate::peers::{self, Peer};
use crate::real;
use crate::row::{Header, Missing, Report, Row};
use crate::tasks;
use anyhow::{Context, Result};
use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;

/// What to run, and where to put what is found.
#[derive(Debug)]
pub struct Plan {
    /// The cases.
    pub jobs: Vec<Job>,
    /// The environment of the peers, if they are to be run.
    pub peers: Option<Recipe>,
    /// The folder of the inputs.
    pub inputs: PathBuf,
    /// The folder of real data that is not part of the project.
    pub data: PathBuf,
    /// The file to write.
    pub json: Option<PathBuf>,
}

/// The peers' environment, the reason why there is none, or nothing if it is not wanted.
type Environment = Option<Result<Python>>;

impl Plan {
    /// Runs all jobs. One that fails does not stop the others. Returns how many failed; a peer that
    /// is missing is reported, and is no failure.
    ///
    /// # Errors
    /// If something cannot be written.
    pub fn run(&self) -> Result<usize> {
        let mut report = Report::new(Machine::this());
        self.save(&report)?;
        let environment = self.environment();
        println!("{Header}");
        let mut failures = 0;
        for (i, job) in self.jobs.iter().enumerate() {
            eprintln!("[{}/{}] {job}", i + 1, self.jobs.len());
            if let Some(reason) = real::lacking(&job.variant, job.size, &self.data) {
                let missing = Missing { implementation: "kern".to_owned(), ..of(job, reason) };
                println!("{job}\n{missing}");
                report.missing.push(missing);
                continue;
            }
            if let Err(error) = self.run_job(job, &environment, &mut report) {
                eprintln!("failed: {error:#}");
                failures += 1;
            }
            // After each job, so that an interrupted run leaves what it has found.
            self.save(&report)?;
        }
        for row in growth::exponents(&report.rows) {
            println!("{} {} {}, threads: {}\n{row}", row.task, row.variant, row.dtype, row.threads);
            report.rows.push(row);
        }
        self.save(&report)?;
        Ok(failures)
    }

    fn environment(&self) -> Environment {
        let peers: Vec<&Peer> = self.jobs.iter().flat_map(peers::of).collect();
        let packages: BTreeSet<&str> = peers.iter().map(|peer| peer.package).collect();
        self.peers.as_ref().map(|recipe| recipe.make(&packages))
    }

    fn save(&self, report: &Report) -> Result<()> {
        self.json.as_ref().map_or(Ok(()), |path| report.write(path))
    }

    fn run_job(&self, job: &Job, environment: &Environment, report: &mut Report) -> Result<()> {
        let folder = job.folder(&self.inputs);
        fs::create_dir_all(&folder).with_context(|| format!("cannot make {}", folder.display()))?;
        let mut missing = Vec::new();
        let mut running = Vec::new();
        let mut command = job.command(&self.inputs)?;
        command.env(real::FOLDER, &self.data);
        let kern = Entrant { command, log: folder.join("kern.log") };
        let mut entrants = vec![kern];
        for peer in peers::of(job) {
            match environment {
                None => {}
                Some(Err(error)) => missing.push(lacking(job, peer, format!("{error:#}"))),
                Some(Ok(python)) => match python.fault(peer) {
                    Some(fault) => missing.push(lacking(job, peer, fault.to_owned())),
                    None => {
                        running.push(peer);
                        let command = python.command(peer, job, &folder);
                        let log = folder.join(peer.function).with_extension("log");
                        entrants.push(Entrant { command, log });
                    }
                },
            }
        }
        let mut results = contest::hold(entrants, Patience::default()).into_iter();
        let kern = results.next().context("nobody took part")?;
        let mut rows = Vec::new();
        for (peer, result) in running.into_iter().zip(results) {
            match result {
                Ok(row) => rows.push(named(row, peer)),
                Err(error) => missing.push(lacking(job, peer, format!("{error:#}"))),
            }
        }
        publish(job, kern, rows, missing, report)
    }
}

fn lacking(job: &Job, peer: &Peer, reason: String) -> Missing {
    Missing { implementation: peer.name(), ..of(job, reason) }
}

/// Nobody's yet.
fn of(job: &Job, reason: String) -> Missing {
    Missing {
        task: job.task.clone(),
        implementation: String::new(),
        variant: job.variant.clone(),
        dtype: job.dtype.to_string(),
        threads: job.threads,
        reason,
    }
}

/// A peer says its package and version; how it did the task is ours to say.
fn named(row: Row, peer: &Peer) -> Row {
    Row { implementation: format!("{}, {}", row.implementation, peer.about), ..row }
}

/// Prints what one job found, and adds it to the report.
fn publish(
    job: &Job,
    kern: Result<Row>,
    mut peers: Vec<Row>,
    missing: Vec<Missing>,
    report: &mut Report,
) -> Result<()> {
    let comparison = match &kern {
        Ok(kern) if !peers.is_empty() || !missing.is_empty() => {
            Some(Comparison::of(tasks::find(&job.task)?, kern, &mut peers, missing.len()))
        }
        _ => None,
    };
    println!("{job}");
    kern.iter().chain(&peers).for_each(|row| println!("{row}"));
    missing.iter().for_each(|missing| println!("{missing}"));
    comparison.iter().for_each(|comparison| println!("  kern: {comparison}"));
    report.missing.extend(missing);
    report.comparisons.extend(comparison);
    let failure = kern.map(|kern| report.rows.push(kern));
    report.rows.extend(peers);
    failure
}
