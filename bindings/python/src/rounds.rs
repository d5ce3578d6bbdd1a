//! Distributed fits in rounds, on many machines or in this process: the driver and its workers.

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

/// The description of a fit as given by Python.
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

/// The driver of a fit in rounds; its state is its own checkpoint.
#[pyclass(frozen, module = "kernrs._native")]
pub(crate) struct Rounds(Mutex<RoundsFit>);

impl Rounds {
    fn with<R>(&self, f: impl FnOnce(&mut RoundsFit) -> R) -> R {
        f(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

#[pymethods]
impl Rounds {
    /// A fit to parts of files; the columns are inferred from the first rows of the first part.
    #[staticmethod]
    fn start(py: Python<'_>, order: &str, parts: Vec<String>) -> PyResult<Self> {
        let (order, parts) = (self::order(order)?, self::parts(&parts)?);
        let fit = detached(py, || RoundsFit::start(order, parts)).map_err(value)?;
        Ok(Self(Mutex::new(fit)))
    }

    /// A fit to this many partitions held by the caller; the sample contains some rows of one of
    /// them.
    #[staticmethod]
    fn start_partitions(order: &str, count: usize, sample: &[u8]) -> PyResult<Self> {
        let (order, sample) = (self::order(order)?, table(sample)?);
        let fit = RoundsFit::start_partitions(order, count, &sample).map_err(value)?;
        Ok(Self(Mutex::new(fit)))
    }

    /// Restores a fit from the bytes of a checkpoint.
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

    /// Raises an error for a fit with other settings or other parts.
    fn matches(&self, order: &str, parts: Vec<String>) -> PyResult<()> {
        let (order, parts) = (self::order(order)?, self::parts(&parts)?);
        self.with(|fit| fit.check(&order, &parts)).map_err(value)
    }

    /// The number of groups of parts.
    #[getter]
    fn groups(&self) -> usize {
        self.with(|fit| fit.groups())
    }

    /// The half-open range of parts in a group.
    fn group(&self, group: usize) -> (usize, usize) {
        let range = self.with(|fit| fit.group(group));
        (range.start, range.end)
    }

    /// The phase, the completed rounds, the rows, the objective and the duality gap.
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

    /// The bytes of this round's job; `None` at the end.
    fn task<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyBytes>>> {
        let bytes = detached(py, || {
            let job = self.with(|fit| fit.job())?;
            job.map(|job| job.to_bytes()).transpose()
        });
        Ok(bytes.map_err(value)?.map(|bytes| PyBytes::new(py, &bytes)))
    }

    /// Continues with the sums of all groups.
    #[pyo3(signature = (sums, memory=None))]
    fn next(&self, py: Python<'_>, sums: &[u8], memory: Option<u64>) -> PyResult<()> {
        let next = || {
            let sums = Gathered::from_bytes(sums)?;
            self.with(|fit| fit.next(sums, &budget(memory)))
        };
        detached(py, next).map_err(value)
    }

    /// The model; available at the end.
    #[getter]
    fn model(&self) -> Option<TableModel> {
        self.with(|fit| fit.model().cloned()).map(TableModel::from)
    }
}

/// A deserialized job of a worker, which may be used for many groups.
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

    /// The bytes of the sums of a group of Arrow streams, one per partition, in order.
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

/// The bytes of the sums of a group of Arrow streams, one per partition, in order.
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

/// The bytes of two sums added together.
#[pyfunction]
pub(crate) fn merge<'py>(py: Python<'py>, a: &[u8], b: &[u8]) -> PyResult<Bound<'py, PyBytes>> {
    let merged = || {
        let mut sums = Gathered::from_bytes(a)?;
        sums.merge(&Gathered::from_bytes(b)?)?;
        sums.to_bytes()
    };
    Ok(PyBytes::new(py, &detached(py, merged).map_err(value)?))
}

/// The parts of files and of the files in folders, each of about this many rows, as text.
#[pyfunction]
pub(crate) fn list_parts(py: Python<'_>, paths: Vec<String>, rows: u64) -> PyResult<Vec<String>> {
    let parts = detached(py, || Part::list(&paths, rows)).map_err(value)?;
    parts.iter().map(|part| serde_json::to_string(part).map_err(value)).collect()
}

/// A readable description of a part.
#[pyfunction]
pub(crate) fn describe_part(part: &str) -> PyResult<String> {
    Ok(parts(&[part.to_string()])?.iter().map(ToString::to_string).collect())
}

/// The predictions of a model for the rows of a part.
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

/// The sums for the score of a model on the rows of a part, as text.
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

/// The score from the sums of all parts, merged in order, and the number of rows: R² for
/// regression, accuracy for classification.
#[pyfunction]
pub(crate) fn total_score(scored: Vec<String>) -> PyResult<(Option<f64>, u64)> {
    let mut all = Scored::default();
    for text in &scored {
        all.merge(&serde_json::from_str(text).map_err(value)?);
    }
    Ok((all.score(), all.rows()))
}

/// The predicted seconds of a fit in rounds for each of these numbers of workers, the recommended
/// number of workers, the number of rows from which two workers pay off, and a summary line.
/// Assumes the speed of this machine and a 10 GbE network.
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
        None => Network::current().map_err(value)?,
    };
    if let Some(bandwidth) = bandwidth {
        network.bandwidth = bandwidth;
    }
    let cost = RoundsCost::new(rows, columns, Features::Fourier(features), functions, descends);
    let seconds = workers.iter().map(|&workers| cost.seconds(workers, &network)).collect();
    let line = cost.line(&network).to_string();
    Ok((seconds, cost.workers(&network), cost.break_even_rows(&network), line))
}
