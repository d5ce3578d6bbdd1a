//! `bench`: runs tasks, each case in processes of its own, and prints a table of rows.
#![allow(clippy::print_stdout, reason = "the list is the output")]

use anyhow::{Context, Result, ensure};
use clap::{Parser, Subcommand};
use kern_benches::job::Job;
use kern_benches::peers;
use kern_benches::peers::python::Recipe;
use kern_benches::real;
use kern_benches::runner::Plan;
use kern_benches::tasks::{self, Size, Task};
use std::env;
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
    /// Measure what users would take instead, too, taking turns with it
    #[arg(long)]
    peers: bool,
    /// Do not install this package, with --peers; may be repeated
    #[arg(long, value_name = "PACKAGE")]
    without: Vec<String>,
    /// The Python to make the peers' environment from
    #[arg(long, value_name = "COMMAND", default_value = "python3")]
    python: String,
    /// Numbers of threads [default: 2, or 1 on a single core]
    #[arg(long, value_delimiter = ',', value_name = "N,…")]
    threads: Vec<usize>,
    /// Write the rows to a file, too
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Keep inputs and the peers' environment here [default: beside this program's build]
    #[arg(long, value_name = "DIR")]
    cache: Option<PathBuf>,
    /// Take real data that is not part of the project from here [default: KERN_DATA, or shared/data
    /// beside the workspace]
    #[arg(long, value_name = "DIR")]
    data: Option<PathBuf>,
    /// List the tasks with their variants and peers
    #[arg(long)]
    list: bool,
    #[command(subcommand)]
    hidden: Option<Hidden>,
}

/// What the program runs of itself.
#[derive(Debug, Subcommand)]
enum Hidden {
    /// Measures one case, as standard input says, and prints its row as JSON
    #[command(hide = true, name = kern_benches::job::RUN_ONE)]
    RunOne {
        #[command(flatten)]
        job: Job,
        /// The folder of the inputs
        #[arg(long)]
        inputs: PathBuf,
    },
}

fn main() -> Result<ExitCode> {
    let arguments = Arguments::parse();
    match &arguments.hidden {
        Some(Hidden::RunOne { job, inputs }) => {
            job.serve(inputs)?;
            Ok(ExitCode::SUCCESS)
        }
        None if arguments.list => {
            list();
            Ok(ExitCode::SUCCESS)
        }
        None => {
            let failures = plan(arguments)?.run()?;
            Ok(if failures == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
        }
    }
}

fn list() {
    for task in tasks::ALL {
        println!("{:<15} {}", task.name, task.about);
        for (variant, dtype) in task.cases {
            println!("    {variant} {dtype}");
        }
        for peer in peers::ALL.iter().filter(|peer| peer.task == task.name) {
            println!("    peer: {}", peer.name());
        }
    }
}

fn plan(arguments: Arguments) -> Result<Plan> {
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
    let cache = arguments.cache.map_or_else(beside_the_build, Ok)?;
    let recipe = Recipe {
        interpreter: arguments.python,
        folder: cache.join("bench-peers"),
        without: arguments.without,
    };
    Ok(Plan {
        jobs: Job::all(&tasks, size, &threads),
        peers: arguments.peers.then_some(recipe),
        inputs: cache.join("bench-inputs"),
        data: arguments.data.unwrap_or_else(real::folder),
        json: arguments.json,
    })
}

/// `target`, if this program is `target/release/bench`.
fn beside_the_build() -> Result<PathBuf> {
    let program = env::current_exe().context("this program does not know its own path")?;
    let folder = program.ancestors().nth(2).context("this program is in no folder")?;
    Ok(folder.to_owned())
}
