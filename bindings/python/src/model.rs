//! The Python class of models.

use crate::arrays::array;
use crate::error::{file as file_error, value};
use crate::fitted::Answer;
use crate::learners::{self, AnyFitted, each_fitted};
use crate::order::{Given, Order};
use crate::points::{Kind, Points, matrix};
use crate::run::{Watch, detached, watched, with_signals};
use kern_core::faer::Mat;
use kern_core::parameters::{Domain, Setting};
use kern_solvers::file::Encoding;
use kern_solvers::gaussian_process::{Draws, Noise};
use kern_solvers::{Details, Error, Report, Status};
use numpy::{Element, PyArray1, PyArray2, PyReadonlyArray1, PyReadonlyArray2};
use pyo3::IntoPyObjectExt;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyList};

/// A model of any learner.
#[pyclass(frozen, module = "kernrs._native")]
pub(crate) struct Model(AnyFitted);

/// The value of a setting given by Python.
fn setting(given: &Bound<'_, PyAny>) -> PyResult<Setting> {
    use pyo3::types::{PyBool, PyInt, PyString};
    if given.is_instance_of::<PyBool>() {
        return Ok(Setting::Flag(given.extract()?));
    }
    if given.is_instance_of::<PyInt>() {
        return match given.extract() {
            Ok(count) => Ok(Setting::Count(count)),
            Err(_) => Ok(Setting::Real(given.extract()?)),
        };
    }
    if given.is_instance_of::<PyString>() {
        return Ok(Setting::Choice(given.extract()?));
    }
    match given.extract::<f64>() {
        Ok(number) => Ok(Setting::Real(number)),
        Err(_) => Ok(Setting::List(given.extract()?)),
    }
}

/// A setting as a Python object.
fn object(py: Python<'_>, setting: Setting) -> PyResult<Py<PyAny>> {
    match setting {
        Setting::Real(number) => number.into_py_any(py),
        Setting::Count(count) => count.into_py_any(py),
        Setting::Flag(flag) => flag.into_py_any(py),
        Setting::Choice(name) => name.into_py_any(py),
        Setting::List(numbers) => numbers.into_py_any(py),
    }
}

