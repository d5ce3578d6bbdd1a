//! `kern cluster`.

use super::train::{Learning, Seen, describe};
use crate::files::{self, Input};
use crate::watch::Watch;
use anyhow::Result;
use clap::Args;
use kern_solvers::Progress;
use kern_solvers::file::Save;
use kern_table::Task;
use std::path::PathBuf;
use std::time::Instant;

/// Options of `kern cluster`.
#[derive(Debug, Args)]
pub(crate) struct Cluster {
    #[command(flatten)]
    input: Input,
    /// The number of clusters
    #[arg(short = 'n', long, value_name = "NUMBER")]
    clusters: usize,
    #[command(flatten)]
    learning: Learning,
    /// The output file for the cluster indices; by default standard output
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Also save the model; JSON if the name ends with .json
    #[arg(long, value_name = "MODEL")]
    model: Option<PathBuf>,
}

impl Cluster {
    pub(crate) fn run(self) -> Result<()> {
        let start = Instant::now();
        let table = self.input.read(None)?;
        let training = self.learning.training(Task::Cluster(self.clusters))?;
        let model = {
            let watch = Watch::new();
            let mut observer = |progress: &Progress| watch.observe(progress);
            training.learn(&table, &mut self.learning.limited(start)?.observer(&mut observer))?
        };
        let mut seen = Seen::default();
        seen.look(&table);
        describe(&model, &seen, &self.learning);
        if let Some(path) = &self.model {
            model.save(path)?;
        }
        let mut output = files::writer(self.output.as_ref())?;
        files::csv(&mut output, &model.predict(&table)?, None, true)
    }
}
