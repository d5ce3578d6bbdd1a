//! The command line of kern.
//!
//! The program is `kern`; [`main`] is its entry point, for packages that include it.
//!
//! Predictions go to standard output, everything else to standard error. The exit code is 0 on
//! success, 1 after an error, and 2 for an invalid command line. `kern help` lists all commands and
//! options.
//!
//! # Examples
//! ```
//! // As `kern kernels --json` does.
//! assert_eq!(kern_cli::main(["kern", "kernels", "--json"]), std::process::ExitCode::SUCCESS);
//! ```
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "this is a program")]

mod commands;
mod files;
mod pictures;
mod report;
mod scores;
mod watch;

use clap::{CommandFactory, Parser, Subcommand};
use kern_data::Error as DataError;
use kern_solvers::file;
use kern_table::Error;
use std::ffi::OsString;
use std::process::ExitCode;

/// Kernel methods: from a file to a tuned, saved model.
#[derive(Debug, Parser)]
#[command(name = "kern", version, max_term_width = 100)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Train a model on a file, and save it.
    Train(commands::train::Train),
    /// Predict for the rows of a file.
    Predict(commands::predict::Predict),
    /// Compare the predictions of a model with the targets in a file.
    Evaluate(commands::evaluate::Evaluate),
    /// Write an HTML page about a model and its predictions for a file with targets.
    Report(commands::report::Report),
    /// Find clusters among the rows of a file.
    Cluster(commands::cluster::Cluster),
    /// Describe a model and its training data.
    Inspect(commands::inspect::Inspect),
    /// Estimate the cost of each way to train on a file.
    Plan(commands::plan::Plan),
    /// List the kernels available in formulas.
    Kernels(commands::kernels::Kernels),
    /// Write completions for a shell.
    Completions {
        /// The shell.
        shell: clap_complete::Shell,
    },
    /// Write the manual page.
    Man,
}

/// Runs the program with these arguments; the first is the program name.
///
/// An invalid command line, or a request for help, exits the process.
pub fn main<A: Into<OsString> + Clone>(arguments: impl IntoIterator<Item = A>) -> ExitCode {
    match run(Cli::parse_from(arguments).command) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) if is_broken_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {}", message(&error));
            if let Some(hint) = hint(&error) {
                eprintln!("hint: {hint}");
            }
            ExitCode::FAILURE
        }
    }
}

fn run(command: Command) -> anyhow::Result<()> {
    match command {
        Command::Train(train) => train.run(),
        Command::Predict(predict) => predict.run(),
        Command::Evaluate(evaluate) => evaluate.run(),
        Command::Report(report) => report.run(),
        Command::Cluster(cluster) => cluster.run(),
        Command::Inspect(inspect) => inspect.run(),
        Command::Plan(plan) => plan.run(),
        Command::Kernels(kernels) => kernels.run(),
        Command::Completions { shell } => {
            clap_complete::generate(shell, &mut Cli::command(), "kern", &mut std::io::stdout());
            Ok(())
        }
        Command::Man => Ok(clap_mangen::Man::new(Cli::command()).render(&mut std::io::stdout())?),
    }
}

/// Formats an error with its causes, without repetitions.
fn message(error: &anyhow::Error) -> String {
    let mut message = String::new();
    for cause in error.chain().map(ToString::to_string) {
        if message.is_empty() {
            message = cause;
        } else if !message.contains(&cause) {
            message = format!("{message}: {cause}");
        }
    }
    message
}

/// A hint for an error, if there is one.
fn hint(error: &anyhow::Error) -> Option<&'static str> {
    let data = error.chain().find_map(|cause| cause.downcast_ref::<DataError>());
    let table = error.chain().find_map(|cause| cause.downcast_ref::<Error>());
    let data = data.or(match table {
        Some(Error::Data(data)) => Some(data),
        _ => None,
    });
    if let Some(data) = data {
        return of_data(data);
    }
    if let Some(table) = table {
        return of_table(table);
    }
    error.chain().find_map(|cause| cause.downcast_ref::<file::Error>()).and_then(of_file)
}

fn of_data(error: &DataError) -> Option<&'static str> {
    match error {
        DataError::UnknownFormat { .. } => Some("say it: --format csv"),
        DataError::TooLarge { .. } => Some("kern train --stream reads a file in batches"),
        DataError::Missing { .. } => {
            Some("rows without a target cannot be learned from: take them out")
        }
        DataError::Value { .. } => Some(
            "--number COLUMN treats such values as missing; in training, --text COLUMN or --category COLUMN read them as words",
        ),
        DataError::Kind { .. } => Some(
            "the columns must have the kinds that the model has learned from; a model of an earlier version has numbers for \
             dates and times: train it again",
        ),
        _ => None,
    }
}

fn of_table(error: &Error) -> Option<&'static str> {
    match error {
        Error::NoTarget { .. } => Some("--target COLUMN"),
        Error::Core(kern_core::Error::UnknownName { what: "kernel", .. }) => {
            Some("kern kernels lists the kernels and their parameters")
        }
        Error::Core(kern_core::Error::NotMercer { .. }) => Some(
            "assume_mercer(…) around a kernel says that it is positive semi-definite on this data",
        ),
        Error::Solvers(kern_solvers::Error::TooLong { .. }) => Some(
            "--landmarks 1000 is an approximation that takes less; a longer --time-limit, or none, allows more",
        ),
        Error::Solvers(kern_solvers::Error::NoCandidate { .. }) => {
            Some("--time-limit SECONDS, --tune 2, --halving or --landmarks NUMBER")
        }
        Error::NothingReached { .. } | Error::Solvers(kern_solvers::Error::Stopped { .. }) => {
            Some("--time-limit SECONDS allows more, --landmarks 1000 takes less")
        }
        Error::NewClass { .. } => Some("--batch ROWS"),
        _ => None,
    }
}

fn of_file(error: &file::Error) -> Option<&'static str> {
    match error {
        file::Error::NoModel => {
            Some("kern train writes models; the order of arguments is MODEL FILE")
        }
        _ => None,
    }
}

/// Returns true if the reader of standard output has closed the pipe.
fn is_broken_pipe(error: &anyhow::Error) -> bool {
    let is_broken = |kind| kind == Some(std::io::ErrorKind::BrokenPipe);
    error.chain().any(|cause| {
        let io = cause.downcast_ref::<std::io::Error>().map(std::io::Error::kind);
        let json =
            cause.downcast_ref::<serde_json::Error>().and_then(serde_json::Error::io_error_kind);
        let csv = match cause.downcast_ref::<csv::Error>().map(csv::Error::kind) {
            Some(csv::ErrorKind::Io(error)) => Some(error.kind()),
            _ => None,
        };
        is_broken(io) || is_broken(json) || is_broken(csv)
    })
}
