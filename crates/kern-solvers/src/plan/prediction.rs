//! The methods for a fit, and the predicted time and memory of each.

use kern_gram::MemoryBudget;
use kern_gram::numerics::units::{Bytes, Seconds};
use serde::{Deserialize, Serialize};
use std::fmt;

/// A method for a fit: the quantities that it computes, and those that it stores.
///
/// # Examples
/// ```
/// use kern_solvers::plan::Algorithm;
/// assert_eq!(Algorithm::GramCached.to_string(), "Gram matrix cached");
/// assert!(Algorithm::GramCached.is_exact() && !Algorithm::ApproximateCached.is_exact());
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[non_exhaustive]
pub enum Algorithm {
    /// SGD in w-space; exact features are recomputed for each sample.
    FeaturesOnTheFly,
    /// SGD in w-space; the exact features of all points are stored.
    FeaturesCached,
    /// SGD in u-space; kernel values are recomputed for each sample.
    KernelOnTheFly,
    /// SGD in u-space; the Gram matrix is stored.
    GramCached,
    /// SGD in w-space; approximate features are recomputed for each sample.
    ApproximateOnTheFly,
    /// SGD in w-space; the approximate features of all points are stored.
    ApproximateCached,
    /// Cholesky factorisation of the stored kernel matrix.
    Cholesky,
    /// Conjugate gradients on stored kernel values.
    StoredGradients,
    /// Conjugate gradients on kernel values recomputed in every iteration.
    RecomputedGradients,
    /// Normal equations of exact features.
    Features,
    /// Normal equations of approximate features.
    ApproximateFeatures,
    /// Functions on landmarks.
    Landmarks,
}

impl Algorithm {
    /// The six methods of SGD on a kernel or on given features, in the order of their table.
    pub const SGD: [Self; 6] = [
        Self::FeaturesOnTheFly,
        Self::FeaturesCached,
        Self::KernelOnTheFly,
        Self::GramCached,
        Self::ApproximateOnTheFly,
        Self::ApproximateCached,
    ];

    /// The three methods of ridge regression on a kernel.
    pub const RIDGE: [Self; 3] = [Self::Cholesky, Self::StoredGradients, Self::RecomputedGradients];

    /// Returns true if the method solves the exact kernel problem. All exact methods of a learner
    /// give the same model: those of SGD up to rounding, others up to the gap of the report.
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

    /// The readable name.
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

impl fmt::Display for Algorithm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// The kinds of work in a prediction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub enum Work {
    /// Features of points.
    Features,
    /// Kernel values, including the per-point work of the kernel.
    KernelValues,
    /// First touch of allocated memory.
    Memory,
    /// Factorisations: of the kernel matrix, a preconditioner, or the normal equations.
    Factors,
    /// Products of kernel values with coefficients, and the remaining work of an iteration.
    Products,
    /// The steps: dot products with features, updates of w, losses, and sampling.
    Steps,
    /// The overhead of each block of upcoming samples.
    Blocks,
    /// The final objective or the certificate.
    Objective,
    /// The overhead of each fit.
    Start,
}

impl Work {
    /// The readable name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Features => "features",
            Self::KernelValues => "kernel values",
            Self::Memory => "memory",
            Self::Factors => "factors",
            Self::Products => "products",
            Self::Steps => "steps",
            Self::Blocks => "blocks",
            Self::Objective => "objective",
            Self::Start => "start",
        }
    }
}

/// A part of the predicted time of a method.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Term {
    /// The kind of work.
    pub work: Work,
    /// The time that it takes.
    pub seconds: f64,
}

/// The predicted time and memory of a method.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Prediction {
    pub(crate) algorithm: Algorithm,
    pub(crate) terms: Vec<Term>,
    pub(crate) bytes: u64,
    pub(crate) fits: bool,
}

impl Prediction {
    /// The method.
    #[must_use]
    pub fn algorithm(&self) -> Algorithm {
        self.algorithm
    }

    /// The parts of its time, in chronological order.
    #[must_use]
    pub fn terms(&self) -> &[Term] {
        &self.terms
    }

    /// The sum of the terms.
    #[must_use]
    pub fn seconds(&self) -> f64 {
        self.terms.iter().map(|term| term.seconds).sum()
    }

    /// The part for one kind of work; 0 if the method has no such work.
    #[must_use]
    pub fn seconds_of(&self, work: Work) -> f64 {
        self.terms.iter().filter(|term| term.work == work).map(|term| term.seconds).sum()
    }

    /// The memory beyond the data, in bytes.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Returns true if the memory is within the budget.
    #[must_use]
    pub fn fits(&self) -> bool {
        self.fits
    }

    pub(super) fn within(mut self, budget: &MemoryBudget) -> Self {
        self.fits = budget.fits(self.bytes);
        self
    }
}

impl fmt::Display for Prediction {
    /// The terms and their sum.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{:<31} {:>8} {:>9}",
            self.algorithm,
            Seconds(self.seconds()),
            Bytes(self.bytes)
        )?;
        write!(f, " {} ", if self.fits { ' ' } else { '!' })?;
        for (k, term) in self.terms.iter().enumerate() {
            let plus = if k == 0 { "" } else { " + " };
            write!(f, "{plus}{} {}", term.work.name(), Seconds(term.seconds))?;
        }
        Ok(())
    }
}
