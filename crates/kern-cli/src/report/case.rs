//! A model and its predictions for rows with targets.

use super::sample::sample;
use crate::scores::distinct;
use anyhow::{Result, bail};
use kern_data::{Column, Table};
use kern_table::{Answers, Importance, Probabilities, TableModel};
use std::collections::BTreeMap;

/// Largest number of classes that are all shown in curves, and the number shown of more classes.
const CLASSES: usize = 5;
const OF_MORE: usize = 3;

/// What all sections of a report are about.
pub(crate) struct Case<'c> {
    pub(crate) model: &'c TableModel,
    /// The columns of the model, and the targets.
    pub(crate) table: Table,
    pub(crate) outcome: Outcome,
    /// The rows for importance and partial dependence, in their order.
    pub(crate) sample: Vec<usize>,
    pub(crate) seed: u64,
}

/// Targets and predictions of all rows.
pub(crate) enum Outcome {
    Values { truth: Vec<f64>, predicted: Vec<f64> },
    Classes { truth: Vec<String>, predicted: Vec<String>, probabilities: Option<Probabilities> },
}

impl<'c> Case<'c> {
    /// Predicts for a table with the columns of the model and the target column of the model.
    pub(crate) fn new(
        model: &'c TableModel,
        target: &Column,
        table: Table,
        rows: usize,
        seed: u64,
    ) -> Result<Self> {
        let outcome = match model.predict(&table)? {
            Answers::Numbers(predicted) => {
                Outcome::Values { truth: target.numbers()?.to_vec(), predicted }
            }
            Answers::Classes(predicted) => {
                let probabilities = model.probabilities(&table)?;
                let known = probabilities.as_ref().map(|found| found.classes.clone());
                let known = known.unwrap_or_else(|| distinct(&predicted));
                Outcome::Classes { truth: target.labels_as(&known)?, predicted, probabilities }
            }
            _ => bail!("a model of the task `{}` has no targets", model.task()),
        };
        let sample = sample(table.len(), rows, seed);
        Ok(Self { model, table, outcome, sample, seed })
    }

    /// The name of the target.
    pub(crate) fn target(&self) -> &str {
        self.model.target().unwrap_or_default()
    }

    /// The columns of the model, the most important first if that is known.
    pub(crate) fn columns(&self, importance: Option<&Importance>) -> Vec<String> {
        match importance {
            Some(found) => found.columns.iter().map(|entry| entry.column.clone()).collect(),
            None => self.model.schema().fields.iter().map(|field| field.name.clone()).collect(),
        }
    }
}

impl Outcome {
    /// All classes, the most frequent first; none in regression.
    pub(crate) fn classes(&self) -> Vec<String> {
        let Self::Classes { truth, predicted, probabilities } = self else { return Vec::new() };
        let known = probabilities.iter().flat_map(|found| &found.classes);
        let mut counts: BTreeMap<&String, usize> =
            known.chain(predicted).map(|class| (class, 0)).collect();
        truth.iter().for_each(|class| *counts.entry(class).or_default() += 1);
        let mut classes: Vec<(&String, usize)> = counts.into_iter().collect();
        classes.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
        classes.into_iter().map(|(class, _)| class.clone()).collect()
    }

    /// The classes that are shown in curves: all of at most five, the three most frequent of more.
    pub(crate) fn shown(&self) -> Vec<String> {
        let mut classes = self.classes();
        if classes.len() > CLASSES {
            classes.truncate(OF_MORE);
        }
        classes
    }
}
