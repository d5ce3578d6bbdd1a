//! Fits in rounds, on many machines or in this process: the driver, and what its workers do.

use crate::error::value;
use crate::run::detached;
use crate::table::{TableModel, class_type, plain_answers, table};
use kern_core::parameters::Setting;
use kern_data::Part;
use kern_gram::MemoryBudget;
use kern_table::rounds::{
    Features, Gamma, Gathered, Job, Network, Order, RoundsCost, RoundsFit, Scored, Stage,
};
use kern_table::{Answers, Method, Training};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};
use serde::Deserialize;
use std::sync::Mutex;
use std::sync::PoisonError;

/// An order as Python gives it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Given {
    task: String,
    method: Option<String>,
    target: Option<String>,
    class_type: Option<String>,
    weights: Option<String>,
    #[serde(default)]
    ignore: Vec<String>,
    kernel: Option<String>,
    features: Features,
    gamma: Option<Gamma>,
    #[serde(default)]
    standardized: bool,
    #[serde(default)]
    fill: bool,
    #[serde(default)]
    seed: u64,
    #[serde(default)]
    settings: Vec<(String, Number)>,
}

/// The value of a setting.
#[derive(Deserialize)]
#[serde(untagged)]
enum Number {
    Flag(bool),
    Real(f64),
}

fn order(text: &str) -> PyResult<Order> {
    let given: Given = serde_json::from_str(text).map_err(value)?;
    let mut training = Training::new(given.task.parse().map_err(value)?)
        .standardized(given.standardized)
        .seed(given.seed);
    if let Some(name) = &given.method {
        let method =
            Method::named(name).ok_or_else(|| value(format!("there is no method {name}")))?;
        training = training.method(method);
    }
    if let Some(target) = given.target {
        training = training.target(target);
    }
    if let Some(name) = &given.class_type {
        training = training.class_type(class_type(name)?);
    }
    if let Some(weights) = given.weights {
        training = training.weights(weights);
    }
    if let Some(kernel) = given.kernel {
        training = training.kernel(kernel);
    }
    for column in given.ignore {
        training = training.ignore(column);
    }
    for (name, number) in given.settings {
        training = match number {
            Number::Flag(flag) => training.set(name, Setting::Flag(flag)),
            Number::Real(number) => training.set(name, Setting::Real(number)),
        };
    }
    let order = Order::new(training, given.features).map_err(value)?.fill(given.fill);
    Ok(match given.gamma {
        Some(rule) => order.gamma(rule),
        None => order,
    })
}

fn parts(texts: &[String]) -> PyResult<Vec<Part>> {
    texts.iter().map(|text| serde_json::from_str(text).map_err(value)).collect()
}

fn budget(memory: Option<u64>) -> MemoryBudget {
    memory.map_or_else(MemoryBudget::available, MemoryBudget::bytes)
}

/// The driver of a fit in rounds, which is its checkpoint.
#[pyclass(frozen, module = "kernrs._native")]
pub(crate) struct Rounds(Mutex<RoundsFit>);

