//! Bounds on the number of random features, and the choice of that number for given points.

use crate::error::{text, value};
use crate::points::{Kind, Points};
use crate::run::with_signals;
use kern_approx::FourierForm;
use kern_approx::bounds::{ErrorBound, Pointwise, RelativeSpectral, SpectralNorm, Uniform};
use kern_approx::choose::{self, Choice, Evidence, Target};
use kern_core::kernels::Polynomial;
use kern_core::parameters::Parameters;
use kern_core::{KernelSpec, MercerFormula, Samples, Scalar};
use kern_gram::MemoryBudget;
use pyo3::prelude::*;

/// A bound on an error of random Fourier features.
#[pyclass(frozen, module = "kernrs._native")]
pub(crate) struct Bound(Box<dyn ErrorBound + Send + Sync>);

#[pymethods]
impl Bound {
    /// The error at one pair of points, or the largest error over this many pairs.
    #[staticmethod]
    fn pointwise(phases: bool, pairs: usize) -> Self {
        let form = if phases { FourierForm::Phase } else { FourierForm::Paired };
        Self(Box::new(Pointwise::new(form).pairs(pairs)))
    }

    /// The largest error within a set of this diameter.
    #[staticmethod]
    fn uniform(dim: usize, diameter: f64, second_moment: f64) -> PyResult<Self> {
        Ok(Self(Box::new(Uniform::new(dim, diameter, second_moment).map_err(value)?)))
    }

    /// The spectral norm of the error of a Gram matrix with this norm.
    #[staticmethod]
    fn spectral_norm(points: usize, norm: f64) -> PyResult<Self> {
        Ok(Self(Box::new(SpectralNorm::new(points, norm).map_err(value)?)))
    }

    /// The error of a Gram matrix relative to it plus λI.
    #[staticmethod]
    fn relative_spectral(points: usize, lambda_: f64) -> PyResult<Self> {
        Ok(Self(Box::new(RelativeSpectral::new(points, lambda_).map_err(value)?)))
    }

    /// An upper bound on the probability of an error of at least this size.
    fn failure(&self, features: usize, error: f64) -> f64 {
        self.0.failure(features, error)
    }

    /// The number of features whose error exceeds this with at most the given probability.
    fn features(&self, error: f64, failure: f64) -> PyResult<usize> {
        self.0.dim(error, failure).map_err(value)
    }

    /// The error that this many features exceed with at most this probability.
    fn error(&self, features: usize, failure: f64) -> PyResult<f64> {
        self.0.error(features, failure).map_err(value)
    }
}

/// The kind of features, their number, the error, its kind of evidence with a value, the bytes, and
/// the reason.
type Chosen = (String, usize, f64, (&'static str, Option<f64>), u64, String);

/// The features that reach a target on these points.
#[pyfunction]
#[pyo3(signature = (formula, points, error=None, failure=0.01, features=None, memory=None))]
pub(crate) fn choose_features(
    py: Python<'_>,
    formula: &str,
    points: &Points,
    error: Option<f64>,
    failure: f64,
    features: Option<usize>,
    memory: Option<u64>,
) -> PyResult<Chosen> {
    let target = match (error, features, memory) {
        (Some(error), None, _) => Target::Error { error, failure },
        (None, Some(features), _) => Target::Features(features),
        (None, None, Some(bytes)) => Target::Memory(MemoryBudget::bytes(bytes)),
        _ => return Err(value("one of an error, a number of features or memory is needed")),
    };
    let spec: KernelSpec = formula.parse().map_err(value)?;
    let found = with_signals(py, || match &points.0 {
        Kind::Dense(x) => chosen(&spec, x, target),
        Kind::Single(x) => chosen(&spec, x, target),
        _ => Err("features are chosen for dense vectors".to_string()),
    })?;
    let Choice { kind, dim, error, evidence, bytes, reason, .. } = found.map_err(value)?;
    let evidence = match evidence {
        Evidence::Exact => ("exact", None),
        Evidence::Bound { failure } => ("bound", Some(failure)),
        Evidence::Certificate => ("certificate", None),
        Evidence::Measured { points } => ("measured", Some(points as f64)),
        _ => ("other", None),
    };
    Ok((kind.to_string(), dim, error, evidence, bytes, reason))
}

fn chosen<T: Scalar>(
    spec: &KernelSpec,
    points: &Samples<T>,
    target: Target,
) -> Result<Choice, String> {
    let budget = MemoryBudget::available();
    if spec.to_string().starts_with("poly(") {
        let mut kernel = Polynomial::new(1.0, 1.0, 2).map_err(text)?;
        for parameter in spec.parameters() {
            kernel.set_parameter(&parameter.name, &parameter.value).map_err(text)?;
        }
        return choose::choose_polynomial(&kernel, points, target, &budget).map_err(text);
    }
    let kernel: MercerFormula<Samples<T>> = spec.build_mercer().map_err(text)?;
    choose::choose(&kernel, points, target, &budget).map_err(text)
}
