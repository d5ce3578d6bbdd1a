//! Kernels given by formulas, and their values.

use crate::arrays::{array, filled};
use crate::error::{text, value};
use crate::points::{Kind, Points, matrix};
use crate::run::{budget, with_signals};
use kern_core::faer::{Mat, MatMut};
use kern_core::memory::converted;
use kern_core::parameters::Setting;
use kern_core::{KernelFamily, KernelSpec, MercerFormula, SpecPoints};
use kern_gram::{CrossGram, DenseGram, GramOperator};
use numpy::{Element, PyArray2, PyReadonlyArray2};
use pyo3::IntoPyObjectExt;
use pyo3::prelude::*;
use std::sync::Arc;

/// A formula with all of its parameters: missing ones are taken from `gamma`, or from the defaults
/// of the family.
#[pyfunction]
#[pyo3(signature = (text, gamma=None))]
pub(crate) fn formula(text: &str, gamma: Option<f64>) -> PyResult<String> {
    let fallback = |_: &str, name: &str| gamma.filter(|_| name == "gamma").map(Setting::Real);
    Ok(KernelSpec::parse_or(text, &fallback).map_err(value)?.to_string())
}

/// The names of all kernel families in formulas.
#[pyfunction]
pub(crate) fn families() -> Vec<String> {
    KernelSpec::families().iter().map(|family: &KernelFamily| family.name.to_string()).collect()
}

const ONE_KIND: &str = "the points on both sides must be of one kind, and no kernel values";

/// The second set of points, which must be of the same kind as the first.
macro_rules! other {
    ($points:expr, $kind:ident) => {
        match $points {
            None => None,
            Some(Kind::$kind(points)) => Some(points),
            Some(_) => return Err(value(ONE_KIND)),
        }
    };
}
/// The kernel matrix of points with themselves, or with others.
#[pyfunction]
#[pyo3(signature = (formula, a, b=None))]
pub(crate) fn gram(
    py: Python<'_>,
    formula: &str,
    a: &Points,
    b: Option<&Points>,
) -> PyResult<Py<PyAny>> {
    let spec: KernelSpec = formula.parse().map_err(value)?;
    match (&a.0, b.map(|b| &b.0)) {
        (Kind::Dense(a), b) => values(py, &spec, a, other!(b, Dense)),
        (Kind::Single(a), b) => values(py, &spec, a, other!(b, Single)),
        (Kind::Sparse(a), b) => values(py, &spec, a, other!(b, Sparse)),
        (Kind::Texts(a), b) => values(py, &spec, a, other!(b, Texts)),
        (Kind::Given(_), _) => Err(value(ONE_KIND)),
    }
}

fn values<P>(py: Python<'_>, spec: &KernelSpec, a: &P, b: Option<&P>) -> PyResult<Py<PyAny>>
where
    P: SpecPoints + kern_core::Points<Scalar: Element>,
{
    let kernel: MercerFormula<P> = spec.build_mercer().map_err(value)?;
    let shape = (a.len(), b.unwrap_or(a).len());
    let instead = "LazyGram multiplies with vectors and stores nothing";
    let budget = budget(py)?;
    budget
        .check::<P::Scalar>("an array of kernel values", shape.0, shape.1, instead)
        .map_err(value)?;
    let values = filled(py, shape, |numbers| match b {
        // The matrix is symmetric, so its rows equal its columns.
        None => {
            let out = MatMut::from_column_major_slice_mut(numbers, shape.0, shape.1);
            DenseGram::fill(&kernel, a, out)
        }
        Some(b) => {
            let out = MatMut::from_row_major_slice_mut(numbers, shape.0, shape.1);
            CrossGram::new(&kernel, a, b)?.to_dense_into(out)
        }
    });
    values?.into_py_any(py)
}

/// A Gram matrix that is not stored: matrix products for iterative solvers.
#[pyclass(frozen, module = "kernrs._native")]
pub(crate) struct LazyGram {
    spec: KernelSpec,
    points: Arc<Py<Points>>,
}

#[pymethods]
impl LazyGram {
    #[new]
    fn new(formula: &str, points: Py<Points>) -> PyResult<Self> {
        Ok(Self { spec: formula.parse().map_err(value)?, points: Arc::new(points) })
    }

    /// The number of points.
    fn __len__(&self) -> usize {
        self.points.get().0.len()
    }

    /// K·v for the columns of v.
    fn product<'py>(
        &self,
        py: Python<'py>,
        v: PyReadonlyArray2<'py, f64>,
    ) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let v = matrix(&v)?.to_owned();
        let values = with_signals(py, || match &self.points.get().0 {
            Kind::Dense(x) => self.apply(x, &v),
            Kind::Single(x) => self.apply(x, &v),
            Kind::Sparse(x) => self.apply(x, &v),
            Kind::Texts(x) => self.apply(x, &v),
            Kind::Given(_) => Err("points are needed, not their kernel values".to_string()),
        })?;
        array(py, values.map_err(value)?.as_ref())
    }

    fn __repr__(&self) -> String {
        format!("LazyGram({}, {} points)", self.spec, self.__len__())
    }
}

impl LazyGram {
    fn apply<P: SpecPoints>(&self, points: &P, v: &Mat<f64>) -> Result<Mat<f64>, String> {
        let kernel: MercerFormula<P> = self.spec.build_mercer().map_err(text)?;
        let gram = kern_gram::LazyGram::new(&kernel, points).map_err(text)?;
        let v: Mat<P::Scalar> = converted(v.as_ref()).map_err(text)?;
        let product = gram.apply(v.as_ref()).map_err(text)?;
        converted(product.as_ref()).map_err(text)
    }
}
