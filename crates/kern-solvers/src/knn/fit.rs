//! Fits of nearest neighbours: checks, and a copy of the points.

use super::neighbours::{Nearest, Within};
use super::pairs::not_finite;
use super::search::{Extent, Search, Way};
use super::{KNearest, Known, Neighbors, RadiusNeighbors, Ranking, WeightFunction};
use crate::sample_weights::positive;
use crate::{ClassWeights, Data, Error, Learner, Progress, Report, Run, Status};
use kern_core::{Kernel, Points, Scalar};
use kern_gram::MemoryBudget;

/// # Errors
/// [`Error::OneClass`] and those of [`ClassWeights`] for labels; [`Error::Count`] unless 1 ≤ k ≤ n, points of weight 0 left out;
/// [`Error::NoMetric`] for an index by similarity; [`Error::Core`] if the kernel refuses the points; [`Error::Gram`] beyond
/// the memory of the run, and by distance if some K(xᵢ, xᵢ) is not finite or a distance might overflow.
///
/// # Complexity
/// A copy of the points, 2n kernel evaluations, by distance 4n; what the index takes.
impl<P, K, R, W, Y> Learner<P, Y> for KNearest<K, R, W>
where
    P: Points,
    K: Kernel<P> + Clone,
    R: Ranking<P, K>,
    W: WeightFunction + Clone,
    Y: Known,
{
    type Model = Neighbors<P, K, Y, Nearest, W>;

    fn learn(&self, data: &Data<'_, P, Y>, run: &mut Run<'_>) -> Result<Self::Model, Error> {
        let extent = Extent::Neighbors(self.neighbors);
        let way = Way { extent, nearness: R::NEARNESS, by: self.by };
        remember((&self.kernel, way), (&self.weighting, &self.class_weights), data, run)
    }
}

/// # Errors
/// As [`KNearest`], but for k: [`Error::Core`] unless the threshold is finite and a radius ≥ 0.
impl<P, K, R, W, Y> Learner<P, Y> for RadiusNeighbors<K, R, W>
where
    P: Points,
    K: Kernel<P> + Clone,
    R: Ranking<P, K>,
    W: WeightFunction + Clone,
    Y: Known,
{
    type Model = Neighbors<P, K, Y, Within, W>;

    fn learn(&self, data: &Data<'_, P, Y>, run: &mut Run<'_>) -> Result<Self::Model, Error> {
        let extent = Extent::Threshold(self.threshold);
        let way = Way { extent, nearness: R::NEARNESS, by: self.by };
        remember((&self.kernel, way), (&self.weighting, &self.class_weights), data, run)
    }
}

/// The search, unless distances might overflow: what is learned answers for each of its points.
///
/// All points are compared with the first, and with those that are farthest from it and from the origin.
fn search_of<P: Points, K: Kernel<P> + Clone>(
    kernel: &K,
    points: &P,
    way: Way,
    budget: &MemoryBudget,
) -> Result<Search<P, K>, Error> {
    let search = Search::of(kernel.clone(), points, way, budget)?;
    let compared = way.nearness.compared(kernel);
    let mut extremes: Vec<usize> =
        search.farthest_from_the_origin().into_iter().chain([0]).collect();
    if compared.is_apart() {
        let mut greatest = 0.0;
        for i in 0..points.len() {
            let given = compared.kernel().eval(points.item(0), points.item(i)).to_f64();
            // No two points are farther from each other than twice as far as one of them is from the first.
            if !P::Scalar::from_f64(4.0 * given).is_finite_number() {
                return Err(not_finite(i, 0, 2.0 * given));
            }
            if given.abs() > greatest {
                (greatest, extremes[1]) = (given.abs(), i);
            }
        }
    }
    extremes.dedup();
    search.compare_all(&points.select(&extremes)?)?;
    Ok(search)
}

/// Keeps the points of positive weight and what is known of them.
fn remember<P, K, Y, E, W>(
    (kernel, way): (&K, Way),
    (weighting, class_weights): (&W, &ClassWeights),
    data: &Data<'_, P, Y>,
    run: &mut Run<'_>,
) -> Result<Neighbors<P, K, Y, E, W>, Error>
where
    P: Points,
    K: Kernel<P> + Clone,
    Y: Known,
    W: Clone,
{
    let budget = run.budget();
    let weights = data.targets().weigh(class_weights, data.sample_weights())?;
    let (weights, kept) = weights.map(positive).unzip();
    let (search, known) = match kept.flatten() {
        None => {
            let search = search_of(kernel, data.points(), way, &budget)?;
            (search, data.targets().clone())
        }
        Some(kept) => {
            let search = search_of(kernel, &data.points().select(&kept)?, way, &budget)?;
            (search, data.targets().select(&kept))
        }
    };
    let flow = run.observe(&Progress { iteration: 1, total: 1, loss: 0.0 });
    let status = if flow.is_break() { Status::Stopped } else { Status::Converged };
    let report = Report::new(status, 1, 0.0, None);
    Ok(Neighbors::new(search, (known.keep()?, weights), weighting.clone(), report))
}
