//! Parameters of kernel canonical correlation analysis.

use super::{SecondView, Views};
use crate::space::{OnFeatures, OnLandmarks, named_learners};
use crate::{Data, Error, Learner, Run, tolerance};
use kern_approx::Nystrom;
use kern_core::parameters::Domain;
use kern_core::{Points, settings};
use serde::{Deserialize, Serialize};

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
#[doc(alias = "KCCA")]
#[doc(alias = "CCA")]
#[doc(alias = "canonical correlation analysis")]
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct KernelCca<S> {
    pub(super) space: S,
    pub(super) settings: Settings,
}

settings! {
    /// All that does not belong to the spaces.
    pub(super) struct Settings in settings;

    KernelCca {
        /// The number of pairs of functions. Default: that of the constructor.
        components: usize = 1, Domain::count(1);
        /// κ > 0, the weight of the squared norms beside the variances. Default: 0.01.
        penalty: f64 = tolerance::CANONICAL_PENALTY, Domain::positive();
    }
}

named_learners! { KernelCca: settings; }

impl<K, L> KernelCca<Views<OnLandmarks<K>, OnLandmarks<L>>> {
    /// So many pairs of functions in the spans of landmarks that these parameters choose.
    pub fn on_landmarks(first: Nystrom<K>, second: Nystrom<L>, components: usize) -> Self {
        Self::on((OnLandmarks::new(first), OnLandmarks::new(second)), components)
    }
}

impl<M, N> KernelCca<Views<OnFeatures<M>, OnFeatures<N>>> {
    /// So many pairs of linear functions of the features of these maps.
    pub fn on_features(first: M, second: N, components: usize) -> Self {
        Self::on((OnFeatures::new(first), OnFeatures::new(second)), components)
    }
}

impl<S, R> KernelCca<Views<S, R>> {
    /// So many pairs of functions in these spaces.
    pub fn on((first, second): (S, R), components: usize) -> Self {
        let settings = Settings { components, ..Settings::default() };
        Self { space: Views { first, second }, settings }
    }

    /// Learns from pairs, with a run of default settings.
    ///
    /// Weights belong to [`Data`](crate::Data), of which the points of the second view are the targets; memory to a
    /// [`Run`](crate::Run): [`learn`](crate::Learner::learn) takes both.
    ///
    /// # Errors
    /// As [`Data::new`](crate::Data::new) and [`learn`](crate::Learner::learn).
    pub fn fit<'y, P, Q>(
        &self,
        x: &P,
        y: &'y Q,
    ) -> Result<<Self as Learner<P, SecondView<'y, Q>>>::Model, Error>
    where
        P: Points,
        Q: Points + Clone,
        Self: Learner<P, SecondView<'y, Q>>,
    {
        let data = Data::new(x, SecondView::new(y))?;
        self.learn(&data, &mut Run::new())
    }
}
