//! Support vector data description (SVDD), for novelty detection.

use super::training::{Goal, Region, Stopping, SvmSpace, Training, train};
use crate::model::{Arity, Ball, FeatureExpansion, KernelExpansion, NoveltyDetector};
use crate::space::{OnFeatures, OnKernel, constructors, named_learners};
use crate::{Data, Error, Learner, Run, fit_sugar};
use kern_core::{FeatureMap, Mercer, Points};
use serde::{Deserialize, Serialize};

/// Support vector data description (SVDD): novelty detection by the smallest ball around most
/// points, on a kernel or on features.
///
/// # Definition
/// minimise R² + 1/(νn) Σξᵢ subject to ‖φ(xᵢ) − a‖² ≤ R² + ξᵢ and ξᵢ ≥ 0. The decision function is
/// R² − ‖φ(x) − a‖², positive inside. The dual maximises Σ αᵢK(xᵢ, xᵢ) − ‖a‖² with a = Σαᵢφ(xᵢ),
/// 0 ≤ αᵢ ≤ 1/(νn) and Σα = 1. For points with weights wᵢ the upper bounds are wᵢ/(νΣw). At most a
/// fraction ν of the points lies outside, and at least a fraction ν are support vectors.
///
/// If K(x, x) is the same for all points, the region equals that of [`OneClass`](super::OneClass)
/// with the same ν: with its ρ and Σα = νn, R² − ‖φ(x) − a‖² is 2(f(x) − ρ)/(νn). Otherwise the
/// regions differ: for a linear kernel, SVDD finds a ball.
///
/// If νn ≤ 1 the ball is hard: it contains all points, and is the same for every such ν. Objective
/// and gap then refer to the penalty 1, the smallest for which this holds. If no αᵢ is strictly
/// between its bounds, every R² in an interval is optimal, and the midpoint is taken. If ν = 1,
/// every R² up to the smallest squared distance is optimal, and the largest is taken.
///
/// The radius R is [`Ball::radius`](crate::model::Ball::radius); it is also in
/// [`SvmDetails::widths`](crate::SvmDetails::widths).
///
/// # Complexity
/// As [`Svc`](super::Svc).
///
/// # References
/// Tax & Duin (2004), *Support Vector Data Description*, equations (3) and (8); Chang, Lee & Lin
/// (2013), *A Revisit to Support Vector Data Description*, theorems 2 and 3, for C = 1/(νn) ≥ 1/n
/// and the radius.
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
    /// SVDD with this kernel and ν = ½.
    on_kernel;
    /// SVDD on the features of this map, with ν = ½.
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
