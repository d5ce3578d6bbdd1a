//! The normalised cut: the estimator, and its fit on the graph of a kernel.
//!
//! The points form a graph with kernel values as edge weights, degrees dᵢ = ΣⱼβⱼK(xᵢ, xⱼ) and the
//! normalised matrix N = B^½D^{−½}KD^{−½}B^½, whose leading eigenvectors come from a block Krylov
//! space.

use super::SpectralClusters;
use super::spectral_embedding::{bytes, divide, nearest};
use crate::components::block_krylov::{Operator, Search};
use crate::components::leading_eigenvectors::{
    Found, gram, leading_eigenvectors, orient, residual, residuals,
};
use crate::design::Design;
use crate::estimator::check;
use crate::model::{Decision, KernelExpansion};
use crate::space::{OnFeatures, OnKernel, OnLandmarks, Space, constructors, named_learners};
use crate::{Data, Error, Learner, Report, Run, Status, fit_sugar};
use faer::{Mat, MatMut, MatRef};
use kern_core::parameters::Domain;
use kern_core::{Mercer, Points, Scalar, settings};
use kern_gram::{GramOperator, Rows, zeros};
use serde::{Deserialize, Serialize};

/// Spectral clustering by the normalised cut.
///
/// See [`spectral_clustering`](crate::spectral_clustering) for the definition. The kernel is the
/// affinity of points: its values should be non-negative, and small between clusters, as for a
/// narrow [`Rbf`](kern_core::kernels::Rbf).
///
/// # Examples
/// Two rings, which no straight line separates:
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
    space: S,
    settings: SpectralSettings,
}

settings! {
    /// The parameters that do not depend on the space.
    pub(super) struct SpectralSettings in settings;

    SpectralClustering {
        /// The number k of clusters, and of eigenvectors. Default: that of the constructor.
        clusters: usize = 2, Domain::count(1);
        /// Scales the rows u(x) to length 1 (Ng, Jordan & Weiss); else they are divided by √d(x)
        /// (Shi & Malik; scikit-learn). Default: true.
        normalize: bool = true;
        /// The number of runs of k-means, of which the best is returned. Default: 10.
        restarts: usize = 10, Domain::count(1);
        /// The seed of k-means and of the first block of vectors. Default: 0.
        seed: u64 = 0;
    }
    SpectralClustering on OnKernel {
        /// Keeps the diagonal of K, the loops of the graph. If false, it is set to zero, as in Ng,
        /// Jordan & Weiss and in scikit-learn; new points are embedded by the same formula in both
        /// cases. Default: true.
        loops: bool = true;
        /// The residual of an eigenvector, relative to the largest eigenvalue, at which the
        /// iteration ends. Default: 1e-10, and 1e-5 for points in single precision.
        tolerance: f64, Domain::positive();
        /// The maximum number of products with a block of vectors. Default: 300.
        max_iterations: usize = 300, Domain::count(1);
    }
}

named_learners! { SpectralClustering: settings; }

constructors! {
    SpectralClustering(k: usize);
    /// k clusters, 1 ≤ k ≤ n, with this kernel.
    on_kernel;
    /// k clusters, 1 ≤ k ≤ n, with the Nyström approximation of the kernel by landmarks, which are
    /// chosen in the fit by these parameters.
    on_landmarks;
    /// k clusters, 1 ≤ k ≤ n, with the kernel of this feature map.
    on_features;
}

impl<S> SpectralClustering<S> {
    /// k clusters in this space.
    pub fn on(space: S, k: usize) -> Self {
        Self { space, settings: SpectralSettings { clusters: k, ..SpectralSettings::default() } }
    }

    fit_sugar!(unsupervised);
}

/// A space in which spectral clusters are found. Sealed: its methods take types that cannot be
/// named outside.
pub trait SpectralSpace<P: Points>: Space<P> {
    #[doc(hidden)]
    fn cut(
        &self,
        task: &Task<'_, P>,
        run: &mut Run<'_>,
    ) -> Result<SpectralClusters<Self::Function>, Error>;
}

/// Weighted training points, and the settings of a fit.
#[derive(Debug)]
pub struct Task<'t, P> {
    pub(super) settings: &'t SpectralSettings,
    pub(super) points: &'t P,
    /// β, unless all are 1.
    pub(super) weights: Option<&'t [f64]>,
}

/// # Errors
/// [`Error::Core`] for a hyper-parameter outside of its domain, or points that the kernel or the
/// map refuses; [`Error::Count`] for more clusters than points or features; [`Error::Empty`];
/// [`Error::Gram`] beyond the memory of the run or for non-finite values; [`Error::TooLong`];
/// [`Error::Isolated`]; [`Error::NoEigenvalues`]; [`Error::Stopped`] if the run ends a dense
/// solver.
impl<P: Points, S: SpectralSpace<P>> Learner<P> for SpectralClustering<S> {
    type Model = SpectralClusters<S::Function>;

    fn learn(&self, data: &Data<'_, P>, run: &mut Run<'_>) -> Result<Self::Model, Error> {
        check(&self.settings)?;
        let (settings, weights) = (&self.settings, data.sample_weights());
        let model = self.space.cut(&Task { settings, points: data.points(), weights }, run)?;
        model.report().check()?;
        Ok(model)
    }
}

