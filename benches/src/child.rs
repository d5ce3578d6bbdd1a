//! A process that measures one implementation of a case, as the runner sees it.

use crate::protocol::{Answer, Request};
use crate::row::Row;
use anyhow::{Context, Result, anyhow, bail};
use std::fs::{self, File};
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{self, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::thread;
use std::time::Duration;

/// The time to wait for an answer before the process is given up, and ended.
#[derive(Clone, Copy, Debug)]
pub struct Patience {
    /// Until it is ready, and for its first run, in which some implementations are compiled.
    pub start: Duration,
    /// For each further answer.
    pub answer: Duration,
}

impl Default for Patience {
    fn default() -> Self {
        Self { start: Duration::from_secs(300), answer: Duration::from_secs(180) }
    }
}

/// The process. It is ended when this is dropped.
#[derive(Debug)]
pub struct Child {
    process: process::Child,
    requests: ChildStdin,
    answers: Receiver<String>,
    log: PathBuf,
}

impl Child {
    /// Starts a process; what it says on its standard error goes to the file `log`.
    ///
    /// # Errors
    /// If it cannot be started.
    pub fn start(command: &mut Command, log: &Path) -> Result<Self> {
        let errors =
            File::create(log).with_context(|| format!("cannot write {}", log.display()))?;
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(errors);
        let mut process = command.spawn().context("cannot start a process")?;
        let requests = process.stdin.take().context("a process has no standard input")?;
        let output = process.stdout.take().context("a process has no standard output")?;
        let (sender, answers) = mpsc::channel();
        // Reading is left to a thread, because only a channel can be waited for with patience.
        thread::spawn(move || {
            BufReader::new(output).lines().map_while(Result::ok).try_for_each(|l| sender.send(l))
        });
        Ok(Self { process, requests, answers, log: log.to_owned() })
    }

    /// Waits until it can begin.
    ///
    /// # Errors
    /// If it ends, keeps silent, or says something else.
    pub fn ready(&mut self, patience: Duration) -> Result<()> {
        match self.answer(patience)? {
            Answer::Ready(true) => Ok(()),
            other => bail!("expected `ready`, got {other:?}"),
        }
    }

    /// Runs it once, and returns the seconds that it took.
    ///
    /// # Errors
    /// As [`Child::ready`], or if the time is not a number.
    pub fn run(&mut self, patience: Duration) -> Result<f64> {
        self.ask(Request::Run)?;
        match self.answer(patience)? {
            Answer::Seconds(seconds) if seconds.is_finite() => Ok(seconds),
            other => bail!("expected seconds, got {other:?}"),
        }
    }

    /// Its row; afterwards it has ended.
    ///
    /// # Errors
    /// As [`Child::ready`], or if the row has no good figure.
    pub fn finish(mut self, patience: Duration) -> Result<Row> {
        self.ask(Request::Finish)?;
        match self.answer(patience)? {
            Answer::Row(row) => {
                row.check()?;
                Ok(*row)
            }
            other => bail!("expected a row, got {other:?}"),
        }
    }

    fn ask(&mut self, request: Request) -> Result<()> {
        let asked = writeln!(self.requests, "{request}").and_then(|()| self.requests.flush());
        asked.map_err(|_| self.end())
    }

    fn answer(&mut self, patience: Duration) -> Result<Answer> {
        match self.answers.recv_timeout(patience) {
            Ok(line) => {
                serde_json::from_str(&line).with_context(|| format!("not an answer: {line}"))
            }
            Err(RecvTimeoutError::Timeout) => {
                bail!("no answer within {:.0} s", patience.as_secs_f64())
            }
            Err(RecvTimeoutError::Disconnected) => Err(self.end()),
        }
    }

    /// The reason of its end: the last line that it left, which for a program in Python is the exception.
    fn end(&mut self) -> anyhow::Error {
        let status = match self.wait() {
            Ok(status) => status,
            Err(error) => return error,
        };
        let text = fs::read(&self.log).unwrap_or_default();
        let text = String::from_utf8_lossy(&text);
        match text.lines().rev().find(|line| !line.trim().is_empty()) {
            Some(line) => anyhow!("{} ({status})", line.trim()),
            None => anyhow!("ended with {status}"),
        }
    }

    /// A process that has closed its output ends soon, or is made to.
    fn wait(&mut self) -> Result<ExitStatus> {
        for _ in 0..20 {
            if let Some(status) = self.process.try_wait()? {
                return Ok(status);
            }
            thread::sleep(Duration::from_millis(50));
        }
        self.process.kill()?;
        Ok(self.process.wait()?)
    }
}

impl Drop for Child {
    fn drop(&mut self) {
        // Whoever has given a row has nothing left to do; the others are stuck.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
