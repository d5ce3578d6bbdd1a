//! Records of a study: a line each in a file, so that what is broken off goes on where it was.

use crate::machine::Machine;
use anyhow::{Context, Result};
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::fs::{self, OpenOptions};
use std::io::Write;
use std::path::Path;

/// The records in a file; none if there is no file.
///
/// # Errors
/// If it cannot be read, or a line is no record.
pub fn read<R: DeserializeOwned>(path: &Path) -> Result<Vec<R>> {
    if !path.exists() {
        return Ok(Vec::new());
    }
    let text = fs::read_to_string(path)?;
    let lines = text.lines().map(serde_json::from_str);
    lines.collect::<Result<_, _>>().with_context(|| format!("{} is broken", path.display()))
}

/// Adds a record to a file.
///
/// # Errors
/// If it cannot be written.
pub fn append<R: Serialize>(path: &Path, record: &R) -> Result<()> {
    let mut file = OpenOptions::new().create(true).append(true).open(path)?;
    Ok(writeln!(file, "{}", serde_json::to_string(record)?)?)
}

/// The provenance of a page: day, machine, command and what else there is to say.
#[must_use]
pub fn made(threads: usize, command: &str, more: &str) -> String {
    let machine = Machine::this();
    let day = jiff::Timestamp::now().to_zoned(jiff::tz::TimeZone::UTC).date();
    let threads = if threads == 1 { "one thread".to_owned() } else { format!("{threads} threads") };
    format!("Made on {day} on {}, {threads}, by `{command}` ({more}).", machine.cpu)
}
