//! The findings of one run of the program, in the form in which they are written to a file.

use crate::compare::Comparison;
use crate::machine::Machine;
use crate::provenance::Provenance;
use crate::row::Row;
use anyhow::{Context, Result};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::fs;
use std::path::Path;

/// Everything that one run of the program found.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Report {
    /// The origin of the report; unknown in reports of older versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub provenance: Option<Provenance>,
    /// The machine on which it ran.
    pub machine: Machine,
    /// The results, in the order of the runs.
    pub rows: Vec<Row>,
    /// The library against its peers, where they were run.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub comparisons: Vec<Comparison>,
    /// Peers that should have a row, and have none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub missing: Vec<Missing>,
}

/// A peer that could not be measured.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Missing {
    /// The name of the task.
    pub task: String,
    /// The name of the peer.
    #[serde(rename = "impl")]
    pub implementation: String,
    /// The variant.
    pub variant: String,
    /// The number type.
    pub dtype: String,
    /// The number of threads.
    pub threads: usize,
    /// The reason.
    pub reason: String,
}

impl fmt::Display for Missing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "  {:<44} not measured: {}", self.implementation, self.reason)
    }
}

impl Report {
    /// A report without rows.
    #[must_use]
    pub fn new(machine: Machine, provenance: Option<Provenance>) -> Self {
        let (rows, comparisons, missing) = (Vec::new(), Vec::new(), Vec::new());
        Self { provenance, machine, rows, comparisons, missing }
    }

    /// A report from a file.
    ///
    /// # Errors
    /// If there is no such file, or it is none.
    pub fn read(path: &Path) -> Result<Self> {
        let text = fs::read_to_string(path);
        let text = text.with_context(|| format!("cannot read {}", path.display()))?;
        serde_json::from_str(&text).with_context(|| format!("{} is no report", path.display()))
    }

    /// Writes the report, replacing the file.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn write(&self, path: &Path) -> Result<()> {
        let mut text = serde_json::to_string_pretty(self)?;
        text.push('\n');
        fs::write(path, text).with_context(|| format!("cannot write {}", path.display()))
    }
}
