//! The spectral embedding of points, its clustering by k-means, and the model of the clusters.
//!
//! A point is embedded at the values u_p(x) of the eigenvectors, scaled to length 1 or divided by
//! √d(x). Its cluster is that of the nearest centre.

use super::normalised_cut::SpectralSettings;
use crate::kmeans::{KMeans, stored_bytes};
use crate::model::{Arity, Decision, Format, models};
use crate::{Data, Error, Learner, Report, Run, Status};
use faer::{ColRef, Mat, MatRef};
use kern_core::{Identity, Points, Samples, Scalar, serde_mat};
use kern_gram::numerics::arithmetic::argmin;
use kern_gram::{MemoryBudget, matrix_bytes};
use serde::{Deserialize, Serialize};

/// Spectral clusters of points.
///
/// # Examples
/// ```
/// use kern_core::{Samples, kernels::Rbf};
/// use kern_solvers::spectral_clustering::SpectralClustering;
/// let x = Samples::from_rows(&[[0.0], [0.5], [4.0], [4.5], [5.0]])?;
/// let model = SpectralClustering::on_kernel(Rbf::new(1.0)?, 2).fit(&x)?;
/// let labels = model.labels().to_vec();
/// assert_eq!((labels[0], labels[2], labels[3]), (labels[1], labels[4], labels[4]));
/// assert_eq!(model.predict(&x)?, labels);
/// assert!((model.eigenvalues()[0] - 1.0).abs() < 1e-12);
/// # Ok::<(), kern_solvers::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Unchecked<D>", bound(deserialize = "D: Arity + Deserialize<'de>"))]
pub struct SpectralClusters<D> {
    format: Format<Self>,
    /// The function with the outputs u_p(x)√d(x), and d(x) as the last one.
    decision: D,
    normalize: bool,
    /// Rows of the embedding × clusters.
    #[serde(with = "serde_mat")]
    centres: Mat<f64>,
    labels: Vec<usize>,
    eigenvalues: Vec<f64>,
    residuals: Vec<f64>,
    report: Report,
}

kern_core::named! { [D] SpectralClusters<D> = "spectral_clusters"; }

/// Clusters before the checks of deserialisation.
#[derive(Deserialize)]
struct Unchecked<D> {
    #[serde(rename = "format")]
    _format: Format<SpectralClusters<D>>,
    decision: D,
    normalize: bool,
    #[serde(with = "serde_mat")]
    centres: Mat<f64>,
    labels: Vec<usize>,
    eigenvalues: Vec<f64>,
    residuals: Vec<f64>,
    report: Report,
}

impl<D: Arity> TryFrom<Unchecked<D>> for SpectralClusters<D> {
    type Error = Error;

    fn try_from(read: Unchecked<D>) -> Result<Self, Error> {
        let Unchecked {
            decision, normalize, centres, labels, eigenvalues, residuals, report, ..
        } = read;
        Error::check_equal(
            "coordinates of centres",
            decision.arity().saturating_sub(1),
            centres.nrows(),
        )?;
        Error::check_equal("eigenvalues", centres.nrows(), eigenvalues.len())?;
        Error::check_equal("residuals", centres.nrows(), residuals.len())?;
        kern_core::Error::check_indices(&labels, centres.ncols())?;
        let numbers = centres.col_iter().flat_map(ColRef::iter);
        let numbers = numbers.chain(&eigenvalues).chain(&residuals);
        let refused = numbers.copied().find(|number| !number.is_finite());
        if let Some(given) = refused {
            return Err(Error::Range { what: "a number of spectral clusters", given });
        }
        Ok(Self::new(decision, normalize, centres, labels, eigenvalues, residuals, report))
    }
}

impl<D> SpectralClusters<D> {
    pub(super) fn new(
        decision: D,
        normalize: bool,
        centres: Mat<f64>,
        labels: Vec<usize>,
        eigenvalues: Vec<f64>,
        residuals: Vec<f64>,
        report: Report,
    ) -> Self {
        let format = Format::default();
        Self { format, decision, normalize, centres, labels, eigenvalues, residuals, report }
    }

    /// The function with the outputs u_p(x)√d(x), and d(x) as the last one.
    pub const fn decision(&self) -> &D {
        &self.decision
    }

    /// The cluster of each training point.
    pub fn labels(&self) -> &[usize] {
        &self.labels
    }

    /// The number of points in each cluster.
    pub fn sizes(&self) -> Vec<usize> {
        let mut sizes = vec![0; self.centres.ncols()];
        self.labels.iter().for_each(|&label| sizes[label] += 1);
        sizes
    }

    /// The eigenvalues λ_p in descending order: the first is 1, and further values near 1 belong to
    /// well-separated clusters. There are fewer eigenvalues than clusters if the kernel matrix has
    /// a smaller rank.
    pub fn eigenvalues(&self) -> &[f64] {
        &self.eigenvalues
    }

