//! Weights of neighbours: named and user-defined weight functions.

use super::rkhs_distance::{Nearness, Neighbor};
use crate::Error;
use kern_core::parameters::{Domain, Slot};
use kern_core::{Scalar, named_values};
use serde::{Deserialize, Serialize};

/// A function from the scores of a query's neighbours to their weights.
///
/// # Definition
/// The weights w must be finite and ≥ 0; a common factor has no influence. If all are 0, all
/// neighbours count equally. [`Weighting`] has the common functions. A closure from the score, a
/// distance or a similarity, to the weight implements this trait, too; a function that needs all
/// neighbours of a query at once, or that is to be written to files, is a user's type that
/// implements it.
///
/// Its type is part of the type of the model, since predictions need it. So a model with a closure
/// cannot be serialised, which is a compile error, and a file never holds an incomplete model.
///
/// # Examples
/// A Gaussian of the distance, as a closure:
/// ```
/// use kern_core::{Samples, kernels::Linear};
/// use kern_solvers::{Error, knn::KNearest};
/// let x = Samples::from_rows(&[[0.0], [4.0]])?;
/// let (query, y) = (Samples::from_rows(&[[1.0]])?, [0.0_f64, 1.0]); // at distances 1 and 3
/// let params = KNearest::by_distance(Linear).neighbors(2);
/// let model = params.clone().weighting(|d: f64| (-d * d / 8.0).exp()).fit(&x, &y)?;
/// assert!((model.predict(&query)?[0] - 1.0 / (1.0 + f64::exp(1.0))).abs() < 1e-12);
/// let model = params.weighting(|d: f64| 2.0 - d).fit(&x, &y)?;
/// let negative = Error::NeighborWeight { query: 0, point: 1, given: -1.0 };
/// assert_eq!(model.predict(&query), Err(negative));
/// # Ok::<(), kern_solvers::Error>(())
/// ```
/// Dudani's weights (1976, eq. 1) compare each distance with the nearest and the farthest:
/// ```
/// use kern_core::{Samples, kernels::Linear};
/// use kern_solvers::knn::{KNearest, Nearest, Nearness, Neighbors, WeightFunction};
/// use kern_solvers::Values;
/// #[derive(Clone, serde::Serialize, serde::Deserialize)]
/// struct Dudani;
/// impl WeightFunction for Dudani {
///     fn weigh(&self, _: Nearness, scores: &mut [f64]) {
///         let (Some(&nearest), Some(&farthest)) = (scores.first(), scores.last()) else { return };
///         let spread = farthest - nearest;
///         scores.iter_mut().for_each(|d| *d = if spread > 0.0 { (farthest - *d) / spread } else { 1.0 });
///     }
/// }
/// let x = Samples::from_rows(&[[0.0], [2.0], [4.0]])?;
/// let query = Samples::from_rows(&[[0.0]])?;
/// let params = KNearest::by_distance(Linear).neighbors(3).weighting(Dudani);
/// let model = params.fit(&x, &[0.0_f64, 3.0, 9.0])?;
/// assert_eq!(model.predict(&query)?, [1.0]); // weights 1, 1/2 and 0
/// let file = serde_json::to_string(&model)?;
/// let read: Neighbors<Samples<f64>, Linear, Values<f64>, Nearest, Dudani> = serde_json::from_str(&file)?;
/// assert_eq!(read.predict(&query)?, [1.0]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
/// A model with a closure cannot be serialised:
/// ```compile_fail,E0277
/// use kern_core::{Samples, kernels::Linear};
/// use kern_solvers::knn::KNearest;
/// let x = Samples::from_rows(&[[0.0], [4.0]])?;
/// let model = KNearest::by_distance(Linear).neighbors(1).weighting(|d: f64| -d).fit(&x, &[0.0, 1.0])?;
/// serde_json::to_string(&model);
/// # Ok::<(), kern_solvers::Error>(())
/// ```
pub trait WeightFunction: Send + Sync {
    /// Replaces the scores of the neighbours of a query, nearest first, by their weights.
    fn weigh(&self, nearness: Nearness, scores: &mut [f64]);

    /// The parameter slot of its name, if it has one.
    #[doc(hidden)]
    fn slots(&mut self, _: &'static str, _: Option<&'static Domain>) -> Vec<Slot<'_>> {
        Vec::new()
    }
}

