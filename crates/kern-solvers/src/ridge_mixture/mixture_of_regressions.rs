//! A mixture of ridge regressors as a learner: its settings, its start and its fit.

use super::RegressorMixture;
use crate::estimator::check;
use crate::space::{OnKernel, Space, constructors, named_learners};
use crate::{Data, Error, Learner, Run, Values, fit_sugar};
use kern_core::parameters::Domain;
use kern_core::{Points, fields, named_values, settings};
use serde::{Deserialize, Serialize};

/// Default of the least variance of a component of a mixture, relative to that of the targets: a thousandth of their deviation.
const NOISE_FLOOR: f64 = 1e-6;

/// Default increase of the likelihood of a mixture, per point, that ends its rounds: near a maximum responsibilities are then within
/// some 1e-3 of it.
const MIXTURE_PROGRESS: f64 = 1e-6;

/// A mixture of k ridge regressors on a kernel.
///
/// See the [module](crate::ridge_mixture) for definition, method and complexity.
///
/// # Examples
/// Two curves, without labels that assign the points to them:
/// ```
/// use kern_core::{Samples, kernels::Rbf};
/// use kern_solvers::ridge_mixture::RidgeMixture;
/// let x = Samples::from_row_major(1, (0..80).map(|i| f64::from(i) / 20.0).collect())?;
/// let sign = |i: u32| if (i * 7) % 5 < 2 { 1.0 } else { -1.0 };
/// let y: Vec<f64> = (0..80).map(|i| sign(i) * (1.0 + f64::from(i) / 20.0)).collect();
/// let model = RidgeMixture::on_kernel(Rbf::new(0.1)?, 2).lambda(0.01).fit(&x, &y)?;
/// let values = model.decision_values(&Samples::from_rows(&[[2.0]])?)?;
/// let (low, high) = (values[(0, 0)].min(values[(0, 1)]), values[(0, 0)].max(values[(0, 1)]));
/// assert!((low + 3.0).abs() < 0.05 && (high - 3.0).abs() < 0.05);
/// let shares = model.predict_responsibilities(&Samples::from_rows(&[[2.0]])?, &[3.0])?;
/// assert!(shares[(0, 0)].max(shares[(0, 1)]) > 0.999);
/// # Ok::<(), kern_solvers::Error>(())
/// ```
#[doc(alias = "mixture of regressions")]
#[doc(alias = "expectation maximisation")]
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RidgeMixture<S> {
    pub(super) space: S,
    pub(super) settings: MixtureSettings,
}

settings! {
    /// The settings that do not depend on the space.
    pub struct MixtureSettings in settings;

    RidgeMixture {
        /// The number k of components, 1 ≤ k ≤ n.
        components: usize = 1, Domain::count(1);
        /// The penalty λ > 0 of ½‖f_k‖², next to the log-likelihood of all points. Default: 1,
        /// which gives each function a Gaussian process prior with the kernel as its covariance.
        #[doc(alias = "alpha")]
        #[doc(alias = "regularization")]
        lambda: f64 = 1.0, Domain::positive();
        /// Whether all components share one variance. Default: false.
        shared_noise: bool = false;
        /// The smallest variance of a component, relative to that of the targets. Default: 1e-6.
        noise_floor: f64 = NOISE_FLOOR, Domain::positive();
        /// The start. Default:
        /// [`MixtureStart::Random`](crate::ridge_mixture::MixtureStart::Random).
        start: MixtureStart = MixtureStart::Random;
        /// The number of runs with different starts. The run with the largest penalised likelihood
        /// is kept, the first of these if several tie. Default: 10.
        restarts: usize = 10, Domain::count(1);
        /// The seed of the starts. Default: 0.
        seed: u64 = 0;
        /// The maximum number of iterations of a run. A run that needs more ends with
        /// [`Status::IterationsDone`](crate::Status::IterationsDone). Default: 200.
        max_iterations: usize = 200, Domain::count(1);
        /// The increase of the penalised likelihood, per unit of weight, at or below which a run
        /// ends. Default: 1e-6.
        tolerance: f64 = MIXTURE_PROGRESS, Domain::non_negative().log();
    }
}

named_learners! { RidgeMixture: settings; }

constructors! {
    RidgeMixture(k: usize);
    /// k regressors, 1 ≤ k ≤ n, with this kernel and λ = 1.
    on_kernel;
}

impl<S> RidgeMixture<S> {
    fn on(space: S, k: usize) -> Self {
        Self { space, settings: MixtureSettings { components: k, ..MixtureSettings::default() } }
    }

    fit_sugar!(supervised);
}

