//! Kernel canonical correlation analysis: the estimator, its two views, and its fits.
//!
//! The points of the second view are the targets of the first. Each view has its own space of
//! functions; landmarks are treated as Nyström features.

use super::CanonicalCorrelations;
use super::canonical_correlation::{Correlated, Directions, STEPS, View, correlate};
use crate::estimator::check;
use crate::model::{FeatureExpansion, KernelExpansion};
use crate::space::{NamedSpace, OnFeatures, OnLandmarks, named_learners};
use crate::{Data, Error, Learner, Progress, Report, Run, Same, Status, Targets};
use kern_approx::{Nystrom, NystromMap};
use kern_core::memory::converted;
use kern_core::parameters::{Domain, Parameters};
use kern_core::{FeatureMap, Mercer, Points, named_parameters, settings};
use kern_gram::{MemoryBudget, matrix_bytes};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// Default weight of squared norms in canonical correlations: of functions of a kernel with unit diagonal, whose variance is at most 1,
/// a hundredth for each unit of the norm.
const CANONICAL_PENALTY: f64 = 1e-2;

/// Kernel canonical correlation analysis of pairs, whose two parts may be of different types.
///
/// See [`canonical`](crate::canonical) for the definition.
///
/// # Complexity
/// The features of both views twice, n(r + s)² flops for ranks r and s, and about 20(r³ + s³)
/// flops; n·s entries of memory, and several matrices of r² and s² entries.
///
/// # Examples
/// ```
/// use kern_approx::Nystrom;
/// use kern_core::{Samples, kernels::Rbf};
/// use kern_solvers::canonical::KernelCca;
/// // The second view has the square of the first, which no line sees.
/// let x: Vec<[f64; 1]> = (0..80).map(|i| [2.0 * (1.3 * f64::from(i)).sin()]).collect();
/// let y: Vec<[f64; 1]> = x.iter().map(|x| [x[0] * x[0]]).collect();
/// let (x, y) = (Samples::from_rows(&x)?, Samples::from_rows(&y)?);
/// let (k, l) = (Nystrom::new(Rbf::new(0.5)?).landmarks(20), Nystrom::new(Rbf::new(0.5)?).landmarks(20));
/// let model = KernelCca::on_landmarks(k, l, 1).penalty(1e-3).fit(&x, &y)?;
/// assert!(model.correlations()[0] > 0.95);
/// let (f, g) = (model.first(&x)?, model.second(&y)?);
/// let product: f64 = (0..80).map(|i| f[(i, 0)] * g[(i, 0)]).sum::<f64>() / 80.0;
/// assert!((product - model.correlations()[0]).abs() < 1e-9);
/// # Ok::<(), kern_solvers::Error>(())
/// ```
#[doc(alias = "KCCA")]
#[doc(alias = "CCA")]
#[doc(alias = "canonical correlation analysis")]
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct KernelCca<S> {
    space: S,
    settings: CcaSettings,
}

settings! {
    /// The parameters that do not depend on the spaces.
    pub(super) struct CcaSettings in settings;

    KernelCca {
        /// The number of pairs of functions. Default: that of the constructor.
        components: usize = 1, Domain::count(1);
        /// The penalty κ > 0: the weight of the squared norms relative to the variances. Default:
        /// 0.01.
        penalty: f64 = CANONICAL_PENALTY, Domain::positive();
    }
}

named_learners! { KernelCca: settings; }

impl<K, L> KernelCca<Views<OnLandmarks<K>, OnLandmarks<L>>> {
    /// Kernel CCA in the spans of Nyström landmarks, which are chosen in the fit by these
    /// parameters.
    pub fn on_landmarks(first: Nystrom<K>, second: Nystrom<L>, components: usize) -> Self {
        Self::on(OnLandmarks::new(first), OnLandmarks::new(second), components)
    }
}

impl<M, N> KernelCca<Views<OnFeatures<M>, OnFeatures<N>>> {
    /// CCA on the features of two feature maps.
    pub fn on_features(first: M, second: N, components: usize) -> Self {
        Self::on(OnFeatures::new(first), OnFeatures::new(second), components)
    }
}

