//! `bench`: runs tasks, each case in a process of its own, and prints a table of rows.
#![allow(clippy::print_stdout, reason = "the table, the list and the rows are the output")]

use anyhow::{Result, ensure};
use clap::{Parser, Subcommand};
use kern_benches::job::Job;
use kern_benches::machine::Machine;
use kern_benches::row::{Header, Report};
use kern_benches::tasks::{self, Size, Task};
use std::path::PathBuf;
use std::process::ExitCode;
use std::thread::available_parallelism;

/// Times of the kern library, with the figures that say how good the answers are.
#[derive(Debug, Parser)]
#[command(args_conflicts_with_subcommands = true)]
struct Arguments {
    /// Run this task only; may be repeated
    #[arg(long = "task", value_name = "TASK")]
    tasks: Vec<String>,
    /// Small inputs: for a look, not for a result
    #[arg(long)]
    quick: bool,
    /// Numbers of threads [default: 2, or 1 on a single core]
    #[arg(long, value_delimiter = ',', value_name = "N,…")]
    threads: Vec<usize>,
    /// Write the rows to a file, too
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// List the tasks and their variants
    #[arg(long)]
    list: bool,
    #[command(subcommand)]
    hidden: Option<Hidden>,
}

/// What the program runs of itself.
#[derive(Debug, Subcommand)]
enum Hidden {
    /// Measures one case and prints its row as JSON
    #[command(hide = true, name = kern_benches::job::RUN_ONE)]
    RunOne(Job),
}

fn main() -> Result<ExitCode> {
    let arguments = Arguments::parse();
    match &arguments.hidden {
        Some(Hidden::RunOne(job)) => {
            println!("{}", serde_json::to_string(&job.run_on_own_pool()?)?);
            Ok(ExitCode::SUCCESS)
        }
        None if arguments.list => {
            list();
            Ok(ExitCode::SUCCESS)
        }
        None => run(&arguments),
    }
}

fn list() {
    for task in tasks::ALL {
        println!("{:<15} {}", task.name, task.about);
        for (variant, dtype) in task.cases {
            println!("    {variant} {dtype}");
        }
    }
}

/// Runs all jobs. One that fails does not stop the others, but fails the program in the end.
fn run(arguments: &Arguments) -> Result<ExitCode> {
    let tasks: Vec<&Task> = match arguments.tasks.as_slice() {
        [] => tasks::ALL.to_vec(),
        names => names.iter().map(|name| tasks::find(name)).collect::<Result<_>>()?,
    };
    let threads = match arguments.threads.as_slice() {
        [] => vec![available_parallelism().map_or(1, usize::from).min(2)],
        threads => threads.to_vec(),
    };
    ensure!(!threads.contains(&0), "the number of threads must be at least 1, got 0");
    let size = if arguments.quick { Size::Quick } else { Size::Full };
    let jobs = Job::all(&tasks, size, &threads);
    let mut report = Report { machine: Machine::this(), rows: Vec::new() };
    let save = |report: &Report| arguments.json.as_ref().map_or(Ok(()), |path| report.write(path));
    save(&report)?;

    println!("{Header}");
    let mut failures = 0;
    for (i, job) in jobs.iter().enumerate() {
        let Job { task, variant, dtype, threads, .. } = job;
        eprintln!("[{}/{}] {task} {variant} {dtype}, threads: {threads}", i + 1, jobs.len());
        match job.spawn() {
            Ok(row) => {
                println!("{row}");
                report.rows.push(row);
                // After each row, so that an interrupted run leaves what it has found.
                save(&report)?;
            }
            Err(error) => {
                eprintln!("failed: {error:#}");
                failures += 1;
            }
        }
    }
    Ok(if failures == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
