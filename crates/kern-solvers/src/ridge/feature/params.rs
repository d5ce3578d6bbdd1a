//! Parameters of ridge regression on features.

use crate::tolerance;
use kern_gram::MemoryBudget;

/// Ridge regression on the features of a map, by their normal equations.
///
/// Features are computed in panels and not kept, so n may be anything: memory is that of D² numbers in
/// double precision and one panel. The report carries a bound on how far the objective is from its
/// minimum, from features that are computed a second time for it.
///
/// # Complexity
/// n·D² + D³/3 flops, and the features twice.
///
/// # Examples
/// ```
/// use kern_approx::Nystrom;
/// use kern_core::{Samples, kernels::Rbf};
/// use kern_gram::MemoryBudget;
/// use kern_solvers::ridge::{FeatureRidge, KernelRidge};
/// let x = Samples::from_rows(&[[0.0], [1.0], [2.0], [3.0]])?;
/// let y = [0.0_f64, 1.0, 0.0, -1.0];
/// let kernel = Rbf::new(0.5)?;
/// let map = Nystrom::new(kernel).landmarks(4).fit(&x, &MemoryBudget::mebibytes(1))?;
/// let model = FeatureRidge::new(map).lambda(1e-3).fit(&x, &y)?;
/// // All points are landmarks: the features reproduce the kernel.
/// let exact = KernelRidge::new(kernel).lambda(1e-3).fit(&x, &y)?;
/// let difference = model.predict(&x)?[1] - exact.predict(&x)?[1];
/// assert!(difference.abs() < 1e-12);
/// # Ok::<(), kern_solvers::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct FeatureRidge<M> {
    pub(super) map: M,
    pub(super) lambda: f64,
    pub(super) intercept: bool,
    pub(super) weights: Option<Vec<f64>>,
    pub(super) budget: Option<MemoryBudget>,
}

impl<M> FeatureRidge<M> {
    /// Ridge regression on the features of this map with the default λ.
    pub fn new(map: M) -> Self {
        let lambda = tolerance::DEFAULT_LAMBDA;
        Self { map, lambda, intercept: false, weights: None, budget: None }
    }

    /// The penalty λ > 0 of ‖w‖², per sample. Default: 1e-6.
    #[must_use]
    pub fn lambda(mut self, lambda: f64) -> Self {
        self.lambda = lambda;
        self
    }

    /// Whether f has an intercept, which is not penalised. Default: false.
    #[must_use]
    pub fn intercept(mut self, intercept: bool) -> Self {
        self.intercept = intercept;
        self
    }

    /// The weights βᵢ ≥ 0 of the points: their squared errors count βᵢ times. Default: 1 for all.
    ///
    /// Only nλ matters, where n is the number of points, those of weight zero included. Statistics have
    /// weights of their own, and [`fit_statistics`](FeatureRidge::fit_statistics) does not look at these.
    #[must_use]
    pub fn sample_weights(mut self, weights: impl Into<Vec<f64>>) -> Self {
        self.weights = Some(weights.into());
        self
    }

    /// The memory for matrices. Default: [`MemoryBudget::available`] at the time of the fit.
    #[must_use]
    pub fn budget(mut self, budget: MemoryBudget) -> Self {
        self.budget = Some(budget);
        self
    }
}
