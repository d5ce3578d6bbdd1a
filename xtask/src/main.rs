//! The chores of the kern library: `cargo xtask check`, `cargo xtask tidy`, `cargo xtask ci`, `cargo xtask bench`, `cargo xtask evidence`,
//! `cargo xtask mutants`, `cargo xtask public-types`, `cargo xtask size`, `cargo xtask tables`.

#![expect(clippy::print_stdout, reason = "a command line tool reports on standard output")]

mod bench;
mod ci;
mod commands;
mod evidence;
mod mutants;
mod public_types;
mod size;
mod tables;
mod tidy;

use std::env;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, Result};
use clap::{Parser, Subcommand};

/// Chores of the kern library.
#[derive(Debug, Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask")]
struct Cli {
    #[command(subcommand)]
    task: Task,
}

#[derive(Debug, Subcommand)]
enum Task {
    /// Check the house rules that rustc, clippy and rustfmt do not know
    Tidy,
    /// Check one package while you work on it: form, house rules, clippy, tests
    Check {
        /// The package, such as kern-gram
        package: String,
    },
    /// Run what CI runs, in its order, up to the first failure
    Ci {
        /// Only print the steps
        #[arg(long)]
        list: bool,
    },
    /// Show on real data what the library claims, and write docs/evidence.md; missing data is a failure
    Evidence {
        /// The folder of the data
        #[arg(long, value_name = "DIR")]
        data: PathBuf,
    },
    /// Change the code in small ways, and list the changes that no test notices
    Mutants {
        /// These files only; all that are listed in the source of this command, if none is named
        #[arg(value_name = "FILE")]
        files: Vec<PathBuf>,
    },
    /// Measure what builds cost: first results, edits, lines and bytes that a user's program compiles
    Size {
        /// Build the wheel of the Python package, too
        #[arg(long)]
        wheel: bool,
        /// A missed bar is a failure
        #[arg(long)]
        check: bool,
    },
    /// List the types and traits of other crates in public signatures, with where they are used
    PublicTypes {
        /// An item that docs/decisions/public-types.md does not name is a failure
        #[arg(long)]
        check: bool,
    },
    /// Learn public tables beside tuned peers; further arguments are those of benches/tables/run.py, such as --seconds 60
    Tables {
        /// The folder of the data
        #[arg(long, value_name = "DIR")]
        data: PathBuf,
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        args: Vec<String>,
    },
    /// Run the benches; all arguments are theirs
    #[command(disable_help_flag = true)]
    Bench {
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        args: Vec<String>,
    },
}

fn main() -> ExitCode {
    match run(Cli::parse().task) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            // Not the `Debug` form: whoever broke a rule has no use for a backtrace of this tool.
            eprintln!("{error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run(task: Task) -> Result<()> {
    // Cargo names the folder at run time. What was compiled in may be another clone's, if clones
    // share a folder for what they build.
    let package = env::var_os("CARGO_MANIFEST_DIR").context("to be started by `cargo xtask`")?;
    let root = Path::new(&package).parent().context("xtask lies in the workspace")?;
    match task {
        Task::Tidy => tidy::run(root),
        Task::Check { package } => ci::check(root, &package),
        Task::Ci { list: true } => {
            ci::list();
            Ok(())
        }
        Task::Ci { list: false } => ci::run(root),
        Task::Evidence { data } => evidence::run(root, &data),
        Task::Mutants { files } => mutants::run(root, &files),
        Task::Size { wheel, check } => size::run(root, wheel, check),
        Task::PublicTypes { check } => public_types::run(root, check),
        Task::Tables { data, args } => tables::run(root, &data, &args),
        Task::Bench { args } => bench::run(root, &args),
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn the_command_line_is_consistent() {
        Cli::command().debug_assert();
    }

    #[test]
    fn bench_keeps_every_argument() {
        let cli = Cli::parse_from(["xtask", "bench", "gram", "--help", "--", "-n", "10"]);
        let Task::Bench { args } = cli.task else { panic!("not a bench: {:?}", cli.task) };
        assert_eq!(args, ["gram", "--help", "--", "-n", "10"]);
    }
}
