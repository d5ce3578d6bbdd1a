//! Soft k-means: every point belongs to every cluster with a membership `r_ic`, in the code its
//! share.
//!
//! Expectation and maximisation alternate: the memberships `r_ic` ∝ `π_c`·exp(−βd²_ic) given the
//! centres, then the centres and their sizes `π_c` given the memberships ([`Mixture::new`]), until
//! the free energy F stops decreasing.

use super::centred_features::{CentredFeatures, stored_bytes};
use super::feature_k_means::{Function, check_time_on_features};
use super::k_means::{Gathered, KMeansSpace};
use super::kernel_k_means::check_time;
use super::plus_plus;
use super::restarts::{Ended, Runs, Watch, best_run};
use super::weighted_gram::{BLOCK, Columns, WeightedGram};
use crate::estimator::check;
use crate::model::{CentredMap, Centres, FeatureExpansion, KernelExpansion, SoftClusters, share};
use crate::space::{OnFeatures, OnKernel, OnLandmarks, constructors, named_learners};
use crate::{Data, Error, KMeansDetails, Learner, Run, Status, fit_sugar};
use faer::{Accum, Mat};
use kern_core::parameters::Domain;
use kern_core::products::matmul;
use kern_core::{FeatureMap, Mercer, Points, Scalar, settings};
use kern_gram::{
    DenseGram, GramOperator, LazyGram, LowRankGram, MemoryBudget, matrix_bytes, zeros,
};
use serde::{Deserialize, Serialize};

/// Default decrease of the free energy, relative to Σᵢ wᵢK(xᵢ, xᵢ), that ends soft k-means: near a minimum shares are then
/// within some 1e-4 of it.
const SOFT_KMEANS: f64 = 1e-9;

/// Soft k-means by expectation maximisation, in the feature space of a kernel, on landmarks or on
/// features.
///
/// # Definition
/// minimise the free energy F = Σᵢ wᵢ Σ_c r_ic (d²_ic + ln(r_ic/π_c)/β) over the memberships r_ic
/// of point i in cluster c (Σ_c r_ic = 1), the sizes π_c (Σπ = 1) and the centres: d²_ic = ‖φ(xᵢ) −
/// μ_c‖², μ_c = Σᵢ wᵢr_ic φ(xᵢ)/W_c, W_c = Σᵢ wᵢr_ic. The steps r_ic ∝ π_c·exp(−βd²_ic) and π_c =
/// W_c/W minimise it in turn, so it never increases. With β → ∞ it is
/// [`KMeans`](crate::kmeans::KMeans); with the linear kernel, a mixture of Gaussians of variance
/// 1/(2β). The weights w are those of the [data](crate::Data). The objective of the report is F.
///
/// # Complexity
/// n²/2 kernel evaluations and n² stored values, if they fit the memory of the run; one product of
/// the Gram matrix with k columns per iteration, 2n²k flops; four times n·k values. Without memory
/// for n² values, every product evaluates the kernel again. On D features n·D stored values, and
/// 4n·D·k flops per iteration.
///
/// # Numerics
/// Products are in the precision of the points. The fit ends where their rounding would increase F.
///
/// # References
/// Rose, Gurewitz & Fox (1990), *A deterministic annealing approach to clustering*; Neal & Hinton
/// (1998), *A View of the EM Algorithm that Justifies Incremental, Sparse, and Other Variants* (the
/// free energy).
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
    space: S,
    pub(super) runs: Runs,
    softness: Softness,
}

settings! {
    /// Settings of soft k-means.
    #[derive(Copy)]
    pub struct Softness in softness;

    SoftKMeans {
        /// β > 0, the inverse temperature: how steeply a membership decreases with the squared
        /// distance. Default: 1.
        beta: f64 = 1.0, Domain::positive();
        /// The decrease of the free energy in an iteration, relative to Σᵢ wᵢK(xᵢ, xᵢ), at or below
        /// which the fit ends. Default: 1e-9.
        progress: f64 = SOFT_KMEANS, Domain::non_negative().log();
    }
}

named_learners! { SoftKMeans: runs, softness; }

constructors! {
    SoftKMeans(k: usize);
    /// k clusters, 1 ≤ k ≤ n, with this kernel.
    on_kernel;
    /// k clusters, 1 ≤ k ≤ n, on the features of this map.
    on_features;
    /// k clusters, 1 ≤ k ≤ n, on the Nyström features of landmarks chosen by these parameters.
    on_landmarks;
}

impl<S> SoftKMeans<S> {
    /// k clusters, 1 ≤ k ≤ n, in this space, with β = 1.
    pub fn on(space: S, k: usize) -> Self {
        Self { space, runs: Runs::new(k), softness: Softness::default() }
    }

    fit_sugar!(unsupervised);
}

/// # Errors
/// As [`KMeans`](super::KMeans); [`Error::Core`] for β ≤ 0 or a progress below 0.
impl<P: Points, S: KMeansSpace<P>> Learner<P> for SoftKMeans<S> {
    type Model = SoftClusters<S::Function>;

