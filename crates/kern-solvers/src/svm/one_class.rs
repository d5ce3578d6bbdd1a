//! The one-class support vector machine, for novelty detection.

use super::training::{Goal, Region, Stopping, SvmSpace, Training, train};
use crate::model::NoveltyDetector;
use crate::space::{OnFeatures, OnKernel, OnLandmarks, OnSparse, constructors, named_learners};
use crate::{Data, Error, Learner, Run, fit_sugar};
use kern_core::Points;
use serde::{Deserialize, Serialize};

/// One-class support vector machine: novelty detection by a region that contains most points.
///
/// At most a fraction ν of the points lies outside of the region, and at least a fraction ν are
/// support vectors.
///
/// # Definition
/// minimise ½‖f‖² − νnρ + Σ max(0, ρ − f(xᵢ)); a point is inside if f(x) > ρ. In the dual 0 ≤ αᵢ ≤
/// 1 and Σα = νn, as in LIBSVM.
///
/// # Complexity
/// As [`Svc`](super::Svc).
///
/// # References
/// Schölkopf, Platt, Shawe-Taylor, Smola & Williamson (2001), *Estimating the Support of a
/// High-Dimensional Distribution*.
///
/// # Examples
/// ```
/// use kern_core::{Samples, kernels::Rbf};
/// use kern_solvers::svm::OneClass;
/// let rows: Vec<[f64; 1]> = (0..20).map(|i| [0.1 * f64::from(i)]).collect();
/// let model = OneClass::on_kernel(Rbf::new(1.0)?).nu(0.1).fit(&Samples::from_rows(&rows)?)?;
/// assert_eq!(model.predict(&Samples::from_rows(&[[1.0], [5.0]])?)?, [true, false]);
/// # Ok::<(), kern_solvers::Error>(())
/// ```
#[doc(alias = "one-class SVM")]
#[doc(alias = "OneClassSVM")]
#[doc(alias = "OCSVM")]
#[doc(alias = "novelty")]
#[doc(alias = "novelty detection")]
#[doc(alias = "outlier detection")]
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct OneClass<S> {
    space: S,
    pub(super) region: Region,
    pub(super) stopping: Stopping,
}

named_learners! { OneClass: region, stopping; }

constructors! {
    OneClass;
    /// One-class SVM with this kernel and ν = ½.
    on_kernel;
    /// One-class SVM on the landmarks of this Nyström approximation, with ν = ½.
    on_landmarks;
    /// One-class SVM on the features of this map, with ν = ½.
    on_features;
    /// One-class SVM on the sparse features of this map, with ν = ½.
    on_sparse;
}

impl<S> OneClass<S> {
    fn on(space: S) -> Self {
        Self { space, region: Region::default(), stopping: Stopping::default() }
    }

    fit_sugar!(unsupervised);
}

/// # Errors
/// As [`Svc`](super::Svc).
impl<P: Points, S: SvmSpace<P>> Learner<P> for OneClass<S> {
    type Model = NoveltyDetector<S::Function>;

    fn learn(&self, data: &Data<'_, P>, run: &mut Run<'_>) -> Result<Self::Model, Error> {
        let goal = Goal::Region { nu: self.region.nu };
        let (points, weights, stopping) = (data.points(), data.sample_weights(), &self.stopping);
        let training = Training { points, weights, goal, stopping };
        let (function, report) = train(&self.space, &training, run)?;
        Ok(NoveltyDetector::new(function, report))
    }
}
