//! `cargo xtask ci`: the steps of CI, so that "it passes here" and "it passes there" are the same.

use std::fmt;
use std::path::Path;
use std::process::Command;
use std::time::Instant;

use anyhow::{Context, Result, ensure};

use crate::{commands, tidy};

/// The steps, cheapest first: a slip in formatting should not cost a build. The demo of the README is one of the
/// programs that the tests run.
const STEPS: [Step; 10] = [
    Step::cargo("cargo fmt --all --check"),
    Step::Tidy,
    // Packages that are no members.
    Step::cargo("cargo fmt --manifest-path benches/rust-peers/Cargo.toml --check"),
    Step::cargo("cargo fmt --manifest-path fuzz/Cargo.toml --check"),
    Step::cargo("cargo fmt --manifest-path bindings/python/Cargo.toml --check"),
    Step::cargo("cargo clippy --workspace --all-targets --locked -- -D warnings"),
    Step::Alone,
    Step::cargo(commands::TEST),
    Step::Shell {
        command: "cargo doc --workspace --no-deps --locked",
        env: Some(("RUSTDOCFLAGS", "-D warnings")),
    },
    // The wheel, and the tests of the Python package in an environment of their own.
    Step::cargo("bash bindings/python/check.sh"),
];

/// One step of CI.
enum Step {
    /// The house rules, in this process.
    Tidy,
    /// Each library crate by itself: in the workspace a feature that one crate asks for is there for all.
    Alone,
    /// A program with its arguments, separated by single spaces, and one environment variable.
    Shell { command: &'static str, env: Option<(&'static str, &'static str)> },
}

impl Step {
    const fn cargo(command: &'static str) -> Self {
        Self::Shell { command, env: None }
    }

    fn run(&self, root: &Path) -> Result<()> {
        match self {
            Self::Tidy => tidy::run(root),
            Self::Alone => alone().iter().try_for_each(|command| run_command(command, None, root)),
            Self::Shell { command, env } => run_command(command, *env, root),
        }
    }
}

/// The loop of who works on one package: its form, the house rules, clippy and its tests.
pub(crate) fn check(root: &Path, package: &str) -> Result<()> {
    run_command(&format!("cargo fmt --check --package {package}"), None, root)?;
    tidy::run(root)?;
    let clippy = format!("cargo clippy --all-targets --locked --package {package} -- -D warnings");
    run_command(&clippy, None, root)?;
    run_command(&format!("cargo test --locked --package {package}"), None, root)
}

/// The commands that check each library crate by itself with the fewest features, where no other crate asks for one that it
/// forgot; and the facade with all, of which tests of the workspace have most.
fn alone() -> Vec<String> {
    const ALONE: [&str; 6] = [
        "kern-core --no-default-features",
        "kern-gram --no-default-features",
        "kern-approx --no-default-features",
        "kern-solvers --no-default-features",
        "kern --no-default-features",
        "kern --all-features",
    ];
    ALONE.map(|package| format!("cargo check --quiet --locked --package {package}")).into()
}

fn run_command(command: &str, env: Option<(&str, &str)>, root: &Path) -> Result<()> {
    let status = process(command, env)?.current_dir(root).status();
    let status = status.with_context(|| format!("cannot start `{command}`"))?;
    ensure!(status.success(), "`{command}` ended with {status}");
    Ok(())
}

fn process(command: &str, env: Option<(&str, &str)>) -> Result<Command> {
    let mut words = command.split_whitespace();
    let mut process = Command::new(words.next().context("a step without a command")?);
    process.args(words).envs(env);
    Ok(process)
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Tidy => write!(f, "cargo xtask tidy"),
            Self::Alone => write!(f, "cargo check of each library crate by itself"),
            Self::Shell { command, env: None } => write!(f, "{command}"),
            Self::Shell { command, env: Some((name, value)) } => {
                write!(f, "{name}=\"{value}\" {command}")
            }
        }
    }
}

/// Prints the steps, one a line.
pub(crate) fn list() {
    for step in &STEPS {
        println!("{step}");
    }
}

/// Runs the steps up to the first failure.
pub(crate) fn run(root: &Path) -> Result<()> {
    run_steps(&STEPS, root)
}

fn run_steps(steps: &[Step], root: &Path) -> Result<()> {
    let start = Instant::now();
    for (i, step) in steps.iter().enumerate() {
        println!("\n=== {}/{}  {step}", i + 1, steps.len());
        let step_start = Instant::now();
        let outcome = step.run(root);
        let word = if outcome.is_ok() { "passed" } else { "FAILED" };
        println!("=== {word} in {:.1} s", step_start.elapsed().as_secs_f64());
        outcome.with_context(|| format!("step {} failed: {step}", i + 1))?;
    }
    println!("\n=== all {} steps passed in {:.1} s", steps.len(), start.elapsed().as_secs_f64());
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_print_as_they_are_typed() {
        let lines: Vec<String> = STEPS.iter().map(Step::to_string).collect();
        assert_eq!(lines[1], "cargo xtask tidy");
        assert_eq!(lines[7], commands::TEST);
        assert_eq!(
            lines[8],
            "RUSTDOCFLAGS=\"-D warnings\" cargo doc --workspace --no-deps --locked"
        );
    }

    #[test]
    fn the_first_failure_ends_the_run() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        let good = || Step::cargo("cargo --version");
        assert!(run_steps(&[good(), good()], root).is_ok());
        let absent = Step::cargo("kern-no-such-program");
        let error = run_steps(&[good(), Step::cargo("cargo --no-such-flag"), absent], root);
        let message = error.unwrap_err().to_string();
        assert_eq!(message, "step 2 failed: cargo --no-such-flag");
    }

    #[test]
    fn a_step_runs_what_it_prints() {
        let process = process("cargo doc --no-deps", Some(("RUSTDOCFLAGS", "-D warnings")));
        let process = process.unwrap();
        let words: Vec<_> = process.get_args().collect();
        assert_eq!(
            (process.get_program(), words),
            ("cargo".as_ref(), vec!["doc".as_ref(), "--no-deps".as_ref()])
        );
        let env: Vec<_> = process.get_envs().collect();
        assert_eq!(env, [("RUSTDOCFLAGS".as_ref(), Some("-D warnings".as_ref()))]);
    }
}
