//! Handwritten digits: clusters that are told nothing but their number, and neighbours.

use anyhow::Result;
use kern::Samples;
use kern::kernels::Rbf;
use kern::solvers::{Clusters, KMeans, KNearest, KernelExpansion};
use kern_gallery::data::Labelled;

/// γ of the RBF kernel, for pixels in [0, 1].
pub(crate) const GAMMA: f64 = 0.05;
/// Clusters.
pub(crate) const K: usize = 10;
/// Runs of k-means, of which the best is kept.
const RESTARTS: usize = 10;

/// Clusters of images.
///
/// # Errors
/// If there are fewer images than clusters.
pub(crate) fn cluster(
    points: &Samples<f64>,
    seed: u64,
) -> Result<Clusters<KernelExpansion<Samples<f64>, Rbf>>> {
    Ok(KMeans::on_kernel(Rbf::new(GAMMA)?, K).restarts(RESTARTS).seed(seed).fit(points)?)
}

/// Of each cluster the points that are nearest to its centre, nearest first: `count`, or all if there are
/// fewer.
///
/// # Errors
/// None in practice: distances of the points of a fit exist.
pub(crate) fn nearest_to_centres(
    model: &Clusters<KernelExpansion<Samples<f64>, Rbf>>,
    count: usize,
) -> Result<Vec<Vec<usize>>> {
    let distances = model.distances(model.decision().points())?;
    let mut members = vec![Vec::new(); distances.ncols()];
    model.labels().iter().enumerate().for_each(|(i, &c)| members[c].push(i));
    for (c, members) in members.iter_mut().enumerate() {
        members.sort_by(|&i, &j| distances[(i, c)].total_cmp(&distances[(j, c)]));
        members.truncate(count);
    }
    Ok(members)
}

/// The share of test images that have the class of most of their three nearest neighbours.
///
/// # Errors
/// If there are fewer than three training images, or their size is another one.
pub(crate) fn neighbours(train: &Labelled, test: &Labelled) -> Result<f64> {
    let nearest = KNearest::by_distance(Rbf::new(GAMMA)?).neighbors(3);
    let model = nearest.fit(&train.points, &train.labels)?;
    Ok(model.accuracy(&test.points, &test.labels)?)
}