/// The targets: integers are class labels, floats are regression targets.
fn targets(y: &Bound<'_, PyAny>) -> PyResult<Given> {
    if y.is_none() {
        return Ok(Given::Nothing);
    }
    if let Ok(labels) = y.extract::<PyReadonlyArray1<'_, i64>>() {
        return Ok(Given::Labels(labels.as_slice().map_err(value)?.to_vec()));
    }
    if let Ok(numbers) = y.extract::<PyReadonlyArray1<'_, f64>>() {
        return Ok(Given::Numbers(numbers.as_slice().map_err(value)?.to_vec()));
    }
    Ok(Given::Outputs(matrix(&y.extract::<PyReadonlyArray2<'_, f64>>()?)?.to_owned()))
}

/// Fits a model to points.
#[pyfunction]
#[pyo3(signature = (learner, formula, points, y, weights, settings, memory=None, callback=None, keep=false))]
#[expect(clippy::too_many_arguments, reason = "the one door between the languages")]
pub(crate) fn fit(
    py: Python<'_>,
    learner: String,
    formula: String,
    points: &Points,
    y: &Bound<'_, PyAny>,
    weights: Option<PyReadonlyArray1<'_, f64>>,
    settings: &Bound<'_, PyDict>,
    memory: Option<u64>,
    callback: Option<Py<PyAny>>,
    keep: bool,
) -> PyResult<Model> {
    let settings = settings
        .iter()
        .map(|(name, value)| Ok((name.extract()?, setting(&value)?)))
        .collect::<PyResult<_>>()?;
    let weights = match &weights {
        Some(weights) => Some(weights.as_slice().map_err(value)?.to_vec()),
        None => None,
    };
    let order = Order { learner, formula, settings, given: targets(y)?, weights };
    let watch = Watch { memory, callback, keep };
    let fitted = watched(py, watch, |run| learners::learn(&points.0, &order, run))?;
    Ok(Model(fitted.map_err(value)?))
}

/// The function that reconstructs an object, and its arguments.
pub(crate) type Reduced<'py> = (Py<PyAny>, (Bound<'py, PyBytes>, Option<&'static str>));

/// The model in the bytes of a file, on points of this kind, or of the first kind for which it can
/// be read.
#[pyfunction]
#[pyo3(signature = (bytes, points=None))]
pub(crate) fn open(py: Python<'_>, bytes: &[u8], points: Option<&str>) -> PyResult<Model> {
    Ok(Model(detached(py, || learners::open(bytes, points)).map_err(|error| file_error(&error))?))
}

/// The hyper-parameters of a learner: name, default, description of the allowed values, and whether
/// they are searched on a logarithmic scale.
#[pyfunction]
pub(crate) fn parameters(
    py: Python<'_>,
    learner: &str,
) -> PyResult<Vec<(String, Py<PyAny>, String)>> {
    let known = learners::parameters(learner)
        .ok_or_else(|| value(format!("there is no learner {learner}")))?;
    let row = |parameter: kern_core::parameters::Parameter| {
        let allowed: Domain = parameter.domain;
        Ok((parameter.name.into_owned(), object(py, parameter.value)?, allowed.to_string()))
    };
    known.into_iter().map(row).collect()
}

/// Calls a method of the model on points of the same kind and converts the result to Python.
macro_rules! asked {
    ($py:expr, $model:expr, $points:expr, $fitted:ident, $x:ident => $value:expr, $object:ident) => {
        match ($model, &$points.0) {
            (AnyFitted::Dense($fitted), Kind::Dense($x)) => {
                $object($py, with_signals($py, || $value)?)
            }
            (AnyFitted::Single($fitted), Kind::Single($x)) => {
                $object($py, with_signals($py, || $value)?)
            }
            (AnyFitted::Sparse($fitted), Kind::Sparse($x)) => {
                $object($py, with_signals($py, || $value)?)
            }
            (AnyFitted::Texts($fitted), Kind::Texts($x)) => {
                $object($py, with_signals($py, || $value)?)
            }
            (AnyFitted::Given($fitted), Kind::Given($x)) => {
                $object($py, with_signals($py, || $value)?)
            }
            (_, other) => {
                let given = other.name();
                Err(value(format!("the model was learned from other points, not from {given}")))
            }
        }
    };
}

/// Predictions as an array.
fn answered<T: Element + Copy>(
    py: Python<'_>,
    answer: Result<Answer<T>, Error>,
) -> PyResult<Py<PyAny>> {
    match answer.map_err(value)? {
        Answer::Labels(labels) => PyArray1::from_vec(py, labels).into_py_any(py),
        Answer::Numbers(numbers) => PyArray1::from_vec(py, numbers).into_py_any(py),
        Answer::Matrix(values) => array(py, values.as_ref())?.into_py_any(py),
    }
}

/// Values that not every model has, as an array or `None`.
fn optional<T: Element + Copy>(
    py: Python<'_>,
    values: Option<Result<Mat<T>, Error>>,
) -> PyResult<Py<PyAny>> {
    match values.transpose().map_err(value)? {
        Some(values) => array(py, values.as_ref())?.into_py_any(py),
        None => Ok(py.None()),
    }
}

/// One value per point that not every model has, as an array or `None`.
fn distances(py: Python<'_>, values: Option<Result<Vec<f64>, Error>>) -> PyResult<Py<PyAny>> {
    match values.transpose().map_err(value)? {
        Some(values) => PyArray1::from_vec(py, values).into_py_any(py),
        None => Ok(py.None()),
    }
}

/// The noise mode of a predictive distribution.
const fn noise(with: bool) -> Noise {
    if with { Noise::With } else { Noise::Without }
}

#[pymethods]
impl Model {
    /// The predictions at points.
    fn predict(&self, py: Python<'_>, points: &Points) -> PyResult<Py<PyAny>> {
        asked!(py, &self.0, points, model, x => model.predict(x), answered)
    }

    /// The decision values, points × functions; `None` if the model has none.
    fn decision(&self, py: Python<'_>, points: &Points) -> PyResult<Py<PyAny>> {
        asked!(py, &self.0, points, model, x => model.decision(x), optional)
    }

    /// The class probabilities; `None` if the model has none.
    fn probabilities(&self, py: Python<'_>, points: &Points) -> PyResult<Py<PyAny>> {
        asked!(py, &self.0, points, model, x => model.probabilities(x), optional)
    }

    /// The standard deviations of a Gaussian process, points × outputs; `None` for other models.
    fn std(&self, py: Python<'_>, points: &Points, with_noise: bool) -> PyResult<Py<PyAny>> {
        let noise = noise(with_noise);
        asked!(
            py, &self.0, points, model,
            x => model.parts().posterior().map(|posterior| posterior.std(x, noise)),
            optional
        )
    }

    /// The covariances of one output of a Gaussian process, points × points; `None` for other
    /// models.
    fn covariance(
        &self,
        py: Python<'_>,
        points: &Points,
        output: usize,
        with_noise: bool,
    ) -> PyResult<Py<PyAny>> {
        let noise = noise(with_noise);
        asked!(
            py, &self.0, points, model,
            x => model.parts().posterior().map(|posterior| posterior.covariance(x, output, noise)),
            optional
        )
    }

    /// Samples of functions from a Gaussian process, points × samples; `None` for other models.
    fn sample(
        &self,
        py: Python<'_>,
        points: &Points,
        output: usize,
        count: usize,
        seed: u64,
    ) -> PyResult<Py<PyAny>> {
        let draws = Draws { noise: Noise::Without, count, seed };
        asked!(
            py, &self.0, points, model,
            x => model.parts().posterior().map(|posterior| posterior.sample(x, output, draws)),
            optional
        )
    }

    /// The kernel, the noise variance and the log likelihood of a Gaussian process; `None` for
    /// other models.
    #[getter]
    fn process(&self) -> Option<(String, f64, f64)> {
        each_fitted!(&self.0, model => model.parts().process())
    }

    /// The eigenvalues of principal components and their explained variance ratios; `None` for
    /// other models.
    #[getter]
    fn spectrum<'py>(&self, py: Python<'py>) -> Option<[Bound<'py, PyArray1<f64>>; 2]> {
        each_fitted!(&self.0, model => {
            let (spectrum, values) = (model.parts().spectrum()?, model.parts().eigenvalues()?);
            let values = PyArray1::from_slice(py, values);
            Some([values, PyArray1::from_vec(py, spectrum.explained_ratio())])
        })
    }

    /// The eigenvalues of principal components or of a spectral embedding; `None` for other models.
    #[getter]
    fn eigenvalues<'py>(&self, py: Python<'py>) -> Option<Bound<'py, PyArray1<f64>>> {
        each_fitted!(&self.0, model => {
            model.parts().eigenvalues().map(|values| PyArray1::from_slice(py, values))
        })
    }

    /// The squared distances of points from their projections onto principal components; `None` for
    /// other models.
    fn reconstruction_errors(&self, py: Python<'_>, points: &Points) -> PyResult<Py<PyAny>> {
        asked!(
            py, &self.0, points, model,
            x => model.parts().spectrum().map(|spectrum| spectrum.reconstruction_errors(x)),
            distances
        )
    }

    /// The metric learned by a recursive feature machine; `None` for other models.
    #[getter]
    fn metric<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyArray2<f64>>>> {
        let metric = each_fitted!(&self.0, model => model.parts().metric());
        metric.map(|metric| array(py, metric.as_ref())).transpose()
    }

    /// The classes in order; `None` if the model is not a classifier.
    #[getter]
    fn classes(&self) -> Option<Vec<i64>> {
        each_fitted!(&self.0, model => model.classes().map(<[i64]>::to_vec))
    }

    /// The cluster labels of the training points; `None` if the model is not a clustering.
    #[getter]
    fn labels(&self) -> Option<Vec<i64>> {
        each_fitted!(&self.0, model => model.labels())
    }

    /// The kind of the model, as stored in its file.
    #[getter]
    fn kind(&self) -> String {
        each_fitted!(&self.0, model => model.kind())
    }

    /// The report of the fit: its evidence.
    #[getter]
    fn report<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        each_fitted!(&self.0, model => report(py, model.report()))
    }

    /// The indices of the support vectors; `None` for models without any.
    #[getter]
    fn support<'py>(&self, py: Python<'py>) -> Option<Bound<'py, PyArray1<i64>>> {
        let indices = each_fitted!(&self.0, model => support(model.report()))?;
        Some(PyArray1::from_iter(py, indices.iter().map(|&i| i as i64)))
    }

    /// The coefficients, points × functions; `None` if the model is not a kernel expansion.
    #[getter]
    fn coefficients(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        each_fitted!(&self.0, model => match model.parts().expansion() {
            Some((coefficients, _)) => array(py, coefficients)?.into_py_any(py),
            None => Ok(py.None()),
        })
    }

    /// The intercept of each function; `None` if the model is not a kernel expansion.
    #[getter]
    fn intercepts(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        each_fitted!(&self.0, model => match model.parts().expansion() {
            Some((_, intercepts)) => PyArray1::from_slice(py, &intercepts).into_py_any(py),
            None => Ok(py.None()),
        })
    }

    /// The bytes of a file with this model.
    #[pyo3(signature = (json=false))]
    fn to_bytes<'py>(&self, py: Python<'py>, json: bool) -> PyResult<Bound<'py, PyBytes>> {
        let encoding = if json { Encoding::Json } else { Encoding::Binary };
        let bytes = each_fitted!(&self.0, model => detached(py, || model.bytes(encoding)));
        let mut bytes = bytes.map_err(|error| file_error(&error))?;
        if json && matches!(self.0, AnyFitted::Single(_)) {
            learners::mark_single(&mut bytes);
        }
        Ok(PyBytes::new(py, &bytes))
    }

    /// The name of the kind of training points.
    #[getter]
    const fn points(&self) -> &'static str {
        self.0.points()
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Reduced<'py>> {
        let open = py.import("kernrs._native")?.getattr("open")?.unbind();
        Ok((open, (self.to_bytes(py, false)?, Some(self.0.points()))))
    }

    fn __repr__(&self) -> String {
        let report = each_fitted!(&self.0, model => model.report().to_string());
        format!("Model({}, {report})", self.kind())
    }
}

