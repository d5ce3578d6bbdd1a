//! The ways of others, in one process of Python.

use super::sets::Draw;
use crate::npy;
use crate::peers::python::Python;
use anyhow::{Context, Result, anyhow};
use kern_core::{Points, Samples};
use serde::Deserialize;
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Stdio};

/// The script.
const SCRIPT: &str = "learned_kernels.py";

/// The packages that it needs.
pub const PACKAGES: [&str; 3] = ["scikit-learn", "torch", "xrfm"];

/// The functions of the script, and the names of their ways.
pub const WAYS: [(&str, &str); 2] = [("gradient_boosting", "gradient boosting"), ("xrfm", "xRFM")];

/// The process; it ends when this is dropped.
#[derive(Debug)]
pub struct Peers {
    process: Child,
    requests: Option<ChildStdin>,
    answers: BufReader<ChildStdout>,
    folder: PathBuf,
}

/// An answer of the script.
#[derive(Debug, Deserialize)]
struct Said {
    seconds: f64,
    chosen: String,
}

impl Peers {
    /// Starts the process; inputs are files in a folder.
    ///
    /// # Errors
    /// If it cannot be started.
    pub fn start(python: &Python, folder: &Path, threads: usize) -> Result<Self> {
        fs::create_dir_all(folder)?;
        let mut command = python.script(SCRIPT, threads);
        command.arg(folder).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut process = command.spawn().context("cannot start the peers")?;
        let requests = process.stdin.take();
        let output = process.stdout.take().context("the peers have no standard output")?;
        Ok(Self { process, requests, answers: BufReader::new(output), folder: folder.to_owned() })
    }

    /// The predictions of a way, the seconds that it took, and what it chose.
    ///
    /// # Errors
    /// If the process fails; its last words are on the standard error.
    pub fn answer(
        &mut self,
        function: &str,
        draw: &Draw,
        seed: u64,
    ) -> Result<(f64, super::own::Answer)> {
        let points = |name: &str, x: &Samples<f64>| {
            let shape = [x.len(), x.dim()];
            npy::write(&self.folder.join(name), &shape, x.as_slice().iter().copied())
        };
        points("x.npy", &draw.x)?;
        points("x_test.npy", &draw.x_test)?;
        npy::write(&self.folder.join("y.npy"), &[draw.y.len()], draw.y.iter().copied())?;
        let requests = self.requests.as_mut().context("the peers have been ended")?;
        writeln!(requests, "{function} {seed}")?;
        requests.flush()?;
        let mut line = String::new();
        self.answers.read_line(&mut line)?;
        let said: Said = serde_json::from_str(&line).map_err(|_| anyhow!("{function} failed"))?;
        let predicted: Vec<f64> = npy::read(&self.folder.join("predicted.npy"))?;
        Ok((said.seconds, (predicted, said.chosen)))
    }
}

impl Drop for Peers {
    fn drop(&mut self) {
        // Without requests it ends by itself.
        self.requests = None;
        let _ = self.process.wait();
    }
}