impl Rounds {
    fn with<R>(&self, f: impl FnOnce(&mut RoundsFit) -> R) -> R {
        f(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

#[pymethods]
impl Rounds {
    /// A fit of parts of files, of which the first rows of the first tell the columns.
    #[staticmethod]
    fn start(py: Python<'_>, order: &str, parts: Vec<String>) -> PyResult<Self> {
        let (order, parts) = (self::order(order)?, self::parts(&parts)?);
        let fit = detached(py, || RoundsFit::start(order, parts)).map_err(value)?;
        Ok(Self(Mutex::new(fit)))
    }

    /// A fit of so many partitions that the caller holds; the sample has some rows of one.
    #[staticmethod]
    fn start_partitions(order: &str, count: usize, sample: &[u8]) -> PyResult<Self> {
        let (order, sample) = (self::order(order)?, table(sample)?);
        let fit = RoundsFit::start_partitions(order, count, &sample).map_err(value)?;
        Ok(Self(Mutex::new(fit)))
    }

    /// The fit in the bytes of a checkpoint.
    #[staticmethod]
    fn open(py: Python<'_>, bytes: &[u8]) -> PyResult<Self> {
        let fit = detached(py, || RoundsFit::from_bytes(bytes)).map_err(value)?;
        Ok(Self(Mutex::new(fit)))
    }

    /// The bytes of a checkpoint.
    fn to_bytes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let bytes = detached(py, || self.with(|fit| fit.to_bytes())).map_err(value)?;
        Ok(PyBytes::new(py, &bytes))
    }

    /// Refuses a fit of another order or of other parts.
    fn matches(&self, order: &str, parts: Vec<String>) -> PyResult<()> {
        let (order, parts) = (self::order(order)?, self::parts(&parts)?);
        self.with(|fit| fit.check(&order, &parts)).map_err(value)
    }

    /// The number of groups of parts.
    #[getter]
    fn groups(&self) -> usize {
        self.with(|fit| fit.groups())
    }

    /// The parts of a group, from the first to before the last.
    fn group(&self, group: usize) -> (usize, usize) {
        let range = self.with(|fit| fit.group(group));
        (range.start, range.end)
    }

    /// The phase, the rounds that are done, the rows, the objective and the gap.
    #[getter]
    fn state<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let (phase, rows, state) = match self.with(|fit| fit.stage()) {
            Stage::Survey => ("survey", 0, None),
            Stage::Rounds { rows, state } => ("rounds", rows, Some(state)),
            Stage::Done { rows } => ("done", rows, None),
            _ => ("other", 0, None),
        };
        let all = PyDict::new(py);
        all.set_item("phase", phase)?;
        all.set_item("rows", rows)?;
        all.set_item("rounds", state.map_or(0, |state| state.rounds))?;
        all.set_item("objective", state.and_then(|state| state.objective))?;
        all.set_item("gap", state.and_then(|state| state.gap))?;
        Ok(all)
    }

    /// The bytes of this round's job; none at the end.
    fn task<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyBytes>>> {
        let bytes = detached(py, || {
            let job = self.with(|fit| fit.job())?;
            job.map(|job| job.to_bytes()).transpose()
        });
        Ok(bytes.map_err(value)?.map(|bytes| PyBytes::new(py, &bytes)))
    }

    /// Goes on with the sums of all groups.
    #[pyo3(signature = (sums, memory=None))]
    fn next(&self, py: Python<'_>, sums: &[u8], memory: Option<u64>) -> PyResult<()> {
        let next = || {
            let sums = Gathered::from_bytes(sums)?;
            self.with(|fit| fit.next(sums, &budget(memory)))
        };
        detached(py, next).map_err(value)
    }

    /// The model, at the end.
    #[getter]
    fn model(&self) -> Option<TableModel> {
        self.with(|fit| fit.model().cloned()).map(TableModel::from)
    }
}

/// A job that a worker has read: it may be used for many groups.
#[pyclass(frozen, module = "kernrs._native")]
pub(crate) struct Task(Job);

#[pymethods]
impl Task {
    /// The job in these bytes.
    #[staticmethod]
    fn open(py: Python<'_>, bytes: &[u8]) -> PyResult<Self> {
        Ok(Self(detached(py, || Job::from_bytes(bytes)).map_err(value)?))
    }

    /// The bytes of the sums of a group of parts of files.
    #[pyo3(signature = (group, memory=None))]
    fn gather<'py>(
        &self,
        py: Python<'py>,
        group: usize,
        memory: Option<u64>,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let sums = || self.0.gather(group, &budget(memory))?.to_bytes();
        Ok(PyBytes::new(py, &detached(py, sums).map_err(value)?))
    }

    /// The same of streams of Arrow, one for each partition of the group, in their order.
    #[pyo3(signature = (group, tables, memory=None))]
    fn gather_partitions<'py>(
        &self,
        py: Python<'py>,
        group: usize,
        tables: Vec<Vec<u8>>,
        memory: Option<u64>,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let tables = tables.iter().map(|stream| table(stream)).collect::<PyResult<Vec<_>>>()?;
        let sums = || self.0.gather_tables(group, &tables, &budget(memory))?.to_bytes();
        Ok(PyBytes::new(py, &detached(py, sums).map_err(value)?))
    }
}

/// The bytes of the sums of a group of parts of files.
#[pyfunction]
#[pyo3(signature = (task, group, memory=None))]
pub(crate) fn gather<'py>(
    py: Python<'py>,
    task: &[u8],
    group: usize,
    memory: Option<u64>,
) -> PyResult<Bound<'py, PyBytes>> {
    Task::open(py, task)?.gather(py, group, memory)
}

