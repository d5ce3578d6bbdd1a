//! The ways in which a fit can be run.

use serde::{Deserialize, Serialize};

/// A way to run a fit: what is computed, from what, and what of it is kept.
///
/// # Examples
/// ```
/// use kern_solvers::plan::Way;
/// assert_eq!(Way::GramCached.to_string(), "Gram matrix cached");
/// assert!(Way::GramCached.is_exact() && !Way::ApproximateCached.is_exact());
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[non_exhaustive]
pub enum Way {
    /// SGD in w-space; exact features are computed whenever a sample comes up.
    FeaturesOnTheFly,
    /// SGD in w-space; the exact features of all points are kept.
    FeaturesCached,
    /// SGD in u-space; kernel values are computed whenever a sample comes up.
    KernelOnTheFly,
    /// SGD in u-space; the Gram matrix is kept.
    GramCached,
    /// SGD in w-space; approximate features are computed whenever a sample comes up.
    ApproximateOnTheFly,
    /// SGD in w-space; the approximate features of all points are kept.
    ApproximateCached,
    /// Cholesky factorisation of the stored kernel matrix.
    Cholesky,
    /// Conjugate gradients on stored kernel values.
    StoredGradients,
    /// Conjugate gradients on kernel values that are computed in every iteration.
    RecomputedGradients,
    /// Normal equations of exact features.
    Features,
    /// Normal equations of approximate features.
    ApproximateFeatures,
    /// Functions on some landmarks.
    Landmarks,
}

impl Way {
    /// The six of SGD on a kernel or on features that are handed in, in the order of their table.
    pub const SGD: [Self; 6] = [
        Self::FeaturesOnTheFly,
        Self::FeaturesCached,
        Self::KernelOnTheFly,
        Self::GramCached,
        Self::ApproximateOnTheFly,
        Self::ApproximateCached,
    ];

    /// The three of ridge regression on a kernel.
    pub const RIDGE: [Self; 3] = [Self::Cholesky, Self::StoredGradients, Self::RecomputedGradients];

    /// Tells whether it learns with the kernel itself. All exact ways of a learner give the same model: those of SGD
    /// up to rounding, others up to the gap of the report.
    #[must_use]
    pub fn is_exact(self) -> bool {
        !matches!(
            self,
            Self::ApproximateOnTheFly
                | Self::ApproximateCached
                | Self::ApproximateFeatures
                | Self::Landmarks
        )
    }

    /// Its name in words.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::FeaturesOnTheFly => "features on the fly",
            Self::FeaturesCached => "features cached",
            Self::KernelOnTheFly => "kernel on the fly",
            Self::GramCached => "Gram matrix cached",
            Self::ApproximateOnTheFly => "approximate features on the fly",
            Self::ApproximateCached => "approximate features cached",
            Self::Cholesky => "Cholesky factorisation",
            Self::StoredGradients => "CG, kernel values stored",
            Self::RecomputedGradients => "CG, kernel values recomputed",
            Self::Features => "normal equations of features",
            Self::ApproximateFeatures => "normal equations, approximate",
            Self::Landmarks => "landmarks",
        }
    }
}