fn support(report: &Report) -> Option<&[usize]> {
    match &report.details {
        Details::Svm(details) => Some(&details.support),
        Details::Perceptron(details) => Some(&details.support),
        _ => None,
    }
}

/// A report as a dictionary.
pub(crate) fn report<'py>(py: Python<'py>, report: &Report) -> PyResult<Bound<'py, PyDict>> {
    let status = match report.status {
        Status::Converged => "converged",
        Status::ConvergedByViolation => "converged_by_violation",
        Status::IterationsDone => "iterations_done",
        Status::EarlyStopped => "early_stopped",
        Status::Stalled => "stalled",
        Status::Stopped => "stopped",
        _ => "other",
    };
    let all = PyDict::new(py);
    all.set_item("status", status)?;
    all.set_item("iterations", report.iterations)?;
    all.set_item("objective", report.objective)?;
    all.set_item("gap", report.gap)?;
    let details = serde_json::to_value(&report.details).map_err(value)?;
    // A Rust enum in JSON is an object with one entry.
    if let Some(details) = details.as_object().and_then(|object| object.values().next()) {
        for (name, item) in details.as_object().into_iter().flatten() {
            all.set_item(name, plain(py, item)?)?;
        }
    }
    Ok(all)
}

/// A JSON value as a Python object.
pub(crate) fn plain(py: Python<'_>, item: &serde_json::Value) -> PyResult<Py<PyAny>> {
    use serde_json::Value;
    match item {
        Value::Null => Ok(py.None()),
        Value::Bool(flag) => flag.into_py_any(py),
        Value::Number(number) => match number.as_i64() {
            Some(whole) => whole.into_py_any(py),
            None => number.as_f64().into_py_any(py),
        },
        Value::String(text) => text.into_py_any(py),
        Value::Array(items) => {
            let items = items.iter().map(|item| plain(py, item)).collect::<PyResult<Vec<_>>>()?;
            PyList::new(py, items)?.into_py_any(py)
        }
        Value::Object(items) => {
            let all = PyDict::new(py);
            for (name, item) in items {
                all.set_item(name, plain(py, item)?)?;
            }
            all.into_py_any(py)
        }
    }
}