impl<F: Fn(f64) -> f64 + Send + Sync> WeightFunction for F {
    fn weigh(&self, _: Nearness, scores: &mut [f64]) {
        scores.iter_mut().for_each(|score| *score = self(*score));
    }
}

/// Named weight functions.
///
/// # Definition
/// A common factor of the weights has no influence. [`Weighting::Weighted`] is
///
/// - by similarity: w = max(K(x, xᵢ), 0); if no neighbour has a positive one, all count equally;
/// - by distance: w = 1/d(x, xᵢ); if some neighbours have distance 0, only these count, all
///   equally.
///
/// # Examples
/// ```
/// use kern_core::{Samples, kernels::Linear};
/// use kern_solvers::knn::{KNearest, Weighting};
/// let x = Samples::from_rows(&[[0.0], [4.0]])?;
/// let (query, y) = (Samples::from_rows(&[[1.0]])?, [0.0_f64, 8.0]); // at distances 1 and 3
/// let params = KNearest::by_distance(Linear).neighbors(2);
/// assert_eq!(params.fit(&x, &y)?.predict(&query)?, [4.0]);
/// let params = params.weighting(Weighting::Weighted);
/// assert_eq!(params.fit(&x, &y)?.predict(&query)?, [2.0]);
/// # Ok::<(), kern_solvers::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub enum Weighting {
    /// All neighbours count equally.
    #[default]
    Uniform,
    /// Near neighbours count more than far ones.
    Weighted,
}

named_values!(@value Weighting { "uniform" => Uniform, "weighted" => Weighted });

impl WeightFunction for Weighting {
    fn slots(&mut self, name: &'static str, domain: Option<&'static Domain>) -> Vec<Slot<'_>> {
        vec![Slot::new(name, domain, self)]
    }

    fn weigh(&self, nearness: Nearness, scores: &mut [f64]) {
        let nearest = scores.first().copied().unwrap_or(0.0);
        let weight = |score: f64| match (self, nearness) {
            (Self::Uniform, _) => 1.0,
            (Self::Weighted, Nearness::Similarity) => score.max(0.0),
            (Self::Weighted, Nearness::Distance) if nearest > 0.0 => nearest / score,
            (Self::Weighted, Nearness::Distance) => f64::from(score <= 0.0),
        };
        scores.iter_mut().for_each(|score| *score = weight(*score));
    }
}

/// A weight that is not valid.
pub(super) struct NoWeight {
    point: usize,
    given: f64,
}

impl NoWeight {
    pub(super) fn of(self, query: usize) -> Error {
        Error::NeighborWeight { query, point: self.point, given: self.given }
    }
}

/// The weight of each neighbour, times that of its point if `of_points` is set, relative to the
/// largest, so that no sum of weights overflows. If the function returns 0 for all neighbours, all
/// count equally. `row` is sorted, nearest first.
pub(super) fn weights<T: Scalar>(
    row: &[Neighbor<T>],
    nearness: Nearness,
    function: &impl WeightFunction,
    of_points: Option<&[f64]>,
) -> Result<Vec<f64>, NoWeight> {
    let mut weights: Vec<f64> = row.iter().map(|neighbor| neighbor.score.to_f64()).collect();
    function.weigh(nearness, &mut weights);
    let mut largest = 0.0_f64;
    for (neighbor, &given) in row.iter().zip(&weights) {
        if !given.is_finite() || given < 0.0 {
            return Err(NoWeight { point: neighbor.index, given });
        }
        largest = largest.max(given);
    }
    let relative = |weight: &mut f64| *weight = if largest > 0.0 { *weight / largest } else { 1.0 };
    weights.iter_mut().for_each(relative);
    let Some(of_points) = of_points else { return Ok(weights) };
    let pairs = weights.iter_mut().zip(row);
    pairs.for_each(|(weight, neighbor)| *weight *= of_points[neighbor.index]);
    // Weights of points are positive, and one of the others is 1, so the largest product is
    // positive.
    let largest = weights.iter().copied().fold(0.0, f64::max);
    weights.iter_mut().for_each(|weight| *weight /= largest);
    Ok(weights)
}
