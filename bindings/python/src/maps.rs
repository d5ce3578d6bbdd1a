//! Feature maps.

use crate::arrays::filled;
use crate::error::{file as file_error, text, value};
use crate::model::Reduced;
use crate::points::{Kind, Points};
use crate::run::{budget, detached, with_signals};
use kern_approx::{
    AdditiveKernel, AdditiveMap, FeatureMap, FourierForm, FourierMap, Nystrom, NystromMap,
    RandomFourier, SampledAdditive, SketchMap, TensorSketch, transform_into, transformed_shape,
};
use kern_core::faer::MatMut;
use kern_core::kernels::Polynomial;
use kern_core::{KernelSpec, MercerFormula, Named, Samples, Scalar, SparseSamples};
use kern_gram::{GivenPoints, Precomputed};
use kern_solvers::file::{self, Encoding};
use numpy::{Element, PyArray1, PyArray2, PyArrayMethods};
use pyo3::IntoPyObjectExt;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use std::sync::Arc;

type NystromOf<P> = NystromMap<P, MercerFormula<P>>;

/// A feature map.
#[pyclass(frozen, module = "kernrs._native")]
#[derive(Clone)]
pub(crate) struct Map(Any);

#[derive(Clone)]
enum Any {
    Dense(Arc<NystromOf<Samples<f64>>>),
    Single(Arc<NystromOf<Samples<f32>>>),
    Sparse(Arc<NystromOf<SparseSamples<f64>>>),
    Texts(Arc<NystromOf<Vec<String>>>),
    Given(Arc<NystromMap<GivenPoints<f64>, Precomputed>>),
    Fourier(Arc<FourierMap>),
    Sketch(Arc<SketchMap>),
    Additive(Arc<AdditiveMap>),
}

/// Evaluates the same expression for a Nyström map on any kind of points; `None` for other maps.
macro_rules! nystrom {
    ($map:expr, $inner:ident => $value:expr) => {
        match $map {
            Any::Dense($inner) => Some($value),
            Any::Single($inner) => Some($value),
            Any::Sparse($inner) => Some($value),
            Any::Texts($inner) => Some($value),
            Any::Given($inner) => Some($value),
            Any::Fourier(_) | Any::Sketch(_) | Any::Additive(_) => None,
        }
    };
}

/// A Nyström map with landmarks chosen from the points.
#[pyfunction]
pub(crate) fn nystroem(
    py: Python<'_>,
    formula: &str,
    points: &Points,
    landmarks: usize,
    seed: u64,
) -> PyResult<Map> {
    let budget = budget(py)?;
    let spec = || formula.parse::<KernelSpec>().map_err(text);
    let found = with_signals(py, || -> Result<_, String> {
        macro_rules! fitted {
            ($kind:ident, $x:expr, $kernel:expr) => {{
                let nystrom = Nystrom::new($kernel).landmarks(landmarks).seed(seed);
                Ok(Any::$kind(Arc::new(nystrom.fit($x, &budget).map_err(text)?)))
            }};
        }
        match &points.0 {
            Kind::Dense(x) => fitted!(Dense, x, spec()?.build_mercer().map_err(text)?),
            Kind::Single(x) => fitted!(Single, x, spec()?.build_mercer().map_err(text)?),
            Kind::Sparse(x) => fitted!(Sparse, x, spec()?.build_mercer().map_err(text)?),
            Kind::Texts(x) => fitted!(Texts, x, spec()?.build_mercer().map_err(text)?),
            Kind::Given(x) => fitted!(Given, x, Precomputed),
        }
    })?;
    Ok(Map(found.map_err(value)?))
}

/// Random Fourier features of a kernel with a spectral density.
#[pyfunction]
pub(crate) fn random_fourier(
    py: Python<'_>,
    formula: &str,
    dim: usize,
    features: usize,
    phases: bool,
    seed: u64,
) -> PyResult<Map> {
    let spec: KernelSpec = formula.parse().map_err(value)?;
    let form = if phases { FourierForm::Phase } else { FourierForm::Paired };
    let map = detached(py, || {
        let spectrum = spec.spectrum().map_err(text)?;
        let params = RandomFourier::new(spectrum).dim(features).form(form).seed(seed);
        params.sample(dim).map_err(text)
    });
    Ok(Map(Any::Fourier(Arc::new(map.map_err(value)?))))
}

