//! `kern train --rounds`.

use super::train::{Learning, Seen, until};
use crate::input::Input;
use crate::watch::Watch;
use anyhow::{Context, Result, bail};
use clap::Args;
use kern_data::{Part, Source};
use kern_table::TableModel;
use kern_table::file::{Encoding, save};
use kern_table::rounds::{Features, Order, PART_ROWS, RoundsFit, Stage};
use std::fs;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

/// Number of rows that determine the task.
const FIRST: usize = 1000;

/// Options of fits in rounds.
#[derive(Debug, Args)]
pub(crate) struct InRounds {
    /// Read the file, or all files in a folder, once per round, in memory that does not grow with
    /// their size: ridge, svm and logistic on landmarks or other features. The file names determine
    /// the formats
    #[arg(long, conflicts_with_all = ["stream", "tune", "groups"])]
    pub(crate) rounds: bool,
    /// Use this number of random Fourier features instead of landmarks
    #[arg(long, value_name = "NUMBER", requires = "rounds", conflicts_with = "landmarks")]
    fourier: Option<usize>,
    /// With --rounds: replace missing numbers by the mean of their column, as training without
    /// --rounds and --stream always does; by default, missing numbers are an error with --rounds
    #[arg(long, requires = "rounds")]
    fill: bool,
    /// Save the state of the fit to this file after every round, and resume from it if it exists
    #[arg(long, value_name = "FILE", requires = "rounds")]
    checkpoint: Option<PathBuf>,
}

impl InRounds {
    pub(crate) fn run(
        &self,
        input: &Input,
        learning: &Learning,
        start: Instant,
        watch: &Watch,
        seen: &mut Seen,
    ) -> Result<Arc<TableModel>> {
        input.check_plain()?;
        let file: &Path = &input.file;
        let parts = Part::list(&[file], PART_ROWS)?;
        let first = parts.first().with_context(|| format!("{}: no files", file.display()))?;
        let first = Source::of_part(first)?.batches(FIRST)?.next().transpose()?;
        let first = first.with_context(|| format!("{}: there is no row", file.display()))?;
        let task = learning.task(&first, seen)?;
        let features = match (self.fourier, learning.landmarks) {
            (Some(count), _) => Features::Fourier(count),
            (None, Some(count)) if count > 0 => Features::Landmarks(count),
            _ => Features::default(),
        };
        let order = Order::new(learning.training(task)?, features)?.fill(self.fill);
        let mut fit = self.started(&order, parts)?;
        let (memory, end) = (learning.budget()?, learning.deadline(start)?);
        let mut kept = Ok(());
        let model = fit.run(&memory, |fit| {
            kept = self.keep(fit);
            if kept.is_err() {
                ControlFlow::Break(())
            } else {
                until(end, watch.stage(fit.stage()))
            }
        })?;
        kept?;
        match (model, &self.checkpoint) {
            (Some(model), _) => Ok(model),
            (None, Some(path)) => bail!("stopped; the state is in {}", path.display()),
            (None, None) => bail!("stopped before there was a model"),
        }
    }

    /// Resumes the fit from the checkpoint, or starts a new one.
    fn started(&self, order: &Order, parts: Vec<Part>) -> Result<RoundsFit> {
        let bytes = match &self.checkpoint {
            Some(path) if path.exists() => {
                Some(fs::read(path).with_context(|| path.display().to_string())?)
            }
            _ => None,
        };
        let Some(bytes) = bytes else { return Ok(RoundsFit::start(order.clone(), parts)?) };
        let fit = RoundsFit::from_bytes(&bytes)?;
        fit.check(order, &parts)?;
        Ok(fit)
    }

    /// Writes the state to the checkpoint.
    fn keep(&self, fit: &RoundsFit) -> Result<()> {
        match &self.checkpoint {
            Some(path) => Ok(save(fit, path, Encoding::Binary)?),
            None => Ok(()),
        }
    }
}

impl Watch {
    /// Reports the stage of a fit in rounds.
    fn stage(&self, stage: Stage) -> ControlFlow<()> {
        match stage {
            Stage::Rounds { rows, state } => {
                let number = |value: Option<f64>| value.map_or("?".into(), |v| format!("{v:.4e}"));
                let (objective, gap) = (number(state.objective), number(state.gap));
                let rounds = state.rounds;
                self.words(format!("{rows} rows, round {rounds}, objective {objective}, gap {gap}"))
            }
            _ => self.words("the first look at all rows".to_string()),
        }
    }
}
