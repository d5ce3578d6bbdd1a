//! Outer products of gradients as sums over samples: a metric that is learned round after round.

use super::gradients::{Fitted, pulled_back};
use super::metric::{Metric, mean_square};
use super::problem::shrunk;
use crate::model::KernelExpansion;
use crate::{Error, tolerance};
use faer::{Mat, MatRef};
use kern_approx::NystromMap;
use kern_core::gradient::{MetricKernel, PointGradient};
use kern_core::memory::matrix_bytes;
use kern_core::{Mercer, Points, Samples, serde_mat};
use kern_gram::{MemoryBudget, zeros};
use serde::{Deserialize, Serialize};

/// A linear map R, of which K(Rx, Ry) is the kernel in the metric M = RᵀR.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LearnedMetric(Metric);

impl LearnedMetric {
    /// x ↦ x.
    #[must_use]
    pub fn identity(dim: usize) -> Self {
        Self(Metric::identity(dim))
    }

    /// The images Rx.
    ///
    /// # Errors
    /// [`Error::Core`] for points of another dimension, or images that are not finite.
    pub fn images(&self, points: &Samples<f64>) -> Result<Samples<f64>, Error> {
        let (what, expected, given) = ("coordinates of points", self.0.dim(), points.dim());
        match expected == given {
            true => self.0.map(points),
            false => Err(kern_core::Error::Dimension { what, expected, given }.into()),
        }
    }

    /// M.
    #[must_use]
    pub fn matrix(&self) -> Mat<f64> {
        self.0.matrix()
    }

    /// The dimension of the points.
    #[must_use]
    pub fn dim(&self) -> usize {
        self.0.dim()
    }

    /// The dimension of the images.
    #[must_use]
    pub fn rank(&self) -> usize {
        self.0.rank()
    }
}

/// The question for Σβ∇f∇fᵀ of a function f(x) = Σᵢ αᵢK(zᵢ, Rx) of landmarks.
///
/// # References
/// Radhakrishnan, Beaglehole, Pandit & Belkin (2024), *Mechanism for feature learning in neural networks and backpropagation-free
/// machine learning models*, for the average outer product of gradients.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct MetricQuery {
    kernel: MetricKernel,
    metric: LearnedMetric,
    /// zᵢ, the images of landmarks.
    images: Samples<f64>,
    /// Landmarks × outputs.
    #[serde(with = "serde_mat")]
    alpha: Mat<f64>,
    /// Squared distances that count as none.
    least: f64,
}

/// Σβ∇f∇fᵀ in the images, summed over outputs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct OuterSums {
    pub(crate) count: u64,
    weight: f64,
    /// The lower triangle.
    #[serde(with = "serde_mat")]
    sum: Mat<f64>,
}

impl MetricQuery {
    /// Of functions of a Nyström map of images, with these weights of its features: D × outputs.
    ///
    /// # Errors
    /// [`Error::Core`] for images of another dimension than the metric has; [`Error::Gram`] for weights of another shape.
    pub fn new<K: Mercer<Samples<f64>> + Clone>(
        kernel: MetricKernel,
        metric: LearnedMetric,
        (map, weights): (&NystromMap<Samples<f64>, K>, MatRef<'_, f64>),
    ) -> Result<Self, Error> {
        kern_gram::Error::check_shape("weights", (map.rank(), weights.ncols()), weights.shape())?;
        let expansion = KernelExpansion::of_landmarks(map, weights)?;
        let (images, alpha) = (expansion.points().clone(), expansion.coefficients().to_owned());
        if images.dim() != metric.rank() {
            let (what, expected, given) = ("coordinates of images", metric.rank(), images.dim());
            return Err(kern_core::Error::Dimension { what, expected, given }.into());
        }
        let least = f64::EPSILON / 2.0 * mean_square(&images, None);
        Ok(Self { kernel, metric, images, alpha, least })
    }

    /// The sums of no points.
    ///
    /// # Errors
    /// [`Error::Gram`] if they do not fit the memory.
    pub fn sums(&self, memory: &MemoryBudget) -> Result<OuterSums, Error> {
        let rank = self.metric.rank();
        let bytes = super::gradients::bytes::<f64>(rank, self.alpha.ncols());
        memory.require("outer products of gradients", bytes, "take fewer columns")?;
        Ok(OuterSums { count: 0, weight: 0.0, sum: zeros(rank, rank)? })
    }

    /// Adds points.
    ///
    /// # Complexity
    /// O(m·d) a point and output, with m landmarks in d dimensions.
    ///
    /// # Errors
    /// [`Error::OtherQuery`] for sums of another query, [`Error::Core`] for points of another dimension, those of weights.
    pub fn gather(
        &self,
        sums: &mut OuterSums,
        points: &Samples<f64>,
        weights: Option<&[f64]>,
        memory: &MemoryBudget,
    ) -> Result<(), Error> {
        let (rank, n) = (self.metric.rank(), points.len());
        if self.images.dim() != rank || self.images.len() != self.alpha.nrows() {
            return Err(Error::OtherParts { what: "a metric, landmarks and coefficients" });
        }
        if sums.sum.shape() != (rank, rank) {
            return Err(Error::OtherQuery);
        }
        let bytes = matrix_bytes::<f64>(n, rank);
        memory.require("the images of points", bytes, "take smaller blocks")?;
        if let Some(weights) = weights {
            kern_approx::statistics::check_batch_weights(n, weights)?;
        }
        let images = self.metric.images(points)?;
        let fitted = Fitted {
            kernel: &self.kernel,
            centres: &self.images,
            alpha: self.alpha.as_ref(),
            images: &images,
            weights,
            least: self.least,
        };
        let added = fitted.outer_products(false)?;
        // Of one column the diagonal is all.
        sums.sum += &added;
        sums.weight += weights.map_or(n as f64, |weights| weights.iter().sum());
        sums.count = sums.count.saturating_add(n as u64);
        Ok(())
    }

    /// The metric of the sums, in the scale in which the images of a sample have the mean squared distance that its points have.
    /// None if f is constant.
    ///
    /// # Errors
    /// [`Error::Empty`] for sums of nothing; [`Error::Range`] for sums that overflow; [`Error::NoEigenvalues`].
    pub fn next(
        &self,
        sums: &OuterSums,
        sample: &Samples<f64>,
    ) -> Result<Option<LearnedMetric>, Error> {
        if sums.weight <= 0.0 {
            return Err(Error::Empty);
        }
        if sums.sum.shape() != (self.metric.rank(), self.metric.rank()) {
            return Err(Error::OtherQuery);
        }
        let m = pulled_back(&self.metric.0, sums.sum.clone(), 1.0 / sums.weight)?;
        let m = shrunk(m, tolerance::FEATURE_SHRINKAGE);
        let metric =
            Metric::of(m.as_ref(), !PointGradient::<f64>::is_rotation_invariant(&self.kernel))?;
        if metric.rank() == 0 {
            return Ok(None);
        }
        let (own, given) = (mean_square(sample, None), mean_square(&metric.map(sample)?, None));
        let scale = (own / given).sqrt();
        Ok(scale.is_finite().then(|| LearnedMetric(metric.scaled(scale))))
    }
}

impl OuterSums {
    /// Adds the sums of other points.
    ///
    /// # Errors
    /// [`Error::OtherQuery`] if they are sums of another query.
    pub fn merge(&mut self, other: &Self) -> Result<(), Error> {
        if self.sum.shape() != other.sum.shape() {
            return Err(Error::OtherQuery);
        }
        self.count = self.count.saturating_add(other.count);
        self.weight += other.weight;
        self.sum += &other.sum;
        Ok(())
    }
}
