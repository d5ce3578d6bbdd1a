//! Parameters of soft k-means.

use crate::kmeans::params::{Settings, shared_setters};
use crate::tolerance;

/// Soft k-means in the feature space of a kernel, by expectation maximisation.
///
/// # Definition
/// minimise the free energy F = Σᵢ wᵢ Σ_c r_ic (d²_ic + ln(r_ic/π_c)/β) over the shares r_ic of point i in cluster c
/// (Σ_c r_ic = 1), the sizes π_c (Σπ = 1) and the centres: d²_ic = ‖φ(xᵢ) − μ_c‖², μ_c = Σᵢ wᵢr_ic φ(xᵢ)/W_c,
/// W_c = Σᵢ wᵢr_ic. The steps r_ic ∝ π_c·exp(−βd²_ic) and π_c = W_c/W minimise it in turn, so it never rises. With
/// β → ∞ it is [`KernelKMeans`](crate::kmeans::KernelKMeans); with the linear kernel, a mixture of Gaussians of
/// variance 1/(2β).
///
/// # Complexity
/// n²/2 kernel evaluations and n² numbers, if they fit the budget; one product of the Gram matrix with k columns for each
/// iteration, 2n²k flops; four times n·k numbers. Without memory for n² numbers, every product evaluates the kernel.
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
/// use kern_solvers::kmeans::{Seeding, SoftKernelKMeans};
/// let x = Samples::from_rows(&[[0.0], [1.0], [5.0], [6.0]])?;
/// let machine = SoftKernelKMeans::new(Linear, 2).beta(1.0).seeding(Seeding::Given(vec![0, 3]));
/// let model = machine.fit(&x)?;
/// assert_eq!(model.labels(), [0, 0, 1, 1]);
/// let between = Samples::from_rows(&[[3.0]])?;
/// let shares = model.responsibilities(&between)?;
/// assert!((shares[(0, 0)] - 0.5).abs() < 1e-6);
/// # Ok::<(), kern_solvers::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct SoftKernelKMeans<K> {
    pub(super) kernel: K,
    pub(super) settings: Settings,
    pub(super) beta: f64,
    pub(super) tolerance: f64,
}

impl<K> SoftKernelKMeans<K> {
    /// k clusters, 1 ≤ k ≤ n, with this kernel and β = 1.
    pub fn new(kernel: K, k: usize) -> Self {
        let (settings, tolerance) = (Settings::new(k), tolerance::SOFT_KMEANS);
        Self { kernel, settings, beta: 1.0, tolerance }
    }

    shared_setters!();

    /// β > 0: how steeply a share falls with the squared distance. Default: 1.
    #[must_use]
    pub fn beta(mut self, beta: f64) -> Self {
        self.beta = beta;
        self
    }

    /// A fit has converged if an iteration lowers the free energy by no more than this part of Σᵢ wᵢK(xᵢ, xᵢ).
    /// Default: 1e-9.
    #[must_use]
    pub fn tolerance(mut self, tolerance: f64) -> Self {
        self.tolerance = tolerance;
        self
    }
}
