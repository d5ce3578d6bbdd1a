//! The command line of kern.
//!
//! The program is `kern`; [`main`] is all of it, for packages that bring it along.
//!
//! Answers go to standard output, everything else to standard error. The exit code is 0, 1 after an error, and 2 if the
//! command line itself is wrong. `kern help` has all commands and options.
//!
//! # Examples
//! ```
//! // As `kern kernels --json` does.
//! assert_eq!(kern_cli::main(["kern", "kernels", "--json"]), std::process::ExitCode::SUCCESS);
//! ```
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "this is a program")]

mod commands;
mod hints;
mod input;
mod output;
mod pictures;
mod watch;

use clap::{CommandFactory, Parser, Subcommand};
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
    /// Learn a model from a file, and save it.
    Train(commands::train::Train),
    /// Answer for the rows of a file.
    Predict(commands::predict::Predict),
    /// Compare the answers of a model with the targets in a file.
    Evaluate(commands::evaluate::Evaluate),
    /// Find clusters among the rows of a file.
    Cluster(commands::cluster::Cluster),
    /// Show what a model is, and what it was learned from.
    Inspect(commands::inspect::Inspect),
    /// Show what each way of learning from a file would cost.
    Plan(commands::plan::Plan),
    /// List the kernels that formulas may name.
    Kernels(commands::kernels::Kernels),
    /// Write completions for a shell.
    Completions {
        /// The shell.
        shell: clap_complete::Shell,
    },
    /// Write the manual page.
    Man,
}

/// Runs the program with these arguments, of which the first one is its name.
///
/// A command line that is wrong, and help, end the process.
pub fn main<A: Into<OsString> + Clone>(arguments: impl IntoIterator<Item = A>) -> ExitCode {
    match run(Cli::parse_from(arguments).command) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) if is_broken_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {}", message(&error));
            if let Some(hint) = hints::hint(&error) {
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

/// An error with its causes, without those that it repeats.
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

/// The reader of the answers has closed the pipe: it has enough of them.
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
