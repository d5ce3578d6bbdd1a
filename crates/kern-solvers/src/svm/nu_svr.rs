//! ν-regression.

use super::expansion::{Expansion, used};
use super::matrix::with_columns;
use super::memory::{Chosen, Sizes, copied_bytes};
use super::problem::{Coupling, Problem};
use super::settings::{Settings, bound, shared_setters, total};
use super::{SvmRegressor, solver};
use crate::Error;
use crate::labels::check_targets;
use faer::MatRef;
use kern_core::{Decay, Mercer, Points, Positive, Scalar};

/// Support vector regression whose tube finds its own width: ν-SVR.
///
/// At most a share ν of the points lies outside of the tube, and at least a share ν are support vectors; it is
/// [`Svr`](super::Svr) with the ε that [`SvmRegressor::epsilon`] tells.
///
/// # Definition
/// minimise ½‖f‖² + C(νnε + Σ max(0, |yᵢ − f(xᵢ)| − ε)) over f and ε, with LIBSVM's C. The report is about that
/// problem; its dual has two variables per point.
///
/// # References
/// Schölkopf, Smola, Williamson & Bartlett (2000), *New Support Vector Algorithms*.
///
/// # Examples
/// ```
/// use kern_core::{Samples, kernels::Linear};
/// use kern_solvers::svm::NuSvr;
/// let x = Samples::from_rows(&[[0.0], [1.0], [2.0], [3.0]])?;
/// let model = NuSvr::new(Linear).c(10.0).nu(0.5).fit(&x, &[1.0, 3.2, 4.8, 7.0])?;
/// assert!((model.predict(&x)?[3] - 7.0_f64).abs() < 0.3 && model.epsilon() < 0.3);
/// # Ok::<(), kern_solvers::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct NuSvr<K> {
    kernel: K,
    c: f64,
    nu: f64,
    settings: Settings,
    weights: Option<Vec<f64>>,
}

impl<K> NuSvr<K> {
    /// Regression with this kernel, C = 1 and ν = ½.
    pub fn new(kernel: K) -> Self {
        Self { kernel, c: 1.0, nu: 0.5, settings: Settings::default(), weights: None }
    }

    /// The penalty C > 0 of residuals beyond the tube, as in LIBSVM. Default: 1.
    #[must_use]
    pub fn c(mut self, c: f64) -> Self {
        self.c = c;
        self
    }

    /// ν, of (0, 1]. Default: 0.5.
    #[must_use]
    pub fn nu(mut self, nu: f64) -> Self {
        self.nu = nu;
        self
    }

    shared_setters!();

    /// Learns a function.
    ///
    /// # Errors
    /// As [`Svr::fit`](super::Svr::fit).
    pub fn fit<P>(self, points: &P, targets: &[P::Scalar]) -> Result<SvmRegressor<P, K>, Error>
    where
        P: Points,
        K: Mercer<P>,
    {
        let Self { kernel, c, nu, settings, weights } = self;
        Positive::new("c", c)?;
        Decay::new("nu", nu)?;
        settings.check()?;
        check_targets(points.len(), MatRef::from_column_major_slice(targets, targets.len(), 1))?;
        let order = used(points.len(), weights.as_deref())?;
        let copied = copied_bytes(points, &order);
        let sizes = Sizes::one(order.len(), 2 * order.len());
        let budget = sizes.left::<P::Scalar>(&settings, copied)?;
        let selected = Chosen::new(points, &order)?;
        let weight = |i: usize| weights.as_ref().map_or(1.0, |w| w[i]);
        let bounds = order.iter().map(|&i| bound(c, weight(i)));
        let bounds = bounds.collect::<Result<Vec<f64>, Error>>()?;
        let values: Vec<f64> = order.iter().map(|&i| targets[i].to_f64()).collect();
        let problem = doubled(&values, &bounds, nu * total(&bounds)?);
        let mut control = settings.control(problem.len(), None);
        let (solution, cost) = with_columns(&kernel, selected.get(), &budget, |columns, _| {
            Ok((solver::solve(columns, &problem, &mut control)?, columns.cost()))
        })?;
        // Where the two sums rest: b + ε and b − ε.
        let (high, low) = (solution.certificate.biases[0], solution.certificate.biases[1]);
        let mut expansion = Expansion::new(order.len(), 1)?;
        expansion.set(0, &problem, &solution, 0.5 * (high + low));
        let (decision, support, report) =
            expansion.into_model(kernel, (selected.get(), &order), &[solution], cost)?;
        Ok(SvmRegressor::new(decision, support, 0.5 * (high - low), report))
    }
}

/// Two variables per point, one of each sign; each sign has the sum ±νΣC/2.
fn doubled(values: &[f64], bounds: &[f64], share: f64) -> Problem {
    let n = values.len();
    let mut left = 0.5 * share;
    let fill = |&bound: &f64| {
        let part = left.min(bound);
        left -= part;
        part
    };
    let start: Vec<f64> = bounds.iter().map(fill).collect();
    let zeros = vec![0.0; n];
    let negative = |of: &[f64]| of.iter().map(|x| -x).collect::<Vec<f64>>();
    Problem {
        segments: vec![0..n, 0..n],
        linear: values.repeat(2),
        lower: [zeros.clone(), negative(bounds)].concat(),
        upper: [bounds.to_vec(), zeros].concat(),
        epsilon: 0.0,
        coupling: Coupling::Groups((0..2 * n).map(|v| v >= n).collect()),
        start: [start.clone(), negative(&start)].concat(),
    }
}
