//! Parameters of kernel canonical correlation analysis.

use crate::space::{OnFeatures, OnLandmarks};
use crate::tolerance;
use kern_approx::Nystrom;

/// Kernel canonical correlation analysis, of pairs whose parts may be of two kinds.
///
/// See [`canonical`](crate::canonical) for the definition.
///
/// # Complexity
/// Features of both views twice, n(r + s)² flops for ranks r and s, and some 20(r³ + s³); n·s numbers and some of r² and s².
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
#[derive(Clone, Debug, PartialEq)]
pub struct KernelCca<S, R> {
    pub(super) spaces: (S, R),
    pub(super) count: usize,
    pub(super) penalty: f64,
}

impl<K, L> KernelCca<OnLandmarks<K>, OnLandmarks<L>> {
    /// So many pairs of functions in the spans of landmarks that these parameters choose.
    pub fn on_landmarks(first: Nystrom<K>, second: Nystrom<L>, count: usize) -> Self {
        let spaces = (OnLandmarks::new(first), OnLandmarks::new(second));
        Self { spaces, count, penalty: tolerance::CANONICAL_PENALTY }
    }
}

impl<M, N> KernelCca<OnFeatures<M>, OnFeatures<N>> {
    /// So many pairs of linear functions of the features of these maps.
    pub fn on_features(first: M, second: N, count: usize) -> Self {
        let spaces = (OnFeatures::new(first), OnFeatures::new(second));
        Self { spaces, count, penalty: tolerance::CANONICAL_PENALTY }
    }
}

impl<S, R> KernelCca<S, R> {
    /// κ > 0, the weight of the squared norms beside the variances. Default: 0.01.
    #[must_use]
    pub fn penalty(mut self, penalty: f64) -> Self {
        self.penalty = penalty;
        self
    }
}
