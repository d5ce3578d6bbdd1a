//! The child: runs case after case until it is told to stop, which it is by being ended.

use crate::message::Message;
use anyhow::Result;
use kern_campaign::{Body, Draws};
use std::io::{Write, stdout};

/// Runs all cases from the first one on.
pub(crate) fn run(body: &Body, seed: u64, first: u64) -> Result<()> {
    // Each line at once: the one before the end of the process is the one that counts.
    let mut out = stdout().lock();
    for index in first.. {
        writeln!(out, "{}", Message::Begin(index).write())?;
        out.flush()?;
        let case = kern_campaign::run(body, &mut Draws::of_case(body.name, seed, index));
        for finding in case.findings() {
            writeln!(out, "{}", Message::Found(finding.clone()).write())?;
        }
        writeln!(out, "{}", Message::End { answered: case.is_answered() }.write())?;
    }
    Ok(())
}
