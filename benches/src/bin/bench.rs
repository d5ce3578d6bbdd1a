//! `bench`: runs tasks, each case in processes of its own, and reports what it finds.
#![allow(clippy::print_stdout, reason = "the report is the output")]

use anyhow::{Context, Result, ensure};
use clap::{Parser, Subcommand};
use kern_benches::case::Size;
use kern_benches::confirm;
use kern_benches::found::Report;
use kern_benches::history;
use kern_benches::job::Job;
use kern_benches::limits::{Extent, Limits};
use kern_benches::peers::{self, Recipes, python, rust};
use kern_benches::provenance::{self, Provenance};
use kern_benches::real;
use kern_benches::report::{self, markdown, readme, sections};
use kern_benches::runner::Plan;
use kern_benches::serve;
use kern_benches::slowdown::Changes;
use kern_benches::tasks::{self, Task};
use std::env;
use std::io::{self, Write};
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
    /// Do not install or build this package, with --peers; may be repeated
    #[arg(long, value_name = "PACKAGE")]
    without: Vec<String>,
    /// The Python to make the peers' environment from
    #[arg(long, value_name = "COMMAND", default_value = "python3")]
    python: String,
    /// The cargo to build peers in Rust with
    #[arg(long, value_name = "COMMAND", default_value = "cargo")]
    cargo: String,
    /// Numbers of threads [default: 2, or 1 on a single core]
    #[arg(long, value_delimiter = ',', value_name = "N,…")]
    threads: Vec<usize>,
    /// Write the rows to a file, too, as they come
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Write report.html, report.md and report.json into a folder
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Keep the report in benches/record
    #[arg(long)]
    record: bool,
    /// Write the headline into docs/performance.md
    #[arg(long)]
    readme: bool,
    /// Compare with a recorded run, and fail if something has become slower
    #[arg(long, value_name = "FILE")]
    compare: Option<PathBuf>,
    /// Do not measure: take this recorded run
    #[arg(long, value_name = "FILE")]
    from: Option<PathBuf>,
    /// Go on with a run that was broken off, of the same command on the same processor: a file of --json
    #[arg(long, value_name = "FILE", conflicts_with = "from")]
    go_on: Option<PathBuf>,
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

/// Commands by which the program runs parts of itself.
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
    /// Fits a model for the first time in this process, and prints the time and the figures as JSON
    #[command(hide = true, name = kern_benches::tasks::FIRST_FIT)]
    FirstFit {
        #[arg(long)]
        model: String,
        /// The folder of the inputs
        #[arg(long)]
        inputs: PathBuf,
    },
    /// Measures the limits of the machine, and prints them as JSON
    #[command(hide = true, name = kern_benches::limits::MEASURE_LIMITS)]
    MeasureLimits {
        #[arg(long)]
        threads: usize,
        /// For a look, not for a result
        #[arg(long)]
        quick: bool,
    },
}

fn main() -> Result<ExitCode> {
    let arguments = Arguments::parse();
    match &arguments.hidden {
        Some(Hidden::RunOne { job, inputs }) => {
            serve::serve(job, inputs)?;
            Ok(ExitCode::SUCCESS)
        }
        Some(Hidden::FirstFit { model, inputs }) => {
            println!("{}", serde_json::to_string(&tasks::first_fit(model, inputs)?)?);
            Ok(ExitCode::SUCCESS)
        }
        Some(Hidden::MeasureLimits { threads, quick }) => {
            rayon::ThreadPoolBuilder::new().num_threads(*threads).build_global()?;
            let extent = if *quick { Extent::QUICK } else { Extent::FULL };
            println!("{}", serde_json::to_string(&Limits::measure(extent)?)?);
            Ok(ExitCode::SUCCESS)
        }
        None if arguments.list => {
            match list(io::stdout().lock()) {
                // Whoever reads has seen enough.
                Err(error) if error.kind() == io::ErrorKind::BrokenPipe => {}
                listed => listed?,
            }
            Ok(ExitCode::SUCCESS)
        }
        None => report(arguments),
    }
}