impl<K> RidgeMixture<OnKernel<K>> {
    /// The kernel.
    pub const fn kernel(&self) -> &K {
        self.space.kernel()
    }
}

/// The initial components of points. Given components are valid for data of one size only, not for
/// a part of it.
///
/// # Examples
/// ```
/// use kern_core::{Samples, kernels::Linear};
/// use kern_solvers::ridge_mixture::{MixtureStart, RidgeMixture};
/// let x = Samples::from_rows(&[[1.0], [2.0], [3.0], [1.0], [2.0], [3.0]])?;
/// let start = MixtureStart::Given(vec![0, 0, 0, 1, 1, 1]);
/// let mixture = RidgeMixture::on_kernel(Linear, 2).start(start);
/// let model = mixture.fit(&x, &[1.0_f64, 2.1, 2.9, -1.0, -2.1, -2.9])?;
/// let values = model.decision_values(&Samples::from_rows(&[[2.0]])?)?;
/// assert!((values[(0, 0)] - 2.0_f64).abs() < 0.1 && (values[(0, 1)] + 2.0_f64).abs() < 0.1);
/// # Ok::<(), kern_solvers::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub enum MixtureStart {
    /// Random responsibilities, uniform on the simplex and independent for each point.
    #[default]
    Random,
    /// For each point, the index below k of the component that has the responsibility 1. One run is
    /// made.
    Given(Vec<usize>),
}

named_values!(@value MixtureStart {
    "random" => Random,
    "given" => Given(Vec::new()),
});

// Components that are given have no names.
fields!(MixtureStart {
    Self::Given(_) => {}
    drawn => { "start": drawn in Domain::Choice(&["random"]) }
});

/// A space in which mixtures of ridge regressors are fitted. Sealed: its method takes types that
/// cannot be named outside.
pub trait RidgeMixtureSpace<P: Points>: Space<P> {
    #[doc(hidden)]
    fn mix(
        &self,
        task: &Task<'_, P>,
        run: &mut Run<'_>,
    ) -> Result<RegressorMixture<Self::Function>, Error>;
}

/// The data and the settings of a mixture.
#[derive(Clone, Copy, Debug)]
pub struct Task<'t, P: Points> {
    pub(super) settings: &'t MixtureSettings,
    pub(super) points: &'t P,
    pub(super) targets: &'t [P::Scalar],
    /// w, unless all are 1.
    pub(super) weights: Option<&'t [f64]>,
}

/// # Errors
/// [`Error::Core`] for a hyper-parameter outside of its domain, points that the kernel rejects, or
/// an initial component that does not exist; [`Error::Count`] for no components or more components
/// than points; [`Error::Length`] if the number of initial components is not that of points;
/// [`Error::Empty`]; [`Error::Range`] for targets with squares that overflow; [`Error::Gram`] if
/// the memory of the run is exceeded, for non-finite values or a kernel matrix that is not positive
/// semi-definite; [`Error::TooLong`].
impl<P, S> Learner<P, Values<P::Scalar>> for RidgeMixture<S>
where
    P: Points,
    S: RidgeMixtureSpace<P>,
{
    type Model = RegressorMixture<S::Function>;

    fn learn(
        &self,
        data: &Data<'_, P, Values<P::Scalar>>,
        run: &mut Run<'_>,
    ) -> Result<Self::Model, Error> {
        let (points, targets) = (data.points(), data.targets().as_slice());
        let (settings, weights) = (&self.settings, data.sample_weights());
        settings.check(points.len())?;
        let model = self.space.mix(&Task { settings, points, targets, weights }, run)?;
        model.report().check()?;
        Ok(model)
    }
}

impl MixtureSettings {
    /// Checks the settings for n points.
    pub(super) fn check(&self, n: usize) -> Result<(), Error> {
        self.check_count(n)?;
        check(self)?;
        let MixtureStart::Given(components) = &self.start else { return Ok(()) };
        kern_approx::statistics::check_length("initial components", n, components.len())?;
        Ok(kern_core::Error::check_indices(components, self.components)?)
    }

    /// Fails for more components than points with positive weight.
    pub(super) fn check_count(&self, used: usize) -> Result<(), Error> {
        if self.components == 0 || self.components > used {
            let allowed = "at least 1 and at most the number of points";
            return Err(Error::Count { name: "k", given: self.components, allowed });
        }
        Ok(())
    }

    /// The number of runs that may differ: one for a given start.
    pub(super) const fn runs(&self) -> usize {
        if matches!(self.start, MixtureStart::Random) { self.restarts } else { 1 }
    }
}
