//! The support of a distribution.

use super::expansion::{Expansion, used};
use super::matrix::with_columns;
use super::memory::{Chosen, Sizes, copied_bytes};
use super::problem::{Coupling, Problem, whole};
use super::settings::{Settings, shared_setters, total};
use super::{SvmReport, solver};
use crate::Error;
use crate::model::{Decision, Format, KernelModel};
use kern_core::{Decay, Kernel, Mercer, Points, Scalar};
use serde::{Deserialize, Serialize};

/// The region where most points lie: a one-class support vector machine.
///
/// At most a share ν of the points lies outside, and at least a share ν are support vectors.
///
/// # Definition
/// minimise ½‖f‖² − νnρ + Σ max(0, ρ − f(xᵢ)); inside is f(x) > ρ. In the dual 0 ≤ αᵢ ≤ 1 and Σα = νn, as in LIBSVM.
///
/// # References
/// Schölkopf, Platt, Shawe-Taylor, Smola & Williamson (2001), *Estimating the Support of a High-Dimensional
/// Distribution*.
///
/// # Examples
/// ```
/// use kern_core::{Samples, kernels::Rbf};
/// use kern_solvers::svm::OneClassSvm;
/// let rows: Vec<[f64; 1]> = (0..20).map(|i| [0.1 * f64::from(i)]).collect();
/// let model = OneClassSvm::new(Rbf::new(1.0)?).nu(0.1).fit(&Samples::from_rows(&rows)?)?;
/// assert_eq!(model.predict(&Samples::from_rows(&[[1.0], [5.0]])?)?, [true, false]);
/// # Ok::<(), kern_solvers::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct OneClassSvm<K> {
    kernel: K,
    nu: f64,
    settings: Settings,
    weights: Option<Vec<f64>>,
}

impl<K> OneClassSvm<K> {
    /// With this kernel and ν = ½.
    pub fn new(kernel: K) -> Self {
        Self { kernel, nu: 0.5, settings: Settings::default(), weights: None }
    }

    /// ν, of (0, 1]. Default: 0.5.
    #[must_use]
    pub fn nu(mut self, nu: f64) -> Self {
        self.nu = nu;
        self
    }

    shared_setters!();

    /// Learns the region.
    ///
    /// # Errors
    /// [`Error::Empty`]; [`Error::Weight`] and [`Error::NoWeight`] for the weights; [`Error::Core`] for ν outside of
    /// (0, 1], a tolerance ≤ 0, or points that the kernel refuses; [`Error::Gram`] if not even two columns of the
    /// kernel matrix fit the budget.
    pub fn fit<P: Points>(self, points: &P) -> Result<NoveltyDetector<P, K>, Error>
    where
        K: Mercer<P>,
    {
        let Self { kernel, nu, settings, weights } = self;
        Decay::new("nu", nu)?;
        settings.check()?;
        let order = used(points.len(), weights.as_deref())?;
        let n = order.len();
        let copied = copied_bytes(points, &order);
        let budget = Sizes::one(n, n).left::<P::Scalar>(&settings, copied)?;
        let selected = Chosen::new(points, &order)?;
        let upper: Vec<f64> =
            order.iter().map(|&i| weights.as_ref().map_or(1.0, |w| w[i])).collect();
        let mut left = nu * total(&upper)?;
        let fill = |&bound: &f64| {
            let part = left.min(bound);
            left -= part;
            part
        };
        let problem = Problem {
            segments: whole(n),
            linear: vec![0.0; n],
            start: upper.iter().map(fill).collect(),
            lower: vec![0.0; n],
            upper,
            epsilon: 0.0,
            coupling: Coupling::Sum,
        };
        let mut control = settings.control(n, None);
        let (solution, cost) = with_columns(&kernel, selected.get(), &budget, |columns, _| {
            Ok((solver::solve(columns, &problem, &mut control)?, columns.cost()))
        })?;
        let mut expansion = Expansion::new(n, 1)?;
        expansion.set(0, &problem, &solution, solution.certificate.biases[0]);
        let (decision, support, report) =
            expansion.into_model(kernel, (selected.get(), &order), &[solution], cost)?;
        let report = SvmReport { support_vectors: support.len(), ..report };
        Ok(NoveltyDetector { format: Format, decision, support, report })
    }
}

/// What tells points of a distribution from others.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(bound(
    serialize = "P: Serialize, K: Serialize",
    deserialize = "P: Deserialize<'de>, K: Deserialize<'de>"
))]
pub struct NoveltyDetector<P: Points, K> {
    format: Format,
    decision: KernelModel<P, K>,
    support: Vec<usize>,
    report: SvmReport,
}

impl<P: Points, K: Kernel<P>> NoveltyDetector<P, K> {
    /// The function f − ρ: support vectors, coefficients, and the bias −ρ.
    pub fn decision(&self) -> &KernelModel<P, K> {
        &self.decision
    }

    /// The indices of the support vectors among the points of the fit, in order.
    pub fn support(&self) -> &[usize] {
        &self.support
    }

    /// The evidence of the fit.
    pub fn report(&self) -> &SvmReport {
        &self.report
    }

    /// f(x) − ρ at each point: greater than 0 inside.
    ///
    /// # Errors
    /// As [`Decision::decide`].
    pub fn decision_values(&self, points: &P) -> Result<Vec<P::Scalar>, Error> {
        Ok(self.decision.decide(points)?.col_as_slice(0).to_vec())
    }

    /// Whether each point lies inside.
    ///
    /// # Errors
    /// As [`Decision::decide`].
    pub fn predict(&self, points: &P) -> Result<Vec<bool>, Error> {
        let values = self.decision_values(points)?;
        Ok(values.into_iter().map(|value| value > P::Scalar::ZERO).collect())
    }
}
