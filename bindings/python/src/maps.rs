//! Feature maps.

use crate::error::{file as file_error, text, value};
use crate::points::{Kind, Points};
use crate::run::detached;
use kern_approx::{FourierForm, FourierMap, Nystrom, NystromMap, RandomFourier, transform};
use kern_core::{KernelSpec, MercerFormula, Named, Samples, SparseSamples};
use kern_gram::{GivenPoints, MemoryBudget, Precomputed};
use kern_table::file::{self, Encoding};
use numpy::{PyArray1, PyArray2, PyArrayMethods};
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
    Sparse(Arc<NystromOf<SparseSamples<f64>>>),
    Texts(Arc<NystromOf<Vec<String>>>),
    Given(Arc<NystromMap<GivenPoints<f64>, Precomputed>>),
    Fourier(Arc<FourierMap>),
}

/// The Nyström map of landmarks of the points.
#[pyfunction]
pub(crate) fn nystroem(
    py: Python<'_>,
    formula: &str,
    points: &Points,
    landmarks: usize,
    seed: u64,
) -> PyResult<Map> {
    let budget = MemoryBudget::available();
    let spec = || formula.parse::<KernelSpec>().map_err(text);
    let found = detached(py, || -> Result<_, String> {
        macro_rules! fitted {
            ($kind:ident, $x:expr, $kernel:expr) => {{
                let nystrom = Nystrom::new($kernel).landmarks(landmarks).seed(seed);
                Ok(Any::$kind(Arc::new(nystrom.fit($x, &budget).map_err(text)?)))
            }};
        }
        match &points.0 {
            Kind::Dense(x) => fitted!(Dense, x, spec()?.build_mercer().map_err(text)?),
            Kind::Sparse(x) => fitted!(Sparse, x, spec()?.build_mercer().map_err(text)?),
            Kind::Texts(x) => fitted!(Texts, x, spec()?.build_mercer().map_err(text)?),
            Kind::Given(x) => fitted!(Given, x, Precomputed),
        }
    });
    Ok(Map(found.map_err(value)?))
}

/// Random Fourier features of a kernel that has a spectrum.
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

/// Points as an array, one in each row.
fn rows<'py>(py: Python<'py>, points: &Samples<f64>) -> PyResult<Bound<'py, PyArray2<f64>>> {
    let shape = [points.as_slice().len() / points.dim().max(1), points.dim()];
    PyArray1::from_slice(py, points.as_slice()).reshape(shape)
}

/// The map in the bytes of a file.
fn opened(bytes: &[u8]) -> Result<Any, file::Error> {
    let kind = file::kind(bytes)?;
    macro_rules! tried {
        ($any:ident, $map:ty) => {
            if <$map as Named>::name() == kind {
                return Ok(Any::$any(Arc::new(file::from_bytes::<$map>(bytes)?)));
            }
        };
    }
    tried!(Dense, NystromOf<Samples<f64>>);
    tried!(Sparse, NystromOf<SparseSamples<f64>>);
    tried!(Texts, NystromOf<Vec<String>>);
    tried!(Given, NystromMap<GivenPoints<f64>, Precomputed>);
    tried!(Fourier, FourierMap);
    Err(file::Error::Kind { given: kind, expected: "a feature map".into() })
}

#[pymethods]
impl Map {
    /// The map in the bytes of a file.
    #[staticmethod]
    fn open(bytes: &[u8]) -> PyResult<Self> {
        Ok(Self(opened(bytes).map_err(|error| file_error(&error))?))
    }

    /// The features of points, points × features.
    fn transform<'py>(
        &self,
        py: Python<'py>,
        points: &Points,
    ) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let features = detached(py, || -> Result<Samples<f64>, String> {
            let budget = MemoryBudget::available();
            let features = match (&self.0, &points.0) {
                (Any::Dense(map), Kind::Dense(x)) => transform(&**map, x, &budget),
                (Any::Sparse(map), Kind::Sparse(x)) => transform(&**map, x, &budget),
                (Any::Texts(map), Kind::Texts(x)) => transform(&**map, x, &budget),
                (Any::Given(map), Kind::Given(x)) => transform(&**map, x, &budget),
                (Any::Fourier(map), Kind::Dense(x)) => transform(&**map, x, &budget),
                (Any::Fourier(map), Kind::Sparse(x)) => transform(&**map, x, &budget),
                _ => return Err("the map was made for points of another kind".to_string()),
            };
            features.map_err(text)
        });
        rows(py, &features.map_err(value)?)
    }

    /// The landmarks of a Nyström map of vectors.
    #[getter]
    fn landmarks<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyArray2<f64>>>> {
        match &self.0 {
            Any::Dense(map) => rows(py, map.landmarks()).map(Some),
            _ => Ok(None),
        }
    }

    /// The number of features.
    #[getter]
    fn dim(&self) -> usize {
        match &self.0 {
            Any::Dense(map) => map.rank(),
            Any::Sparse(map) => map.rank(),
            Any::Texts(map) => map.rank(),
            Any::Given(map) => map.rank(),
            Any::Fourier(map) => map.dim(),
        }
    }

    /// The bytes of a file with this map.
    fn to_bytes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let bytes = match &self.0 {
            Any::Dense(map) => file::to_bytes(&**map, Encoding::Binary),
            Any::Sparse(map) => file::to_bytes(&**map, Encoding::Binary),
            Any::Texts(map) => file::to_bytes(&**map, Encoding::Binary),
            Any::Given(map) => file::to_bytes(&**map, Encoding::Binary),
            Any::Fourier(map) => file::to_bytes(&**map, Encoding::Binary),
        };
        Ok(PyBytes::new(py, &bytes.map_err(|error| file_error(&error))?))
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Py<PyAny>, (Bound<'py, PyBytes>,))> {
        let open = py.import("kernrs._native")?.getattr("Map")?.getattr("open")?.unbind();
        Ok((open, (self.to_bytes(py)?,)))
    }
}
