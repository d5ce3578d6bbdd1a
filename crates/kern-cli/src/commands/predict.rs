//! `kern predict`.

use super::model;
use crate::files::{self, Input};
use anyhow::Result;
use clap::Args;
use kern_table::{Answers, Probabilities};
use serde_json::json;
use std::collections::BTreeSet;
use std::path::PathBuf;

/// Number of rows that are predicted at a time.
const BATCH: usize = 10_000;

/// Options of `kern predict`.
#[derive(Debug, Args)]
pub(crate) struct Predict {
    /// The model file
    model: PathBuf,
    #[command(flatten)]
    input: Input,
    /// The output file for the predictions; by default standard output
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Add class probabilities, for models that have them
    #[arg(short, long)]
    probabilities: bool,
    /// Write a JSON object for each row
    #[arg(long)]
    json: bool,
}

impl Predict {
    pub(crate) fn run(self) -> Result<()> {
        let model = model(&self.model)?;
        let mut output = files::writer(self.output.as_ref())?;
        let mut first = true;
        let columns: Vec<&str> =
            model.schema().fields.iter().map(|field| field.name.as_str()).collect();
        let mut empty: BTreeSet<&str> = columns.iter().copied().collect();
        let source = self.input.source(Some(model.schema()))?;
        for batch in source.columns(columns).batches(BATCH)? {
            let batch = batch?;
            empty.retain(|name| {
                batch.column(name).is_ok_and(|column| column.values.missing() == batch.len())
            });
            let answers = model.predict(&batch)?;
            let probabilities = match self.probabilities {
                true => model.probabilities(&batch)?,
                false => None,
            };
            if self.probabilities && probabilities.is_none() {
                let instead = match model.task() {
                    "classify" => "kern train --method logistic has",
                    _ => "probabilities are for the task classify",
                };
                anyhow::bail!("{} has no probabilities; {instead}", model.method());
            }
            match self.json {
                true => lines(&mut output, &answers, probabilities.as_ref())?,
                false => files::csv(&mut output, &answers, probabilities.as_ref(), first)?,
            }
            first = false;
        }
        if first {
            anyhow::bail!("{}: there is no row", self.input.file.display());
        }
        for name in empty {
            eprintln!("note: column {name} has no value in any row");
        }
        Ok(output.flush()?)
    }
}

/// Writes a JSON object for each row.
fn lines(
    output: &mut dyn std::io::Write,
    answers: &Answers,
    probabilities: Option<&Probabilities>,
) -> Result<()> {
    for i in 0..answers.len() {
        let mut line = match answers {
            Answers::Classes(classes) => json!({ "class": classes[i] }),
            Answers::Numbers(values) => json!({ "value": values[i] }),
            Answers::Known(known) => json!({ "known": known[i] }),
            Answers::Clusters(clusters) => json!({ "cluster": clusters[i] }),
            _ => json!({}),
        };
        if let Some(probabilities) = probabilities {
            let pairs = probabilities.classes.iter().zip(&probabilities.rows[i]);
            line["probabilities"] = pairs.map(|(class, p)| (class.clone(), json!(p))).collect();
        }
        files::json(output, &line)?;
    }
    Ok(())
}
