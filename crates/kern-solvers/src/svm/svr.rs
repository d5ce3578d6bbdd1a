//! Support vector regression.

use super::expansion::{Expansion, used};
use super::matrix::with_columns;
use super::memory::{Chosen, Sizes, copied_bytes};
use super::problem::{Coupling, Problem, check_start, whole};
use super::settings::{Settings, bound, shared_setters};
use super::{SvmRegressor, solver};
use crate::labels::check_targets;
use crate::{Error, Observer, tolerance};
use faer::MatRef;
use kern_core::{Mercer, NonNegative, Points, Positive, Scalar};

/// Support vector regression: ε-SVR.
///
/// f minimises ½‖f − b‖² + C Σ max(0, |yᵢ − f(xᵢ)| − ε).
///
/// # Complexity
/// As [`Svc`](super::Svc): one variable per point.
///
/// # Examples
/// ```
/// use kern_core::{Samples, kernels::Linear};
/// use kern_solvers::svm::Svr;
/// let x = Samples::from_rows(&[[0.0], [1.0], [2.0], [3.0]])?;
/// let model = Svr::new(Linear).c(10.0).epsilon(0.0).tolerance(1e-9).fit(&x, &[1.0, 3.0, 5.0, 70.0])?;
/// // The outlier has no say: least absolute deviations.
/// assert!((model.predict(&x)?[3] - 7.0_f64).abs() < 1e-6);
/// # Ok::<(), kern_solvers::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Svr<K> {
    kernel: K,
    c: f64,
    epsilon: f64,
    settings: Settings,
    weights: Option<Vec<f64>>,
}

impl<K> Svr<K> {
    /// Regression with this kernel, C = 1 and ε = 0.1.
    pub fn new(kernel: K) -> Self {
        let settings = Settings::default();
        Self { kernel, c: 1.0, epsilon: tolerance::DEFAULT_TUBE, settings, weights: None }
    }

    /// The penalty C > 0 of residuals beyond ε, as in LIBSVM. Default: 1.
    #[must_use]
    pub fn c(mut self, c: f64) -> Self {
        self.c = c;
        self
    }

    /// ε ≥ 0: residuals up to it cost nothing. Default: 0.1.
    #[must_use]
    pub fn epsilon(mut self, epsilon: f64) -> Self {
        self.epsilon = epsilon;
        self
    }

    shared_setters!();

    /// Whether there is a bias b. Default: true.
    #[must_use]
    pub fn bias(mut self, bias: bool) -> Self {
        self.settings.bias = bias;
        self
    }

    /// Learns a function.
    ///
    /// # Errors
    /// [`Error::Empty`], [`Error::Length`], [`Error::NotFinite`] for the targets; [`Error::Weight`] and
    /// [`Error::NoWeight`] for the weights; [`Error::Core`] for C ≤ 0, ε < 0, a tolerance ≤ 0, or points that the
    /// kernel refuses; [`Error::Gram`] if not even two columns of the kernel matrix fit the budget.
    pub fn fit<P>(self, points: &P, targets: &[P::Scalar]) -> Result<SvmRegressor<P, K>, Error>
    where
        P: Points,
        K: Mercer<P>,
    {
        self.run(points, targets, (None, None))
    }

    /// [`fit`](Svr::fit), watched by an observer before each round: its loss is the negative dual objective.
    ///
    /// # Errors
    /// As [`fit`](Svr::fit).
    pub fn fit_observed<P>(
        self,
        points: &P,
        targets: &[P::Scalar],
        observer: &mut dyn Observer,
    ) -> Result<SvmRegressor<P, K>, Error>
    where
        P: Points,
        K: Mercer<P>,
    {
        self.run(points, targets, (None, Some(observer)))
    }

    /// [`fit`](Svr::fit) from a start: coefficients β, n × 1, such as those of
    /// [`FeatureSvr::fit_dual`](crate::svm::FeatureSvr::fit_dual). They are brought to their bounds and moved the least
    /// to sum to zero. For whether it pays see [`Svc::fit_from`](crate::svm::Svc::fit_from).
    ///
    /// # Errors
    /// As [`fit`](Svr::fit); [`Error::Length`] for another number of rows, [`Error::Count`] for more than one column;
    /// [`Error::NotFinite`] for a coefficient that is not finite.
    pub fn fit_from<P>(
        self,
        points: &P,
        targets: &[P::Scalar],
        start: MatRef<'_, f64>,
    ) -> Result<SvmRegressor<P, K>, Error>
    where
        P: Points,
        K: Mercer<P>,
    {
        self.run(points, targets, (Some(start), None))
    }

    fn run<P>(
        self,
        points: &P,
        targets: &[P::Scalar],
        (start, observer): (Option<MatRef<'_, f64>>, Option<&mut dyn Observer>),
    ) -> Result<SvmRegressor<P, K>, Error>
    where
        P: Points,
        K: Mercer<P>,
    {
        let Self { kernel, c, epsilon, settings, weights } = self;
        Positive::new("c", c)?;
        NonNegative::new("epsilon", epsilon)?;
        settings.check()?;
        check_targets(points.len(), MatRef::from_column_major_slice(targets, targets.len(), 1))?;
        let order = used(points.len(), weights.as_deref())?;
        let copied = copied_bytes(points, &order);
        let budget = Sizes::one(order.len(), order.len()).left::<P::Scalar>(&settings, copied)?;
        let selected = Chosen::new(points, &order)?;
        let weight = |i: usize| weights.as_ref().map_or(1.0, |w| w[i]);
        let bounds = order.iter().map(|&i| bound(c, weight(i)));
        let bounds = bounds.collect::<Result<Vec<f64>, Error>>()?;
        let mut problem = Problem {
            segments: whole(order.len()),
            linear: order.iter().map(|&i| targets[i].to_f64()).collect(),
            lower: bounds.iter().map(|c| -c).collect(),
            upper: bounds,
            epsilon,
            coupling: if settings.bias { Coupling::Sum } else { Coupling::Free },
            start: vec![0.0; order.len()],
        };
        if let Some(start) = start {
            check_start(start, (points.len(), 1))?;
            problem.start_at(|row| start[(order[row], 0)]);
        }
        let mut control = settings.control(order.len(), observer);
        let (solution, cost) = with_columns(&kernel, selected.get(), &budget, |columns, _| {
            Ok((solver::solve(columns, &problem, &mut control)?, columns.cost()))
        })?;
        let bias = solution.certificate.biases[0];
        let mut expansion = Expansion::new(order.len(), 1)?;
        expansion.set(0, &problem, &solution, bias);
        let (decision, support, report) =
            expansion.into_model(kernel, (selected.get(), &order), &[solution], cost)?;
        Ok(SvmRegressor::new(decision, support, epsilon, report))
    }
}
