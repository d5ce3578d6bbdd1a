//! The protocol between a program that measures one case and the runner: lines on standard input and output.
//!
//! ```text
//! program  {"ready": true}          inputs are read, nothing is computed yet
//! runner   run                      the first one is the warm-up
//! program  {"seconds": 0.125}
//! runner   finish
//! program  {"row": {…}}             with the figures of quality; then it ends
//! ```
//!
//! The program is idle whenever it is not answering, so the runner can let several of them take
//! turns. An error ends it, with a message on the standard error.

use crate::measure::Pace;
use crate::row::Row;
use anyhow::{Result, bail};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::io::{BufRead, Write};

/// A request of the runner.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Request {
    /// One run under the clock.
    Run,
    /// The row, and the end.
    Finish,
}

impl fmt::Display for Request {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Request::Run => "run",
            Request::Finish => "finish",
        })
    }
}

/// An answer of the program.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Answer {
    /// It can begin.
    Ready(bool),
    /// The time that the run took.
    Seconds(f64),
    /// Everything that was found.
    Row(Box<Row>),
}

/// The program's side.
#[derive(Debug)]
pub struct Led<R, W> {
    requests: R,
    answers: W,
}

impl<R: BufRead, W: Write> Led<R, W> {
    /// Reads requests and writes answers.
    pub fn new(requests: R, answers: W) -> Self {
        Self { requests, answers }
    }

    /// Answers the last request.
    ///
    /// # Errors
    /// If the runner is gone.
    pub fn finish(mut self, row: Row) -> Result<()> {
        self.answer(&Answer::Row(Box::new(row)))
    }

    fn answer(&mut self, answer: &Answer) -> Result<()> {
        writeln!(self.answers, "{}", serde_json::to_string(answer)?)?;
        Ok(self.answers.flush()?)
    }
}

impl<R: BufRead, W: Write> Pace for Led<R, W> {
    fn again(&mut self, seconds: &[f64]) -> Result<bool> {
        self.answer(&seconds.last().map_or(Answer::Ready(true), |&last| Answer::Seconds(last)))?;
        let mut line = String::new();
        self.requests.read_line(&mut line)?;
        match line.trim() {
            "run" => Ok(true),
            "finish" => Ok(false),
            "" => bail!("the runner is gone"),
            other => bail!("`{other}` is neither `run` nor `finish`"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::measure::measure;

    #[test]
    fn the_runner_sets_the_pace() -> Result<()> {
        let mut answers = Vec::new();
        let mut led = Led::new(&b"run\nrun\nrun\nfinish\n"[..], &mut answers);
        let measured = measure(&mut led, || Ok(()))?;
        assert_eq!(measured.seconds.repeats, 2);
        let text = String::from_utf8(answers)?;
        let answers: Vec<Answer> =
            text.lines().map(serde_json::from_str).collect::<Result<_, _>>()?;
        assert_eq!(answers[0], Answer::Ready(true));
        let seconds: Vec<f64> = answers[1..]
            .iter()
            .map(|answer| if let Answer::Seconds(seconds) = answer { *seconds } else { f64::NAN })
            .collect();
        assert_eq!(seconds.len(), 3);
        assert!(seconds[1..].contains(&measured.seconds.max));
        Ok(())
    }

    #[test]
    fn nonsense_and_silence_are_errors() {
        for requests in ["run\nwalk\n", "run\n"] {
            let mut led = Led::new(requests.as_bytes(), Vec::new());
            assert!(measure(&mut led, || Ok(())).is_err(), "{requests}");
        }
    }
}