impl<S, R> KernelCca<Views<S, R>> {
    /// Kernel CCA with `components` pairs of functions in these spaces.
    pub fn on(first: S, second: R, components: usize) -> Self {
        let settings = CcaSettings { components, ..CcaSettings::default() };
        Self { space: Views { first, second }, settings }
    }

    /// Fits pairs (xᵢ, yᵢ), with a run of default settings.
    ///
    /// For sample weights and a memory limit use [`learn`](crate::Learner::learn) with
    /// [`Data`](crate::Data), whose targets are the points of the second view, and a
    /// [`Run`](crate::Run).
    ///
    /// # Errors
    /// As [`Data::new`](crate::Data::new) and [`learn`](crate::Learner::learn).
    pub fn fit<'y, P, Q, This>(&self, x: &P, y: &'y Q) -> Result<This::Model, Error>
    where
        P: Points,
        Q: Points + Clone + Same<Self, This>,
        This: Learner<P, SecondView<'y, Q>>,
    {
        let data = Data::new(x, SecondView::new(y))?;
        <Q as Same<Self, This>>::same(self).learn(&data, &mut Run::new())
    }
}

/// The spaces of functions of two views. Their hyper-parameters are named `first.…` and `second.…`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Views<S, R> {
    first: S,
    second: R,
}

named_parameters!(
    [S: Parameters, R: Parameters] Views<S, R> {} with first under "first", second under "second"
);

impl<S: NamedSpace, R: NamedSpace> NamedSpace for Views<S, R> {
    const NAME: &'static str = "Views";
}

/// The points of the second view, as targets of the first: the i-th points form a pair.
///
/// # Examples
/// ```
/// use kern_core::Points;
/// use kern_solvers::{Targets, canonical::SecondView};
/// let words = vec!["uno", "due", "tre"];
/// let view = SecondView::new(&words);
/// assert_eq!(view.count(), Some(3));
/// assert_eq!(view.select(&[2, 0]).points(), &["tre", "uno"]);
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct SecondView<'y, Q: Clone>(Cow<'y, Q>);

impl<'y, Q: Points + Clone> SecondView<'y, Q> {
    /// The second view with these points, one for each point of the first view.
    pub const fn new(points: &'y Q) -> Self {
        Self(Cow::Borrowed(points))
    }

    /// The points.
    pub fn points(&self) -> &Q {
        &self.0
    }
}

impl<Q: Points + Clone> Targets for SecondView<'_, Q> {
    fn count(&self) -> Option<usize> {
        Some(self.0.len())
    }

    fn select(&self, indices: &[usize]) -> Self {
        match self.0.select(indices) {
            Ok(points) => Self(Cow::Owned(points)),
            // tidy: allow(panic) because the trait says so: an index is out of bounds.
            Err(error) => panic!("{error}"),
        }
    }
}

/// The model with functions on landmarks.
type OfLandmarks<P, K, Q, L> = CanonicalCorrelations<KernelExpansion<P, K>, KernelExpansion<Q, L>>;
/// The model with functions of features.
type OfFeatures<P, M, Q, N> = CanonicalCorrelations<
    FeatureExpansion<M, <P as Points>::Scalar>,
    FeatureExpansion<N, <Q as Points>::Scalar>,
>;