/// The tensor sketch of a polynomial kernel.
#[pyfunction]
pub(crate) fn polynomial_sketch(
    gamma: f64,
    coef0: f64,
    degree: u32,
    dim: usize,
    features: usize,
    seed: u64,
) -> PyResult<Map> {
    let kernel = Polynomial::new(gamma, coef0, degree).map_err(value)?;
    let map = TensorSketch::new(kernel).dim(features).seed(seed).sample(dim);
    Ok(Map(Any::Sketch(Arc::new(map.map_err(value)?))))
}

/// The sampled features of an additive kernel on histograms.
#[pyfunction]
#[pyo3(signature = (kernel, dim, steps, interval=None))]
pub(crate) fn additive(
    kernel: &str,
    dim: usize,
    steps: usize,
    interval: Option<f64>,
) -> PyResult<Map> {
    let kernel = match kernel {
        "chi2" => AdditiveKernel::ChiSquared,
        "intersection" => AdditiveKernel::Intersection,
        "jensen_shannon" => AdditiveKernel::JensenShannon,
        other => {
            let allowed = "chi2, intersection or jensen_shannon";
            return Err(value(format!("kernel must be {allowed}, got {other}")));
        }
    };
    let map = SampledAdditive::new(kernel).steps(steps);
    let map = interval.map_or(map, |interval| map.interval(interval)).map(dim);
    Ok(Map(Any::Additive(Arc::new(map.map_err(value)?))))
}

/// Points as an array, one per row.
fn rows<'py, T: Scalar + Element>(
    py: Python<'py>,
    points: &Samples<T>,
) -> PyResult<Bound<'py, PyArray2<T>>> {
    let shape = [points.as_slice().len() / points.dim().max(1), points.dim()];
    PyArray1::from_slice(py, points.as_slice()).reshape(shape)
}

