//! Kernels by their formulas, and their values.

use crate::error::{text, value};
use crate::model::array;
use crate::points::{Kind, Points, matrix};
use crate::run::detached;
use kern_core::parameters::Setting;
use kern_core::{KernelFamily, KernelSpec, Mercer, MercerFormula};
use kern_gram::{CrossGram, DenseGram, GramOperator, MemoryBudget};
use numpy::{PyArray2, PyReadonlyArray2};
use pyo3::prelude::*;
use std::sync::Arc;

/// A formula with all of its parameters: those that it does not give are taken from `gamma`, or from the family.
#[pyfunction]
#[pyo3(signature = (text, gamma=None))]
pub(crate) fn formula(text: &str, gamma: Option<f64>) -> PyResult<String> {
    let fallback = |_: &str, name: &str| gamma.filter(|_| name == "gamma").map(Setting::Real);
    Ok(KernelSpec::parse_or(text, &fallback).map_err(value)?.to_string())
}

/// The names of all families of kernels in formulas.
#[pyfunction]
pub(crate) fn families() -> Vec<String> {
    KernelSpec::families().iter().map(|family: &KernelFamily| family.name.to_string()).collect()
}

/// The kernel values of points with themselves, or with others.
#[pyfunction]
#[pyo3(signature = (formula, a, b=None))]
pub(crate) fn gram<'py>(
    py: Python<'py>,
    formula: &str,
    a: &Points,
    b: Option<&Points>,
) -> PyResult<Bound<'py, PyArray2<f64>>> {
    let spec: KernelSpec = formula.parse().map_err(value)?;
    let values = detached(py, || match (&a.0, b.map(|b| &b.0)) {
        (Kind::Dense(a), None) => own(spec.build_mercer(), a),
        (Kind::Sparse(a), None) => own(spec.build_mercer(), a),
        (Kind::Texts(a), None) => own(spec.build_mercer(), a),
        (Kind::Dense(a), Some(Kind::Dense(b))) => cross(spec.build_mercer(), a, b),
        (Kind::Sparse(a), Some(Kind::Sparse(b))) => cross(spec.build_mercer(), a, b),
        (Kind::Texts(a), Some(Kind::Texts(b))) => cross(spec.build_mercer(), a, b),
        _ => Err("the points on both sides must be of one kind, and no kernel values".to_string()),
    });
    array(py, values.map_err(value)?.as_ref())
}

type Values = Result<kern_core::faer::Mat<f64>, String>;

fn own<P, K>(kernel: Result<K, kern_core::Error>, points: &P) -> Values
where
    P: kern_core::Points<Scalar = f64>,
    K: Mercer<P>,
{
    let kernel = kernel.map_err(text)?;
    let gram = DenseGram::new(&kernel, points, &MemoryBudget::available()).map_err(text)?;
    Ok(gram.as_mat().to_owned())
}

fn cross<P, K>(kernel: Result<K, kern_core::Error>, a: &P, b: &P) -> Values
where
    P: kern_core::Points<Scalar = f64>,
    K: Mercer<P>,
{
    let kernel = kernel.map_err(text)?;
    let gram = CrossGram::new(&kernel, a, b).map_err(text)?;
    gram.to_dense(&MemoryBudget::available()).map_err(text)
}

/// A Gram matrix of which nothing is stored: products with it, for iterative solvers.
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
        let values = detached(py, || match &self.points.get().0 {
            Kind::Dense(x) => self.apply::<kern_core::Samples<f64>>(x, &v),
            Kind::Sparse(x) => self.apply::<kern_core::SparseSamples<f64>>(x, &v),
            Kind::Texts(x) => self.apply::<Vec<String>>(x, &v),
            Kind::Given(_) => Err("points are needed, not their kernel values".to_string()),
        });
        array(py, values.map_err(value)?.as_ref())
    }

    fn __repr__(&self) -> String {
        format!("LazyGram({}, {} points)", self.spec, self.__len__())
    }
}

impl LazyGram {
    fn apply<P>(&self, points: &P, v: &kern_core::faer::Mat<f64>) -> Values
    where
        P: kern_core::Points<Scalar = f64>,
        MercerFormula<P>: Mercer<P>,
        P: kern_core::SpecPoints,
    {
        let kernel: MercerFormula<P> = self.spec.build_mercer().map_err(text)?;
        let gram = kern_gram::LazyGram::new(&kernel, points).map_err(text)?;
        gram.apply(v.as_ref()).map_err(text)
    }
}