/// # Errors
/// [`Error::Length`] if x and y differ in length; [`Error::Count`] for more functions than
/// landmarks; [`Error::Core`] for a hyper-parameter outside of its domain, or if a kernel refuses
/// its points; [`Error::Gram`] beyond the memory, or for non-finite values; [`Error::Approx`] from
/// the choice of landmarks; [`Error::Unsupported`] for a constant view; [`Error::Stopped`].
impl<P, Q, K, L> Learner<P, SecondView<'_, Q>> for KernelCca<Views<OnLandmarks<K>, OnLandmarks<L>>>
where
    P: Points,
    Q: Points + Clone,
    K: Mercer<P> + Clone,
    L: Mercer<Q> + Clone,
{
    type Model = OfLandmarks<P, K, Q, L>;

    fn learn(
        &self,
        data: &Data<'_, P, SecondView<'_, Q>>,
        run: &mut Run<'_>,
    ) -> Result<Self::Model, Error> {
        check(&self.settings)?;
        let (x, y, budget) = (data.points(), data.targets().points(), run.budget());
        let weights = data.sample_weights();
        let first = self.space.first.features(x, weights, run)?;
        run.step(0, STEPS)?;
        let second = self.space.second.features(y, weights, run)?;
        let kept = [FeatureMap::<P>::dim(&first), FeatureMap::<Q>::dim(&second)];
        let roots = kept.map(|dim| matrix_bytes::<f64>(dim, dim));
        let rest = budget.as_bytes().saturating_sub(roots[0].saturating_add(roots[1]));
        let rest = MemoryBudget::bytes(rest);
        let (of_x, of_y) = (View { map: &first, points: x }, View { map: &second, points: y });
        let (found, report) = self.correlate(&of_x, &of_y, weights, &rest, run)?;
        let (correlations, of_first, of_second) = found;
        let functions = (expansion(&first, &of_first)?, expansion(&second, &of_second)?);
        Ok(CanonicalCorrelations::new(correlations, functions, report))
    }
}

/// # Errors
/// [`Error::Length`] if x and y differ in length; [`Error::Count`] for more functions than
/// features; [`Error::Core`] for a hyper-parameter outside of its domain, if a map refuses its
/// points, or for non-finite features; [`Error::Gram`] beyond the memory; [`Error::Unsupported`]
/// for a constant view; [`Error::Stopped`].
impl<P, Q, M, N> Learner<P, SecondView<'_, Q>> for KernelCca<Views<OnFeatures<M>, OnFeatures<N>>>
where
    P: Points,
    Q: Points + Clone,
    M: FeatureMap<P> + Clone,
    N: FeatureMap<Q> + Clone,
{
    type Model = OfFeatures<P, M, Q, N>;

    fn learn(
        &self,
        data: &Data<'_, P, SecondView<'_, Q>>,
        run: &mut Run<'_>,
    ) -> Result<Self::Model, Error> {
        check(&self.settings)?;
        let (x, y, budget) = (data.points(), data.targets().points(), run.budget());
        let (first, second) = (&self.space.first.map, &self.space.second.map);
        let weights = data.sample_weights();
        let (of_x, of_y) = (View { map: first, points: x }, View { map: second, points: y });
        let (found, report) = self.correlate(&of_x, &of_y, weights, &budget, run)?;
        let (correlations, of_first, of_second) = found;
        let functions = (
            FeatureExpansion::new(first.clone(), converted(of_first.weights.as_ref())?)
                .with_intercepts(of_first.intercepts()),
            FeatureExpansion::new(second.clone(), converted(of_second.weights.as_ref())?)
                .with_intercepts(of_second.intercepts()),
        );
        Ok(CanonicalCorrelations::new(correlations, functions, report))
    }
}

impl<S> KernelCca<S> {
    /// The correlations with their directions, and a report with their sum as its objective.
    fn correlate<P, Q, M, N>(
        &self,
        first: &View<'_, P, M>,
        second: &View<'_, Q, N>,
        weights: Option<&[f64]>,
        budget: &MemoryBudget,
        run: &mut Run<'_>,
    ) -> Result<(Correlated, Report), Error>
    where
        P: Points,
        Q: Points,
        M: FeatureMap<P>,
        N: FeatureMap<Q>,
    {
        let CcaSettings { components, penalty } = self.settings;
        let most = first.map.dim().min(second.map.dim());
        Error::check_most("the number of functions", components, most)?;
        let found = correlate(first, second, weights, (components, penalty), budget, run)?;
        let loss = found.0.iter().sum();
        let report = Report::new(Status::Converged, 1, loss, None);
        // The fit is complete, so a stop has no effect.
        let _ = run.observe(&Progress::new(STEPS, STEPS, loss));
        Ok((found, report))
    }
}

/// Converts functions of Nyström features to expansions in kernel values.
fn expansion<P: Points, K: Mercer<P> + Clone>(
    map: &NystromMap<P, K>,
    directions: &Directions,
) -> Result<KernelExpansion<P, K>, Error> {
    let function = KernelExpansion::of_landmarks(map, directions.weights.as_ref())?;
    Ok(function.with_intercepts(directions.intercepts()))
}