    /// The residuals, from one further product. Each bounds the distance of an eigenvalue from the
    /// nearest one of the matrix.
    pub fn residuals(&self) -> &[f64] {
        &self.residuals
    }

    /// The report of the fit, with the normalised cut as its objective.
    pub const fn report(&self) -> &Report {
        &self.report
    }

    /// The spectral embedding of points, scaled as for k-means. A point that is similar to no
    /// training point, so that its degree is not positive, is embedded at zero.
    ///
    /// # Errors
    /// As [`Decision::decide`].
    pub fn embed<P: Points>(&self, points: &P) -> Result<Samples<f64>, Error>
    where
        D: Decision<P>,
    {
        rows(self.decision.decide(points)?.as_ref(), self.normalize)
    }

    /// The cluster of each point, whose centre is nearest to its embedding; the first one among
    /// ties.
    ///
    /// # Errors
    /// As [`Decision::decide`].
    pub fn predict<P: Points>(&self, points: &P) -> Result<Vec<usize>, Error>
    where
        D: Decision<P>,
    {
        let values = self.decision.decide(points)?;
        Ok(nearest(values.as_ref(), self.normalize, &self.centres))
    }
}

models! { [] SpectralClusters<D> => Vec<usize>; }

/// The clusters of the training points.
pub(super) struct Divided {
    pub(super) labels: Vec<usize>,
    /// Rows of the embedding × clusters.
    pub(super) centres: Mat<f64>,
    pub(super) status: Status,
}

/// Clusters the embedding of the training points by k-means, in the memory that remains besides the
/// values.
pub(super) fn divide<T: Scalar>(
    values: MatRef<'_, T>,
    weights: Option<&[f64]>,
    settings: &SpectralSettings,
    run: &mut Run<'_>,
) -> Result<Divided, Error> {
    let rows = rows(values, settings.normalize)?;
    let k_means = KMeans::on_features(Identity::new(rows.dim()), settings.clusters);
    let k_means = k_means.restarts(settings.restarts).seed(settings.seed);
    let mut data = Data::unlabelled(&rows)?;
    if let Some(weights) = weights {
        data = data.weights(weights)?;
    }
    // Memory that values and rows already take.
    let taken = matrix_bytes::<f64>(values.nrows(), values.ncols() + rows.dim());
    let rest = MemoryBudget::bytes(run.budget().as_bytes().saturating_sub(taken));
    let clusters = k_means.learn(&data, &mut run.part(rest))?;
    let labels = clusters.labels().to_vec();
    Ok(Divided { labels, centres: clusters.centres(), status: clusters.report().status })
}

/// The nearest centre to the row of each point; the first one among ties.
pub(super) fn nearest<T: Scalar>(
    values: MatRef<'_, T>,
    normalize: bool,
    centres: &Mat<f64>,
) -> Vec<usize> {
    let mut of_point = vec![0.0_f64; centres.nrows()];
    let of = |i: usize| {
        row(values, i, normalize, &mut of_point);
        let square = |centre: ColRef<'_, f64>| -> f64 {
            of_point.iter().zip(centre.iter()).map(|(u, centre)| (u - centre).powi(2)).sum()
        };
        argmin(centres.col_iter().map(square))
    };
    (0..values.nrows()).map(of).collect()
}

/// The row of a point, from the values u_p(x)√d(x) followed by d(x). A point whose degree is not
/// positive has a row of zeros.
fn row<T: Scalar>(values: MatRef<'_, T>, i: usize, normalize: bool, out: &mut [f64]) {
    let degree = values[(i, out.len())].to_f64();
    for (p, u) in out.iter_mut().enumerate() {
        *u = if degree > 0.0 { values[(i, p)].to_f64() / degree.sqrt() } else { 0.0 };
    }
    let scale = match normalize {
        true => out.iter().map(|u| u * u).sum::<f64>().sqrt(),
        false => degree.max(0.0).sqrt(),
    };
    if scale > 0.0 {
        out.iter_mut().for_each(|u| *u /= scale);
    }
}

/// The rows of all points.
fn rows<T: Scalar>(values: MatRef<'_, T>, normalize: bool) -> Result<Samples<f64>, Error> {
    let (n, count) = (values.nrows(), values.ncols() - 1);
    let mut all = kern_core::memory::zero_vec(n.saturating_mul(count))?;
    for (i, out) in all.chunks_exact_mut(count).enumerate() {
        row(values, i, normalize, out);
    }
    Ok(Samples::from_row_major(count, all)?)
}

/// The memory to cluster n rows into k clusters: k values and the degree of each point, the rows,
/// and k-means.
pub(super) fn bytes(n: usize, k: usize) -> u64 {
    matrix_bytes::<f64>(n, 2 * k + 1).saturating_add(stored_bytes::<f64>(k, n, k))
}
