//! Support vector data description: the smallest ball around most points.

use super::training::{Goal, Region, Stopping, SvmSpace, Training, train};
use crate::model::{Arity, Ball, FeatureExpansion, KernelExpansion, NoveltyDetector};
use crate::space::{OnFeatures, OnKernel, constructors, named_learners};
use crate::{Data, Error, Learner, Run, fit_sugar};
use kern_core::{FeatureMap, Mercer, Points};
use serde::{Deserialize, Serialize};

/// The smallest ball around most points of a feature space, on a kernel or on features: support vector data description.
///
/// # Definition
/// minimise R² + 1/(νn) Σξᵢ subject to ‖φ(xᵢ) − a‖² ≤ R² + ξᵢ and ξᵢ ≥ 0; the model's function is R² − ‖φ(x) − a‖², greater
/// than 0 inside. In the dual a = Σαᵢφ(xᵢ) with 0 ≤ αᵢ ≤ 1/(νn) and Σα = 1, where Σ αᵢK(xᵢ, xᵢ) − ‖a‖² is greatest. Points of
/// weight wᵢ have the bounds wᵢ/(νΣw). At most a share ν lies outside, and at least a share ν are support vectors.
///
/// Where K(x, x) is the same for all points, it is the region of [`OneClass`](super::OneClass) with the same ν: with the ρ and Σα = νn of
/// that, R² − ‖φ(x) − a‖² is 2(f(x) − ρ)/(νn). Elsewhere it is another one: that of a linear kernel is a ball.
///
/// If νn ≤ 1 the ball is hard: it has all points, and every such ν has the same one. Objective and gap are then
/// those of the penalty 1, the least that makes it so. Where no αᵢ is between its bounds, every R² of an interval is optimal, and the midpoint is
/// taken; if ν = 1, where R² may be anything up to the least squared distance, that.
///
/// The radius R is that of [`Ball::radius`](crate::model::Ball::radius), and in [`SvmDetails::widths`](crate::SvmDetails::widths).
///
/// # Complexity
/// As [`Svc`](super::Svc).
///
/// # References
/// Tax & Duin (2004), *Support Vector Data Description*, equations (3) and (8); Chang, Lee & Lin (2013), *A Revisit to Support
/// Vector Data Description*, theorems 2 and 3, for C = 1/(νn) ≥ 1/n and the radius.
///
/// # Examples
/// ```
/// use kern_core::{Samples, kernels::Linear};
/// use kern_solvers::svm::Svdd;
/// let x = Samples::from_rows(&[[0.0, 0.0], [2.0, 0.0], [0.0, 2.0], [0.5, 0.5]])?;
/// let model = Svdd::on_kernel(Linear).nu(0.1).violation(1e-9).fit(&x)?;
/// // The circle through three of them.
/// assert!((model.decision().radius() - 2.0_f64.sqrt()).abs() < 1e-6);
/// let inside = model.predict(&Samples::from_rows(&[[1.0, 1.5], [2.0, 2.5]])?)?;
/// assert_eq!(inside, [true, false]);
/// # Ok::<(), kern_solvers::Error>(())
/// ```
#[doc(alias = "support vector data description")]
#[doc(alias = "novelty detection")]
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Svdd<S> {
    space: S,
    pub(super) region: Region,
    pub(super) stopping: Stopping,
}

named_learners! { Svdd: region, stopping; }

constructors! {
    Svdd;
    /// The ball of this kernel with ν = ½.
    on_kernel;
    /// The ball in the space of the features of this map with ν = ½.
    on_features;
}

impl<S> Svdd<S> {
    fn on(space: S) -> Self {
        Self { space, region: Region::default(), stopping: Stopping::default() }
    }

    fit_sugar!(unsupervised);
}

/// # Errors
/// As [`OneClass`](super::OneClass).
impl<P: Points, K: Mercer<P> + Clone> Learner<P> for Svdd<OnKernel<K>> {
    type Model = NoveltyDetector<Ball<KernelExpansion<P, K>>>;

    fn learn(&self, data: &Data<'_, P>, run: &mut Run<'_>) -> Result<Self::Model, Error> {
        self.enclose(data, run)
    }
}

/// # Errors
/// As [`OneClass`](super::OneClass).
impl<P: Points, M: FeatureMap<P> + Clone> Learner<P> for Svdd<OnFeatures<M>> {
    type Model = NoveltyDetector<Ball<FeatureExpansion<M, P::Scalar>>>;

    fn learn(&self, data: &Data<'_, P>, run: &mut Run<'_>) -> Result<Self::Model, Error> {
        self.enclose(data, run)
    }
}

impl<S> Svdd<S> {
    fn enclose<P: Points>(
        &self,
        data: &Data<'_, P>,
        run: &mut Run<'_>,
    ) -> Result<NoveltyDetector<Ball<S::Function>>, Error>
    where
        S: SvmSpace<P>,
        S::Function: Arity,
    {
        let goal = Goal::Ball { nu: self.region.nu };
        let (points, weights, stopping) = (data.points(), data.sample_weights(), &self.stopping);
        let training = Training { points, weights, goal, stopping };
        let (function, report) = train(&self.space, &training, run)?;
        let widths = report.svm().map_or(&[][..], |details| &details.widths);
        let radius = widths.first().copied().ok_or(Error::Empty)?;
        Ok(NoveltyDetector::new(Ball::new(function, radius)?, report))
    }
}