/// The features of points as a NumPy array.
fn features<P>(py: Python<'_>, map: &impl FeatureMap<P>, points: &P) -> PyResult<Py<PyAny>>
where
    P: kern_core::Points<Scalar: Element>,
{
    let (dim, n) = transformed_shape(map, points, &budget(py)?).map_err(value)?;
    let features = filled(py, (n, dim), |numbers| {
        transform_into(map, points, MatMut::from_column_major_slice_mut(numbers, dim, n))
    });
    features?.into_py_any(py)
}

/// The evidence for a Nyström map on given points: tr G, tr(G − G_nys), rank and number of
/// landmarks.
type Evidence = (f64, f64, usize, usize);

fn evidence<P, K>(map: &NystromMap<P, K>, points: &P) -> Result<Evidence, String>
where
    P: kern_core::Points,
    K: kern_core::Mercer<P>,
{
    let report = map.report(points).map_err(text)?;
    Ok((report.trace, report.trace_error, report.rank, report.landmarks))
}

/// The map in the bytes of a file.
fn opened(bytes: &[u8], points: Option<&str>) -> Result<Any, file::Error> {
    let kind = file::kind(bytes)?;
    let mut refused = None;
    macro_rules! tried {
        ($any:ident, $map:ty) => {
            if <$map as Named>::name() == kind
                && points.is_none_or(|points| points == stringify!($any))
            {
                match file::from_bytes::<$map>(bytes) {
                    Ok(map) => return Ok(Any::$any(Arc::new(map))),
                    Err(error) => refused = refused.or(Some(error)),
                }
            }
        };
    }
    tried!(Dense, NystromOf<Samples<f64>>);
    tried!(Single, NystromOf<Samples<f32>>);
    tried!(Sparse, NystromOf<SparseSamples<f64>>);
    tried!(Texts, NystromOf<Vec<String>>);
    tried!(Given, NystromMap<GivenPoints<f64>, Precomputed>);
    tried!(Fourier, FourierMap);
    tried!(Sketch, SketchMap);
    tried!(Additive, AdditiveMap);
    Err(refused.unwrap_or(file::Error::Kind { given: kind, expected: "a feature map".into() }))
}

#[pymethods]
impl Map {
    /// The map in the bytes of a file, on points of this kind or of the first kind for which it can
    /// be read.
    #[staticmethod]
    #[pyo3(signature = (bytes, kind=None))]
    fn open(bytes: &[u8], kind: Option<&str>) -> PyResult<Self> {
        Ok(Self(opened(bytes, kind).map_err(|error| file_error(&error))?))
    }

    /// The features of points, points × features.
    fn transform(&self, py: Python<'_>, points: &Points) -> PyResult<Py<PyAny>> {
        match (&self.0, &points.0) {
            (Any::Dense(map), Kind::Dense(x)) => features(py, &**map, x),
            (Any::Single(map), Kind::Single(x)) => features(py, &**map, x),
            (Any::Sparse(map), Kind::Sparse(x)) => features(py, &**map, x),
            (Any::Texts(map), Kind::Texts(x)) => features(py, &**map, x),
            (Any::Given(map), Kind::Given(x)) => features(py, &**map, x),
            (Any::Fourier(map), Kind::Dense(x)) => features(py, &**map, x),
            (Any::Fourier(map), Kind::Single(x)) => features(py, &**map, x),
            (Any::Fourier(map), Kind::Sparse(x)) => features(py, &**map, x),
            (Any::Sketch(map), Kind::Dense(x)) => features(py, &**map, x),
            (Any::Sketch(map), Kind::Single(x)) => features(py, &**map, x),
            (Any::Sketch(map), Kind::Sparse(x)) => features(py, &**map, x),
            (Any::Additive(map), Kind::Dense(x)) => features(py, &**map, x),
            (Any::Additive(map), Kind::Single(x)) => features(py, &**map, x),
            (Any::Additive(map), Kind::Sparse(x)) => features(py, &**map, x),
            _ => Err(value("the map was made for points of another kind")),
        }
    }

    /// The evidence for a Nyström map on points of its kind: tr G, tr(G − G_nys), rank and number
    /// of landmarks.
    fn evidence(&self, py: Python<'_>, points: &Points) -> PyResult<Evidence> {
        let found = with_signals(py, || match (&self.0, &points.0) {
            (Any::Dense(map), Kind::Dense(x)) => evidence(map, x),
            (Any::Single(map), Kind::Single(x)) => evidence(map, x),
            (Any::Sparse(map), Kind::Sparse(x)) => evidence(map, x),
            (Any::Texts(map), Kind::Texts(x)) => evidence(map, x),
            (Any::Given(map), Kind::Given(x)) => evidence(map, x),
            _ => Err("a Nyström map and points of its kind are needed".to_string()),
        })?;
        found.map_err(value)
    }

    /// The landmarks of a Nyström map of vectors.
    #[getter]
    fn landmarks(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        match &self.0 {
            Any::Dense(map) => rows(py, map.landmarks())?.into_py_any(py),
            Any::Single(map) => rows(py, map.landmarks())?.into_py_any(py),
            _ => Ok(py.None()),
        }
    }

    /// The number of features.
    #[getter]
    fn dim(&self) -> usize {
        match &self.0 {
            Any::Fourier(map) => map.dim(),
            Any::Sketch(map) => map.dim(),
            Any::Additive(map) => map.dim(),
            map => nystrom!(map, map => map.rank()).unwrap_or_default(),
        }
    }

    /// The bytes of a file with this map.
    fn to_bytes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let bytes = match &self.0 {
            Any::Fourier(map) => file::to_bytes(&**map, Encoding::Binary),
            Any::Sketch(map) => file::to_bytes(&**map, Encoding::Binary),
            Any::Additive(map) => file::to_bytes(&**map, Encoding::Binary),
            map => nystrom!(map, map => file::to_bytes(&**map, Encoding::Binary))
                .unwrap_or_else(|| Ok(Vec::new())),
        };
        Ok(PyBytes::new(py, &bytes.map_err(|error| file_error(&error))?))
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Reduced<'py>> {
        let open = py.import("kernrs._native")?.getattr("Map")?.getattr("open")?.unbind();
        Ok((open, (self.to_bytes(py)?, Some(self.kind()))))
    }
}

impl Map {
    /// The name of the kind, which distinguishes single from double precision.
    const fn kind(&self) -> &'static str {
        match &self.0 {
            Any::Dense(_) => "Dense",
            Any::Single(_) => "Single",
            Any::Sparse(_) => "Sparse",
            Any::Texts(_) => "Texts",
            Any::Given(_) => "Given",
            Any::Fourier(_) => "Fourier",
            Any::Sketch(_) => "Sketch",
            Any::Additive(_) => "Additive",
        }
    }
}