impl<P: Points, K: Mercer<P> + Clone> SpectralSpace<P> for OnKernel<K> {
    fn cut(
        &self,
        task: &Task<'_, P>,
        run: &mut Run<'_>,
    ) -> Result<SpectralClusters<KernelExpansion<P, K>>, Error> {
        let Task { settings, points: all, weights } = *task;
        let design = Design::new((), all, weights.map(<[f64]>::to_vec), false)?;
        let (kernel, points) = (&self.kernel, design.points());
        kernel.check(points)?;
        let n = points.len();
        Error::check_most("the number of clusters", settings.clusters, n)?;
        let search = Search {
            size: n,
            count: settings.clusters,
            tolerance: residual::<P::Scalar>(settings.tolerance),
            max_iterations: settings.max_iterations,
            seed: settings.seed,
        };
        let reserved = bytes(n, settings.clusters);
        let (gram, left) = gram(kernel, points, &search, reserved, run)?;
        let graph = Graph::new(&*gram, &design, settings.loops)?;
        let mut found = leading_eigenvectors(&search, &graph, run)?;
        let count = usable(&found.values, n as f64 * P::Scalar::UNIT_ROUNDOFF)?;
        found.values.truncate(count);
        found.vectors.resize_with(n, count, |_, _| P::Scalar::ZERO);
        orient(&mut found.vectors);
        let residuals = residuals(&found, &graph)?;
        let values = graph.values(&found)?;
        let divided =
            divide(values.as_ref(), design.weights().as_deref(), settings, &mut run.part(left))?;
        let cut = graph.cut(&divided.labels, settings.clusters)?;
        let function =
            KernelExpansion::new(kernel.clone(), points, graph.coefficients(&found)?.as_ref())?;
        let report = report(
            cut,
            &found.values,
            settings.clusters,
            found.iterations,
            found.status,
            divided.status,
        );
        let labels = match n == all.len() {
            true => divided.labels,
            // Points of weight zero get a cluster, too.
            false => {
                let values = function.decide(all)?;
                let mut labels = nearest(values.as_ref(), settings.normalize, &divided.centres);
                divided.labels.iter().enumerate().for_each(|(i, &l)| labels[design.index(i)] = l);
                labels
            }
        };
        Ok(SpectralClusters::new(
            function,
            settings.normalize,
            divided.centres,
            labels,
            found.values,
            residuals,
            report,
        ))
    }
}

/// The graph of the weighted points, with kernel values as edge weights.
struct Graph<'g, P: Points> {
    gram: &'g dyn GramOperator<P::Scalar>,
    design: &'g Design<'g, P, ()>,
    /// The degrees d.
    degrees: Vec<f64>,
    /// √(βᵢ/dᵢ).
    roots: Vec<P::Scalar>,
    /// The diagonal of K, if it is set to zero.
    own: Option<Vec<P::Scalar>>,
}

impl<'g, P: Points> Graph<'g, P> {
    fn new(
        gram: &'g dyn GramOperator<P::Scalar>,
        design: &'g Design<'g, P, ()>,
        loops: bool,
    ) -> Result<Self, Error> {
        let n = gram.size();
        let own = (!loops).then(|| gram.diag());
        let mut graph = Self { gram, design, degrees: Vec::new(), roots: Vec::new(), own };
        let mut weights: Mat<P::Scalar> = zeros(n, 1)?;
        let column = weights.col_as_slice_mut(0).iter_mut().enumerate();
        column.for_each(|(i, weight)| *weight = P::Scalar::from_f64(design.weight(i)));
        let mut sums: Mat<P::Scalar> = zeros(n, 1)?;
        graph.product(weights.as_ref(), sums.as_mut())?;
        graph.degrees = sums.col(0).iter().map(|sum| sum.to_f64()).collect();
        let degrees = graph.degrees.iter().enumerate();
        check_degrees(degrees.map(|(i, &degree)| (design.index(i), degree)))?;
        let root = |i: usize| P::Scalar::from_f64((design.weight(i) / graph.degrees[i]).sqrt());
        graph.roots = (0..n).map(root).collect();
        Ok(graph)
    }

    /// KV, without the diagonal of K if that is set to zero.
    fn product(
        &self,
        v: MatRef<'_, P::Scalar>,
        mut out: MatMut<'_, P::Scalar>,
    ) -> Result<(), Error> {
        self.gram.apply_into(v, out.as_mut())?;
        let Some(own) = &self.own else { return Ok(()) };
        for (out, v) in out.col_iter_mut().zip(v.col_iter()) {
            for ((out, &v), &own) in out.iter_mut().zip(v.iter()).zip(own) {
                *out -= own * v;
            }
        }
        Ok(())
    }

    /// V ← diag(√(βᵢ/dᵢ))V.
    fn scale(&self, v: MatMut<'_, P::Scalar>) {
        for column in v.col_iter_mut() {
            column.iter_mut().zip(&self.roots).for_each(|(v, &root)| *v *= root);
        }
    }

