//! Exact leave-one-out residuals of ridge regression, and distribution-free prediction intervals.

use crate::arrays::array;
use crate::error::{text, value};
use crate::points::{Kind, Points, matrix};
use crate::run::{budget, with_signals};
use kern_core::faer::{ColRef, Mat, MatRef};
use kern_core::memory::converted;
use kern_core::{KernelSpec, Mercer, Scalar};
use kern_gram::{MemoryBudget, Precomputed};
use kern_solvers::intervals::SplitConformal;
use kern_solvers::ridge::{Criterion, Ridge};
use kern_solvers::space::OnKernel;
use kern_solvers::{Data, Run};
use numpy::{PyArray2, PyReadonlyArray1, PyReadonlyArray2};
use pyo3::prelude::*;

/// A problem of ridge regression.
struct Problem<'p> {
    y: MatRef<'p, f64>,
    weights: Option<Vec<f64>>,
    budget: MemoryBudget,
}

impl<'p> Problem<'p> {
    fn new(
        py: Python<'_>,
        y: &'p PyReadonlyArray2<'_, f64>,
        weights: Option<&PyReadonlyArray1<'_, f64>>,
    ) -> PyResult<Self> {
        let weights = weights.map(|weights| weights.as_slice().map(<[f64]>::to_vec)).transpose();
        Ok(Self { y: matrix(y)?, weights: weights.map_err(value)?, budget: budget(py)? })
    }

    fn data<'a, P: kern_core::Points>(&'a self, points: &'a P) -> Result<Data<'a, P>, String> {
        let data = Data::unlabelled(points).map_err(text)?;
        match &self.weights {
            Some(weights) => data.weights(weights).map_err(text),
            None => Ok(data),
        }
    }

    fn targets<T: Scalar>(&self) -> Result<Mat<T>, String> {
        converted(self.y).map_err(text)
    }

    fn left_out<P, K>(&self, ridge: &Ridge<OnKernel<K>>, points: &P) -> Result<Mat<f64>, String>
    where
        P: kern_core::Points,
        K: Mercer<P> + Clone,
    {
        let data = self.data(points)?;
        let factor = ridge.factor(&data, &run(self.budget)).map_err(text)?;
        let targets: Mat<P::Scalar> = self.targets()?;
        let residuals = factor.leave_one_out(targets.as_ref()).map_err(text)?;
        converted(residuals.as_ref()).map_err(text)
    }

    /// The leave-one-out or cross-validation error of each λ.
    fn errors<P, K>(
        &self,
        ridge: &Ridge<OnKernel<K>>,
        points: &P,
        lambdas: &[f64],
        folds: Option<&[usize]>,
    ) -> Result<Vec<f64>, String>
    where
        P: kern_core::Points,
        K: Mercer<P> + Clone,
    {
        let data = self.data(points)?;
        let spectrum = ridge.decompose(&data, &run(self.budget)).map_err(text)?;
        let targets: Mat<P::Scalar> = self.targets()?;
        let error = |&lambda: &f64| match folds {
            None => spectrum.score(lambda, targets.as_ref(), Criterion::LeaveOneOut).map_err(text),
            Some(folds) => {
                let left = spectrum.leave_folds_out(lambda, targets.as_ref(), folds);
                Ok(self.mean_square(left.map_err(text)?.as_ref()))
            }
        };
        lambdas.iter().map(error).collect()
    }

    /// The weighted mean of squared residuals, over all outputs.
    fn mean_square<T: Scalar>(&self, residuals: MatRef<'_, T>) -> f64 {
        let weight = |i: usize| self.weights.as_ref().map_or(1.0, |weights| weights[i]);
        let total: f64 = (0..residuals.nrows()).map(weight).sum();
        let square = |column: ColRef<'_, T>| -> f64 {
            column.iter().enumerate().map(|(i, r)| weight(i) * r.to_f64().powi(2)).sum()
        };
        let sum: f64 = residuals.col_iter().map(square).sum();
        sum / (total * residuals.ncols() as f64)
    }

    fn jackknife<P, K>(
        &self,
        ridge: &Ridge<OnKernel<K>>,
        points: &P,
        queries: &P,
        coverage: f64,
    ) -> Result<[Mat<f64>; 2], String>
    where
        P: kern_core::Points,
        K: Mercer<P> + Clone,
    {
        let data = self.data(points)?;
        let factor = ridge.factor(&data, &run(self.budget)).map_err(text)?;
        let targets: Mat<P::Scalar> = self.targets()?;
        let jackknife = factor.jackknife_plus(targets.as_ref()).map_err(text)?;
        let found = jackknife.predict(queries, coverage).map_err(text)?;
        Ok([converted(found.lower()).map_err(text)?, converted(found.upper()).map_err(text)?])
    }
}

/// A run without a time limit: Python callers decide for themselves how long it may take.
fn run(budget: MemoryBudget) -> Run<'static> {
    Run::new().memory(budget)
}

