//! Parameters of support vector classification.

use super::Decomposition;
use super::settings::{Settings, shared_setters};
use crate::ClassWeights;

/// Support vector classification: C-SVC.
///
/// # Complexity
/// n²/2 kernel evaluations and n² numbers if they fit the budget, else n evaluations for every column that a
/// point of a block needs, of which as many are kept as fit. A step takes time proportional to its block, at most
/// 1024 points; a round, 2n for each coefficient that changed.
///
/// # Examples
/// ```
/// use kern_core::{Samples, kernels::Rbf};
/// use kern_solvers::svm::Svc;
/// let x = Samples::from_rows(&[[0.0, 0.0], [1.0, 1.0], [0.0, 1.0], [1.0, 0.0]])?;
/// let y = ["same", "same", "different", "different"];
/// let model = Svc::new(Rbf::new(1.0)?).c(10.0).fit(&x, &y)?;
/// assert_eq!(model.predict(&x)?, y);
/// assert_eq!(model.support(), [2, 3, 0, 1]); // by classes
/// # Ok::<(), kern_solvers::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Svc<K> {
    pub(super) kernel: K,
    pub(super) c: f64,
    pub(super) settings: Settings,
    pub(super) weights: Option<Vec<f64>>,
    pub(super) class_weights: ClassWeights,
    pub(super) multi_class: Decomposition,
}

impl<K> Svc<K> {
    /// Classification with this kernel and C = 1.
    pub fn new(kernel: K) -> Self {
        Self {
            kernel,
            c: 1.0,
            settings: Settings::default(),
            weights: None,
            class_weights: ClassWeights::Equal,
            multi_class: Decomposition::OneVsOne,
        }
    }

    /// The penalty C > 0 of Σξᵢ, as in LIBSVM; 1/(nλ) for the λ of [`Sgd`](crate::sgd::Sgd). Infinite for a hard
    /// margin. Default: 1.
    #[must_use]
    pub fn c(mut self, c: f64) -> Self {
        self.c = c;
        self
    }

    shared_setters!();

    /// Whether there is a bias b. Without one the coefficients are not coupled, and dual coordinate ascent solves
    /// the problem. Default: true.
    #[must_use]
    pub fn bias(mut self, bias: bool) -> Self {
        self.settings.bias = bias;
        self
    }

    /// The weights of classes, times those of the points. Default: [`ClassWeights::Equal`].
    #[must_use]
    pub fn class_weights(mut self, weights: ClassWeights) -> Self {
        self.class_weights = weights;
        self
    }

    /// How more than two classes are made of binary problems. Default: [`Decomposition::OneVsOne`].
    #[must_use]
    pub fn multi_class(mut self, decomposition: Decomposition) -> Self {
        self.multi_class = decomposition;
        self
    }
}