/// Measures, or takes what was, and reports it in all ways that were asked for. A case that failed or
/// has become slower is a failure.
fn report(arguments: Arguments) -> Result<ExitCode> {
    // Before hours of work: what is not there then cannot be compared with.
    let then = arguments.compare.as_deref().map(Report::read).transpose()?;
    let (out, record, readme) = (arguments.out.clone(), arguments.record, arguments.readme);
    let (report, mut failures, plan) = match &arguments.from {
        Some(path) => (Report::read(path)?, 0, None),
        None => {
            let plan = plan(arguments)?;
            let (report, failures) = plan.run()?;
            (report, failures, Some(plan))
        }
    };
    let records = records();
    print!("{}", markdown::text(&sections::document(&report, &records)));
    if let Some(folder) = out {
        report::write(&report, &records, &folder)?;
        eprintln!("report: {}", folder.join("report.html").display());
    }
    if record {
        eprintln!("recorded: {}", history::record(&report, &provenance::workspace())?.display());
    }
    if readme {
        readme::write(&report, &records, &provenance::workspace())?;
    }
    if let Some(then) = then {
        let changes = match plan {
            Some(plan) => confirm::changes(&then, report, plan)?,
            None => Changes::between(&then, &report)?,
        };
        println!("\n## Then and now\n\n{}", markdown::table(&changes.table()));
        changes.lost.iter().for_each(|case| println!("\nnot in this run: {case}"));
        changes.new.iter().for_each(|case| println!("\nnot recorded: {case}"));
        println!("\ndrift between the runs: {:.2}", changes.drift);
        println!("\nslower, beyond noise: {}", changes.slower());
        failures += changes.slower();
    }
    Ok(if failures == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// The recorded runs. One that cannot be read is named, and left out: what was measured is worth more.
fn records() -> Vec<Report> {
    let records = history::all(&provenance::workspace()).into_iter();
    let named = |error| eprintln!("not shown: {error:#}");
    records.filter_map(|record| record.map_err(named).ok()).collect()
}

impl Arguments {
    /// The command that measures the same, without what only says where files are.
    fn command(&self) -> String {
        let mut words = vec!["cargo xtask bench".to_owned()];
        words.extend(self.quick.then(|| "--quick".to_owned()));
        words.extend(self.peers.then(|| "--peers".to_owned()));
        words.extend(self.tasks.iter().map(|task| format!("--task {task}")));
        words.extend(self.without.iter().map(|package| format!("--without {package}")));
        if !self.threads.is_empty() {
            let threads: Vec<String> = self.threads.iter().map(ToString::to_string).collect();
            words.push(format!("--threads {}", threads.join(",")));
        }
        words.join(" ")
    }
}

fn list(mut out: impl Write) -> io::Result<()> {
    for task in tasks::ALL {
        writeln!(out, "{:<15} {}", task.name, task.about)?;
        for (variant, dtype) in task.cases {
            writeln!(out, "    {variant} {dtype}")?;
        }
        for peer in peers::ALL.iter().filter(|peer| peer.task == task.name) {
            writeln!(out, "    peer: {}", peer.name())?;
        }
    }
    Ok(())
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
    let provenance = Provenance::now(arguments.command(), size);
    let cache = arguments.cache.map_or_else(beside_the_build, Ok)?;
    let without = arguments.without;
    let recipes = Recipes {
        python: python::Recipe {
            interpreter: arguments.python,
            folder: cache.join("bench-peers"),
            without: without.clone(),
        },
        rust: rust::Recipe { cargo: arguments.cargo, folder: cache.clone(), without },
    };
    Ok(Plan {
        jobs: tasks::jobs(&tasks, size, &threads),
        peers: arguments.peers.then_some(recipes),
        inputs: cache.join("bench-inputs"),
        data: arguments.data.unwrap_or_else(real::folder),
        json: arguments.json.or_else(|| arguments.go_on.clone()),
        provenance,
        earlier: arguments.go_on.as_deref().map(Report::read).transpose()?,
    })
}

/// `target`, if this program is `target/release/bench`.
fn beside_the_build() -> Result<PathBuf> {
    let program = env::current_exe().context("this program does not know its own path")?;
    let folder = program.ancestors().nth(2).context("this program is in no folder")?;
    Ok(folder.to_owned())
}