/// The learner on the kernel of a formula, and these points.
macro_rules! on_formula {
    (($formula:expr, $lambda:expr, $points:expr), $ridge:ident, $x:ident => $value:expr) => {{
        let spec: KernelSpec = $formula.parse().map_err(text)?;
        let kernel = spec.build_mercer().map_err(text)?;
        let ($ridge, $x) = (&Ridge::on_kernel(kernel).lambda($lambda), $points);
        $value
    }};
}

/// The same, with points of any kind.
macro_rules! on_points {
    (($formula:expr, $lambda:expr, $points:expr), $ridge:ident, $x:ident => $value:expr) => {
        match $points {
            Kind::Dense(x) => on_formula!(($formula, $lambda, x), $ridge, $x => $value),
            Kind::Single(x) => on_formula!(($formula, $lambda, x), $ridge, $x => $value),
            Kind::Sparse(x) => on_formula!(($formula, $lambda, x), $ridge, $x => $value),
            Kind::Texts(x) => on_formula!(($formula, $lambda, x), $ridge, $x => $value),
            Kind::Given(x) => {
                let ($ridge, $x) = (&Ridge::on_kernel(Precomputed).lambda($lambda), x);
                $value
            }
        }
    };
}

/// The leave-one-out residuals, points × outputs.
#[pyfunction]
pub(crate) fn leave_one_out<'py>(
    py: Python<'py>,
    formula: &str,
    points: &Points,
    y: PyReadonlyArray2<'py, f64>,
    weights: Option<PyReadonlyArray1<'py, f64>>,
    lambda_: f64,
) -> PyResult<Bound<'py, PyArray2<f64>>> {
    let problem = Problem::new(py, &y, weights.as_ref())?;
    let found = with_signals(py, || -> Result<_, String> {
        on_points!((formula, lambda_, &points.0), ridge, x => problem.left_out(ridge, x))
    })?;
    array(py, found.map_err(value)?.as_ref())
}

/// The mean squared residual of each λ, leave-one-out or by cross-validation folds.
#[pyfunction]
#[pyo3(signature = (formula, points, y, weights, lambdas, folds=None))]
pub(crate) fn left_out_errors(
    py: Python<'_>,
    formula: &str,
    points: &Points,
    y: PyReadonlyArray2<'_, f64>,
    weights: Option<PyReadonlyArray1<'_, f64>>,
    lambdas: Vec<f64>,
    folds: Option<Vec<usize>>,
) -> PyResult<Vec<f64>> {
    let problem = Problem::new(py, &y, weights.as_ref())?;
    let found = with_signals(py, || -> Result<_, String> {
        let folds = folds.as_deref();
        on_points!((formula, 1.0, &points.0), ridge, x => {
            problem.errors(ridge, x, &lambdas, folds)
        })
    })?;
    found.map_err(value)
}

/// The second set of points, which must be of the same kind as the first.
macro_rules! same_kind {
    ($queries:expr, $($kind:ident: $x:ident => $value:expr),+) => {
        match $queries {
            $((Kind::$kind($x), Kind::$kind(queries)) => $value(queries),)+
            _ => Err("points and queries must be of one kind".to_string()),
        }
    };
}

/// Lower and upper bounds, queries × outputs each.
type Ends<'py> = (Bound<'py, PyArray2<f64>>, Bound<'py, PyArray2<f64>>);

/// The bounds of the jackknife+ intervals, queries × outputs each.
#[pyfunction]
#[expect(clippy::too_many_arguments, reason = "the door between the languages")]
pub(crate) fn jackknife_plus<'py>(
    py: Python<'py>,
    formula: &str,
    points: &Points,
    y: PyReadonlyArray2<'py, f64>,
    weights: Option<PyReadonlyArray1<'py, f64>>,
    lambda_: f64,
    queries: &Points,
    coverage: f64,
) -> PyResult<Ends<'py>> {
    let problem = Problem::new(py, &y, weights.as_ref())?;
    let ridge = || -> Result<KernelSpec, String> { formula.parse().map_err(text) };
    macro_rules! on {
        ($x:expr) => {
            |queries| {
                let kernel = ridge()?.build_mercer().map_err(text)?;
                let ridge = Ridge::on_kernel(kernel).lambda(lambda_);
                problem.jackknife(&ridge, $x, queries, coverage)
            }
        };
    }
    let found = with_signals(py, || {
        same_kind!(
            (&points.0, &queries.0),
            Dense: x => on!(x),
            Single: x => on!(x),
            Sparse: x => on!(x),
            Texts: x => on!(x),
            Given: x => |queries| {
                let ridge = Ridge::on_kernel(Precomputed).lambda(lambda_);
                problem.jackknife(&ridge, x, queries, coverage)
            }
        )
    })?;
    let [lower, upper] = found.map_err(value)?;
    Ok((array(py, lower.as_ref())?, array(py, upper.as_ref())?))
}

/// The half-width of intervals of this coverage for each output, from residuals at points outside
/// of the training set.
#[pyfunction]
pub(crate) fn conformal_widths(
    residuals: PyReadonlyArray2<'_, f64>,
    coverage: f64,
) -> PyResult<Vec<f64>> {
    let conformal = SplitConformal::new(matrix(&residuals)?).map_err(value)?;
    conformal.widths(coverage).map_err(value)
}
