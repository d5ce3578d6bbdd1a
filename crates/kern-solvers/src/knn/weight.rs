//! Weights of neighbours: weight functions, named ones and those of the user.

use super::rkhs_distance::{Nearness, Neighbor};
use crate::Error;
use kern_core::parameters::{Domain, Slot};
use kern_core::{Scalar, named_values};
use serde::{Deserialize, Serialize};

/// A function from the scores of a query's neighbours to their weights.
///
/// # Definition
/// The weights w must be finite and ≥ 0; they matter up to a common factor. If all are 0, all neighbours count the
/// same. [`Weighting`] has the common ones. A closure from the score, a distance or a similarity, to
/// the weight is one, too; a function that looks at all neighbours of a query at once, or that is to be written to files,
/// is a type of the user's that implements this trait.
///
/// It is part of the model, as its type: predictions need it, and a model is not complete without it. So the model of a
/// closure cannot be serialised, which the compiler says, and a file never holds half a model.
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
/// The model of a closure has no file:
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

    /// The place of its name, if it has one.
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

/// Weights of neighbours, by name.
///
/// # Definition
/// Weights matter up to a common factor. [`Weighting::Weighted`] is
///
/// - by similarity: w = max(K(x, xᵢ), 0); if no neighbour has a positive one, all count the same;
/// - by distance: w = 1/d(x, xᵢ); if some neighbours have distance 0, they alone count, and all of
///   them the same.
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
pub enum Weighting {
    /// All the same.
    #[default]
    Uniform,
    /// Near neighbours more than far ones.
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

/// A weight that is none.
pub(super) struct NoWeight {
    point: usize,
    given: f64,
}

impl NoWeight {
    pub(super) fn of(self, query: usize) -> Error {
        Error::NeighborWeight { query, point: self.point, given: self.given }
    }
}

/// The weight of each neighbour times that of the point, if these are not all 1, relative to the greatest, so that no sum of
/// weights overflows; where the function gives 0 to all, it is 1 for all. `row` is sorted, nearest first.
pub(super) fn weights<T: Scalar>(
    row: &[Neighbor<T>],
    nearness: Nearness,
    function: &impl WeightFunction,
    of_points: Option<&[f64]>,
) -> Result<Vec<f64>, NoWeight> {
    let mut weights: Vec<f64> = row.iter().map(|neighbor| neighbor.score.to_f64()).collect();
    function.weigh(nearness, &mut weights);
    let mut greatest = 0.0_f64;
    for (neighbor, &given) in row.iter().zip(&weights) {
        if !given.is_finite() || given < 0.0 {
            return Err(NoWeight { point: neighbor.index, given });
        }
        greatest = greatest.max(given);
    }
    let relative =
        |weight: &mut f64| *weight = if greatest > 0.0 { *weight / greatest } else { 1.0 };
    weights.iter_mut().for_each(relative);
    let Some(of_points) = of_points else { return Ok(weights) };
    let pairs = weights.iter_mut().zip(row);
    pairs.for_each(|(weight, neighbor)| *weight *= of_points[neighbor.index]);
    // Weights of points are positive, and one of the others is 1, so the greatest product is positive.
    let greatest = weights.iter().copied().fold(0.0, f64::max);
    weights.iter_mut().for_each(|weight| *weight /= greatest);
    Ok(weights)
}