    fn learn(&self, data: &Data<'_, P>, run: &mut Run<'_>) -> Result<Self::Model, Error> {
        check(&self.softness)?;
        let model = self.space.share(&Gathered::new(data, &self.runs)?, self.softness, run)?;
        model.report().check()?;
        Ok(model)
    }
}

/// Soft clusters with a kernel.
pub(super) fn on_kernel<P: Points, K: Mercer<P> + Clone>(
    kernel: &K,
    given: &Gathered<'_, P>,
    softness: Softness,
    run: &mut Run<'_>,
) -> Result<SoftClusters<KernelExpansion<P, K>>, Error> {
    let Gathered { points, weights, runs } = given;
    let n = points.len();
    let budget = run.budget();
    let left = without_shares::<P::Scalar>(n, runs, &budget)?;
    let stored = left.fits(matrix_bytes::<P::Scalar>(n, n));
    check_time((run.predicted_limit(), &budget), kernel, *points, runs, stored)?;
    let watch = Watch::new(run, runs.most());
    let ended = if stored {
        let gram = DenseGram::new(kernel, points, &left)?;
        best(&gram, weights, BLOCK, runs, softness, &watch)?
    } else {
        best(&LazyGram::new(kernel, points)?, weights, 1, runs, softness, &watch)?
    };
    clusters(ended, softness, |coefficients| {
        KernelExpansion::<P, K>::new(kernel.clone(), points, coefficients.as_ref())
    })
}

/// Soft clusters on the features of a map, which are all stored.
pub(super) fn on_features<P: Points, M: FeatureMap<P>>(
    map: M,
    given: &Gathered<'_, P>,
    softness: Softness,
    run: &mut Run<'_>,
) -> Result<SoftClusters<Function<M, P::Scalar>>, Error> {
    let Gathered { points, weights, runs } = given;
    let dim = map.dim();
    let left = without_shares::<P::Scalar>(points.len(), runs, &run.budget())?;
    let needed = stored_bytes::<P::Scalar>(dim, points.len(), runs.clusters);
    left.require("the features of all points", needed, "use fewer features")?;
    check_time_on_features((run.predicted_limit(), &left), &map, *points, runs, true)?;
    let watch = Watch::new(run, runs.most());
    let features = CentredFeatures::new(&map, *points, weights, runs.clusters, &left)?;
    let stored = features.stored().ok_or(Error::Empty)?;
    let gram = LowRankGram::new(stored.transpose())?;
    let ended = best(&gram, weights, 1, runs, softness, &watch)?;
    let mut centres: Mat<P::Scalar> = zeros(dim, runs.clusters)?;
    let (one, coefficients) = (P::Scalar::ONE, &ended.clusters.coefficients);
    matmul(centres.as_mut(), Accum::Replace, stored, coefficients.as_ref(), one);
    let mean = features.mean;
    clusters(ended, softness, |_| Ok(FeatureExpansion::new(CentredMap::new(map, mean), centres)))
}

/// The budget less the shares and coefficients of two steps and of the best run so far, the
/// products, and a column for the seeds; an error unless they fit.
fn without_shares<T>(n: usize, runs: &Runs, budget: &MemoryBudget) -> Result<MemoryBudget, Error> {
    let matrices = if runs.count() > 1 { 8 } else { 6 };
    let own = matrix_bytes::<f64>(n, runs.clusters).saturating_mul(matrices);
    let own = own.saturating_add(matrix_bytes::<T>(n, 1));
    let instead = "hard clusters on features take less";
    budget.require("shares in clusters, coefficients and products", own, instead)?;
    Ok(MemoryBudget::bytes(budget.as_bytes() - own))
}

/// The model from the final mixture of a run.
fn clusters<T: Scalar, D>(
    ended: Ended<Mixture<T>>,
    softness: Softness,
    decision: impl FnOnce(&Mat<T>) -> Result<D, Error>,
) -> Result<SoftClusters<D>, Error> {
    let (mixture, report) = ended.reported();
    let decision = decision(&mixture.coefficients)?;
    let centres = Centres { decision, masses: mixture.sizes, norms: mixture.norms };
    Ok(SoftClusters::new(centres, softness.beta, mixture.shares, report))
}

/// The best of the runs on a Gram matrix; at most `width` of its columns are copied at once.
fn best<T: Scalar>(
    operator: &dyn GramOperator<T>,
    weights: &[f64],
    width: usize,
    runs: &Runs,
    softness: Softness,
    watch: &Watch<'_>,
) -> Result<Ended<Mixture<T>>, Error> {
    let columns = Columns::new(operator, width);
    let gram = WeightedGram::new(&columns, weights, runs.clusters)?;
    best_run(runs.count(), 1, watch, |number| run(operator, &gram, runs, number, softness, watch))
}

