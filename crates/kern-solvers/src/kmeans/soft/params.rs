//! Parameters of soft k-means.

use crate::kmeans::params::Runs;
use crate::space::{OnFeatures, OnKernel, OnLandmarks, constructors, named_learners};
use crate::{fit_sugar, tolerance};
use kern_core::parameters::Domain;
use kern_core::settings;
use serde::{Deserialize, Serialize};

/// Soft k-means by expectation maximisation, in the feature space of a kernel, on landmarks or on features.
///
/// # Definition
/// minimise the free energy F = Σᵢ wᵢ Σ_c r_ic (d²_ic + ln(r_ic/π_c)/β) over the shares r_ic of point i in cluster c
/// (Σ_c r_ic = 1), the sizes π_c (Σπ = 1) and the centres: d²_ic = ‖φ(xᵢ) − μ_c‖², μ_c = Σᵢ wᵢr_ic φ(xᵢ)/W_c,
/// W_c = Σᵢ wᵢr_ic. The steps r_ic ∝ π_c·exp(−βd²_ic) and π_c = W_c/W minimise it in turn, so it never rises. With
/// β → ∞ it is [`KMeans`](crate::kmeans::KMeans); with the linear kernel, a mixture of Gaussians of
/// variance 1/(2β). The weights w are those of the [data](crate::Data). The objective of the report is F.
///
/// # Complexity
/// n²/2 kernel evaluations and n² numbers, if they fit the memory of the run; one product of the Gram matrix with k columns for
/// each iteration, 2n²k flops; four times n·k numbers. Without memory for n² numbers, every product evaluates the kernel. On D
/// features n·D numbers, and 4n·D·k flops.
///
/// # Numerics
/// Products are in the precision of the points. Their rounding ends the fit where it would let F rise.
///
/// # References
/// Rose, Gurewitz & Fox (1990), *A deterministic annealing approach to clustering*; Neal & Hinton (1998), *A View of the EM
/// Algorithm that Justifies Incremental, Sparse, and Other Variants* (the free energy).
///
/// # Examples
/// ```
/// use kern_core::{Samples, kernels::Linear};
/// use kern_solvers::kmeans::{Seeding, SoftKMeans};
/// let x = Samples::from_rows(&[[0.0], [1.0], [5.0], [6.0]])?;
/// let machine = SoftKMeans::on_kernel(Linear, 2).beta(1.0).seeding(Seeding::Given(vec![0, 3]));
/// let model = machine.fit(&x)?;
/// assert_eq!(model.labels(), [0, 0, 1, 1]);
/// let between = Samples::from_rows(&[[3.0]])?;
/// let shares = model.predict_memberships(&between)?;
/// assert!((shares[(0, 0)] - 0.5).abs() < 1e-6);
/// # Ok::<(), kern_solvers::Error>(())
/// ```
#[doc(alias = "soft k-means")]
#[doc(alias = "expectation maximisation")]
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SoftKMeans<S> {
    pub(in crate::kmeans) space: S,
    pub(in crate::kmeans) runs: Runs,
    pub(in crate::kmeans) softness: Softness,
}

settings! {
    /// The softness of clusters, and rules for their search.
    #[derive(Copy)]
    pub struct Softness in softness;

    SoftKMeans {
        /// β > 0: how steeply a share falls with the squared distance. Default: 1.
        beta: f64 = 1.0, Domain::positive();
        /// The decrease of the free energy, relative to Σᵢ wᵢK(xᵢ, xᵢ), that is none: an iteration that brings no more ends the
        /// fit. Default: 1e-9.
        progress: f64 = tolerance::SOFT_KMEANS, Domain::non_negative().log();
    }
}

named_learners! { SoftKMeans: runs, softness; }

constructors! {
    SoftKMeans(k: usize);
    /// k clusters, 1 ≤ k ≤ n, with this kernel.
    on_kernel;
    /// k clusters, 1 ≤ k ≤ n, by the features of this map.
    on_features;
    /// k clusters, 1 ≤ k ≤ n, by the Nyström features of landmarks that these parameters choose.
    on_landmarks;
}

impl<S> SoftKMeans<S> {
    /// k clusters, 1 ≤ k ≤ n, in this space, with β = 1.
    pub fn on(space: S, k: usize) -> Self {
        Self { space, runs: Runs::new(k), softness: Softness::default() }
    }

    fit_sugar!(unsupervised);
}
