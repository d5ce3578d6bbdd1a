//! `kern plan`.

use super::train::Learning;
use crate::files::{self, Input};
use anyhow::Result;
use clap::Args;
use kern_table::Task;
use std::io::Write;

/// Options of `kern plan`.
#[derive(Debug, Args)]
pub(crate) struct Plan {
    #[command(flatten)]
    input: Input,
    #[command(flatten)]
    learning: Learning,
    /// Write a JSON object
    #[arg(long)]
    json: bool,
}

impl Plan {
    pub(crate) fn run(self) -> Result<()> {
        let table = self.input.read(self.learning.target.as_ref())?;
        // Without a target all columns are points.
        let task = if self.learning.target.is_some() { Task::Regress } else { Task::Detect };
        let plan = self.learning.training(task)?.plan(&table, &self.learning.budget()?)?;
        let mut output = files::writer(None)?;
        if self.json {
            return files::json(&mut output, &serde_json::to_value(&plan)?);
        }
        writeln!(output, "kernel: {}\n", plan.kernel)?;
        writeln!(output, "{}\n", plan.costs)?;
        writeln!(
            output,
            "{} landmarks leave {:.2e} of the kernel's trace unexplained.",
            plan.landmarks, plan.unexplained
        )?;
        writeln!(output, "{}.", plan.rounds)?;
        Ok(output.flush()?)
    }
}
