//! Runs test programs until one of their tests fails.

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};

/// Tests that noticed a change are asked first about the next: so many of each program.
const ASKED_FIRST: usize = 12;

/// Time after which a loop is called endless: of the few tests that are asked first, and of all tests beside twice what they take
/// without a change.
const PATIENCE: Duration = Duration::from_secs(20);

/// A program that has less memory than this, in KiB, fails: a change may make a vector endless.
const MEMORY_KIB: &str = "8388608";

/// A test program, and what is known of it.
#[derive(Debug)]
pub(super) struct Program {
    pub(super) name: String,
    pub(super) executable: PathBuf,
    /// The folder of its package.
    pub(super) folder: PathBuf,
    /// Without a change.
    seconds: Duration,
    /// Tests that noticed a change, the last one last.
    noticed: Vec<String>,
}

/// The end of a program.
#[derive(Debug, PartialEq)]
pub(super) enum End {
    Passed,
    /// By this test; a program that died names none.
    Failed(Option<String>),
    OutOfTime,
}

impl Program {
    /// The program, which passes without a change.
    pub(super) fn new(name: String, executable: PathBuf, folder: &Path) -> Result<Self> {
        let folder = folder.to_owned();
        let mut program =
            Self { name, executable, folder, seconds: Duration::ZERO, noticed: Vec::new() };
        let start = Instant::now();
        let end = program.run(None, (&[], false), Duration::from_secs(3600))?;
        ensure!(end == End::Passed, "{}: {end:?} without a change", program.name);
        program.seconds = start.elapsed();
        Ok(program)
    }

    /// Asks whether a test of the program, with one of these words in its name if there are some, notices the change of this number.
    pub(super) fn notices(&mut self, number: u32, words: &[&str]) -> Result<End> {
        if !self.noticed.is_empty() {
            let first: Vec<_> = self.noticed.iter().rev().take(ASKED_FIRST).cloned().collect();
            let first: Vec<_> = first.iter().map(String::as_str).collect();
            let end = self.run(Some(number), (&first, true), PATIENCE)?;
            if end != End::Passed {
                return Ok(self.learn(end));
            }
        }
        let end = self.run(Some(number), (words, false), 2 * self.seconds + PATIENCE)?;
        Ok(self.learn(end))
    }

    fn learn(&mut self, end: End) -> End {
        if let End::Failed(Some(test)) = &end {
            self.noticed.retain(|known| known != test);
            self.noticed.push(test.clone());
        }
        end
    }

    /// Runs the tests of which the names are these or have one of these words, or all of them, up to the first that fails.
    fn run(
        &self,
        number: Option<u32>,
        (names, are_whole): (&[&str], bool),
        patience: Duration,
    ) -> Result<End> {
        let mut command = Command::new("sh");
        command.args(["-c", &format!("ulimit -v {MEMORY_KIB}; exec \"$@\""), "sh"]);
        command.arg(&self.executable).args(names);
        if are_whole {
            command.arg("--exact");
        }
        match number {
            Some(number) => command.env("KERN_MUTANT", number.to_string()),
            None => command.env_remove("KERN_MUTANT"),
        };
        command.current_dir(&self.folder).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn().with_context(|| format!("cannot start {}", self.name))?;
        let end = watch(&mut child, Instant::now() + patience)?;
        if end.is_some() {
            child.kill()?;
        }
        let status = child.wait()?;
        let died = || if status.success() { End::Passed } else { End::Failed(None) };
        Ok(end.unwrap_or_else(died))
    }
}

/// The end that shows before a program has ended, if there is one: a test that failed, or no time.
fn watch(child: &mut Child, deadline: Instant) -> Result<Option<End>> {
    let lines = lines(child)?;
    loop {
        let left = deadline.saturating_duration_since(Instant::now());
        match lines.recv_timeout(left) {
            Ok(line) => {
                if let Some(test) = failed(&line) {
                    return Ok(Some(End::Failed(Some(test.to_owned()))));
                }
            }
            Err(RecvTimeoutError::Timeout) => return Ok(Some(End::OutOfTime)),
            Err(RecvTimeoutError::Disconnected) => return Ok(None),
        }
    }
}

/// The output of a program, a line at a time.
fn lines(child: &mut Child) -> Result<Receiver<String>> {
    let output = BufReader::new(child.stdout.take().context("the output is a pipe")?);
    let (send, lines) = mpsc::channel();
    thread::spawn(move || {
        let read = output.lines().map_while(Result::ok);
        // Who listened may have heard enough.
        read.map(|line| send.send(line)).take_while(Result::is_ok).for_each(drop);
    });
    Ok(lines)
}

/// The test that a line says has failed.
fn failed(line: &str) -> Option<&str> {
    let test = line.strip_prefix("test ")?.strip_suffix(" ... FAILED")?;
    // Its panic was expected.
    Some(test.strip_suffix(" - should panic").unwrap_or(test))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tests_that_fail_are_named() {
        assert_eq!(failed("test a::b ... FAILED"), Some("a::b"));
        assert_eq!(failed("test c - should panic ... FAILED"), Some("c"));
        assert_eq!(failed("test a::b ... ok"), None);
        assert_eq!(failed("a::b ... FAILED"), None);
    }
}
