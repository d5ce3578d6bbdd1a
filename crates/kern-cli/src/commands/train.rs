//! `kern train`: at once, from a stream, or in rounds.

use crate::files::{self, Input};
use crate::watch::Watch;
use anyhow::{Context, Result, anyhow, bail};
use clap::{Args, ValueEnum};
use kern_core::parameters::Setting;
use kern_data::{Note, Part, Source, Table};
use kern_gram::MemoryBudget;
use kern_solvers::file::{Encoding, Save, save};
use kern_solvers::{Progress, Run};
use kern_table::rounds::{Features, Order, PART_ROWS, RoundsFit, Stage};
use kern_table::{Method, Metric, TableModel, Task, Training};
use std::fs;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Default number of rows in a batch of a stream.
const BATCH: usize = 20_000;

/// Number of rows that determine the task of a fit in rounds.
const FIRST: usize = 1000;

/// Options of `kern train`.
#[derive(Debug, Args)]
pub(crate) struct Train {
    #[command(flatten)]
    input: Input,
    #[command(flatten)]
    learning: Learning,
    /// The output file for the model; JSON if its name ends with .json
    #[arg(short, long, value_name = "MODEL")]
    output: PathBuf,
    /// Search for hyper-parameters by cross-validation with this number of folds
    #[arg(long, value_name = "FOLDS")]
    tune: Option<usize>,
    /// Fit most candidates of the search to a part of the rows only: successive halving
    #[arg(long, requires = "tune")]
    halving: bool,
    /// Let kernels and methods compete for this time, with s, m or h (60s), and keep the best; Ctrl-C
    /// ends the contest with the best so far
    #[arg(long, value_name = "TIME", value_parser = duration, conflicts_with_all = ["tune", "stream", "rounds"])]
    budget: Option<Duration>,
    /// What the contest compares by: accuracy (the default for classes), balanced_accuracy, f1, auc
    /// or log_loss; r2 (the default for numbers), rmse or mae
    #[arg(long, value_name = "NAME", requires = "budget")]
    metric: Option<Metric>,
    /// Read the file in batches, in memory that does not grow with its size: ridge regression on
    /// landmarks
    #[arg(long)]
    stream: bool,
    /// The number of rows in a batch
    #[arg(long, value_name = "ROWS", default_value_t = BATCH)]
    batch: usize,
    #[command(flatten)]
    in_rounds: InRounds,
}

/// The task of `kern train`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum TaskName {
    /// Classification
    Classify,
    /// Regression
    Regress,
    /// Novelty detection: flag rows unlike the training rows (5 % of those, unless nu is set)
    Detect,
}

/// Options of the learning task.
#[derive(Clone, Debug, Args)]
pub(crate) struct Learning {
    /// The target column
    #[arg(short, long, value_name = "COLUMN")]
    pub(crate) target: Option<String>,
    /// The task; by default classify for a target of text or of few distinct integers, otherwise
    /// regress
    #[arg(long)]
    pub(crate) task: Option<TaskName>,
    /// The kernel, a formula: "rbf", "rbf * hamming_rbf + spectrum(k=4)"; open parameters are
    /// estimated from the data
    #[arg(short, long, value_name = "FORMULA")]
    pub(crate) kernel: Option<String>,
    /// The method: svm, logistic, ridge or neighbors for classification; ridge, svm or neighbors
    /// for regression
    #[arg(short, long, value_name = "METHOD")]
    pub(crate) method: Option<String>,
    /// The class weights: equal, or balanced, which gives every class the same total weight
    #[arg(long, value_name = "WEIGHTS")]
    pub(crate) class_weights: Option<String>,
    /// The column of row weights
    #[arg(long, value_name = "COLUMN")]
    pub(crate) weights: Option<String>,
    /// The column of groups; a search keeps the rows of a group together in one fold
    #[arg(long, value_name = "COLUMN")]
    pub(crate) groups: Option<String>,
    /// Ignore a column
    #[arg(long, value_name = "COLUMN")]
    pub(crate) ignore: Vec<String>,
    /// Set a hyper-parameter: c=10, lambda=1e-3, kernel.gamma=0.5
    #[arg(long = "set", value_name = "NAME=VALUE")]
    pub(crate) settings: Vec<String>,
    /// The number of landmarks; 0 for the exact kernel, the default up to 10000 rows, or up to
    /// 50000 for svm with many classes
    #[arg(long, value_name = "NUMBER")]
    pub(crate) landmarks: Option<usize>,
    /// Use numbers without scaling; by default they are scaled to mean 0 and variance 1
    #[arg(long)]
    pub(crate) raw: bool,
    /// The memory limit, with K, M or G; by default the free memory
    #[arg(long, value_name = "BYTES")]
    pub(crate) memory: Option<String>,
    /// Stop after this many seconds with the best model so far, and reject a fit that is predicted
    /// to take longer; by default there is no limit
    #[arg(long, value_name = "SECONDS")]
    pub(crate) time_limit: Option<f64>,
    /// The random seed
    #[arg(long, default_value_t = 0)]
    pub(crate) seed: u64,
}

