//! Tables: from a data frame to a tuned model, in the file format of the command line.

use crate::error::{file as file_error, value};
use crate::model::{plain, report};
use crate::run::{Watch, budget, detached, watched, with_signals};
use kern_core::parameters::Setting;
use kern_data::{Format, Source, Table};
use kern_gram::MemoryBudget;
use kern_solvers::file::{self, Encoding};
use kern_table::{Answers, ClassType, Method, Task, Training};
use pyo3::IntoPyObjectExt;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};
use std::io::Cursor;
use std::sync::Arc;
use std::time::Duration;

/// A model fitted to a table.
#[pyclass(frozen, module = "kernrs._native")]
pub(crate) struct TableModel {
    pub(crate) model: Arc<kern_table::TableModel>,
    /// Notes on how the training table was read.
    read: Vec<String>,
}

impl From<Arc<kern_table::TableModel>> for TableModel {
    fn from(model: Arc<kern_table::TableModel>) -> Self {
        Self { model, read: Vec::new() }
    }
}

/// Classes, and their probabilities for each row.
type Shares = (Vec<String>, Vec<Vec<f64>>);

/// An Arrow stream, from which the Python side has dropped the index of a data frame.
fn source(stream: &[u8]) -> Source<'static> {
    Source::new(Format::Arrow, Cursor::new(stream.to_vec())).row_numbers(true)
}

/// The table in an Arrow stream.
pub(crate) fn table(stream: &[u8]) -> PyResult<Table> {
    source(stream).read().map_err(value)
}

/// The task suggested by a target, and a readable reason.
#[pyfunction]
pub(crate) fn suggested_task(stream: &[u8], target: &str) -> PyResult<(&'static str, String)> {
    let table = table(stream)?;
    let (task, reason) = Task::suggested(table.column(target).map_err(value)?);
    Ok((task.name(), reason))
}

/// The value of a setting given by Python.
#[derive(FromPyObject)]
pub(crate) enum Given {
    Flag(bool),
    Real(f64),
    Choice(String),
}

impl Given {
    fn setting(self) -> Setting {
        match self {
            Self::Flag(flag) => Setting::Flag(flag),
            Self::Real(number) => Setting::Real(number),
            Self::Choice(name) => Setting::Choice(name),
        }
    }
}

/// Fits a model to a table; also returns notes on how the table was read.
#[pyfunction]
#[pyo3(signature = (stream, task, target=None, kernel=None, method=None, tune=None, weights=None, groups=None, landmarks=None, settings=Vec::new(), seed=0, callback=None, keep=false, class_type=None, contest=None, metric=None))]
#[expect(clippy::too_many_arguments, reason = "the one door between the languages")]
pub(crate) fn train(
    py: Python<'_>,
    stream: &[u8],
    task: &str,
    target: Option<String>,
    kernel: Option<String>,
    method: Option<&str>,
    tune: Option<usize>,
    weights: Option<String>,
    groups: Option<String>,
    landmarks: Option<usize>,
    settings: Vec<(String, Given)>,
    seed: u64,
    callback: Option<Py<PyAny>>,
    keep: bool,
    class_type: Option<&str>,
    contest: Option<f64>,
    metric: Option<&str>,
) -> PyResult<TableModel> {
    let task: Task = task.parse().map_err(value)?;
    let mut training = Training::new(task).seed(seed);
    if let Some(name) = class_type {
        training = training.class_type(self::class_type(name)?);
    }
    let mut source = source(stream);
    if let Some(target) = target {
        // Integers that doubles cannot distinguish stay separate classes.
        source = source.keep_spelling(&target);
        training = training.target(target);
    }
    if let Some(kernel) = kernel {
        training = training.kernel(kernel);
    }
    if let Some(name) = method {
        let method =
            Method::named(name).ok_or_else(|| value(format!("there is no method {name}")))?;
        training = training.method(method);
    }
    if let Some(folds) = tune {
        training = training.tune(folds);
    }
    if let Some(column) = weights {
        training = training.weights(column);
    }
    if let Some(column) = groups {
        training = training.groups(column);
    }
    if let Some(count) = landmarks {
        training = training.landmarks(count);
    }
    if let Some(seconds) = contest {
        training = training.contest(Duration::try_from_secs_f64(seconds).map_err(value)?);
    }
    if let Some(name) = metric {
        training = training.metric(name.parse().map_err(value)?);
    }
    for (name, given) in settings {
        training = training.set(name, given.setting());
    }
    let table = source.read().map_err(value)?;
    let memory = Some(budget(py)?.as_bytes());
    let watch = Watch { memory, callback, keep };
    let model = watched(py, watch, |run| training.learn(&table, run))?;
    let read = table.notes().iter().map(ToString::to_string).collect();
    Ok(TableModel { model: Arc::new(model.map_err(value)?), read })
}

/// The class type with this name.
pub(crate) fn class_type(name: &str) -> PyResult<ClassType> {
    ClassType::named(name).ok_or_else(|| value(format!("there is no type {name} of classes")))
}

