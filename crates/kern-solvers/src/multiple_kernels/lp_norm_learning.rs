//! ℓp-norm multiple kernel learning: fits that alternate with updates of the weights.

use super::Expanded;
use super::gap_of_weights::Shares;
use crate::{Data, Error, Learner, Run, fit_sugar, tolerance};
use kern_core::gradient::Differentiable;
use kern_core::parameters::{Domain, Parameters};
use kern_core::{Points, named_parameters};
use serde::{Deserialize, Serialize};

/// A learner on a weighted sum of kernels that also learns the weights.
///
/// # Definition
/// With K = Σ ηₖKₖ, the objective of the learner is minimised over its function and over all
/// weights η ≥ 0 with the p-norm of the given ones. Fits with fixed weights alternate with the
/// optimal weights for the parts fₖ = ηₖΣᵢαᵢKₖ(·, xᵢ), which are proportional to ‖fₖ‖^{2/(p + 1)};
/// the objective never increases. The iteration ends when the [gap](super::weight_gap) is small
/// enough. p = 1 leaves few weights above zero, larger p leave more.
///
/// The model is that of the learner, with the learned weights in its kernel. The learner must
/// penalise ‖f‖², as ridge regression, logistic regression and support vector machines do.
///
/// # Complexity
/// For each round, a fit and 2n² values of all kernels.
///
/// # References
/// Kloft, Brefeld, Sonnenburg & Zien (2011), *ℓp-Norm Multiple Kernel Learning*, (17);
/// Rakotomamonjy, Bach, Canu & Grandvalet (2008), *SimpleMKL*, for p = 1 and its gap.
///
/// # Examples
/// ```
/// use kern_core::{Samples, kernels::{Linear, Rbf}};
/// use kern_solvers::multiple_kernels::MultipleKernels;
/// use kern_solvers::ridge::Ridge;
/// let x = Samples::from_row_major(1, (0..40).map(|i| f64::from(i) / 10.0).collect())?;
/// let y: Vec<f64> = x.as_slice().iter().map(|x| (4.0 * x).sin()).collect();
/// // A sine wave is not linear.
/// let kernel = 0.5 * Rbf::new(4.0)? + 0.5 * Linear;
/// let model = MultipleKernels::new(Ridge::on_kernel(kernel).lambda(1e-3)).fit(&x, &y)?;
/// let learned = model.decision().kernel();
/// assert!(learned.left().weight() > 0.98);
/// # Ok::<(), kern_solvers::Error>(())
/// ```
#[doc(alias = "MKL")]
#[doc(alias = "multiple kernel learning")]
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MultipleKernels<A> {
    learner: A,
    norm: f64,
    tolerance: f64,
    rounds: usize,
}

impl<A> MultipleKernels<A> {
    /// Learns weights with the 1-norm of those in this learner's kernel, to a gap of 1e-2, in at
    /// most 100 rounds.
    pub const fn new(learner: A) -> Self {
        let (tolerance, rounds) = (tolerance::WEIGHT_GAP, tolerance::WEIGHT_ROUNDS);
        Self { learner, norm: 1.0, tolerance, rounds }
    }

    /// The norm p ≥ 1 that the weights keep. Default: 1.
    #[must_use]
    pub fn norm(mut self, norm: f64) -> Self {
        self.norm = norm;
        self
    }

    /// The [gap](super::weight_gap) at which learning stops. Default: 1e-2.
    #[must_use]
    pub fn tolerance(mut self, tolerance: f64) -> Self {
        self.tolerance = tolerance;
        self
    }

    /// The maximum number of fits. Default: 100.
    #[must_use]
    pub fn rounds(mut self, rounds: usize) -> Self {
        self.rounds = rounds;
        self
    }

    /// The learner, with the initial weights.
    pub const fn learner(&self) -> &A {
        &self.learner
    }

    fit_sugar!(supervised);
}

named_parameters! {
    /// `weights.norm`, `weights.tolerance` and `weights.rounds`, and the parameters of the learner
    /// under their own names.
    [A: Parameters] MultipleKernels<A> {
        norm("weights.norm", Some(&tolerance::P_NORM)),
        tolerance("weights.tolerance", const { Some(&Domain::positive()) }),
        rounds("weights.rounds", const { Some(&Domain::count(1)) }),
    }
    with learner
}

/// # Errors
/// As the learner, and as [`weight_gap`](super::weight_gap).
impl<P, Y, A, M> Learner<P, Y> for MultipleKernels<A>
where
    P: Points,
    Y: crate::Targets,
    A: Learner<P, Y, Model = M> + Parameters + Clone,
    M: Expanded<P> + crate::Model<P>,
    M::Kernel: Differentiable<P>,
{
    type Model = M;

    fn learn(&self, data: &Data<'_, P, Y>, run: &mut Run<'_>) -> Result<M, Error> {
        tolerance::P_NORM.accept("weights.norm", &self.norm.into())?;
        Domain::positive().accept("weights.tolerance", &self.tolerance.into())?;
        Domain::count(1).accept("weights.rounds", &self.rounds.into())?;
        let (mut learner, mut last, mut round) = (self.learner.clone(), None::<M>, 1);
        loop {
            let model = match (learner.learn(data, run), last.take()) {
                (Err(Error::Stopped { .. }), Some(last)) => return Ok(last),
                (model, _) => model?,
            };
            if round >= self.rounds {
                return Ok(model);
            }
            let shares = Shares::of(model.expansion())?;
            let is_stopped = model.report().status == crate::Status::Stopped;
            if is_stopped || shares.gap(self.norm) <= self.tolerance {
                return Ok(model);
            }
            for (term, weight) in shares.terms.iter().zip(shares.next(self.norm)) {
                learner.set_parameter(&format!("kernel.{}", term.name), &weight.into())?;
            }
            (last, round) = (Some(model), round + 1);
        }
    }
}
