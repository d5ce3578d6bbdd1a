//! Parameters of support vector classification on features.

use super::super::Decomposition;
use super::super::settings::{Settings, common_setters};
use crate::ClassWeights;

/// Support vector classification on the features of a map: C-SVC by dual coordinate descent.
///
/// f(x) = b + wᵀφ(x) minimises ½‖w‖² + C Σ max(0, 1 − yᵢf(xᵢ)), which for features that reproduce a kernel is the
/// problem of [`Svc`](crate::svm::Svc) with the same C.
///
/// # Complexity
/// 2D flops for a visit and as many for a step, n visits in the first pass and fewer in later ones; n·D features in
/// memory if they fit the budget, else blocks of them, computed again in every pass.
///
/// # Examples
/// ```
/// use kern_approx::Nystrom;
/// use kern_core::{Samples, kernels::Rbf};
/// use kern_gram::MemoryBudget;
/// use kern_solvers::svm::{FeatureSvc, Svc};
/// let x = Samples::from_rows(&[[0.0], [1.0], [2.0], [3.0]])?;
/// let y = ["no", "yes", "yes", "no"];
/// let kernel = Rbf::new(0.5)?;
/// let map = Nystrom::new(kernel).landmarks(4).fit(&x, &MemoryBudget::mebibytes(1))?;
/// let model = FeatureSvc::new(map).c(10.0).tolerance(1e-9).fit(&x, &y)?;
/// assert_eq!(model.predict(&x)?, y);
/// // All points are landmarks: the features reproduce the kernel.
/// let exact = Svc::new(kernel).c(10.0).tolerance(1e-9).fit(&x, &y)?;
/// assert!((model.report().primal / exact.report().primal - 1.0).abs() < 1e-6);
/// assert!(model.report().gap <= 1e-6 * model.report().primal);
/// # Ok::<(), kern_solvers::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct FeatureSvc<M> {
    pub(super) map: M,
    pub(super) c: f64,
    pub(super) squared: bool,
    pub(super) seed: u64,
    pub(super) settings: Settings,
    pub(super) weights: Option<Vec<f64>>,
    pub(super) class_weights: ClassWeights,
    pub(super) multi_class: Decomposition,
}

impl<M> FeatureSvc<M> {
    /// Classification on the features of this map with C = 1, several classes each against the rest.
    pub fn new(map: M) -> Self {
        Self {
            map,
            c: 1.0,
            squared: false,
            seed: 0,
            settings: Settings::default(),
            weights: None,
            class_weights: ClassWeights::Equal,
            multi_class: Decomposition::OneVsRest,
        }
    }

    /// The penalty C > 0 of Σξᵢ, or of Σξᵢ², as in LIBLINEAR; finite. Default: 1.
    #[must_use]
    pub fn c(mut self, c: f64) -> Self {
        self.c = c;
        self
    }

    common_setters!();
    feature_setters!();

    /// The weights of classes, times those of the points. Default: [`ClassWeights::Equal`].
    #[must_use]
    pub fn class_weights(mut self, weights: ClassWeights) -> Self {
        self.class_weights = weights;
        self
    }

    /// How more than two classes are made of binary problems. Default: [`Decomposition::OneVsRest`]. Either way the
    /// features are computed for all of them at once, and each is solved by a thread of its own.
    #[must_use]
    pub fn multi_class(mut self, decomposition: Decomposition) -> Self {
        self.multi_class = decomposition;
        self
    }
}

/// The setters that both machines on features share.
macro_rules! feature_setters {
    () => {
        /// Whether losses are squared: Σξᵢ² in the place of Σξᵢ. Default: false.
        #[must_use]
        pub fn squared(mut self, squared: bool) -> Self {
            self.squared = squared;
            self
        }

        /// Whether there is a bias b, which is not penalised. Without one there is one problem to solve in the place
        /// of a short sequence. Default: true.
        #[must_use]
        pub fn bias(mut self, bias: bool) -> Self {
            self.settings.bias = bias;
            self
        }

        /// The seed of the order in which coefficients are visited. Default: 0.
        #[must_use]
        pub fn seed(mut self, seed: u64) -> Self {
            self.seed = seed;
            self
        }

        /// The memory for features. Default: [`MemoryBudget::available`](kern_gram::MemoryBudget::available) at the time
        /// of the fit.
        ///
        /// All of them are stored if they fit. Else blocks of points are worked on in turn, and their features
        /// computed again in every pass; the result is the same up to the tolerance.
        #[must_use]
        pub fn budget(mut self, budget: kern_gram::MemoryBudget) -> Self {
            self.settings.budget = Some(budget);
            self
        }
    };
}
pub(super) use feature_setters;