/// One run, which starts from hard clusters.
fn run<T: Scalar>(
    operator: &dyn GramOperator<T>,
    gram: &WeightedGram<'_, T>,
    runs: &Runs,
    number: usize,
    softness: Softness,
    watch: &Watch<'_>,
) -> Result<Ended<Mixture<T>>, Error> {
    let beta = softness.beta;
    let smallest = softness.progress * gram.trace().abs();
    let start = plus_plus::start(gram, runs, number)?;
    let mut shares: Mat<f64> = zeros(gram.size(), gram.k)?;
    start.labels.iter().enumerate().for_each(|(i, &c)| shares[(i, c as usize)] = 1.0);
    let mut mixture = Mixture::new(operator, gram, &shares, beta)?;
    drop(shares);
    let mut energies = vec![mixture.energy];
    let mut flow = watch.begin(mixture.energy);
    let status = loop {
        if flow.is_break() {
            break Status::Stopped;
        }
        if energies.len() > runs.max_iterations {
            break Status::IterationsDone;
        }
        let next = Mixture::new(operator, gram, &mixture.shares, beta)?;
        let decrease = mixture.energy - next.energy;
        if decrease < 0.0 {
            // Only rounding increases F. It counts as convergence if it is within the tolerance.
            break if -decrease <= smallest { Status::Converged } else { Status::Stalled };
        }
        mixture = next;
        energies.push(mixture.energy);
        if decrease <= smallest {
            break Status::Converged;
        }
        flow = watch.step(mixture.energy);
    };
    let (objective, iterations) = (mixture.energy, energies.len() - 1);
    let details = KMeansDetails {
        objectives: energies,
        seeds: start.seeds,
        run: number,
        ..KMeansDetails::default()
    };
    Ok(Ended { clusters: mixture, status, iterations, objective, details })
}

/// A mixture: sizes, centres as combinations of the points, and shares.
struct Mixture<T: Scalar> {
    /// `π_c`.
    sizes: Vec<f64>,
    /// ‖μ_c‖².
    norms: Vec<f64>,
    /// The coefficients of the centres, n × k: `w_i·r_ic/W_c`.
    coefficients: Mat<T>,
    /// The shares `r_ic` with these centres.
    shares: Mat<f64>,
    /// The free energy F of these shares and centres.
    energy: f64,
}

impl<T: Scalar> Mixture<T> {
    /// The centres given these shares, then the shares given these centres.
    fn new(
        operator: &dyn GramOperator<T>,
        gram: &WeightedGram<'_, T>,
        shares: &Mat<f64>,
        beta: f64,
    ) -> Result<Self, Error> {
        let (n, k) = shares.shape();
        let total: f64 = gram.weights.iter().sum();
        let mut coefficients: Mat<T> = zeros(n, k)?;
        let mut sizes = Vec::with_capacity(k);
        for c in 0..k {
            let terms = || shares.col_as_slice(c).iter().zip(gram.weights).map(|(r, w)| r * w);
            let mass: f64 = terms().sum();
            if mass > 0.0 {
                let column = coefficients.col_as_slice_mut(c).iter_mut();
                column.zip(terms()).for_each(|(to, term)| *to = T::from_f64(term / mass));
            }
            sizes.push(mass / total);
        }
        let products = operator.apply(coefficients.as_ref())?;
        let norm = |c: usize| -> f64 {
            let pairs = coefficients.col_as_slice(c).iter().zip(products.col_as_slice(c));
            pairs.map(|(a, b)| a.to_f64() * b.to_f64()).sum()
        };
        let norms = (0..k).map(norm).collect();
        let mut mixture = Self { sizes, norms, coefficients, shares: zeros(n, k)?, energy: 0.0 };
        mixture.share_out(gram, &products, beta)?;
        Ok(mixture)
    }

    /// The shares of all points, given ⟨φ(xᵢ), μ_c⟩, and the free energy.
    fn share_out(
        &mut self,
        gram: &WeightedGram<'_, T>,
        products: &Mat<T>,
        beta: f64,
    ) -> Result<(), Error> {
        let mut row = vec![0.0; self.sizes.len()];
        for (i, products) in products.row_iter().enumerate() {
            let centres = self.sizes.iter().zip(&self.norms);
            for ((value, product), (&size, norm)) in
                row.iter_mut().zip(products.iter()).zip(centres)
            {
                *value = if size > 0.0 { norm - 2.0 * product.to_f64() } else { f64::INFINITY };
            }
            let own = gram.diagonal[i] + share(&self.sizes, beta, &mut row);
            if gram.weights[i] > 0.0 {
                self.energy += gram.weights[i] * own;
            }
            self.shares.row_mut(i).iter_mut().zip(&row).for_each(|(to, &share)| *to = share);
        }
        if self.energy.is_finite() {
            return Ok(());
        }
        let given = self.energy;
        Err(kern_gram::Error::ProductNotFinite { row: 0, col: 0, given }.into())
    }
}
