//! Parameters of kernel principal component analysis.

use crate::fit_sugar;
use crate::pipeline::Pipeline;
use crate::space::{OnFeatures, OnKernel, OnLandmarks, constructors, named_learners};
use kern_core::parameters::Domain;
use kern_core::settings;
use serde::{Deserialize, Serialize};

/// Kernel principal component analysis.
///
/// See [`components`](crate::components) for the definition. The model is a step of a pipeline: it replaces points by their
/// components. Components whose eigenvalue is nothing but rounding are left out, so there may be fewer than were asked for.
///
/// # Numerics
/// The sign of a component is that of its greatest entry among the points of the fit, as scikit-learn has it. Each eigenvalue of the
/// report's details is within its residual of one of the matrix.
///
/// # Examples
/// ```
/// use kern_core::{Points, Samples, kernels::Rbf};
/// use kern_solvers::{Transformer, components::KernelPca};
/// // A small circle in a large one.
/// let at = |i: u32, radius: f64| [radius * f64::from(i).cos(), radius * f64::from(i).sin()];
/// let rows: Vec<[f64; 2]> = (0..80).map(|i| at(i, if i < 40 { 1.0 } else { 5.0 })).collect();
/// let x = Samples::from_rows(&rows)?;
/// let model = KernelPca::on_kernel(Rbf::new(0.05)?, 2).fit(&x)?;
/// let z = model.transform(&x)?;
/// // One of the components tells the circles apart.
/// let inner = |p: usize| (0..40).map(|i| z.item(i)[p]).fold(f64::NEG_INFINITY, f64::max);
/// let outer = |p: usize| (40..80).map(|i| z.item(i)[p]).fold(f64::INFINITY, f64::min);
/// assert!((0..2).any(|p| inner(p) < outer(p)) || model.explained_ratio()[0] > 0.2);
/// assert!(model.eigenvalues()[0] >= model.eigenvalues()[1]);
/// # Ok::<(), kern_solvers::Error>(())
/// ```
#[doc(alias = "kPCA")]
#[doc(alias = "PCA")]
#[doc(alias = "principal component analysis")]
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct KernelPca<S> {
    pub(super) space: S,
    pub(super) settings: Settings,
}

settings! {
    /// All that does not belong to the space.
    pub(super) struct Settings in settings;

    KernelPca {
        /// The number of components. Default: that of the constructor.
        components: usize = 2, Domain::count(1);
    }
    KernelPca on OnKernel {
        /// The residual of an eigenvector, relative to the greatest eigenvalue, at which an iteration ends. Default: 1e-10, and
        /// 1e-5 for points in single precision.
        tolerance: f64, Domain::positive();
        /// The most products with a block of vectors. Default: 300.
        max_iterations: usize = 300, Domain::count(1);
        /// The seed of the first block. Default: 0.
        seed: u64 = 0;
    }
}

named_learners! { KernelPca: settings; }

constructors! {
    KernelPca(components: usize);
    /// So many components in the space of this kernel.
    on_kernel;
    /// So many components in the span of landmarks that these parameters choose.
    on_landmarks;
    /// So many components of the features of this map.
    on_features;
}

impl<S> KernelPca<S> {
    /// So many components in this space.
    pub fn on(space: S, components: usize) -> Self {
        Self { space, settings: Settings { components, ..Settings::default() } }
    }

    /// A pipeline of this and a learner.
    pub fn then<L>(self, learner: L) -> Pipeline<Self, L> {
        Pipeline::new(self, learner)
    }

    fit_sugar!(unsupervised);
}
