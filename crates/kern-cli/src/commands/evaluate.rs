//! `kern evaluate`.

use super::model;
use crate::files::{self, Input};
use crate::pictures;
use crate::scores::{Confusion, RegressionScores, distinct};
use anyhow::{Context, Result, bail};
use clap::Args;
use kern_table::Answers;
use serde_json::json;
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
            let truth = target.labels_as(&answers.classes)?;
            let curves = pictures::curves(&truth, &answers);
            pictures::save(path, |area| pictures::roc(area, &curves))?;
        }
        match model.predict(&table)? {
            Answers::Classes(answers) => {
                self.classes(&mut output, &target.labels_as(&distinct(&answers))?, &answers)
            }
            Answers::Numbers(answers) => {
                if let Some(path) = &self.svg {
                    let truth = target.numbers()?;
                    pictures::save(path, |area| pictures::predictions(area, truth, &answers))?;
                }
                self.numbers(&mut output, target.numbers()?, &answers)
            }
            _ => bail!("a model that tries to {} has no targets to compare with", model.task()),
        }
    }

    fn classes(&self, output: &mut dyn Write, truth: &[String], answers: &[String]) -> Result<()> {
        let confusion = Confusion::new(truth, answers);
        let (accuracy, balanced) = (confusion.accuracy(), confusion.balanced_accuracy());
        let Confusion { classes, counts, rows } = &confusion;
        if self.json {
            let value = json!({
                "rows": rows, "accuracy": accuracy, "balanced_accuracy": balanced,
                "classes": classes, "confusion": counts,
            });
            return files::json(output, &value);
        }
        writeln!(output, "rows               {rows}")?;
        writeln!(output, "accuracy           {accuracy:.4}")?;
        writeln!(output, "balanced accuracy  {balanced:.4}\n")?;
        let width = classes.iter().map(|class| class.chars().count()).max().unwrap_or(0).max(7);
        write!(output, "{:width$}", "")?;
        classes.iter().try_for_each(|class| write!(output, "  {class:>width$}"))?;
        writeln!(output, "  answered")?;
        for (class, counts) in classes.iter().zip(counts) {
            write!(output, "{class:width$}")?;
            counts.iter().try_for_each(|count| write!(output, "  {count:>width$}"))?;
            writeln!(output)?;
        }
        Ok(output.flush()?)
    }

    fn numbers(&self, output: &mut dyn Write, truth: &[f64], answers: &[f64]) -> Result<()> {
        let scores = RegressionScores::new(truth, answers);
        let (root, absolute) = (scores.root_mean_squared_error, scores.mean_absolute_error);
        if self.json {
            let value = json!({
                "rows": scores.rows, "r2": scores.r2, "root_mean_squared_error": root,
                "mean_absolute_error": absolute,
            });
            return files::json(output, &value);
        }
        writeln!(output, "rows                     {}", scores.rows)?;
        let explained = scores.r2.map_or_else(
            || "undefined: all targets are equal".to_string(),
            |explained| format!("{explained:.4}"),
        );
        writeln!(output, "R²                       {explained}")?;
        writeln!(output, "root mean squared error  {root:.6}")?;
        writeln!(output, "mean absolute error      {absolute:.6}")?;
        Ok(output.flush()?)
    }
}