    /// u_p(xᵢ)√dᵢ, and dᵢ as the last column.
    fn values(&self, found: &Found<P::Scalar>) -> Result<Mat<f64>, Error> {
        let (n, count) = found.vectors.shape();
        let mut values = zeros(n, count + 1)?;
        for p in 0..count {
            for (i, value) in values.col_as_slice_mut(p).iter_mut().enumerate() {
                // Eigenvectors of N are √βᵢu(xᵢ).
                let u = found.vectors[(i, p)].to_f64() / self.design.weight(i).sqrt();
                *value = u * self.degrees[i].sqrt();
            }
        }
        values.col_as_slice_mut(count).copy_from_slice(&self.degrees);
        Ok(values)
    }

    /// The coefficients of these functions.
    fn coefficients(&self, found: &Found<P::Scalar>) -> Result<Mat<P::Scalar>, Error> {
        let (n, count) = found.vectors.shape();
        let mut coefficients: Mat<P::Scalar> = zeros(n, count + 1)?;
        for (p, value) in found.values.iter().enumerate() {
            let scale = P::Scalar::from_f64(1.0 / value);
            for (i, c) in coefficients.col_as_slice_mut(p).iter_mut().enumerate() {
                *c = scale * self.roots[i] * found.vectors[(i, p)];
            }
        }
        let of_degrees = coefficients.col_as_slice_mut(count).iter_mut().enumerate();
        of_degrees.for_each(|(i, c)| *c = P::Scalar::from_f64(self.design.weight(i)));
        Ok(coefficients)
    }

    /// The normalised cut of clusters.
    fn cut(&self, labels: &[usize], clusters: usize) -> Result<f64, Error> {
        let n = labels.len();
        let (mut members, mut sums): (Mat<P::Scalar>, Mat<P::Scalar>) =
            (zeros(n, clusters)?, zeros(n, clusters)?);
        for (i, &label) in labels.iter().enumerate() {
            members[(i, label)] = P::Scalar::from_f64(self.design.weight(i));
        }
        self.product(members.as_ref(), sums.as_mut())?;
        let (mut within, mut volumes) = (vec![0.0; clusters], vec![0.0; clusters]);
        for (i, &label) in labels.iter().enumerate() {
            let weight = self.design.weight(i);
            within[label] += weight * sums[(i, label)].to_f64();
            volumes[label] += weight * self.degrees[i];
        }
        Ok(normalised(&within, &volumes))
    }
}

impl<T: Scalar, P: Points<Scalar = T>> Operator<T> for Graph<'_, P> {
    /// NV.
    fn apply(&self, v: MatRef<'_, T>, mut out: MatMut<'_, T>) -> Result<(), Error> {
        let mut scaled: Mat<T> = zeros(v.nrows(), v.ncols())?;
        scaled.copy_from(v);
        self.scale(scaled.as_mut());
        self.product(scaled.as_ref(), out.as_mut())?;
        self.scale(out);
        Ok(())
    }

    /// Columns of K, diagonal included, scaled by rows only.
    fn columns(&self, indices: &[usize], mut out: MatMut<'_, T>) -> Result<(), Error> {
        self.gram.submatrix_into(Rows::All, indices, out.as_mut())?;
        self.scale(out);
        Ok(())
    }
}

/// The report of a cut, with the bound from the eigenvalues and the statuses of both iterations.
pub(super) fn report(
    cut: f64,
    eigenvalues: &[f64],
    clusters: usize,
    iterations: usize,
    of_vectors: Status,
    of_clusters: Status,
) -> Report {
    let converged = of_vectors == Status::Converged;
    // Without converged eigenvalues there is no bound; rounding may produce a negative gap.
    let bound = clusters as f64 - eigenvalues.iter().sum::<f64>();
    let gap = converged.then(|| (cut - bound).max(0.0));
    Report::new(if converged { of_clusters } else { of_vectors }, iterations, cut, gap)
}

/// Σ_c (1 − within/volume); the term of an empty cluster is 1.
pub(super) fn normalised(within: &[f64], volumes: &[f64]) -> f64 {
    let pairs = within.iter().zip(volumes);
    pairs.map(|(within, volume)| if *volume > 0.0 { 1.0 - within / volume } else { 1.0 }).sum()
}

/// Refuses degrees that are not positive; each is given with the index of its point.
pub(super) fn check_degrees(degrees: impl Iterator<Item = (usize, f64)>) -> Result<(), Error> {
    let mut isolated = degrees.filter(|&(_, degree)| degree.is_nan() || degree <= 0.0);
    match isolated.next() {
        None => Ok(()),
        Some((point, _)) => Err(Error::Isolated { point, others: isolated.count() }),
    }
}

/// The number of eigenvalues, in descending order, that are large enough to divide by.
///
/// # Errors
/// [`Error::Unsupported`] if there are none.
pub(super) fn usable(values: &[f64], rounding: f64) -> Result<usize, Error> {
    match values.iter().take_while(|&&value| value > rounding).count() {
        0 => Err(Error::Unsupported {
            what: "spectral clustering with a kernel whose values between points are zero",
            instead: "take a wider kernel",
        }),
        count => Ok(count),
    }
}