impl Train {
    pub(crate) fn run(self) -> Result<()> {
        let start = Instant::now();
        self.learning.check_limit()?;
        files::check(&self.output)?;
        let watch = Watch::new();
        let mut seen = Seen::default();
        let model = match self.stream {
            _ if self.in_rounds.rounds => {
                self.in_rounds.run(&self.input, &self.learning, start, &watch, &mut seen)?
            }
            true => Arc::new(self.streamed(start, &watch, &mut seen)?),
            false => Arc::new(self.at_once(start, &watch, &mut seen)?),
        };
        if watch.is_stopped() {
            eprintln!("stopped by Ctrl-C after {:.1} s", start.elapsed().as_secs_f64());
        } else if self.learning.deadline(start)?.is_some_and(|end| Instant::now() >= end) {
            eprintln!("stopped by --time-limit after {:.1} s", start.elapsed().as_secs_f64());
        }
        drop(watch);
        describe(&model, &seen, &self.learning);
        model.save(&self.output)?;
        eprintln!("saved: {}", self.output.display());
        Ok(())
    }

    fn at_once(&self, start: Instant, watch: &Watch, seen: &mut Seen) -> Result<TableModel> {
        let table = self.input.read(self.learning.target.as_ref())?;
        let task = self.learning.task(&table, seen)?;
        let mut training = self.learning.training(task)?;
        if let Some(folds) = self.tune {
            training = training.tune(folds);
        }
        if self.halving {
            training = training.halving();
        }
        if let Some(budget) = self.budget {
            training = training.contest(budget);
        }
        if let Some(metric) = self.metric {
            training = training.metric(metric);
        }
        let mut observer = |progress: &Progress| watch.observe(progress);
        let mut run = self.learning.limited(start)?.observer(&mut observer);
        Ok(training.learn(&table, &mut run)?)
    }

    fn streamed(&self, start: Instant, watch: &Watch, seen: &mut Seen) -> Result<TableModel> {
        let memory = self.learning.budget()?;
        // The values of a batch are in memory twice, as cells and as rows, along with data derived
        // from them.
        let mut source = self.input.source(None)?.eager(false).limit(memory.as_bytes() / 4);
        if let Some(target) = &self.learning.target {
            source = source.keep_spelling(target);
        }
        // Unused columns are not read, so their values need not be of one kind.
        source = source.without(&self.learning.ignore);
        let mut batches = source.batches(self.batch)?.peekable();
        let task = match batches.peek() {
            Some(Ok(first)) => self.learning.task(first, seen)?,
            Some(Err(_)) => Task::Regress,
            None => bail!("{}: there is no row", self.input.file.display()),
        };
        if self.tune.is_some() {
            bail!(
                "--tune needs all rows at once: tune on a part of the file, then --set what was found"
            );
        }
        let training = Learning { ignore: Vec::new(), ..self.learning.clone() }.training(task)?;
        let end = self.learning.deadline(start)?;
        Ok(training.learn_batches(batches, memory, |rows| until(end, watch.rows(rows)))?)
    }
}

