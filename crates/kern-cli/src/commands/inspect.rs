//! `kern inspect`.

use super::model;
use crate::{files, pictures};
use anyhow::{Context, Result};
use clap::Args;
use kern_data::Kind;
use kern_table::TableModel;
use serde_json::{Value, json};
use std::io::Write;
use std::path::PathBuf;

/// Number of categories that are listed; the others are counted.
const SHOWN: usize = 10;

/// Options of `kern inspect`.
#[derive(Debug, Args)]
pub(crate) struct Inspect {
    /// The model file
    model: PathBuf,
    /// Show all candidates of the search
    #[arg(long)]
    trials: bool,
    /// Plot the scores of the search over its first two hyper-parameters
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
    /// Write a JSON object
    #[arg(long)]
    json: bool,
}

impl Inspect {
    pub(crate) fn run(self) -> Result<()> {
        let model = model(&self.model)?;
        let mut output = files::writer(None)?;
        if let Some(path) = &self.svg {
            let search = model.search().context("the model was trained without --tune")?;
            pictures::save(path, |area| pictures::search_plane(area, search))?;
        }
        if self.json {
            return files::json(&mut output, &value(&model));
        }
        writeln!(output, "task     {}", model.task())?;
        writeln!(output, "method   {}", model.method())?;
        writeln!(output, "kernel   {}", model.kernel())?;
        writeln!(output, "rows     {}", model.rows())?;
        if let Some(target) = model.target() {
            writeln!(output, "target   {target}")?;
        }
        if let Some(evidence) = model.evidence() {
            writeln!(output, "score    {evidence}")?;
        }
        writeln!(output, "report   {}", model.report())?;
        for note in model.notes() {
            writeln!(output, "note     {note}")?;
        }
        writeln!(output, "columns")?;
        for field in &model.schema().fields {
            writeln!(output, "  {}: {}", field.name, kind(&field.kind))?;
        }
        match model.leaderboard() {
            Some(leaderboard) if self.trials => writeln!(output, "{leaderboard:#}")?,
            Some(leaderboard) => writeln!(output, "{leaderboard}")?,
            None => {}
        }
        if let Some(search) = model.search() {
            writeln!(output, "search   {} candidates by {}", search.trials.len(), search.score)?;
            let best = search.best.and_then(|best| search.trials.get(best));
            let shown = search.trials.iter().filter(|trial| self.trials || Some(*trial) == best);
            for trial in shown {
                let pairs = search.names.iter().zip(&trial.settings);
                let settings: Vec<String> =
                    pairs.map(|(name, value)| format!("{name}={value}")).collect();
                let score = trial.mean().map_or_else(
                    || trial.failure.clone().unwrap_or_default(),
                    |mean| format!("{mean:.4}"),
                );
                let mark = if Some(trial) == best { "*" } else { " " };
                writeln!(output, "{mark} {score}  {}", settings.join(" "))?;
            }
        }
        Ok(output.flush()?)
    }
}

fn kind(kind: &Kind) -> String {
    match kind {
        Kind::Number => "numbers".to_string(),
        Kind::Text => "text".to_string(),
        Kind::Instant => "dates or times".to_string(),
        Kind::Duration => "durations".to_string(),
        Kind::Category { levels } => {
            let shown: Vec<&str> = levels.iter().take(SHOWN).map(String::as_str).collect();
            let rest = levels.len().saturating_sub(SHOWN);
            let rest = if rest > 0 { format!(", and {rest} more") } else { String::new() };
            format!("categories {}{rest}", shown.join(", "))
        }
    }
}

fn value(model: &TableModel) -> Value {
    json!({
        "task": model.task(), "method": model.method(), "kernel": model.kernel(), "rows": model.rows(),
        "target": model.target(), "columns": model.schema().fields, "search": model.search(),
        "leaderboard": model.leaderboard(),
        "report": model.report(), "score": model.evidence(), "notes": model.notes(),
    })
}
