//! Expectile regression: asymmetric least squares.

use super::Ridge;
use super::ridge_regression::RidgeSpace;
use crate::model::Regressor;
use crate::space::NamedSpace;
use crate::{Data, Error, Learner, Progress, Report, Run, Status, Values, fit_sugar};
use kern_core::parameters::{Domain, Scale};
use kern_core::{Points, Scalar, named_parameters};
use serde::{Deserialize, Serialize};

/// Default of the most ridge regressions that find an expectile.
const EXPECTILE_ROUNDS: usize = 50;

/// Regression on a conditional expectile.
///
/// # Definition
/// With a level τ in (0, 1), f minimises (1/n) Σᵢ 2wᵢβᵢ(yᵢ − f(xᵢ))² + λ‖f − b‖², where wᵢ is τ for
/// targets above f and 1 − τ for the others. τ = ½ is ridge regression. For other levels, ridge
/// regressions are solved one after the other, each with the weights from the previous solution.
/// This is Newton's method on a piecewise quadratic function: once no target changes sides, the
/// solution is exact, and the duality gap of the last ridge regression is that of the expectile.
///
/// Expectiles are to the mean what quantiles are to the median; the latter are learned by
/// [`Svr::quantile`](crate::svm::Svr::quantile).
///
/// # Complexity
/// About five ridge regressions, and a prediction after each of them.
///
/// # References
/// Newey & Powell (1987), *Asymmetric Least Squares Estimation and Testing*; Farooq & Steinwart
/// (2017), *An SVM-like Approach for Expectile Regression*.
///
/// # Examples
/// ```
/// use kern_core::{Samples, kernels::Linear};
/// use kern_solvers::ridge::{Expectile, Ridge};
/// // A constant feature: the function is a constant.
/// let x = Samples::from_rows(&[[1.0], [1.0], [1.0], [1.0]])?;
/// let y = [0.0_f64, 1.0, 2.0, 10.0];
/// let expectile = Expectile::new(Ridge::on_kernel(Linear).lambda(1e-9)).level(0.8);
/// let m: f64 = expectile.fit(&x, &y)?.predict(&x)?[0];
/// // 0.8·Σ(y − m)₊ = 0.2·Σ(m − y)₊, here at m = 43/7.
/// assert!((0.8 * (10.0 - m) - 0.2 * (3.0 * m - 3.0)).abs() < 1e-6 && m > 3.25);
/// # Ok::<(), kern_solvers::Error>(())
/// ```
#[doc(alias = "asymmetric least squares")]
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Expectile<S> {
    ridge: Ridge<S>,
    level: f64,
    rounds: usize,
}

impl<S> Expectile<S> {
    /// The expectile of level ½ by this ridge regression, in at most 50 rounds.
    pub fn new(ridge: Ridge<S>) -> Self {
        Self { ridge, level: 0.5, rounds: EXPECTILE_ROUNDS }
    }

    /// The level τ in (0, 1).
    #[must_use]
    pub fn level(mut self, level: f64) -> Self {
        self.level = level;
        self
    }

    /// The maximum number of ridge regressions. A fit that needs more ends with
    /// [`Status::IterationsDone`]. Default: 50.
    #[must_use]
    pub fn rounds(mut self, rounds: usize) -> Self {
        self.rounds = rounds;
        self
    }

    /// The ridge regression that is solved in each round.
    pub const fn ridge(&self) -> &Ridge<S> {
        &self.ridge
    }

    fit_sugar!(supervised);
}

named_parameters! {
    /// `expectile.level` and `expectile.rounds`, and the parameters of the ridge regression under
    /// their own names.
    [S: NamedSpace] Expectile<S> {
        level("expectile.level", const { Some(&LEVEL) }),
        rounds("expectile.rounds", const { Some(&Domain::count(1)) }),
    }
    with ridge
}

/// The open interval from 0 to 1.
const LEVEL: Domain = Domain::Real {
    smallest: 0.0,
    largest: 1.0 - 0.5 * f64::EPSILON,
    open: true,
    scale: Scale::Linear,
};

/// # Errors
/// Those of ridge regression; [`Error::Core`] for a level outside of (0, 1) or zero rounds.
impl<P, S> Learner<P, Values<P::Scalar>> for Expectile<S>
where
    P: Points,
    S: RidgeSpace<P>,
{
    type Model = Regressor<S::Function>;

    fn learn(
        &self,
        data: &Data<'_, P, Values<P::Scalar>>,
        run: &mut Run<'_>,
    ) -> Result<Self::Model, Error> {
        LEVEL.accept("expectile.level", &self.level.into())?;
        Domain::count(1).accept("expectile.rounds", &self.rounds.into())?;
        let mut weights: Vec<f64> = (0..data.len()).map(|i| data.weight(i)).collect();
        let (mut iterations, mut round, mut last) = (0, 0, None::<Regressor<S::Function>>);
        loop {
            round += 1;
            let learned =
                self.ridge.learn(&data.with_points(data.points())?.weights(&weights)?, run);
            let model = match (learned, last.take()) {
                (Err(Error::Stopped { .. }), Some(last)) => {
                    let status = Status::Stopped;
                    let report = Report { status, iterations, ..last.report().clone() };
                    return Ok(last.with_report(report));
                }
                (model, _) => model?,
            };
            let residuals = residuals(data.targets(), &model.predict(data.points())?);
            let next = self.weights(data, &residuals);
            let Report { objective, status, .. } = *model.report();
            iterations += model.report().iterations;
            let seen = Progress::new(round, self.rounds, objective);
            let is_stopped = run.observe(&seen).is_break();
            let status = match status {
                Status::Stopped => Status::Stopped,
                _ if is_settled::<P::Scalar>(&residuals, &weights, &next, objective) => status,
                _ if is_stopped => Status::Stopped,
                _ if round >= self.rounds => Status::IterationsDone,
                _ => {
                    (weights, last) = (next, Some(model));
                    continue;
                }
            };
            let report = Report { status, iterations, ..model.report().clone() };
            return Ok(model.with_report(report));
        }
    }
}

impl<S> Expectile<S> {
    /// 2wᵢβᵢ.
    fn weights<P: Points, T: Scalar>(
        &self,
        data: &Data<'_, P, Values<T>>,
        residuals: &[f64],
    ) -> Vec<f64> {
        let share = |r: f64| if r > 0.0 { self.level } else { 1.0 - self.level };
        residuals.iter().enumerate().map(|(i, &r)| 2.0 * share(r) * data.weight(i)).collect()
    }
}

fn residuals<T: Scalar>(targets: &Values<T>, fitted: &[T]) -> Vec<f64> {
    let pairs = targets.as_slice().iter().zip(fitted);
    pairs.map(|(y, f)| y.to_f64() - f.to_f64()).collect()
}

/// True if no target that matters has changed sides, and so its weight. Targets that f meets up to
/// rounding do not matter.
fn is_settled<T: Scalar>(residuals: &[f64], weights: &[f64], next: &[f64], objective: f64) -> bool {
    let pairs = weights.iter().zip(next);
    let terms = residuals.iter().zip(pairs).map(|(r, (old, new))| (old - new).abs() * r * r);
    terms.sum::<f64>() <= 4.0 * T::UNIT_ROUNDOFF * objective.abs() * residuals.len() as f64
}
