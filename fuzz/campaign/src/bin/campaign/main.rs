//! `campaign`: runs random cases for some time, and reports what they found.
//!
//! Cases run in a child process, which says what it does line by line. A case that ends the process (a stack that overflows,
//! an allocation that is refused) or that takes too long is a finding as well, and the campaign goes on behind it.

#![expect(clippy::print_stdout, reason = "a command line tool reports on standard output")]

mod message;
mod report;
mod supervisor;
mod worker;

use anyhow::{Context, Result};
use clap::Parser;
use kern_campaign::{BODIES, Body, Draws};
use report::Report;
use std::process::ExitCode;
use std::time::Duration;

/// Random cases for kern: no panic, no number that is not finite, no certificate that does not hold.
#[derive(Debug, Parser)]
#[command(name = "campaign")]
struct Cli {
    /// Seconds for all bodies together
    #[arg(long, default_value_t = 60, conflicts_with = "cases")]
    seconds: u64,
    /// Cases of each body, in the place of seconds
    #[arg(long)]
    cases: Option<u64>,
    /// Seed of all cases
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// A body to run; all of them unless named
    #[arg(long, value_parser = named)]
    body: Vec<&'static Body>,
    /// A single case to repeat, with all that is known of it
    #[arg(long, requires = "body")]
    case: Option<u64>,
    /// The first case
    #[arg(long, default_value_t = 0)]
    first: u64,
    /// Run cases in this process, for the campaign's own use
    #[arg(long, hide = true)]
    worker: bool,
}

fn named(name: &str) -> Result<&'static Body, String> {
    let known = || BODIES.map(|body| body.name).join(", ");
    kern_campaign::body(name).ok_or_else(|| format!("expected one of {}", known()))
}

fn main() -> ExitCode {
    match run(&Cli::parse()) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("{error:#}");
            ExitCode::FAILURE
        }
    }
}

/// True if nothing was found.
fn run(cli: &Cli) -> Result<bool> {
    let all: Vec<&'static Body> = BODIES.iter().collect();
    let bodies = if cli.body.is_empty() { &all } else { &cli.body };
    if let Some(index) = cli.case {
        let body = bodies.first().context("a body of the case")?;
        let case = kern_campaign::tell(body, &mut Draws::of_case(body.name, cli.seed, index));
        print!("{case}");
        return Ok(case.findings().is_empty());
    }
    if cli.worker {
        let body = bodies.first().context("a body to work on")?;
        return worker::run(body, cli.seed, cli.first).map(|()| true);
    }
    let shares: u32 = bodies.iter().map(|body| body.share).sum();
    let mut report = Report::new(cli.seed);
    for body in bodies {
        let time = Duration::from_secs(cli.seconds) * body.share / shares;
        let end = supervisor::End { cases: cli.cases, time };
        supervisor::run(body, (cli.seed, cli.first), &end, &mut report)?;
    }
    print!("{report}");
    Ok(report.is_clean())
}
