//! The embedding of points, and its division by k-means.

use super::params::Settings;
use crate::kmeans::{KMeans, stored_bytes};

use crate::{Data, Error, Learner, Run, Status};
use faer::{Mat, MatRef};
use kern_core::{Identity, Samples, Scalar};
use kern_gram::{MemoryBudget, matrix_bytes};

/// The clusters of the points of the fit.
pub(super) struct Divided {
    pub(super) labels: Vec<usize>,
    /// Rows of the embedding × clusters.
    pub(super) centres: Mat<f64>,
    pub(super) status: Status,
}

/// The row of a point from the values u_p(x)√d(x), and d(x) after them. A point that is like none has a row of zeros.
pub(super) fn row<T: Scalar>(values: MatRef<'_, T>, i: usize, normalize: bool, out: &mut [f64]) {
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

/// The rows of all points, one after the other.
pub(super) fn rows<T: Scalar>(
    values: MatRef<'_, T>,
    normalize: bool,
) -> Result<Samples<f64>, Error> {
    let (n, count) = (values.nrows(), values.ncols() - 1);
    let mut all = kern_core::memory::zero_vec(n.saturating_mul(count))?;
    for (i, out) in all.chunks_exact_mut(count).enumerate() {
        row(values, i, normalize, out);
    }
    Ok(Samples::from_row_major(count, all)?)
}

/// The memory in which n rows are divided into k clusters: those of k values, themselves, and that of k-means.
pub(super) fn bytes(n: usize, k: usize) -> u64 {
    matrix_bytes::<f64>(n, 2 * k + 1).saturating_add(stored_bytes::<f64>(k, n, k))
}

/// Divides the rows of the points of the fit, in the memory of the run beside the values.
pub(super) fn divide<T: Scalar>(
    values: MatRef<'_, T>,
    weights: Option<&[f64]>,
    settings: &Settings,
    run: &mut Run<'_>,
) -> Result<Divided, Error> {
    let rows = rows(values, settings.normalize)?;
    let k_means = KMeans::on_features(Identity::new(rows.dim()), settings.clusters);
    let k_means = k_means.restarts(settings.restarts).seed(settings.seed);
    let mut data = Data::unlabelled(&rows)?;
    if let Some(weights) = weights {
        data = data.weights(weights)?;
    }
    // Values and rows are there.
    let taken = matrix_bytes::<f64>(values.nrows(), values.ncols() + rows.dim());
    let rest = MemoryBudget::bytes(run.budget().as_bytes().saturating_sub(taken));
    let clusters = k_means.learn(&data, &mut run.part(rest))?;
    let labels = clusters.labels().to_vec();
    Ok(Divided { labels, centres: clusters.centres(), status: clusters.report().status })
}

/// The nearest centre to a row, the first of equals.
pub(super) fn nearest(row: &[f64], centres: &Mat<f64>) -> usize {
    let square = |c: usize| -> f64 {
        row.iter().zip(centres.col(c).iter()).map(|(u, centre)| (u - centre).powi(2)).sum()
    };
    let better = |best: (usize, f64), c: usize| {
        let square = square(c);
        if square < best.1 { (c, square) } else { best }
    };
    (0..centres.ncols()).fold((0, f64::INFINITY), better).0
}
