//! `kern evaluate`.

use super::model;
use crate::files::{self, Input};
use crate::pictures;
use anyhow::{Context, Result, bail};
use clap::Args;
use kern_solvers::pipeline::is_constant;
use kern_table::Answers;
use serde_json::json;
use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;
use std::path::PathBuf;

/// Options of `kern evaluate`.
#[derive(Debug, Args)]
pub(crate) struct Evaluate {
    /// The model file
    model: PathBuf,
    #[command(flatten)]
    input: Input,
    /// The target column, if its name differs from training
    #[arg(short, long, value_name = "COLUMN")]
    target: Option<String>,
    /// Draw a picture: ROC curves if the model has probabilities, predictions against targets for
    /// regression
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
    /// Write a JSON object
    #[arg(long)]
    json: bool,
}

/// The distinct classes.
fn distinct(classes: &[String]) -> Vec<String> {
    let distinct: BTreeSet<&String> = classes.iter().collect();
    distinct.into_iter().cloned().collect()
}

impl Evaluate {
    pub(crate) fn run(self) -> Result<()> {
        let model = model(&self.model)?;
        let target = self.target.as_deref().or(model.target());
        let target = target.context("the model has no target: say --target COLUMN")?;
        let columns = model.schema().fields.iter().map(|field| field.name.as_str());
        let source = self.input.source(Some(model.schema()))?.eager(false).keep_spelling(target);
        let (target, table) = source.columns(columns.chain([target])).read()?.split(target)?;
        let mut output = files::writer(None)?;
        if let Some(path) = &self.svg
            && model.task() == "classify"
        {
            let answers = model.probabilities(&table)?.with_context(|| {
                format!(
                    "curves need probabilities, which {} has not: kern train --method logistic",
                    model.method()
                )
            })?;
            pictures::curves(path, &target.labels_as(&answers.classes)?, &answers)?;
        }
        match model.predict(&table)? {
            Answers::Classes(answers) => {
                self.classes(&mut output, &target.labels_as(&distinct(&answers))?, &answers)
            }
            Answers::Numbers(answers) => {
                if let Some(path) = &self.svg {
                    pictures::answers(path, target.numbers()?, &answers)?;
                }
                self.numbers(&mut output, target.numbers()?, &answers)
            }
            _ => bail!("a model that tries to {} has no targets to compare with", model.task()),
        }
    }

    fn classes(&self, output: &mut dyn Write, truth: &[String], answers: &[String]) -> Result<()> {
        let mut counts: BTreeMap<(&str, &str), usize> = BTreeMap::new();
        for (truth, answer) in truth.iter().zip(answers) {
            *counts.entry((truth, answer)).or_default() += 1;
        }
        let mut classes: Vec<&str> = truth.iter().chain(answers).map(String::as_str).collect();
        classes.sort_unstable();
        classes.dedup();
        let count = |truth: &str, answer: &str| counts.get(&(truth, answer)).copied().unwrap_or(0);
        let right: usize = classes.iter().map(|class| count(class, class)).sum();
        let accuracy = right as f64 / truth.len() as f64;
        let row = |truth: &str| -> Vec<usize> { classes.iter().map(|c| count(truth, c)).collect() };
        let recalls = classes.iter().filter_map(|class| {
            let all: usize = row(class).iter().sum();
            (all > 0).then(|| count(class, class) as f64 / all as f64)
        });
        let recalls: Vec<f64> = recalls.collect();
        let balanced = recalls.iter().sum::<f64>() / recalls.len() as f64;
        let matrix: Vec<Vec<usize>> = classes.iter().map(|class| row(class)).collect();
        if self.json {
            let value = json!({
                "rows": truth.len(), "accuracy": accuracy, "balanced_accuracy": balanced,
                "classes": classes, "confusion": matrix,
            });
            return files::json(output, &value);
        }
        writeln!(output, "rows               {}", truth.len())?;
        writeln!(output, "accuracy           {accuracy:.4}")?;
        writeln!(output, "balanced accuracy  {balanced:.4}\n")?;
        let width = classes.iter().map(|class| class.chars().count()).max().unwrap_or(0).max(7);
        write!(output, "{:width$}", "")?;
        classes.iter().try_for_each(|class| write!(output, "  {class:>width$}"))?;
        writeln!(output, "  answered")?;
        for (class, counts) in classes.iter().zip(&matrix) {
            write!(output, "{class:width$}")?;
            counts.iter().try_for_each(|count| write!(output, "  {count:>width$}"))?;
            writeln!(output)?;
        }
        Ok(output.flush()?)
    }

    fn numbers(&self, output: &mut dyn Write, truth: &[f64], answers: &[f64]) -> Result<()> {
        let n = truth.len() as f64;
        let mean = truth.iter().sum::<f64>() / n;
        let pairs = || truth.iter().zip(answers);
        let squares: f64 = pairs().map(|(y, f)| (y - f).powi(2)).sum();
        let absolute = pairs().map(|(y, f)| (y - f).abs()).sum::<f64>() / n;
        let spread: f64 = truth.iter().map(|y| (y - mean).powi(2)).sum();
        let root = (squares / n).sqrt();
        // R² is undefined if all targets are equal.
        let is_constant = is_constant::<f64>(n, mean, spread / n);
        let explained = (!is_constant).then_some(1.0 - squares / spread);
        if self.json {
            let value = json!({
                "rows": truth.len(), "r2": explained, "root_mean_squared_error": root,
                "mean_absolute_error": absolute,
            });
            return files::json(output, &value);
        }
        writeln!(output, "rows                     {}", truth.len())?;
        let explained = explained.map_or_else(
            || "undefined: all targets are equal".to_string(),
            |explained| format!("{explained:.4}"),
        );
        writeln!(output, "R²                       {explained}")?;
        writeln!(output, "root mean squared error  {root:.6}")?;
        writeln!(output, "mean absolute error      {absolute:.6}")?;
        Ok(output.flush()?)
    }
}
