//! Regressors: a learned function whose values are the predictions.

use super::{Arity, Decision, Format};
use crate::{DecisionValues, Error, Outputs, Report, Targets, Values};
use faer::{Mat, MatRef};
use kern_core::{Points, Scalar};
use serde::{Deserialize, Serialize};

/// A regressor with one output.
///
/// # Examples
/// ```
/// use kern_core::{Samples, kernels::Rbf};
/// use kern_solvers::ridge::Ridge;
/// let x = Samples::from_rows(&[[0.0], [1.0], [2.0]])?;
/// let model = Ridge::on_kernel(Rbf::new(1.0)?).lambda(1e-9).fit(&x, &[0.0_f64, 1.0, 4.0])?;
/// assert!((model.predict(&x)?[2] - 4.0_f64).abs() < 1e-6);
/// # Ok::<(), kern_solvers::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Unchecked<D>", bound(deserialize = "D: Arity + Deserialize<'de>"))]
pub struct Regressor<D> {
    format: Format<Self>,
    model: MultiRegressor<D>,
}

/// The deserialized form, before it is checked.
#[derive(Deserialize)]
struct Unchecked<D> {
    format: Format<Regressor<D>>,
    model: MultiRegressor<D>,
}

impl<D: Arity> TryFrom<Unchecked<D>> for Regressor<D> {
    type Error = Error;

    fn try_from(Unchecked { format, model }: Unchecked<D>) -> Result<Self, Error> {
        Error::check_one_output(model.decision().arity())?;
        Ok(Self { format, model })
    }
}

impl<D> Regressor<D> {
    pub(crate) fn new(decision: D, report: Report) -> Self {
        Self { format: Format::default(), model: MultiRegressor::new(decision, report) }
    }

    /// Replaces the report.
    pub(crate) fn with_report(self, report: Report) -> Self {
        Self::new(self.model.decision, report)
    }

    /// The learned function.
    pub fn decision(&self) -> &D {
        self.model.decision()
    }

    /// The evidence of the fit.
    pub fn report(&self) -> &Report {
        self.model.report()
    }

    /// The value at each point.
    ///
    /// # Errors
    /// As [`Decision::decide`].
    pub fn predict<P: Points>(&self, points: &P) -> Result<Vec<P::Scalar>, Error>
    where
        D: Decision<P>,
    {
        Ok(self.model.predict(points)?.col_as_slice(0).to_vec())
    }
}

impl<P: Points, D: Decision<P>> DecisionValues<P> for Regressor<D> {
    fn decision_values(&self, points: &P) -> Result<Mat<P::Scalar>, Error> {
        self.model.predict(points)
    }
}

/// A regressor with several outputs.
///
/// # Examples
/// ```
/// use kern_core::{Samples, faer::mat, kernels::Linear};
/// use kern_solvers::ridge::Ridge;
/// let x = Samples::from_rows(&[[1.0], [2.0]])?;
/// let y = mat![[1.0, -1.0], [2.0, -2.0]];
/// let model = Ridge::on_kernel(Linear).lambda(1e-9).fit(&x, &y)?;
/// assert!((model.predict(&x)? - y).norm_max() < 1e-6);
/// # Ok::<(), kern_solvers::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MultiRegressor<D> {
    format: Format<Self>,
    decision: D,
    report: Report,
}

impl<D> MultiRegressor<D> {
    pub(crate) fn new(decision: D, report: Report) -> Self {
        Self { format: Format::default(), decision, report }
    }

    /// The learned function.
    pub fn decision(&self) -> &D {
        &self.decision
    }

    /// The evidence of the fit.
    pub fn report(&self) -> &Report {
        &self.report
    }

    /// The values at each point: points × outputs.
    ///
    /// # Errors
    /// As [`Decision::decide`].
    pub fn predict<P: Points>(&self, points: &P) -> Result<Mat<P::Scalar>, Error>
    where
        D: Decision<P>,
    {
        self.decision.decide(points)
    }
}

impl<P: Points, D: Decision<P>> DecisionValues<P> for MultiRegressor<D> {
    fn decision_values(&self, points: &P) -> Result<Mat<P::Scalar>, Error> {
        self.predict(points)
    }
}

/// Numeric targets: [`Values`], the targets of a [`Regressor`], and [`Outputs`], those of a
/// [`MultiRegressor`].
#[diagnostic::on_unimplemented(
    message = "`{Self}` are not numeric targets",
    note = "regressors learn `Values` (`&y` of f64 or f32, as the points have) or `Outputs` (a matrix); targets are given \
            by reference",
    note = "classifiers learn labels: `Svc`, `Logistic`, `Ridge`, `GaussianProcessClassifier`"
)]
pub trait Regression: Targets {
    /// The type of the values.
    type Scalar: Scalar;
    /// The model of a function fitted to such targets.
    type Model<D>;

    /// The values: points × outputs.
    fn matrix(&self) -> MatRef<'_, Self::Scalar>;

    #[doc(hidden)]
    fn model<D>(function: D, report: Report) -> Self::Model<D>;
}

impl<T: Scalar> Regression for Values<T> {
    type Scalar = T;
    type Model<D> = Regressor<D>;

    fn matrix(&self) -> MatRef<'_, T> {
        self.as_mat()
    }

    fn model<D>(function: D, report: Report) -> Regressor<D> {
        Regressor::new(function, report)
    }
}

impl<T: Scalar> Regression for Outputs<T> {
    type Scalar = T;
    type Model<D> = MultiRegressor<D>;

    fn matrix(&self) -> MatRef<'_, T> {
        self.as_mat()
    }

    fn model<D>(function: D, report: Report) -> MultiRegressor<D> {
        MultiRegressor::new(function, report)
    }
}
