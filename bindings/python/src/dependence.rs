//! Two-sample and independence tests.

use crate::error::{text, value};
use crate::points::{Kind, Points};
use crate::run::{Watch, watched, with_signals};
use kern_core::bandwidth::median_gamma as median;
use kern_core::{KernelSpec, MercerFormula, SpecPoints};
use kern_solvers::Run;
use kern_solvers::dependence::{HsicTest, MmdTest, PermutationTest};
use numpy::PyArray1;
use pyo3::prelude::*;

/// The statistic, the p-value, and the statistics of the permutations.
type Tested<'py> = (f64, f64, Bound<'py, PyArray1<f64>>);

/// The γ of the median heuristic.
#[pyfunction]
pub(crate) fn median_gamma(py: Python<'_>, points: &Points, seed: u64) -> PyResult<f64> {
    let found = with_signals(py, || match &points.0 {
        Kind::Dense(x) => median(x, seed).map_err(text),
        Kind::Single(x) => median(x, seed).map_err(text),
        Kind::Sparse(x) => median(x, seed).map_err(text),
        other => Err(format!("the median heuristic is for vectors, got {}", other.name())),
    })?;
    found.map_err(value)
}

/// Tests whether two samples have the same distribution.
#[pyfunction]
#[pyo3(signature = (formula, x, y, permutations, seed, memory=None, callback=None))]
#[expect(clippy::too_many_arguments, reason = "Python gives them by name")]
pub(crate) fn mmd_test<'py>(
    py: Python<'py>,
    formula: &str,
    x: &Points,
    y: &Points,
    permutations: usize,
    seed: u64,
    memory: Option<u64>,
    callback: Option<Py<PyAny>>,
) -> PyResult<Tested<'py>> {
    let spec: KernelSpec = formula.parse().map_err(value)?;
    let found = watched(py, Watch { memory, callback, keep: false }, |run| match (&x.0, &y.0) {
        (Kind::Dense(x), Kind::Dense(y)) => two_samples(&spec, x, y, permutations, seed, run),
        (Kind::Single(x), Kind::Single(y)) => two_samples(&spec, x, y, permutations, seed, run),
        (Kind::Sparse(x), Kind::Sparse(y)) => two_samples(&spec, x, y, permutations, seed, run),
        (Kind::Texts(x), Kind::Texts(y)) => two_samples(&spec, x, y, permutations, seed, run),
        (x, y) => {
            Err(format!("two samples of one kind are needed, got {} and {}", x.name(), y.name()))
        }
    })?;
    Ok(tested(py, &found.map_err(value)?))
}

fn two_samples<P: SpecPoints>(
    spec: &KernelSpec,
    x: &P,
    y: &P,
    permutations: usize,
    seed: u64,
    run: &mut Run<'_>,
) -> Result<PermutationTest, String> {
    let kernel: MercerFormula<P> = spec.build_mercer().map_err(text)?;
    let test = MmdTest::on_kernel(kernel).permutations(permutations).seed(seed);
    test.run(x, y, run).map_err(text)
}

/// Tests whether the two components of pairs are independent.
#[pyfunction]
#[pyo3(signature = (first, second, x, y, permutations, seed, memory=None, callback=None))]
#[expect(clippy::too_many_arguments, reason = "Python gives them by name")]
pub(crate) fn hsic_test<'py>(
    py: Python<'py>,
    first: &str,
    second: &str,
    x: &Points,
    y: &Points,
    permutations: usize,
    seed: u64,
    memory: Option<u64>,
    callback: Option<Py<PyAny>>,
) -> PyResult<Tested<'py>> {
    let first: KernelSpec = first.parse().map_err(value)?;
    let second: KernelSpec = second.parse().map_err(value)?;
    let found = watched(py, Watch { memory, callback, keep: false }, |run| match &x.0 {
        Kind::Dense(x) => beside(&first, &second, x, &y.0, permutations, seed, run),
        Kind::Sparse(x) => beside(&first, &second, x, &y.0, permutations, seed, run),
        Kind::Texts(x) => beside(&first, &second, x, &y.0, permutations, seed, run),
        other => Err(unlike(other)),
    })?;
    Ok(tested(py, &found.map_err(value)?))
}

/// The independence test of these points with second components of any kind.
fn beside<P: SpecPoints>(
    first: &KernelSpec,
    second: &KernelSpec,
    x: &P,
    y: &Kind,
    permutations: usize,
    seed: u64,
    run: &mut Run<'_>,
) -> Result<PermutationTest, String> {
    match y {
        Kind::Dense(y) => pairs(first, second, x, y, permutations, seed, run),
        Kind::Sparse(y) => pairs(first, second, x, y, permutations, seed, run),
        Kind::Texts(y) => pairs(first, second, x, y, permutations, seed, run),
        other => Err(unlike(other)),
    }
}

fn unlike(given: &Kind) -> String {
    format!(
        "parts of pairs are vectors in double precision, sparse vectors or strings, got {}",
        given.name()
    )
}

fn pairs<P: SpecPoints, Q: SpecPoints>(
    first: &KernelSpec,
    second: &KernelSpec,
    x: &P,
    y: &Q,
    permutations: usize,
    seed: u64,
    run: &mut Run<'_>,
) -> Result<PermutationTest, String> {
    let first: MercerFormula<P> = first.build_mercer().map_err(text)?;
    let second: MercerFormula<Q> = second.build_mercer().map_err(text)?;
    let test = HsicTest::on_kernels(first, second).permutations(permutations).seed(seed);
    test.run(x, y, run).map_err(text)
}

fn tested<'py>(py: Python<'py>, found: &PermutationTest) -> Tested<'py> {
    (found.statistic(), found.p_value(), PyArray1::from_slice(py, found.null()))
}