/// The cost of the available methods for a table, as text and as numbers.
#[pyfunction]
#[pyo3(signature = (stream, target=None, kernel=None, landmarks=None, memory=None, seed=0))]
pub(crate) fn plan(
    py: Python<'_>,
    stream: &[u8],
    target: Option<String>,
    kernel: Option<String>,
    landmarks: Option<usize>,
    memory: Option<u64>,
    seed: u64,
) -> PyResult<(String, Py<PyAny>)> {
    // Without a target, all columns are features.
    let task = if target.is_some() { Task::Regress } else { Task::Detect };
    let mut training = Training::new(task).seed(seed);
    if let Some(target) = target {
        training = training.target(target);
    }
    if let Some(kernel) = kernel {
        training = training.kernel(kernel);
    }
    if let Some(count) = landmarks {
        training = training.landmarks(count);
    }
    let table = table(stream)?;
    let budget = memory.map_or_else(MemoryBudget::available, MemoryBudget::bytes);
    let plan = with_signals(py, || training.plan(&table, &budget))?.map_err(value)?;
    let numbers = serde_json::to_value(&plan).map_err(value)?;
    Ok((plan.costs.to_string(), plain(py, &numbers)?))
}

/// Predictions as Python objects.
pub(crate) fn plain_answers(py: Python<'_>, answers: Answers) -> PyResult<Py<PyAny>> {
    match answers {
        Answers::Classes(classes) => classes.into_py_any(py),
        Answers::Numbers(numbers) => numbers.into_py_any(py),
        Answers::Known(known) => known.into_py_any(py),
        Answers::Clusters(clusters) => clusters.into_py_any(py),
        Answers::Coordinates(rows) => rows.into_py_any(py),
        _ => Err(value("the answers are of a new kind")),
    }
}

#[pymethods]
impl TableModel {
    /// The model in the bytes of a file.
    #[staticmethod]
    fn open(bytes: &[u8]) -> PyResult<Self> {
        let model: Arc<kern_table::TableModel> =
            Arc::new(file::from_bytes(bytes).map_err(|error| file_error(&error))?);
        Ok(model.into())
    }

    /// The predictions for the rows of a table.
    fn predict(&self, py: Python<'_>, stream: &[u8]) -> PyResult<Py<PyAny>> {
        let table = table(stream)?;
        plain_answers(py, with_signals(py, || self.model.predict(&table))?.map_err(value)?)
    }

    /// The classes and their probabilities; `None` if the method has no probabilities.
    fn probabilities(&self, py: Python<'_>, stream: &[u8]) -> PyResult<Option<Shares>> {
        let table = table(stream)?;
        let found = with_signals(py, || self.model.probabilities(&table))?.map_err(value)?;
        Ok(found.map(|found| (found.classes, found.rows)))
    }

    /// The task.
    #[getter]
    fn task(&self) -> &str {
        self.model.task()
    }

    /// The description of the method.
    #[getter]
    fn method(&self) -> &'static str {
        self.model.method()
    }

    /// The kernel, with all of its parameters.
    #[getter]
    fn kernel(&self) -> &str {
        self.model.kernel()
    }

    /// The names of the columns that the model uses, in order.
    #[getter]
    fn columns(&self) -> Vec<String> {
        self.model.schema().fields.iter().map(|field| field.name.clone()).collect()
    }

    /// Notes on how the table was read and on the fit.
    #[getter]
    fn notes(&self) -> Vec<String> {
        let learned = self.model.notes().iter().map(ToString::to_string);
        self.read.iter().cloned().chain(learned).collect()
    }

    /// The target column.
    #[getter]
    fn target(&self) -> Option<&str> {
        self.model.target()
    }

    /// The type of the classes: `word`, `boolean`, `integer` or `real`.
    #[getter]
    fn class_type(&self) -> &'static str {
        self.model.class_type().name()
    }

    /// The report of the fit: its evidence.
    #[getter]
    fn report<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        report(py, self.model.report())
    }

    /// The candidates of the contest, the best first, if there was one.
    #[getter]
    fn leaderboard(&self, py: Python<'_>) -> PyResult<Option<Py<PyAny>>> {
        let Some(leaderboard) = self.model.leaderboard() else { return Ok(None) };
        let entries = serde_json::to_value(&leaderboard.entries).map_err(value)?;
        plain(py, &entries).map(Some)
    }

    /// The best score of the search, if there was one.
    #[getter]
    fn best_score(&self) -> Option<f64> {
        let search = self.model.search()?;
        search.trials.get(search.best?)?.mean()
    }

    /// The bytes of a file with this model.
    #[pyo3(signature = (json=false))]
    fn to_bytes<'py>(&self, py: Python<'py>, json: bool) -> PyResult<Bound<'py, PyBytes>> {
        let encoding = if json { Encoding::Json } else { Encoding::Binary };
        let bytes = detached(py, || file::to_bytes(&*self.model, encoding));
        Ok(PyBytes::new(py, &bytes.map_err(|error| file_error(&error))?))
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Py<PyAny>, (Bound<'py, PyBytes>,))> {
        let open = py.import("kernrs._native")?.getattr("TableModel")?.getattr("open")?.unbind();
        Ok((open, (self.to_bytes(py, false)?,)))
    }
}