/// The same of streams of Arrow, one for each partition of the group, in their order.
#[pyfunction]
#[pyo3(signature = (task, group, tables, memory=None))]
pub(crate) fn gather_partitions<'py>(
    py: Python<'py>,
    task: &[u8],
    group: usize,
    tables: Vec<Vec<u8>>,
    memory: Option<u64>,
) -> PyResult<Bound<'py, PyBytes>> {
    Task::open(py, task)?.gather_partitions(py, group, tables, memory)
}

/// The bytes of two sums together.
#[pyfunction]
pub(crate) fn merge<'py>(py: Python<'py>, a: &[u8], b: &[u8]) -> PyResult<Bound<'py, PyBytes>> {
    let merged = || {
        let mut sums = Gathered::from_bytes(a)?;
        sums.merge(&Gathered::from_bytes(b)?)?;
        sums.to_bytes()
    };
    Ok(PyBytes::new(py, &detached(py, merged).map_err(value)?))
}

/// The parts of files and of the files in folders, each of about so many rows, as text.
#[pyfunction]
pub(crate) fn list_parts(py: Python<'_>, paths: Vec<String>, rows: u64) -> PyResult<Vec<String>> {
    let parts = detached(py, || Part::list(&paths, rows)).map_err(value)?;
    parts.iter().map(|part| serde_json::to_string(part).map_err(value)).collect()
}

/// A part in words.
#[pyfunction]
pub(crate) fn describe_part(part: &str) -> PyResult<String> {
    Ok(parts(&[part.to_string()])?.iter().map(ToString::to_string).collect())
}

/// The answers of a model for the rows of a part.
#[pyfunction]
#[pyo3(signature = (model, part, memory=None))]
pub(crate) fn predict_part(
    py: Python<'_>,
    model: &TableModel,
    part: &str,
    memory: Option<u64>,
) -> PyResult<Py<PyAny>> {
    let part = &parts(&[part.to_string()])?[0];
    let answers = || {
        let mut all: Option<Answers> = None;
        model.model.predict_part(part, &budget(memory), |_, answers| match &mut all {
            Some(all) => all.append(answers),
            None => {
                all = Some(answers);
                Ok(())
            }
        })?;
        Ok::<_, kern_table::Error>(all)
    };
    match detached(py, answers).map_err(value)? {
        Some(answers) => plain_answers(py, answers),
        None => plain_answers(py, Answers::Numbers(Vec::new())),
    }
}

/// Sums for the score of a model, as text: that of the rows of a part.
#[pyfunction]
#[pyo3(signature = (model, part, memory=None))]
pub(crate) fn score_part(
    py: Python<'_>,
    model: &TableModel,
    part: &str,
    memory: Option<u64>,
) -> PyResult<String> {
    let part = &parts(&[part.to_string()])?[0];
    let scored = detached(py, || model.model.score_part(part, &budget(memory))).map_err(value)?;
    serde_json::to_string(&scored).map_err(value)
}

/// The score of sums of all parts, merged in their order, and the number of rows: R² of numbers, the share of right classes.
#[pyfunction]
pub(crate) fn total_score(scored: Vec<String>) -> PyResult<(Option<f64>, u64)> {
    let mut all = Scored::default();
    for text in &scored {
        all.merge(&serde_json::from_str(text).map_err(value)?);
    }
    Ok((all.score(), all.rows()))
}

/// The seconds of a fit in rounds on each of these numbers of workers, the number that pays, the rows from which two pay, and a
/// line that says it. The speed is that of this machine, the network 10 GbE.
#[pyfunction]
#[pyo3(signature = (rows, columns, features, functions, descends, workers, flops=None, bandwidth=None))]
#[expect(clippy::too_many_arguments, reason = "Python gives them by name")]
pub(crate) fn rounds_cost(
    rows: f64,
    columns: f64,
    features: usize,
    functions: f64,
    descends: bool,
    workers: Vec<f64>,
    flops: Option<f64>,
    bandwidth: Option<f64>,
) -> PyResult<(Vec<f64>, f64, f64, String)> {
    let mut network = match flops {
        Some(flops) => Network::of(flops),
        None => Network::this().map_err(value)?,
    };
    if let Some(bandwidth) = bandwidth {
        network.bandwidth = bandwidth;
    }
    let cost = RoundsCost::new(rows, columns, Features::Fourier(features), functions, descends);
    let seconds = workers.iter().map(|&workers| cost.seconds(workers, &network)).collect();
    let line = cost.line(&network).to_string();
    Ok((seconds, cost.workers(&network), cost.pays_from(&network), line))
}
