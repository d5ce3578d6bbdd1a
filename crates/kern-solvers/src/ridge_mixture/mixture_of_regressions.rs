//! Mixtures of ridge regressors as a learner: its settings, its start and its fit.

use super::RegressorMixture;
use crate::estimator::check;
use crate::space::{OnKernel, Space, constructors, named_learners};
use crate::{Data, Error, Learner, Run, Values, fit_sugar, tolerance};
use kern_core::parameters::Domain;
use kern_core::{Points, fields, named_values, settings};
use serde::{Deserialize, Serialize};

/// A mixture of k ridge regressors on a kernel.
///
/// See the [module](crate::ridge_mixture) for definition, method and complexity.
///
/// # Examples
/// Two curves that cross, and nothing says which point is of which:
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
    pub(super) settings: Settings,
}

settings! {
    /// All that does not belong to the space.
    pub struct Settings in settings;

    RidgeMixture {
        /// The number k of components, 1 ≤ k ≤ n.
        components: usize = 1, Domain::count(1);
        /// The penalty λ > 0 of ½‖f_k‖² beside the likelihood of all points. Default: 1, with which each function has the prior of a
        /// Gaussian process with the kernel for its covariance.
        #[doc(alias = "alpha")]
        #[doc(alias = "regularization")]
        lambda: f64 = 1.0, Domain::positive();
        /// One variance for all components. Default: false, one for each.
        shared_noise: bool = false;
        /// The least variance of a component, relative to that of the targets. Default: 1e-6.
        noise_floor: f64 = tolerance::NOISE_FLOOR, Domain::positive();
        /// The start. Default: [`MixtureStart::Random`](crate::ridge_mixture::MixtureStart::Random).
        start: MixtureStart = MixtureStart::Random;
        /// Runs with starts of their own, of which the one of the greatest penalised likelihood is kept, the first of equals. Default: 10.
        restarts: usize = 10, Domain::count(1);
        /// The seed of the starts. Default: 0.
        seed: u64 = 0;
        /// The greatest number of rounds of a run. A run that needs more says so:
        /// [`Status::IterationsDone`](crate::Status::IterationsDone). Default: 200.
        max_iterations: usize = 200, Domain::count(1);
        /// The increase of the penalised likelihood, per unit of weight, that is none: a round that brings no more ends the run.
        /// Default: 1e-6.
        tolerance: f64 = tolerance::MIXTURE_PROGRESS, Domain::non_negative().log();
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
        Self { space, settings: Settings { components: k, ..Settings::default() } }
    }

    fit_sugar!(supervised);
}

impl<K> RidgeMixture<OnKernel<K>> {
    /// The kernel.
    pub const fn kernel(&self) -> &K {
        self.space.kernel()
    }
}

/// The components that points start in. Numbers are those of data of one size, and have no meaning for a part of it.
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
    /// Responsibilities that are uniform among all, drawn for each point by itself.
    #[default]
    Random,
    /// The component with this number below k has the responsibility 1, for each point. It is run once.
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

/// A space in which mixtures of ridge regressors are found. Sealed: its method takes types that cannot be named outside.
pub trait RidgeMixtureSpace<P: Points>: Space<P> {
    #[doc(hidden)]
    fn mix(
        &self,
        task: &Task<'_, P>,
        run: &mut Run<'_>,
    ) -> Result<RegressorMixture<Self::Function>, Error>;
}

/// Points, what is known of them, and how they are to be mixed.
#[derive(Clone, Copy, Debug)]
pub struct Task<'t, P: Points> {
    pub(super) settings: &'t Settings,
    pub(super) points: &'t P,
    pub(super) targets: &'t [P::Scalar],
    /// w, unless all are 1.
    pub(super) weights: Option<&'t [f64]>,
}

/// # Errors
/// [`Error::Core`] for a hyper-parameter outside of its domain, points that the kernel refuses, or a component that is not there
/// to start in; [`Error::Count`] for no components or more than points; [`Error::Length`] for another number of components to start
/// in than points; [`Error::Empty`]; [`Error::Range`] for targets whose squares overflow; [`Error::Gram`] beyond the memory of the
/// run, for values that are not finite or a kernel matrix that is not positive semi-definite; [`Error::TooLong`].
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

impl Settings {
    /// Refuses what n points cannot be asked for.
    pub(super) fn check(&self, n: usize) -> Result<(), Error> {
        self.check_count(n)?;
        check(self)?;
        let MixtureStart::Given(components) = &self.start else { return Ok(()) };
        kern_approx::statistics::check_length("initial components", n, components.len())?;
        match components.iter().find(|&&component| component >= self.components) {
            Some(&given) => Err(kern_core::Error::Index { given, len: self.components }.into()),
            None => Ok(()),
        }
    }

    /// Refuses more components than points that are used.
    pub(super) fn check_count(&self, used: usize) -> Result<(), Error> {
        if self.components == 0 || self.components > used {
            let allowed = "at least 1 and at most the number of points";
            return Err(Error::Count { name: "k", given: self.components, allowed });
        }
        Ok(())
    }

    /// Runs that may differ: a given start is run once.
    pub(super) const fn runs(&self) -> usize {
        if matches!(self.start, MixtureStart::Random) { self.restarts } else { 1 }
    }
}
