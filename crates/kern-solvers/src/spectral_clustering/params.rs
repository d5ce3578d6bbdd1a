//! Parameters of spectral clustering.

use crate::fit_sugar;
use crate::space::{OnFeatures, OnKernel, OnLandmarks, constructors, named_learners};
use kern_core::parameters::Domain;
use kern_core::settings;
use serde::{Deserialize, Serialize};

/// Spectral clustering by the normalised cut.
///
/// See [`spectral_clustering`](crate::spectral_clustering) for the definition. The kernel says how alike points are: its values should not be
/// negative, and small between clusters, such as those of a narrow [`Rbf`](kern_core::kernels::Rbf).
///
/// # Examples
/// Rings, which no straight line separates:
/// ```
/// use kern_core::{Samples, kernels::Rbf};
/// use kern_solvers::spectral_clustering::SpectralClustering;
/// let ring = |radius: f64| (0..40).map(move |i| f64::from(i).sin_cos()).map(move |(s, c)| [radius * c, radius * s]);
/// let rows: Vec<[f64; 2]> = ring(1.0).chain(ring(4.0)).collect();
/// let x = Samples::from_rows(&rows)?;
/// let model = SpectralClustering::on_kernel(Rbf::new(2.0)?, 2).fit(&x)?;
/// let labels = model.labels();
/// assert!(labels[..40].iter().all(|&label| label == labels[0]));
/// assert!(labels[40..].iter().all(|&label| label != labels[0]));
/// // Few kernel values are cut, and none could be fewer by more than the gap.
/// assert!(model.report().objective < 0.01 && model.report().gap.is_some_and(|gap| gap < 0.01));
/// assert_eq!(model.predict(&Samples::from_rows(&[[0.9, 0.1]])?)?, [labels[0]]);
/// # Ok::<(), kern_solvers::Error>(())
/// ```
#[doc(alias = "normalized cut")]
#[doc(alias = "Ncut")]
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SpectralClustering<S> {
    pub(super) space: S,
    pub(super) settings: Settings,
}

settings! {
    /// All that does not belong to the space.
    pub(super) struct Settings in settings;

    SpectralClustering {
        /// The number k of clusters, and of eigenvectors. Default: that of the constructor.
        clusters: usize = 2, Domain::count(1);
        /// Scales the rows u(x) to length 1 (Ng, Jordan & Weiss); else they are divided by √d(x) (Shi & Malik; scikit-learn). Default:
        /// true.
        normalize: bool = true;
        /// Runs of k-means, of which the best is taken. Default: 10.
        restarts: usize = 10, Domain::count(1);
        /// The seed of k-means and of the first block of vectors. Default: 0.
        seed: u64 = 0;
    }
    SpectralClustering on OnKernel {
        /// Takes the diagonal of K as it is; else it counts as zero, as Ng, Jordan & Weiss and scikit-learn have it, and new points,
        /// which have no such place, get the row of the definition all the same. Default: true.
        loops: bool = true;
        /// The residual of an eigenvector, relative to the greatest eigenvalue, at which an iteration ends. Default: 1e-10, and
        /// 1e-5 for points in single precision.
        tolerance: f64, Domain::positive();
        /// The most products with a block of vectors. Default: 300.
        max_iterations: usize = 300, Domain::count(1);
    }
}

named_learners! { SpectralClustering: settings; }

constructors! {
    SpectralClustering(k: usize);
    /// k clusters, 1 ≤ k ≤ n, with this kernel.
    on_kernel;
    /// k clusters, 1 ≤ k ≤ n, with the part of the kernel in the span of landmarks that these parameters choose.
    on_landmarks;
    /// k clusters, 1 ≤ k ≤ n, with the kernel of the features of this map.
    on_features;
}

impl<S> SpectralClustering<S> {
    /// k clusters in this space.
    pub fn on(space: S, k: usize) -> Self {
        Self { space, settings: Settings { clusters: k, ..Settings::default() } }
    }

    fit_sugar!(unsupervised);
}