/// Options of fits in rounds.
#[derive(Debug, Args)]
struct InRounds {
    /// Read the file, or all files in a folder, once per round, in memory that does not grow with
    /// their size: ridge, svm and logistic on landmarks or other features. The file names determine
    /// the formats
    #[arg(long, conflicts_with_all = ["stream", "tune", "groups"])]
    rounds: bool,
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
    fn run(
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

impl Learning {
    /// The given task, or the one that the target suggests.
    fn task(&self, table: &Table, seen: &mut Seen) -> Result<Task> {
        seen.look(table);
        Ok(match (self.task, &self.target) {
            (Some(TaskName::Classify), _) => Task::Classify,
            (Some(TaskName::Regress), _) => Task::Regress,
            (Some(TaskName::Detect), _) => Task::Detect,
            (None, Some(target)) => {
                let (task, reason) = Task::suggested(table.column(target)?);
                seen.reason = Some(reason);
                task
            }
            (None, None) => Task::Classify,
        })
    }

    /// Returns true if a column serves a purpose other than as a coordinate of points.
    fn uses(&self, column: &String) -> bool {
        let others = self.target.iter().chain(&self.weights).chain(&self.groups);
        others.chain(&self.ignore).any(|other| other == column)
    }

    pub(crate) fn training(&self, task: Task) -> Result<Training> {
        let mut training = Training::new(task).standardized(!self.raw).seed(self.seed);
        if let Some(target) = &self.target {
            training = training.target(target);
        }
        if let Some(weights) = &self.weights {
            training = training.weights(weights);
        }
        if let Some(groups) = &self.groups {
            training = training.groups(groups);
        }
        if let Some(kernel) = &self.kernel {
            training = training.kernel(kernel);
        }
        if let Some(name) = &self.method {
            let method = Method::named(name).with_context(|| {
                format!("unknown method `{name}`, expected svm, logistic, ridge or neighbors")
            })?;
            training = training.method(method);
        }
        if let Some(landmarks) = self.landmarks {
            training = training.landmarks(landmarks);
        }
        for column in &self.ignore {
            training = training.ignore(column);
        }
        if let Some(weights) = &self.class_weights {
            training = training.set("class_weights", Setting::Choice(weights.clone()));
        }
        for setting in &self.settings {
            let parts = setting.split_once('=');
            let (name, value) = parts.with_context(|| format!("`{setting}` is not NAME=VALUE"))?;
            training = training.set(name.trim(), value_of(value.trim()));
        }
        Ok(training)
    }

    /// The memory limit.
    pub(crate) fn budget(&self) -> Result<MemoryBudget> {
        match &self.memory {
            Some(text) => bytes(text).map(MemoryBudget::bytes),
            None => Ok(MemoryBudget::available()),
        }
    }

    /// A run with the memory and time limits, for a command that began at `start`.
    pub(crate) fn limited<'r>(&self, start: Instant) -> Result<Run<'r>> {
        let run = Run::new().memory(self.budget()?).time_limit(self.limit()?);
        Ok(run.deadline(self.deadline(start)?))
    }

    /// The deadline of a command that began at `start`, if it has a time limit.
    fn deadline(&self, start: Instant) -> Result<Option<Instant>> {
        Ok(self.limit()?.and_then(|limit| start.checked_add(limit)))
    }

    fn limit(&self) -> Result<Option<Duration>> {
        let limit = self.time_limit.map(Duration::try_from_secs_f64).transpose();
        limit.map_err(|_| anyhow!("--time-limit must be a number of seconds, at least 0"))
    }

    /// Rejects an invalid time limit before any file is read.
    fn check_limit(&self) -> Result<()> {
        self.limit().map(drop)
    }
}

/// Breaks after this moment; otherwise passes `flow` on.
fn until(end: Option<Instant>, flow: ControlFlow<()>) -> ControlFlow<()> {
    match end {
        Some(end) if Instant::now() >= end => ControlFlow::Break(()),
        _ => flow,
    }
}

/// Parses a setting: an integer, a float, a boolean, or a choice.
fn value_of(text: &str) -> Setting {
    if let Ok(count) = text.parse::<u64>() {
        return Setting::Count(count);
    }
    match (text.parse::<f64>(), text) {
        (Ok(number), _) => Setting::Real(number),
        (Err(_), "true") => Setting::Flag(true),
        (Err(_), "false") => Setting::Flag(false),
        (Err(_), choice) => Setting::Choice(choice.to_string()),
    }
}

/// Parses a time: seconds, or a number with s, m or h.
fn duration(text: &str) -> Result<Duration> {
    let (digits, factor) = match text.trim() {
        text if text.ends_with('h') => (&text[..text.len() - 1], 3600.0),
        text if text.ends_with('m') => (&text[..text.len() - 1], 60.0),
        text => (text.trim_end_matches('s'), 1.0),
    };
    let seconds = digits.trim().parse().ok().map(|number: f64| factor * number);
    let time = seconds.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    time.filter(|time| !time.is_zero()).with_context(|| {
        format!("invalid time `{text}`: use a number above 0 with s, m or h, for example 60s")
    })
}

/// Parses a number of bytes with an optional suffix K, M or G.
fn bytes(text: &str) -> Result<u64> {
    let (digits, factor) = match text.trim_end_matches(['B', 'b', 'i']) {
        text if text.ends_with(['K', 'k']) => (&text[..text.len() - 1], 1 << 10),
        text if text.ends_with(['M', 'm']) => (&text[..text.len() - 1], 1 << 20),
        text if text.ends_with(['G', 'g']) => (&text[..text.len() - 1], 1 << 30),
        text => (text, 1_u64),
    };
    let number: u64 =
        digits.trim().parse().with_context(|| format!("`{text}` is no memory: 500M, 2G"))?;
    number.checked_mul(factor).with_context(|| format!("`{text}` is more than there is anywhere"))
}

/// The columns of a table, notes on them, and the reason for the task, for the report on the model.
#[derive(Debug, Default)]
pub(crate) struct Seen {
    columns: Vec<String>,
    notes: Vec<Note>,
    /// The reason for the task, if it was not given.
    reason: Option<String>,
}

impl Seen {
    pub(crate) fn look(&mut self, table: &Table) {
        self.columns = table.columns().iter().map(|column| column.name.clone()).collect();
        self.notes = table.notes().to_vec();
    }
}

/// The advice that follows a note.
fn remedy(note: &Note) -> String {
    match note {
        Note::RowNumbers { .. } => "; --row-numbers keeps it".to_string(),
        Note::NotNumbers { column, missing: false, .. } => {
            format!("; --number {column} treats them as missing")
        }
        _ => String::new(),
    }
}

/// Describes the model and its training data on standard error.
pub(crate) fn describe(model: &TableModel, seen: &Seen, learning: &Learning) {
    for note in &seen.notes {
        eprintln!("note: {note}{}", remedy(note));
    }
    let is_used = |name: &&String| model.schema().fields.iter().any(|field| field.name == **name);
    for name in seen.columns.iter().filter(|name| !is_used(name) && !learning.uses(name)) {
        eprintln!("note: column {name}: left out, it has no value");
    }
    let task = model.task();
    eprintln!("task: {task}, by {}, from {} rows", model.method(), model.rows());
    if let Some(reason) = &seen.reason {
        let other = if task == "classify" { "regress" } else { "classify" };
        eprintln!("note: {reason}; --task {other} takes it otherwise");
    }
    eprintln!("kernel: {}", model.kernel());
    if let Some(leaderboard) = model.leaderboard() {
        eprintln!("{leaderboard}");
    }
    if let Some(search) = model.search()
        && let Some(best) = search.best.and_then(|best| search.trials.get(best))
    {
        let pairs = search.names.iter().zip(&best.settings);
        let settings: Vec<String> = pairs.map(|(name, value)| format!("{name}={value}")).collect();
        let mean = best.mean().unwrap_or(f64::NAN);
        eprintln!(
            "best of {}: {} ({} {mean:.4} by cross-validation)",
            search.trials.len(),
            settings.join(" "),
            search.score
        );
    }
    if let Some(evidence) = model.evidence() {
        eprintln!("score: {evidence}");
    }
    eprintln!("report: {}", model.report());
    for note in model.notes() {
        eprintln!("note: {note}");
    }
}
