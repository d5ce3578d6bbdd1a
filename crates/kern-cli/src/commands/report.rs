//! `kern report`.

use super::model;
use crate::files::{self, Input};
use crate::report::{self, Case, Files};
use anyhow::{Context, Result, bail};
use clap::Args;
use clap::builder::RangedU64ValueParser;
use kern_data::{Column, Table};
use kern_table::Importance;
use std::io::Write;
use std::path::{Path, PathBuf};

/// Options of `kern report`.
#[derive(Debug, Args)]
pub(crate) struct Report {
    /// The model file
    model: PathBuf,
    #[command(flatten)]
    input: Input,
    /// The output file, HTML; - for standard output
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
    /// The target column, if its name differs from training
    #[arg(short, long, value_name = "COLUMN")]
    target: Option<String>,
    /// The largest number of rows sampled for importance and partial dependence, 2 to 1000; scores
    /// are of all rows
    #[arg(
        long,
        value_name = "NUMBER",
        default_value_t = Importance::MAX_ROWS,
        value_parser = RangedU64ValueParser::<usize>::new().range(2..=Importance::MAX_ROWS as u64)
    )]
    rows: usize,
    /// The random seed
    #[arg(long, default_value_t = 0)]
    seed: u64,
}

impl Report {
    pub(crate) fn run(self) -> Result<()> {
        files::check(&self.output)?;
        let model = model(&self.model)?;
        let known = model.target().with_context(|| {
            format!(
                "a report compares predictions with targets, and a model of the task `{}` has \
                 none: use kern inspect or kern predict",
                model.task()
            )
        })?;
        let target = self.target.as_deref().unwrap_or(known);
        let columns = model.schema().fields.iter().map(|field| field.name.as_str());
        if target != known && columns.clone().any(|name| name == target) {
            bail!("column {target} is an input of the model: name another target");
        }
        let source = self.input.source(Some(model.schema()))?.eager(false).keep_spelling(target);
        let table = source.columns(columns.chain([target])).read()?;
        if table.is_empty() {
            bail!("{}: there is no row", self.input.file.display());
        }
        let notes = table.notes().to_vec();
        let (target, points) = table.split(target)?;
        let target = Column { name: known.to_string(), ..target };
        let columns = points.columns().iter().chain([&target]).cloned().collect();
        let case = Case::new(&model, &target, Table::new(columns)?, self.rows, self.seed)?;
        let names = Files { model: name(&self.model), data: name(&self.input.file) };
        let page = report::html(&case, &names, &notes)?;
        let mut output = files::writer(Some(&self.output))?;
        output.write_all(page.as_bytes())?;
        output.flush()?;
        if self.output != Path::new("-") {
            eprintln!("saved: {}", self.output.display());
        }
        Ok(())
    }
}

/// The name of a file without its folders.
fn name(path: &Path) -> String {
    path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned()
}
